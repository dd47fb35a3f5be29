// QR codes from the module rows of the API. Only numbers of it are used: text never becomes markup.
import { h, s } from './dom.js';

const QUIET = 4;
const draw = (side, d, label) =>
  h(
    'div',
    'qr',
    s(
      'svg',
      {
        viewBox: `0 0 ${side} ${side}`,
        role: 'img',
        'aria-label': label,
        'shape-rendering': 'crispEdges',
      },
      s('rect', { width: side, height: side, fill: '#fff' }),
      s('path', { d, fill: '#000' }),
    ),
  );

/** From a picture: its side and its one path. */
export const qrOfPicture = (picture, label) =>
  draw(
    Number(picture.match(/viewBox="0 0 (\d+) /)?.[1]),
    picture.match(/<path d="([Mhvz\d -]+)"/)?.[1] ?? '',
    label,
  );
/** From rows of modules, `1` for a dark one. */
export const qrOfRows = (rows, label) =>
  draw(
    rows.length + 2 * QUIET,
    rows.map((row, y) =>
      [...row.matchAll(/1+/g)].map(({ index, 0: { length } }) =>
        `M${index + QUIET} ${y + QUIET}h${length}v1h-${length}z`
      ).join('')
    ).join(''),
    label,
  );
