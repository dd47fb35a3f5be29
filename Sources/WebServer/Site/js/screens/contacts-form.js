// The form for one's e-mail address and phone number in a sheet: both together are verified, or the
// phone number alone. ContactSettings says what it does.
import { post } from '../base/api.js';
import { btn, h, setChildren, submitBtn } from '../base/dom.js';
import { announce } from '../base/messages.js';
import { t } from '../base/text.js';
import { ContactSettings } from '../model/contact-settings.js';
import { drive, emits, failurePainter } from '../model/flow.js';
import { codeForm } from '../parts/code-entry.js';
import { declaredForm } from '../parts/declared-forms.js';
import { sheet } from '../parts/dialogs.js';
import { withoutHeading } from '../parts/form-sheet.js';
import { fieldOfFlow, followForm, formError, setBusy } from '../parts/forms.js';
import { followReturnKey } from '../parts/return-key.js';
import { toast } from '../parts/toasts.js';

const FIRST_CODE_LENGTH = 6;
const VERIFIED = { email: 'account.emailChanged', phone: 'account.phoneChanged' };

/** @param done called after each contact that was verified */
export async function changeContacts(user, done) {
  const declared = await declaredForm('contacts');
  const contacts = { email: user.email, isEmailVerified: user.emailVerified, phone: user.phone };
  new ContactsSheet(new ContactSettings(contacts, declared), done).open();
}

class ContactsSheet {
  constructor(settings, done) {
    Object.assign(this, { settings, done });
    this.fields = contactFields(settings.form);
    this.error = formError();
    this.paintFailure = failurePainter(this.error);
    this.registerButton = submitBtn('wide', t('contacts.register'));
    this.sendButton = btn('line wide', () => this.send({ type: 'sendCode' }), t('code.send'));
    this.form = this.makeForm();
    this.body = h('div', {}, this.form);
    /** The form for the code, while it is shown. */
    this.codeForm = undefined;
    this.validFor = undefined;
  }
  makeForm() {
    const form = h(
      'form',
      { class: 'controls', novalidate: true, onsubmit: (event) => this.submit(event) },
      h('p', 'soft', t('contacts.note')),
      [...this.fields.values()].map((one) => one.node),
      this.error.node,
      this.registerButton,
      this.sendButton,
    );
    followReturnKey(form);
    return form;
  }
  open() {
    const { send, stop } = drive(this.settings, {
      paint: (effects) => this.paint(effects),
      work: (effect, answer) => this.work(effect, answer),
    });
    this.send = send;
    followForm([...this.fields.values()], this.settings, send);
    this.dialog = sheet(t('contacts.title'), this.body);
    this.dialog.addEventListener('close', stop);
    send({ type: 'appeared' });
  }
  submit(event) {
    event.preventDefault();
    this.send({ type: 'register' });
    if (!this.settings.isLoading) this.focusMistake();
  }
  focusMistake() {
    const { form } = this.settings;
    const shown = [...this.fields].filter(([name]) => form.fields.has(name));
    const [, wrong] = shown.find(([name]) => !form.isValid(name)) ?? [];
    wrong?.input.focus();
  }

  paint(effects) {
    const { settings } = this;
    this.sayVerified(effects);
    if (settings.isOver) {
      this.dialog.close();
      return;
    }
    if (settings.step === 'code') this.paintCode(effects);
    else this.paintForm(effects);
  }
  sayVerified(effects) {
    for (const { tell, value } of effects) {
      if (tell !== 'verified') continue;
      toast(t(VERIFIED[value]));
      this.done();
    }
  }
  paintCode(effects) {
    if (!this.codeForm) {
      this.codeForm = codeForm({
        oneTime: this.settings.flow,
        send: this.send,
        set: { light() {} },
        heading: '',
        says: 'code.went',
        validFor: this.validFor,
        foot: null,
      });
      setChildren(this.body, withoutHeading(this.codeForm));
      this.codeForm.focus();
    }
    this.codeForm.paint(effects);
  }
  paintForm(effects) {
    const { settings } = this;
    if (this.codeForm) {
      this.codeForm = undefined;
      setChildren(this.body, this.form);
      this.fields.get('phone').input.focus();
    }
    this.paintFields();
    setBusy(this.registerButton, settings.isLoading, t('contacts.register'));
    this.registerButton.setAttribute('aria-disabled', !settings.isEnabled('register'));
    this.sendButton.disabled = settings.isLoading;
    this.sendButton.setAttribute('aria-disabled', !settings.isEnabled('sendCode'));
    if (emits(effects, 'loading') && settings.isLoading) announce(t('code.sending'));
    this.paintFailure(settings.failure);
    if (emits(effects, 'failure')) this.focusMistake();
  }
  paintFields() {
    const { form, isLoading } = this.settings;
    for (const [name, one] of this.fields) {
      one.node.hidden = !form.fields.has(name);
      if (one.node.hidden) continue;
      if (one.value !== form.text(name)) one.value = form.text(name);
      one.lock(isLoading);
      one.paint();
    }
  }

  work({ start, of, ...effect }, answer) {
    switch (start) {
      case 'prove':
        return prove(effect, answer);
      case 'request':
        return this.request(of, effect.contact, answer);
      default:
        return verify(of, effect, answer);
    }
  }
  async request(of, address, answer) {
    try {
      const sent = await post(`/account/${of}`, { [of]: address });
      this.validFor = sent.validFor;
      const ticket = { request: sent.request, length: FIRST_CODE_LENGTH, wait: sent.resendAfter };
      answer({ type: 'requested', contact: of, ticket });
    } catch (failure) {
      answer({ type: 'requested', contact: of, failure });
    }
  }
}
async function prove({ password, factor }, answer) {
  const body = { password, cookie: true, ...(factor && { code: factor.trim() }) };
  try {
    await post('/sessions/current/proof', body, { allows401: true });
    answer({ type: 'proved' });
  } catch (failure) {
    answer({ type: 'proved', failure });
  }
}
async function verify(of, { code, request }, answer) {
  try {
    await post(`/account/${of}/confirmation`, { request, code }, { allows401: true });
    answer({ type: 'verified', contact: of });
  } catch (failure) {
    answer({ type: 'verified', contact: of, failure });
  }
}

/** The fields by name; that for the second factor is shown once the controller asks for it. */
function contactFields(form) {
  const options = {
    email: { label: t('newcomer.email'), type: 'email', inputmode: 'email', autocomplete: 'email' },
    password: { label: t('field.password'), secret: true, autocomplete: 'current-password' },
    phone: {
      label: t('account.phone'),
      type: 'tel',
      inputmode: 'tel',
      autocomplete: 'tel',
      note: t('account.phoneNote'),
    },
    factor: {
      label: t('field.factor'),
      autocomplete: 'one-time-code',
      note: t('field.factorNote'),
    },
  };
  const entries = Object.entries(options).map(([name, option]) => {
    const check = () => form.fields.has(name) ? form.mistake(name) : null;
    const made = fieldOfFlow({ ...option, name, check });
    made.value = form.fields.has(name) ? form.text(name) : '';
    return [name, made];
  });
  return new Map(entries);
}
