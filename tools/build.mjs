/** `npm run build`: installs what is missing and builds `dist` anew. */

import { ready } from "./ready.mjs";

ready({ rebuild: true });
