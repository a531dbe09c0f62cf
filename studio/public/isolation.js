/**
 * A service worker for hosts that set no headers: it serves the files of this site again with the two headers that let
 * a page share memory between threads. It stores nothing, and leaves other origins alone.
 */

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (new URL(request.url).origin !== self.location.origin) return;
  if (request.cache === "only-if-cached" && request.mode !== "same-origin") return; // fetch refuses such requests
  event.respondWith(fetch(request).then(isolated));
});

/** The same answer with the headers; redirects of a navigation cannot be read, and pass as they are. */
function isolated(response) {
  if (response.status === 0 || response.type === "opaqueredirect") return response;
  const headers = new Headers(response.headers);
  headers.set("Cross-Origin-Opener-Policy", "same-origin");
  headers.set("Cross-Origin-Embedder-Policy", "require-corp");
  headers.set("Cross-Origin-Resource-Policy", "same-origin");
  const { status, statusText } = response;
  return new Response(response.body, { status, statusText, headers });
}
