// From an address or number to an accepted code, without the drawing: CodeFlow of the controller's
// AccountFlows in JavaScript. flow-transcripts.json holds both to the same results.
import { FormModel } from './form-model.js';
import { CodeEntry, emit, summary } from './flow.js';

/**
 * The screen for a code: submits a whole code by itself, and offers a new one when the countdown is
 * over.
 */
export class CodeScreen {
  constructor(ticket) {
    Object.assign(this, {
      ticket,
      entry: new CodeEntry(ticket),
      isLoading: false,
      isOver: false,
      failure: null,
      triesLeft: null,
      countdown: 0,
      end: 0,
      isTicking: false,
    });
  }
  get text() {
    return this.entry.text;
  }
  get isLocked() {
    return this.isLoading || this.isOver;
  }
  get canSubmit() {
    return !this.isLocked && this.entry.canSubmit;
  }
  get canSendAgain() {
    return !this.isLocked && this.countdown <= 0;
  }

  begin(ticket, now) {
    this.ticket = ticket;
    this.reopen();
    return this.startCountdown(ticket.wait, now);
  }
  /** Expects the code again; the countdown goes on. */
  reopen() {
    Object.assign(this, {
      entry: new CodeEntry(this.ticket),
      failure: null,
      isOver: false,
      triesLeft: null,
    });
  }

  type(text) {
    if (this.isLocked || !this.entry.setText(text)) return [];
    this.failure = null;
    return this.entry.isWhole ? this.verify() : [];
  }
  submit() {
    return this.canSubmit ? this.verify() : [];
  }
  verify() {
    return [...this.load(), { start: 'verify', code: this.text, request: this.ticket.request }];
  }
  verified(failure) {
    if (!failure) {
      this.isOver = true;
      return [...this.stop(), emit('code.authorized')];
    }
    // A refused code is cleared; one that did not arrive may be right.
    if (failure.kind === 'refused') {
      this.entry.clear();
      this.triesLeft = failure.triesLeft ?? null;
    }
    return this.stop(failure);
  }
  sendAgain(now) {
    return this.canSendAgain
      ? [...this.load(), { start: 'sendAgain' }, ...this.startCountdown(this.ticket.wait, now)]
      : [];
  }
  sent(ticket, failure, now) {
    if (failure) {
      const mustWait = failure.kind === 'refused' && failure.retryAfter !== undefined;
      const effects = this.stop(failure);
      return mustWait ? [...effects, ...this.startCountdown(failure.retryAfter, now)] : effects;
    }
    const isSameWait = ticket.wait === this.ticket.wait;
    Object.assign(this, { ticket, entry: new CodeEntry(ticket), triesLeft: null });
    const effects = [...this.stop(), emit('code.newCodeRequested')];
    return isSameWait ? effects : [...effects, ...this.startCountdown(ticket.wait, now)];
  }

  load() {
    this.isLoading = true;
    this.failure = null;
    return [emit('code.loading', true)];
  }
  stop(failure = null) {
    this.isLoading = false;
    this.failure = failure;
    return [
      emit('code.loading', false),
      ...(failure ? [emit('code.failure', summary(failure))] : []),
    ];
  }

  startCountdown(seconds, now) {
    Object.assign(this, { countdown: seconds, end: now + seconds * 1000 });
    return [
      emit('code.countdownIsRunning', seconds > 0),
      emit('code.countdown', seconds),
      ...this.nextTick(),
    ];
  }
  tick(now) {
    this.isTicking = false;
    const left = Math.ceil(Math.max(this.end - now, 0) / 1000);
    if (left >= this.countdown) return this.nextTick();
    this.countdown = left;
    return [
      emit('code.countdown', left),
      ...(left > 0 ? [] : [emit('code.countdownIsRunning', false)]),
      ...this.nextTick(),
    ];
  }
  /**
   * Asks for the next tick unless one is on its way; that one serves a countdown that began anew as
   * well.
   */
  nextTick() {
    if (this.countdown <= 0 || this.isTicking) return [];
    this.isTicking = true;
    return [{ start: 'tick', at: this.end - (this.countdown - 1) * 1000 }];
  }
}

