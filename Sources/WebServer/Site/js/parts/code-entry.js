// A one-time code: where it goes, six boxes, the countdown to the next. Login, reset and others use
// these forms; code-flow.js says what they do.
import { postOpen } from '../base/api.js';
import { btn, h, setChildren, submitBtn } from '../base/dom.js';
import { announce } from '../base/messages.js';
import { t, textParts, unit } from '../base/text.js';
import { CodeFlow } from '../model/code-flow.js';
import { drive, emits, failurePainter } from '../model/flow.js';
import { isPhone } from '../model/rules.js';
import { entranceForm } from './backdrop.js';
import { codeField, countdownRing } from './code-field.js';
import { fieldOfFlow, formError, setBusy } from './forms.js';

const CODE_LENGTH = 6;
// How much of the backdrop is lit in each state of the forms.
const LIGHT = { contactValid: 1 / 3, code: 1 / 3, codeLoading: 2 / 3 };

export const codeFlow = () =>
  new CodeFlow({
    name: 'contact',
    label: t('field.contact'),
    hidesMistakeOnEdit: true,
    rules: [{ rule: 'any', rules: [{ rule: 'email' }, { rule: 'phone' }] }],
  });

const ticketOf = ({ request, resendAfter }) => ({
  request,
  length: CODE_LENGTH,
  wait: resendAfter,
});

/** The two forms of a one-time code, which follow a flow; see codeSteps(). */
class CodeSteps {
  constructor({ flow = codeFlow(), path, with: also = {}, sent, verify, painted, ...forms }) {
    Object.assign(this, { flow, path, also, verify, painted, forms });
    this.oneTime = flow.oneTime ?? flow;
    /** How long the last requested code is valid, in seconds. */
    this.validFor = sent?.answer.validFor;
    /** The form that is shown, with its step. */
    this.shown = undefined;
    const { send, stop } = drive(flow, {
      paint: (effects) => this.paint(effects),
      work: (effect, answer) => this.work(effect, answer),
    });
    Object.assign(this, { send, stop });
    if (sent) this.startWithCode(sent);
    else send({ type: 'appeared' });
  }
  startWithCode({ contact, answer }) {
    this.flow.receive({ type: 'typedContact', text: contact });
    this.flow.receive({ type: 'submitContact' });
    this.send({ type: 'requested', ticket: ticketOf(answer) });
  }
  /** The body of a request about a contact. */
  target(contact) {
    return { ...this.also, ...(isPhone(contact) ? { phone: contact } : { email: contact }) };
  }
  work(effect, answer) {
    if (effect.start === 'request') this.request(effect.contact, answer);
    else this.verify(effect, answer, this.target(this.oneTime.contact));
  }
  async request(contact, answer) {
    try {
      const made = await postOpen(this.path, this.target(contact));
      this.validFor = made.validFor;
      answer({ type: 'requested', ticket: ticketOf(made) });
    } catch (failure) {
      answer({ type: 'requested', failure });
    }
  }
  paint(effects) {
    const isOtherFormShown = this.painted?.(effects, this.send);
    if (isOtherFormShown) {
      this.shown = undefined;
      return;
    }
    if (this.shown?.step !== this.oneTime.step) this.show();
    this.shown.paint(effects);
  }
  show() {
    const { oneTime, send, validFor } = this;
    const { set, put, contact, code, foot } = this.forms;
    const shared = { oneTime, send, set, foot: foot() };
    const form = oneTime.step === 'contact'
      ? contactForm({ ...contact, ...shared })
      : codeForm({ ...code, ...shared, validFor });
    this.shown = { step: oneTime.step, ...form };
    put({ ...this.shown, stop: this.stop });
  }
}

/**
 * The address, then the code that went there, and the way back.
 * @param options `flow`: a CodeFlow, or one that has it as `oneTime`;
 *   `path` of the request for a code, which has `with` beside the address;
 *   `set`: the backdrop; `put(form)` shows a form;
 *   `contact` and `code`: texts of the two forms; `foot()` returns what is below them;
 *   `sent`: the contact and the answer to its request, if the first code is on its way already;
 *   `verify(effect, answer, target)` sends the code; its answer is an event of the flow;
 *   `painted(effects, send)`: called after each event; returns whether it shows another form
 * @returns `send(event)` and `stop()`
 */
export function codeSteps(options) {
  const { send, stop } = new CodeSteps(options);
  return { send, stop };
}

