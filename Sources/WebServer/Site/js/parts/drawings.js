// The drawings of the registration: a seat with the name, a ticket with the address, a door that
// the rules of the password open. `set` shows in each one what has been typed.
import { s, shape } from '../base/dom.js';

const WIDTH = 420;
const HEIGHT = 330;
/** The longest texts that have room on the name plate and on the ticket. */
const LONGEST_NAME = 13;
const LONGEST_ADDRESS = 22;

const drawing = (...nodes) =>
  s(
    'svg',
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: 'drawing', 'aria-hidden': 'true' },
    ...nodes,
  );
const stop = (offset, color, opacity = 1) =>
  s('stop', { offset, 'stop-color': color, 'stop-opacity': opacity });
const linear = (id, end, ...stops) => s('linearGradient', { id, ...end }, stops);
const radial = (id, ...stops) => s('radialGradient', { id }, stops);
const DOWN = { x2: 0, y2: 1 };
const ACROSS = { x2: 1, y2: 1 };
const row = (count, draw) => Array.from({ length: count }, (_, i) => draw(i));

/** A row of seats in the dark, one of them in the light, with the name on its plate. */
export function seat() {
  const name = s('text', { x: 210, y: 181, class: 'plate-text' }, '');
  const farSeats = [36, 124, 296, 384];
  const node = drawing(
    seatGradients(),
    farSeats.map((x) => chair(x, 84, .5)),
    s('path', { d: 'M188 -10h44l96 312H92z', fill: 'url(#d-cone)', class: 'cone' }),
    s('ellipse', { cx: 210, cy: 300, rx: 178, ry: 26, fill: 'url(#d-pool)' }),
    chair(52, 150, .92),
    chair(368, 150, .92),
    chair(210, 146, 1.12, 'chair lit'),
    s('rect', { x: 142, y: 160, width: 136, height: 32, rx: 7, fill: 'url(#d-brass)' }),
    s('circle', { cx: 151, cy: 176, r: 2.4, class: 'screw' }),
    s('circle', { cx: 269, cy: 176, r: 2.4, class: 'screw' }),
    name,
  );
  return {
    node,
    set(text) {
      const typed = text.trim();
      const isLong = typed.length > LONGEST_NAME;
      name.textContent = isLong ? typed.slice(0, LONGEST_NAME - 1) + '…' : typed;
      node.classList.toggle('filled', typed !== '');
    },
  };
}
const seatGradients = () =>
  s(
    'defs',
    {},
    linear('d-cone', DOWN, stop(0, '#fff1cf', .85), stop(1, '#ffc977', .06)),
    radial('d-pool', stop(0, '#ffd795', .75), stop(1, '#ffb45c', 0)),
    linear('d-brass', ACROSS, stop(0, '#8f6a35'), stop(.4, '#f7e0ab'), stop(1, '#a87d3f')),
  );
const chair = (x, y, scale, name = 'chair') =>
  s(
    'g',
    { transform: `translate(${x} ${y}) scale(${scale})`, class: name },
    shape('wood', 'M-72 150V40c0-16 20-16 20 0v110zM52 150V40c0-16 20-16 20 0v110z'),
    shape('plush', 'M-52 104V8c0-34 24-52 52-52s52 18 52 52v96z'),
    shape('plush-lo', 'M-52 84h104l10 42a8 8 0 0 1-8 10h-108a8 8 0 0 1-8-10z'),
    shape('tuft', 'M-26-24v104M0-32v112M26-24v104'),
    shape('wood', 'M-80 66a8 8 0 0 1 8-8h22v16h-30zM80 66a8 8 0 0 0-8-8H50v16h30z'),
  );

