/** Explore. */

export default function ExploreView() {
  return <h1>Explore</h1>;
}
