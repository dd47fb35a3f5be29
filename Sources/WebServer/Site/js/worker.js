// Installs the worker that keeps the shell. Its constant address is the only trusted type that the policy allows.
const ADDRESS = '/service-worker.js';

export function installWorker() {
  if (!navigator.serviceWorker) return;
  const policy = globalThis.trustedTypes?.createPolicy('worker', { createScriptURL: () => ADDRESS });
  // It is an extra: without a trusted certificate there is none.
  navigator.serviceWorker.register(policy?.createScriptURL('') ?? ADDRESS).catch(() => {});
}
