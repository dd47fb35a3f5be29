// The drawing of a stage behind the forms of login and registration: curtains, valance, footlights. Each valid field
// lights its share of the footlights; success opens the curtain.
import { $$, ariaHidden, h, s, shape } from '../base/dom.js';
import { mark } from '../base/icons.js';

export function backdrop(host, { bulbs = 9 } = {}) {
  const folds = (name) =>
    Array.from({ length: 7 }, (_, i) => {
      const x = i * 60 - 6;
      return s('path', {
        d: `M${x} -40c15 340 7 640-6 1000h80c4-360-11-660-6-1000Z`,
        fill: `url(#${name}${i % 2})`,
      });
    });
  const grad = (id, ...classes) =>
    s(
      'linearGradient',
      { id },
      classes.map((name, i) => s('stop', { offset: [0, .45, 1][i], class: name })),
    );
  const curtain = (side) =>
    s(
      'svg',
      {
        class: `curtain ${side}`,
        viewBox: '0 0 360 900',
        preserveAspectRatio: 'none',
        'aria-hidden': 'true',
      },
      s('defs', {}, grad(`c${side[0]}0`, 'v3', 'v1', 'v2'), grad(`c${side[0]}1`, 'v2', 'v1', 'v3')),
      folds(`c${side[0]}`),
      shape('hem', 'M0 868h440v10H0z'),
    );
  const scallops = Array.from(
    { length: 24 },
    (_, i) => shape(i % 2 ? 'sc-a' : 'sc-b', `M${i * 60} 0h62v58a31 34 0 0 1-62 0z`),
  );
  const valance = s(
    'svg',
    {
      class: 'valance',
      viewBox: '0 0 1440 110',
      preserveAspectRatio: 'xMidYMin slice',
      'aria-hidden': 'true',
    },
    scallops,
    Array.from({ length: 24 }, (_, i) => shape('fringe', `M${i * 60 + 1} 60a30 33 0 0 0 60 0`)),
    s('rect', { class: 'sc-rail', width: 1440, height: 16 }),
  );
  const lamps = ariaHidden('div', 'footlights', Array.from({ length: bulbs }, () => h('i')));
  const inside = h('div', 'entrance-content');
  host.append(
    ariaHidden('div', 'curtains', h('div', 'spot'), curtain('left'), curtain('right'), valance),
    inside,
    lamps,
  );
  return {
    inside,
    light(share) {
      const n = Math.round(share * bulbs);
      $$('i', lamps).forEach((b, i) =>
        b.classList.toggle('on', Math.abs(i - (bulbs - 1) / 2) < n / 2)
      );
      host.style.setProperty('--lit', share);
    },
    open() {
      host.classList.add('open');
    },
  };
}
export const brand = () => h('p', 'brand', mark(), 'Home Theater');
/** A form for login or registration; submitting it loads no other page. */
export function entranceForm(heading, onsubmit, ...content) {
  return h(
    'form',
    {
      class: 'card entrance-card',
      novalidate: true,
      'aria-labelledby': 'hello',
      onsubmit: (event) => {
        event.preventDefault();
        onsubmit?.();
      },
    },
    brand(),
    h('h1', { class: 'title-2', id: 'hello', tabindex: -1 }, heading),
    content,
  );
}
