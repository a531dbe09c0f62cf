/**
 * Finding a GPU: WebGPU of the runtime (browsers), or of the npm package `webgpu`
 * (Node), and a device with the limits of its adapter.
 *
 * A software adapter computes on the CPU, slower than the `cpu` kernels, and is opened
 * only if asked for. If there is no GPU, the result is a reason in words, never an
 * exception.
 */

/** An open device, and all that must stay referenced while it is open. */
export interface OpenGpu {
  readonly device: GPUDevice;
  readonly adapter: GPUAdapter;
  /** Its name, for reports. */
  readonly description: string;
  readonly software: boolean;
}

/** What must not be collected while a device is open: with Node's package, that would end the process. */
const alive = new Set<object>();

export async function openGpu(softwareToo: boolean): Promise<OpenGpu | { readonly unavailable: string }> {
  const found = await findGpu(softwareToo);
  if ("unavailable" in found) return found;
  const { gpu } = found;
  const adapter =
    (await requestAdapter(gpu, { powerPreference: "high-performance" })) ??
    (softwareToo ? await requestAdapter(gpu, { forceFallbackAdapter: true }) : null);
  if (!adapter) return { unavailable: "WebGPU finds no graphics adapter" };
  const { info, limits } = adapter;
  const software =
    info.isFallbackAdapter === true || /swiftshader|llvmpipe|basic render/i.test(describe(info));
  if (software && !softwareToo) return { unavailable: `only a software adapter (${describe(info)})` };
  const wanted = [
    "maxStorageBufferBindingSize",
    "maxBufferSize",
    "maxComputeWorkgroupStorageSize",
    "maxComputeInvocationsPerWorkgroup",
    "maxComputeWorkgroupSizeX",
  ] as const;
  try {
    const device = await adapter.requestDevice({
      label: "trainlets",
      requiredLimits: Object.fromEntries(wanted.map((name) => [name, limits[name]])),
    });
    for (const object of [adapter, device]) alive.add(object);
    const description = `WebGPU, ${describe(info)}${software ? " (software)" : ""}`;
    return { device, adapter, description, software };
  } catch (error) {
    return { unavailable: `${describe(info)} gives no device (${(error as Error).message})` };
  }
}

/** Close a device. */
export function closeGpu({ device, adapter }: OpenGpu): void {
  device.destroy();
  for (const object of [adapter, device]) alive.delete(object);
}

async function requestAdapter(gpu: GPU, options: GPURequestAdapterOptions): Promise<GPUAdapter | null> {
  try {
    return await gpu.requestAdapter(options);
  } catch {
    return null;
  }
}

/** The name of the device, or less if the browser hides it. */
function describe(info: GPUAdapterInfo): string {
  const named = info.device && /[a-z]/i.test(info.device) ? info.device : info.description;
  return named || [info.vendor, info.architecture].filter(Boolean).join(" ") || "an unnamed adapter";
}

/** The parts of Node that are used here. */
interface NodeProcess {
  readonly platform: string;
  readonly env: Record<string, string | undefined>;
  readonly versions?: { readonly node?: string };
  getBuiltinModule?(name: "fs"): {
    existsSync(path: string): boolean;
    readFileSync(path: string, encoding: "latin1"): string;
  };
}

async function findGpu(
  softwareToo: boolean,
): Promise<{ readonly gpu: GPU } | { readonly unavailable: string }> {
  const native = (globalThis as { navigator?: { gpu?: GPU } }).navigator?.gpu;
  if (native) return { gpu: native };
  const node = (globalThis as unknown as { process?: NodeProcess }).process;
  if (!node?.versions?.node) {
    const why = globalThis.isSecureContext === false ? " on a page that is not served over https" : "";
    return { unavailable: `this browser offers no WebGPU${why}` };
  }
  if (node.platform === "linux") {
    const obstacle = linuxObstacle(node, softwareToo);
    if (obstacle) return { unavailable: obstacle };
  }
  try {
    nodeGpu ??= await loadNodeGpu(node.platform);
    return { gpu: nodeGpu };
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    const missing = code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND";
    return {
      unavailable: missing
        ? "the package webgpu is not installed"
        : `the package webgpu does not load (${message.split("\n")[0]})`,
    };
  }
}

/** WebGPU of Node's package, made once: each one holds an instance of the driver, which it never gives back. */
let nodeGpu: GPU | undefined;

async function loadNodeGpu(platform: string): Promise<GPU> {
  const packageName = "webgpu"; // a name in a variable: bundlers leave it alone
  const { create } = (await import(/* @vite-ignore */ packageName)) as { create(options: string[]): GPU };
  // on Linux only Vulkan: looking for OpenGL prints complaints to the terminal
  return create(platform === "linux" ? ["backend=vulkan"] : []);
}

/**
 * Why there can be no GPU on this Linux. Checked before Vulkan is asked, since drivers and
 * Dawn print complaints to the terminal if they find nothing.
 */
function linuxObstacle(node: NodeProcess, softwareToo: boolean): string | undefined {
  const fs = node.getBuiltinModule?.("fs");
  if (!fs) return undefined;
  if (!hasVulkan(node.env, fs)) return "no Vulkan is installed (libvulkan.so.1)";
  if (softwareToo) return undefined;
  if (!deviceFiles.some((path) => fs.existsSync(path))) return "this machine shows no graphics device";
  node.env.VK_LOADER_DRIVERS_DISABLE ??= "*lvp*"; // Mesa's software driver, about which Dawn complains
  return undefined;
}

/** Device files of graphics drivers on Linux: of Mesa, NVIDIA, Windows' Linux and AMD. */
const deviceFiles = ["/dev/dri", "/dev/nvidiactl", "/dev/nvidia0", "/dev/dxg", "/dev/kfd"];

type Files = ReturnType<NonNullable<NodeProcess["getBuiltinModule"]>>;

function hasVulkan(env: NodeProcess["env"], fs: Files): boolean {
  const name = "libvulkan.so.1";
  const folders = (env.LD_LIBRARY_PATH ?? "").split(":").filter(Boolean);
  if (folders.some((folder) => fs.existsSync(`${folder}/${name}`))) return true;
  try {
    return fs.readFileSync("/etc/ld.so.cache", "latin1").includes(name);
  } catch {
    return ["/usr/lib", "/usr/lib64", "/usr/local/lib", "/lib"].some((folder) =>
      fs.existsSync(`${folder}/${name}`),
    );
  }
}
