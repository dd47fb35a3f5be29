// Caches the shell, so that the page opens while the controller is unreachable, and says so. Files
// below /page/HASH/ never change: a controller with other files has another HASH, and older caches
// are deleted.
const FOLDER = '/@page@/';
const NAME = `theater${FOLDER}`;
const SHELL = [
  'css/tokens.css',
  'css/base.css',
  'css/components.css',
  'css/entrance.css',
  'icon.svg',
  'js/main.js',
  'js/base/dom.js',
  'js/base/messages.js',
  'js/base/api.js',
  'js/base/text.js',
  'js/base/preferences.js',
];

async function install() {
  const cache = await caches.open(NAME);
  await cache.addAll(['/', ...SHELL.map((name) => FOLDER + name)]);
  await skipWaiting();
}
async function activate() {
  for (const name of await caches.keys()) if (name !== NAME) await caches.delete(name);
  await clients.claim();
}
/** Answers from the cache, which then has the file. */
async function cached(request) {
  const cache = await caches.open(NAME);
  const known = await cache.match(request.url);
  if (known) return known;
  const answer = await fetch(request);
  if (answer.status === 200) await cache.put(request.url, answer.clone());
  return answer;
}
/** Answers from the controller; without it, with the shell. */
const fetchOrShell = (request) => fetch(request).catch(() => caches.match('/'));

addEventListener('install', (event) => event.waitUntil(install()));
addEventListener('activate', (event) => event.waitUntil(activate()));
addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== location.origin) return;
  if (pathname.startsWith(FOLDER)) event.respondWith(cached(request));
  else if (request.mode === 'navigate') event.respondWith(fetchOrShell(request));
});
