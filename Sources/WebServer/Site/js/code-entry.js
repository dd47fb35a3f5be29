// A one-time code: where it goes, six boxes, the countdown to the next. Login, reset and others use it.
import { h, announce, clear } from './dom.js';
import { postOpen } from './api.js';
import { field, codeField, countdownRing, busyButton, formError } from './forms.js';
import { isEmail, isPhone } from './rules.js';
import { brand } from './stage.js';
import { t, parts } from './text.js';

/**
 * Where the code should go: an e-mail address or a phone number.
 * @param with what the request has beside it
 */
export function contactForm({ heading, note, button: words, path, set, foot, onsent, contact = '', with: also = {} }) {
  const error = formError();
  const one = field({ label: t('field.contact'), name: 'contact', autocomplete: 'username', note, hidesMistakeOnEdit: true,
    check: (text) => (isEmail(text) || isPhone(text) ? null : t('field.contactLike')), onchange: () => { button.setAttribute('aria-disabled', !one.valid); set.light(one.valid ? 1 / 3 : 0); } });
  const button = h('button', { class: 'btn primary big wide', type: 'submit', 'aria-disabled': 'true' }, words);
  let isLoading = false;
  const node = h('form', { class: 'card door-card', novalidate: true, 'aria-labelledby': 'hello' }, brand(), h('h1', { class: 'title-2', id: 'hello', tabindex: -1 }, heading), one.node, error.node, button, foot);
  node.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (isLoading) return;
    error.hide();
    if (!one.valid) { one.look('submit'); one.input.focus(); return; }
    isLoading = true; one.lock(true); busyButton(button, true, t('code.sending')); announce(t('code.sending'));
    const target = { ...also, ...(isPhone(one.value) ? { phone: one.value } : { email: one.value }) };
    try { onsent(await postOpen(path, target), target); } catch (failure) {
      isLoading = false; one.lock(false); busyButton(button, false, words); error.show(failure); one.input.focus();
    }
  });
  if (contact) { one.value = contact; one.look(); button.setAttribute('aria-disabled', !one.valid); }
  return { node, focus: () => one.input.focus() };
}

/**
 * The code that was sent to `target`.
 * @param sent the answer of the request for the code
 * @param use sends the code; its failure is shown, and the countdown goes on
 * @param onback leads to another address
 */
export function codeForm({ heading, sent, target, path, set, use, onback, foot, says = 'code.sent' }) {
  const error = formError(), ring = countdownRing();
  const code = codeField({ ondone: send, describedby: 'where' });
  const again = h('button', { class: 'btn line', type: 'button', onclick: resend }, t('code.again')), wait = h('div', { class: 'code-wait' });
  let request = sent.request, left = 0, total = 1, timer, isLoading = false;
  const node = h('form', { class: 'card door-card', novalidate: true, 'aria-labelledby': 'hello', onsubmit: (event) => event.preventDefault() },
    brand(), h('h1', { class: 'title-2', id: 'hello' }, heading), h('p', { class: 'soft', id: 'where' }, parts(says, { contact: h('bdi', { class: 'strong' }, target.email ?? target.phone), count: Math.round(sent.validFor / 60) })),
    code.node, error.node, wait, h('div', { class: 'door-links' }, h('button', { class: 'btn link', type: 'button', onclick: () => { stop(); onback(); } }, t('code.otherAddress')), foot));

  function count(seconds) {
    clearInterval(timer);
    const end = performance.now() + seconds * 1000;
    total = Math.max(1, seconds);
    const tick = () => { left = Math.max(0, Math.ceil((end - performance.now()) / 1000)); paint(); if (!left) clearInterval(timer); };
    clear(wait, ring.node, h('p', { class: 'small' }, t('code.wait')));
    tick(); timer = setInterval(tick, 1000);
  }
  function paint() {
    ring.set(left, total);
    if (left || again.isConnected) return;
    clear(wait, h('p', { class: 'small' }, t('code.missed')), again);
    announce(t('code.now'));
  }
  function lock(on) { isLoading = on; code.state(on ? 'loading' : 'open'); again.disabled = on; }
  async function send(text) {
    if (isLoading) return;
    lock(true); error.hide(); announce(t('code.checking')); set.light(2 / 3);
    try { await use(request, text); stop(); code.state('done'); } catch (failure) {
      lock(false); set.light(1 / 3);
      if (failure.code === 'codeWrong') code.state('wrong');
      else { code.set(''); code.input.focus(); }
      const tries = failure.triesLeft;
      error.show(tries === undefined ? failure : { ...failure, message: failure.message, hint: t('code.tries', { count: tries }) });
    }
  }
  async function resend() {
    if (isLoading) return;
    lock(true); error.hide();
    try {
      const next = await postOpen(path, target);
      request = next.request; lock(false); code.set(''); count(next.resendAfter);
      announce(t('code.renewed'));
    } catch (failure) { lock(false); error.show(failure); if (failure.retryAfter) count(failure.retryAfter); }
    code.input.focus();
  }
  function stop() { clearInterval(timer); }
  count(sent.resendAfter); set.light(1 / 3);
  return { node, focus: () => code.input.focus(), stop };
}
