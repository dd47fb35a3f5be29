// Choices: one of several, and on or off. A refused choice goes back to the last accepted one.
import { ariaHidden, h } from '../base/dom.js';
import { showFailure } from './failures.js';

/**
 * Returns a function that shows a choice and calls `onchange`. If that fails, it shows the last
 * accepted choice again.
 */
function revertible(accepted, show, onchange) {
  let openChanges = 0;
  show(accepted);
  return async (next) => {
    openChanges += 1;
    show(next);
    try {
      await onchange(next);
      accepted = next;
    } catch (failure) {
      showFailure(failure);
    }
    openChanges -= 1;
    if (openChanges === 0) show(accepted);
  };
}

const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

/** One choice of several `[id, text]`: the radio pattern, with arrow keys and roving focus. */
export function segments(label, options, current, onchange) {
  const button = ([id, text]) =>
    h('button', { role: 'radio', data: { id }, onclick: () => choose(id) }, text);
  const node = h(
    'div',
    { class: 'segments', role: 'radiogroup', 'aria-label': label },
    options.map(button),
  );
  const chosen = () => node.querySelector('[aria-checked="true"]');
  node.set = (id) => {
    for (const one of node.children) {
      const isChosen = one.dataset.id === id;
      one.setAttribute('aria-checked', isChosen);
      one.tabIndex = isChosen ? 0 : -1;
    }
    if (!chosen() && node.firstChild) node.firstChild.tabIndex = 0;
  };
  const choose = revertible(current, node.set, onchange);
  node.addEventListener('keydown', (event) => {
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    const index = options.findIndex(([id]) => id === chosen()?.dataset.id);
    const [next] = options[(index + step + options.length) % options.length];
    choose(next);
    chosen().focus();
  });
  return node;
}

/** `segments` below its label. */
export const choice = (label, ...rest) => [h('p', 'label', label), segments(label, ...rest)];

/** A switch, with a note below its label. */
export function toggle(label, on, onchange, note) {
  const isOn = () => node.getAttribute('aria-checked') === 'true';
  const node = h(
    'button',
    { class: 'switch', role: 'switch', onclick: () => choose(!isOn()) },
    h('span', {}, h('span', {}, label), note ? h('span', 'small block', note) : null),
    ariaHidden('span', 'knobway'),
  );
  const choose = revertible(!!on, (next) => node.setAttribute('aria-checked', next), onchange);
  return node;
}
