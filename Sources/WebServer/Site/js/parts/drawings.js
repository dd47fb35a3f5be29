// A drawing for each step of registering. Each one shows what has been typed, or how far the rules are kept.
import { s, shape } from '../base/dom.js';
const svg = (...c) =>
  s('svg', { viewBox: '0 0 420 330', class: 'drawing', 'aria-hidden': 'true' }, ...c);
const stop = (o, c, a = 1) => s('stop', { offset: o, 'stop-color': c, 'stop-opacity': a });

// 1 Your seat: a row in the dark, one seat in the light, your name on its plate.
export function seat() {
  const chair = (x, y, k, lit) =>
    s(
      'g',
      { transform: `translate(${x} ${y}) scale(${k})`, class: lit ? 'chair lit' : 'chair' },
      shape('wood', 'M-72 150V40c0-16 20-16 20 0v110zM52 150V40c0-16 20-16 20 0v110z'),
      shape('plush', 'M-52 104V8c0-34 24-52 52-52s52 18 52 52v96z'),
      shape('plush-lo', 'M-52 84h104l10 42a8 8 0 0 1-8 10h-108a8 8 0 0 1-8-10z'),
      shape('tuft', 'M-26-24v104M0-32v112M26-24v104'),
      shape('wood', 'M-80 66a8 8 0 0 1 8-8h22v16h-30zM80 66a8 8 0 0 0-8-8H50v16h30z'),
    );
  const name = s('text', { x: 210, y: 181, class: 'plate-text' }, '');
  const node = svg(
    s(
      'defs',
      {},
      s(
        'linearGradient',
        { id: 'd-cone', x2: 0, y2: 1 },
        stop(0, '#fff1cf', .85),
        stop(1, '#ffc977', .06),
      ),
      s('radialGradient', { id: 'd-pool' }, stop(0, '#ffd795', .75), stop(1, '#ffb45c', 0)),
      s(
        'linearGradient',
        { id: 'd-brass', x2: 1, y2: 1 },
        stop(0, '#8f6a35'),
        stop(.4, '#f7e0ab'),
        stop(1, '#a87d3f'),
      ),
    ),
    [36, 124, 296, 384].map((x) => chair(x, 84, .5)),
    s('path', { d: 'M188 -10h44l96 312H92z', fill: 'url(#d-cone)', class: 'cone' }),
    s('ellipse', { cx: 210, cy: 300, rx: 178, ry: 26, fill: 'url(#d-pool)' }),
    chair(52, 150, .92),
    chair(368, 150, .92),
    chair(210, 146, 1.12, true),
    s('rect', { x: 142, y: 160, width: 136, height: 32, rx: 7, fill: 'url(#d-brass)' }),
    s('circle', { cx: 151, cy: 176, r: 2.4, class: 'screw' }),
    s('circle', { cx: 269, cy: 176, r: 2.4, class: 'screw' }),
    name,
  );
  return {
    node,
    set(text) {
      const t = text.trim();
      name.textContent = t.length > 13 ? t.slice(0, 12) + '…' : t;
      node.classList.toggle('filled', !!t);
    },
  };
}
// 2 Your ticket: the address is printed as you type.
export function ticket() {
  const words = s('text', { x: 66, y: 146, class: 'ticket-text' }, '');
  const bars = Array.from(
    { length: 17 },
    (_, i) =>
      s('rect', {
        x: 300,
        y: 76 + i * 8,
        width: 46,
        height: [2, 4, 1.5, 3][i * 7 % 4],
        class: 'ticket-ink',
      }),
  );
  const node = svg(
    s(
      'defs',
      {},
      s('radialGradient', { id: 'd-pool2' }, stop(0, '#ffd795', .5), stop(1, '#ffb45c', 0)),
    ),
    s('ellipse', { cx: 210, cy: 178, rx: 220, ry: 150, fill: 'url(#d-pool2)' }),
    s(
      'g',
      { transform: 'rotate(-7 210 160)', opacity: .55 },
      shape(
        'ticket-b',
        'M46 92a10 10 0 0 1 10-10h310a10 10 0 0 1 10 10v36a22 22 0 0 0 0 44v36a10 10 0 0 1-10 10H56a10 10 0 0 1-10-10v-36a22 22 0 0 0 0-44z',
      ),
    ),
    s(
      'g',
      { transform: 'rotate(4 210 150)' },
      shape(
        'ticket-a',
        'M36 62a12 12 0 0 1 12-12h324a12 12 0 0 1 12 12v54a24 24 0 0 0 0 48v54a12 12 0 0 1-12 12H48a12 12 0 0 1-12-12v-54a24 24 0 0 0 0-48z',
      ),
      shape('ticket-line', 'M58 66h208v148H58z'),
      shape('perf', 'M284 54v172'),
      shape(
        'ticket-ink',
        'm92 78 5.5 12 13 1.5-9.7 9 2.6 13L92 107l-11.4 6.5 2.6-13-9.7-9 13-1.500z',
      ),
      shape('ticket-ink thin', 'M122 88h92M122 101h62M66 166h150M66 182h118M66 198h84'),
      words,
      bars,
    ),
  );
  return {
    node,
    set(text) {
      words.textContent = text.length > 22 ? '…' + text.slice(-21) : text;
      node.classList.toggle('filled', !!text);
    },
  };
}
// 3 The stage door: a bulb for each rule; with all of them lit the door opens.
export function door(rules = 4) {
  const bulbs = Array.from({ length: rules }, (_, i) => {
    const a = Math.PI * (1 - (i + .5) / rules),
      x = 210 + Math.cos(a) * 104,
      y = 132 - Math.sin(a) * 92;
    return s(
      'g',
      'marquee-bulb',
      s('circle', { cx: x, cy: y, r: 26, class: 'halo' }),
      s('circle', { cx: x, cy: y, r: 9 }),
    );
  });
  const bricks = [];
  for (let y = 0; y < 11; y++) {
    for (let x = 0; x < 9; x++) {
      bricks.push(
        s('rect', {
          x: x * 52 - (y % 2 ? 26 : 0),
          y: y * 28 + 2,
          width: 49,
          height: 25,
          rx: 2,
          class: (x * 7 + y * 3) % 5 ? 'brick' : 'brick b',
        }),
      );
    }
  }
  const node = svg(
    s(
      'defs',
      {},
      s('linearGradient', { id: 'd-light' }, stop(0, '#fff3d2'), stop(1, '#ffc46e')),
      s('radialGradient', { id: 'd-halo' }, stop(0, '#ffd795', .9), stop(1, '#ffb45c', 0)),
      s(
        'linearGradient',
        { id: 'd-spill', x2: 0, y2: 1 },
        stop(0, '#ffdf9f', .8),
        stop(1, '#ffb45c', 0),
      ),
      s('clipPath', { id: 'd-wall' }, s('rect', { x: 20, y: 8, width: 380, height: 292, rx: 18 })),
    ),
    s(
      'g',
      { 'clip-path': 'url(#d-wall)' },
      s('rect', { x: 0, y: 0, width: 420, height: 330, class: 'mortar' }),
      bricks,
    ),
    shape('arch', 'M118 300V132a92 82 0 0 1 184 0v168z'),
    s('path', { d: 'M140 300V136a70 62 0 0 1 140 0v164z', fill: 'url(#d-light)' }),
    s('path', { class: 'threshold', d: 'M140 300h140l70 30H70z', fill: 'url(#d-spill)' }),
    s(
      'g',
      'leaf',
      shape('leaf-a', 'M140 300V136a70 62 0 0 1 140 0v164z'),
      shape(
        'leaf-b',
        'M156 214h48v72h-48zM216 214h48v72h-48zM156 196v-56a52 46 0 0 1 48-46v102zM216 94a52 46 0 0 1 48 46v56h-48z',
      ),
      s('circle', { cx: 262, cy: 206, r: 6, class: 'handle' }),
    ),
    s('rect', { x: 96, y: 296, width: 228, height: 12, rx: 3, class: 'step' }),
    bulbs,
  );
  return {
    node,
    set(kept, total) {
      bulbs.forEach((b, i) => b.classList.toggle('on', i < kept));
      node.classList.toggle('ajar', kept === total);
    },
  };
}
