// The six motifs of covers. Each one draws on a canvas what its random numbers choose; `moment`,
// 0 to 1, moves a scene through its film. The order of the random numbers makes the picture: a
// change of it changes every cover.
import { lerp, s } from '../base/dom.js';
import { disc, path, rect } from './cover-canvas.js';

const BLACK_WATER = '#05080d';
const BLACK_WAVE = '#04070b';
const BLACK_HOUSES = '#0a0809';

/** Stars down to a height. `radius` and `opacity` are the least value and what is added to it. */
function stars({ width, colors }, random, { count, bottom, radius, opacity }) {
  return Array.from({ length: count }, () => {
    const x = width * random();
    const y = bottom * random();
    const size = radius[0] + random() * radius[1];
    return disc(x, y, size, colors.pale, { opacity: opacity[0] + random() * opacity[1] });
  });
}

/** Night on water: a disc, its broken reflection, waves, a lit boat. */
function tide(canvas, random, moment) {
  const { width, height, colors } = canvas;
  const { deep, mid, main, hot, pale } = colors;
  const horizon = height * lerp(.5, .6, random());
  const size = canvas.shorter * lerp(.16, .24, random());
  const x = width * lerp(.3, .7, (random() + moment) % 1);
  const y = horizon - size * lerp(.35, 1.5, random());
  const halo = [[0, hot, .55], [.35, hot, .2], [1, hot, 0]];
  return [
    canvas.fill(canvas.linear('sky', [[0, deep], [.55, mid], [1, main]])),
    disc(x, y, size * 2.6, canvas.radial('halo', halo)),
    disc(x, y, size, canvas.linear('disc', [[0, pale], [1, hot]])),
    stars(canvas, random, {
      count: 12,
      bottom: horizon * .75,
      radius: [.5, .7],
      opacity: [.25, .6],
    }),
    rect(
      -5,
      horizon,
      width + 10,
      height,
      canvas.linear('sea', [[0, mid], [.3, deep], [1, BLACK_WATER]]),
    ),
    reflection(canvas, random, { x, horizon, size }),
    boat(canvas, random, moment, horizon),
    canvas.wave(
      { y: height * .86, height: 5, length: width * .42, phase: random() * 10 },
      deep,
      .75,
    ),
    canvas.wave(
      { y: height * .94, height: 6, length: width * .6, phase: random() * 14 },
      BLACK_WAVE,
      .8,
    ),
  ];
}
/** The light of the disc on the water, in bars that become narrower towards the viewer. */
function reflection({ height, colors: { hot, pale } }, random, { x, horizon, size }) {
  const count = 13;
  return Array.from({ length: count }, (_, i) => {
    const near = i / (count - 1);
    const barWidth = size * lerp(1.9, .5, near) * lerp(.55, 1.15, random());
    const y = horizon + 3 + near * near * (height - horizon) * .74 + near * 6;
    const drift = (random() - .5) * size * .5 * (.3 + near);
    const color = i % 4 === 3 ? pale : hot;
    const look = { rx: 3, opacity: lerp(.95, .35, near) };
    return rect(x - barWidth / 2 + drift, y, barWidth, lerp(1.3, 4.2, near), color, look);
  });
}
function boat({ width, shorter, colors: { hot, pale } }, random, moment, horizon) {
  const x = width * lerp(.12, .86, (random() + moment * .6) % 1);
  const windows = [-18, -10, -2, 6, 13];
  return s(
    'g',
    { transform: `translate(${x} ${horizon + 1}) scale(${shorter / 240})` },
    path('M-34 0h68l-9 13h-52z', '#0a0708'),
    path('M-22 0v-10h40v10z', '#171013'),
    path('M-12-10v-9h20v9z', '#0f0a0c'),
    path('M2-19h6v-11h-6z', hot),
    windows.map((left) => rect(left, -7, 4, 3.4, pale, { opacity: .95 })),
  );
}

