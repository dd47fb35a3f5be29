// Settings of this device: appearance and choices of its users. They stay after a logout.
const NAME = 'theater-look';
const root = document.documentElement;
const systemReducesMotion = matchMedia('(prefers-reduced-motion: reduce)');

export const preferences = () => JSON.parse(localStorage.getItem(NAME) ?? '{}');

export function savePreferences(change) {
  localStorage.setItem(NAME, JSON.stringify({ ...preferences(), ...change }));
  applyPreferences();
}

/** Applies the appearance. Nothing moves where this device or its system says so. */
export function applyPreferences() {
  const { theme, still, size } = preferences();
  root.dataset.theme = theme ?? '';
  root.dataset.motion = still || systemReducesMotion.matches ? 'still' : '';
  root.style.fontSize = size ? `${size}%` : '';
}
systemReducesMotion.onchange = applyPreferences;
