// Toasts: short messages above the page, each with at most one action.
import { $, btn, h } from '../base/dom.js';
import { icon } from '../base/icons.js';
import { announce, messageLayer } from '../base/messages.js';
import { small } from './cards.js';

const SHOWN_MS = 4500;
const SHOWN_WITH_ACTION_MS = 9000;

/** The host of all toasts, one above the other. */
export function toasts() {
  const layer = messageLayer();
  return $('.toasts', layer) ??
    layer.appendChild(h('div', { class: 'toasts', role: 'log', 'aria-live': 'off' }));
}

/**
 * Says what happened. The toast disappears after some seconds, unless it has the pointer or focus.
 * @param action `icon` and `detail` of the message; `label` and `run` of its button
 */
export function toast(text, action) {
  let timer;
  const stopTimer = () => clearTimeout(timer);
  const startTimer = () => {
    stopTimer();
    timer = setTimeout(() => node.remove(), action ? SHOWN_WITH_ACTION_MS : SHOWN_MS);
  };
  const runAndClose = () => {
    node.remove();
    action.run?.();
  };
  const node = h(
    'div',
    {
      class: 'toast',
      onpointerenter: stopTimer,
      onfocusin: stopTimer,
      onpointerleave: startTimer,
      onfocusout: startTimer,
    },
    icon(action?.icon || 'check'),
    h('p', {}, text, small(action?.detail)),
    action?.label ? btn('', runAndClose, action.label) : null,
  );
  toasts().append(node);
  announce(text);
  startTimer();
}
