// Caches the shell, so that the page opens while the controller is unreachable, and says so. Files below
// /page/HASH/ never change: a controller with other files has another HASH, and older caches are deleted.
const FOLDER = '/@page@/', NAME = `theater${FOLDER}`;
const SHELL = [
  'css/tokens.css',
  'css/base.css',
  'css/components.css',
  'css/entrance.css',
  'icon.svg',
  'js/main.js',
  'js/base/dom.js',
  'js/base/api.js',
  'js/base/text.js',
  'js/base/preferences.js',
];

addEventListener('install', (event) =>
  event.waitUntil((async () => {
    const cache = await caches.open(NAME);
    await cache.addAll(['/', ...SHELL.map((name) => FOLDER + name)]);
    await skipWaiting();
  })()));
addEventListener('activate', (event) =>
  event.waitUntil((async () => {
    for (const name of await caches.keys()) if (name !== NAME) await caches.delete(name);
    await clients.claim();
  })()));
addEventListener('fetch', (event) => {
  const { request } = event, { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== location.origin) return;
  if (pathname.startsWith(FOLDER)) event.respondWith(kept(request));
  else if (request.mode === 'navigate') {
    event.respondWith(fetch(request).catch(() => caches.match('/')));
  }
});
async function kept(request) {
  const cache = await caches.open(NAME), known = await cache.match(request.url);
  if (known) return known;
  const answer = await fetch(request);
  if (answer.status === 200) await cache.put(request.url, answer.clone());
  return answer;
}
