// The form for one's e-mail address and phone number without the drawing: ContactSettings of the
// controller's AccountFlows in JavaScript. flow-transcripts.json holds both to the same results.
import { CodeFlow } from './code-flow.js';
import { FormModel } from './form-model.js';
import { emit, summary } from './flow.js';

const CONTACTS = ['email', 'phone'];
const CONTROLS = ['register', 'sendCode'];

export class ContactSettings {
  /**
   * @param contacts as they are now: `email`, `isEmailVerified`, `phone`
   * @param declared the controller's form `contacts`
   */
  constructor(contacts, { fields, groups }) {
    const { email, phone = '' } = contacts;
    this.form = new FormModel(fields, { groups, values: { email, phone } });
    this.flows = new Map(
      CONTACTS.map((name) => [name, new CodeFlow(fields.find((one) => one.name === name))]),
    );
    Object.assign(this, {
      contacts: { ...contacts },
      step: 'form',
      isOver: false,
      failure: null,
      /** The contacts that are still verified, the current one first. */
      queue: [],
      isProving: false,
      hasProved: false,
      /** What was submitted: `register`, `sendCode`, or null. */
      submission: null,
    });
  }
  /** The contact whose code is asked for. */
  get contact() {
    return this.queue[0];
  }
  get flow() {
    return this.flows.get(this.contact);
  }
  /** The field for the code; null while the form is shown. */
  get code() {
    return this.step === 'code' ? this.flow?.code ?? null : null;
  }
  get isLoading() {
    return this.isProving || !!this.flow?.isLoading;
  }
  get isLocked() {
    return this.isOver || this.isLoading;
  }
  isEnabled(control) {
    return !this.isLocked && this.step === 'form' && this.form.isEnabled(control);
  }

  receive(event, now) {
    const before = this.state();
    const effects = this.apply(event, now);
    return [...this.changes(before), ...effects];
  }
  state() {
    return {
      enabled: CONTROLS.map((control) => this.isEnabled(control)),
      isFormLoading: this.step === 'form' && this.isLoading,
      step: this.step,
      failure: this.failure,
    };
  }
  changes(before) {
    const after = this.state();
    const outputs = CONTROLS.flatMap((control, index) => {
      const isEnabled = after.enabled[index];
      return before.enabled[index] === isEnabled ? [] : [emit(`control ${control}`, isEnabled)];
    });
    if (before.isFormLoading !== after.isFormLoading) {
      outputs.push(emit('loading', after.isFormLoading));
    }
    if (before.step !== after.step) outputs.push(emit('step', after.step));
    if (after.failure && after.failure !== before.failure) {
      outputs.push(emit('failure', summary(after.failure)));
    }
    return outputs;
  }
  apply(event, now) {
    switch (event.type) {
      case 'appeared':
        return [];
      case 'proved':
        return this.proved(event.failure, now);
      case 'requested':
      case 'verified':
      case 'ticked':
        return this.answered(event, now);
      default:
        return this.isLocked ? [] : this.handle(event, now);
    }
  }
  handle(event, now) {
    if (this.step === 'code') return this.handleCode(event, now);
    switch (event.type) {
      case 'typed':
        this.failure = null;
        this.form.type(event.field, event.text);
        return [];
      case 'left':
        this.form.leave(event.field);
        return [];
      case 'register':
      case 'sendCode':
        return this.submit(event.type, now);
      default:
        return [];
    }
  }
  handleCode(event, now) {
    switch (event.type) {
      case 'typedCode':
      case 'submitCode':
      case 'sendAgain':
        return this.send(event, now);
      case 'back': {
        const effects = this.send(event, now);
        this.showForm();
        return effects;
      }
      default:
        return [];
    }
  }
  submit(control, now) {
    this.failure = null;
    this.form.submit(this.form.groups.get(control).fields);
    if (!this.form.isEnabled(control)) return [];
    Object.assign(this, { submission: control, hasProved: false });
    return control === 'register' ? this.prove() : this.verify(['phone'], now);
  }

