// QR codes from the API's answers. Only numbers are taken from them: text never becomes markup.
import { h, s } from './dom.js';

/** The empty modules around a code. */
const MARGIN = 4;

function draw(side, d, label) {
  const props = {
    viewBox: `0 0 ${side} ${side}`,
    role: 'img',
    'aria-label': label,
    'shape-rendering': 'crispEdges',
  };
  const background = s('rect', { width: side, height: side, fill: '#fff' });
  return h('div', 'qr', s('svg', props, background, s('path', { d, fill: '#000' })));
}

/** The code of an SVG text: its side and its one path are read from it. */
export function qrOfPicture(picture, label) {
  const side = Number(picture.match(/viewBox="0 0 (\d+) /)?.[1]);
  const d = picture.match(/<path d="([Mhvz\d -]+)"/)?.[1] ?? '';
  return draw(side, d, label);
}

/** The code of rows of modules, `1` for a dark one. */
export function qrOfRows(rows, label) {
  const darkRuns = (row, y) =>
    [...row.matchAll(/1+/g)].map(({ index, 0: { length } }) =>
      `M${index + MARGIN} ${y + MARGIN}h${length}v1h-${length}z`
    );
  return draw(rows.length + 2 * MARGIN, rows.flatMap(darkRuns).join(''), label);
}
