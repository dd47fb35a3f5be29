// The drawings of the four activities: a beam, a record, a dial, a bucket of popcorn.
import { s } from '../base/dom.js';

const row = (count, draw) => Array.from({ length: count }, (_, i) => draw(i));
const circle = (cx, cy, r, fill, more) => s('circle', { cx, cy, r, fill, ...more });
const line = (d, stroke, width, more) =>
  s('path', { d, fill: 'none', stroke, 'stroke-width': width, 'stroke-linecap': 'round', ...more });
const shade = (id, ...stops) =>
  s(
    'linearGradient',
    { id },
    stops.map(([offset, color, opacity]) =>
      s('stop', { offset, 'stop-color': color, 'stop-opacity': opacity })
    ),
  );
const TILE_INK = '#5a2e0e';

/** A projector with its beam, and dust in it. */
const film = () => [
  shade('t-beam', [0, '#ffcf8c', .08], [1, '#fff4d8', .85]),
  s('path', { d: 'M268 66 34 20v150l234-74z', fill: 'url(#t-beam)' }),
  circle(272, 81, 44, '#ffe2ae', { opacity: .25 }),
  s('path', { d: 'M262 58h52a10 10 0 0 1 10 10v26a10 10 0 0 1-10 10h-52z', fill: '#2a1a18' }),
  circle(266, 81, 17, '#fff3d2', { stroke: '#4a302a', 'stroke-width': 6 }),
  row(9, (i) => {
    const y = 76 + i * 37 % 50 - 12;
    return circle(52 + i * 21, y, 1 + i % 3 * .7, '#fff', { opacity: .75 });
  }),
];
/** A record that plays. */
const music = () => [
  circle(196, 88, 118, '#100b0a'),
  row(6, (i) => circle(196, 88, 52 + i * 11, 'none', { stroke: '#fff', opacity: .12 })),
  s('path', {
    d: 'M196 88 118-10a118 118 0 0 1 56-32zM196 88l84 92a118 118 0 0 1-54 26z',
    fill: '#fff',
    opacity: .16,
  }),
  circle(196, 88, 38, '#f0a848'),
  line('M172 78h48M178 98h36', '#7a3b16', 3),
  circle(196, 88, 5, '#1a0f0b'),
  line('M302 8 286 96l-34 26', '#e9d3b0', 6),
  circle(303, 10, 13, '#c7a777'),
];
/** The dial of a tuner with its needle. */
const radio = () => {
  const ticks = row(27, (i) => `M${48 + i * 12} 86v${i % 5 ? -12 : -24}`);
  const digits = row(14, (i) => `M${54 + i * 24} 102v10`);
  return [
    s('rect', { x: 34, y: 40, width: 330, height: 92, rx: 12, fill: '#ffdda0' }),
    line(`M40 86h320${ticks.join('')}`, TILE_INK, 2),
    line(digits.join(''), TILE_INK, 2, { opacity: .6 }),
    line('M188 38v96', '#cc2f20', 5),
  ];
};
/** A striped bucket below a heap of popcorn. */
const popcorn = () => [
  row(40, (i) => {
    const x = 92 + i * 61 % 156;
    const y = 104 - i * 29 % 58 * (1 - Math.abs(x - 170) / 140);
    return [circle(x, y, 10, '#f2cf88'), circle(x + 3, y - 4, 6 + i % 3, '#fffaf0')];
  }),
  s('path', { d: 'M84 100h172l-22 140H106z', fill: '#f9e9d0' }),
  s('path', {
    d: 'M84 100h28l10 140h-16zM141 100h28v140h-22zM198 100h29l-14 140h-15z',
    fill: '#c43c31',
  }),
];

const DRAWINGS = { film, music, radio, popcorn };
/** The drawing of an activity: film, music, radio or popcorn. */
export const drawTile = (name) =>
  s('svg', { viewBox: '0 0 320 220', preserveAspectRatio: 'xMidYMid slice' }, DRAWINGS[name]());
