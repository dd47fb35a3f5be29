// A forgotten password: a code, then the new password.
import { get, postOpen } from '../base/api.js';
import { h, setChildren, submitBtn } from '../base/dom.js';
import { announce } from '../base/messages.js';
import { formIcon } from '../base/form-icons.js';
import { t } from '../base/text.js';
import { evaluate, mistakeIn, normalize, withMessages } from '../model/rules.js';
import { backdrop, entranceForm } from '../parts/backdrop.js';
import { codeSteps } from '../parts/code-entry.js';
import { field, formError, setBusy } from '../parts/forms.js';
import { ruleList } from '../parts/rule-list.js';

export const title = () => t('field.newPassword');

// How much of the backdrop is lit by the form for the password.
const LIGHT = { open: 2 / 3, valid: 1 };

const loginLink = () =>
  h('a', { class: 'btn link', href: '/login' }, formIcon('arrowBack'), t('login.go'));

export function show(main, { go }) {
  const set = backdrop(main);
  const showForm = (form) => {
    setChildren(set.inside, form.node);
    form.focus();
  };
  const done = () => {
    announce(t('reset.done'));
    go('/login');
  };
  const { stop } = codeSteps({
    path: '/password-resets',
    set,
    put: showForm,
    contact: { heading: t('reset.forgot'), note: t('reset.note'), button: t('code.send') },
    code: { heading: t('code.enter') },
    foot: () => h('div', 'entrance-links', loginLink()),
    verify: ({ request, code }, answer, { email }) =>
      checkCodeThenAskPassword({
        confirm: (newPassword) =>
          postOpen('/password-resets/confirmation', { request, code, newPassword }),
        answer,
        showForm,
        backdrop: set,
        email,
        heading: t('reset.yours'),
        button: t('reset.set'),
        done,
      }),
  });
  return stop;
}

/**
 * Checks a code, then asks for the password. A right code without a password is answered with 422
 * "empty".
 */
export async function checkCodeThenAskPassword({ confirm, answer, showForm, ...options }) {
  let form;
  try {
    await confirm().catch((failure) => {
      if (failure.code !== 'empty') throw failure;
    });
    form = await passwordForm({ use: confirm, ...options });
  } catch (failure) {
    answer({ type: 'verified', failure });
    return;
  }
  answer({ type: 'verified' });
  showForm(form);
}

