// The forms of the registration: the code, then the name, the e-mail address and the password.
// Each has a drawing (`art`), its `content`, its button (`next`), and the `input` for the focus.
import { btn, submitBtn } from '../base/dom.js';
import { announce } from '../base/messages.js';
import { field, fieldOfFlow, followForm, setBusy, toggleOfFlow } from '../parts/forms.js';
import { ruleList } from '../parts/rule-list.js';
import { door, seat, ticket } from '../parts/drawings.js';
import { emits } from '../model/flow.js';
import { t } from '../base/text.js';

const ACCOUNT_STEPS = ['name', 'email', 'password'];
const FAILED_OUTCOMES = ['taken', 'internalError', 'failed'];

/**
 * The form for the code.
 * @param screen its RegistrationRequests (`requests`), `error` and `backdrop`
 * @param proceed called once the code is found valid
 */
export function codeStep({ requests, error, backdrop }, proceed) {
  const button = submitBtn('big', t('do.next'));
  const code = field({
    label: t('register.codeField'),
    name: 'code',
    note: t('register.codeNote'),
    autocomplete: 'off',
    check: (text) => (text.trim() ? null : t('register.codeMissing')),
    onchange: ({ valid }) => button.setAttribute('aria-disabled', !valid),
  });
  code.value = requests.code;
  backdrop.light(0);
  button.setAttribute('aria-disabled', !code.valid);

  let isLoading = false;
  const setLoading = (loading) => {
    isLoading = loading;
    code.lock(loading);
    setBusy(button, loading, t(loading ? 'form.checking' : 'do.next'));
  };
  async function submit() {
    if (isLoading) return;
    if (!code.valid) {
      code.paint('submit');
      code.input.focus();
      return;
    }
    setLoading(true);
    try {
      await requests.checkCode(code.value.trim());
    } catch (failure) {
      setLoading(false);
      error.show(failure);
      code.input.focus();
      return;
    }
    setLoading(false);
    proceed();
  }
  return { art: ticket(), content: [code.node], input: code.input, next: button, submit };
}

/**
 * The form of the flow's current step.
 * @param screen its RegistrationFlow (`flow`, which gets events by `send`) and `backdrop`;
 *   `paintFailure` shows a failure, `setBackEnabled(isEnabled)` locks and unlocks the way back, and
 *   `mismatch` is the failure of two different passwords
 * @param beginByCode begins with an e-mail address or phone number instead of a name
 */
export function accountStep(screen, beginByCode) {
  switch (screen.flow.step) {
    case 'name':
      return nameStep(screen, beginByCode);
    case 'email':
      return emailStep(screen);
    default:
      return passwordStep(screen);
  }
}
function nameStep(screen, beginByCode) {
  const art = seat();
  const name = flowField(screen.flow, 'name', {
    label: t('field.name'),
    autocomplete: 'name',
    autocapitalize: 'words',
    note: t('register.nameNote'),
  });
  const isInvited = screen.requests.codeKind === 'invitation';
  return flowStep(screen, {
    art,
    fields: [name],
    content: [name.node, isInvited ? btn('link', beginByCode, t('newcomer.begin')) : null],
    paintArt: () => art.set?.(name.value),
  });
}
function emailStep(screen) {
  const art = ticket();
  const email = flowField(screen.flow, 'email', {
    label: t('field.email'),
    type: 'email',
    autocomplete: 'email',
    inputmode: 'email',
    note: t('register.emailNote'),
  });
  return flowStep(screen, {
    art,
    fields: [email],
    content: [email.node],
    paintArt: () => art.set?.(email.value),
  });
}
function passwordStep(screen) {
  const { form } = screen.flow;
  const { rules } = form.fields.get('password').declaration;
  const list = ruleList(rules);
  const art = door(rules.filter((rule) => !rule.advice).length);
  const passwordField = (name, label) =>
    flowField(screen.flow, name, { label, secret: true, autocomplete: 'new-password' });
  const password = passwordField('password', t('field.password'));
  const repetition = passwordField('passwordAgain', t('field.repeat'));
  const accept = toggleOfFlow({
    label: form.fields.get('accept').declaration.label,
    name: 'accept',
    check: () => form.mistake('accept'),
  });
  const paintRules = () => {
    const { report } = form.fields.get('password');
    list.update(report, form.display('password') === 'invalidShown');
    art.set(report.satisfied, report.total);
  };
  return flowStep(screen, {
    art,
    fields: [password, repetition, accept],
    content: [password.node, list.node, repetition.node, accept.node],
    buttonText: t('register.go'),
    busyText: t('register.busy'),
    paintArt: paintRules,
  });
}
const flowField = (flow, name, options) =>
  fieldOfFlow({ ...options, name, check: () => flow.form.mistake(name) });

/** The part that all steps of the flow have: the button, the look of the fields, the failure. */
function flowStep(screen, options) {
  const { art, fields, content, paintArt } = options;
  const { buttonText = t('do.next'), busyText = t('form.checking') } = options;
  const { flow, send, backdrop } = screen;
  const { step } = flow;
  const button = submitBtn('big', buttonText);
  followForm(fields, flow, send);
  // After a way back the fields hold what was typed.
  for (const one of fields) one.value = flow.form.text(one.input.name);

  let isLoading = false;
  function paintLoading() {
    if (flow.isLoading === isLoading) return;
    isLoading = flow.isLoading;
    setBusy(button, isLoading, isLoading ? busyText : buttonText);
    screen.setBackEnabled(!isLoading);
    if (isLoading) announce(busyText);
  }
  function submit() {
    send({ type: 'next' });
    if (flow.isLoading || flow.step !== step) return;
    const isInvalid = (one) => !flow.form.isValid(one.input.name);
    (fields.find(isInvalid) ?? fields[0]).input.focus();
  }
  function paint(effects = []) {
    for (const one of fields) paintField(one, flow);
    paintLoading();
    button.setAttribute('aria-disabled', !flow.canGoOn);
    const stepsDone = ACCOUNT_STEPS.indexOf(step) + (flow.canGoOn ? 1 : 0);
    backdrop.light(stepsDone / ACCOUNT_STEPS.length);
    paintArt();
    const failure = failureOf(flow, screen.mismatch);
    screen.paintFailure(failure);
    if (failure && emits(effects, 'outcome')) {
      (flow.form.areValid(flow.fields) ? button : fields[0].input).focus();
    }
  }
  return { art, content, input: fields[0].input, next: button, submit, paint };
}
function paintField(one, flow) {
  // The flow empties a field that it resets, such as both passwords after a mismatch.
  const isEmptied = !flow.form.text(one.input.name) && one.value;
  if (isEmptied) one.value = '';
  one.lock(flow.isLoading);
  one.paint();
}
/** The failure of the last attempt, which is shown above the button; `null` for none. */
function failureOf({ outcome, failure }, mismatch) {
  if (outcome === 'mismatch') return mismatch;
  return FAILED_OUTCOMES.includes(outcome) ? failure : null;
}
