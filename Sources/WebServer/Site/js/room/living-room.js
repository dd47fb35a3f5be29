// The live drawing of the living room. One object goes in (the value of /api/status), a picture comes out:
//   const room = await createRoom(host, { open(id), card(device) });
//   room.render(status);  room.levels([left, right]);   // levels 0…1, at most 15 a second, may be dropped
// Three compositions, not one that shrinks. Devices are real <button>s over the drawing; the drawing itself is
// hidden from screen readers. Nothing here keeps state of a device: what is not in the object is not drawn.
import {
  $,
  $$,
  announce,
  ariaHidden,
  clamp,
  clockText,
  h,
  isMotionReduced as motionless,
  lerp,
  loadOnce,
  s,
  setText,
  shape,
} from '../base/dom.js';
import { cover, palette } from '../parts/cover.js';
import { icon } from '../base/icons.js';
import { rebuildIfChanged } from '../parts/parts.js';
import { describe, nameOf, value } from '../model/words.js';

const LAYOUTS = {
  wide: {
    W: 1600,
    H: 1000,
    vp: [800, 392],
    back: [250, 92, 1350, 640],
    floorLine: 640,
    screen: { cx: 800, y: 110, w: 690 },
    window: true,
    console: {
      x: 340,
      y: 562,
      w: 920,
      h: 172,
      cells: [[352, 576, 282, 68], [352, 650, 282, 72], [646, 576, 308, 146], [966, 576, 282, 146]],
      records: [974, 584, 266, 46],
    },
    parts: {
      dvd: [354, 580, .96],
      cd: [354, 658, .96],
      amp: [647, 613, .9],
      tuner: [968, 641, .96],
      centre: [685, 518, 1],
      towerL: [226, 446, .92],
      towerR: [1274, 446, .92],
      wallL: [238, 784, 1],
      wallR: [1288, 784, 1],
      projector: [675, -14, 1],
      lamp: [14, 348, 1],
      sconceL: [318, 190, 1],
      sconceR: [1222, 190, 1],
      popper: [1374, 512, .92],
      sofa: [330, 846, .98],
      cat: [1010, 752, .98],
    },
    stands: true,
    rug: [430, 1170, 752, 250, 1350, 960],
    frame: [1452, 150, 92, 138],
  },
  tablet: {
    W: 1000,
    H: 1250,
    vp: [500, 400],
    back: [112, 96, 888, 600],
    floorLine: 600,
    screen: { cx: 500, y: 150, w: 610 },
    console: {
      x: 126,
      y: 572,
      w: 748,
      h: 262,
      cells: [[138, 586, 396, 142], [544, 586, 318, 142], [138, 740, 356, 82], [504, 740, 358, 82]],
      records: [556, 594, 296, 38],
    },
    parts: {
      amp: [144, 592, 1.13],
      tuner: [548, 638, 1.07],
      dvd: [142, 746, 1.2],
      cd: [509, 746, 1.2],
      centre: [385, 526, 1],
      towerL: [8, 506, 1.04],
      towerR: [878, 506, 1.04],
      wallL: [14, 226, .95],
      wallR: [916, 226, .95],
      projector: [365, 6, 1.08],
      lamp: [20, 736, .74],
      sconceL: [124, 250, .9],
      sconceR: [822, 250, .9],
      popper: [752, 838, .88],
      sofa: [44, 1132, .95],
      cat: [640, 1034, 1],
    },
    rug: [260, 740, 852, 60, 940, 1190],
  },
  phone: {
    W: 780,
    H: 1320,
    vp: [390, 420],
    back: [36, 130, 744, 640],
    floorLine: 640,
    screen: { cx: 390, y: 196, w: 520 },
    console: {
      x: 18,
      y: 606,
      w: 744,
      h: 270,
      cells: [[30, 620, 410, 150], [450, 620, 300, 150], [30, 782, 356, 84], [396, 782, 354, 84]],
      records: [460, 628, 280, 44],
    },
    parts: {
      amp: [32, 624, 1.2],
      tuner: [456, 684, 1],
      dvd: [34, 788, 1.2],
      cd: [400, 788, 1.2],
      centre: [280, 564, .96],
      towerL: [14, 318, .86],
      towerR: [672, 318, .86],
      projector: [257, 44, 1.06],
      lamp: [10, 866, .7],
      popper: [534, 900, .92],
      sofa: [20, 1226, .77],
      cat: [318, 1122, 1.04],
    },
    rug: [196, 540, 900, 90, 690, 1290],
  },
};
const DOWN = { x2: 0, y2: 1 }, RIGHT = {}, OUTWARD = { r: .5 }, ACROSS = { x2: 1, y2: 1 };
/**
 * Gradients by id: the attributes of the element, downwards without them, then stops: the offset, the color by day,
 * by night if that is another.
 */
