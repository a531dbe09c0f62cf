/** Numbers given by name to a kernel, checked against the fields that it declares. */

/** A number for every field of a layout, and for nothing else: a missing or an unknown name does not compile. */
export type Fields<Layout, Given> = { readonly [Field in keyof Layout]: number } & {
  readonly [Unknown in Exclude<keyof Given, keyof Layout>]: never;
};
