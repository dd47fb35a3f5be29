// The walls, ceiling and floor of the room with what hangs and lies there: the window, the poster,
// the rug. Nothing of it changes with the theater.
import { lerp, s, shape } from '../base/dom.js';
import { cover } from '../parts/cover.js';
import { point, points, setAttributes } from './svg.js';

/** How far the side walls go beyond the far one: they leave the picture at every size of it. */
const BEYOND_PICTURE = 5;
/** How far lines along the floor go on. */
const ALONG_FLOOR = 4;
const FLOORBOARD_WIDTH = 150;
const SKIRTING_HEIGHT = 12;

/** Returns a function that moves a place of the far wall towards the viewer, in perspective. */
const towardsViewer = ({ vanishingPoint: [vanishingX, vanishingY] }) => (x, y, factor) => [
  vanishingX + (x - vanishingX) * factor,
  vanishingY + (y - vanishingY) * factor,
];

export function wallNodes(layout) {
  return [
    ...surfaces(layout),
    ...floorLines(layout),
    ...(layout.hasWindow ? windowNodes(layout) : []),
    ...(layout.poster ? [posterNode(layout.poster)] : []),
    ...rugNodes(layout.rug),
  ];
}

function surfaces(layout) {
  const { left, top, right, bottom } = layout.back;
  const forward = towardsViewer(layout);
  const outer = (x, y) => forward(x, y, BEYOND_PICTURE);
  const farWall = { x: left, y: top, width: right - left, height: bottom - top };
  const sideCornice = (x) =>
    s('polygon', {
      class: 'rm-cornice',
      points: points(outer(x, top), [x, top - 2], [x, top + 7], outer(x, top + 7)),
    });
  const [topLeft, topRight] = [outer(left, top), outer(right, top)];
  const [bottomLeft, bottomRight] = [outer(left, bottom), outer(right, bottom)];
  return [
    s('polygon', {
      class: 'rm-ceiling',
      points: points(topLeft, topRight, [right, top], [left, top]),
    }),
    s('polygon', {
      class: 'rm-side-l',
      points: points(topLeft, [left, top], [left, bottom], bottomLeft),
    }),
    s('polygon', {
      class: 'rm-side-r',
      points: points(topRight, [right, top], [right, bottom], bottomRight),
    }),
    s('rect', { ...farWall, fill: 'url(#rm-back)' }),
    s('rect', { ...farWall, fill: 'url(#rm-slats)' }),
    s('rect', { class: 'rm-cornice', x: left, y: top - 2, width: right - left, height: 9 }),
    sideCornice(left),
    sideCornice(right),
    s('polygon', {
      fill: 'url(#rm-floor)',
      points: points([left, bottom], [right, bottom], bottomRight, bottomLeft),
    }),
  ];
}
/** The wooden slats of the far wall. */
export const slatPattern = ({ back }) =>
  s(
    'pattern',
    { id: 'rm-slats', width: 19, height: 40, patternUnits: 'userSpaceOnUse', x: back.left },
    s('rect', { width: 5, height: 40, class: 'slat-a' }),
    s('rect', { x: 5, width: 1.6, height: 40, class: 'slat-b' }),
  );

/** The joints of the floorboards and the skirtings. */
function floorLines(layout) {
  const { left, right, bottom } = layout.back;
  const forward = towardsViewer(layout);
  const [vanishingX, vanishingY] = layout.vanishingPoint;
  const depth = (bottom - vanishingY) / (layout.height - vanishingY);
  const joints = [];
  // From beyond the left edge of the picture to beyond the right one.
  for (let x = -2400; x < 4000; x += FLOORBOARD_WIDTH) {
    const farX = vanishingX + (x - vanishingX) * depth;
    if (farX <= left || farX >= right) continue;
    joints.push(`M${point([farX, bottom])}L${point(forward(farX, bottom, ALONG_FLOOR))}`);
  }
  const skirting = (x) => {
    const top = bottom - SKIRTING_HEIGHT;
    const near = (y) => forward(x, y, ALONG_FLOOR);
    return s('polygon', {
      class: 'rm-skirting',
      points: points([x, top], [x, bottom], near(bottom), near(top)),
    });
  };
  return [shape('rm-board', joints.join('')), skirting(left), skirting(right)];
}

