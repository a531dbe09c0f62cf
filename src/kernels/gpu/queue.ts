/**
 * Commands to the device: buffers, dispatches, copies, reads.
 *
 * Work is recorded and submitted many dispatches at a time, in the order of the
 * calls. The parameters of a dispatch are a few words in one uniform buffer, at an
 * offset of its own; they are given by the names of the shader's `Params`. The bindings
 * of a shader are read from its source: binding 0 holds the parameters, the others are
 * storage in their order.
 *
 * If the device is lost, or reports an error, the next read fails with it.
 */

import { DeviceLostError } from "../contract.js";
import type { Fields } from "../fields.js";
import { parameters, shaders } from "./shaders.js";

/** From the WebGPU specification; Node lacks the globals that name these. */
const usage = {
  mapRead: 0x1,
  mapWrite: 0x2,
  copySource: 0x4,
  copyTarget: 0x8,
  uniform: 0x40,
  storage: 0x80,
} as const;
const compute = 0x4;
const mapForReading = 0x1;
const mapForWriting = 0x2;

/** Bytes between the parameters of two dispatches: the alignment every device has. */
const slotBytes = 256;
/** Dispatches submitted together. */
const slots = 128;
/** Bytes of buffers that are kept for the next reads. */
const mostStaging = 2 ** 27;
/** Bytes of the smallest of them. */
const leastStaging = 2 ** 16;
/** Bytes of freed buffers that are kept for new ones of the same size: making a buffer takes up to a millisecond. */
const mostFreed = 2 ** 28;
/** Bytes of a buffer that large writes go through, piece by piece. */
const uploadBytes = 2 ** 23;
/** Bytes from which a write is large. */
const leastUpload = 2 ** 20;
/** The most of these buffers. */
const mostUploads = 16;
/** Submissions in flight before the host waits for one. */
const mostUnderWay = 8;

export type ShaderName = keyof typeof shaders;

export class GpuQueue {
  readonly device: GPUDevice;
  /** Bytes of all buffers. */
  bytes = 0;
  readonly #pipelines = new Map<string, GPUComputePipeline>();
  readonly #layouts = new Map<ShaderName, GPUBindGroupLayout>();
  readonly #scratch = new Map<string, GPUBuffer>();
  /** Buffers that were freed, the oldest first. */
  readonly #freed: GPUBuffer[] = [];
  /** Buffers for reads that no read uses now. */
  readonly #staging: GPUBuffer[] = [];
  /** Buffers for large writes that are mapped and free, and how many there are in all. */
  readonly #uploads: GPUBuffer[] = [];
  #uploadCount = 0;
  /** Bind groups of buffers that are not destroyed yet, by shader and buffers. */
  readonly #groups = new Map<string, GPUBindGroup>();
  readonly #numbers = new WeakMap<GPUBuffer, number>();
  #buffers = 0;
  readonly #parameters: GPUBuffer;
  readonly #words = new Uint32Array((slots * slotBytes) / 4);
  readonly #floats = new Float32Array(this.#words.buffer);
  #used = 0;
  #encoder: GPUCommandEncoder | undefined;
  #pass: GPUComputePassEncoder | undefined;
  #underWay: Promise<unknown>[] = [];
  readonly #health: Health;

