/** `npm run build`: installs what is missing and rebuilds `dist` with the studio. */

import { ready } from "./ready.mjs";

ready({ rebuild: true });
