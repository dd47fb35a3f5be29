// The login without its drawing: LoginScreen of the controller's AccountFlows in JavaScript.
// flow-transcripts.json holds both to the same results.
import { FormModel } from './form-model.js';
import { CodeEntry, emit, summary } from './flow.js';

// An account may be older than the rules for new passwords: they do not apply.
const FIELDS = [{
  name: 'email',
  label: 'e-mail address',
  hidesMistakeOnEdit: true,
  rules: [{ rule: 'notEmpty' }, { rule: 'email' }],
}, { name: 'password', label: 'password', hidesMistakeOnEdit: true, rules: [] }];
const NAMES = FIELDS.map(({ name }) => name);
const ONE_TIME = ['typedContact', 'submitContact', 'typedCode', 'submitCode', 'sendAgain', 'back'];

export class LoginFlow {
  /** @param oneTime the flow of a one-time code; without it a password is asked for */
  constructor(oneTime) {
    this.oneTime = oneTime;
    this.factor = new CodeEntry({ takesRecoveryCode: true });
    this.appear();
  }
  get isLoading() {
    return this.isAsking || (this.step === 'oneTimeCode' && this.oneTime.isLoading);
  }
  get isOver() {
    return !!this.person || !!this.exit;
  }
  get isLocked() {
    return this.isLoading || this.isOver;
  }
  get failure() {
    return this.step === 'oneTimeCode' ? this.oneTime.failure : this.lastFailure;
  }
  get canSubmit() {
    if (this.isLocked) return false;
    return {
      password: () => this.form.areValid(NAMES),
      oneTimeCode: () => this.oneTime.canSubmit,
      secondFactor: () => this.factor.canSubmit,
    }[this.step]();
  }

  receive(event, now = 0) {
    const couldSubmit = this.canSubmit;
    const effects = this.apply(event, now);
    if (this.canSubmit === couldSubmit) return effects;
    return [emit('canSubmit', this.canSubmit), ...effects];
  }
  apply(event, now) {
    switch (event.type) {
      case 'appeared':
        this.appear();
        return this.oneTime?.receive(event, now) ?? [];
      case 'loggedIn':
        return this.answered(event, now);
      case 'requested':
      case 'ticked':
        return this.toOneTime(event, now);
      default:
        return this.isLocked ? [] : this.handle(event, now);
    }
  }
  /** Begins with empty fields, each time the screen appears. */
  appear() {
    this.form = new FormModel(FIELDS);
    Object.assign(this, {
      step: this.oneTime ? 'oneTimeCode' : 'password',
      isAsking: false,
      person: null,
      exit: null,
      lastFailure: null,
    });
    this.factor.clear();
  }

  handle(event, now) {
    if (this.step === 'secondFactor') return this.handleFactor(event);
    if (event.type === 'leave') {
      this.exit = event.for;
      return [emit('left', event.for)];
    }
    if (this.step === 'oneTimeCode') {
      return ONE_TIME.includes(event.type) ? this.toOneTime(event, now) : [];
    }
    return this.handlePassword(event);
  }
  handlePassword({ type, field, text }) {
    switch (type) {
      case 'typed':
        this.form.type(field, text);
        if (this.lastFailure?.field === field) this.lastFailure = null;
        return [];
      case 'left':
        this.form.leave(field);
        return [];
      case 'submit':
        this.form.submit(NAMES);
        return this.form.areValid(NAMES) ? this.submit() : [];
      default:
        return [];
    }
  }
  handleFactor({ type, text }) {
    switch (type) {
      // A whole code submits itself; a recovery code needs the button.
      case 'typedFactor':
        return this.factor.setText(text) && this.factor.isWhole ? this.submit() : [];
      case 'submit':
        return this.factor.canSubmit ? this.submit() : [];
      case 'backFromFactor':
        Object.assign(this, { step: this.oneTime ? 'oneTimeCode' : 'password', lastFailure: null });
        this.oneTime?.reopen();
        this.factor.clear();
        return [];
      default:
        return [];
    }
  }
  /** Submitting the code is a login. */
  toOneTime(event, now) {
    const effects = this.oneTime?.receive(event, now) ?? [];
    return effects.map((effect) => {
      if (effect.start !== 'verify') return effect;
      return { start: 'logIn', oneTimeCode: effect.code, request: effect.request };
    });
  }
  get proof() {
    const code = this.oneTime?.code;
    return code
      ? { oneTimeCode: code.text, request: code.ticket.request }
      : { email: this.form.text('email'), password: this.form.text('password') };
  }
  submit() {
    Object.assign(this, { isAsking: true, lastFailure: null });
    const secondFactor = this.step === 'secondFactor' ? { code: this.factor.text } : {};
    return [emit('loading', true), { start: 'logIn', ...this.proof, ...secondFactor }];
  }
  answered(answer, now) {
    if (this.step !== 'oneTimeCode') {
      this.isAsking = false;
      return [emit('loading', false), ...this.goOn(answer)];
    }
    const effects = this.toOneTime({ type: 'verified', failure: answer.failure }, now);
    return answer.failure ? effects : [...effects, ...this.goOn(answer)];
  }
  goOn({ person, failure }) {
    if (failure) {
      this.lastFailure = failure;
      if (failure.kind === 'refused') this.factor.clear();
      return [emit('failure', summary(failure))];
    }
    if (person) {
      this.person = person;
      return [emit('loggedIn', person)];
    }
    this.step = 'secondFactor';
    this.factor.clear();
    return [emit('codeNeeded')];
  }
}
