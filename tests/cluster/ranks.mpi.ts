/**
 * The conformance suite and all learners on ranks of MPI. Vitest runs this file on every rank (tests/cluster.test.ts
 * starts it): rank 0 runs the tests, the others follow it. To save time, the reference kernels run under Open MPI alone,
 * and the learners under MPICH alone.
 */

import { afterAll, test } from "vitest";
import { launchedAmongSeveral } from "../../src/cli/cluster/joined.js";
import { ClusterSession } from "../../src/cli/cluster/session.js";
import { dividesAll } from "../../src/kernels/cluster/localRanks.case.js";
import type { Kernels } from "../../src/kernels/contract.js";
import { createCpuKernels } from "../../src/kernels/cpu/index.js";
import { createReferenceKernels } from "../../src/kernels/reference/index.js";

const launched = launchedAmongSeveral();
if (!launched) throw new Error("a launcher of MPI must start this file");
const session = await ClusterSession.join(process.env, launched, []);
session.world.rates = dividesAll;

if (session.isLeader) {
  const { conformance } = await import("../../src/kernels/conformance/conformance.case.js");
  const { sameModels } = await import("../../src/kernels/cluster/sameModels.case.js");
  const cpu = () => createCpuKernels({ threads: 1 });
  const reference = async () => createReferenceKernels();
  const on = (create: () => Promise<Kernels>) => async () => session.lead(await create(), 1);
  conformance("cpu", on(cpu), { draws: 1, misuse: false, large: false });
  if (launched.launcher.includes("Open MPI"))
    conformance("reference", on(reference), { draws: 1, misuse: false, large: false });
  else sameModels(cpu, [on(cpu)]);
  afterAll(() => session.end(0));
} else
  test("rank 0 is followed to its end", async () => {
    await session.follow();
    await session.end(0);
  });