const GRADIENTS = {
  'g-steel': [[0, '#6b6460', '#5a5250'], [.12, '#4d4643', '#413936'], [1, '#332d2b', '#26201f']],
  'g-face': [[0, '#3a3431', '#302927'], [1, '#27211f', '#1b1615']],
  'g-walnut': [[0, '#a76f45', '#8a5635'], [1, '#6f4528', '#54301d']],
  'g-walnut-h': [RIGHT, [0, '#6f4528', '#54301d'], [.16, '#a76f45', '#8a5635'], [
    .84,
    '#a76f45',
    '#8a5635',
  ], [1, '#6f4528', '#54301d']],
  'g-brass': [RIGHT, [0, '#8f6a35'], [.35, '#f3d9a0'], [1, '#6f4f25']],
  'g-knob': [{ cx: .38, cy: .3, r: .85 }, [0, '#9a8f88'], [.55, '#4d4542'], [1, '#1d1817']],
  'g-cone': [OUTWARD, [.3, '#5d5350'], [.34, '#171211'], [.86, '#3b3330'], [1, '#171211']],
  'g-vu': [[0, '#fff0c9'], [.55, '#ffd48a'], [1, '#f19a3c']],
  'g-dial': [[0, '#ffedc4'], [1, '#f6ad55']],
  'g-glow': [OUTWARD, [0, '#ffd9a0f2'], [.35, '#ffb45c73'], [1, '#ff9a3c00']],
  'g-bulb': [OUTWARD, [0, '#fffdf5'], [.4, '#ffe9bd'], [1, '#ffc06a00']],
  'g-shade': [[0, '#efe0c9', '#cdb694'], [1, '#d8c2a2', '#a98d69']],
  'g-shade-lit': [[0, '#ffcb80'], [.5, '#fff0d0'], [1, '#ffc777']],
  'g-down': [[0, '#ffd79a99'], [1, '#ffb65e00']],
  'g-up': [{ x2: 0, y1: 1 }, [0, '#ffd79a9e'], [1, '#ffb65e00']],
  'g-sofa': [[0, '#6b938c', '#4a706c'], [.55, '#4e756f', '#2f4e4c'], [1, '#365853', '#162725']],
  'g-red': [[0, '#d0463a'], [1, '#8f221f']],
  'g-case': [[0, '#fff3d6f2'], [.5, '#ffd890cc'], [1, '#ffb452bf']],
  'g-glass': [ACROSS, [0, '#ffffff57'], [.4, '#ffffff0d'], [1, '#ffffff29']],
  'g-disc': [ACROSS, [0, '#f8dcb0'], [.3, '#b7c9d8'], [.55, '#e8c9d8'], [.8, '#c9d6b4'], [
    1,
    '#f4d7a4',
  ]],
  'g-cove': [[0, '#ffd79abf'], [1, '#ffb65e00']],
  'rm-side-l': [RIGHT, [.5, '#c7a985', '#422d2d'], [1, '#dcc2a4', '#5d4140']],
  'rm-side-r': [RIGHT, [0, '#dcc2a4', '#5d4140'], [.5, '#c7a985', '#422d2d']],
  'rm-back': [[0, '#c99a6b', '#7e5238'], [1, '#a97848', '#573524']],
  'rm-floor': [[0, '#a87747', '#5b3a28'], [.5, '#cfa06e', '#8a5a3c']],
  'rm-sky': [[0, '#bfe0ee', '#131a3a'], [1, '#fff0d2', '#43406e']],
  'rm-warm': [OUTWARD, [0, '#ffcf8cf2'], [.55, '#ff9f4559'], [1, '#ff8a3000']],
  'rm-bounce': [OUTWARD, [0, '#fff'], [.3, '#fff'], [.7, '#fff'], [1, '#fff']],
  'rm-pop': [OUTWARD, [0, '#ffc470bf'], [.5, '#ff9a3c40'], [1, '#ff8a3000']],
  'rm-moonlight': [OUTWARD, [0, '#a9bdf58c'], [.6, '#7f8fd833'], [1, '#6070c000']],
};
/** How opaque the stops of rm-bounce are, whose color is that of the picture. */
const BOUNCE = ['d9', '5c', '1a', '00'];
function gradient(id, ...stops) {
  const attributes = Array.isArray(stops[0]) ? DOWN : stops.shift();
  return s(
    attributes.r ? 'radialGradient' : 'linearGradient',
    { id, ...attributes },
    stops.map(([offset, day, night = day]) => {
      const stop = s('stop', { offset });
      stop.style.stopColor = `light-dark(${day}, ${night})`;
      return stop;
    }),
  );
}
const HIT = {
  amp: ['amp'],
  dvd: ['dvd'],
  cd: ['cd'],
  tuner: ['tuner'],
  projector: ['projector'],
  lights: ['lamp'],
  popper: ['popper'],
};
/** More failed devices than these have one card together. */
const MOST_CARDS = 3;
const SPEAKERS = ['towerL', 'towerR', 'centre', 'wallL', 'wallR'];
const kind = (id) => id.replace(/[LR]$/, '');
/** Sets an attribute only where it is another: each setting is laid out anew. */
const set = (node, name, v) => {
  if (node.getAttribute(name) !== String(v)) node.setAttribute(name, v);
};
const setAll = (node, attributes) => {
  for (const [name, v] of Object.entries(attributes)) set(node, name, v);
};
// XMLHttpRequest hands over a parsed document, which strict CSP with trusted types allows.
const parts = loadOnce(() =>
  new Promise((done, fail) => {
    const unread = () => fail(new Error('room.svg could not be read')),
      request = new XMLHttpRequest();
    request.open('GET', new URL('../../room.svg', import.meta.url));
    request.responseType = 'document';
    request.overrideMimeType('image/svg+xml');
    request.onload = () => request.responseXML ? done(request.responseXML) : unread();
    request.onerror = unread;
    request.send();
  })
);

function fillHeaps(node) {
  for (const heap of $$('[data-k^="heap"]', node)) {
    heap.append(...(heap.dataset.k === 'heap-low' ? corns(32, 34) : corns(52, 66)));
  }
}
/** A heap of popcorn, always the same. */
function corns(count, tall) {
  let seed = 11;
  const r = () => ((seed = (seed * 16807) % 2147483647) / 2147483647);
  const places = Array.from({ length: count }, (_, i) => {
    const y = -tall * (i / count) * lerp(.7, 1, r()), half = 88 * (1 + y / tall * .62);
    return [lerp(-half, half, r()), y - 6, lerp(.8, 1.25, r()), r() * 360];
  });
  return places.sort((a, b) => a[1] - b[1]).map(([x, y, k, a]) =>
    s(
      'g',
      {
        transform: `translate(${x.toFixed(1)} ${y.toFixed(1)}) rotate(${a | 0}) scale(${
          k.toFixed(2)
        })`,
      },
      shape(
        'corn-b',
        'M-7 0a4 4 0 0 1 4-5.5 4.5 4.5 0 0 1 7-.5 4 4 0 0 1 3 5.5 4 4 0 0 1-4 6 4.5 4.5 0 0 1-6 .5 4 4 0 0 1-4-6Z',
      ),
      shape('corn-a', 'M-4-2a3 3 0 0 1 5-2 2.5 2.5 0 0 1 3 3.5 3 3 0 0 1-4 2.5 3 3 0 0 1-4-4Z'),
    )
  );
}
/**
 * @param open called with the id of a pressed device
 * @param card gives the card of a device that failed: `title`, `hint`, and `button`, which may be undefined
 * @param overflow gives the card in the place of more than three
 * @param hits whether devices can be pressed
 */
