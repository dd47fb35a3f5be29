// Registration in three steps without the drawing: RegistrationWizard of the controller's
// AccountFlows in JavaScript. flow-transcripts.json holds both to the same results.
import { FormModel } from './form-model.js';
import { emit, summary } from './flow.js';

const STEPS = ['name', 'email', 'password'];
const FIELDS = {
  name: ['name'],
  email: ['email'],
  password: ['password', 'passwordAgain', 'accept'],
};
const INTERNAL = ['internal', 'storageFailed', 'storageFull'];

export class RegistrationFlow {
  /** @param declared the controller's form `registration` */
  constructor({ fields, groups }, blocklist) {
    this.form = new FormModel(fields, { groups, blocklist });
    Object.assign(this, { step: 'name', isRegistering: false, isWaiting: false, outcome: null });
  }
  get fields() {
    return FIELDS[this.step];
  }
  get isLoading() {
    return this.isRegistering || this.isWaiting;
  }
  get isOver() {
    return this.outcome === 'success';
  }
  get isLocked() {
    return this.isLoading || this.isOver;
  }
  get canGoOn() {
    return !this.isLocked && this.form.areValid(this.fields);
  }
  get canGoBack() {
    return !this.isLocked && this.step !== 'name';
  }

  receive(event) {
    const couldGoOn = this.canGoOn;
    const effects = this.apply(event);
    return this.canGoOn === couldGoOn ? effects : [...effects, emit('canGoOn', this.canGoOn)];
  }
  apply(event) {
    switch (event.type) {
      case 'appeared':
        return this.show('name');
      case 'registered':
        return this.registered(event.failure);
      case 'answered':
        return this.answered(event);
      default:
        return this.isLocked ? [] : this.handle(event);
    }
  }
  handle({ type, field, text }) {
    switch (type) {
      case 'typed':
        if (!this.fields.includes(field)) return [];
        this.outcome = null;
        return this.form.type(field, text);
      case 'left':
        return this.fields.includes(field) ? this.form.leave(field) : [];
      case 'next':
        return this.goOn();
      case 'back': {
        this.outcome = null;
        const before = STEPS[STEPS.indexOf(this.step) - 1];
        return before ? this.show(before) : [];
      }
      default:
        return [];
    }
  }

  /** Shows a step; what was typed there before stays. */
  show(step) {
    this.step = step;
    return [emit('step', step)];
  }
  /** Shows a step whose fields the controller has refused: they are typed anew. */
  showEmpty(step) {
    this.step = step;
    return [...this.reset(), ...this.show(step)];
  }
  /** Empties the texts; the toggle stays. */
  reset() {
    return this.fields.filter((name) => name !== 'accept').flatMap((name) => this.form.reset(name));
  }
  goOn() {
    this.outcome = null;
    if (!this.form.areValid(this.fields)) return this.refuse();
    const next = STEPS[STEPS.indexOf(this.step) + 1];
    if (next) return this.show(next);
    this.isRegistering = true;
    const [name, email, password] = STEPS.map((field) => this.form.text(field));
    return [emit('loading', true), { start: 'register', name, email, password }];
  }
  /** Shows why the step is not complete, or waits for answers. */
  refuse() {
    if (this.step === 'password' && this.form.isMismatch()) {
      return [...this.reset(), ...this.end('mismatch')];
    }
    const effects = this.form.submit(this.fields);
    if (this.lacksOnlyAnswers) {
      this.isWaiting = true;
      return [emit('loading', true), ...effects];
    }
    const isEmpty = this.fields.some((name) => !this.form.text(name));
    return isEmpty ? [...effects, ...this.end('empty')] : effects;
  }
  get lacksOnlyAnswers() {
    const open = this.fields.filter((name) => !this.form.isValid(name));
    return open.length > 0 && open.every((name) => this.form.isPending(name));
  }
  answered({ ticket, answer, failure }) {
    const effects = this.form.answer(ticket, failure ? undefined : answer);
    if (failure && this.fields.includes(ticket.field)) {
      return [...effects, ...this.stopWaiting(), ...this.end('failed', failure)];
    }
    if (!this.isWaiting || this.lacksOnlyAnswers) return effects;
    return [...effects, ...this.stopWaiting(), ...this.goOn()];
  }
  stopWaiting() {
    if (!this.isWaiting) return [];
    this.isWaiting = false;
    return [emit('loading', false)];
  }
  registered(failure) {
    this.isRegistering = false;
    return [emit('loading', false), ...(failure ? this.failed(failure) : this.end('success'))];
  }
  failed(failure) {
    const isRefused = failure.kind === 'refused';
    if (isRefused && failure.code === 'taken') {
      return [...this.showEmpty('email'), ...this.end('taken', failure)];
    }
    if (isRefused && INTERNAL.includes(failure.code)) return this.end('internalError', failure);
    const step = STEPS.find((one) => FIELDS[one].includes(failure.field));
    const shown = step ? this.showEmpty(step) : [];
    return [...shown, ...this.end('failed', failure)];
  }
  /** @param failure what the controller said; a screen shows it */
  end(outcome, failure = null) {
    Object.assign(this, { outcome, failure });
    return [emit('outcome', outcome === 'failed' ? `failed ${summary(failure)}` : outcome)];
  }
}