/**
 * The screen for the address, then the screen for the code, and the way back. `now` is in
 * milliseconds.
 */
export class CodeFlow {
  /** @param declaration of the field for an address or a number */
  constructor(declaration) {
    this.name = declaration.name;
    this.form = new FormModel([declaration]);
    Object.assign(this, {
      step: 'contact',
      code: null,
      sentTo: null,
      isAsking: false,
      isSent: false,
      contactFailure: null,
    });
  }
  get contact() {
    return this.form.text(this.name);
  }
  get isLoading() {
    return this.step === 'contact' ? this.isAsking : !!this.code?.isLoading;
  }
  get isOver() {
    return !!this.code?.isOver;
  }
  get isLocked() {
    return this.isLoading || this.isOver;
  }
  get canSubmit() {
    return this.step === 'contact' ? this.canSend : !!this.code?.canSubmit;
  }
  get canSend() {
    return !this.isAsking && !this.isSent && this.form.isValid(this.name);
  }
  get failure() {
    return this.step === 'contact' ? this.contactFailure : this.code?.failure ?? null;
  }

  receive(event, now) {
    switch (event.type) {
      case 'appeared':
        return [];
      case 'requested':
        return this.requested(event.ticket, event.failure, now);
      case 'verified':
        return this.passOn(this.code?.verified(event.failure));
      case 'ticked':
        return this.passOn(this.code?.tick(now));
      default:
        return this.isLocked ? [] : this.handle(event, now);
    }
  }
  handle(event, now) {
    return this.step === 'contact' ? this.handleContact(event) : this.handleCode(event, now);
  }
  handleContact({ type, text }) {
    switch (type) {
      case 'typedContact':
        return this.atContact(() => {
          this.form.type(this.name, text);
          return [];
        });
      case 'submitContact': {
        // A code is on its way there, and no other can be sent yet.
        const mustWait = this.sentTo === this.contact && this.code?.countdown > 0;
        return mustWait ? this.show('code') : this.atContact(() => this.request());
      }
      default:
        return [];
    }
  }
  handleCode({ type, text }, now) {
    switch (type) {
      case 'typedCode':
        return this.passOn(this.code.type(text));
      case 'submitCode':
        return this.passOn(this.code.submit());
      case 'sendAgain':
        return this.passOn(this.code.sendAgain(now));
      case 'back':
        Object.assign(this, { isSent: false, contactFailure: null });
        return this.show('contact');
      default:
        return [];
    }
  }
  reopen() {
    this.code?.reopen();
  }

  atContact(body) {
    const couldSend = this.canSend;
    const effects = body();
    if (this.canSend === couldSend) return effects;
    return [emit('contact.canSubmit', this.canSend), ...effects];
  }
  request() {
    this.form.submit([this.name]);
    if (!this.canSend) return [];
    Object.assign(this, { isAsking: true, contactFailure: null });
    return [emit('contact.loading', true), { start: 'request', contact: this.contact }];
  }
  show(step) {
    this.step = step;
    return [emit('step', step)];
  }
  requested(ticket, failure, now) {
    if (this.step === 'code') return this.passOn(this.code.sent(ticket, failure, now));
    const effects = this.atContact(() => {
      Object.assign(this, { isAsking: false, isSent: !failure, contactFailure: failure ?? null });
      return [
        emit('contact.loading', false),
        failure ? emit('contact.failure', summary(failure)) : emit('contact.codeSent'),
      ];
    });
    if (failure) return effects;
    this.sentTo = this.contact;
    const shown = this.show('code');
    this.code ??= new CodeScreen(ticket);
    return [...effects, ...shown, ...this.passOn(this.code.begin(ticket, now))];
  }
  /** The effects of the code's screen, which does not know the contact. */
  passOn(effects = []) {
    const request = { start: 'request', contact: this.sentTo };
    return effects.map((effect) => effect.start === 'sendAgain' ? request : effect);
  }
}
