/** NIfTI files, for tests. */

export interface TestVolume {
  readonly sizes: readonly number[];
  /** x varies fastest. */
  readonly values: readonly number[];
  readonly type?: "uint8" | "int16" | "float32" | "float64";
  readonly version?: 1 | 2;
  readonly bigEndian?: boolean;
  readonly scale?: readonly [slope: number, intercept: number];
  readonly magic?: string;
  /** The number of the type, if not that of the values. */
  readonly code?: number;
}

const types = {
  uint8: [2, 1, "setUint8"],
  int16: [4, 2, "setInt16"],
  float32: [16, 4, "setFloat32"],
  float64: [64, 8, "setFloat64"],
} as const;

export function niftiOf(volume: TestVolume): Uint8Array {
  const { sizes, values, type = "int16", version = 1, bigEndian = false, scale = [0, 0] } = volume;
  const [code, size, set] = types[type];
  const offset = version === 1 ? 352 : 544;
  const view = new DataView(new ArrayBuffer(offset + values.length * size));
  const little = !bigEndian;
  const all = [sizes.length, ...sizes, ...new Array(7 - sizes.length).fill(1)];
  const magic = new TextEncoder().encode(volume.magic ?? `n+${version}`);
  const bytes = new Uint8Array(view.buffer);
  view.setInt32(0, version === 1 ? 348 : 540, little);
  if (version === 1) {
    all.forEach((axis, i) => {
      view.setInt16(40 + 2 * i, axis, little);
    });
    view.setInt16(70, volume.code ?? code, little);
    view.setFloat32(108, offset, little);
    scale.forEach((value, i) => {
      view.setFloat32(112 + 4 * i, value, little);
    });
    bytes.set(magic, 344);
  } else {
    all.forEach((axis, i) => {
      view.setBigInt64(16 + 8 * i, BigInt(axis), little);
    });
    view.setInt16(12, volume.code ?? code, little);
    view.setBigInt64(168, BigInt(offset), little);
    scale.forEach((value, i) => {
      view.setFloat64(176 + 8 * i, value, little);
    });
    bytes.set(magic, 4);
  }
  values.forEach((value, i) => {
    view[set](offset + i * size, value, little);
  });
  return bytes;
}
