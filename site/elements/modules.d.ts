/** Modules that the build of the site makes. */

declare module "site-examples" {
  /** The programs of the documentation by their names; to load one is to run it. */
  export const examples: Readonly<Record<string, () => Promise<unknown>>>;
}

declare module "*?worker&url" {
  const address: string;
  export default address;
}

declare module "*.css";
