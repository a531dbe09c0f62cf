/** Restore. */

export default function RestoreView() {
  return <h1>Restore</h1>;
}
