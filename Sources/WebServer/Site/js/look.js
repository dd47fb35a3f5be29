// Settings of this device: appearance and choices of its users. They stay after a logout.
const NAME = 'theater-look',
  root = document.documentElement,
  reduced = matchMedia('(prefers-reduced-motion: reduce)');
export const look = () => JSON.parse(localStorage.getItem(NAME) ?? '{}');
export function saveLook(change) {
  localStorage.setItem(NAME, JSON.stringify({ ...look(), ...change }));
  applyLook();
}
/** Nothing moves where this device or its system says so. */
export function applyLook() {
  const { theme, still, size } = look();
  root.dataset.theme = theme ?? '';
  root.dataset.motion = still || reduced.matches ? 'still' : '';
  root.style.fontSize = size ? `${size}%` : '';
}
reduced.onchange = applyLook;