/** The form for a new password; see passwordForm(). */
class PasswordForm {
  constructor(
    {
      backdrop,
      email = '',
      name = '',
      heading,
      button,
      use,
      done,
      extraFields,
      currentPassword,
      lastField,
      rules,
    },
  ) {
    Object.assign(this, { backdrop, email, name, use, done, currentPassword, lastField, rules });
    this.buttonText = button;
    this.isLoading = false;
    this.blocklist = new Set();
    this.declaration = this.declarationOf('password');
    this.list = ruleList(this.declaration.rules);
    this.error = formError();
    this.others = Object.entries(extraFields).map(([rule, options]) =>
      this.otherField(rule, options)
    );
    if (currentPassword) {
      this.others.unshift(currentPassword);
      currentPassword.setChangeHandler(() => this.update());
    }
    this.password = this.passwordField();
    this.repetition = this.repetitionField();
    lastField?.setChangeHandler(() => this.update());
    this.fields = [...this.others, this.password, this.repetition, lastField].filter(Boolean);
    this.button = submitBtn('big wide', button);
    this.node = entranceForm(
      heading,
      () => this.submit(),
      this.others.map((one) => one.node),
      // Above the password: an on-screen keyboard leaves no room below its rules.
      this.error.node,
      this.password.node,
      this.list.node,
      this.repetition.node,
      lastField?.node,
      this.button,
    );
    this.loadBlocklist();
    this.update();
  }
  /** Returns the declaration of a field, with messages in the reader's language. */
  declarationOf(name) {
    return withMessages(this.rules.fields.find((one) => one.name === name));
  }
  otherField(name, options) {
    const declared = this.declarationOf(name);
    const rules = declared.rules.filter(({ rule }) => rule !== 'asked');
    const declaration = { ...declared, rules };
    const evaluated = (text) =>
      evaluate(declaration, text, { values: {}, blocklist: this.blocklist });
    return field({
      ...options,
      name,
      check: (text) => mistakeIn(declaration, text, evaluated(text)),
      onchange: () => this.update(),
    });
  }
  passwordField() {
    return field({
      label: t('field.newPassword'),
      name: 'password',
      secret: true,
      autocomplete: 'new-password',
      check: (text) => mistakeIn(this.declaration, text, this.evaluate(text)),
      onchange: (_field, wasLeft) => this.update(wasLeft),
    });
  }
  repetitionField() {
    const isSame = (text) => text && normalize(text) === normalize(this.password.value);
    return field({
      label: t('field.repeat'),
      name: 'passwordAgain',
      secret: true,
      autocomplete: 'new-password',
      check: (text) => isSame(text) ? null : t('field.differ'),
      onchange: () => this.update(),
    });
  }
  async loadBlocklist() {
    try {
      const { entries } = await get('/validation/blocklist', { allows401: true });
      this.blocklist = new Set(entries);
      this.update();
    } catch { /* the controller checks the password in any case */ }
  }
  /** The values of the other fields, which a password may not contain. */
  values() {
    const others = this.others.map(({ input, value }) => [input.name, value]);
    return { name: this.name, email: this.email, ...Object.fromEntries(others) };
  }
  evaluate(text) {
    const form = { values: this.values(), blocklist: this.blocklist, secondFactor: true };
    return evaluate(this.declaration, text, form);
  }
  update(wasLeft) {
    this.list.update(this.evaluate(this.password.value), wasLeft);
    const isValid = this.fields.every((one) => one.valid);
    this.button.setAttribute('aria-disabled', !isValid);
    this.backdrop?.light(isValid ? LIGHT.valid : LIGHT.open);
  }
  lock(isLocked) {
    this.isLoading = isLocked;
    for (const one of this.fields) one.lock(isLocked);
    setBusy(this.button, isLocked, isLocked ? t('form.moment') : this.buttonText);
  }
  /** Empties both password fields. */
  clearPasswords() {
    this.password.clear();
    this.repetition.clear();
    this.update();
  }
  /** Shows why the form cannot be sent; returns whether there is a reason. */
  showMistake() {
    const wrong = [...this.others, this.password].find((one) => !one.valid);
    if (wrong) {
      wrong.paint('submit');
      if (wrong === this.password) this.list.update(this.evaluate(this.password.value), true);
      wrong.input.focus();
      return true;
    }
    if (this.repetition.valid) return this.showLastMistake();
    this.clearPasswords();
    this.error.show({ message: t('field.differ'), hint: t('field.both') });
    this.password.input.focus();
    return true;
  }
  showLastMistake() {
    if (!this.lastField || this.lastField.valid) return false;
    this.lastField.paint('submit');
    this.lastField.input.focus();
    return true;
  }
  async submit() {
    if (this.isLoading) return;
    this.error.hide();
    if (this.showMistake()) return;
    this.lock(true);
    try {
      this.done(await this.use(this.password.value, this.values()));
    } catch (failure) {
      this.fail(failure);
    }
  }
  fail(failure) {
    this.lock(false);
    const isCurrentWrong = failure.field === 'password' && this.currentPassword;
    if (!isCurrentWrong && failure.code !== 'network') this.clearPasswords();
    this.error.show(failure);
    (isCurrentWrong ? this.currentPassword : this.password).input.focus();
  }
  focus() {
    (this.others[0] ?? this.password).input.focus();
  }
}

/**
 * A new password, typed twice, with the live list of rules.
 * @param options `heading` and `button`: its texts; `backdrop` of the entrance, if the form is
 *   there; `email` and `name` of the person;
 *   `extraFields`: shown first, by the names of their rules; `use` gets their values after the
 *   password; `done(result)` is called after `use`;
 *   `currentPassword`: the field for the current password, shown before all others;
 *   `lastField`: shown after all others
 * @returns `node` and `focus()`
 */
export async function passwordForm({ extraFields = {}, ...options }) {
  const { rules } = await get('/validation', { allows401: true });
  return new PasswordForm({ ...options, extraFields, rules });
}
