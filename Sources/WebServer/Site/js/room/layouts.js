// The three compositions of the room, in units of their drawing. There are three, not one that
// shrinks, so that the devices stay large enough to read and to press.

/**
 * @typedef Layout
 * @property width, height of the drawing
 * @property vanishingPoint [x, y] of the perspective
 * @property back the far wall: left, top, right, and the bottom, where the floor begins
 * @property screen the projection screen: the center and top of its case, the width of its fabric
 * @property hasWindow whether the left wall is seen with its window
 * @property hasStands whether the surround speakers stand on poles; else they hang on the walls
 * @property sideboard its place, the places of its compartments and of its records
 *   as [x, y, width, height]
 * @property parts the place of each part of room.svg as [x, y, scale]
 * @property rug its edges: `far` and `near` as [left, right, y]
 * @property poster the place of the framed poster on the right wall, if there is one
 */
export const LAYOUTS = {
  wide: {
    width: 1600,
    height: 1000,
    vanishingPoint: [800, 392],
    back: { left: 250, top: 92, right: 1350, bottom: 640 },
    screen: { centerX: 800, top: 110, width: 690 },
    hasWindow: true,
    hasStands: true,
    sideboard: {
      x: 340,
      y: 562,
      width: 920,
      height: 172,
      compartments: [
        [352, 576, 282, 68],
        [352, 650, 282, 72],
        [646, 576, 308, 146],
        [966, 576, 282, 146],
      ],
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
    rug: { far: [430, 1170, 752], near: [250, 1350, 960] },
    poster: { x: 1452, y: 150, width: 92, height: 138 },
  },
  tablet: {
    width: 1000,
    height: 1250,
    vanishingPoint: [500, 400],
    back: { left: 112, top: 96, right: 888, bottom: 600 },
    screen: { centerX: 500, top: 150, width: 610 },
    sideboard: {
      x: 126,
      y: 572,
      width: 748,
      height: 262,
      compartments: [
        [138, 586, 396, 142],
        [544, 586, 318, 142],
        [138, 740, 356, 82],
        [504, 740, 358, 82],
      ],
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
    rug: { far: [260, 740, 852], near: [60, 940, 1190] },
  },
  phone: {
    width: 780,
    height: 1320,
    vanishingPoint: [390, 420],
    back: { left: 36, top: 130, right: 744, bottom: 640 },
    screen: { centerX: 390, top: 196, width: 520 },
    sideboard: {
      x: 18,
      y: 606,
      width: 744,
      height: 270,
      compartments: [
        [30, 620, 410, 150],
        [450, 620, 300, 150],
        [30, 782, 356, 84],
        [396, 782, 354, 84],
      ],
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
    rug: { far: [196, 540, 900], near: [90, 690, 1290] },
  },
};

/** The name of the layout that fills most of a surface, in pixels. */
export function bestLayout(width, height) {
  let best;
  let largest = 0;
  for (const [name, layout] of Object.entries(LAYOUTS)) {
    const scale = Math.min(width / layout.width, height / layout.height);
    const filled = scale * Math.sqrt(layout.width * layout.height);
    if (filled > largest) {
      best = name;
      largest = filled;
    }
  }
  return best;
}

/**
 * The part of the drawing that a surface shows: all of it, and more of the walls, floor and ceiling
 * where the surface has another shape. `scale` is in pixels per unit of the drawing.
 */
export function viewOf(layout, surfaceWidth, surfaceHeight) {
  const scale = Math.min(surfaceWidth / layout.width, surfaceHeight / layout.height);
  const width = surfaceWidth / scale;
  const height = surfaceHeight / scale;
  const x = (layout.width - width) / 2;
  // Of what is left over in height, a little more is floor than ceiling.
  const y = height > layout.height ? (layout.height - height) * .55 : 0;
  return { scale, x, y, width, height };
}

/** The place of the picture on the lowered projection screen. */
export function pictureArea({ screen: { centerX, top, width } }) {
  const belowCase = 22;
  return { x: centerX - width / 2, y: top + belowCase, width, height: width * 9 / 16 };
}

/** The height at which the legs of the sideboard meet the floor. */
export const sideboardFoot = ({ sideboard: { y, height } }) => y + height + 20;
