/** `npm run build`: installs what is missing and rebuilds `dist`. */

import { ready } from "./ready.mjs";

ready({ rebuild: true });
