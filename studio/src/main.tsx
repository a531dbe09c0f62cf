/** The studio: see a dictionary learn, look at its atoms, and use them, in one page. */

import "./style/studio.css";
import { render } from "preact";
import { App } from "./app/App";
import { addBuiltIn } from "./app/builtIn";
import { findDevice } from "./app/device";
import { reloadsIsolated } from "./app/isolation";
import { notifyOf } from "./app/notices";
import { openSession } from "./app/session";

if (!(await reloadsIsolated("./isolation.js"))) {
  addBuiltIn().catch(notifyOf);
  findDevice().catch(notifyOf);
  openSession().catch(notifyOf);
  render(<App />, document.getElementById("studio") as HTMLElement);
}
