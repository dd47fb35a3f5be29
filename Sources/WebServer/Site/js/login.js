// Login: the form on the stage.
import { h, announce } from './dom.js';
import { icon } from './icons.js';
import { postOpen } from './api.js';
import { field, CHECK, busyButton, formError, sentence } from './forms.js';
import { stageSet, brand } from './stage.js';
import { greeting } from './greeting.js';
import { assemble } from './assemble.js';

export const title = 'Log in';

export const show = (main, app) => assemble({ create, configure, layOut, bind }, main, app);

function create(main) {
  return {
    set: stageSet(main), error: formError(),
    email: field({ label: 'E-mail address', name: 'email', type: 'email', autocomplete: 'username', inputmode: 'email', check: CHECK.email, hidesMistakeOnEdit: true }),
    password: field({ label: 'Password', name: 'password', secret: true, autocomplete: 'current-password', check: CHECK.any, hidesMistakeOnEdit: true }),
    factor: field({ label: 'Code of your authenticator app', name: 'code', autocomplete: 'one-time-code', inputmode: 'numeric', note: 'Six digits, or one of your recovery codes.', check: (text) => (text.trim() ? null : 'Enter the code.'), hidesMistakeOnEdit: true }),
    button: h('button', { class: 'btn primary big wide', type: 'submit' }, 'Log in'),
    back: h('button', { class: 'btn quiet wide', type: 'button' }, icon('arrowBack'), 'Another account'),
    form: h('form', { class: 'card door-card', novalidate: true, 'aria-labelledby': 'hello' }),
  };
}
function configure({ factor, back, button }) {
  button.setAttribute('aria-disabled', 'true');
  factor.node.hidden = true; back.hidden = true;
}
function layOut({ set, form, email, password, factor, error, button, back }) {
  form.append(brand(), h('h1', { class: 'title-2', id: 'hello' }, greeting()), email.node, password.node, factor.node, error.node, button, back,
    h('div', { class: 'door-links' }, h('a', { class: 'btn link', href: '/code' }, 'Log in with a code'), h('a', { class: 'btn link', href: '/reset' }, 'Forgot your password?')),
    h('p', { class: 'door-foot small' }, 'Invited? ', h('a', { href: '/register' }, 'Register'), ' · Guest? ', h('a', { href: '/guest' }, 'Use your pass')));
  set.inside.append(form);
}
function bind({ set, form, email, password, factor, error, button, back }, { enter }) {
  let needsFactor = false, isLoading = false;
  for (const one of [email, password]) one.changed(follow);
  factor.changed(type);
  form.addEventListener('submit', (event) => { event.preventDefault(); submit(); });
  back.addEventListener('click', restart);
  follow();

  function fields() { return needsFactor ? [factor] : [email, password]; }
  function follow() {
    const valid = fields().filter((one) => one.valid).length;
    button.setAttribute('aria-disabled', valid < fields().length);
    set.light(needsFactor ? 2 / 3 + valid / 3 : valid / 2);
  }
  function type() { follow(); if (/^\d{6}$/.test(factor.value)) submit(); }
  function lock(on) {
    isLoading = on;
    for (const one of fields()) one.lock(on);
    busyButton(button, on, on ? 'Logging in …' : 'Log in'); back.disabled = on;
  }
  async function submit() {
    if (isLoading) return;
    error.hide();
    const wrong = fields().filter((one) => !one.valid);
    if (wrong.length) { for (const one of wrong) one.look('submit'); wrong[0].input.focus(); return; }
    lock(true); announce('Logging in');
    try {
      const session = await postOpen('/sessions', { email: email.value, password: password.value, cookie: true, ...(needsFactor && { code: factor.value.trim() }) });
      await welcome(set, button, session.user.name, enter);
    } catch (failure) { refuse(failure); }
  }
  function refuse(failure) {
    lock(false);
    if (failure.code === 'secondFactorNeeded' && !needsFactor) { askFactor(); return; }
    error.show(failure);
    if (needsFactor) { factor.clear(); factor.input.focus(); }
    else if (failure.code === 'network') button.focus();
    else { password.clear(); password.input.focus(); }
    follow();
  }
  function askFactor() {
    needsFactor = true;
    email.node.hidden = password.node.hidden = true; factor.node.hidden = back.hidden = false;
    announce('Enter the code of your authenticator app'); follow(); factor.input.focus();
  }
  function restart() {
    needsFactor = false; error.hide();
    for (const one of [email, password, factor]) one.clear();
    email.node.hidden = password.node.hidden = false; factor.node.hidden = back.hidden = true;
    follow(); email.input.focus();
  }
}

/** The curtain opens, then the theater. */
export async function welcome(set, button, name, enter) {
  set.light(1); set.open();
  button.replaceChildren(icon('check'), 'Welcome');
  announce(sentence(`Welcome, ${name}`));
  await new Promise((done) => { setTimeout(done, matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : 650); });
  await enter();
}
