// A QR code from the picture of the API, of which only its side and its one path are used: text never becomes markup.
import { h, s } from './dom.js';

export function qr(picture, label) {
  const side = picture.match(/viewBox="0 0 (\d+) /)?.[1] ?? 0, d = picture.match(/<path d="([Mhvz\d -]+)"/)?.[1] ?? '';
  return h('div', { class: 'qr' }, s('svg', { viewBox: `0 0 ${side} ${side}`, role: 'img', 'aria-label': label, 'shape-rendering': 'crispEdges' }, s('rect', { width: side, height: side, fill: '#fff' }), s('path', { d, fill: '#000' })));
}
