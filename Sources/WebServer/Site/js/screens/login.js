// Login: the form, and the form for the second factor. login-flow.js says what they do.
import { announce, btn, h, isMotionReduced, setChildren, submitBtn } from '../base/dom.js';
import { icon } from '../base/icons.js';
import { postOpen } from '../base/api.js';
import { busyButton, CHECK, field, followForm, formError } from '../parts/forms.js';
import { backdrop, entranceForm } from '../parts/backdrop.js';
import { languageChoice } from '../parts/language.js';
import { greeting } from './greeting.js';
import { assemble } from '../base/assemble.js';
import { drive, emits, failurePainter } from '../model/flow.js';
import { LoginFlow } from '../model/login-flow.js';
import { t, textParts } from '../base/text.js';

export const title = () => t('login.title');

export const show = (main, app) => assemble({ create, configure, layOut, bind }, main, app);

function create(main) {
  return {
    flow: new LoginFlow(),
    set: backdrop(main),
    error: formError(),
    email: field({
      label: t('field.email'),
      name: 'email',
      type: 'email',
      autocomplete: 'username',
      inputmode: 'email',
      check: CHECK.email,
    }),
    password: field({
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
function layOut({ set, form, email, password, error, button }) {
  form.append(
    email.node,
    password.node,
    error.node,
    button,
    h(
      'div',
      'entrance-links',
      h('a', { class: 'btn link', href: '/code' }, t('code.title')),
      h('a', { class: 'btn link', href: '/reset' }, t('reset.forgot')),
    ),
    h(
      'p',
      'entrance-foot small',
      textParts('login.invited', { link: h('a', { href: '/register' }, t('register.title')) }),
      ' · ',
      textParts('login.guest', { link: h('a', { href: '/guest' }, t('login.pass')) }),
    ),
    languageChoice(),
  );
  set.inside.append(form);
}
function bind({ flow, set, form, email, password, error, button }, { enter }) {
  const { send } = drive(flow, { paint, work: logIn }),
    paintFailure = failurePainter(error),
    both = [email, password];
  let isLoading = false, factor;
  followForm(both, flow, send);
  form.addEventListener('submit', () => {
    send({ type: 'submit' });
    if (!flow.isLoading) both.find((one) => !flow.form.isValid(one.input.name))?.input.focus();
  });
  send({ type: 'appeared' });

  function paint(effects) {
    if (flow.step === 'secondFactor') {
      paintFactor(effects);
      return;
    }
    if (factor) {
      factor = undefined;
      setChildren(set.inside, form);
    }
    for (const one of both) {
      one.lock(flow.isLoading);
      one.paint();
    }
    if (flow.isLoading !== isLoading) {
      isLoading = flow.isLoading;
      busyButton(button, isLoading, t(isLoading ? 'login.busy' : 'login.go'));
    }
    button.setAttribute('aria-disabled', !flow.canSubmit);
    set.light(both.filter((one) => flow.form.isValid(one.input.name)).length / 2);
    if (emits(effects, 'loading') && isLoading) announce(t('login.busy'));
    paintFailure(flow.failure);
    if (emits(effects, 'failure')) refused();
    if (flow.person) welcome(set, button, flow.person, enter);
  }
  function refused() {
    if (flow.failure.kind === 'network') {
      button.focus();
      return;
    }
    password.input.focus();
    password.input.select();
  }
  function paintFactor(effects) {
    if (!factor) {
      factor = factorForm({
        flow,
        set,
        send,
        enter,
        onback: () => {
          send({ type: 'backFromFactor' });
          email.input.focus();
        },
      });
      setChildren(set.inside, factor.node);
      factor.focus();
    }
    factor.paint(effects);
  }
}

/** Asks the controller for a session. */
export async function logIn({ start: _, ...proof }, send) {
  try {
    const { user } = await postOpen('/sessions', { ...proof, cookie: true });
    send({ type: 'loggedIn', person: user.name });
  } catch (failure) {
    send(
      failure.code === 'secondFactorNeeded'
        ? { type: 'loggedIn', secondFactorNeeded: true }
        : { type: 'loggedIn', failure },
    );
  }
}

/** The form for the code of the second factor. */
export function factorForm({ flow, set, send, enter, onback }) {
  const error = formError(),
    paintFailure = failurePainter(error),
    button = submitBtn('big wide', t('login.go'));
  const one = field({
    label: t('field.factor'),
    name: 'code',
    autocomplete: 'one-time-code',
    inputmode: 'numeric',
    note: t('field.factorNote'),
  });
  one.follow({
    display: () => (flow.factor.text ? 'editing' : 'pristine'),
    typed: (text) => send({ type: 'typedFactor', text }),
  });
  const back = btn('quiet wide', onback, icon('arrowBack'), t('login.other'));
  const node = entranceForm(
    t('code.oneMore'),
    () => {
      send({ type: 'submit' });
      if (!flow.isLoading) one.input.focus();
    },
    one.node,
    error.node,
    button,
    back,
  );
  announce(t('login.askFactor'));
  let isLoading = false;
  return {
    node,
    focus: () => one.input.focus(),
    paint(effects) {
      if (!flow.factor.text && one.value) one.value = '';
      one.lock(flow.isLoading);
      one.paint();
      if (flow.isLoading !== isLoading) {
        isLoading = flow.isLoading;
        busyButton(button, isLoading, t(isLoading ? 'login.busy' : 'login.go'));
        back.disabled = isLoading;
      }
      button.setAttribute('aria-disabled', !flow.canSubmit);
      set.light(flow.canSubmit ? 1 : 2 / 3);
      paintFailure(flow.failure);
      if (emits(effects, 'failure')) one.input.focus();
      if (flow.person) welcome(set, button, flow.person, enter);
    },
  };
}

/** The curtain opens, then the theater. */
export async function welcome(set, button, name, enter) {
  set.light(1);
  set.open();
  button.replaceChildren(icon('check'), t('login.welcome'));
  announce(t('login.welcomeName', { name }));
  await new Promise((done) => {
    setTimeout(done, isMotionReduced() ? 0 : 650);
  });
  await enter();
}
