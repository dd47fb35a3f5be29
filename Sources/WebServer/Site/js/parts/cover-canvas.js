// What the scenes of covers are drawn with: shapes and gradients in the palette of a title.
import { s, uid } from '../base/dom.js';

export const rect = (x, y, width, height, fill, more) =>
  s('rect', { x, y, width, height, fill, ...more });
export const disc = (cx, cy, r, fill, more) => s('circle', { cx, cy, r, fill, ...more });
export const path = (d, fill, more) => s('path', { d, fill, ...more });

const DOWN = { x1: 0, y1: 0, x2: 0, y2: 1 };

export class CoverCanvas {
  /** For ids that are unique in the page. */
  #id = uid('c');
  #definitions = s('defs');

  /** @param colors see `palette` in cover.js */
  constructor(width, height, [deep, mid, main, hot, pale]) {
    this.width = width;
    this.height = height;
    this.shorter = Math.min(width, height);
    this.isWide = width > height;
    this.colors = { deep, mid, main, hot, pale };
  }
  /**
   * The paint of a gradient, downwards unless `box` says otherwise.
   * @param stops each one as [offset, color, opacity]
   */
  linear(name, stops, box) {
    return this.#gradient('linearGradient', name, stops, { ...DOWN, ...box });
  }
  /** The paint of a gradient from the middle outwards. */
  radial(name, stops) {
    return this.#gradient('radialGradient', name, stops);
  }
  #gradient(tag, name, stops, box) {
    const id = `${this.#id}-${name}`;
    const nodes = stops.map(([offset, color, opacity = 1]) =>
      s('stop', { offset, 'stop-color': color, 'stop-opacity': opacity })
    );
    this.#definitions.append(s(tag, { id, ...box }, nodes));
    return `url(#${id})`;
  }
  /** Returns the nodes as they are seen within a shape. */
  clipped(name, clip, ...nodes) {
    const id = `${this.#id}-${name}`;
    this.#definitions.append(s('clipPath', { id }, clip));
    return s('g', { 'clip-path': `url(#${id})` }, nodes);
  }
  /** A surface of one color or gradient. */
  fill(paint) {
    return rect(0, 0, this.width, this.height, paint);
  }
  /** A hilly or watery surface that reaches to the lower edge. */
  wave({ y, height, length, phase }, fill, opacity) {
    const bottom = this.height + 5;
    const half = length / 2;
    const parts = [`M-10 ${bottom}L-10 ${y}`];
    let direction = -1;
    for (let x = -10; x < this.width + length; x += half) {
      parts.push(`Q${x + length / 4 + phase} ${y + direction * height} ${x + half} ${y}`);
      direction = -direction;
    }
    parts.push(`L${this.width + length} ${bottom}Z`);
    return path(parts.join(''), fill, { opacity });
  }
  /** The finished cover, with a sheen over the nodes. */
  toSVG(nodes) {
    const { width, height } = this;
    const sheen = [[0, '#fff', .1], [.45, '#fff', 0], [1, '#000', .3]];
    const paint = this.linear('sheen', sheen, { x1: .1, y1: 0, x2: .7, y2: 1 });
    return s(
      'svg',
      {
        viewBox: `0 0 ${width} ${height}`,
        preserveAspectRatio: 'xMidYMid slice',
        'aria-hidden': 'true',
      },
      this.#definitions,
      nodes,
      this.fill(paint),
    );
  }
}
