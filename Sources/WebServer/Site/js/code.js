// Login by a one-time code.
import { h, clear } from './dom.js';
import { postOpen } from './api.js';
import { stageSet } from './stage.js';
import { contactForm, codeForm } from './code-entry.js';
import { field, busyButton, formError } from './forms.js';
import { brand } from './stage.js';
import { welcome } from './login.js';

export const title = 'Log in with a code';

export function show(main, { enter }) {
  const set = stageSet(main);
  let current;
  const put = (form) => { current?.stop?.(); current = form; clear(set.inside, form.node); form.focus(); };
  const links = () => h('div', { class: 'door-links' }, h('a', { class: 'btn link', href: '/login' }, 'Use a password'), h('a', { class: 'btn link', href: '/reset' }, 'Forgot your password?'));
  const first = (contact = '') => put(contactForm({ heading: 'Log in with a code', button: 'Send a code', path: '/login-codes', set, foot: links(), contact, onsent: second }));
  function second(sent, target) {
    put(codeForm({ heading: 'Enter the code', sent, target, path: '/login-codes', set, onback: () => first(target.email ?? target.phone), foot: h('a', { class: 'btn link', href: '/login' }, 'Use a password'),
      use: async (request, oneTimeCode) => {
        try { await open({ request, oneTimeCode }); } catch (failure) {
          if (failure.code !== 'secondFactorNeeded') throw failure;
          put(factorForm({ request, oneTimeCode }));
        }
      } }));
  }
  async function open(proof) {
    const { user } = await postOpen('/sessions', { ...proof, cookie: true });
    await welcome(set, h('button', {}), user.name, enter);
  }
  /** An account with a second factor asks for its code as well. */
  function factorForm(proof) {
    const error = formError(), button = h('button', { class: 'btn primary big wide', type: 'submit', 'aria-disabled': 'true' }, 'Log in');
    const one = field({ label: 'Code of your authenticator app', name: 'code', autocomplete: 'one-time-code', inputmode: 'numeric', note: 'Six digits, or one of your recovery codes.', check: (text) => (text.trim() ? null : 'Enter the code.'), onchange: () => { button.setAttribute('aria-disabled', !one.valid); if (/^\d{6}$/.test(one.value)) node.requestSubmit(); } });
    const node = h('form', { class: 'card door-card', novalidate: true, 'aria-labelledby': 'hello' }, brand(), h('h1', { class: 'title-2', id: 'hello' }, 'One more code'), one.node, error.node, button);
    let isLoading = false;
    node.addEventListener('submit', async (event) => {
      event.preventDefault();
      if (isLoading || !one.valid) { one.look('submit'); return; }
      isLoading = true; error.hide(); one.lock(true); busyButton(button, true, 'Logging in …');
      try { await open({ ...proof, code: one.value.trim() }); } catch (failure) { isLoading = false; one.lock(false); busyButton(button, false, 'Log in'); one.clear(); error.show(failure); one.input.focus(); }
    });
    return { node, focus: () => one.input.focus() };
  }
  first();
  return () => current?.stop?.();
}
