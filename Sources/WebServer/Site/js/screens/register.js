// Registration in three steps, for the holder of the setup code or of an invitation. The controller
// checks everything again; registration-flow.js says what the steps do.
import { btn, h, setChildren } from '../base/dom.js';
import { announce } from '../base/messages.js';
import { formIcon } from '../base/form-icons.js';
import { formError } from '../parts/forms.js';
import { followReturnKey } from '../parts/return-key.js';
import { backdrop, brand } from '../parts/backdrop.js';
import { drive, emits, failurePainter } from '../model/flow.js';
import { RegistrationFlow } from '../model/registration-flow.js';
import { loadBlocklist, loadForm, RegistrationRequests } from './register-requests.js';
import { accountStep, codeStep } from './register-steps.js';
import { t } from '../base/text.js';

export const title = () => t('register.title');
/** The code has no number: the steps are counted from the name on. */
const STEPS = ['code', 'name', 'email', 'password'];
const NUMBERED_STEPS = STEPS.slice(1);
const question = (step) => t(`ask.${step}`);
const stepCount = (step) =>
  t('step.of', { number: STEPS.indexOf(step), total: NUMBERED_STEPS.length });

export const show = (main, app) => new RegistrationScreen(main, app).begin();

class RegistrationScreen {
  constructor(main, { go, enter }) {
    this.go = go;
    this.enter = enter;
    this.backdrop = backdrop(main);
    this.error = formError();
    this.mismatch = { message: t('field.differ'), hint: t('field.both') };
    this.picture = h('div', 'wiz-picture');
    this.body = h('div', 'wiz-body');
    this.dots = stepDots();
    this.card = h(
      'form',
      { class: 'card wizard', novalidate: true, 'aria-labelledby': 'question' },
      this.picture,
      h('div', 'wiz-side', h('div', 'wiz-top', brand(), this.dots), this.body),
    );
    followReturnKey(this.card, () => this.form.step !== STEPS.at(-1));
    this.card.addEventListener('submit', (event) => this.submit(event));
    this.card.addEventListener('keydown', ({ key }) => {
      if (key === 'Escape') this.goBack();
    });
    this.backdrop.inside.append(this.card);
    this.linkedCode = removeCodeFromAddress();
    this.requests = new RegistrationRequests(this.linkedCode);
  }
  async begin() {
    try {
      this.flow = new RegistrationFlow(await loadForm());
    } catch (failure) {
      this.showUnavailable(failure);
      return;
    }
    const { send } = drive(this.flow, {
      paint: (effects) => this.paint(effects),
      work: (effect, answer) => this.requests.run(effect, answer),
    });
    this.send = send;
    if (this.linkedCode) await this.useLinkedCode();
    else this.build('code');
    loadBlocklist().then((entries) => this.setBlocklist(entries), () => {});
  }
  showUnavailable(failure) {
    const heading = h('h1', { class: 'title-2', id: 'question' }, title());
    const retry = btn('primary big', () => this.begin(), t('do.retry'));
    setChildren(this.body, heading, this.error.node, retry);
    this.error.show(failure);
  }
  async useLinkedCode() {
    try {
      await this.requests.checkCode(this.linkedCode);
    } catch (failure) {
      this.linkedCode = '';
      this.build('code');
      this.error.show(failure);
      return;
    }
    this.showFirstStep();
  }
  setBlocklist(entries) {
    this.flow.form.setBlocklist(entries);
    this.form?.paint?.();
  }
  showFirstStep() {
    this.send({ type: 'appeared' });
  }

  paint(effects) {
    if (emits(effects, 'step')) this.turnTo(this.flow.step);
    else if (this.form.step === this.flow.step) this.form.paint(effects);
    if (this.flow.isOver) this.openTheater();
  }
  /** Shows a step at once and focuses its field; the style sheet fades it in. */
  turnTo(step) {
    this.build(step);
    announce(step === 'code' ? question(step) : `${stepCount(step)}. ${question(step)}`);
    this.form.input.focus({ preventScroll: true });
  }
  build(step) {
    this.error.hide();
    this.paintFailure = failurePainter(this.error);
    const form = step === 'code'
      ? codeStep(this, () => this.showFirstStep())
      : accountStep(this, () => this.beginByCode());
    this.form = { step, ...form };
    this.backControl = this.backControlOf(step);
    markDot(this.dots, step);
    setChildren(this.picture, form.art.node);
    setChildren(
      this.body,
      step === 'code' ? null : h('p', 'small wiz-count', stepCount(step)),
      h('h1', { class: 'title-2', id: 'question' }, question(step)),
      // Above the fields: an on-screen keyboard leaves no room below the rules of a password.
      this.error.node,
      form.content,
      h('div', 'wiz-end', this.backControl, form.next),
    );
    form.paint?.();
  }
  backControlOf(step) {
    const isFirst = step === 'code' || (step === 'name' && this.linkedCode);
    return isFirst
      ? h('a', { class: 'btn quiet', href: '/login' }, formIcon('arrowBack'), t('login.go'))
      : btn('quiet', () => this.goBack(), formIcon('arrowBack'), t('do.back'));
  }
  setBackEnabled(isEnabled) {
    this.backControl.disabled = !isEnabled;
  }

  submit(event) {
    event.preventDefault();
    this.form?.submit();
  }
  goBack() {
    const step = this.form?.step;
    if (!step || step === 'code') return;
    if (step === 'name' && !this.linkedCode) this.turnTo('code');
    else this.send({ type: 'back' });
  }
  async beginByCode() {
    const { registerByCode } = await import('./register-by-code.js');
    registerByCode({
      set: this.backdrop,
      invitation: this.requests.code,
      enter: this.enter,
      onback: () => this.returnFromCode(),
    });
  }
  returnFromCode() {
    setChildren(this.backdrop.inside, this.card);
    this.showFirstStep();
  }
  openTheater() {
    const { hasSession } = this.requests;
    const name = this.flow.form.text('name');
    this.backdrop.light(1);
    this.backdrop.open();
    announce(t(hasSession ? 'login.welcomeName' : 'register.done', { name }));
    if (hasSession) this.enter();
    else this.go('/login');
  }
}

/** Removes the code, which a link has after the #: browsers send that part to no server. */
function removeCodeFromAddress() {
  const code = location.hash.slice(1);
  if (code) history.replaceState({}, '', '/register');
  return code;
}
function stepDots() {
  const dots = NUMBERED_STEPS.map((step) =>
    h('li', { data: { step } }, h('span', 'sr', question(step)))
  );
  return h('ol', { class: 'wiz-dots', 'aria-label': t('register.steps') }, dots);
}
function markDot(dots, step) {
  const current = STEPS.indexOf(step);
  for (const dot of dots.children) {
    const position = STEPS.indexOf(dot.dataset.step);
    dot.classList.toggle('done', position < current);
    dot.classList.toggle('now', position === current);
    if (position === current) dot.setAttribute('aria-current', 'step');
    else dot.removeAttribute('aria-current');
  }
}
