// A form in a sheet, the code that confirms an address, and the repeated proof of a person's identity.
import { h } from '../base/dom.js';
import { post } from '../base/api.js';
import { small } from './cards.js';
import { sheet } from './dialogs.js';
import { failureWords } from './failures.js';
import { busyButton, field, formError } from './forms.js';
import { codeSteps } from './code-entry.js';
import { t } from '../base/text.js';

export const passwordField = () =>
  field({
    label: t('field.password'),
    name: 'password',
    secret: true,
    autocomplete: 'current-password',
    check: (text) => (text ? null : t('account.passwordMissing')),
  });

/**
 * Opens a form; it closes when `use` succeeds with the values of the fields.
 * @param refused called with the failure of `use`; may return the field that gets the focus
 * @param done called with the result of `use`
 */
export function formSheet(
  { heading, note, fields = [], button: words, danger, use, refused, done },
) {
  const error = formError(),
    button = h(
      'button',
      { class: `btn ${danger ? 'danger' : 'primary'} wide`, type: 'submit' },
      words,
    );
  const form = h(
      'form',
      { class: 'controls', novalidate: true },
      note ? h('p', 'soft', note) : null,
      fields.map((one) => one.node),
      error.node,
      button,
    ),
    box = sheet(heading, form);
  let isLoading = false;
  const lock = (on) => {
    isLoading = on;
    for (const one of fields) one.lock(on);
    busyButton(button, on, words);
  };
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (isLoading) return;
    error.hide();
    const wrong = fields.find((one) => !one.valid);
    if (wrong) {
      wrong.paint('submit');
      wrong.input.focus();
      return;
    }
    lock(true);
    try {
      const made = await use(...fields.map((one) => one.value));
      box.close();
      done?.(made);
    } catch (failure) {
      lock(false);
      const next = refused?.(failure) || fields.find((one) => !one.node.hidden) ||
        { input: button };
      const { detail, ...words } = failureWords(failure);
      if (failure.name !== 'AbortError') {
        error.show({ retryAfter: failure.retryAfter, ...words, hint: small(detail) ?? words.hint });
      }
      next.input.focus();
    }
  });
  return box;
}
/** Shows an existing form in a sheet. */
export function inSheet(heading, form) {
  form.node.className = 'controls';
  form.node.removeAttribute('aria-labelledby');
  for (const part of form.node.querySelectorAll('.brand, h1')) part.remove();
  return sheet(heading, form.node);
}
/** Asks for the code that was sent to a new contact. */
export function confirmContact({ path, target, sent, done, onback }) {
  let box;
  const { stop } = codeSteps({
    path,
    set: { light() {} },
    foot: () => null,
    sent: { contact: target.email ?? target.phone, answer: sent },
    put: (form) => {
      box = inSheet(t('code.enter'), form);
      form.focus();
    },
    code: {
      heading: '',
      says: 'code.went',
      onback: () => {
        box.close();
        onback();
      },
    },
    verify: async ({ request, code }, answer) => {
      try {
        await post(`${path}/confirmation`, { request, code }, { open: true });
      } catch (failure) {
        answer({ type: 'verified', failure });
        return;
      }
      answer({ type: 'verified' });
      box.close();
      done();
    },
  });
  box.addEventListener('close', stop);
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
const prove = () =>
  new Promise((done, fail) => {
    let needsCode = false;
    const code = field({
      label: t('field.factor'),
      name: 'code',
      autocomplete: 'one-time-code',
      note: t('field.factorNote'),
      check: (text) => (needsCode && !text.trim() ? t('factor.codeMissing') : null),
    });
    code.node.hidden = true;
    const box = formSheet({
      heading: t('account.proof'),
      note: t('account.proofNote'),
      fields: [passwordField(), code],
      button: t('account.goOn'),
      use: (password, text) =>
        post('/sessions/current/proof', {
          password,
          cookie: true,
          ...(text.trim() && { code: text.trim() }),
        }, { open: true }),
      refused: ({ code: why }) => {
        needsCode ||= why === 'secondFactorNeeded';
        code.node.hidden = !needsCode;
        return needsCode && code;
      },
      done,
    });
    // After a success the promise is already resolved, and this does nothing.
    box.addEventListener('close', () => setTimeout(() => fail(new DOMException('', 'AbortError'))));
  });
