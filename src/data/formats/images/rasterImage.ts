/** A picture as its file stores it: what the decoders of this folder return. */
export interface RasterImage {
  readonly width: number;
  readonly height: number;
  /** 1 is grey, 3 red, green and blue, 4 with opacity. */
  readonly channels: 1 | 3 | 4;
  /** Interleaved channels, from the top left, row by row. */
  readonly values: Uint8Array | Float32Array;
  /** The value of white. */
  readonly white: number;
}

/** What the header of a picture says of it. */
export interface RasterSize {
  readonly width: number;
  readonly height: number;
  /** Whether it has colours, which may still be equal. */
  readonly colour: boolean;
}
