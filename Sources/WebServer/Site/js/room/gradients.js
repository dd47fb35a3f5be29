// The gradients of the room by id, as room.svg, room.css and the modules of the drawing name them.
import { s } from '../base/dom.js';

const DOWN = { x2: 0, y2: 1 };
const UP = { x2: 0, y1: 1 };
const RIGHT = {};
const OUTWARD = { r: .5 };
const ACROSS = { x2: 1, y2: 1 };
/**
 * The attributes of the element, downwards without them, then stops: the offset, the color by day,
 * and the color by night if that is another.
 */
const GRADIENTS = {
  'g-steel': [[0, '#6b6460', '#5a5250'], [.12, '#4d4643', '#413936'], [1, '#332d2b', '#26201f']],
  'g-face': [[0, '#3a3431', '#302927'], [1, '#27211f', '#1b1615']],
  'g-walnut': [[0, '#a76f45', '#8a5635'], [1, '#6f4528', '#54301d']],
  'g-walnut-h': [
    RIGHT,
    [0, '#6f4528', '#54301d'],
    [.16, '#a76f45', '#8a5635'],
    [.84, '#a76f45', '#8a5635'],
    [1, '#6f4528', '#54301d'],
  ],
  'g-brass': [RIGHT, [0, '#8f6a35'], [.35, '#f3d9a0'], [1, '#6f4f25']],
  'g-knob': [{ cx: .38, cy: .3, r: .85 }, [0, '#9a8f88'], [.55, '#4d4542'], [1, '#1d1817']],
  'g-cone': [OUTWARD, [.3, '#5d5350'], [.34, '#171211'], [.86, '#3b3330'], [1, '#171211']],
  'g-vu': [[0, '#fff0c9'], [.55, '#ffd48a'], [1, '#f19a3c']],
  'g-dial': [[0, '#ffedc4'], [1, '#f6ad55']],
  'g-glow': [OUTWARD, [0, '#ffd9a0f2'], [.35, '#ffb45c73'], [1, '#ff9a3c00']],
  'g-bulb': [OUTWARD, [0, '#fffdf5'], [.4, '#ffe9bd'], [1, '#ffc06a00']],
  'g-shade': [[0, '#efe0c9', '#cdb694'], [1, '#d8c2a2', '#a98d69']],
  'g-shade-lit': [[0, '#ffcb80'], [.5, '#fff0d0'], [1, '#ffc777']],
  'g-down': [[0, '#ffd79a99'], [1, '#ffb65e00']],
  'g-up': [UP, [0, '#ffd79a9e'], [1, '#ffb65e00']],
  'g-sofa': [[0, '#6b938c', '#4a706c'], [.55, '#4e756f', '#2f4e4c'], [1, '#365853', '#162725']],
  'g-red': [[0, '#d0463a'], [1, '#8f221f']],
  'g-case': [[0, '#fff3d6f2'], [.5, '#ffd890cc'], [1, '#ffb452bf']],
  'g-glass': [ACROSS, [0, '#ffffff57'], [.4, '#ffffff0d'], [1, '#ffffff29']],
  'g-disc': [
    ACROSS,
    [0, '#f8dcb0'],
    [.3, '#b7c9d8'],
    [.55, '#e8c9d8'],
    [.8, '#c9d6b4'],
    [1, '#f4d7a4'],
  ],
  'g-cove': [[0, '#ffd79abf'], [1, '#ffb65e00']],
  'rm-side-l': [RIGHT, [.5, '#c7a985', '#422d2d'], [1, '#dcc2a4', '#5d4140']],
  'rm-side-r': [RIGHT, [0, '#dcc2a4', '#5d4140'], [.5, '#c7a985', '#422d2d']],
  'rm-back': [[0, '#c99a6b', '#7e5238'], [1, '#a97848', '#573524']],
  'rm-floor': [[0, '#a87747', '#5b3a28'], [.5, '#cfa06e', '#8a5a3c']],
  'rm-sky': [[0, '#bfe0ee', '#131a3a'], [1, '#fff0d2', '#43406e']],
  'rm-warm': [OUTWARD, [0, '#ffcf8cf2'], [.55, '#ff9f4559'], [1, '#ff8a3000']],
  // Its stops get the color of the picture.
  'rm-bounce': [OUTWARD, [0, '#fff'], [.3, '#fff'], [.7, '#fff'], [1, '#fff']],
  'rm-pop': [OUTWARD, [0, '#ffc470bf'], [.5, '#ff9a3c40'], [1, '#ff8a3000']],
  'rm-moonlight': [OUTWARD, [0, '#a9bdf58c'], [.6, '#7f8fd833'], [1, '#6070c000']],
};

/** A gradient from an entry of the form of `GRADIENTS`. It is radial if its attributes have `r`. */
export function gradient(id, ...entry) {
  const [first, ...rest] = entry;
  const [attributes, stops] = Array.isArray(first) ? [DOWN, entry] : [first, rest];
  return s(
    attributes.r ? 'radialGradient' : 'linearGradient',
    { id, ...attributes },
    stops.map(([offset, day, night = day]) => {
      const stop = s('stop', { offset });
      stop.style.stopColor = `light-dark(${day}, ${night})`;
      return stop;
    }),
  );
}
export const roomGradients = () =>
  Object.entries(GRADIENTS).map(([id, entry]) => gradient(id, ...entry));