function contactField({ oneTime, send, note, autocomplete }) {
  const input = fieldOfFlow({
    label: t('field.contact'),
    name: 'contact',
    inputmode: 'email',
    autocomplete,
    note,
    check: (text) => oneTime.form.isValid('contact') && text ? null : t('field.contactLike'),
  });
  input.value = oneTime.contact;
  input.follow({
    display: () => oneTime.form.display('contact'),
    typed: (text) => send({ type: 'typedContact', text }),
  });
  return input;
}
function contactForm(
  { oneTime, send, set, heading, note, autocomplete = 'username', button: words, foot },
) {
  const error = formError();
  const paintFailure = failurePainter(error);
  const button = submitBtn('big wide', words);
  const contact = contactField({ oneTime, send, note, autocomplete });
  const submit = () => {
    send({ type: 'submitContact' });
    if (!oneTime.isLoading && contact.input.isConnected) contact.input.focus();
  };
  let isLoading = false;
  const paintLoading = () => {
    if (oneTime.isLoading === isLoading) return;
    isLoading = oneTime.isLoading;
    setBusy(button, isLoading, isLoading ? t('code.sending') : words);
    if (isLoading) announce(t('code.sending'));
  };
  return {
    node: entranceForm(heading, submit, contact.node, error.node, button, foot),
    focus: () => contact.input.focus(),
    paint(effects) {
      contact.lock(oneTime.isLoading);
      contact.paint();
      paintLoading();
      button.setAttribute('aria-disabled', !oneTime.canSubmit);
      set.light(oneTime.canSubmit ? LIGHT.contactValid : 0);
      paintFailure(oneTime.failure);
      if (emits(effects, 'contact.failure')) contact.input.focus();
    },
  };
}

/** The countdown to the next code, then the button that asks for it. */
function codeWait(screen, again) {
  const ring = countdownRing();
  const node = h('div', 'code-wait');
  let total = 1;
  return {
    node,
    /** @param isNew whether the countdown began anew */
    paint(isNew) {
      const seconds = screen.countdown;
      total = Math.max(isNew ? 1 : total, seconds);
      ring.set(seconds, total);
      if (seconds > 0) {
        if (ring.node.isConnected) return;
        setChildren(node, ring.node, h('p', 'small', t('code.wait')));
      } else if (!again.isConnected) {
        setChildren(node, h('p', 'small', t('code.missed')), again);
        announce(t('code.now'));
      }
    },
  };
}
/** The state of a code's boxes. */
function boxesState({ isOver, isLoading, failure }) {
  if (isOver) return 'done';
  if (isLoading) return 'loading';
  return failure?.code === 'codeWrong' ? 'wrong' : 'open';
}
function announceCode(screen, effects) {
  if (screen.isLoading && emits(effects, 'code.loading')) announce(t('code.checking'));
  if (emits(effects, 'code.newCodeRequested')) announce(t('code.renewed'));
}
/** Where the code went, and how long it is valid. */
function destination(says, oneTime, validFor) {
  const values = {
    contact: h('bdi', 'strong', oneTime.sentTo),
    time: unit(Math.round(validFor / 60), 'minute', true),
  };
  return h('p', { class: 'soft', id: 'where' }, textParts(says, values));
}
/**
 * The form for a code.
 * @param options `oneTime`: a CodeFlow whose code was sent, and `send(event)` to it; `set`: the
 *   backdrop; `heading` and `says`: its texts; `validFor` in seconds; `foot`: what is below it;
 *   `onback()` leads back to the address
 */
export function codeForm(
  {
    oneTime,
    send,
    set,
    heading,
    says = 'code.sent',
    validFor,
    foot,
    onback = () => send({ type: 'back' }),
  },
) {
  const screen = oneTime.code;
  const error = formError();
  const paintFailure = failurePainter(error);
  const entry = codeField({
    ontyped: (text) => send({ type: 'typedCode', text }),
    describedby: 'where',
  });
  const again = btn('line', () => send({ type: 'sendAgain' }), t('code.again'));
  const wait = codeWait(screen, again);
  // A whole code submits itself; the button is for one that did not arrive.
  const retryProps = { class: 'btn primary wide', type: 'submit', hidden: true };
  const retry = h('button', retryProps, t('do.retry'));
  const node = entranceForm(
    heading,
    () => send({ type: 'submitCode' }),
    destination(says, oneTime, validFor),
    entry.node,
    error.node,
    retry,
    wait.node,
    h('div', 'entrance-links', btn('link', onback, t('code.otherAddress')), foot),
  );
  wait.paint();
  return {
    node,
    focus: () => entry.input.focus(),
    paint(effects) {
      entry.set(screen.text);
      entry.state(boxesState(screen));
      again.disabled = screen.isLocked;
      retry.hidden = !screen.canSubmit;
      set.light(screen.isLoading ? LIGHT.codeLoading : LIGHT.code);
      if (emits(effects, 'code.countdown')) wait.paint(emits(effects, 'code.countdownIsRunning'));
      announceCode(screen, effects);
      paintFailure(shownFailure(screen));
      const mustType = emits(effects, 'code.failure') || emits(effects, 'code.newCodeRequested');
      if (mustType) entry.input.focus();
    },
  };
}

const failuresWithTries = new WeakMap();
/** The failure with the tries that a code has left; the same value for the same failure. */
function shownFailure({ failure, triesLeft }) {
  if (!failure || triesLeft === null) return failure;
  if (!failuresWithTries.has(failure)) {
    const hint = t('code.tries', { count: triesLeft });
    failuresWithTries.set(failure, { message: failure.message, hint });
  }
  return failuresWithTries.get(failure);
}
