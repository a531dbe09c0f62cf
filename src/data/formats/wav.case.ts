/** Sound files of any layout, for tests. */

export interface SoundFile {
  readonly channels: number;
  readonly samples: "uint8" | "int16" | "int24" | "int32" | "float32" | "float64";
  /** Values by frames: one per channel, then the next frame. */
  readonly values: readonly number[];
  readonly form?: "RIFF" | "RIFX" | "RF64";
  /** Written as WAVEFORMATEXTENSIBLE. */
  readonly extensible?: boolean;
  /** Chunks before the samples: a name and a length each. */
  readonly before?: readonly (readonly [string, number])[];
  /** The size that the header says, if not the right one. */
  readonly declared?: number;
  /** The format number, if not that of the samples. */
  readonly tag?: number;
}

const bytesOf = { uint8: 1, int16: 2, int24: 3, int32: 4, float32: 4, float64: 8 } as const;

export function wavOf(sound: SoundFile): Uint8Array {
  const { channels, samples, values, form = "RIFF", before = [], declared } = sound;
  const little = form !== "RIFX";
  const size = bytesOf[samples];
  const body = sampleBytes(values, samples, little);
  const number = (value: number, bytes: 2 | 4) => {
    const view = new DataView(new ArrayBuffer(bytes));
    if (bytes === 2) view.setUint16(0, value, little);
    else view.setUint32(0, value, little);
    return new Uint8Array(view.buffer);
  };
  const chunk = (id: string, content: Uint8Array, length = content.length) =>
    joined([text(id), number(length, 4), content, new Uint8Array(content.length % 2)]);
  const isFloat = samples.startsWith("float");
  const tag = sound.tag ?? (isFloat ? 3 : 1);
  const format = [
    ...[number(sound.extensible ? 0xfffe : tag, 2), number(channels, 2), number(8000, 4)],
    ...[number(8000 * channels * size, 4), number(channels * size, 2), number(8 * size, 2)],
  ];
  if (sound.extensible)
    format.push(number(22, 2), number(8 * size, 2), number(0, 4), number(tag, 2), new Uint8Array(14));
  const isLong = form === "RF64";
  const long = new DataView(new ArrayBuffer(28));
  long.setBigUint64(8, BigInt(body.length), true);
  const chunks = [
    ...(isLong ? [chunk("ds64", new Uint8Array(long.buffer))] : []),
    chunk("fmt ", joined(format)),
    ...before.map(([id, length]) => chunk(id, new Uint8Array(length))),
    chunk("data", body, declared ?? (isLong ? 0xffffffff : body.length)),
  ];
  const all = joined([text("WAVE"), ...chunks]);
  return joined([text(form), number(isLong ? 0xffffffff : all.length, 4), all]);
}

function sampleBytes(values: readonly number[], samples: SoundFile["samples"], little: boolean): Uint8Array {
  const size = bytesOf[samples];
  const view = new DataView(new ArrayBuffer(values.length * size));
  values.forEach((value, i) => {
    const at = i * size;
    if (samples === "uint8") view.setUint8(at, value + 128);
    else if (samples === "int16") view.setInt16(at, value, little);
    else if (samples === "int32") view.setInt32(at, value, little);
    else if (samples === "float32") view.setFloat32(at, value, little);
    else if (samples === "float64") view.setFloat64(at, value, little);
    else for (let b = 0; b < 3; b++) view.setUint8(at + (little ? b : 2 - b), (value >> (8 * b)) & 255);
  });
  return new Uint8Array(view.buffer);
}

function text(letters: string): Uint8Array {
  return new TextEncoder().encode(letters);
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
