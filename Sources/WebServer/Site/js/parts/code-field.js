// The field for a code of six digits, and the countdown until the next code.
import { h, s } from '../base/dom.js';
import { t, unit } from '../base/text.js';
import { lockInput } from './return-key.js';

const LENGTH = 6;
/** Room for pasted codes with spaces in them. */
const LONGEST_INPUT = 12;

/** Six boxes, one input: pastes, auto-fills and reads as one field. */
export function codeField({ label = t('code.digits'), ontyped, describedby }) {
  const boxes = Array.from(
    { length: LENGTH },
    (_, index) => h('span', { class: 'digit', 'aria-hidden': 'true', vars: { i: index } }),
  );
  const input = h('input', {
    inputmode: 'numeric',
    autocomplete: 'one-time-code',
    autocapitalize: 'none',
    maxlength: LONGEST_INPUT,
    pattern: '[0-9]*',
    'aria-label': label,
    'aria-describedby': describedby,
  });
  const node = h('div', { class: 'code', data: { state: 'open' } }, boxes, input);
  const paint = () => {
    const text = input.value;
    boxes.forEach((box, index) => {
      box.textContent = text[index] || '';
      box.classList.toggle('filled', index < text.length);
      box.classList.toggle('next', index === text.length);
    });
  };
  input.addEventListener('input', () => {
    const digits = input.value.normalize('NFKC').replace(/\D/g, '').slice(0, LENGTH);
    input.value = digits;
    paint();
    ontyped(digits);
  });
  paint();
  return {
    node,
    input,
    /** @param next `open`, `loading`, `wrong` or `done` */
    state(next) {
      node.dataset.state = next;
      lockInput(input, next === 'loading' || next === 'done');
    },
    set(text) {
      if (input.value === text) return;
      input.value = text;
      paint();
    },
  };
}

/** The countdown until a new code may be requested. */
export function countdownRing() {
  const circle = { cx: 30, cy: 30, r: 26 };
  const drawing = s(
    'svg',
    { viewBox: '0 0 60 60', 'aria-hidden': 'true' },
    s('circle', { class: 'track', ...circle }),
    s('circle', { class: 'left', ...circle, pathLength: 100 }),
  );
  const number = h('span', 'num');
  const node = h('div', { class: 'ring', role: 'timer', 'aria-live': 'off' }, drawing, number);
  return {
    node,
    set(seconds, total) {
      number.textContent = seconds;
      node.style.setProperty('--left', total ? seconds / total : 0);
      node.setAttribute('aria-label', t('code.seconds', { time: unit(seconds, 'second', true) }));
    },
  };
}