export async function createRoom(host, { open, card, overflow, hits: wantHits = true } = {}) {
  const art = await parts();
  const surface = h('div', 'room-view'), hits = h('div', 'hits'), cards = h('div', 'hits');
  const air = h('canvas', { 'aria-hidden': 'true' });
  host.replaceChildren(surface);
  let layout,
    svg,
    ref,
    view,
    status,
    now = {},
    raf = 0,
    dust = [],
    corn = [],
    last = 0,
    visible = true,
    drawn = {},
    dimmedAt = -Infinity;

  // -------- build one composition --------
  function build(name) {
    layout = { name, ...LAYOUTS[name] };
    const [bx0, by0, bx1, by1] = layout.back, [vx, vy] = layout.vp;
    const ray = (x, y, t = 5) => [vx + (x - vx) * t, vy + (y - vy) * t];
    const poly = (...points) => points.map((p) => p.map((n) => n.toFixed(1)).join(',')).join(' ');
    const fl = layout.floorLine,
      tl = ray(bx0, by0),
      tr = ray(bx1, by0),
      bl = ray(bx0, fl),
      br = ray(bx1, fl);
    const layer = (cls) => s('g', { class: cls });
    const L = {
      walls: layer('l-walls'),
      body: layer('l-body'),
      light: layer('l-light'),
      lit: layer('l-lit'),
    };
    const defs = s(
      'defs',
      {},
      Object.entries(GRADIENTS).map(([id, parts]) => gradient(id, ...parts)),
      s(
        'pattern',
        { id: 'rm-slats', width: 19, height: 40, patternUnits: 'userSpaceOnUse', x: bx0 },
        s('rect', { width: 5, height: 40, class: 'slat-a' }),
        s('rect', { x: 5, width: 1.6, height: 40, class: 'slat-b' }),
      ),
    );

    // walls, ceiling, floor
    const cove = s('rect', {
      class: 'cove',
      x: bx0,
      y: by0,
      width: bx1 - bx0,
      height: 74,
      fill: 'url(#g-cove)',
    });
    L.walls.append(
      s('polygon', { class: 'rm-ceiling', points: poly(tl, tr, [bx1, by0], [bx0, by0]) }),
      s('polygon', { class: 'rm-side-l', points: poly(tl, [bx0, by0], [bx0, fl], bl) }),
      s('polygon', { class: 'rm-side-r', points: poly(tr, [bx1, by0], [bx1, fl], br) }),
      s('rect', { x: bx0, y: by0, width: bx1 - bx0, height: fl - by0, fill: 'url(#rm-back)' }),
      s('rect', { x: bx0, y: by0, width: bx1 - bx0, height: fl - by0, fill: 'url(#rm-slats)' }),
      s('rect', { class: 'rm-cornice', x: bx0, y: by0 - 2, width: bx1 - bx0, height: 9 }),
      s('polygon', {
        class: 'rm-cornice',
        points: poly(ray(bx0, by0, 5), [bx0, by0 - 2], [bx0, by0 + 7], ray(bx0, by0 + 7, 5)),
      }),
      s('polygon', {
        class: 'rm-cornice',
        points: poly(ray(bx1, by0, 5), [bx1, by0 - 2], [bx1, by0 + 7], ray(bx1, by0 + 7, 5)),
      }),
      s('polygon', { fill: 'url(#rm-floor)', points: poly([bx0, fl], [bx1, fl], br, bl) }),
    );
    const boards = [];
    for (let x = -2400; x < 4000; x += 150) {
      const foot = [vx + (x - vx), layout.H],
        t = (fl - vy) / (layout.H - vy),
        top = [vx + (foot[0] - vx) * t, fl];
      if (top[0] > bx0 && top[0] < bx1) {
        boards.push(
          `M${top.map((n) => n.toFixed(1))}L${ray(top[0], fl, 4).map((n) => n.toFixed(1))}`,
        );
      }
    }
    L.walls.append(
      shape('rm-board', boards.join('')),
      s('polygon', {
        class: 'rm-skirting',
        points: poly([bx0, fl - 12], [bx0, fl], ray(bx0, fl, 4), ray(bx0, fl - 12, 4)),
      }),
      s('polygon', {
        class: 'rm-skirting',
        points: poly([bx1, fl - 12], [bx1, fl], ray(bx1, fl, 4), ray(bx1, fl - 12, 4)),
      }),
    );
    if (layout.window) { // on the left wall: the sky of the hour, half behind curtains
      const at = (x, y) => {
        const t = (vx - x) / (vx - bx0);
        return [x, vy + (y - vy) * t];
      };
      const quad = (x0, x1, y0, y1) => poly(at(x0, y0), at(x1, y0), at(x1, y1), at(x0, y1));
      L.walls.append(
        s('polygon', { class: 'rm-frame', points: quad(-66, 186, 140, 470) }),
        s('polygon', { fill: 'url(#rm-sky)', points: quad(-54, 176, 150, 460) }),
        s('circle', { class: 'rm-moon', cx: 92, cy: 168, r: 26 }),
        shape('rm-mullion', `M${at(66, 150)}L${at(66, 460)}M${at(-54, 300)}L${at(176, 300)}`),
        shape(
          'rm-curtain-a',
          `M${at(150, 128)}L${at(226, 128)}L${at(226, 560)}L${at(168, 560)}Q${at(188, 340)} ${
            at(150, 128)
          }Z`,
        ),
        shape(
          'rm-curtain-b',
          `M${at(176, 128)}Q${at(196, 340)} ${at(182, 560)}L${at(192, 560)}Q${at(206, 340)} ${
            at(190, 128)
          }ZM${at(206, 128)}L${at(210, 560)}L${at(217, 560)}L${at(214, 128)}Z`,
        ),
        shape(
          'rm-curtain-a',
          `M-900 -200L${at(-20, 128)}Q${at(-30, 340)} ${at(-60, 560)}L-900 1200Z`,
        ),
        shape(
          'rm-curtain-b',
          `M${at(-40, 128)}Q${at(-62, 340)} ${at(-90, 560)}L${at(-106, 560)}Q${at(-80, 340)} ${
            at(-54, 128)
          }Z`,
        ),
        shape('rm-rod', `M-300 ${at(-300, 118)[1]}L${at(238, 118)}`),
      );
    }
    if (layout.frame) {
      const [x, y, width, height] = layout.frame,
        picture = cover('Paper Moons', { kind: 'poster' });
      setAll(picture, { x, y, width, height });
      L.walls.append(
        s(
          'g',
          { transform: `matrix(1 .22 0 1.08 0 ${-x * .22 - 20})` },
          s('rect', {
            x: x - 9,
            y: y - 9,
            width: width + 18,
            height: height + 18,
            class: 'rm-frame',
          }),
          picture,
        ),
      );
    }
    const [r0, r1, ry0, r2, r3, ry1] = layout.rug;
    const rug = (m) =>
      poly([r0 + m * .55, ry0 + m * .35], [r1 - m * .55, ry0 + m * .35], [
        r3 - m * 1.1,
        ry1 - m * .6,
      ], [r2 + m * 1.1, ry1 - m * .6]);
    L.walls.append(
      ...['a', 'b', 'c'].map((name, i) =>
        s('polygon', { class: `rug-${name}`, points: rug(i * 26) })
      ),
    );
    const rcx = (r0 + r1) / 2, rcy = lerp(ry0, ry1, .46);
    L.walls.append(
      shape(
        'rug-d',
        `M${rcx} ${rcy - 42}L${rcx + 120} ${rcy}L${rcx} ${rcy + 48}L${rcx - 120} ${rcy}ZM${
          rcx - 190
        } ${rcy}l22-9 22 9-22 10ZM${rcx + 146} ${rcy}l22-9 22 9-22 10Z`,
      ),
    );

    // the screen
    const pw = layout.screen.w,
      ph = pw * 9 / 16,
      px = layout.screen.cx - pw / 2,
      py = layout.screen.y + 22;
    view = { px, py, pw, ph };
    const fabric = s(
      'g',
      {},
      s('rect', { class: 'mask', x: px - 14, y: py - 6, width: pw + 28, height: 10 }),
      s('rect', { class: 'fabric', x: px, y: py, width: pw, height: 10 }),
      s('rect', { class: 'weight', x: px - 16, y: py, width: pw + 32, height: 9, rx: 4 }),
    );
    const pull = shape('pull', '');
    L.body.append(
      s(
        'g',
        'screen',
        fabric,
        s('rect', {
          class: 'rm-case-b',
          x: px - 30,
          y: layout.screen.y + 12,
          width: pw + 60,
          height: 14,
          rx: 6,
        }),
        s('rect', {
          class: 'rm-case',
          x: px - 30,
          y: layout.screen.y - 6,
          width: pw + 60,
          height: 24,
          rx: 8,
        }),
        pull,
      ),
    );

    // the sideboard
    const c = layout.console, shelf = s('g', {});
    shelf.append(
      s('ellipse', {
        class: 'contact',
        cx: c.x + c.w / 2,
        cy: c.y + c.h + 26,
        rx: c.w / 2 + 20,
        ry: 13,
      }),
      ...[.05, .95].map((t) =>
        shape('rm-leg', `M${c.x + c.w * t - 13} ${c.y + c.h}h26l-5 27h-16z`)
      ),
      s('rect', { class: 'rm-shelf', x: c.x, y: c.y, width: c.w, height: c.h, rx: 7 }),
      ...c.cells.map(([x, y, w, hh]) =>
        s('rect', { class: 'rm-shelf-in', x, y, width: w, height: hh, rx: 3 })
      ),
      s('rect', { class: 'rm-shelf-edge', x: c.x + 4, y: c.y + 1.5, width: c.w - 8, height: 2 }),
    );
    const [qx, qy, qw, qh] = c.records,
      inks = ['#a8423a', '#d99a4e', '#3f6a72', '#e9d6b4', '#6d3f63', '#2f4a46', '#c46a45'];
    let x = qx;
    let i = 0;
    while (x < qx + qw - 12) {
      const w = 5 + ((i * 7) % 9), lean = i % 11 === 10;
      shelf.append(
        s('rect', {
          x,
          y: qy + (i * 5) % 7,
          width: w,
          height: qh - (i * 5) % 7,
          rx: 1,
          fill: inks[(i * 3) % 7],
          opacity: .9,
          ...(lean ? { transform: `rotate(9 ${x} ${qy + qh})` } : {}),
        }),
      );
      x += w + 1.5 + (lean ? 8 : 0);
      i++;
      if (i === 17 && qw > 250) x += 46;
    }
    shelf.append(
      s('rect', { x: qx - 6, y: qy + qh, width: qw + 12, height: 5, class: 'rm-shelf' }),
    );
    L.body.append(shelf);

    // the parts
    ref = {};
    const wires = s('g', {}), beamLayer = s('g', {}), pictureLayer = s('g', {});
    L.lit.append(pictureLayer, wires);
    const put = (id) => {
      const at = layout.parts[id];
      if (!at) return;
      const source = art.getElementById('p-' + kind(id)),
        [x, y, k] = at,
        place = { transform: `translate(${x} ${y}) scale(${k})` };
      const body = s('g', place, document.importNode($('.body', source), true)),
        lit = s('g', place, document.importNode($('.lit', source), true));
      if (kind(id) === 'wall' && layout.stands) body.prepend(shape('pole', 'M33 108h8v260h-8z'));
      L.body.append(body);
      L.lit.append(lit);
      const find = (key) => [...$$(`[data-k="${key}"]`, body), ...$$(`[data-k="${key}"]`, lit)];
      ref[id] = {
        body,
        lit,
        find,
        one: (key) => find(key)[0],
        at,
        box: [x, y, source.dataset.w * k, source.dataset.h * k],
      };
    };
    ['sconceL', 'sconceR', 'towerL', 'towerR', 'dvd', 'cd', 'amp', 'tuner', 'centre'].forEach(put);
    L.lit.append(beamLayer);
    ['projector', 'lamp', 'wallL', 'wallR', 'popper'].forEach(put);
    ['sofa', 'cat'].forEach(put);
    fillHeaps(L.body);
    fillHeaps(L.lit);
    ref.screen = { fabric, pull, box: [px - 30, layout.screen.y - 8, pw + 60, 40] };

    // wires: source → amplifier → speakers
    const at = (id, fx, fy) => {
      const [x, y, w, h] = ref[id].box;
      return [x + w * fx, y + h * fy];
    };
    const floorY = c.y + c.h + 20, path = {}, amp = ref.amp.box;
    /** A cable between two places, which hangs down or rises to a height between them. */
    const cable = (a, b, height) => `M${a}C${a[0]} ${height} ${b[0]} ${height} ${b}`;
    for (const id of ['dvd', 'cd', 'tuner']) {
      const [x, y] = ref[id].box, below = y > amp[1] + amp[3], isLeft = x < amp[0];
      if (below) {
        const a = at(id, .25, .08), b = at('amp', id === 'dvd' ? .3 : .9, .97);
        path[id] = cable(a, b, (a[1] + b[1]) / 2);
      } else {
        const a = at(id, isLeft ? .985 : .015, .5),
          b = at('amp', isLeft ? .015 : .985, id === 'dvd' ? .3 : .7);
        path[id] = cable(a, b, Math.max(a[1], b[1]) + 16);
      }
    }
    for (
      const [id, t] of [['towerL', .1], ['towerR', .9], ['wallL', .4], ['wallR', .6], [
        'centre',
        .5,
      ]]
    ) {
      if (!ref[id]) continue;
      const foot = at(id, .5, id.startsWith('wall') && layout.stands ? .03 : .96);
      if (foot[1] > c.y + 14) path[id] = cable(at('amp', t, .97), foot, floorY + 24);
      else {path[id] = `${
          cable(at('amp', t, .05), [foot[0], Math.max(foot[1], c.y - 70)], c.y - 14)
        }V${foot[1]}`;}
    }
    ref.wire = {};
    for (const [id, d] of Object.entries(path)) {
      L.body.append(shape('cable', d));
      wires.append(
        ref.wire[id] = s(
          'g',
          'signal',
          shape('wire-glow', d),
          shape('wire', d),
          shape('wire-flow', d),
        ),
      );
    }

    // light: dark over all, pools cut into it, the screen's own light thrown back into the room
    const dark = s('rect', { class: 'rm-dark' }),
      warm = s('ellipse', {
        class: 'rm-warm',
        cx: layout.W / 2,
        cy: layout.H * .36,
        rx: layout.W * .75,
        ry: layout.H * .7,
        fill: 'url(#rm-warm)',
      });
    const bounce = s(
      'g',
      'rm-bounce',
      s('ellipse', {
        cx: layout.screen.cx,
        cy: py + ph * .6,
        rx: pw * 1.25,
        ry: ph * 1.7,
        fill: 'url(#rm-bounce)',
        class: 'tint',
      }),
      s('ellipse', {
        cx: layout.screen.cx,
        cy: lerp(c.y + c.h, layout.H, .36),
        rx: pw * .8,
        ry: 96,
        fill: 'url(#rm-bounce)',
        class: 'tint floor',
      }),
    );
    const pop = s(
      'g',
      'rm-bounce',
      ref.popper
        ? s('ellipse', {
          cx: ref.popper.box[0] + ref.popper.box[2] / 2,
          cy: ref.popper.box[1] + ref.popper.box[3] * .42,
          rx: 420,
          ry: 380,
          fill: 'url(#rm-pop)',
        })
        : null,
    );
    const sky = s('g', 'rm-sky');
    const pane = layout.window
      ? [[336, 772], [436, 754], [512, 832], [394, 856]]
      : [[lerp(0, layout.W, .3), floorY + 90], [lerp(0, layout.W, .5), floorY + 70], [
        lerp(0, layout.W, .6),
        floorY + 190,
      ], [lerp(0, layout.W, .36), floorY + 224]];
    const mix = (a, b, u) => [lerp(a[0], b[0], u), lerp(a[1], b[1], u)],
      cell = (u0, u1, v0, v1) => {
        const p = (u, v) => mix(mix(pane[0], pane[1], u), mix(pane[3], pane[2], u), v);
        return poly(p(u0, v0), p(u1, v0), p(u1, v1), p(u0, v1));
      };
    sky.append(
      s('ellipse', {
        cx: layout.window ? 120 : 0,
        cy: layout.H * .34,
        rx: layout.W * .62,
        ry: layout.H * .52,
        fill: 'url(#rm-moonlight)',
        class: 'moonlit',
      }),
      ...[[0, .47, 0, .46], [.53, 1, 0, .46], [0, .47, .54, 1], [.53, 1, .54, 1]].map((u) =>
        s('polygon', { class: 'rm-pane', points: cell(...u) })
      ),
    );
    L.light.append(dark, warm, bounce, pop, sky, cove);

    // picture and beam
    const clip = s(
      'clipPath',
      { id: 'pic-clip' },
      s('rect', { x: px, y: py, width: pw, height: 0 }),
    );
    const lens = [
      ref.projector.box[0] + ref.projector.box[2] / 2,
      ref.projector.box[1] + ref.projector.box[3] * .93,
    ];
    defs.append(
      clip,
      gradient(
        'rm-beam',
        { gradientUnits: 'userSpaceOnUse', cx: lens[0], cy: lens[1], r: ph * 1.15 },
        [0, '#ffffffcc'],
        [.18, '#ffffff47'],
        [.55, '#ffffff12'],
        [1, '#ffffff05'],
      ),
    );
    const picture = s('g', { class: 'picture', 'clip-path': 'url(#pic-clip)' });
    pictureLayer.append(picture);
    const beam = s(
      'g',
      { class: 'beam', opacity: 0 },
      s('polygon', {
        points: poly([lens[0] - 16, lens[1]], [px, py], [px, py + ph], [px + pw, py + ph], [
          px + pw,
          py,
        ], [lens[0] + 16, lens[1]]),
        fill: 'url(#rm-beam)',
      }),
      s('polygon', {
        points: poly([lens[0] - 9, lens[1]], [px + pw * .3, py + ph], [px + pw * .7, py + ph], [
          lens[0] + 9,
          lens[1],
        ]),
        fill: 'url(#rm-beam)',
        opacity: .3,
      }),
    );
    beamLayer.append(beam);
    const pauseMark = s(
      'g',
      { class: 'pause-mark', opacity: 0 },
      s('rect', { x: px, y: py, width: pw, height: ph, fill: '#0a0506', opacity: .5 }),
      s('rect', {
        x: layout.screen.cx - 34,
        y: py + ph / 2 - 40,
        width: 24,
        height: 80,
        rx: 6,
        fill: '#fff',
      }),
      s('rect', {
        x: layout.screen.cx + 10,
        y: py + ph / 2 - 40,
        width: 24,
        height: 80,
        rx: 6,
        fill: '#fff',
      }),
    );
    pictureLayer.append(pauseMark);
    Object.assign(ref, {
      sky,
      dark,
      warm,
      bounce,
      pop,
      cove,
      clip: clip.firstChild,
      picture,
      beam,
      lens,
      pauseMark,
    });
    const ill = s('g', {});
    L.lit.append(ill);
    ref.ill = ill;

    svg = s(
      'svg',
      { 'aria-hidden': 'true', class: 'room-svg' },
      defs,
      L.walls,
      L.body,
      L.light,
      L.lit,
    );
    surface.replaceChildren(svg, air, hits, cards);
    drawn = {};
    buildHits();
  }
  // -------- the buttons over the drawing --------
  const buttons = new Map();
  function buildHits() {
    hits.replaceChildren();
    buttons.clear();
    if (!wantHits) return;
    for (const id of ['screen', 'projector', 'lights', 'popper', 'dvd', 'cd', 'amp', 'tuner']) {
      const tag = ariaHidden('span', 'tag', h('b'), h('span'));
      const button = h(
        'button',
        { class: 'hit', data: { device: id }, onclick: () => open?.(id) },
        tag,
      );
      buttons.set(id, { button, name: tag.firstChild, text: tag.lastChild });
      hits.append(button);
    }
  }
  // Measuring the page between changes of it makes it lay out anew: the size is that of the last `fit`.
  let area = [0, 0], placed;
  function place() {
    const [w, hh] = area,
      hasCorn = now.popping || corn.length > 0,
      key = [layout?.name, w, hh, now.lowered, hasCorn].join();
    if (!w || !hh || !layout || placed === key) return;
    placed = key;
    const k = Math.min(w / layout.W, hh / layout.H),
      vw = w / k,
      vh = hh / k,
      x0 = (layout.W - vw) / 2,
      y0 = vh > layout.H ? (layout.H - vh) * .55 : 0;
    set(svg, 'viewBox', `${x0} ${y0} ${vw} ${vh}`);
    view.k = k;
    view.x0 = x0;
    view.y0 = y0;
    // No larger than the view: while its opacity changes it is a layer of its own.
    setAll(ref.dark, { x: x0, y: y0, width: vw, height: vh });
    const ratio = Math.min(2, devicePixelRatio || 1);
    view.ratio = ratio;
    // What floats is drawn where it can be, because each frame composes all of the canvas with the room.
    const [cx, cy, ck] = ref.popper.at,
      ends = [
        [view.px - 12, ref.lens[1]],
        [view.px + view.pw + 12, view.py + view.ph],
        ...(hasCorn ? [[cx + 30 * ck, cy + 74 * ck], [cx + 220 * ck, cy + 224 * ck]] : []),
      ];
    const [[left, right], [top, bottom]] = [0, 1].map((
      i,
    ) => [Math.min(...ends.map((end) => end[i])), Math.max(...ends.map((end) => end[i]))]);
    view.air = [left, top];
    setAll(air, {
      width: Math.ceil((right - left) * k * ratio),
      height: Math.ceil((bottom - top) * k * ratio),
    });
    Object.assign(air.style, {
      left: `${(left - x0) * k}px`,
      top: `${(top - y0) * k}px`,
      width: `${(right - left) * k}px`,
      height: `${(bottom - top) * k}px`,
    });
    const boxes = {
      ...Object.fromEntries(Object.entries(HIT).map(([id, [part]]) => [id, ref[part]?.box])),
      screen: ref.screen.box,
    };
    for (const [id, { button }] of buttons) {
      let [x, y, bw, bh] = boxes[id];
      if (id === 'screen') {
        const p = now.lowered ?? 0;
        bh = Math.max(34, 30 + view.ph * p);
      }
      if (id === 'projector') y = Math.max(y, y0);
      const grow = Math.max(0, 44 - bh * k) / 2;
      button.style.left = (x - x0) * k + 'px';
      button.style.top = (y - y0) * k - grow + 'px';
      button.style.width = bw * k + 'px';
      button.style.height = bh * k + grow * 2 + 'px';
      button.style.setProperty('--across', clamp((x + bw / 2 - x0) / vw, 0, 1));
      button.classList.toggle('below', (y - y0) * k < 90 && id !== 'screen');
      button.classList.toggle('inside', ['screen', 'popper', 'lights'].includes(id));
    }
    placeCards();
  }
  function fit() {
    const w = surface.clientWidth, hh = surface.clientHeight;
    if (!w || !hh) return;
    area = [w, hh];
    const best = Object.entries(LAYOUTS).map((
      [name, l],
    ) => [name, Math.min(w / l.W, hh / l.H) * Math.sqrt(l.W * l.H)]).sort((a, b) =>
      b[1] - a[1]
    )[0][0];
    if (best !== layout?.name) {
      build(best);
      if (status) paint();
    }
    place();
  }

  // -------- one state, one picture --------
  /** Draws a part of the picture when what it shows differs from the last time. */
  const update = (part, shown, draw) => {
    const key = shown.join();
    if (drawn[part] !== key) {
      drawn[part] = key;
      draw();
    }
  };
  const show = (nodes, on) =>
    nodes?.forEach?.((n) => {
      n.style.opacity = on;
    });
  const device = (id) => status.devices.find((d) => d.id === id);
  /** How far a movement is, 0 to 1, as the device expects; half of it where it does not say. */
  const progress = (
    d,
    key,
    moving,
  ) => (d && value(d, key) === moving ? d.progress ?? .5 : undefined);
  function paint() {
    const { theme } = document.documentElement.dataset,
      day = theme ? theme === 'matinee' : matchMedia('(prefers-color-scheme: light)').matches;
    const get = (id, key) => {
      const d = device(id);
      return d && d.availability !== 'unavailable' ? value(d, key) : undefined;
    };
    const bright = (get('lights', 'brightness') ?? 0) / 100,
      lampOn = bright > 0,
      b = Math.pow(bright, .78);
    // screen
    const sc = device('screen'),
      pos = value(sc, 'position'),
      moving = progress(sc, 'position', 'moving'),
      to = sc?.target ?? 'down';
    const lowered = pos === 'down'
      ? 1
      : pos === 'up'
      ? 0
      : pos === 'moving'
      ? (to === 'up' ? 1 - (moving ?? 0) : moving ?? 0)
      : (sc ? sc.attributes?.lowered?.value ?? 50 : 0) / 100;
    now.lowered = lowered;
    const fh = Math.max(4, view.ph * lowered);
    update('screen', [fh], () => {
      const [back, cloth, weight] = ref.screen.fabric.children;
      set(back, 'height', fh + 12);
      set(cloth, 'height', fh);
      set(weight, 'y', view.py + fh + 2);
      set(ref.screen.pull, 'd', `M${layout.screen.cx} ${view.py + fh + 10}v16`);
      set(ref.clip, 'height', fh);
    });
    // projector
    const pr = device('projector'),
      power = get('projector', 'power'),
      warm = progress(pr, 'power', 'warming') ?? progress(pr, 'power', 'cooling');
    // How warm the lamp is, 0 to 1, and how bright.
    const heat = { on: 1, warming: warm ?? 0, cooling: 1 - (warm ?? 0) }[power] ?? 0,
      lamp = heat * ({ warming: .5, cooling: .2 }[power] ?? 1);
    const film = get('dvd', 'playback'),
      showing = power === 'on' && film && ['playing', 'paused'].includes(film.state) &&
        lowered > .2;
    const paused = film?.state === 'paused',
      title = status.titles?.[film?.item] || film?.item || '',
      lum = (showing ? (paused ? .62 : 1) : power === 'on' ? .42 : 0) * Math.round(lowered * 20) /
        20;
    const [, , main, hot, pale] = palette(title || 'x');
    const tint = showing ? hot : '#cfe0f5';
    update('projector', [power, warm, lowered, showing, paused], () => {
      show(ref.projector.find('lens'), lamp);
      show(
        ref.projector.find('vents'),
        ['warming', 'on', 'cooling'].includes(power) ? Math.max(.25, lamp * .8) : 0,
      );
      ref.projector.one('ring').style.strokeDasharray = `${360 * heat} 360`;
      ref.beam.setAttribute(
        'opacity',
        lowered > .15
          ? (showing
            ? (paused ? .38 : .62)
            : power === 'on'
            ? .4
            : power === 'warming'
            ? .16 * heat
            : 0)
          : lamp * .12,
      );
      ref.picture.style.opacity = showing ? 1 : .85;
      ref.pauseMark.style.opacity = showing && paused ? .82 : 0;
    });
    // picture
    const frame = showing
      ? title + Math.floor((film.position ?? 0) / 20)
      : power === 'on' && lowered > .15
      ? 'ready'
      : power === 'warming'
      ? 'warming'
      : '';
    if (ref.frameKey !== frame) {
      ref.frameKey = frame;
      const old = [...ref.picture.children];
      old.forEach((n) => {
        n.style.opacity = 0;
        setTimeout(() => n.remove(), 1700);
      });
      if (frame) {
        const at = { x: view.px, y: view.py, width: view.pw, height: view.ph };
        let node;
        if (showing) {
          node = cover(title, {
            kind: 'still',
            moment: ((film.position ?? 0) / (film.duration || 3600)) % 1,
          });
          setAll(node, at);
        } else {node = s('rect', {
            ...at,
            fill: frame === 'ready' ? '#dfe9f6' : '#ffcf9a',
            opacity: frame === 'ready' ? .8 : .14,
          });}
        const g = s('g', 'frame', node), href = showing && status.picture?.(film.item);
        ref.picture.append(g);
        if (href) {
          const image = s('image', {
            ...at,
            preserveAspectRatio: 'xMidYMid slice',
            onerror: () => image.remove(),
            href,
          });
          g.append(image);
        }
      }
    }
    // the room's light
    const popOn = get('popper', 'power') === 'on',
      ambient = day ? (lum > .3 ? .34 : .55) : .15,
      light = clamp(ambient + (1 - ambient) * b, 0, 1);
    update('light', [day, b, lum, popOn, showing, title], () => {
      // Reports that follow each other closely make a movement of their own; fading each as well would compose the whole room at every frame.
      const time = performance.now();
      surface.classList.toggle('quick', pos === 'moving' || time - dimmedAt < 400);
      dimmedAt = time;
      ref.dark.style.opacity = clamp((1 - light) * (day ? .86 : .97) - lum * .05, 0, 1);
      ref.warm.style.opacity = b * (day ? .1 : .2);
      ref.sky.style.opacity = day ? .5 : clamp(.9 - b * 1.4 - lum * .5 - (popOn ? .2 : 0), 0, 1);
      ref.cove.style.opacity = b * .9;
      $$('#rm-bounce stop', svg).forEach((n, i) => {
        n.style.stopColor = (i < 2 ? mixHex(tint, '#ffffff', .25) : showing ? main : tint) +
          BOUNCE[i];
      });
      for (const [node, isLit] of [[ref.bounce, lum], [ref.pop, popOn]]) {
        node.style.visibility = isLit ? '' : 'hidden';
      }
      ref.bounce.style.opacity = lum * (day ? .34 : .5);
      ref.pop.style.opacity = popOn ? (day ? .25 : .55) * (1 - b * .6) : 0;
      show(ref.cat?.find('night'), lum > .2 || popOn ? (1 - b) * .94 : 0);
      for (const id of ['sofa', 'cat']) {
        const rim = ref[id].one('rim');
        show([rim], Math.max(lum * .85, popOn ? .12 : 0) * (1 - b * .55));
        rim.style.stroke = showing ? mixHex(hot, pale, .4) : '#dfe9f6';
      }
      for (const id of ['lamp', 'sconceL', 'sconceR']) {
        show(ref[id]?.find('on'), lampOn ? clamp(.42 + b * .6, 0, 1) : 0);
        show(ref[id]?.find('rays'), lampOn ? clamp(b * (day ? .7 : .95), .12, 1) : 0);
      }
    });
    // amplifier
    const amp = device('amp'),
      on = get('amp', 'power') === 'on',
      input = get('amp', 'input'),
      mode = get('amp', 'mode'),
      volume = get('amp', 'volume') ?? 0,
      muted = get('amp', 'muted');
    update('amp', [on, input, mode, volume, muted], () => {
      show(ref.amp.find('on'), on ? 1 : 0);
      ref.amp.one('knob').style.transform = `rotate(${-135 + 270 * volume / 100}deg)`;
      ref.amp.one('ring').style.strokeDasharray = `${on && !muted ? 270 * volume / 100 : 0} 360`;
      setText(
        ref.amp.one('text'),
        on
          ? `${
            ({ dvd: 'DVD', cd: 'CD', tuner: 'TUNER' })[input] ||
            String(input || '').toUpperCase().slice(0, 8)
          } ${muted ? 'MUTE' : mode === 'surround' ? 'SURROUND' : 'STEREO'} ${volume}`
          : '',
      );
    });
    // sources
    const playing = {};
    for (const id of ['dvd', 'cd']) {
      const play = get(id, 'playback'), up = get(id, 'power') === 'on';
      playing[id] = up && play?.state === 'playing';
      const open = get(id, 'tray') === 'open',
        shown = !up
          ? ''
          : open
          ? 'OPEN'
          : play && play.state !== 'stopped'
          ? clockText(play.position ?? 0)
          : '--:--';
      update(id, [up, shown, playing[id]], () => {
        show(ref[id].find('on'), up ? 1 : 0);
        setText(ref[id].one('text'), shown);
        ref[id].find('tray').forEach((n) => n.classList.toggle('open', open));
        ref[id].find('disc').forEach((n) => n.classList.toggle('spin', playing[id]));
      });
    }
    const tunerOn = get('tuner', 'power') === 'on',
      band = get('tuner', 'band') ?? 'fm',
      mhz = get('tuner', 'frequency') ?? 88;
    playing.tuner = tunerOn;
    update('tuner', [tunerOn, band, mhz], () => {
      const part = band === 'am' ? (mhz - 520) / 1190 : (mhz - 76) / 32;
      show(ref.tuner.find('on'), tunerOn ? 1 : 0);
      const needle = ref.tuner.one('needle');
      needle.style.transform = `translateX(${(clamp(part, 0, 1) - .5) * 172}px)`;
      ref.tuner.one('knob').style.transform = `rotate(${-130 + 260 * part}deg)`;
      setText(
        ref.tuner.one('text'),
        tunerOn ? `${band.toUpperCase()} ${band === 'am' ? mhz : Number(mhz).toFixed(1)}` : '',
      );
    });
    // signal path
    const source = input,
      flows = on && playing[source] && !muted,
      quiet = on &&
        ((source === 'dvd' && film?.state === 'paused') ||
          (source === 'cd' && get('cd', 'playback')?.state === 'paused'));
    const heard = mode === 'surround' ? SPEAKERS : SPEAKERS.slice(0, 2),
      alive = new Set(flows || quiet ? [source, ...heard] : []);
    now.heard = flows ? heard : [];
    update('path', [...alive, quiet, flows], () => {
      for (const [id, g] of Object.entries(ref.wire)) {
        g.classList.toggle('wire-on', alive.has(id));
        g.classList.toggle('quiet', quiet);
      }
      for (const id of SPEAKERS) {
        const hear = ref[id]?.find('hearing') ?? [];
        show(hear, now.heard.includes(id) ? .75 : quiet && alive.has(id) ? .25 : 0);
      }
      if (!flows) drawLevels([0, 0]);
    });
    // popcorn
    const popping = get('popper', 'popping');
    now.popping = popOn && popping === 'popping';
    const full = popping === 'done'
      ? 1
      : popping === 'popping'
      ? clamp(device('popper').progress ?? .5, 0, 1)
      : 0;
    update('popper', [popOn, popping, full], () => {
      show(ref.popper.find('on'), popOn ? 1 : 0);
      show(ref.popper.find('heap-low'), full > .12 || (!popOn && popping === 'done') ? 1 : 0);
      show(ref.popper.find('heap-high'), full > .66 ? 1 : 0);
    });
    // lights that say "on", "standby", "broken"
    const led = {
      amp: on,
      dvd: get('dvd', 'power') === 'on',
      cd: get('cd', 'power') === 'on',
      tuner: tunerOn,
      projector: power === 'on' || power === 'warming',
      popper: popOn,
    };
    const ill = status.devices.filter(broken);
    update('led', [...Object.values(led), ...ill.map(({ id }) => id)], () => {
      for (const [id, is] of Object.entries(led)) {
        const bad = broken(device(id));
        ref[id].find('led').forEach((n) =>
          n.setAttribute('class', bad ? 'bad' : is ? 'on' : 'standby')
        );
      }
      ref.ill.replaceChildren();
      for (const d of ill) {
        const box = boxOf(d.id);
        if (!box) continue;
        const [x, y, w, hh] = box;
        ref.ill.append(
          ...['ill-fill', 'ill'].map((name) =>
            s('rect', { class: name, x: x - 10, y: y - 8, width: w + 20, height: hh + 16, rx: 16 })
          ),
        );
      }
    });
    if (card) {
      const shown = ill.length > MOST_CARDS
        ? [['', overflow(ill.length)]]
        : ill.map((d) => [d.id, card(d)]);
      rebuildIfChanged(
        cards,
        shown.map(([id, { title, hint, button }]) =>
          [id, title, hint, button?.textContent].join('\t')
        ).join('\n'),
        () => {
          const made = shown.map(([id, { title, hint, button }]) =>
            h(
              'div',
              { class: 'trouble', role: 'group', 'aria-label': title, data: { device: id } },
              icon('warn'),
              h('b', {}, title),
              h('span', {}, hint),
              button,
            )
          );
          if (made.length) {
            announce(made.map((node) => node.getAttribute('aria-label')).join(' '), true);
          }
          placed = undefined;
          return made;
        },
      );
    }
    // words
    for (const [id, { button, name, text }] of buttons) {
      const d = device(id);
      if (!d) {
        button.hidden = true;
        continue;
      }
      const said = describe(d, status.titles);
      setText(name, nameOf(d));
      setText(text, said);
      const label = `${nameOf(d)}: ${said}`;
      set(button, 'aria-label', label);
    }
    place();
    dustField(showing && !paused ? 1 : power === 'on' && lowered > .2 ? .6 : 0);
    loop();
  }
  const broken = (d) => d && (d.availability === 'unavailable' || d.error);
  const boxOf = (id) => (id === 'screen' ? ref.screen.box : ref[HIT[id]?.[0]]?.box);
  /** Puts each card below or above its device, and below the cards that are in its way. */
  function placeCards() {
    const [wide, tall] = area, taken = [];
    for (const node of cards.children) {
      const half = node.offsetWidth / 2,
        height = node.offsetHeight,
        [x, y, w, hh] = boxOf(node.dataset.device) ?? [layout.W / 2, layout.H * .3, 0, 0];
      const left = clamp(
          (x + w / 2 - view.x0) * view.k,
          half + 12,
          Math.max(half + 12, wide - half - 12),
        ),
        under = (y + hh - view.y0) * view.k + 14;
      let top = under + height < tall * .8
        ? under
        : Math.max(0, (y - view.y0) * view.k - height - 14);
      for (const other of taken.sort((a, b) => a.top - b.top)) {
        if (
          Math.abs(other.left - left) < other.half + half && top < other.top + other.height + 8 &&
          top + height + 8 > other.top
        ) top = other.top + other.height + 8;
      }
      taken.push({ left, top, half, height });
      node.style.left = `${left}px`;
      node.style.top = `${top}px`;
    }
  }
  const mixHex = (a, b2, t) =>
    '#' +
    [1, 3, 5].map((i) =>
      Math.round(lerp(parseInt(a.slice(i, i + 2), 16), parseInt(b2.slice(i, i + 2), 16), t))
        .toString(16).padStart(2, '0')
    ).join('');

  function drawLevels([l, r]) {
    if (!ref?.amp) return;
    const swing = (v) => -46 + 88 * clamp(v, 0, 1.05);
    ref.amp.one('vu-l').style.transform = `rotate(${swing(l)}deg)`;
    ref.amp.one('vu-r').style.transform = `rotate(${swing(r)}deg)`;
    for (const id of SPEAKERS) {
      if (!ref[id]) continue;
      const v = now.heard?.includes(id)
        ? (id.endsWith('R') ? r : id === 'centre' ? (l + r) / 2 : l)
        : 0;
      ref[id].find('cone').forEach((n, i) => {
        n.style.transform = `scale(${1 + v * (i ? .1 : .075)})`;
      });
    }
  }

  // -------- what floats in the air: dust in the beam, corn in the case --------
  function dustField(strength) {
    now.dust = strength;
    if (!strength) {
      dust = [];
      return;
    }
    const n = motionless() ? 0 : Math.round(54 * strength);
    while (dust.length < n) {
      dust.push({
        t: Math.random(),
        u: Math.random() * 2 - 1,
        s: .4 + Math.random() * 1.3,
        v: .00002 + Math.random() * .00005,
        p: Math.random() * 6.28,
      });
    }
    dust.length = n;
  }
  function loop() {
    if (!raf && visible && !motionless() && (now.dust || now.popping || corn.length)) {
      raf = requestAnimationFrame(frame);
    }
    if (now.inAir && (motionless() || !(now.dust || now.popping))) {
      now.inAir = false;
      air.getContext('2d').clearRect(0, 0, air.width, air.height);
    }
  }
  function frame(time) {
    const dt = Math.min(60, time - last);
    last = time;
    now.inAir = true;
    const g = air.getContext('2d');
    g.setTransform(1, 0, 0, 1, 0, 0);
    g.clearRect(0, 0, air.width, air.height);
    const k = view.k * view.ratio;
    g.setTransform(k, 0, 0, k, -view.air[0] * k, -view.air[1] * k);
    if (now.dust) {
      const [lx, ly] = ref.lens, bottom = view.py + view.ph * now.lowered;
      for (const d of dust) {
        d.t += d.v * dt;
        d.u += Math.sin(time / 2600 + d.p) * .0006;
        if (d.t > 1) {
          d.t = .04;
          d.u = Math.random() * 2 - 1;
        }
        const y = lerp(ly, bottom, d.t),
          half = lerp(14, view.pw / 2, Math.min(1, d.t * 1.9)),
          x = lx + d.u * half + Math.sin(time / 1900 + d.p) * 8;
        g.globalAlpha = (1 - d.t) * .75 * now.dust * (.55 + .45 * Math.sin(time / 700 + d.p * 3));
        g.fillStyle = '#fff6e4';
        g.beginPath();
        g.arc(x, y, d.s * 1.5, 0, 6.3);
        g.fill();
      }
    }
    const [px, py, pk] = ref.popper.at;
    if (now.popping && corn.length < 26 && Math.random() < .5) {
      corn.push({
        x: 125 + (Math.random() - .5) * 40,
        y: 92,
        vx: (Math.random() - .5) * .24,
        vy: -.1 - Math.random() * .12,
        a: Math.random() * 6,
        s: .75 + Math.random() * .5,
        life: 0,
      });
    }
    if (corn.length) {
      g.save();
      g.translate(px, py);
      g.scale(pk, pk);
      g.beginPath();
      g.rect(30, 74, 190, 150);
      g.clip();
      corn = corn.filter((c) => {
        c.life += dt;
        c.vy += .00072 * dt;
        c.x += c.vx * dt;
        c.y += c.vy * dt;
        c.a += .006 * dt;
        if (c.x < 38 || c.x > 212) {
          c.vx *= -.7;
          c.x = clamp(c.x, 38, 212);
        }
        if (c.y > 196 && c.vy > 0) {
          c.vy *= -.34;
          c.y = 196;
          c.vx *= .6;
        }
        return c.life < 2300;
      });
      for (const c of corn) {
        g.globalAlpha = c.life > 1900 ? (2300 - c.life) / 400 : 1;
        g.save();
        g.translate(c.x, c.y);
        g.rotate(c.a);
        g.scale(c.s, c.s);
        g.fillStyle = '#f3d79b';
        blob(g, 0, 0, 7);
        g.fillStyle = '#fffaf0';
        blob(g, -1, -1.2, 5);
        g.restore();
      }
      g.restore();
    }
    g.globalAlpha = 1;
    raf = 0;
    if (visible && (now.dust || now.popping || corn.length)) {
      raf = setTimeout(() => requestAnimationFrame(frame), 25);
    }
  }
  function blob(g, x, y, r) {
    g.beginPath();
    for (
      const [dx, dy, k] of [[-.5, -.3, .62], [.45, -.4, .6], [.5, .42, .58], [-.42, .46, .6], [
        0,
        0,
        .7,
      ]]
    ) {
      g.moveTo(x + dx * r + k * r, y + dy * r);
      g.arc(x + dx * r, y + dy * r, k * r, 0, 6.3);
    }
    g.fill();
  }

  const size = new ResizeObserver(fit), over = new AbortController();
  size.observe(surface);
  document.addEventListener('visibilitychange', () => {
    visible = !document.hidden;
    if (visible) loop();
  }, { signal: over.signal });
  matchMedia('(prefers-color-scheme: light)').addEventListener('change', () => status && paint(), {
    signal: over.signal,
  });
  fit();
  return {
    node: surface,
    render(next) {
      status = next;
      if (!layout) fit();
      if (layout) paint();
    },
    levels(pair) {
      if (now.heard?.length && !motionless()) drawLevels(pair);
    },
    names(on) {
      surface.classList.toggle('names', on);
    },
    /** Ends everything that goes on by itself. */
    end() {
      over.abort();
      size.disconnect();
      visible = false;
      clearTimeout(raf);
      host.replaceChildren();
    },
  };
}
