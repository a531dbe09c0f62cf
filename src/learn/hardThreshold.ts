/** P_k on the host: which entries of a vector are kept. */

/** The rows of the k largest magnitudes, zeros left out, ascending; equal magnitudes: the lower row first. */
export function largestRows(values: Float32Array, k: number): number[] {
  const n = values.length;
  const threshold = k < n ? kthLargest(magnitudesOf(values), n, k) : 0;
  let above = 0;
  for (let l = 0; l < n; l++) if (Math.abs(values[l]!) > threshold) above++;
  const rows: number[] = [];
  let equal = k - above; // how many at the threshold itself still fit
  for (let l = 0; l < n; l++) {
    const size = Math.abs(values[l]!);
    if (size === 0 || size < threshold) continue;
    if (size > threshold || equal-- > 0) rows.push(l);
  }
  return rows;
}

/** Room to rearrange values in, from call to call: it is asked for thousands of times a mini-batch. */
let room = new Float32Array(0);

function magnitudesOf(values: Float32Array): Float32Array {
  if (room.length < values.length) room = new Float32Array(values.length);
  for (let l = 0; l < values.length; l++) room[l] = Math.abs(values[l]!);
  return room;
}

/** The k-th largest of the first n values, which are rearranged (quickselect with a middle pivot). */
function kthLargest(values: Float32Array, n: number, k: number): number {
  let low = 0;
  let high = n - 1;
  while (low < high) {
    const pivot = values[(low + high) >> 1]!;
    let i = low;
    let j = high;
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
