// A cover for anything without one. The same title always gives the same picture, in every place and size.
// title → hash → palette + composition. Six compositions, fourteen palettes, no raster, no text, no request.
// Some words of a title, in three languages, choose the composition: moons for "moon".
import { lerp, s, uid } from '../base/dom.js';

const PALETTES = [ // deep, mid, main, hot, pale
  ['#0d1a2c', '#1d3b58', '#437392', '#f2a65a', '#f7e6ca'],
  ['#1f0c14', '#4c1525', '#932d37', '#ec7a3f', '#f9dcb4'],
  ['#0e1f19', '#224538', '#51805f', '#e8b955', '#f5edd3'],
  ['#191027', '#3b2454', '#7f4d88', '#f38f8c', '#fce3d3'],
  ['#13172d', '#35365f', '#8d5c87', '#f6a76f', '#fde9c9'],
  ['#23110b', '#5e2b1b', '#ad522e', '#f3bb54', '#f9edd7'],
  ['#0d1d26', '#1e4655', '#6097a5', '#ecd9a2', '#fbf7e8'],
  ['#15151d', '#2d2f41', '#5d637e', '#e8614d', '#f3ece1'],
  ['#1a190e', '#45421f', '#8f8336', '#ecc85d', '#faf3d7'],
  ['#290e1a', '#6d1f3f', '#c44d66', '#f8b892', '#feeee2'],
  ['#06201e', '#0e4844', '#2f8a7e', '#f5cc6c', '#f7f3e0'],
  ['#1e130f', '#4c2e22', '#905d3e', '#de9f5f', '#f6e5cd'],
  ['#101827', '#273a6b', '#5f78b8', '#ffc27a', '#fdf0dc'],
  ['#1c0f1e', '#54204d', '#a03c6f', '#ff9a6b', '#ffe6cf'],
];
const HINTS = [
  [/moon|місяц|лун/i, 'moons'],
  [/ferry|sea|harbour|harbor|tide|river|ship|island|мор[еяі]|порт|річк|рек[аи]|остр/i, 'tide'],
  [/city|street|town|house|місто|город|вулиц|улиц|дім|дом/i, 'city'],
  [/hill|mountain|valley|field|winter|snow|гор|пол|зим/i, 'hills'],
  [/star|comet|orbit|planet|signal|зір|звезд/i, 'orbit'],
];
const SCENES = ['tide', 'moons', 'hills', 'city', 'orbit'];
const FAMILIES = {
  poster: SCENES,
  still: SCENES, // a film has one motif, upright or wide
  square: ['grooves', 'orbit', 'hills', 'grooves', 'moons'],
};
const SIZE = { poster: [200, 300], square: [240, 240], still: [320, 180] };

