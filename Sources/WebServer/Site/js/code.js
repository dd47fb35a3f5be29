// Login by a one-time code.
import { h, clear } from './dom.js';
import { postOpen } from './api.js';
import { stageSet } from './stage.js';
import { contactForm, codeForm } from './code-entry.js';
import { field, busyButton, formError } from './forms.js';
import { brand } from './stage.js';
import { welcome } from './login.js';
import { t } from './text.js';

export const title = t('code.title');

export function show(main, { enter }) {
  const set = stageSet(main);
  let current;
  const put = (form) => { current?.stop?.(); current = form; clear(set.inside, form.node); form.focus(); };
  const links = () => h('div', { class: 'door-links' }, h('a', { class: 'btn link', href: '/login' }, t('code.password')), h('a', { class: 'btn link', href: '/reset' }, t('reset.forgot')));
  const first = (contact = '') => put(contactForm({ heading: title, button: t('code.send'), path: '/login-codes', set, foot: links(), contact, onsent: second }));
  function second(sent, target) {
    put(codeForm({ heading: t('code.enter'), sent, target, path: '/login-codes', set, onback: () => first(target.email ?? target.phone), foot: h('a', { class: 'btn link', href: '/login' }, t('code.password')),
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
    const error = formError(), button = h('button', { class: 'btn primary big wide', type: 'submit', 'aria-disabled': 'true' }, t('login.go'));
    const one = field({ label: t('field.factor'), name: 'code', autocomplete: 'one-time-code', inputmode: 'numeric', note: t('field.factorNote'), check: (text) => (text.trim() ? null : t('field.codeMissing')), onchange: () => { button.setAttribute('aria-disabled', !one.valid); if (/^\d{6}$/.test(one.value)) node.requestSubmit(); } });
    const node = h('form', { class: 'card door-card', novalidate: true, 'aria-labelledby': 'hello' }, brand(), h('h1', { class: 'title-2', id: 'hello' }, t('code.oneMore')), one.node, error.node, button);
    let isLoading = false;
    node.addEventListener('submit', async (event) => {
      event.preventDefault();
      if (isLoading || !one.valid) { one.look('submit'); return; }
      isLoading = true; error.hide(); one.lock(true); busyButton(button, true, t('login.busy'));
      try { await open({ ...proof, code: one.value.trim() }); } catch (failure) { isLoading = false; one.lock(false); busyButton(button, false, t('login.go')); one.clear(); error.show(failure); one.input.focus(); }
    });
    return { node, focus: () => one.input.focus() };
  }
  first();
  return () => current?.stop?.();
}