  constructor(device: GPUDevice) {
    this.device = device;
    this.#parameters = device.createBuffer({
      size: slots * slotBytes,
      usage: usage.uniform | usage.copyTarget,
    });
    this.#health = watchHealth(device);
  }

  // — buffers ———————————————————————————————————————————————————————————————

  /** A zero buffer. */
  buffer(bytes: number): GPUBuffer {
    const size = Math.max(16, Math.ceil(bytes / 16) * 16);
    this.bytes += size;
    const at = this.#freed.findLastIndex((freed) => freed.size === size);
    if (at >= 0) {
      const [kept] = this.#freed.splice(at, 1);
      this.clear(kept, size);
      return kept;
    }
    return this.device.createBuffer({
      size,
      usage: usage.storage | usage.copySource | usage.copyTarget,
    });
  }

  /** Free a buffer. It is kept for a new one of its size, as long as there are not too many. */
  free(buffer: GPUBuffer): void {
    this.bytes -= buffer.size;
    this.#freed.push(buffer);
    let total = this.#freed.reduce((sum, { size }) => sum + size, 0);
    if (total <= mostFreed) return;
    this.flush(); // what is recorded may use them
    this.#groups.clear();
    for (; total > mostFreed; total -= this.#freed[0].size, this.#freed.shift()) this.#freed[0].destroy();
  }

  /** A named buffer that lives between calls, of at least this size; its contents are undefined. */
  scratch(name: string, bytes: number): GPUBuffer {
    const held = this.#scratch.get(name);
    if (held && held.size >= bytes) return held;
    if (held) this.free(held);
    const buffer = this.buffer(bytes);
    this.#scratch.set(name, buffer);
    return buffer;
  }

  write(buffer: GPUBuffer, at: number, data: ArrayBufferView<ArrayBuffer>): void {
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    const step = bytes.length < leastUpload ? leastUpload : uploadBytes;
    for (let first = 0; first < bytes.length; first += step) {
      const piece = bytes.subarray(first, first + step);
      const upload = step === uploadBytes ? this.#takeUpload() : undefined;
      if (upload) this.#writeThrough(upload, buffer, at + first, piece);
      else {
        this.flush(); // what is recorded comes before
        this.device.queue.writeBuffer(buffer, at + first, piece);
      }
    }
  }

  /**
   * Write through a mapped buffer, which is kept for the next writes: the memory behind it stays, and the device
   * copies one piece while the host fills the next.
   */
  #writeThrough(upload: GPUBuffer, buffer: GPUBuffer, at: number, piece: Uint8Array<ArrayBuffer>): void {
    new Uint8Array(upload.getMappedRange(0, piece.length)).set(piece);
    upload.unmap();
    this.copy(upload, 0, buffer, at, piece.length);
    this.flush();
    upload.mapAsync(mapForWriting).then(
      () => this.#uploads.push(upload),
      () => {}, // the next read says why
    );
  }

  #takeUpload(): GPUBuffer | undefined {
    const kept = this.#uploads.pop();
    if (kept || this.#uploadCount === mostUploads || this.#health.failure) return kept;
    this.#uploadCount++;
    return this.device.createBuffer({
      size: uploadBytes,
      usage: usage.mapWrite | usage.copySource,
      mappedAtCreation: true,
    });
  }

  clear(buffer: GPUBuffer, bytes: number): void {
    if (bytes > 0) this.#outside().clearBuffer(buffer, 0, bytes);
  }

  copy(from: GPUBuffer, fromAt: number, to: GPUBuffer, toAt: number, bytes: number): void {
    if (bytes > 0) this.#outside().copyBufferToBuffer(from, fromAt, to, toAt, bytes);
  }

  /** What `take` makes of the bytes of a buffer, once all work before is done; it must copy what it keeps. */
  async read<T>(buffer: GPUBuffer, bytes: number, take: (data: ArrayBuffer) => T): Promise<T> {
    this.#complain();
    if (bytes === 0) return take(new ArrayBuffer(0));
    const staging = this.#takeStaging(bytes);
    this.copy(buffer, 0, staging, 0, bytes);
    this.flush();
    try {
      await staging.mapAsync(mapForReading, 0, bytes);
    } catch (error) {
      await Promise.race([this.device.lost, patience()]); // the loss of the device is reported a moment later
      this.#complain();
      throw new Error(`gpu: nothing could be read back (${firstLine((error as Error).message)})`);
    }
    this.#complain();
    const taken = take(staging.getMappedRange(0, bytes));
    staging.unmap();
    this.#keepStaging(staging);
    return taken;
  }

  /** A buffer for a read: the smallest kept one that fits, or a new one. */
  #takeStaging(bytes: number): GPUBuffer {
    const fits = this.#staging.filter(({ size }) => size >= bytes).sort((a, b) => a.size - b.size);
    const kept = fits[0];
    if (!kept || kept.size > 4 * Math.max(bytes, leastStaging))
      return this.device.createBuffer({
        size: Math.max(bytes, leastStaging),
        usage: usage.mapRead | usage.copyTarget,
      });
    this.#staging.splice(this.#staging.indexOf(kept), 1);
    return kept;
  }

  /** Keep it for the next read, and destroy the oldest if there are too many. */
  #keepStaging(buffer: GPUBuffer): void {
    this.#staging.push(buffer);
    const total = () => this.#staging.reduce((sum, { size }) => sum + size, 0);
    while (this.#staging.length > 0 && total() > mostStaging) this.#staging.shift()?.destroy();
  }

  // — dispatches ————————————————————————————————————————————————————————————

  /** Record one dispatch; buffers in the order of the shader's bindings. */
  dispatch<Name extends ShaderName, Given>(
    name: Name,
    params: Given & Fields<(typeof parameters)[Name], Given>,
    buffers: readonly GPUBuffer[],
    groups: readonly [x: number, y?: number, z?: number],
    constants: Readonly<Record<string, number>> = {},
  ): void {
    const [x, y = 1, z = 1] = groups;
    if (x === 0 || y === 0) return;
    if (this.#used === slots) this.flush();
    const offset = this.#used++ * slotBytes;
    this.#writeParameters(parameters[name], params, offset / 4);
    const pass = this.#inside();
    pass.setPipeline(this.#pipeline(name, constants));
    pass.setBindGroup(0, this.#bind(name, buffers), [offset]);
    pass.dispatchWorkgroups(Math.min(x, mostGroups), Math.min(y, mostGroups), z);
  }

  #writeParameters<Types extends Readonly<Record<string, "u32" | "f32">>, Given>(
    types: Types,
    values: Given & Fields<Types, Given>,
    from: number,
  ): void {
    let at = from;
    for (const field in types) {
      const target = types[field] === "f32" ? this.#floats : this.#words;
      target[at++] = values[field];
    }
  }

  /** Submit what is recorded. */
  flush(): void {
    if (!this.#encoder) return;
    this.#pass?.end();
    const { queue } = this.device;
    if (this.#used > 0) {
      queue.writeBuffer(this.#parameters, 0, this.#words, 0, (this.#used * slotBytes) / 4);
    }
    queue.submit([this.#encoder.finish()]);
    this.#encoder = undefined;
    this.#pass = undefined;
    this.#used = 0;
  }

  /** Submit, and wait if much is in flight: the host must not run too far ahead. */
  async pace(): Promise<void> {
    this.flush();
    this.#complain();
    this.#underWay.push(this.device.queue.onSubmittedWorkDone().catch(() => {})); // the next read says why
    if (this.#underWay.length <= mostUnderWay) return;
    await this.#underWay.shift();
    this.#complain();
  }

  /** Close the device, and let go of all that was made on it. */
  close(): void {
    this.#health.closed = true;
    this.flush();
    this.device.destroy();
    for (const made of [this.#pipelines, this.#layouts, this.#groups, this.#scratch]) made.clear();
    this.#staging.length = 0;
    this.#uploads.length = 0;
    this.#freed.length = 0;
    this.#underWay.length = 0;
  }

  #pipeline(name: ShaderName, constants: Readonly<Record<string, number>>): GPUComputePipeline {
    const key = `${name} ${Object.entries(constants).join(" ")}`;
    const known = this.#pipelines.get(key);
    if (known) return known;
    const pipeline = this.device.createComputePipeline({
      label: name,
      layout: this.device.createPipelineLayout({ bindGroupLayouts: [this.#layout(name)] }),
      compute: { module: this.#module(name), entryPoint: "main", constants },
    });
    this.#pipelines.set(key, pipeline);
    return pipeline;
  }

  #module(name: ShaderName): GPUShaderModule {
    return this.device.createShaderModule({ label: name, code: shaders[name] });
  }

  #layout(name: ShaderName): GPUBindGroupLayout {
    const known = this.#layouts.get(name);
    if (known) return known;
    const layout = this.device.createBindGroupLayout({
      label: name,
      entries: [
        { binding: 0, visibility: compute, buffer: { type: "uniform", hasDynamicOffset: true } },
        ...storageAccess(shaders[name]).map((access, i) => ({
          binding: i + 1,
          visibility: compute,
          buffer: { type: access === "read" ? ("read-only-storage" as const) : ("storage" as const) },
        })),
      ],
    });
    this.#layouts.set(name, layout);
    return layout;
  }

  #bind(name: ShaderName, buffers: readonly GPUBuffer[]): GPUBindGroup {
    const key = `${name} ${buffers.map((buffer) => this.#numberOf(buffer)).join()}`;
    const known = this.#groups.get(key);
    if (known) return known;
    const group = this.device.createBindGroup({
      layout: this.#layout(name),
      entries: [
        { binding: 0, resource: { buffer: this.#parameters, size: slotBytes } },
        ...buffers.map((buffer, i) => ({ binding: i + 1, resource: { buffer } })),
      ],
    });
    this.#groups.set(key, group);
    return group;
  }

  #numberOf(buffer: GPUBuffer): number {
    let number = this.#numbers.get(buffer);
    if (number === undefined) this.#numbers.set(buffer, (number = this.#buffers++));
    return number;
  }

  #inside(): GPUComputePassEncoder {
    this.#encoder ??= this.device.createCommandEncoder();
    this.#pass ??= this.#encoder.beginComputePass();
    return this.#pass;
  }

  #outside(): GPUCommandEncoder {
    this.#pass?.end();
    this.#pass = undefined;
    this.#encoder ??= this.device.createCommandEncoder();
    return this.#encoder;
  }

  #complain(): void {
    if (this.#health.failure) throw this.#health.failure;
  }
}

/** What became of a device. */
interface Health {
  failure: Error | undefined;
  /** Whether its end was meant. */
  closed: boolean;
}

/**
 * Listen to a device. Node's package keeps listeners until the device is collected, so a listener that refers to the
 * device, or to the queue, would keep both for ever.
 */
function watchHealth(device: GPUDevice): Health {
  const health: Health = { failure: undefined, closed: false };
  void device.lost.then(({ reason, message }) => {
    if (reason === "destroyed" && health.closed) return;
    // outweighs errors that come of it
    health.failure = new DeviceLostError(`gpu: the device was lost (${firstLine(message) || reason})`);
  });
  device.addEventListener("uncapturederror", (event) => {
    health.failure ??= new Error(`gpu: ${firstLine((event as GPUUncapturedErrorEvent).error.message)}`);
  });
  return health;
}

/** The most workgroups along an axis that every device allows. Shaders loop over the rest. */
export const mostGroups = 65535;

/** How a shader uses its storage bindings, in their order. */
function storageAccess(source: string): ("read" | "read_write")[] {
  const found = [...source.matchAll(/@binding\((\d+)\)\s+var<storage,\s*(read|read_write)>/g)];
  return found
    .sort((a, b) => Number(a[1]) - Number(b[1]))
    .map(([, , access]) => access as "read" | "read_write");
}

/** Time enough for the loss of a device to be reported. */
function patience(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 200));
}

function firstLine(text: string): string {
  return text.split("\n")[0].trim();
}
