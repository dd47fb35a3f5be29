// Buttons that are busy while their action runs, and that show its failure.
import { btn, h } from '../base/dom.js';
import { showFailure } from './failures.js';

/** Runs the action of a button, and shows its failure. Returns whether it succeeded. */
export async function runAction(button, action) {
  if (button?.getAttribute('aria-busy') === 'true') return false;
  button?.setAttribute('aria-busy', 'true');
  try {
    await action();
    return true;
  } catch (failure) {
    showFailure(failure);
    return false;
  } finally {
    button?.setAttribute('aria-busy', 'false');
  }
}

/** A button that is busy while its action runs. */
export const actionButton = (kind, action, ...children) =>
  btn(kind, (node) => runAction(node, action), ...children);

/**
 * Returns a label with the visible text in front, unless it has that text: a voice command finds a
 * control by what is seen.
 */
export function labeled(text, label) {
  if (!label || label.toLowerCase().includes(text.toLowerCase())) return label;
  return `${text}: ${label}`;
}

/** A plain button with a longer label for screen readers. */
export function quiet(text, label, run) {
  // `run` may throw before it returns a promise.
  const press = ({ currentTarget }) =>
    runAction(currentTarget, async () => {
      await run();
    });
  const props = { class: 'btn quiet', 'aria-label': labeled(text, label), onclick: press };
  return h('button', props, text);
}
