// Login: the form, and the form for the second factor. login-flow.js says what they do.
import { postOpen } from '../base/api.js';
import { assemble } from '../base/assemble.js';
import { btn, h, setChildren, submitBtn } from '../base/dom.js';
import { announce } from '../base/messages.js';
import { formIcon } from '../base/form-icons.js';
import { t, textParts } from '../base/text.js';
import { drive, emits, failurePainter } from '../model/flow.js';
import { LoginFlow } from '../model/login-flow.js';
import { backdrop, entranceForm } from '../parts/backdrop.js';
import { canDeliver, entranceFacts } from '../parts/entrance-facts.js';
import { CHECK, fieldOfFlow, followForm, formError, setBusy } from '../parts/forms.js';
import { languageChoice } from '../parts/language.js';
import { greeting } from './greeting.js';

export const title = () => t('login.title');

// How much of the backdrop is lit by the form for the second factor.
const LIGHT = { factor: 2 / 3, factorTyped: 1 };

export async function show(main, app) {
  const facts = await entranceFacts();
  const createParts = () => create(main, facts);
  return assemble({ create: createParts, configure, layOut, bind }, main, app);
}

function create(main, facts) {
  return {
    facts,
    flow: new LoginFlow(),
    set: backdrop(main),
    error: formError(),
    email: fieldOfFlow({
      label: t('field.email'),
      name: 'email',
      type: 'email',
      autocomplete: 'username',
      inputmode: 'email',
      check: CHECK.email,
    }),
    password: fieldOfFlow({
      label: t('field.password'),
      name: 'password',
      secret: true,
      autocomplete: 'current-password',
      check: CHECK.any,
    }),
    button: submitBtn('big wide', t('login.go')),
    form: entranceForm(greeting()),
  };
}
function configure({ button }) {
  button.setAttribute('aria-disabled', 'true');
}
function layOut({ facts, set, form, email, password, error, button }) {
  const links = canDeliver(facts)
    ? h(
      'div',
      'entrance-links',
      h('a', { class: 'btn link', href: '/code' }, t('code.title')),
      h('a', { class: 'btn link', href: '/reset' }, t('reset.forgot')),
    )
    : '';
  const foot = h(
    'p',
    'entrance-foot small',
    textParts('login.invited', { link: h('a', { href: '/register' }, t('register.title')) }),
    ' · ',
    textParts('login.guest', { link: h('a', { href: '/guest' }, t('login.pass')) }),
  );
  form.append(email.node, password.node, error.node, button, links, foot, languageChoice());
  const notice = facts.needsOwner ? setupNotice() : endNotice();
  set.inside.append(...[notice, form].filter(Boolean));
}
/** Says that nobody has set the theater up, and where its setup code stands. */
const setupNotice = () =>
  h(
    'section',
    { class: 'card entrance-card', 'aria-labelledby': 'set-up' },
    h('h1', { class: 'title-3', id: 'set-up' }, t('login.noOwner')),
    h('p', 'soft', t('login.setUp')),
    h('a', { class: 'btn primary big wide', href: '/register' }, t('login.setUpGo')),
  );
/** Says once why the page has led to the login, if a session has ended by itself or elsewhere. */
function endNotice() {
  if (!sessionStorage.getItem('theater-ended')) return undefined;
  sessionStorage.removeItem('theater-ended');
  announce(t('login.ended'));
  return h('p', { class: 'card entrance-note', role: 'status' }, t('login.ended'));
}
function bind(parts, { enter }) {
  const { flow, form, email, password } = parts;
  const fields = [email, password];
  const { send } = drive(flow, { paint: (effects) => paint(effects), work: logIn });
  const paintPassword = passwordPainter(parts, enter);
  let factor;
  followForm(fields, flow, send);
  form.addEventListener('submit', () => {
    send({ type: 'submit' });
    if (!flow.isLoading) firstInvalid(flow, fields)?.input.focus();
  });
  send({ type: 'appeared' });

  function paint(effects) {
    if (flow.step === 'secondFactor') {
      if (!factor) showFactor();
      factor.paint(effects);
      return;
    }
    if (factor) setChildren(parts.set.inside, form);
    factor = undefined;
    paintPassword(effects);
  }
  function showFactor() {
    const goBack = () => {
      send({ type: 'backFromFactor' });
      email.input.focus();
    };
    factor = factorForm({ flow, set: parts.set, send, enter, onback: goBack });
    setChildren(parts.set.inside, factor.node);
    factor.focus();
  }
}
const isValid = (flow, { input }) => flow.form.isValid(input.name);
const firstInvalid = (flow, fields) => fields.find((one) => !isValid(flow, one));

