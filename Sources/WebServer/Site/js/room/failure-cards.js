// The cards over devices that failed: what happened, and the button that mends it.
import { clamp, h } from '../base/dom.js';
import { announce } from '../base/messages.js';
import { icon } from '../base/icons.js';
import { rebuildIfChanged } from '../parts/rebuild.js';

/** More failed devices than these have one card together. */
const MOST_CARDS = 3;
/** In pixels: between a card and its device, another card, and the edge of the room. */
const DEVICE_GAP = 14;
const CARD_GAP = 8;
const EDGE_GAP = 12;
/** The share of the height above which a card ends that lies below its device. */
const LOWEST_END = .8;

export class FailureCards {
  node = h('div', 'hits');
  #cardOf;
  #commonCardOf;

  /**
   * @param cardOf gives the card of a device: `title`, `hint`, and `button`, which may be undefined
   * @param commonCardOf gives the card in the place of more than three, from their number
   */
  constructor(cardOf, commonCardOf) {
    this.#cardOf = cardOf;
    this.#commonCardOf = commonCardOf;
  }
  /** Shows the cards of failed devices; calls `onchange` when they are others than before. */
  update(failed, onchange) {
    const cards = failed.length > MOST_CARDS
      ? [{ id: '', ...this.#commonCardOf(failed.length) }]
      : failed.map((device) => ({ id: device.id, ...this.#cardOf(device) }));
    const keys = cards.map(({ id, title, hint, button }) =>
      [id, title, hint, button?.textContent].join('\t')
    );
    rebuildIfChanged(this.node, keys.join('\n'), () => {
      if (cards.length) announce(cards.map(({ title }) => title).join(' '), true);
      onchange();
      return cards.map(cardNode);
    });
  }
  /**
   * Puts each card below or above its device, and below the cards that are in its way.
   * @param boxOf gives the bounds of a device as [x, y, width, height]; `undefined` without one
   * @param view the part of the drawing that is seen; see `viewOf`
   */
  place(boxOf, view, layout) {
    const middle = [layout.width / 2, layout.height * .3, 0, 0];
    const surface = { width: view.width * view.scale, height: view.height * view.scale };
    const placed = [];
    for (const node of this.node.children) {
      const device = inPixels(boxOf(node.dataset.device) ?? middle, view);
      const card = { halfWidth: node.offsetWidth / 2, height: node.offsetHeight };
      const left = leftOf(card, device, surface);
      const top = topOf({ ...card, left }, device, surface, placed);
      placed.push({ ...card, left, top });
      node.style.left = `${left}px`;
      node.style.top = `${top}px`;
    }
  }
}
const cardNode = ({ id, title, hint, button }) =>
  h(
    'div',
    { class: 'trouble', role: 'group', 'aria-label': title, data: { device: id } },
    icon('warn'),
    h('b', {}, title),
    h('span', {}, hint),
    button,
  );
const inPixels = ([x, y, width, height], view) => ({
  centerX: (x + width / 2 - view.x) * view.scale,
  top: (y - view.y) * view.scale,
  bottom: (y + height - view.y) * view.scale,
});
/** The place of a card's middle, within the surface. */
function leftOf({ halfWidth }, device, surface) {
  const least = halfWidth + EDGE_GAP;
  return clamp(device.centerX, least, Math.max(least, surface.width - least));
}
function topOf(card, device, surface, placed) {
  const below = device.bottom + DEVICE_GAP;
  const above = Math.max(0, device.top - card.height - DEVICE_GAP);
  let top = below + card.height < surface.height * LOWEST_END ? below : above;
  for (const other of placed.toSorted((a, b) => a.top - b.top)) {
    const end = other.top + other.height + CARD_GAP;
    const isBeside = Math.abs(other.left - card.left) >= other.halfWidth + card.halfWidth;
    const isClear = top >= end || top + card.height + CARD_GAP <= other.top;
    if (!isBeside && !isClear) top = end;
  }
  return top;
}
