// The drawing of a stage behind the forms of login and registration: curtains, valance, footlights.
// Each valid field lights its share of the footlights; success opens the curtain.
import { $$, ariaHidden, h, s, shape } from '../base/dom.js';
import { mark } from '../base/form-icons.js';
import { followReturnKey } from './return-key.js';

const FOLDS = 7;
const SCALLOPS = 24;
/** The width of a fold of the curtains and of a scallop of the valance. */
const FOLD_WIDTH = 60;
/** The offsets of the three colors of a fold. */
const FOLD_STOPS = [0, .45, 1];

const row = (count, draw) => Array.from({ length: count }, (_, i) => draw(i));
/** A gradient across a fold; its colors are classes of entrance.css. */
const foldGradient = (id, ...classes) =>
  s(
    'linearGradient',
    { id },
    classes.map((name, i) => s('stop', { offset: FOLD_STOPS[i], class: name })),
  );
/** @param side `left` or `right` */
function curtain(side) {
  const id = `c${side[0]}`;
  const fold = (i) => {
    const left = i * FOLD_WIDTH - 6;
    return s('path', {
      d: `M${left} -40c15 340 7 640-6 1000h80c4-360-11-660-6-1000Z`,
      fill: `url(#${id}${i % 2})`,
    });
  };
  return s(
    'svg',
    {
      class: `curtain ${side}`,
      viewBox: '0 0 360 900',
      preserveAspectRatio: 'none',
      'aria-hidden': 'true',
    },
    s(
      'defs',
      {},
      foldGradient(`${id}0`, 'v3', 'v1', 'v2'),
      foldGradient(`${id}1`, 'v2', 'v1', 'v3'),
    ),
    row(FOLDS, fold),
    shape('hem', 'M0 868h440v10H0z'),
  );
}
function valance() {
  const scallop = (i) =>
    shape(i % 2 ? 'sc-a' : 'sc-b', `M${i * FOLD_WIDTH} 0h62v58a31 34 0 0 1-62 0z`);
  const fringe = (i) => shape('fringe', `M${i * FOLD_WIDTH + 1} 60a30 33 0 0 0 60 0`);
  return s(
    'svg',
    {
      class: 'valance',
      viewBox: '0 0 1440 110',
      preserveAspectRatio: 'xMidYMin slice',
      'aria-hidden': 'true',
    },
    row(SCALLOPS, scallop),
    row(SCALLOPS, fringe),
    s('rect', { class: 'sc-rail', width: 1440, height: 16 }),
  );
}

/**
 * Draws the stage into `host`. Returns the element for the content, `inside`; `light(share)`, which
 * lights a share of the footlights from the middle; and `open()`, which opens the curtain.
 */
export function backdrop(host, { bulbs = 9 } = {}) {
  const footlights = ariaHidden('div', 'footlights', row(bulbs, () => h('i')));
  const inside = h('div', 'entrance-content');
  const curtains = [curtain('left'), curtain('right'), valance()];
  host.append(ariaHidden('div', 'curtains', h('div', 'spot'), curtains), inside, footlights);
  return {
    inside,
    light(share) {
      const lit = Math.round(share * bulbs);
      const middle = (bulbs - 1) / 2;
      $$('i', footlights).forEach((bulb, i) => {
        bulb.classList.toggle('on', Math.abs(i - middle) < lit / 2);
      });
      host.style.setProperty('--lit', share);
    },
    open() {
      host.classList.add('open');
    },
  };
}
/** The logo with the name of the page. */
export const brand = () => h('p', 'brand', mark(), 'Home Theater');
/** A form for login or registration; submitting it loads no other page. */
export function entranceForm(heading, onsubmit, ...content) {
  const submit = (event) => {
    event.preventDefault();
    onsubmit?.();
  };
  const form = h(
    'form',
    {
      class: 'card entrance-card',
      novalidate: true,
      'aria-labelledby': 'hello',
      onsubmit: submit,
    },
    brand(),
    h('h1', { class: 'title-2', id: 'hello', tabindex: -1 }, heading),
    content,
  );
  followReturnKey(form);
  return form;
}
