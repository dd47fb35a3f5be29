// Covers of items: the drawing with the item's picture over it, and the page's colors after it.
import { ariaHidden } from '../base/dom.js';
import { cover, palette } from './cover.js';
import { withPicture } from './pictures.js';

/** The cover of a title, of a kind that cover.js draws. */
export const coverOf = (title, kind, item) =>
  withPicture(ariaHidden('span', `cover ${kind}`, cover(title, { kind })), item);

// A cover has some dozens of nodes: all of a list at once would hold up its scrolling.
const COVERS_AT_ONCE = 3;
const IDLE_FALLBACK_MS = 30;
const undrawn = new Map();
const whenIdle = globalThis.requestIdleCallback ?? ((run) => setTimeout(run, IDLE_FALLBACK_MS));

function drawCovers() {
  let drawn = 0;
  for (const [node, draw] of undrawn) {
    undrawn.delete(node);
    if (!node.isConnected) continue;
    node.append(draw());
    drawn += 1;
    if (drawn === COVERS_AT_ONCE) break;
  }
  if (undrawn.size) whenIdle(drawCovers);
}

/** A cover that is drawn when the page has time, in a color of its title until then. */
export function lateCover(title, kind, item) {
  const node = ariaHidden('span', `cover ${kind}`);
  const [, , mainColor] = palette(title);
  node.style.background = mainColor;
  if (!undrawn.size) whenIdle(drawCovers);
  undrawn.set(node, () => cover(title, { kind }));
  return withPicture(node, item);
}

let coloredAfter;
/** Colors the page after a title. Skips the same title: a change restyles the whole page. */
export function ambient(title) {
  if (coloredAfter === title) return;
  coloredAfter = title;
  const [, middle, main, bright] = palette(title);
  for (const [name, color] of Object.entries({ a: main, b: middle, c: bright })) {
    document.documentElement.style.setProperty(`--glow-${name}`, color);
  }
}
