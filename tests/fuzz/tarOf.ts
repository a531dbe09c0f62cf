/** Tar archives for tests. */

/** A tar archive of files. */
export function tarOf(files: Readonly<Record<string, Uint8Array>>): Uint8Array {
  const blocks = Object.entries(files).flatMap(([name, bytes]) => {
    const header = new Uint8Array(512);
    const put = (text: string, at: number) => header.set(new TextEncoder().encode(text), at);
    put(name, 0);
    put("0000644\0", 100);
    put(`${bytes.length.toString(8).padStart(11, "0")}\0`, 124);
    put("0", 156);
    put("ustar\x0000", 257);
    setChecksum(header);
    const body = new Uint8Array(Math.ceil(bytes.length / 512) * 512);
    body.set(bytes);
    return [header, body];
  });
  return Uint8Array.from(Buffer.concat([...blocks, new Uint8Array(1024)]));
}

/** The checksum of a header, made right. */
export function setChecksum(header: Uint8Array): void {
  header.fill(32, 148, 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.set(new TextEncoder().encode(`${sum.toString(8).padStart(6, "0")}\0 `), 148);
}