export function hash(text) {
  let n = 2166136261;
  for (const c of text.normalize('NFKC').toLowerCase()) {
    n = Math.imul(n ^ c.codePointAt(0), 16777619);
  }
  n ^= n >>> 15;
  n = Math.imul(n, 2246822507);
  n ^= n >>> 13;
  return n >>> 0;
}
function random(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
export const palette = (title) => PALETTES[hash('palette ' + title) % PALETTES.length];

/** An <svg> for a title. kind: poster | square | still; moment 0…1 moves a still through its film. */
export function cover(title, { kind = 'poster', moment = 0 } = {}) {
  const [W, H] = SIZE[kind];
  const seed = hash(title), r = random(seed);
  const [deep, mid, main, hot, pale] = palette(title);
  const hint = HINTS.find(([words]) => words.test(title));
  const list = FAMILIES[kind];
  let family = list[seed % list.length];
  if (hint && (kind !== 'square' || list.includes(hint[1]))) family = hint[1];
  const id = uid('c'), defs = s('defs');
  const gradient = (name, stops, box = {}, type = 'linearGradient') => {
    defs.append(
      s(
        type,
        {
          id: `${id}-${name}`,
          ...(type === 'linearGradient' ? { x1: 0, y1: 0, x2: 0, y2: 1 } : {}),
          ...box,
        },
        stops.map(([at, color, opacity]) =>
          s('stop', { offset: at, 'stop-color': color, 'stop-opacity': opacity ?? 1 })
        ),
      ),
    );
    return `url(#${id}-${name})`;
  };
  const rect = (x, y, w, h, fill, more) => s('rect', { x, y, width: w, height: h, fill, ...more });
  const disc = (cx, cy, rad, fill, more) => s('circle', { cx, cy, r: rad, fill, ...more });
  const path = (d, fill, more) => s('path', { d, fill, ...more });
  const scenes = {
    // Night on water: a disc, its broken reflection, waves, perhaps a lit boat.
    tide() {
      const horizon = H * lerp(.5, .6, r()), size = Math.min(W, H) * lerp(.16, .24, r());
      const x = W * lerp(.3, .7, (r() + moment) % 1), y = horizon - size * lerp(.35, 1.5, r());
      const out = [
        rect(0, 0, W, H, gradient('sky', [[0, deep], [.55, mid], [1, main]])),
        disc(
          x,
          y,
          size * 2.6,
          gradient('halo', [[0, hot, .55], [.35, hot, .2], [1, hot, 0]], {}, 'radialGradient'),
        ),
        disc(x, y, size, gradient('disc', [[0, pale], [1, hot]])),
      ];
      for (let i = 0; i < 12; i++) {
        out.push(
          disc(W * r(), horizon * .75 * r(), .5 + r() * .7, pale, { opacity: .25 + r() * .6 }),
        );
      }
      out.push(
        rect(-5, horizon, W + 10, H, gradient('sea', [[0, mid], [.3, deep], [1, '#05080d']])),
      );
      const bars = 13;
      for (let i = 0; i < bars; i++) {
        const t = i / (bars - 1),
          width = size * lerp(1.9, .5, t) * lerp(.55, 1.15, r()),
          by = horizon + 3 + t * t * (H - horizon) * .74 + t * 6;
        out.push(
          rect(
            x - width / 2 + (r() - .5) * size * .5 * (.3 + t),
            by,
            width,
            lerp(1.3, 4.2, t),
            i % 4 === 3 ? pale : hot,
            { rx: 3, opacity: lerp(.95, .35, t) },
          ),
        );
      }
      const bx = W * lerp(.12, .86, (r() + moment * .6) % 1),
        by = horizon + 1,
        k = Math.min(W, H) / 240;
      out.push(
        s(
          'g',
          { transform: `translate(${bx} ${by}) scale(${k})` },
          path('M-34 0h68l-9 13h-52z', '#0a0708'),
          path('M-22 0v-10h40v10z', '#171013'),
          path('M-12-10v-9h20v9z', '#0f0a0c'),
          path('M2-19h6v-11h-6z', hot),
          [-18, -10, -2, 6, 13].map((wx) => rect(wx, -7, 4, 3.4, pale, { opacity: .95 })),
        ),
      );
      out.push(
        path(wave(W, H * .86, 5, W * .42, r() * 10, H), deep, { opacity: .75 }),
        path(wave(W, H * .94, 6, W * .6, r() * 14, H), '#04070b', { opacity: .8 }),
      );
      return out;
    },
    // Paper moons on threads.
    moons() {
      const out = [rect(0, 0, W, H, gradient('bg', [[0, deep], [1, mid]], { x2: .5 }))];
      const n = W > H ? 6 : 5;
      for (let i = 0; i < n; i++) {
        const x = W * ((i + .5) / n + (r() - .5) * .06),
          rad = Math.min(W, H) * lerp(.075, .2, r()) * (W > H ? 1.05 : .95),
          y = H * lerp(.2, .74, (r() + moment * .25) % 1);
        const phase = r(), clip = `${id}-m${i}`;
        defs.append(s('clipPath', { id: clip }, disc(x, y, rad, '#000')));
        out.push(
          path(`M${x} -2V${y - rad}`, 'none', { stroke: pale, 'stroke-width': .6, opacity: .55 }),
          disc(x + 2.5, y + 4, rad, '#000', { opacity: .3 }),
          s(
            'g',
            { 'clip-path': `url(#${clip})` },
            disc(x, y, rad, i % 3 === 1 ? hot : pale),
            disc(x + rad * lerp(.35, 1.5, phase), y - rad * .12, rad * 1.04, i % 2 ? main : mid),
            disc(x - rad * .45, y + rad * .35, rad * .12, deep, { opacity: .12 }),
            disc(x - rad * .2, y - rad * .4, rad * .08, deep, { opacity: .12 }),
          ),
        );
      }
      out.push(
        path(wave(W, H * .88, 7, W * .7, 6, H), main, { opacity: .55 }),
        path(wave(W, H * .94, 6, W * .9, -8, H), deep, { opacity: .9 }),
      );
      return out;
    },
    // Hills one behind another, a low sun.
    hills() {
      const sx = W * lerp(.25, .75, (r() + moment) % 1),
        sy = H * lerp(.26, .42, r()),
        size = Math.min(W, H) * lerp(.13, .22, r());
      const out = [
        rect(0, 0, W, H, gradient('sky', [[0, pale], [.45, hot], [1, main]])),
        disc(
          sx,
          sy,
          size * 2.4,
          gradient('h', [[0, pale, .8], [1, pale, 0]], {}, 'radialGradient'),
        ),
        disc(sx, sy, size, '#fffaf0', { opacity: .95 }),
      ];
      const layers = 5, tones = [[main, .55], [main, .95], [mid, .85], [mid, 1], [deep, 1]];
      for (let i = 0; i < layers; i++) {
        const y = H * lerp(.48, .88, i / (layers - 1)), amp = H * lerp(.1, .045, i / layers);
        let d = `M-5 ${H + 5}V${y}`;
        let x = -5, py = y;
        while (x < W + 20) {
          const step = W * lerp(.16, .34, r()), ny = y + (r() - .6) * amp * 2;
          d += `C${x + step * .4} ${py} ${x + step * .6} ${ny} ${x + step} ${ny}`;
          x += step;
          py = ny;
        }
        out.push(path(d + `V${H + 5}Z`, tones[i][0], { opacity: tones[i][1] }));
        if (i === 3) {
          for (let k = 0; k < 7; k++) {
            const tx = W * r(), th = H * lerp(.035, .08, r());
            out.push(path(`M${tx} ${y + 4 - th}l${th * .22} ${th}h-${th * .44}z`, deep));
          }
        }
      }
      return out;
    },
    // A town at night with lit windows.
    city() {
      const out = [
        rect(0, 0, W, H, gradient('sky', [[0, deep], [.7, mid], [1, main]])),
        disc(
          W * lerp(.2, .8, (r() + moment) % 1),
          H * lerp(.14, .3, r()),
          Math.min(W, H) * .11,
          gradient('moon', [[0, pale], [1, hot]]),
        ),
      ];
      for (let row = 0; row < 3; row++) {
        let x = -8;
        const ground = H * lerp(.72, 1.02, row / 2), tone = [main, mid, '#0a0809'][row];
        while (x < W) {
          const w = W * lerp(.09, .2, r()) * (W > H ? .7 : 1),
            hh = H * lerp(.18, .5, r()) * (1 - row * .16),
            top = ground - hh;
          out.push(rect(x, top, w + .5, H, tone, { opacity: row ? 1 : .7 }));
          if (row) {
            const c = Math.max(2, Math.floor(w / 9)), g = w / c;
            for (let i = 0; i < c; i++) {
              for (let j = 0; j < Math.floor(hh / 12) + 3; j++) {
                if (r() > .62) {
                  out.push(
                    rect(x + g * i + g * .28, top + 7 + j * 12, g * .44, 6, r() > .3 ? hot : pale, {
                      opacity: lerp(.55, 1, r()),
                    }),
                  );
                }
              }
            }
          }
          x += w + (row ? 1 : 0);
        }
      }
      return out;
    },
    // Large bodies, thin paths.
    orbit() {
      const m = Math.min(W, H),
        cx = W * lerp(.2, .8, r()),
        cy = H * lerp(.7, .95, r()),
        big = m * lerp(.42, .58, r());
      const out = [rect(0, 0, W, H, gradient('bg', [[0, deep], [1, mid]]))];
      for (let i = 0; i < 26; i++) {
        out.push(disc(W * r(), H * r(), .4 + r() * .8, pale, { opacity: .2 + r() * .5 }));
      }
      out.push(
        disc(
          cx,
          cy,
          big * 1.5,
          gradient('glow', [[0, hot, .5], [1, hot, 0]], {}, 'radialGradient'),
        ),
        disc(cx, cy, big, gradient('sun', [[0, hot], [1, main]])),
      );
      for (let i = 0; i < 4; i++) {
        const rad = big * (1.25 + i * .34),
          a = (r() + moment * .3) * Math.PI - Math.PI,
          pr = m * lerp(.02, .07, r());
        out.push(disc(cx, cy, rad, 'none', { stroke: pale, 'stroke-width': .7, opacity: .4 }));
        const px = cx + Math.cos(a) * rad, py = cy + Math.sin(a) * rad;
        out.push(
          disc(px, py, pr, i % 2 ? pale : main),
          disc(px + pr * .3, py + pr * .25, pr * .85, deep, { opacity: .28 }),
        );
      }
      return out;
    },
    // Grooves of a record, a slice of it in light.
    grooves() {
      const cx = W * lerp(.3, .7, r()),
        cy = H * lerp(.34, .66, r()),
        out = [rect(0, 0, W, H, gradient('bg', [[0, hot], [1, main]], { x2: 1 }))],
        n = 8,
        m = Math.max(W, H);
      for (let i = 0; i < n; i++) {
        const rad = m * lerp(.74, .09, i / (n - 1)),
          tone = [deep, mid, deep, main, deep, mid, hot, pale][i];
        out.push(
          disc(cx + (r() - .5) * 7, cy + (r() - .5) * 7, rad, tone, { opacity: i < 6 ? .9 : 1 }),
        );
      }
      for (let i = 0; i < 9; i++) {
        out.push(
          disc(cx, cy, m * lerp(.16, .7, i / 9), 'none', {
            stroke: pale,
            'stroke-width': .5,
            opacity: .2,
          }),
        );
      }
      const a = r() * 6.28, w = .34, far = m * 1.1;
      out.push(
        path(
          `M${cx} ${cy}L${cx + Math.cos(a) * far} ${cy + Math.sin(a) * far}L${
            cx + Math.cos(a + w) * far
          } ${cy + Math.sin(a + w) * far}Z`,
          pale,
          { opacity: .2 },
        ),
        disc(cx, cy, m * .02, deep),
      );
      return out;
    },
  };
  const art = scenes[family]();
  const sheen = gradient('sheen', [[0, '#fff', .1], [.45, '#fff', 0], [1, '#000', .3]], {
    x1: .1,
    y1: 0,
    x2: .7,
    y2: 1,
  });
  return s(
    'svg',
    { viewBox: `0 0 ${W} ${H}`, preserveAspectRatio: 'xMidYMid slice', 'aria-hidden': 'true' },
    defs,
    art,
    rect(0, 0, W, H, sheen),
  );
}

const wave = (W, y, amp, length, phase, H) => {
  let d = `M-10 ${H + 5}L-10 ${y}`;
  for (let x = -10; x < W + length; x += length / 2) {
    const up = Math.round((x + 10) / (length / 2)) % 2 ? 1 : -1;
    d += `Q${x + length / 4 + phase} ${y + up * amp} ${x + length / 2} ${y}`;
  }
  return d + `L${W + length} ${H + 5}Z`;
};
