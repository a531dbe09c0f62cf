/** Paper. */

export default function PaperView() {
  return <h1>Paper</h1>;
}
