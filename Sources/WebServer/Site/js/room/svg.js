// Helpers for the drawing: attributes that are set only if they differ, points, colors.
import { lerp } from '../base/dom.js';

/** Sets an attribute only where it is another: each setting is laid out anew. */
export const setAttribute = (node, name, value) => {
  if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value);
};
export const setAttributes = (node, attributes) => {
  for (const [name, value] of Object.entries(attributes)) setAttribute(node, name, value);
};
export const setOpacity = (nodes, opacity) => {
  for (const node of nodes) node.style.opacity = opacity;
};

export const setShown = (nodes, isShown) => {
  for (const node of nodes) node.style.display = isShown ? '' : 'none';
};

/** A place [x, y] as "x,y" with one decimal. */
export const point = (place) => place.map((coordinate) => coordinate.toFixed(1)).join(',');
/** Places as the value of the attribute `points`. */
export const points = (...places) => places.map(point).join(' ');
/** The place between two others, at a share of the way. */
export const between = (a, b, share) => [lerp(a[0], b[0], share), lerp(a[1], b[1], share)];

/** A color between two of the form #rrggbb, at a share of the way. */
export function mixColors(from, to, share) {
  const channels = [1, 3, 5].map((start) => {
    const channel = (color) => parseInt(color.slice(start, start + 2), 16);
    const mixed = Math.round(lerp(channel(from), channel(to), share));
    return mixed.toString(16).padStart(2, '0');
  });
  return '#' + channels.join('');
}