  // ---- the proof ----
  prove() {
    this.isProving = true;
    const factor = this.form.fields.has('factor') ? this.form.text('factor') : '';
    return [{ start: 'prove', password: this.form.text('password'), ...(factor && { factor }) }];
  }
  proved(failure, now) {
    this.isProving = false;
    if (!failure) {
      this.hasProved = true;
      return this.verify(this.submission === 'register' ? this.changedContacts : ['phone'], now);
    }
    Object.assign(this, { submission: null, failure });
    if (isRefused(failure, 'secondFactorNeeded')) this.askForFactor();
    else this.form.reset(this.form.fields.has('factor') ? 'factor' : 'password');
    return [];
  }
  /** Adds a field for the code of the second factor to the form and to the group of `register`. */
  askForFactor() {
    if (!this.form.fields.has('factor')) {
      this.form.declare({ name: 'factor', label: 'code of your second factor', rules: [] });
    }
    const group = this.form.groups.get('register');
    const others = group.fields.filter((name) => name !== 'factor');
    this.form.declareGroup({ ...group, fields: [...others, 'factor'] });
  }
  get changedContacts() {
    const { email, isEmailVerified, phone } = this.contacts;
    const hasChanged = {
      email: this.form.text('email') !== email || !isEmailVerified,
      phone: this.form.text('phone') !== phone,
    };
    return CONTACTS.filter((contact) => hasChanged[contact]);
  }

  // ---- the codes ----
  /** Sends a code to the first of these contacts; the others follow when it is verified. */
  verify(queue, now) {
    this.queue = queue;
    if (!this.contact) {
      this.isOver = this.submission === 'register';
      this.showForm();
      return [];
    }
    return [
      ...this.send({ type: 'typedContact', text: this.form.text(this.contact) }, now),
      ...this.send({ type: 'submitContact' }, now),
    ];
  }
  answered({ contact, ...event }, now) {
    if (contact !== this.contact) {
      // The countdown of the other contact goes on.
      return effectsOf(contact, this.flows.get(contact).receive(event, now)).filter(
        ({ start }) => start,
      );
    }
    const effects = this.send(event, now);
    const { flow } = this;
    if (flow.isOver) return [...effects, ...this.finish(contact, now)];
    if (flow.step === 'code') this.step = 'code';
    else if (flow.failure && !flow.isLoading) return [...effects, ...this.refused(flow.failure)];
    return effects;
  }
  finish(contact, now) {
    this.contacts[contact] = this.form.text(contact);
    if (contact === 'email') this.contacts.isEmailVerified = true;
    // The next code may go to another address.
    this.flow.reopen();
    const effects = [emit('verified', contact), ...this.send({ type: 'back' }, now)];
    this.step = 'form';
    return [...effects, ...this.verify(this.queue.slice(1), now)];
  }
  /** The code could not be sent. A proof that is too old is given again, with the password. */
  refused(failure) {
    const canProve = !this.hasProved && this.form.isValid('password');
    this.queue = [];
    if (isRefused(failure, 'proofNeeded') && canProve) return this.prove();
    this.showForm();
    this.failure = failure;
    return [];
  }
  showForm() {
    Object.assign(this, { step: 'form', queue: [], submission: null });
  }
  /** Sends an event to the code of the current contact; its form is this form. */
  send(event, now) {
    if (!this.contact) return [];
    return effectsOf(this.contact, this.flow.receive(event, now));
  }
}

const isRefused = (failure, code) => failure.kind === 'refused' && failure.code === code;
/** The effects of a code's flow that this screen passes on. */
const effectsOf = (contact, effects) =>
  effects
    .filter(({ start, tell }) => start || tell.startsWith('code.'))
    .map((effect) => effect.start ? { ...effect, of: contact } : effect);
