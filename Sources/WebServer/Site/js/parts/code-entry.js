// A one-time code: where it goes, six boxes, the countdown to the next. Login, reset and others use these forms;
// code-flow.js says what they do.
import { announce, btn, h, setChildren, submitBtn } from '../base/dom.js';
import { postOpen } from '../base/api.js';
import { busyButton, codeField, countdownRing, field, formError } from './forms.js';
import { drive, emits, failurePainter } from '../model/flow.js';
import { CodeFlow } from '../model/code-flow.js';
import { isPhone } from '../base/contacts.js';
import { entranceForm } from './backdrop.js';
import { t, textParts, unit } from '../base/text.js';

export const codeFlow = () =>
  new CodeFlow({
    name: 'contact',
    label: t('field.contact'),
    hidesMistakeOnEdit: true,
    rules: [{ rule: 'any', rules: [{ rule: 'email' }, { rule: 'phone' }] }],
  });

/**
 * The address, then the code that went there, and the way back.
 * @param flow a CodeFlow, or one that has it as `oneTime`
 * @param path of the request for a code, which has `with` beside the address
 * @param put shows a form
 * @param sent the contact and the answer to its request, if the first code is on its way already
 * @param verify sends the code; its answer is an event of the flow
 * @param painted called after each event with its effects
 */
export function codeSteps(
  {
    flow = codeFlow(),
    path,
    with: also = {},
    set,
    put,
    contact = {},
    code,
    foot,
    sent,
    verify,
    painted,
  },
) {
  const oneTime = flow.oneTime ?? flow,
    target = (contact) => ({
      ...also,
      ...(isPhone(contact) ? { phone: contact } : { email: contact }),
    });
  let validFor = sent?.answer.validFor, shown;
  const { send, stop } = drive(flow, {
    paint,
    work: (
      effect,
      answer,
    ) => (effect.start === 'request'
      ? request(effect.contact, answer)
      : verify(effect, answer, target(oneTime.contact))),
  });
  async function request(contact, answer) {
    try {
      const made = await postOpen(path, target(contact));
      validFor = made.validFor;
      answer({ type: 'requested', ticket: ticketOf(made) });
    } catch (failure) {
      answer({ type: 'requested', failure });
    }
  }
  function show() {
    const make = oneTime.step === 'contact'
      ? () => contactForm({ ...contact, oneTime, send, set, foot: foot() })
      : () => codeForm({ ...code, oneTime, send, set, foot: foot(), validFor });
    shown = { step: oneTime.step, ...make() };
    put({ ...shown, stop });
  }
  function paint(effects) {
    // Another form is shown in place of these.
    if (painted?.(effects, send)) {
      shown = undefined;
      return;
    }
    if (shown?.step !== oneTime.step) show();
    shown.paint(effects);
  }
  if (sent) {
    flow.receive({ type: 'typedContact', text: sent.contact });
    flow.receive({ type: 'submitContact' });
    send({ type: 'requested', ticket: ticketOf(sent.answer) });
  } else send({ type: 'appeared' });
  return { send, stop };
}
const ticketOf = ({ request, resendAfter }) => ({ request, length: 6, wait: resendAfter });

function contactForm({ oneTime, send, set, heading, note, button: words, foot }) {
  const error = formError(),
    paintFailure = failurePainter(error),
    button = submitBtn('big wide', words);
  const one = field({
    label: t('field.contact'),
    name: 'contact',
    autocomplete: 'username',
    note,
    check: (text) => (oneTime.form.isValid('contact') && text ? null : t('field.contactLike')),
  });
  one.value = oneTime.contact;
  one.follow({
    display: () => oneTime.form.display('contact'),
    typed: (text) => send({ type: 'typedContact', text }),
  });
  const node = entranceForm(
    heading,
    () => {
      send({ type: 'submitContact' });
      if (!oneTime.isLoading && one.input.isConnected) one.input.focus();
    },
    one.node,
    error.node,
    button,
    foot,
  );
  let isLoading = false;
  return {
    node,
    focus: () => one.input.focus(),
    paint(effects) {
      one.lock(oneTime.isLoading);
      one.paint();
      if (oneTime.isLoading !== isLoading) {
        isLoading = oneTime.isLoading;
        busyButton(button, isLoading, isLoading ? t('code.sending') : words);
        if (isLoading) announce(t('code.sending'));
      }
      button.setAttribute('aria-disabled', !oneTime.canSubmit);
      set.light(oneTime.canSubmit ? 1 / 3 : 0);
      paintFailure(oneTime.failure);
      if (emits(effects, 'contact.failure')) one.input.focus();
    },
  };
}

function codeForm(
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
  const screen = oneTime.code,
    error = formError(),
    paintFailure = failurePainter(error),
    ring = countdownRing();
  const entry = codeField({
    ontyped: (text) => send({ type: 'typedCode', text }),
    describedby: 'where',
  });
  const again = btn('line', () => send({ type: 'sendAgain' }), t('code.again')),
    wait = h('div', 'code-wait');
  // A whole code submits itself; the button is for one that did not arrive.
  const retry = h(
    'button',
    { class: 'btn primary wide', type: 'submit', hidden: true },
    t('do.retry'),
  );
  const node = entranceForm(
    heading,
    () => send({ type: 'submitCode' }),
    h(
      'p',
      { class: 'soft', id: 'where' },
      textParts(says, {
        contact: h('bdi', 'strong', oneTime.sentTo),
        time: unit(Math.round(validFor / 60), 'minute', true),
      }),
    ),
    entry.node,
    error.node,
    retry,
    wait,
    h('div', 'entrance-links', btn('link', onback, t('code.otherAddress')), foot),
  );
  let total = 1;
  function paintCountdown() {
    total = Math.max(total, screen.countdown);
    ring.set(screen.countdown, total);
    if (screen.countdown > 0) {
      if (!ring.node.isConnected) setChildren(wait, ring.node, h('p', 'small', t('code.wait')));
      return;
    }
    if (again.isConnected) return;
    setChildren(wait, h('p', 'small', t('code.missed')), again);
    announce(t('code.now'));
  }
  paintCountdown();
  return {
    node,
    focus: () => entry.input.focus(),
    paint(effects) {
      entry.set(screen.text);
      entry.state(
        screen.isOver
          ? 'done'
          : screen.isLoading
          ? 'loading'
          : screen.failure?.code === 'codeWrong'
          ? 'wrong'
          : 'open',
      );
      again.disabled = screen.isLocked;
      retry.hidden = !screen.canSubmit;
      set.light(screen.isLoading ? 2 / 3 : 1 / 3);
      if (emits(effects, 'code.countdown')) {
        if (emits(effects, 'code.countdownIsRunning')) total = 1;
        paintCountdown();
      }
      if (screen.isLoading && emits(effects, 'code.loading')) announce(t('code.checking'));
      if (emits(effects, 'code.newCodeRequested')) announce(t('code.renewed'));
      const { failure, triesLeft } = screen;
      paintFailure(failure && triesLeft !== null ? withTries(failure, triesLeft) : failure);
      if (emits(effects, 'code.failure') || emits(effects, 'code.newCodeRequested')) {
        entry.input.focus();
      }
    },
  };
}
const worded = new WeakMap();
/** The failure with the tries that a code has left; the same value for the same failure. */
function withTries(failure, count) {
  if (!worded.has(failure)) {
    worded.set(failure, { message: failure.message, hint: t('code.tries', { count }) });
  }
  return worded.get(failure);
}
