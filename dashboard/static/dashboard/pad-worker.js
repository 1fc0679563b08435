// The service worker of the pad. PAD is written in front of this by the server.
importScripts(PAD.queue);
const CACHE = `score-pad-${PAD.version}`;

self.addEventListener("install", (event) => {
  event.waitUntil((async () => {
    const cache = await caches.open(CACHE);
    await cache.addAll(PAD.files.map((file) => new Request(file, { cache: "reload" })));
    await Promise.all(PAD.pages.map((page) => refresh(page).catch(() => null)));
    await self.skipWaiting();
  })());
});

self.addEventListener("activate", (event) => {
  event.waitUntil((async () => {
    const old = (await caches.keys()).filter((name) => name.startsWith("score-pad-") && name !== CACHE);
    await Promise.all(old.map((name) => caches.delete(name)));
    await self.clients.claim();
  })());
});

// A page is kept only as it is meant to be: not the log-in page that stands in for it, not an error.
async function refresh(page) {
  const answer = await fetch(page, { credentials: "same-origin", cache: "no-store" });
  if (answer.ok && !answer.redirected) await (await caches.open(CACHE)).put(page, answer.clone());
  return answer;
}

const keyOf = (url) => (url.searchParams.get("game") ? `${url.pathname}?game=${url.searchParams.get("game")}` : url.pathname);

self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== "GET" || url.origin !== location.origin) return;
  if (event.request.mode === "navigate") {
    if (!PAD.pages.includes(keyOf(url))) return;
    event.respondWith(page(event.request, keyOf(url)));
    event.waitUntil(refresh(keyOf(url)).catch(() => null)); // without the messages that only this visit sees
  } else if (PAD.files.includes(url.pathname)) {
    event.respondWith(caches.match(url.pathname, { cacheName: CACHE }).then((kept) => kept ?? fetch(event.request)));
  }
});

// The network first, for as long as a person would wait; then the device's own copy.
async function page(request, key) {
  const kept = await caches.match(key, { cacheName: CACHE });
  const fresh = fetch(request);
  if (!kept) return fresh;
  const late = new Promise((resolve) => { setTimeout(resolve, 3000, kept); });
  return Promise.race([fresh.catch(() => kept), late]);
}

// The browser wakes this up when the network is back, even with the page closed.
self.addEventListener("sync", (event) => {
  if (event.tag !== "send") return;
  event.waitUntil((async () => {
    await padQueue.flush({ data: PAD.data, plays: PAD.plays });
    for (const page of await self.clients.matchAll()) page.postMessage("sent");
  })());
});
