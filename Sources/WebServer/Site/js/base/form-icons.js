// The mark of the page and the icons of forms. The entrance needs no others; icons.js has those.
import { s } from './dom.js';

const LINES = {
  eye: 'M2.8 12S6 6 12 6s9.2 6 9.2 6-3.2 6-9.2 6-9.2-6-9.2-6Z' +
    'M12 14.8a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6Z',
  eyeOff: 'M9.7 6.4A9 9 0 0 1 12 6c6 0 9.2 6 9.2 6a15 15 0 0 1-2.6 3.3' +
    'M6.3 8A14.8 14.8 0 0 0 2.8 12S6 18 12 18a9 9 0 0 0 3.9-.9M4 4l16 16',
  warn: 'M12 4.5 21 19.5H3ZM12 10v4.2M12 16.9h.01',
  arrowBack: 'M19 12H5.5M11 6l-6 6 6 6',
};
const THICK = {
  check: 'M5 12.5l4.5 4.5L19 7.5',
};
const THIN_STROKE = 1.75;
const THICK_STROKE = 2.4;
const ROUND = { 'stroke-linecap': 'round', 'stroke-linejoin': 'round' };
const strokes = (d, width) =>
  s('path', { d, fill: 'none', stroke: 'currentColor', 'stroke-width': width, ...ROUND });
export const thinStrokes = (d) => strokes(d, THIN_STROKE);
export const thickStrokes = (d) => strokes(d, THICK_STROKE);

/** The drawing of the page's name: a screen with its light. */
export const mark = () =>
  s(
    'svg',
    { viewBox: '0 0 40 40', 'aria-hidden': 'true' },
    thickStrokes('M6 10h28v15H6zM20 4v6'),
    s('path', { d: 'M8 25 2 36h36l-6-11', fill: 'currentColor', opacity: .28 }),
  );
/** An icon with a drawing of 24 × 24. */
export const iconOf = (drawing, props) =>
  s('svg', { viewBox: '0 0 24 24', 'aria-hidden': 'true', ...props }, drawing);
export const isFormIcon = (name) => name in LINES || name in THICK;
/** The icon of a form by its name, in the color of the text around it. */
export const formIcon = (name, props) =>
  iconOf(name in THICK ? thickStrokes(THICK[name]) : thinStrokes(LINES[name]), props);
