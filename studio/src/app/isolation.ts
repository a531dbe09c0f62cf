/**
 * Isolation where the host sets no headers: a service worker adds them, and the page loads once more. Pages that are
 * isolated already, or cannot be (no secure context, no service workers), stay as they are and work on one thread.
 */

/** Kept for the tab, so that a page which is not isolated after its reload does not load again. */
const reloadedKey = "trainlets-isolation";
/** Milliseconds to wait for the service worker; after that the page starts without it. */
const patience = 3000;

/** Whether the page is about to load again. `script` is the address of isolation.js. */
export async function reloadsIsolated(script: string): Promise<boolean> {
  try {
    if (globalThis.crossOriginIsolated) sessionStorage.removeItem(reloadedKey);
    if (globalThis.crossOriginIsolated || !globalThis.isSecureContext) return false;
    if (!("serviceWorker" in navigator) || window.top !== window) return false;
    if (sessionStorage.getItem(reloadedKey) !== null) return false;
    if (!(await isServing(script))) return false;
    sessionStorage.setItem(reloadedKey, "yes");
    location.reload();
    return true;
  } catch {
    return false; // storage or service workers are blocked
  }
}

/** Install the service worker; whether it serves this page in time. */
async function isServing(script: string): Promise<boolean> {
  await navigator.serviceWorker.register(script);
  if ((await navigator.serviceWorker.getRegistration(script)) === undefined) return false;
  const late = new Promise<false>((resolve) => setTimeout(() => resolve(false), patience));
  return Promise.race([navigator.serviceWorker.ready.then(() => true), late]);
}
