// Installs the worker that keeps the shell. Its constant address is the only trusted type that the policy allows.
import { language } from './base/text.js';

const ADDRESS = '/service-worker.js';

export function installWorker() {
  if (!navigator.serviceWorker) return;
  const policy = globalThis.trustedTypes?.createPolicy('worker', {
    createScriptURL: () => ADDRESS,
  });
  // It is an extra: without a trusted certificate there is none.
  navigator.serviceWorker.register(policy?.createScriptURL('') ?? ADDRESS).then(() =>
    navigator.serviceWorker.ready
  ).then(keepTexts).catch(() => {});
}
/** The worker does not know the language of the page. */
async function keepTexts() {
  const folder = new URL('../', import.meta.url),
    cache = await caches.open(`theater${folder.pathname}`);
  await cache.add(new URL(`text/${language}.json`, folder));
}