/** Returns a function that shows the state of the form for the address and the password. */
function passwordPainter({ flow, set, email, password, error, button }, enter) {
  const fields = [email, password];
  const paintFailure = failurePainter(error);
  const paintLoading = loadingPainter(flow, button);
  const focusAfterFailure = () => {
    if (flow.failure.kind === 'network') {
      button.focus();
      return;
    }
    const refused = fields.find(({ input }) => input.name === flow.failure.field) ?? password;
    refused.input.focus();
    refused.input.select();
  };
  return (effects) => {
    for (const one of fields) {
      one.lock(flow.isLoading);
      one.paint();
    }
    paintLoading();
    button.setAttribute('aria-disabled', !flow.canSubmit);
    set.light(fields.filter((one) => isValid(flow, one)).length / fields.length);
    if (emits(effects, 'loading') && flow.isLoading) announce(t('login.busy'));
    paintFailure(flow.failure);
    if (emits(effects, 'failure')) focusAfterFailure();
    if (flow.person) welcome(set, button, flow.person, enter);
  };
}
/** Returns a function that shows on the button whether the flow is loading. */
function loadingPainter(flow, button) {
  let isLoading = false;
  return () => {
    if (flow.isLoading === isLoading) return;
    isLoading = flow.isLoading;
    setBusy(button, isLoading, t(isLoading ? 'login.busy' : 'login.go'));
  };
}

/** Asks the controller for a session. */
export async function logIn({ start: _, ...proof }, send) {
  try {
    const { user } = await postOpen('/sessions', { ...proof, cookie: true });
    send({ type: 'loggedIn', person: user.name });
  } catch (failure) {
    const needsFactor = failure.code === 'secondFactorNeeded';
    send({ type: 'loggedIn', ...(needsFactor ? { secondFactorNeeded: true } : { failure }) });
  }
}

function factorField(flow, send) {
  const code = fieldOfFlow({
    label: t('field.factor'),
    name: 'code',
    // A recovery code has letters: no `inputmode` of digits.
    autocomplete: 'one-time-code',
    note: t('field.factorNote'),
  });
  code.follow({
    display: () => flow.factor.text ? 'editing' : 'pristine',
    typed: (text) => send({ type: 'typedFactor', text }),
  });
  return code;
}
/** The form for the code of the second factor. */
export function factorForm({ flow, set, send, enter, onback }) {
  const error = formError();
  const paintFailure = failurePainter(error);
  const button = submitBtn('big wide', t('login.go'));
  const paintLoading = loadingPainter(flow, button);
  const code = factorField(flow, send);
  const back = btn('quiet wide', onback, formIcon('arrowBack'), t('login.other'));
  const submit = () => {
    send({ type: 'submit' });
    if (!flow.isLoading) code.input.focus();
  };
  announce(t('login.askFactor'));
  return {
    node: entranceForm(t('code.oneMore'), submit, code.node, error.node, button, back),
    focus: () => code.input.focus(),
    paint(effects) {
      if (!flow.factor.text && code.value) code.value = '';
      code.lock(flow.isLoading);
      code.paint();
      paintLoading();
      back.disabled = flow.isLoading;
      button.setAttribute('aria-disabled', !flow.canSubmit);
      set.light(flow.canSubmit ? LIGHT.factorTyped : LIGHT.factor);
      paintFailure(flow.failure);
      if (emits(effects, 'failure')) code.input.focus();
      if (flow.person) welcome(set, button, flow.person, enter);
    },
  };
}

/** Opens the theater; the curtain opens while that loads. */
export async function welcome(set, button, name, enter) {
  set.light(1);
  set.open();
  button.replaceChildren(formIcon('check'), t('login.welcome'));
  announce(t('login.welcomeName', { name }));
  await enter();
}
