// Failures of requests: their words in the reader's language, as a toast or as a card.
import { btn, h } from '../base/dom.js';
import { icon } from '../base/icons.js';
import { hasText, language, sentence, t } from '../base/text.js';
import { device, devices } from '../model/store.js';
import { nameOf } from '../model/words.js';
import { small } from './cards.js';
import { toast } from './toasts.js';

/**
 * Returns a failure in the reader's language. The controller explains in English: in other
 * languages a text for the code says what happened to which device, and the explanation is its
 * `detail`.
 */
export function failureWords({ code, message, hint, device: id }) {
  const owner = device(id);
  const prefix = owner ? `${nameOf(owner, devices())}: ` : '';
  const key = `fault.${code}`;
  if (language === 'en' || !hasText(key)) return { message: prefix + sentence(message), hint };
  return { message: prefix + t(key), detail: failureText({ message, hint }) };
}

/** The message and the hint of a failure in one text. */
export const failureText = ({ message, hint }) =>
  [sentence(message), hint].filter(Boolean).join(' ');

/** Shows a failure that needs no decision. */
export function showFailure(failure) {
  const isObsolete = failure.name === 'AbortError' || failure.code === 'cancelled';
  if (isObsolete) return;
  const isFromRequest = failure.status >= 0;
  if (!isFromRequest) console.error(failure);
  const { detail, ...words } = failureWords(failure);
  toast(failureText(words), { icon: 'warn', detail });
}

/** An error card: what happened, where, and the buttons for the next step. */
export function errorCard(what, where, ...buttons) {
  return h(
    'div',
    { class: 'error-card', role: 'group', 'aria-label': what },
    icon('warn'),
    h('h2', {}, what),
    where ? h('p', 'where', where) : null,
    buttons.length ? h('div', 'next', buttons) : null,
  );
}

/** An error card after a failed request; `retry` adds a button that tries again. */
export function failureCard(what, failure, retry) {
  const words = failureWords(failure);
  const buttons = retry ? [btn('primary', () => retry(), t('do.retry'))] : [];
  return errorCard(what, [failureText(words), small(words.detail)], ...buttons);
}