/** Paper moons on threads. */
function moons(canvas, random, moment) {
  const { width, height, colors, isWide } = canvas;
  const { deep, mid, main } = colors;
  const background = canvas.fill(canvas.linear('bg', [[0, deep], [1, mid]], { x2: .5 }));
  const count = isWide ? 6 : 5;
  const hanging = Array.from({ length: count }, (_, i) => {
    const x = width * ((i + .5) / count + (random() - .5) * .06);
    const radius = canvas.shorter * lerp(.075, .2, random()) * (isWide ? 1.05 : .95);
    const y = height * lerp(.2, .74, (random() + moment * .25) % 1);
    return paperMoon(canvas, i, { x, y, radius, phase: random() });
  });
  return [
    background,
    hanging,
    canvas.wave({ y: height * .88, height: 7, length: width * .7, phase: 6 }, main, .55),
    canvas.wave({ y: height * .94, height: 6, length: width * .9, phase: -8 }, deep, .9),
  ];
}
/** A moon on its thread, with its shadow behind it, its dark side and two craters. */
function paperMoon(canvas, i, { x, y, radius, phase }) {
  const { deep, mid, main, hot, pale } = canvas.colors;
  const thread = { stroke: pale, 'stroke-width': .6, opacity: .55 };
  const darkX = x + radius * lerp(.35, 1.5, phase);
  return [
    path(`M${x} -2V${y - radius}`, 'none', thread),
    disc(x + 2.5, y + 4, radius, '#000', { opacity: .3 }),
    canvas.clipped(
      `m${i}`,
      disc(x, y, radius, '#000'),
      disc(x, y, radius, i % 3 === 1 ? hot : pale),
      disc(darkX, y - radius * .12, radius * 1.04, i % 2 ? main : mid),
      disc(x - radius * .45, y + radius * .35, radius * .12, deep, { opacity: .12 }),
      disc(x - radius * .2, y - radius * .4, radius * .08, deep, { opacity: .12 }),
    ),
  ];
}

/** Hills one behind another, a low sun. */
function hills(canvas, random, moment) {
  const { width, height, colors } = canvas;
  const { deep, mid, main, hot, pale } = colors;
  const x = width * lerp(.25, .75, (random() + moment) % 1);
  const y = height * lerp(.26, .42, random());
  const size = canvas.shorter * lerp(.13, .22, random());
  const background = canvas.fill(canvas.linear('sky', [[0, pale], [.45, hot], [1, main]]));
  const sun = [
    disc(x, y, size * 2.4, canvas.radial('h', [[0, pale, .8], [1, pale, 0]])),
    disc(x, y, size, '#fffaf0', { opacity: .95 }),
  ];
  const tones = [[main, .55], [main, .95], [mid, .85], [mid, 1], [deep, 1]];
  const withTrees = 3;
  const ranges = tones.flatMap(([color, opacity], i) => {
    const top = height * lerp(.48, .88, i / (tones.length - 1));
    const amplitude = height * lerp(.1, .045, i / tones.length);
    const range = path(hillsPath(canvas, random, top, amplitude), color, { opacity });
    return i === withTrees ? [range, ...trees(canvas, random, top)] : range;
  });
  return [background, sun, ranges];
}
function hillsPath({ width, height }, random, top, amplitude) {
  const bottom = height + 5;
  const curves = [];
  let x = -5;
  let y = top;
  while (x < width + 20) {
    const step = width * lerp(.16, .34, random());
    const nextY = top + (random() - .6) * amplitude * 2;
    curves.push(`C${x + step * .4} ${y} ${x + step * .6} ${nextY} ${x + step} ${nextY}`);
    x += step;
    y = nextY;
  }
  return `M-5 ${bottom}V${top}${curves.join('')}V${bottom}Z`;
}
function trees({ width, height, colors }, random, ground) {
  return Array.from({ length: 7 }, () => {
    const x = width * random();
    const tall = height * lerp(.035, .08, random());
    const top = ground + 4 - tall;
    return path(`M${x} ${top}l${tall * .22} ${tall}h-${tall * .44}z`, colors.deep);
  });
}

