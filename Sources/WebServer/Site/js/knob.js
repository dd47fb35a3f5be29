// A volume knob that is a native range underneath: arrow keys, screen readers and switches work it; a finger turns it.
import { h, s, clamp } from './dom.js';
export function knob({ label, value = 40, cap, size, onchange }) {
  const input = h('input', { type: 'range', min: 0, max: 100, step: 1, value, 'aria-label': label });
  const dots = Array.from({ length: 31 }, (_, i) => { const a = (-225 + 270 * i / 30) * Math.PI / 180; return s('circle', { cx: 50 + Math.cos(a) * 46, cy: 50 + Math.sin(a) * 46, r: i % 5 ? .9 : 1.5, class: 'knob-dot' }); });
  const number = s('text', { x: 50, y: 54, 'text-anchor': 'middle', class: 'knob-number' }, ''), word = s('text', { x: 50, y: 64, 'text-anchor': 'middle', class: 'knob-word' }, label);
  const knurl = Array.from({ length: 60 }, (_, i) => s('path', { d: 'M50 13.500v3', transform: `rotate(${i * 6} 50 50)`, class: 'knurl' }));
  const svg = s('svg', { viewBox: '0 0 100 100', 'aria-hidden': 'true' }, s('defs', {}, s('radialGradient', { id: 'kn', cx: .36, cy: .26, r: .95 }, s('stop', { offset: 0, class: 'kn-1' }), s('stop', { offset: .6, class: 'kn-2' }), s('stop', { offset: 1, class: 'kn-3' }))), dots, s('circle', { cx: 50, cy: 52, r: 38, class: 'knob-shadow' }), s('circle', { cx: 50, cy: 50, r: 37.500, fill: 'url(#kn)' }), s('g', { class: 'turn' }, knurl, s('path', { d: 'M50 16v9', class: 'knob-mark' })), s('circle', { cx: 50, cy: 50, r: 27, class: 'knob-face' }), number, word);
  const node = h('div', { class: 'knob' }, svg, input);
  const paint = () => { const v = Number(input.value); node.style.setProperty('--at', v / 100); number.textContent = v; input.setAttribute('aria-valuetext', `${v} %`); dots.forEach((d, i) => d.setAttribute('class', i / 30 * 100 <= v && v ? 'knob-dot on' : cap && i / 30 * 100 > cap ? 'knob-dot cap' : 'knob-dot')); };
  let heldUntil = 0; const hold = () => { heldUntil = performance.now() + 1500; };
  input.addEventListener('input', () => { hold(); paint(); onchange?.(Number(input.value)); });
  let from; // turning by drag: up and right is louder; a tap does nothing, so that nobody is startled
  node.addEventListener('pointerdown', (e) => { e.preventDefault(); input.focus({ focusVisible: false }); from = [e.clientX, e.clientY, Number(input.value)]; node.setPointerCapture(e.pointerId); });
  node.addEventListener('pointermove', (e) => { if (!from) return; input.value = clamp(Math.round(from[2] + ((e.clientX - from[0]) - (e.clientY - from[1])) * .35), 0, cap ?? 100); hold(); paint(); onchange?.(Number(input.value)); });
  for (const type of ['pointerup', 'pointercancel']) node.addEventListener(type, () => { from = null; });
  node.addEventListener('wheel', (e) => { if (document.activeElement !== input) return; e.preventDefault(); input.value = clamp(Number(input.value) - Math.sign(e.deltaY) * 2, 0, cap ?? 100); hold(); paint(); onchange?.(Number(input.value)); }, { passive: false });
  paint(); return { node, input, set(v) { if (!from && performance.now() > heldUntil && Number(input.value) !== v) { input.value = v; paint(); } } };
}
