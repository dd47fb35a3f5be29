// Sliders: a value with its words, and the position of what plays.
import { h } from '../base/dom.js';
import { t } from '../base/text.js';
import { clockText, spokenDuration, timeLeft } from '../base/times.js';

/** A moved slider ignores reports for this long: until then they may be older than the move. */
const HELD_MS = 1500;

const rangeInput = (props) => h('input', { class: 'range', type: 'range', ...props });

/** Paints the position of a seek bar, and says it as a time. */
function paintPosition({ input, elapsed, remaining }, duration) {
  const position = Number(input.value);
  input.style.setProperty('--fill', Math.min(1, position / duration));
  elapsed.textContent = clockText(position);
  remaining.textContent = timeLeft(duration - position);
  const spoken = { time: spokenDuration(position), total: spokenDuration(duration) };
  input.setAttribute('aria-valuetext', t('player.at', spoken));
}

/**
 * A seek bar: a native range, "42 min left", spoken as a time.
 * @returns `put(position)`, and `set(position, duration)`, which has no effect on a held bar
 */
export function seekBar({ label = t('player.place'), onseek, compact }) {
  const input = rangeInput({ min: 0, max: 1, step: 1, value: 0, 'aria-label': label });
  const elapsed = h('span', 'num');
  const remaining = h('b', 'num');
  const times = compact ? null : h('div', 'times', elapsed, remaining);
  let duration = 1;
  let isHeld = false;
  let heldUntil = 0;
  const paint = () => paintPosition({ input, elapsed, remaining }, duration);
  const release = () => {
    isHeld = false;
  };
  input.addEventListener('input', () => {
    isHeld = true;
    paint();
  });
  for (const type of ['pointerup', 'pointercancel', 'blur']) input.addEventListener(type, release);
  // Until the player reports the new position, the bar stays where it was put.
  input.addEventListener('change', () => {
    release();
    heldUntil = performance.now() + HELD_MS;
    onseek?.(Number(input.value));
  });
  return {
    node: h('div', 'seek', h('div', 'way', input), times),
    input,
    set(position, nextDuration) {
      if (nextDuration && nextDuration !== duration) {
        duration = nextDuration;
        input.max = Math.round(nextDuration);
      }
      if (isHeld || performance.now() < heldUntil) return;
      const next = String(Math.round(position));
      if (input.value === next && elapsed.textContent) return;
      input.value = next;
      paint();
    },
    put(position) {
      input.value = Math.round(position);
      heldUntil = performance.now() + HELD_MS;
      paint();
    },
  };
}

/**
 * A range with its value in words.
 * @param says returns the words of a value; percent without it
 * @returns `set(value, isRefusal)`, which has no effect soon after a move unless that was refused
 */
export function slider(
  { label, min = 0, max = 100, step = 1, value, says = percent, onchange, name },
) {
  const output = h('output', { 'aria-hidden': 'true' });
  const input = rangeInput({ min, max, step, value, 'aria-label': label, name });
  let heldUntil = 0;
  const paint = () => {
    const words = says(Number(input.value));
    input.style.setProperty('--fill', (input.value - min) / (max - min));
    output.textContent = words;
    input.setAttribute('aria-valuetext', words);
  };
  input.addEventListener('input', () => {
    heldUntil = performance.now() + HELD_MS;
    paint();
    onchange?.(Number(input.value));
  });
  paint();
  const head = h('div', 'head', h('span', { 'aria-hidden': 'true' }, label), output);
  return {
    node: h('div', 'slider', head, input),
    input,
    set(next, isRefusal) {
      const isHeld = !isRefusal && performance.now() <= heldUntil;
      if (isHeld || Number(input.value) === next) return;
      input.value = next;
      paint();
    },
  };
}
const percent = (value) => `${value} %`;
