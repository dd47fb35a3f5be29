// The icons of the page, of one family: 24 × 24, round strokes, solid shapes only for transport.
import { s } from './dom.js';

const LINES = {
  home: 'M4 11.2 12 4.5l8 6.7M6 10v9h4v-5h4v5h4v-9',
  room: 'M4 5h16v9H4zM8 18h8M12 14v4M2.5 20.5h19',
  film: 'M4 5.5h16v13H4zM8 5.5v13M16 5.5v13M4 9.8h4M4 14.2h4M16 9.8h4M16 14.2h4',
  music: 'M9 18V6l10-2v12M9 18a2.6 2.2 0 1 1-5.2 0A2.6 2.2 0 0 1 9 18Z' +
    'M19 16a2.6 2.2 0 1 1-5.2 0 2.6 2.2 0 0 1 5.2 0Z',
  radio: 'M4 9.5h16v9.5H4zM6.5 9.5 17 5M15 16a1.9 1.9 0 1 0 0-3.8 1.9 1.9 0 0 0 0 3.8Z' +
    'M7 12.7h4M7 15.6h4',
  popcorn: 'M6.5 10 8 20h8l1.5-10' +
    'M6.2 10a2.6 2.6 0 0 1 .6-5A3.2 3.2 0 0 1 12.4 4a3 3 0 0 1 5 2.2A2.3 2.3 0 0 1 17.8 10Z' +
    'M10.4 10.2 11 20M13.6 10.2 13 20',
  devices: 'M4 6.5h16v5H4zM4 14h16v5H4zM7 9h4M7 16.5h4M17 9h.01M17 16.5h.01',
  scenes: 'M5 6h9M5 12h6M5 18h11M18 4.5v3M16.5 6h3M15 12h.01M19.5 18h.01',
  people: 'M9 11a3.3 3.3 0 1 0 0-6.6A3.3 3.3 0 0 0 9 11Z' +
    'M3.2 19.5c.6-3.4 2.8-5.2 5.8-5.2s5.2 1.8 5.8 5.2M15.5 4.9a3 3 0 0 1 0 5.7' +
    'M17.3 14.7c1.9.7 3.1 2.3 3.5 4.8',
  plugins: 'M9 4v4M15 4v4M6.5 8h11v4a5.5 5.5 0 0 1-11 0ZM12 17.5V21',
  settings: 'M4 7h9M18 7h2M4 17h2M11 17h9M15.5 9.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5Z' +
    'M8.5 19.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5Z',
  back: 'M5.5 8.5A8 8 0 1 1 4 13M5 3.8v5h5',
  forward: 'M18.5 8.5A8 8 0 1 0 20 13M19 3.8v5h-5',
  volume:
    'M4 9.5v5h3.5L12 18.5v-13L7.5 9.5ZM15.3 9.3a4 4 0 0 1 0 5.4M17.9 6.8a7.5 7.5 0 0 1 0 10.4',
  mute: 'M4 9.5v5h3.5L12 18.5v-13L7.5 9.5ZM16 9.8l4.5 4.5M20.5 9.8 16 14.3',
  search: 'M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13ZM15.3 15.3l4.7 4.7',
  moon: 'M19 14.5A7.5 7.5 0 0 1 9.5 5a7.5 7.5 0 1 0 9.5 9.5Z',
  sound: 'M4 12h1.5M8 8v8M12 5v14M16 8v8M20 11v2',
  eye: 'M2.8 12S6 6 12 6s9.2 6 9.2 6-3.2 6-9.2 6-9.2-6-9.2-6Z' +
    'M12 14.8a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6Z',
  eyeOff: 'M9.7 6.4A9 9 0 0 1 12 6c6 0 9.2 6 9.2 6a15 15 0 0 1-2.6 3.3' +
    'M6.3 8A14.8 14.8 0 0 0 2.8 12S6 18 12 18a9 9 0 0 0 3.9-.9M4 4l16 16',
  cross: 'M6.5 6.5l11 11M17.5 6.5l-11 11',
  warn: 'M12 4.5 21 19.5H3ZM12 10v4.2M12 16.9h.01',
  fix: 'M14.5 6.5a4.2 4.2 0 0 1 5-1l-2.7 2.7.4 1.6 1.6.4 2.7-2.7a4.3 4.3 0 0 1-5.7 5.2' +
    'L9.5 19a2 2 0 0 1-3-3l6.3-6.3a4.3 4.3 0 0 1 1.7-3.2Z',
  chevron: 'M9.5 6l6 6-6 6',
  up: 'M6 14.5l6-6 6 6',
  down: 'M6 9.5l6 6 6-6',
  arrowBack: 'M19 12H5.5M11 6l-6 6 6 6',
  plus: 'M12 5.5v13M5.5 12h13',
  power: 'M12 3.8v8M7 6.8a7.3 7.3 0 1 0 10 0',
  light:
    'M9.5 18.5h5M10.3 21h3.4M8.5 15.5A6 6 0 1 1 15.5 15.5c-.6.5-.9 1-1 1.6h-5c-.1-.6-.4-1.1-1-1.6Z',
  projector:
    'M3.5 9h17v7h-17zM15.5 14.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM6.5 12.5h4M6 16v2.5M18 16v2.5',
  screen: 'M3.5 5h17M5.5 5v10.5h13V5M12 15.5V19',
  amp: 'M3.5 7.5h17v9h-17zM16 14.2a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4ZM6.5 10.5h4.5' +
    'M6.5 13.5h3M6 16.5v2M18 16.5v2',
  disc: 'M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16ZM12 14.2a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4Z',
  link: 'M10 14a4 4 0 0 0 6 .5l2.5-2.5a4 4 0 0 0-5.6-5.7L11.5 7.7' +
    'M14 10a4 4 0 0 0-6-.5L5.5 12a4 4 0 0 0 5.6 5.7l1.4-1.4',
  wifiOff: 'M5 10.5a11 11 0 0 1 4-2.3M19 10.5a11 11 0 0 0-5.5-2.8M8 14a6.5 6.5 0 0 1 3-1.7' +
    'M16 14a6.5 6.5 0 0 0-1.5-1M12 18h.01M4.5 4.5l15 15',
  phone: 'M8 3.5h8v17H8zM11 17.8h2',
  tv: 'M3.5 5h17v11h-17zM8.5 19.5h7',
  key: 'M8 16.5a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM12 12.5h8.5M17.5 12.5V16',
  user: 'M12 11.5a3.7 3.7 0 1 0 0-7.4 3.7 3.7 0 0 0 0 7.4ZM5 20c.8-3.8 3.4-5.7 7-5.7s6.2 1.9 7 5.7',
  log: 'M5 4.5h14v15H5zM8.5 9h7M8.5 12.5h7M8.5 16h4',
  info: 'M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16ZM12 11.5V16M12 8.3h.01',
};
const THICK = {
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  skip: 'M7 12h10',
};
const SOLID = {
  play: 'M8 5.3c0-.9 1-1.5 1.8-1L19.4 10.9c.8.5.8 1.7 0 2.2L9.8 19.7c-.8.5-1.8-.1-1.8-1Z',
  pause: 'M7 4.8h3.2c.4 0 .8.4.8.8v12.8c0 .4-.4.8-.8.8H7c-.4 0-.8-.4-.8-.8V5.6c0-.4.4-.8.8-.8' +
    'Zm6.8 0H17c.4 0 .8.4.8.8v12.8c0 .4-.4.8-.8.8h-3.2c-.4 0-.8-.4-.8-.8V5.6' +
    'c0-.4.4-.8.8-.8Z',
  stop: 'M7 6h10c.6 0 1 .4 1 1v10c0 .6-.4 1-1 1H7c-.6 0-1-.4-1-1V7c0-.6.4-1 1-1Z',
  next: 'M5.5 6.2c0-.8.9-1.3 1.6-.8l8 5.8c.6.4.6 1.2 0 1.6l-8 5.8c-.7.5-1.6 0-1.6-.8Z' +
    'M16.8 5h1.7c.3 0 .5.2.5.5v13c0 .3-.2.5-.5.5h-1.7c-.3 0-.5-.2-.5-.5v-13c0-.3.2-.5.5-.5Z',
  previous: 'M18.5 6.2c0-.8-.9-1.3-1.6-.8l-8 5.8c-.6.4-.6 1.2 0 1.6l8 5.8c.7.5 1.6 0 1.6-.8Z' +
    'M7.2 5H5.5c-.3 0-.5.2-.5.5v13c0 .3.2.5.5.5h1.7c.3 0 .5-.2.5-.5v-13c0-.3-.2-.5-.5-.5Z',
  eject: 'M12 5 5 13.5h14ZM5.5 16.5h13v2.5h-13Z',
};
const THIN_STROKE = 1.75;
const THICK_STROKE = 2.4;
const ROUND = { 'stroke-linecap': 'round', 'stroke-linejoin': 'round' };
const strokes = (d, width) =>
  s('path', { d, fill: 'none', stroke: 'currentColor', 'stroke-width': width, ...ROUND });

/** The drawing of the page's name: a screen with its light. */
export const mark = () =>
  s(
    'svg',
    { viewBox: '0 0 40 40', 'aria-hidden': 'true' },
    strokes('M6 10h28v15H6zM20 4v6', THICK_STROKE),
    s('path', { d: 'M8 25 2 36h36l-6-11', fill: 'currentColor', opacity: .28 }),
  );
/** The icon of a name, in the color of the text around it. */
export const icon = (name, props) =>
  s('svg', { viewBox: '0 0 24 24', 'aria-hidden': 'true', ...props }, drawingOf(name));
function drawingOf(name) {
  if (name in SOLID) return s('path', { fill: 'currentColor', d: SOLID[name] });
  if (name in THICK) return strokes(THICK[name], THICK_STROKE);
  return strokes(LINES[name] ?? LINES.info, THIN_STROKE);
}