/** A town at night with lit windows: three rows of houses, the first one far away and dark. */
function city(canvas, random, moment) {
  const { width, height, colors } = canvas;
  const { deep, mid, main, hot, pale } = colors;
  const background = canvas.fill(canvas.linear('sky', [[0, deep], [.7, mid], [1, main]]));
  const moon = disc(
    width * lerp(.2, .8, (random() + moment) % 1),
    height * lerp(.14, .3, random()),
    canvas.shorter * .11,
    canvas.linear('moon', [[0, pale], [1, hot]]),
  );
  const rows = [main, mid, BLACK_HOUSES].map((color, row) => houses(canvas, random, row, color));
  return [background, moon, rows];
}
function houses(canvas, random, row, color) {
  const { width, height, isWide } = canvas;
  const ground = height * lerp(.72, 1.02, row / 2);
  const isFar = row === 0;
  const nodes = [];
  let x = -8;
  while (x < width) {
    const house = {
      x,
      width: width * lerp(.09, .2, random()) * (isWide ? .7 : 1),
      height: height * lerp(.18, .5, random()) * (1 - row * .16),
    };
    house.top = ground - house.height;
    nodes.push(rect(x, house.top, house.width + .5, height, color, { opacity: isFar ? .7 : 1 }));
    if (!isFar) nodes.push(...litWindows(canvas, random, house));
    x += house.width + (isFar ? 0 : 1);
  }
  return nodes;
}
function litWindows({ colors: { hot, pale } }, random, house) {
  const floorHeight = 12;
  const columns = Math.max(2, Math.floor(house.width / 9));
  const floors = Math.floor(house.height / floorHeight) + 3;
  const spacing = house.width / columns;
  const nodes = [];
  for (let column = 0; column < columns; column++) {
    for (let floor = 0; floor < floors; floor++) {
      const isLit = random() > .62;
      if (!isLit) continue;
      const x = house.x + spacing * column + spacing * .28;
      const y = house.top + 7 + floor * floorHeight;
      const color = random() > .3 ? hot : pale;
      nodes.push(rect(x, y, spacing * .44, 6, color, { opacity: lerp(.55, 1, random()) }));
    }
  }
  return nodes;
}

/** Large bodies, thin paths. */
function orbit(canvas, random, moment) {
  const { width, height, colors, shorter } = canvas;
  const { deep, mid, main, hot } = colors;
  const x = width * lerp(.2, .8, random());
  const y = height * lerp(.7, .95, random());
  const size = shorter * lerp(.42, .58, random());
  return [
    canvas.fill(canvas.linear('bg', [[0, deep], [1, mid]])),
    stars(canvas, random, { count: 26, bottom: height, radius: [.4, .8], opacity: [.2, .5] }),
    disc(x, y, size * 1.5, canvas.radial('glow', [[0, hot, .5], [1, hot, 0]])),
    disc(x, y, size, canvas.linear('sun', [[0, hot], [1, main]])),
    Array.from({ length: 4 }, (_, i) => {
      const distance = size * (1.25 + i * .34);
      const angle = (random() + moment * .3) * Math.PI - Math.PI;
      const radius = shorter * lerp(.02, .07, random());
      return planet(canvas, i, { x, y, distance, angle, radius });
    }),
  ];
}
/** A planet on its path around a place, with its night side. */
function planet({ colors: { deep, main, pale } }, i, { x, y, distance, angle, radius }) {
  const planetX = x + Math.cos(angle) * distance;
  const planetY = y + Math.sin(angle) * distance;
  return [
    disc(x, y, distance, 'none', { stroke: pale, 'stroke-width': .7, opacity: .4 }),
    disc(planetX, planetY, radius, i % 2 ? pale : main),
    disc(planetX + radius * .3, planetY + radius * .25, radius * .85, deep, { opacity: .28 }),
  ];
}

/** Grooves of a record, a slice of it in light. */
function grooves(canvas, random) {
  const { width, height, colors } = canvas;
  const { deep, mid, main, hot, pale } = colors;
  const x = width * lerp(.3, .7, random());
  const y = height * lerp(.34, .66, random());
  const size = Math.max(width, height);
  const tones = [deep, mid, deep, main, deep, mid, hot, pale];
  const rings = tones.map((color, i) => {
    const centerX = x + (random() - .5) * 7;
    const centerY = y + (random() - .5) * 7;
    const radius = size * lerp(.74, .09, i / (tones.length - 1));
    return disc(centerX, centerY, radius, color, { opacity: i < 6 ? .9 : 1 });
  });
  const lines = Array.from(
    { length: 9 },
    (_, i) =>
      disc(x, y, size * lerp(.16, .7, i / 9), 'none', {
        stroke: pale,
        'stroke-width': .5,
        opacity: .2,
      }),
  );
  const angle = random() * 6.28;
  const sliceWidth = .34;
  const far = size * 1.1;
  const atRim = (direction) => `${x + Math.cos(direction) * far} ${y + Math.sin(direction) * far}`;
  return [
    canvas.fill(canvas.linear('bg', [[0, hot], [1, main]], { x2: 1 })),
    rings,
    lines,
    path(`M${x} ${y}L${atRim(angle)}L${atRim(angle + sliceWidth)}Z`, pale, { opacity: .2 }),
    disc(x, y, size * .02, deep),
  ];
}

export const MOTIFS = { tide, moons, hills, city, orbit, grooves };
