// Form fields with five looks (pristine, editing, valid, invalid-hidden, invalid-shown), and the
// place for a form's failure.
import { ariaHidden, h, setChildren, uid } from '../base/dom.js';
import { formIcon } from '../base/form-icons.js';
import { sentence, t, unit } from '../base/text.js';
import { isEmail, ON } from '../model/rules.js';
import { keepFieldInView } from './field-in-view.js';
import { lockInput } from './return-key.js';

/** The checks of a login, which applies no rules: an account may predate them. */
export const CHECK = {
  email(text) {
    if (!text.trim()) return t('field.emailMissing');
    return isEmail(text) ? null : t('field.emailLike');
  },
  any: (text) => text ? null : t('field.passwordMissing'),
};

/** The displays of FormModel as the styles name them. */
const LOOKS = {
  pristine: 'pristine',
  editing: 'editing',
  valid: 'valid',
  invalidHidden: 'invalid-hidden',
  invalidShown: 'invalid-shown',
};
const MARKS = { valid: 'check', 'invalid-shown': 'warn' };

class Field {
  constructor({ label, note = '', check, onchange, secret, hidesMistakeOnEdit, ...input }) {
    Object.assign(this, { note, check, onchange, hidesMistakeOnEdit });
    /** Whether a mistake is shown, in a field that follows no flow. */
    this.isMistakeShown = false;
    /** What decides the look in place of `check`; see follow(). */
    this.flow = undefined;
    this.input = fieldInput({ ...input, secret });
    this.mark = h('span', 'mark');
    this.noteText = h('span', {}, note);
    this.revealButton = secret ? revealButton(this.input) : null;
    this.node = h(
      'div',
      { class: 'field', data: { look: 'pristine' } },
      this.labeledInput(label),
      h('p', { class: 'note', id: noteID(this.input.id) }, this.noteText),
    );
    this.handlers = { input: () => this.handleInput(), blur: () => this.handleBlur() };
  }
  labeledInput(label) {
    return [
      h('label', { for: this.input.id }, label),
      h('div', 'box', this.input, this.mark, this.revealButton),
    ];
  }
  /** Attaches the event handlers. */
  listen() {
    const { input, handlers } = this;
    for (const [type, handler] of Object.entries(handlers)) input.addEventListener(type, handler);
  }
  handleInput() {
    if (this.flow) {
      this.flow.typed(this.value);
      return;
    }
    if (this.hidesMistakeOnEdit) this.isMistakeShown = false;
    this.paint();
    this.onchange?.(this);
  }
  handleBlur() {
    if (this.flow) {
      this.flow.left?.();
      return;
    }
    this.paint('leave');
    this.onchange?.(this, true);
  }

  /** Lets a flow decide the look with `display()`, and tells it of `typed(text)` and `left()`. */
  follow(flow) {
    this.flow = flow;
    this.listen();
  }
  /** Sets the function that is called after each change, with the field and whether it was left. */
  setChangeHandler(action) {
    this.onchange = action;
  }
  get value() {
    return this.input.value;
  }
  set value(text) {
    this.input.value = text;
  }
  get problem() {
    return this.check ? this.check(this.value) : null;
  }
  get valid() {
    return this.problem === null;
  }
  /**
   * @param reason `edit`; `leave`, which shows a mistake; or `submit`, which shows one also in an
   *   empty field
   */
  paint(reason = 'edit') {
    const { problem } = this;
    const hasMistake = problem !== null && problem !== 'pending';
    const showsMistake = reason === 'submit' || (reason === 'leave' && this.value);
    if (showsMistake) this.isMistakeShown = hasMistake;
    if (!hasMistake) this.isMistakeShown = false;
    const look = this.flow ? LOOKS[this.flow.display()] : this.look(problem);
    this.setLook(look);
    this.noteText.textContent = look === 'invalid-shown' && hasMistake ? problem : this.note;
  }
  look(problem) {
    const isEmpty = !this.value;
    if (problem === 'pending') return 'editing';
    if (problem === null) return isEmpty ? 'pristine' : 'valid';
    if (this.isMistakeShown) return 'invalid-shown';
    if (!isEmpty) return 'invalid-hidden';
    return this.node.dataset.look === 'pristine' ? 'pristine' : 'editing';
  }
  setLook(look) {
    if (this.node.dataset.look === look) return;
    this.node.dataset.look = look;
    setChildren(this.mark, MARKS[look] ? formIcon(MARKS[look]) : null);
    this.input.setAttribute('aria-invalid', look === 'invalid-shown');
    if (look === 'invalid-shown') keepFieldInView();
  }
  lock(isLocked) {
    lockInput(this.input, isLocked);
    if (this.revealButton) this.revealButton.disabled = isLocked;
    this.node.toggleAttribute('data-locked', isLocked);
  }
  clear() {
    this.value = '';
    this.isMistakeShown = false;
    this.setLook('pristine');
    this.noteText.textContent = this.note;
  }
}
/** A box that is checked or not; its value is that of a toggle in a FormModel. */
class Toggle extends Field {
  constructor(options) {
    super({ ...options, type: 'checkbox' });
  }
  labeledInput(label) {
    return h('label', 'toggle', this.input, h('span', {}, label), this.mark);
  }
  get value() {
    return this.input.checked ? ON : '';
  }
  set value(text) {
    this.input.checked = text === ON;
  }
}
const noteID = (inputID) => `${inputID}n`;
function fieldInput(
  {
    name,
    type = 'text',
    secret,
    autocomplete,
    inputmode,
    autocapitalize = 'none',
    placeholder,
    readonly,
  },
) {
  const id = uid('f');
  return h('input', {
    id,
    name,
    type: secret ? 'password' : type,
    autocomplete,
    inputmode,
    placeholder,
    readonly,
    'aria-describedby': noteID(id),
    autocapitalize,
    autocorrect: autocapitalize === 'none' ? 'off' : null,
    spellcheck: 'false',
  });
}
/** The button that shows a password. */
function revealButton(input) {
  const flip = () => {
    const isShown = input.type === 'password';
    input.type = isShown ? 'text' : 'password';
    button.setAttribute('aria-pressed', isShown);
    setChildren(button, formIcon(isShown ? 'eyeOff' : 'eye'));
    input.focus();
  };
  const button = h(
    'button',
    { class: 'in-box', 'aria-pressed': 'false', 'aria-label': t('field.show'), onclick: flip },
    formIcon('eye'),
  );
  return button;
}

