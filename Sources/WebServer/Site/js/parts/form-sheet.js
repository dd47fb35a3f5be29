// A form in a sheet, the code that confirms an address, and the repeated proof of a person's
// identity.
import { post } from '../base/api.js';
import { h } from '../base/dom.js';
import { t } from '../base/text.js';
import { small } from './cards.js';
import { codeSteps } from './code-entry.js';
import { sheet } from './dialogs.js';
import { failureWords } from './failures.js';
import { field, formError, setBusy } from './forms.js';
import { followReturnKey } from './return-key.js';

export const passwordField = () =>
  field({
    label: t('field.password'),
    name: 'password',
    secret: true,
    autocomplete: 'current-password',
    check: (text) => text ? null : t('account.passwordMissing'),
  });

/** Shows and focuses the first field that is not valid; returns whether there is one. */
function showMistake(fields) {
  const wrong = fields.find((one) => !one.valid);
  wrong?.paint('submit');
  wrong?.input.focus();
  return wrong !== undefined;
}
function showFailure(error, failure) {
  if (failure.name === 'AbortError') return;
  const { detail, message, hint } = failureWords(failure);
  error.show({ retryAfter: failure.retryAfter, message, hint: small(detail) ?? hint });
}

/**
 * Opens a form; it closes when `use` succeeds with the values of the fields.
 * @param options `heading`, `note` above the fields, `fields`, `button`: its text;
 *   `danger`: whether the form destroys something;
 *   `refused(failure)`: called when `use` fails; may return the field that gets the focus;
 *   `done(result)`: called with the result of `use`
 */
export function formSheet(
  { heading, note, fields = [], button: words, danger, use, refused, done },
) {
  const error = formError();
  const look = danger ? 'danger' : 'primary';
  const button = h('button', { class: `btn ${look} wide`, type: 'submit' }, words);
  let isLoading = false;
  const lock = (isLocked) => {
    isLoading = isLocked;
    for (const one of fields) one.lock(isLocked);
    setBusy(button, isLocked, words);
  };
  const fail = (failure) => {
    lock(false);
    const chosen = refused?.(failure) || fields.find((one) => !one.node.hidden);
    showFailure(error, failure);
    (chosen?.input ?? button).focus();
  };
  const submit = async (event) => {
    event.preventDefault();
    if (isLoading) return;
    error.hide();
    if (showMistake(fields)) return;
    lock(true);
    try {
      const result = await use(...fields.map((one) => one.value));
      dialog.close();
      done?.(result);
    } catch (failure) {
      fail(failure);
    }
  };
  const form = h(
    'form',
    { class: 'controls', novalidate: true, onsubmit: submit },
    note ? h('p', 'soft', note) : null,
    fields.map((one) => one.node),
    error.node,
    button,
  );
  followReturnKey(form);
  const dialog = sheet(heading, form);
  return dialog;
}

/** Removes the logo and the heading of a form, for a sheet with a heading of its own. */
export function withoutHeading({ node }) {
  node.className = 'controls';
  node.removeAttribute('aria-labelledby');
  for (const part of node.querySelectorAll('.brand, h1')) part.remove();
  return node;
}

/** Shows an existing form in a sheet. */
export const inSheet = (heading, form) => sheet(heading, withoutHeading(form));

/**
 * Asks for the code that was sent to a new contact.
 * @param options `path` of the contact; `target`: its `email` or `phone`; `sent`: the answer to the
 *   request for the code; `done()` is called after a right code, `onback()` for another contact
 */
export function confirmContact({ path, target, sent, done, onback }) {
  let dialog;
  const put = (form) => {
    dialog = inSheet(t('code.enter'), form);
    form.focus();
  };
  const goBack = () => {
    dialog.close();
    onback();
  };
  const verify = async ({ request, code }, answer) => {
    try {
      await post(`${path}/confirmation`, { request, code }, { allows401: true });
    } catch (failure) {
      answer({ type: 'verified', failure });
      return;
    }
    answer({ type: 'verified' });
    dialog.close();
    done();
  };
  const { stop } = codeSteps({
    path,
    set: { light() {} },
    foot: () => null,
    sent: { contact: target.email ?? target.phone, answer: sent },
    put,
    code: { heading: '', says: 'code.went', onback: goBack },
    verify,
  });
  dialog.addEventListener('close', stop);
}

/** Runs an action; asks for the password first if the last proof is too old. */
export async function withProof(action) {
  try {
    return await action();
  } catch (failure) {
    if (failure.code !== 'proofNeeded') throw failure;
  }
  await prove();
  return action();
}
const sendProof = (password, code) =>
  post('/sessions/current/proof', {
    password,
    cookie: true,
    ...(code.trim() && { code: code.trim() }),
  }, { allows401: true });

/** Asks for the password, and for a code where the account has a second factor. */
function prove() {
  let needsCode = false;
  const code = field({
    label: t('field.factor'),
    name: 'code',
    autocomplete: 'one-time-code',
    note: t('field.factorNote'),
    check: (text) => needsCode && !text.trim() ? t('factor.codeMissing') : null,
  });
  code.node.hidden = true;
  const askForCode = (failure) => {
    needsCode ||= failure.code === 'secondFactorNeeded';
    code.node.hidden = !needsCode;
    return needsCode && code;
  };
  return new Promise((resolve, reject) => {
    const dialog = formSheet({
      heading: t('account.proof'),
      note: t('account.proofNote'),
      fields: [passwordField(), code],
      button: t('account.goOn'),
      use: sendProof,
      refused: askForCode,
      done: resolve,
    });
    // After a success the promise is already resolved, and this does nothing.
    const cancel = () => reject(new DOMException('', 'AbortError'));
    dialog.addEventListener('close', () => setTimeout(cancel));
  });
}
