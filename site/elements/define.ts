/** The elements of the site's pages, defined in the browser alone. */

import { MeasureMachine } from "./measureMachine.js";
import { RunExample } from "./runExample.js";

if (!customElements.get("run-example")) {
  customElements.define("run-example", RunExample);
  customElements.define("measure-machine", MeasureMachine);
}
