// The layer of messages: toasts, the offline notice and the live regions. It is in the browser's
// top layer, above the page, and within the open dialog while there is one: what is outside of a
// dialog can neither be pressed nor is it read aloud.
import { $$, h } from './dom.js';

/** A region that is filled at once after it was emptied says nothing. */
const ANNOUNCE_DELAY_MS = 60;

let layer;
/** The dialog that was opened last, else the page. */
const topmost = () => $$('dialog[open]').at(-1) ?? document.body;

/** Returns the layer, above everything that is open. */
export function messageLayer() {
  layer ??= h('div', { class: 'messages', popover: 'manual' });
  const host = topmost();
  if (layer.parentNode !== host) {
    // A region that is moved with its text may be read again.
    for (const region of $$('.sr', layer)) region.textContent = '';
    host.append(layer);
  }
  // The browser hides a layer that is moved.
  if (!layer.matches(':popover-open')) layer.showPopover();
  return layer;
}
/** Raises the layer after a dialog was opened or closed. */
export const raiseMessages = () => {
  if (layer) messageLayer();
};

/** Says a text to screen readers. One polite and one assertive region are on the page. */
export function announce(text, urgent = false) {
  const region = liveRegion(urgent);
  region.textContent = '';
  setTimeout(() => {
    region.textContent = text;
  }, ANNOUNCE_DELAY_MS);
}
function liveRegion(isUrgent) {
  const id = isUrgent ? 'say-now' : 'say';
  const known = document.getElementById(id);
  messageLayer();
  if (known) return known;
  const region = h('div', {
    id,
    class: 'sr',
    role: isUrgent ? 'alert' : 'status',
    'aria-live': isUrgent ? 'assertive' : 'polite',
  });
  layer.append(region);
  return region;
}
