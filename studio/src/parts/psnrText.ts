/** A PSNR in words. */

/** `rmse`: in the units of the samples; `peak`: the difference of white and black. */
export function psnrOf(rmse: number, peak: number): number {
  return 20 * Math.log10(peak / rmse);
}

export function psnrText(psnr: number): string {
  return psnr > 120 ? "exact" : `${psnr.toFixed(2)} dB`;
}