/** The window in the left wall: the sky of the hour, half behind curtains. */
function windowNodes({ vanishingPoint: [vanishingX, vanishingY], back }) {
  /** The place in the picture of one in the left wall, whose heights are those at the far wall. */
  const at = (x, y) => {
    const nearness = (vanishingX - x) / (vanishingX - back.left);
    return [x, vanishingY + (y - vanishingY) * nearness];
  };
  const pane = (left, right, top, bottom) =>
    points(at(left, top), at(right, top), at(right, bottom), at(left, bottom));
  return [
    s('polygon', { class: 'rm-frame', points: pane(-66, 186, 140, 470) }),
    s('polygon', { fill: 'url(#rm-sky)', points: pane(-54, 176, 150, 460) }),
    s('circle', { class: 'rm-moon', cx: 92, cy: 168, r: 26 }),
    shape('rm-mullion', `M${at(66, 150)}L${at(66, 460)}M${at(-54, 300)}L${at(176, 300)}`),
    ...curtainPaths(at).map(([name, path]) => shape(name, path)),
    shape('rm-rod', `M-300 ${at(-300, 118)[1]}L${at(238, 118)}`),
  ];
}
/** The class and the path of each curtain and of its folds. */
function curtainPaths(at) {
  const right = `M${at(150, 128)}L${at(226, 128)}L${at(226, 560)}L${at(168, 560)}` +
    `Q${at(188, 340)} ${at(150, 128)}Z`;
  const foldsOfRight = `M${at(176, 128)}Q${at(196, 340)} ${at(182, 560)}L${at(192, 560)}` +
    `Q${at(206, 340)} ${at(190, 128)}Z` +
    `M${at(206, 128)}L${at(210, 560)}L${at(217, 560)}L${at(214, 128)}Z`;
  const left = `M-900 -200L${at(-20, 128)}Q${at(-30, 340)} ${at(-60, 560)}L-900 1200Z`;
  const foldOfLeft = `M${at(-40, 128)}Q${at(-62, 340)} ${at(-90, 560)}L${at(-106, 560)}` +
    `Q${at(-80, 340)} ${at(-54, 128)}Z`;
  return [
    ['rm-curtain-a', right],
    ['rm-curtain-b', foldsOfRight],
    ['rm-curtain-a', left],
    ['rm-curtain-b', foldOfLeft],
  ];
}

/** A film poster on the right wall, slanted as the wall is. */
function posterNode({ x, y, width, height }) {
  const border = 9;
  const slant = .22;
  const picture = cover('Paper Moons', { kind: 'poster' });
  setAttributes(picture, { x, y, width, height });
  return s(
    'g',
    { transform: `matrix(1 ${slant} 0 1.08 0 ${-x * slant - 20})` },
    s('rect', {
      x: x - border,
      y: y - border,
      width: width + 2 * border,
      height: height + 2 * border,
      class: 'rm-frame',
    }),
    picture,
  );
}

/** The rug: three borders one in another, and an ornament. */
function rugNodes({ far: [farLeft, farRight, farY], near: [nearLeft, nearRight, nearY] }) {
  /** Its outline, drawn in by a margin that is narrower in the distance. */
  const outline = (margin) =>
    points(
      [farLeft + margin * .55, farY + margin * .35],
      [farRight - margin * .55, farY + margin * .35],
      [nearRight - margin * 1.1, nearY - margin * .6],
      [nearLeft + margin * 1.1, nearY - margin * .6],
    );
  const margins = { 'rug-a': 0, 'rug-b': 26, 'rug-c': 52 };
  const x = (farLeft + farRight) / 2;
  const y = lerp(farY, nearY, .46);
  const diamond = `M${x} ${y - 42}L${x + 120} ${y}L${x} ${y + 48}L${x - 120} ${y}Z`;
  const smallDiamond = 'l22-9 22 9-22 10Z';
  return [
    ...Object.entries(margins).map(([name, margin]) =>
      s('polygon', { class: name, points: outline(margin) })
    ),
    shape('rug-d', `${diamond}M${x - 190} ${y}${smallDiamond}M${x + 146} ${y}${smallDiamond}`),
  ];
}
