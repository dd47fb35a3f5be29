// The sideboard with its compartments and records. The devices in it are parts of their own.
import { s, shape } from '../base/dom.js';

const RECORD_COLORS = [
  '#a8423a',
  '#d99a4e',
  '#3f6a72',
  '#e9d6b4',
  '#6d3f63',
  '#2f4a46',
  '#c46a45',
];
/** In a long row a gap is left after one of the records, as if somebody had taken some out. */
const LONG_ROW = 250;
const GAP = 46;
const GAP_AFTER = 16;

export function sideboardNode({ x, y, width, height, compartments, records }) {
  const bottom = y + height;
  const leg = (share) => shape('rm-leg', `M${x + width * share - 13} ${bottom}h26l-5 27h-16z`);
  return s(
    'g',
    {},
    s('ellipse', {
      class: 'contact',
      cx: x + width / 2,
      cy: bottom + 26,
      rx: width / 2 + 20,
      ry: 13,
    }),
    leg(.05),
    leg(.95),
    s('rect', { class: 'rm-shelf', x, y, width, height, rx: 7 }),
    compartments.map(([left, top, wide, high]) =>
      s('rect', { class: 'rm-shelf-in', x: left, y: top, width: wide, height: high, rx: 3 })
    ),
    s('rect', { class: 'rm-shelf-edge', x: x + 4, y: y + 1.5, width: width - 8, height: 2 }),
    recordNodes(records),
  );
}
/** A row of records of several thicknesses and heights, some of them leaning, on a board. */
function recordNodes([left, top, width, height]) {
  const bottom = top + height;
  const nodes = [];
  let x = left;
  for (let i = 0; x < left + width - 12; i++) {
    const thickness = 5 + ((i * 7) % 9);
    const isLeaning = i % 11 === 10;
    const missing = (i * 5) % 7;
    nodes.push(s('rect', {
      x,
      y: top + missing,
      width: thickness,
      height: height - missing,
      rx: 1,
      fill: RECORD_COLORS[(i * 3) % RECORD_COLORS.length],
      opacity: .9,
      ...(isLeaning ? { transform: `rotate(9 ${x} ${bottom})` } : {}),
    }));
    x += thickness + 1.5 + (isLeaning ? 8 : 0);
    if (i === GAP_AFTER && width > LONG_ROW) x += GAP;
  }
  const board = { x: left - 6, y: bottom, width: width + 12, height: 5 };
  return [...nodes, s('rect', { ...board, class: 'rm-shelf' })];
}
