// The picture on the projection screen, with the beam that makes it and the mark of a pause.
import { s } from '../base/dom.js';
import { cover } from '../parts/cover.js';
import { gradient } from './gradients.js';
import { points, setAttribute, setAttributes } from './svg.js';

/** A picture has faded out by then (`.frame` in room.css). */
const FADED_AFTER_MS = 1700;
/** The light on the screen without a film. */
const PLAIN_LIGHT = {
  ready: { fill: '#dfe9f6', opacity: .8 },
  warming: { fill: '#ffcf9a', opacity: .14 },
};

/** The place of the projector's lens. */
export const lensOf = ({ box: [x, y, width, height] }) => [x + width / 2, y + height * .93];

export class ProjectedPicture {
  /**
   * @param area the place of the picture on the lowered screen
   * @param lens [x, y] of the projector's lens
   */
  constructor(area, lens) {
    const { x, y, width } = area;
    this.area = area;
    this.seen = s('rect', { x, y, width, height: 0 });
    this.picture = s('g', { class: 'picture', 'clip-path': 'url(#pic-clip)' });
    this.pauseMark = pauseMark(area);
    this.beam = beam(area, lens);
    /** For the `defs` of the drawing. */
    this.definitions = [
      s('clipPath', { id: 'pic-clip' }, this.seen),
      beamGradient(area, lens),
    ];
  }
  /** Shows the picture as far as the fabric of the screen reaches. */
  uncover(height) {
    setAttribute(this.seen, 'height', height);
  }
  /** @param look see `appearanceOf`, `projector` */
  drawLight(look) {
    this.beam.setAttribute('opacity', look.beam);
    this.picture.style.opacity = look.picture;
    this.pauseMark.style.opacity = look.pauseMark;
  }
  /**
   * Fades from one picture to another.
   * @param frame see `appearanceOf`, `frame`
   * @param address of the picture of the film, where there is one
   */
  drawFrame(frame, address) {
    for (const old of [...this.picture.children]) {
      old.style.opacity = 0;
      setTimeout(() => old.remove(), FADED_AFTER_MS);
    }
    if (frame.kind === 'none') return;
    const { x, y, width, height } = this.area;
    const place = { x, y, width, height };
    const group = s('g', 'frame', pictureNode(frame, place));
    this.picture.append(group);
    if (!address) return;
    const image = s('image', {
      ...place,
      preserveAspectRatio: 'xMidYMid slice',
      onerror: () => image.remove(),
      href: address,
    });
    group.append(image);
  }
}
function pictureNode({ kind, title, moment }, place) {
  if (kind !== 'film') return s('rect', { ...place, ...PLAIN_LIGHT[kind] });
  const node = cover(title, { kind: 'still', moment });
  setAttributes(node, place);
  return node;
}
function beam({ x, y, width, height }, [lensX, lensY]) {
  const right = x + width;
  const bottom = y + height;
  const fill = 'url(#rm-beam)';
  const whole = points(
    [lensX - 16, lensY],
    [x, y],
    [x, bottom],
    [right, bottom],
    [right, y],
    [lensX + 16, lensY],
  );
  const middle = points(
    [lensX - 9, lensY],
    [x + width * .3, bottom],
    [x + width * .7, bottom],
    [lensX + 9, lensY],
  );
  return s(
    'g',
    { class: 'beam', opacity: 0 },
    s('polygon', { points: whole, fill }),
    s('polygon', { points: middle, fill, opacity: .3 }),
  );
}
const beamGradient = ({ height }, [lensX, lensY]) =>
  gradient(
    'rm-beam',
    { gradientUnits: 'userSpaceOnUse', cx: lensX, cy: lensY, r: height * 1.15 },
    [0, '#ffffffcc'],
    [.18, '#ffffff47'],
    [.55, '#ffffff12'],
    [1, '#ffffff05'],
  );
/** A darkened picture with the two bars of a pause. */
function pauseMark({ x, y, width, height }) {
  const centerX = x + width / 2;
  const bar = (left) =>
    s('rect', {
      x: centerX + left,
      y: y + height / 2 - 40,
      width: 24,
      height: 80,
      rx: 6,
      fill: '#fff',
    });
  return s(
    'g',
    { class: 'pause-mark', opacity: 0 },
    s('rect', { x, y, width, height, fill: '#0a0506', opacity: .5 }),
    bar(-34),
    bar(10),
  );
}
