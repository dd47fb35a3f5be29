// Rebuilds what shows the state. A button that is replaced between down and up gets no click, so a
// rebuild waits until a press is over.
import { isGiven, keepFocus } from '../base/dom.js';

/** After a touch the click follows a little later. */
const CLICK_DELAY_MS = 300;

let pressed = null;
let pressEnd;
const waiting = new Map();

function beginPress({ target }) {
  clearTimeout(pressEnd);
  pressed = target;
}
function endPress(delay) {
  clearTimeout(pressEnd);
  pressEnd = setTimeout(() => {
    pressed = null;
    const rebuilds = [...waiting.values()];
    waiting.clear();
    for (const rebuild of rebuilds) rebuild();
  }, delay);
}
addEventListener('pointerdown', beginPress, true);
addEventListener('pointerup', () => endPress(CLICK_DELAY_MS), true);
for (const type of ['click', 'pointercancel']) addEventListener(type, () => endPress(0), true);

/** Builds the children of a node anew, only when `key` differs from the last time. */
export function rebuildIfChanged(node, key, build) {
  if (pressed && node.contains(pressed)) {
    waiting.set(node, () => rebuildIfChanged(node, key, build));
    return;
  }
  if (node.renewedFor === key) return;
  node.renewedFor = key;
  keepFocus(node, () => node.replaceChildren(...[build()].flat(3).filter(isGiven)));
}