/** A ticket on which the address is printed as it is typed. */
export function ticket() {
  const address = s('text', { x: 66, y: 146, class: 'ticket-text' }, '');
  const glow = radial('d-pool2', stop(0, '#ffd795', .5), stop(1, '#ffb45c', 0));
  const node = drawing(
    s('defs', {}, glow),
    s('ellipse', { cx: 210, cy: 178, rx: 220, ry: 150, fill: 'url(#d-pool2)' }),
    s(
      'g',
      { transform: 'rotate(-7 210 160)', opacity: .55 },
      shape(
        'ticket-b',
        'M46 92a10 10 0 0 1 10-10h310a10 10 0 0 1 10 10v36a22 22 0 0 0 0 44v36a10 10 0 0 1-10 10' +
          'H56a10 10 0 0 1-10-10v-36a22 22 0 0 0 0-44z',
      ),
    ),
    s('g', { transform: 'rotate(4 210 150)' }, ticketFront(), address, barCode()),
  );
  return {
    node,
    set(text) {
      const isLong = text.length > LONGEST_ADDRESS;
      address.textContent = isLong ? '…' + text.slice(1 - LONGEST_ADDRESS) : text;
      node.classList.toggle('filled', text !== '');
    },
  };
}
const ticketFront = () => [
  shape(
    'ticket-a',
    'M36 62a12 12 0 0 1 12-12h324a12 12 0 0 1 12 12v54a24 24 0 0 0 0 48v54a12 12 0 0 1-12 12' +
      'H48a12 12 0 0 1-12-12v-54a24 24 0 0 0 0-48z',
  ),
  shape('ticket-line', 'M58 66h208v148H58z'),
  shape('perf', 'M284 54v172'),
  shape(
    'ticket-ink',
    'm92 78 5.5 12 13 1.5-9.7 9 2.6 13L92 107l-11.4 6.5 2.6-13-9.7-9 13-1.500z',
  ),
  shape('ticket-ink thin', 'M122 88h92M122 101h62M66 166h150M66 182h118M66 198h84'),
];
const BAR_HEIGHTS = [2, 4, 1.5, 3];
const barCode = () =>
  row(17, (i) =>
    s('rect', {
      x: 300,
      y: 76 + i * 8,
      width: 46,
      height: BAR_HEIGHTS[i * 7 % BAR_HEIGHTS.length],
      class: 'ticket-ink',
    }));

/** A stage door with a bulb for each rule; with all of them lit the door opens. */
export function door(rules = 4) {
  const bulbs = row(rules, (i) => bulbOverDoor((i + .5) / rules));
  const node = drawing(
    doorDefinitions(),
    s(
      'g',
      { 'clip-path': 'url(#d-wall)' },
      s('rect', { x: 0, y: 0, width: WIDTH, height: HEIGHT, class: 'mortar' }),
      bricks(),
    ),
    shape('arch', 'M118 300V132a92 82 0 0 1 184 0v168z'),
    s('path', { d: 'M140 300V136a70 62 0 0 1 140 0v164z', fill: 'url(#d-light)' }),
    s('path', { class: 'threshold', d: 'M140 300h140l70 30H70z', fill: 'url(#d-spill)' }),
    doorLeaf(),
    s('rect', { x: 96, y: 296, width: 228, height: 12, rx: 3, class: 'step' }),
    bulbs,
  );
  return {
    node,
    set(kept, total) {
      bulbs.forEach((bulb, i) => bulb.classList.toggle('on', i < kept));
      node.classList.toggle('ajar', kept === total);
    },
  };
}
/** @param share of the arch over the door, from the left */
function bulbOverDoor(share) {
  const angle = Math.PI * (1 - share);
  const center = { cx: 210 + Math.cos(angle) * 104, cy: 132 - Math.sin(angle) * 92 };
  return s(
    'g',
    'marquee-bulb',
    s('circle', { ...center, r: 26, class: 'halo' }),
    s('circle', { ...center, r: 9 }),
  );
}
const bricks = () =>
  row(11, (y) =>
    row(9, (x) =>
      s('rect', {
        x: x * 52 - (y % 2 ? 26 : 0),
        y: y * 28 + 2,
        width: 49,
        height: 25,
        rx: 2,
        class: (x * 7 + y * 3) % 5 ? 'brick' : 'brick b',
      })));
const doorDefinitions = () =>
  s(
    'defs',
    {},
    linear('d-light', {}, stop(0, '#fff3d2'), stop(1, '#ffc46e')),
    radial('d-halo', stop(0, '#ffd795', .9), stop(1, '#ffb45c', 0)),
    linear('d-spill', DOWN, stop(0, '#ffdf9f', .8), stop(1, '#ffb45c', 0)),
    s('clipPath', { id: 'd-wall' }, s('rect', { x: 20, y: 8, width: 380, height: 292, rx: 18 })),
  );
const doorLeaf = () =>
  s(
    'g',
    'leaf',
    shape('leaf-a', 'M140 300V136a70 62 0 0 1 140 0v164z'),
    shape(
      'leaf-b',
      'M156 214h48v72h-48zM216 214h48v72h-48zM156 196v-56a52 46 0 0 1 48-46v102z' +
        'M216 94a52 46 0 0 1 48 46v56h-48z',
    ),
    s('circle', { cx: 262, cy: 206, r: 6, class: 'handle' }),
  );
