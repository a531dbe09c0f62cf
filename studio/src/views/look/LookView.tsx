/** Look. */

export default function LookView() {
  return <h1>Look</h1>;
}
