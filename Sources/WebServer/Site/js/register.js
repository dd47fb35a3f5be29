// Registration in three steps, for the holder of the setup code or of an invitation. The rules come from the
// controller, which checks everything again.
import { h, announce, clear, still } from './dom.js';
import { icon } from './icons.js';
import { get, postOpen } from './api.js';
import { field, ruleList, busyButton, formError } from './forms.js';
import { evaluate, normalize, worded } from './rules.js';
import { stageSet, brand } from './stage.js';
import { seat, ticket, door } from './drawings.js';
import { t } from './text.js';

export const title = t('register.title');
const STEPS = ['code', 'name', 'email', 'password'];
const question = (step) => t(`ask.${step}`);
const ASK_AFTER = 300;

export async function show(main, { go, enter }) {
  const set = stageSet(main), error = formError();
  const picture = h('div', { class: 'wiz-picture' }), body = h('div', { class: 'wiz-body' });
  const dots = h('ol', { class: 'wiz-dots', 'aria-label': t('register.steps') }, ['name', 'email', 'password'].map((step) => h('li', { data: { step } }, h('span', { class: 'sr' }, question(step)))));
  const card = h('form', { class: 'card wizard', novalidate: true, 'aria-labelledby': 'question' }, picture, h('div', { class: 'wiz-side' }, h('div', { class: 'wiz-top' }, brand(), dots), body));
  set.inside.append(card);
  // The link carries the code behind the #, which browsers send to nobody; it does not stay in the address.
  let linked = decodeURIComponent(location.hash.slice(1));
  if (linked) history.replaceState({}, '', '/register');
  const known = { code: linked, name: '', email: '' };
  let rules, blocklist = new Set(), step, submit = () => {}, isLoading = false;
  card.addEventListener('submit', (event) => { event.preventDefault(); if (!isLoading) submit(); });
  card.addEventListener('keydown', (event) => { if (event.key === 'Escape' && !isLoading && index() > 0) turn(STEPS[STEPS.indexOf(step) - 1]); });
  await loadRules();
  function index() { return STEPS.indexOf(step) - (linked ? 1 : 0); }

  async function loadRules() {
    try {
      rules = { fields: (await get('/validation', { open: true })).rules.fields.map(worded) };
      if (linked) {
        try { await checkCode(linked); build('name'); } catch (failure) { linked = ''; build('code').value = known.code; error.show(failure); }
      } else build('code');
      blocklist = new Set((await get('/validation/blocklist', { open: true })).entries);
    } catch (failure) {
      const again = h('button', { class: 'btn primary big', type: 'button', onclick: loadRules }, t('do.retry'));
      if (!rules) { clear(body, h('h1', { class: 'title-2', id: 'question' }, title), error.node, again); error.show(failure); }
    }
  }
  const declared = (name) => rules.fields.find((one) => one.name === name) ?? { name, label: name, rules: [] };
  const labels = () => Object.fromEntries(rules.fields.map((one) => [one.name, one.label]));
  const report = (name, text, values = {}, answers = {}) => evaluate(declared(name), text, { values: { ...known, ...values }, answers, blocklist }, labels());
  /** The first mistake of a text, as the rules' own message. */
  function mistake({ state, results }) {
    if (state === 'valid') return null;
    const open = results.filter((result) => !result.advice && result.outcome !== 'satisfied');
    return open.length && open.every((result) => result.outcome === 'pending') ? 'pending' : open.find((result) => result.outcome === 'unsatisfied')?.message ?? 'pending';
  }

  function build(next) {
    step = next; error.hide();
    const made = { code: codeStep, name: nameStep, email: emailStep, password: passwordStep }[step]();
    const first = index() === 0;
    const back = first ? h('a', { class: 'btn quiet', href: '/login' }, icon('arrowBack'), t('login.go')) : h('button', { class: 'btn quiet', type: 'button', onclick: () => turn(STEPS[STEPS.indexOf(step) - 1]) }, icon('arrowBack'), t('do.back'));
    const count = step === 'code' ? null : h('p', { class: 'small wiz-count' }, t('step.of', { number: STEPS.indexOf(step), total: 3 }));
    for (const dot of dots.children) {
      const at = STEPS.indexOf(dot.dataset.step), here = STEPS.indexOf(step);
      dot.className = at < here ? 'done' : at === here ? 'now' : '';
      if (at === here) dot.setAttribute('aria-current', 'step'); else dot.removeAttribute('aria-current');
    }
    clear(picture, made.art.node);
    clear(body, count, h('h1', { class: 'title-2', id: 'question' }, question(step)), made.content, error.node, h('div', { class: 'wiz-end' }, back, made.next));
    submit = made.submit;
    return made.input;
  }
  function turn(next) {
    const swap = () => {
      const input = build(next);
      card.classList.remove('leaving');
      announce(`${step === 'code' ? '' : `${t('step.of', { number: STEPS.indexOf(step), total: 3 })}. `}${question(step)}`);
      input.focus({ preventScroll: true });
    };
    if (still()) { swap(); return; }
    card.classList.add('leaving'); setTimeout(swap, 180);
  }
  function nextButton(text) {
    const node = h('button', { class: 'btn primary big', type: 'submit', 'aria-disabled': 'true' }, text);
    const enable = (on) => { node.setAttribute('aria-disabled', !on); set.light((Math.max(0, STEPS.indexOf(step) - 1) + (on ? 1 : 0)) / 3); };
    return { node, enable };
  }
  /** A step of one field: its rules gate the button. */
  function oneField(name, options, art, onvalid) {
    const next = nextButton(t('do.next'));
    const one = field({ ...options, check: options.check ?? ((text) => mistake(report(name, text))), onchange: (changed) => { art.set?.(changed.value); next.enable(changed.valid); options.changed?.(changed, next); } });
    const goOn = () => { if (one.valid) { onvalid(one, next); } else { one.look('submit'); one.input.focus(); } };
    set.light(0);
    return { art, content: [one.node], input: one.input, next: next.node, submit: goOn, one, button: next };
  }
  function codeStep() {
    return oneField('code', { label: t('register.codeField'), name: 'code', note: t('register.codeNote'), autocomplete: 'off', check: (text) => (text.trim() ? null : t('register.codeMissing')) }, ticket(), async (one, next) => {
      const lock = (on) => { isLoading = on; one.lock(on); busyButton(next.node, on, t(on ? 'form.checking' : 'do.next')); };
      lock(true);
      try { await checkCode(one.value.trim()); lock(false); turn('name'); } catch (failure) { lock(false); error.show(failure); one.input.focus(); }
    });
  }
  function nameStep() {
    const made = oneField('name', { label: t('field.name'), name: 'name', autocomplete: 'name', note: t('register.nameNote') }, seat(), (one) => { known.name = one.value; turn('email'); });
    if (known.kind === 'invitation') made.content.push(h('button', { class: 'btn link', type: 'button', onclick: beginByCode }, t('newcomer.begin')));
    return made;
  }
  async function beginByCode() {
    const { newcomer } = await import('./newcomer.js');
    newcomer({ set, invitation: known.code, enter, onback: () => { clear(set.inside, card); build('name').focus(); } });
  }
  function emailStep() {
    // "Taken" is said here to who holds a code; the database decides when the account is made.
    const answers = new Map();
    let timer, asking, goOn = false;
    const isFree = { rule: 'asked', question: 'emailFree', message: t('error.taken'), statement: t('rule.asked') };
    const check = (text) => mistake(evaluate({ ...declared('email'), rules: [...declared('email').rules.filter((rule) => rule.rule !== 'asked'), isFree] }, text, { values: known, answers: { emailFree: answers.get(text) } }, labels()));
    const made = oneField('email', { label: t('field.email'), name: 'email', type: 'email', autocomplete: 'email', inputmode: 'email', note: t('register.emailNote'), check, changed }, ticket(), (one) => { known.email = one.value; turn('password'); });
    const { one, button } = made;
    let before = '';
    function changed(changedField) {
      if (changedField.value === before) return;
      before = changedField.value; clearTimeout(timer); asking?.abort(); goOn = false;
      if (changedField.problem === 'pending') { button.enable(true); timer = setTimeout(() => question(changedField.value), ASK_AFTER); }
    }
    async function question(text) {
      clearTimeout(timer); asking?.abort();
      asking = new AbortController();
      try {
        const { answer } = await postOpen('/validation/answers', { question: 'emailFree', text, ...codes() }, { signal: asking.signal });
        answers.set(text, answer);
        if (text !== one.value) return;
        lock(false); one.look(goOn || !answer ? 'submit' : false); button.enable(one.valid);
        if (goOn && one.valid) made.submit(); else if (goOn) one.input.focus();
      } catch (failure) {
        if (failure.name === 'AbortError') return;
        lock(false); goOn = false; error.show(failure);
      }
    }
    function lock(on) { isLoading = on; one.lock(on); busyButton(button.node, on, t(on ? 'form.checking' : 'do.next')); }
    const submitValid = made.submit;
    made.submit = () => {
      error.hide();
      if (one.problem === 'pending') { goOn = true; lock(true); question(one.value); } else submitValid();
    };
    return made;
  }
  const codes = () => ({ [known.kind]: known.code });
  /** Finds out whether a code is good, and whether it is an invitation's or the first owner's. */
  async function checkCode(code) {
    const ask = (kind) => postOpen('/validation/answers', { question: 'emailFree', text: 'nobody@example.org', [kind]: code });
    let kind = 'invitation';
    try { await ask(kind); } catch (failure) {
      if (failure.code !== 'codeInvalid') throw failure;
      kind = 'setupCode';
      try { await ask(kind); } catch { throw failure; }
    }
    Object.assign(known, { code, kind });
  }

  function passwordStep() {
    const next = nextButton(t('register.go')), counted = declared('password').rules.filter((rule) => !rule.advice).length;
    const art = door(counted), list = ruleList(declared('password').rules);
    let last;
    const judge = (text) => report('password', text);
    const same = (text) => (normalize(text) === normalize(one.value) && text ? null : mistake(report('passwordAgain', text, { password: one.value })) ?? null);
    const one = field({ label: t('field.password'), name: 'password', secret: true, autocomplete: 'new-password', check: (text) => mistake(judge(text)), onchange: (changed, left) => change(left) });
    const two = field({ label: t('field.repeat'), name: 'passwordAgain', secret: true, autocomplete: 'new-password', check: same, onchange: () => change() });
    function change(left) {
      last = judge(one.value);
      list.update(last, left); art.set(last.satisfied, last.total);
      next.enable(last.state === 'valid' && two.valid);
    }
    change();
    const submitAll = async () => {
      error.hide();
      if (!one.valid) { one.look('submit'); list.update(last, true); one.input.focus(); return; }
      if (!two.valid) {
        one.clear(); two.clear(); change();
        error.show({ message: t('field.differ'), hint: t('field.both') }); one.input.focus();
        return;
      }
      lock(true); announce(t('register.busy'));
      try { await register(one.value); } catch (failure) { lock(false); refuse(failure); }
    };
    function lock(on) {
      isLoading = on;
      for (const each of [one, two]) each.lock(on);
      busyButton(next.node, on, t(on ? 'register.busy' : 'register.go'));
      for (const button of body.querySelectorAll('.wiz-end .quiet')) button.disabled = on;
    }
    function refuse(failure) {
      if (failure.code === 'taken' || failure.field === 'email') { turnWith('email', failure); return; }
      if (failure.field === 'name') { turnWith('name', failure); return; }
      error.show(failure);
      (failure.status === 0 || failure.status >= 500 ? next.node : one.input).focus();
    }
    return { art, content: [one.node, list.node, two.node], input: one.input, next: next.node, submit: submitAll };
  }
  /** Back to the step of the field that was refused, with the refusal. */
  function turnWith(next, failure) { turn(next); setTimeout(() => error.show(failure), still() ? 0 : 200); }
  async function register(password) {
    const person = { name: known.name, email: known.email, password };
    const { user } = await postOpen('/accounts', { ...person, ...codes() });
    set.light(1); set.open();
    announce(t('register.done', { name: user.name }));
    setTimeout(() => go('/login'), still() ? 0 : 900);
  }
}