/**
 * A labelled input. paint() follows typing at once and shows a mistake only after the field was
 * left or submitted.
 * @param options `label`, `note`, and the input's `name`, `type`, `autocomplete`, `inputmode`,
 *   `autocapitalize`, `placeholder` and `readonly`; `secret` for a password;
 *   `check(text)`, which returns what is wrong with a text ('' without words), or null, or
 *   'pending' while a question is open; `onchange`, see Field.setChangeHandler();
 *   `hidesMistakeOnEdit`: whether a shown mistake goes with the next keystroke, not only when it
 *   is corrected
 */
export function field(options) {
  const made = new Field(options);
  made.listen();
  return made;
}
/** A field that handles no event before it follows a flow. @param options as of field() */
export const fieldOfFlow = (options) => new Field(options);

/** A toggle, such as "I accept". @param options as of field() */
export function toggleField(options) {
  const made = new Toggle(options);
  made.listen();
  return made;
}
/** A toggle that handles no event before it follows a flow. @param options as of field() */
export const toggleOfFlow = (options) => new Toggle(options);

/** Lets fields follow the form of a flow, which is told of their input with `send`. */
export function followForm(fields, flow, send) {
  for (const one of fields) {
    const { name } = one.input;
    one.follow({
      display: () => flow.form.display(name),
      typed: (text) => send({ type: 'typed', field: name, text }),
      left: () => send({ type: 'left', field: name }),
    });
  }
}

/** Sets whether a form's button is busy, and its text. */
export function setBusy(button, isBusy, text) {
  button.setAttribute('aria-busy', isBusy);
  button.disabled = isBusy;
  setChildren(button, isBusy ? ariaHidden('span', 'leader') : null, text);
}

/** The failure of a request, above the button: what happened, then what to do. */
export function formError() {
  const node = h('div', { role: 'alert', class: 'form-error', hidden: true });
  let timer;
  /** Counts down the seconds until the next try; they are not read out. */
  const countDown = (seconds) => {
    const output = h('span', { 'aria-live': 'off' });
    const end = performance.now() + seconds * 1000;
    const update = () => {
      const left = Math.ceil((end - performance.now()) / 1000);
      const words = left > 0 ? t('error.wait', { time: unit(left, 'second') }) : t('error.waited');
      output.textContent = ` ${words}`;
      if (left <= 0 || !node.isConnected) clearInterval(timer);
    };
    update();
    timer = setInterval(update, 1000);
    return output;
  };
  return {
    node,
    hide() {
      clearInterval(timer);
      node.hidden = true;
      setChildren(node);
    },
    show({ message, hint, retryAfter }) {
      clearInterval(timer);
      node.hidden = false;
      const wait = retryAfter ? countDown(retryAfter) : null;
      const what = h('b', {}, `${sentence(message)} `);
      setChildren(node, formIcon('warn'), h('p', {}, what, hint || '', wait));
      keepFieldInView();
    },
  };
}
