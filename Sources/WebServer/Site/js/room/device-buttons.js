// The buttons over the drawing, one for each device, with its name and its state in words.
import { ariaHidden, clamp, h, setText } from '../base/dom.js';
import { describe } from '../model/words.js';
import { deviceOf } from './appearance.js';
import { setAttribute } from './svg.js';

/** In the order of the Tab key. */
const DEVICES = ['screen', 'projector', 'lights', 'popper', 'dvd', 'cd', 'amp', 'tuner'];
/** Their name is shown on them; that of the others above or below them. */
const NAMED_INSIDE = ['screen', 'popper', 'lights'];
/** In pixels: the least height for a finger, and the room above a button for its name. */
const LEAST_HEIGHT = 44;
const NAME_HEIGHT = 90;
/** In units of the drawing: the least height of the screen's button, and what its case adds. */
const LEAST_SCREEN_HEIGHT = 34;
const CASE_HEIGHT = 30;

export class DeviceButtons {
  node = h('div', 'hits');
  #buttons = new Map();

  /** @param open called with the id of a pressed device */
  constructor(open) {
    for (const id of DEVICES) {
      const tag = ariaHidden('span', 'tag', h('b'), h('span'));
      const props = { class: 'hit', data: { device: id }, onclick: () => open?.(id) };
      const button = h('button', props, tag);
      this.#buttons.set(id, { button, name: tag.firstChild, text: tag.lastChild });
      this.node.append(button);
    }
  }
  /** Names each device and says its state; a missing one has no button. */
  describe(status) {
    for (const [id, { button, name, text }] of this.#buttons) {
      const device = deviceOf(status, id);
      button.hidden = !device;
      if (!device) continue;
      const state = device.words ?? describe(device, status.titles);
      setText(name, device.name);
      setText(text, state);
      setAttribute(button, 'aria-label', `${device.name}: ${state}`);
    }
  }
  /**
   * Lays each button over its device.
   * @param boxOf gives the bounds of a device as [x, y, width, height]
   * @param view the part of the drawing that is seen; see `viewOf`
   * @param picture the height of the picture on the screen, which belongs to its button
   */
  place(boxOf, view, picture) {
    for (const [id, { button }] of this.#buttons) {
      const [x, y, width, height] = boxOf(id);
      const box = { id, x, y, width, height };
      if (id === 'screen') box.height = Math.max(LEAST_SCREEN_HEIGHT, CASE_HEIGHT + picture);
      // The projector hangs at the upper edge: of its button, only what is in view counts.
      if (id === 'projector') box.y = Math.max(y, view.y);
      placeButton(button, box, view);
    }
  }
}
function placeButton(button, { id, x, y, width, height }, view) {
  const { scale } = view;
  const left = (x - view.x) * scale;
  const top = (y - view.y) * scale;
  const growth = Math.max(0, LEAST_HEIGHT - height * scale) / 2;
  button.style.left = `${left}px`;
  button.style.top = `${top - growth}px`;
  button.style.width = `${width * scale}px`;
  button.style.height = `${height * scale + growth * 2}px`;
  const across = clamp((x + width / 2 - view.x) / view.width, 0, 1);
  button.style.setProperty('--across', across);
  button.classList.toggle('below', top < NAME_HEIGHT && id !== 'screen');
  button.classList.toggle('inside', NAMED_INSIDE.includes(id));
}
