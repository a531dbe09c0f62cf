/** Learn. */

export default function LearnView() {
  return <h1>Learn</h1>;
}
