// Installs the worker that keeps the shell. Its constant address is the only trusted type that the
// policy allows.
import { language } from './base/text.js';

const ADDRESS = '/service-worker.js';

export async function installWorker() {
  if (!navigator.serviceWorker) return;
  const policy = globalThis.trustedTypes?.createPolicy('worker', {
    createScriptURL: () => ADDRESS,
  });
  try {
    await navigator.serviceWorker.register(policy?.createScriptURL('') ?? ADDRESS);
    await navigator.serviceWorker.ready;
    await keepTexts();
  } catch { /* it is an extra: without a trusted certificate there is none */ }
}
/** Keeps the texts of the page's language, which the worker does not know. */
async function keepTexts() {
  const folder = new URL('../', import.meta.url);
  const cache = await caches.open(`theater${folder.pathname}`);
  await cache.add(new URL(`text/${language}.json`, folder));
}
