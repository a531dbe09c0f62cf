/** P_k on the host: which entries of a vector are kept. */

/** The rows of the k largest magnitudes, zeros left out, ascending; equal magnitudes: the lower row first. */
export function largestRows(values: Float32Array, k: number): number[] {
  const sizes = values.map(Math.abs);
  const threshold = k < sizes.length ? kthLargest(sizes.slice(), k) : 0;
  let above = 0;
  for (let l = 0; l < sizes.length; l++) if (sizes[l]! > threshold) above++;
  const rows: number[] = [];
  let equal = k - above; // how many at the threshold itself still fit
  for (let l = 0; l < sizes.length; l++) {
    const size = sizes[l]!;
    if (size === 0 || size < threshold) continue;
    if (size > threshold || equal-- > 0) rows.push(l);
  }
  return rows;
}

/** The k-th largest value; the values are rearranged (quickselect with a middle pivot). */
function kthLargest(values: Float32Array, k: number): number {
  let [low, high] = [0, values.length - 1];
  while (low < high) {
    const pivot = values[(low + high) >> 1]!;
    let [i, j] = [low, high];
    while (i <= j) {
      while (values[i]! > pivot) i++;
      while (values[j]! < pivot) j--;
      if (i > j) break;
      const swapped = values[i]!;
      values[i++] = values[j]!;
      values[j--] = swapped;
    }
    if (k - 1 <= j) high = j;
    else if (k - 1 >= i) low = i;
    else break;
  }
  return values[k - 1]!;
}
