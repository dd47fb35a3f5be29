// A newcomer with an invitation begins by e-mail or phone: a code, then the personal data that is still needed.
import { h, clear } from './dom.js';
import { postOpen } from './api.js';
import { contactForm, codeForm } from './code-entry.js';
import { passwordForm } from './reset.js';
import { welcome } from './login.js';
import { t } from './text.js';

const PATH = '/registrations';

/** @param onback leads back to the registration by name */
export function newcomer({ set, invitation, enter, onback }) {
  let current;
  const put = (form) => { current?.stop?.(); current = form; clear(set.inside, form.node); form.focus(); };
  const link = () => h('button', { class: 'btn link', type: 'button', onclick: () => { current.stop?.(); onback(); } }, t('newcomer.byName'));
  const first = (contact = '') => put(contactForm({ heading: t('newcomer.heading'), note: t('newcomer.note'), button: t('newcomer.send'), path: PATH, with: { invitation }, set, contact, onsent: second, foot: h('div', { class: 'door-links' }, link()) }));
  function second(sent, target) {
    put(codeForm({ heading: t('newcomer.code'), says: 'newcomer.sent', sent, target, path: PATH, set, foot: link(), onback: () => first(target.email ?? target.phone),
      // A right code without personal data is answered with 422 "empty".
      use: async (request, code) => {
        const confirm = (person) => postOpen(`${PATH}/confirmation`, { invitation, request, code, cookie: true, ...person });
        try { await confirm(); } catch (failure) { if (failure.code !== 'empty') throw failure; }
        put(await personalData(target, confirm));
      } }));
  }
  const personalData = ({ email }, confirm) => passwordForm({
    set, email, heading: t('newcomer.person'), button: t('newcomer.register'),
    also: { name: { label: t('newcomer.name'), autocomplete: 'name' }, ...(!email && { email: { label: t('newcomer.email'), type: 'email', inputmode: 'email', autocomplete: 'email' } }) },
    use: (password, { name, email: to }) => confirm({ name, email: to, password }),
    done: ({ user }) => welcome(set, h('button'), user.name, enter),
  });
  first();
}
