// Settings of this device: appearance and choices of its users. They stay after a logout.
const NAME = 'theater-look',
  root = document.documentElement,
  reduced = matchMedia('(prefers-reduced-motion: reduce)');
export const preferences = () => JSON.parse(localStorage.getItem(NAME) ?? '{}');
export function savePreferences(change) {
  localStorage.setItem(NAME, JSON.stringify({ ...preferences(), ...change }));
  applyPreferences();
}
/** Nothing moves where this device or its system says so. */
export function applyPreferences() {
  const { theme, still, size } = preferences();
  root.dataset.theme = theme ?? '';
  root.dataset.motion = still || reduced.matches ? 'still' : '';
  root.style.fontSize = size ? `${size}%` : '';
}
reduced.onchange = applyPreferences;
