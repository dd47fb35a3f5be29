// Login: the form on the stage.
import { h, announce } from './dom.js';
import { icon } from './icons.js';
import { postOpen } from './api.js';
import { field, CHECK, busyButton, formError } from './forms.js';
import { stageSet, brand } from './stage.js';
import { languageChoice } from './language.js';
import { greeting } from './greeting.js';
import { assemble } from './assemble.js';
import { t, parts } from './text.js';

export const title = t('login.title');

export const show = (main, app) => assemble({ create, configure, layOut, bind }, main, app);

function create(main) {
  return {
    set: stageSet(main), error: formError(),
    email: field({ label: t('field.email'), name: 'email', type: 'email', autocomplete: 'username', inputmode: 'email', check: CHECK.email, hidesMistakeOnEdit: true }),
    password: field({ label: t('field.password'), name: 'password', secret: true, autocomplete: 'current-password', check: CHECK.any, hidesMistakeOnEdit: true }),
    factor: field({ label: t('field.factor'), name: 'code', autocomplete: 'one-time-code', inputmode: 'numeric', note: t('field.factorNote'), check: (text) => (text.trim() ? null : t('field.codeMissing')), hidesMistakeOnEdit: true }),
    button: h('button', { class: 'btn primary big wide', type: 'submit' }, t('login.go')),
    back: h('button', { class: 'btn quiet wide', type: 'button' }, icon('arrowBack'), t('login.other')),
    form: h('form', { class: 'card door-card', novalidate: true, 'aria-labelledby': 'hello' }),
  };
}
function configure({ factor, back, button }) {
  button.setAttribute('aria-disabled', 'true');
  factor.node.hidden = true; back.hidden = true;
}
function layOut({ set, form, email, password, factor, error, button, back }) {
  form.append(brand(), h('h1', { class: 'title-2', id: 'hello' }, greeting()), email.node, password.node, factor.node, error.node, button, back,
    h('div', { class: 'door-links' }, h('a', { class: 'btn link', href: '/code' }, t('code.title')), h('a', { class: 'btn link', href: '/reset' }, t('reset.forgot'))),
    h('p', { class: 'door-foot small' }, parts('login.invited', { link: h('a', { href: '/register' }, t('register.title')) }), ' · ', parts('login.guest', { link: h('a', { href: '/guest' }, t('login.pass')) })), languageChoice());
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
    busyButton(button, on, t(on ? 'login.busy' : 'login.go')); back.disabled = on;
  }
  async function submit() {
    if (isLoading) return;
    error.hide();
    const wrong = fields().filter((one) => !one.valid);
    if (wrong.length) { for (const one of wrong) one.look('submit'); wrong[0].input.focus(); return; }
    lock(true); announce(t('login.busy'));
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
    announce(t('login.askFactor')); follow(); factor.input.focus();
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
  button.replaceChildren(icon('check'), t('login.welcome'));
  announce(t('login.welcomeName', { name }));
  await new Promise((done) => { setTimeout(done, matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : 650); });
  await enter();
}
