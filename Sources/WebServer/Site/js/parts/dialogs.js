// Dialogs: sheets with any content, and questions with two answers.
import { $, ariaHidden, btn, focusOn, h, sameControls, uid } from '../base/dom.js';
import { icon } from '../base/icons.js';
import { raiseMessages } from '../base/messages.js';
import { t } from '../base/text.js';

/** Whether nothing outside of a dialog has the focus. */
const isFocusFree = (dialog) =>
  [null, document.body].includes(document.activeElement) || dialog.contains(document.activeElement);

/**
 * Opens a dialog, and removes it when it is closed. The focus then returns to the control that had
 * it, or to its replacement, unless something else has it by then.
 */
function open(dialog) {
  const opener = document.activeElement;
  dialog.addEventListener('close', () => {
    const mustReturnFocus = isFocusFree(dialog) && opener;
    raiseMessages();
    dialog.remove();
    if (!mustReturnFocus) return;
    focusOn(opener.isConnected ? opener : sameControls($('#main'), opener)[0]);
  });
  document.body.append(dialog);
  dialog.showModal();
  raiseMessages();
}

/**
 * Opens a sheet: from below on a phone, a panel at the side on a larger screen. Esc and a press
 * outside close it.
 */
export function sheet(title, ...content) {
  const id = uid('sheet');
  const closeButton = h(
    'button',
    { class: 'btn icon quiet', 'aria-label': t('do.close'), onclick: () => dialog.close() },
    icon('cross'),
  );
  const heading = h('h2', { class: 'title-3', id, tabindex: -1, autofocus: true }, title);
  const dialog = h(
    'dialog',
    { class: 'sheet', 'aria-labelledby': id },
    ariaHidden('div', 'grip'),
    h('div', 'dialog-head', heading, closeButton),
    content,
  );
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });
  open(dialog);
  return dialog;
}

/**
 * Asks a question with two answers.
 * @param danger whether `yes` destroys something
 * @param more content below the text
 * @param run called after `yes`
 */
export function askQuestion(
  title,
  text,
  { yes = t('do.yes'), no = t('do.cancel'), danger, more, run } = {},
) {
  const answerYes = () => {
    dialog.close();
    run?.();
  };
  const noButton = h(
    'button',
    { class: 'btn quiet', autofocus: true, onclick: () => dialog.close() },
    no,
  );
  const dialog = h(
    'dialog',
    { class: 'box', 'aria-labelledby': 'ask-title' },
    h('h2', { class: 'title-3', id: 'ask-title' }, title),
    h('p', 'soft', text),
    more,
    h('div', 'dialog-end', noButton, btn(danger ? 'danger' : 'primary', answerYes, yes)),
  );
  open(dialog);
}
