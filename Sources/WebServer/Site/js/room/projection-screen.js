// The projection screen: its case below the ceiling, and the fabric that comes down from it.
import { s, shape } from '../base/dom.js';
import { setAttribute } from './svg.js';

/** What of the fabric is seen when the screen is up. */
const LEAST_HEIGHT = 4;

/** The height of the lowered fabric, which goes from 0 (up) to 1 (down). */
export const fabricHeight = (lowered, area) => Math.max(LEAST_HEIGHT, area.height * lowered);

export class ProjectionScreen {
  /** @param area the place of the picture on the lowered screen */
  constructor({ screen: { centerX, top } }, area) {
    const { x, y, width } = area;
    this.area = area;
    this.centerX = centerX;
    /** The bounds of the case as [x, y, width, height]. */
    this.box = [x - 30, top - 8, width + 60, 40];
    const frame = { x: x - 30, width: width + 60 };
    this.back = s('rect', { class: 'mask', x: x - 14, y: y - 6, width: width + 28, height: 10 });
    this.cloth = s('rect', { class: 'fabric', x, y, width, height: 10 });
    this.weight = s('rect', {
      class: 'weight',
      x: x - 16,
      y,
      width: width + 32,
      height: 9,
      rx: 4,
    });
    this.pull = shape('pull', '');
    this.node = s(
      'g',
      'screen',
      s('g', {}, this.back, this.cloth, this.weight),
      s('rect', { class: 'rm-case-b', ...frame, y: top + 12, height: 14, rx: 6 }),
      s('rect', { class: 'rm-case', ...frame, y: top - 6, height: 24, rx: 8 }),
      this.pull,
    );
  }
  /** @param height of the fabric */
  draw(height) {
    const bottom = this.area.y + height;
    setAttribute(this.back, 'height', height + 12);
    setAttribute(this.cloth, 'height', height);
    setAttribute(this.weight, 'y', bottom + 2);
    setAttribute(this.pull, 'd', `M${this.centerX} ${bottom + 10}v16`);
  }
}
