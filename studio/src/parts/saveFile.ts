/** Hand bytes to the person as a download. */
export function saveFile(
  name: string,
  bytes: Uint8Array<ArrayBuffer> | Blob,
  type = "application/octet-stream",
): void {
  const blob = bytes instanceof Blob ? bytes : new Blob([bytes], { type });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
