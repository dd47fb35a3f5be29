// Registration in three steps, for the holder of the setup code or of an invitation. The rules come from the
// controller, which checks everything again; registration-flow.js says what the steps do.
import { announce, btn, h, isMotionReduced, setChildren, submitBtn } from '../base/dom.js';
import { icon } from '../base/icons.js';
import { get, postOpen } from '../base/api.js';
import { busyButton, field, followForm, formError, ruleList } from '../parts/forms.js';
import { withMessages } from '../model/rules.js';
import { backdrop, brand } from '../parts/backdrop.js';
import { door, seat, ticket } from '../parts/drawings.js';
import { drive, emits, failurePainter } from '../model/flow.js';
import { RegistrationFlow } from '../model/registration-flow.js';
import { t } from '../base/text.js';

export const title = () => t('register.title');
const STEPS = ['code', 'name', 'email', 'password'];
const question = (step) => t(`ask.${step}`);
const ASK_AFTER = 300;

export async function show(main, { go, enter }) {
  const set = backdrop(main), error = formError();
  const picture = h('div', 'wiz-picture'), body = h('div', 'wiz-body');
  const dots = h(
    'ol',
    { class: 'wiz-dots', 'aria-label': t('register.steps') },
    ['name', 'email', 'password'].map((step) =>
      h('li', { data: { step } }, h('span', 'sr', question(step)))
    ),
  );
  const card = h(
    'form',
    { class: 'card wizard', novalidate: true, 'aria-labelledby': 'question' },
    picture,
    h('div', 'wiz-side', h('div', 'wiz-top', brand(), dots), body),
  );
  set.inside.append(card);
  // The link has the code after the #, which browsers send to no server. The code is removed from the address.
  let linked = location.hash.slice(1), hasSession = false;
  if (linked) history.replaceState({}, '', '/register');
  const invitation = { code: linked, kind: 'invitation' }, asked = new Map();
  let flow, send, form, paintFailure;
  card.addEventListener('submit', (event) => {
    event.preventDefault();
    form.submit();
  });
  card.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') back();
  });
  async function begin() {
    try {
      const { rules } = await get('/validation', { open: true });
      flow = new RegistrationFlow(declarations(rules.fields.map(withMessages)));
      ({ send } = drive(flow, { paint, work }));
    } catch (failure) {
      const again = btn('primary big', begin, t('do.retry'));
      setChildren(body, h('h1', { class: 'title-2', id: 'question' }, title()), error.node, again);
      error.show(failure);
      return;
    }
    if (linked) {
      try {
        await checkCode(linked);
        send({ type: 'appeared' });
      } catch (failure) {
        linked = '';
        build('code');
        form.input.value = invitation.code;
        error.show(failure);
      }
    } else build('code');
    get('/validation/blocklist', { open: true }).then(({ entries }) => {
      flow.form.setBlocklist(new Set(entries));
      form?.paint?.();
    }, () => {});
  }

  // ---- the work of the flow ----
  async function work(effect, answer) {
    if (effect.start === 'withdraw') {
      asked.get(effect.number)?.();
      return;
    }
    if (effect.start === 'ask') {
      ask(effect, answer);
      return;
    }
    const { name, email, password } = effect;
    try {
      await postOpen('/accounts', { name, email, password, ...codes() });
      // Logs in with the address and password that were just entered.
      hasSession = await postOpen('/sessions', { email, password, cookie: true }).then(
        () => true,
        () => false,
      );
      answer({ type: 'registered', person: name });
    } catch (failure) {
      answer({ type: 'registered', failure });
    }
  }
  /** Asks the controller once the person has stopped typing. Only holders of a code learn whether an address is taken. */
  function ask({ field: name, question: about, number, text }, answer) {
    const asking = new AbortController(), ticket = { field: name, number };
    const timer = setTimeout(async () => {
      try {
        const { answer: isFree } = await postOpen('/validation/answers', {
          question: about,
          text,
          ...codes(),
        }, { signal: asking.signal });
        answer({ type: 'answered', ticket, answer: isFree });
      } catch (failure) {
        if (failure.name !== 'AbortError') answer({ type: 'answered', ticket, failure });
      }
    }, ASK_AFTER);
    asked.set(number, () => {
      clearTimeout(timer);
      asking.abort();
    });
  }
  const codes = () => ({ [invitation.kind]: invitation.code });
  /** Finds out whether a code is good, and whether it is an invitation's or the first owner's. */
  async function checkCode(code) {
    const check = (kind) =>
      postOpen('/validation/answers', {
        question: 'emailFree',
        text: 'nobody@example.org',
        [kind]: code,
      });
    let kind = 'invitation';
    try {
      await check(kind);
    } catch (failure) {
      if (failure.code !== 'codeInvalid') throw failure;
      kind = 'setupCode';
      try {
        await check(kind);
      } catch {
        throw failure;
      }
    }
    Object.assign(invitation, { code, kind });
  }

  // ---- display ----
  function paint(effects) {
    if (emits(effects, 'step')) turn(flow.step);
    else if (form.step === flow.step) form.paint(effects);
    if (flow.isOver) welcome();
  }
  /** The failure of the last attempt, which is shown above the button; `null` for none. */
  const complaint =
    () => (flow.outcome === 'mismatch'
      ? mismatch
      : ['taken', 'internalError', 'failed'].includes(flow.outcome)
      ? flow.failure
      : null);
  const mismatch = { message: t('field.differ'), hint: t('field.both') };

  function build(step) {
    error.hide();
    paintFailure = failurePainter(error);
    form = {
      step,
      ...{ code: codeStep, name: nameStep, email: emailStep, password: passwordStep }[step](),
    };
    const isFirst = step === 'code' || (step === 'name' && linked);
    const leave = isFirst
      ? h('a', { class: 'btn quiet', href: '/login' }, icon('arrowBack'), t('login.go'))
      : btn('quiet', back, icon('arrowBack'), t('do.back'));
    const count = step === 'code'
      ? null
      : h('p', 'small wiz-count', t('step.of', { number: STEPS.indexOf(step), total: 3 }));
    for (const dot of dots.children) {
      const at = STEPS.indexOf(dot.dataset.step), here = STEPS.indexOf(step);
      dot.className = at < here ? 'done' : at === here ? 'now' : '';
      if (at === here) dot.setAttribute('aria-current', 'step');
      else dot.removeAttribute('aria-current');
    }
    setChildren(picture, form.art.node);
    setChildren(
      body,
      count,
      h('h1', { class: 'title-2', id: 'question' }, question(step)),
      form.content,
      error.node,
      h('div', 'wiz-end', leave, form.next),
    );
    form.paint?.([]);
  }
  function turn(step) {
    const swap = () => {
      build(step);
      card.classList.remove('leaving');
      announce(
        `${step === 'code' ? '' : `${t('step.of', { number: STEPS.indexOf(step), total: 3 })}. `}${
          question(step)
        }`,
      );
      form.input.focus({ preventScroll: true });
    };
    if (isMotionReduced() || !form) {
      swap();
      return;
    }
    card.classList.add('leaving');
    setTimeout(swap, 180);
  }
  function back() {
    if (form.step === 'name' && !linked) turn('code');
    else if (form.step !== 'code') send({ type: 'back' });
  }

  function codeStep() {
    const button = submitBtn('big', t('do.next'));
    const one = field({
      label: t('register.codeField'),
      name: 'code',
      note: t('register.codeNote'),
      autocomplete: 'off',
      check: (text) => (text.trim() ? null : t('register.codeMissing')),
      onchange: ({ valid }) => button.setAttribute('aria-disabled', !valid),
    });
    let isLoading = false;
    const lock = (on) => {
      isLoading = on;
      one.lock(on);
      busyButton(button, on, t(on ? 'form.checking' : 'do.next'));
    };
    one.value = invitation.code;
    set.light(0);
    button.setAttribute('aria-disabled', !one.valid);
    const submit = async () => {
      if (isLoading) return;
      if (!one.valid) {
        one.paint('submit');
        one.input.focus();
        return;
      }
      lock(true);
      try {
        await checkCode(one.value.trim());
        lock(false);
        send({ type: 'appeared' });
      } catch (failure) {
        lock(false);
        error.show(failure);
        one.input.focus();
      }
    };
    return { art: ticket(), content: [one.node], input: one.input, next: button, submit };
  }
  /** A step of the flow. */
  function flowStep({ art, fields, content, button: words, busy, painted }) {
    const button = submitBtn('big', words), step = flow.step;
    followForm(fields, flow, send);
    // After a way back the fields hold what was typed.
    for (const one of fields) one.value = flow.form.text(one.input.name);
    let isLoading = false;
    return {
      art,
      content,
      input: fields[0].input,
      next: button,
      submit() {
        send({ type: 'next' });
        if (!flow.isLoading && flow.step === step) {
          (fields.find((one) => !flow.form.isValid(one.input.name)) ?? fields[0]).input.focus();
        }
      },
      paint(effects = []) {
        for (const one of fields) {
          // The flow empties a field that it resets, such as both passwords after a mismatch.
          if (!flow.form.text(one.input.name) && one.value) one.value = '';
          one.lock(flow.isLoading);
          one.paint();
        }
        if (flow.isLoading !== isLoading) {
          isLoading = flow.isLoading;
          busyButton(button, isLoading, isLoading ? busy : words);
          for (const other of body.querySelectorAll('.wiz-end .quiet')) other.disabled = isLoading;
          if (isLoading) announce(busy);
        }
        button.setAttribute('aria-disabled', !flow.canGoOn);
        set.light((STEPS.indexOf(step) - 1 + (flow.canGoOn ? 1 : 0)) / 3);
        painted?.();
        paintFailure(complaint());
        if (emits(effects, 'outcome') && complaint()) {
          (flow.form.areValid(flow.fields) ? button : fields[0].input).focus();
        }
      },
    };
  }
  const fieldOf = (name, options) =>
    field({ ...options, name, check: () => flow.form.mistake(name) });
  const busy = () => t('form.checking'), next = () => t('do.next');

  function nameStep() {
    const art = seat(),
      one = fieldOf('name', {
        label: t('field.name'),
        autocomplete: 'name',
        note: t('register.nameNote'),
      });
    const byCode = invitation.kind === 'invitation'
      ? btn('link', beginByCode, t('newcomer.begin'))
      : null;
    return flowStep({
      art,
      fields: [one],
      content: [one.node, byCode],
      button: next(),
      busy: busy(),
      painted: () => art.set?.(one.value),
    });
  }
  async function beginByCode() {
    const { newcomer } = await import('./register-by-code.js');
    newcomer({
      set,
      invitation: invitation.code,
      enter,
      onback: () => {
        setChildren(set.inside, card);
        send({ type: 'appeared' });
      },
    });
  }
  function emailStep() {
    const art = ticket(),
      one = fieldOf('email', {
        label: t('field.email'),
        type: 'email',
        autocomplete: 'email',
        inputmode: 'email',
        note: t('register.emailNote'),
      });
    return flowStep({
      art,
      fields: [one],
      content: [one.node],
      button: next(),
      busy: busy(),
      painted: () => art.set?.(one.value),
    });
  }
  function passwordStep() {
    const { declaration } = flow.form.fields.get('password'), list = ruleList(declaration.rules);
    const art = door(declaration.rules.filter((rule) => !rule.advice).length);
    const fields = [['password', t('field.password')], ['passwordAgain', t('field.repeat')]].map((
      [name, label],
    ) => fieldOf(name, { label, secret: true, autocomplete: 'new-password' }));
    return flowStep({
      art,
      fields,
      content: [fields[0].node, list.node, fields[1].node],
      button: t('register.go'),
      busy: t('register.busy'),
      painted: () => {
        const { report } = flow.form.fields.get('password');
        list.update(report, flow.form.display('password') === 'invalidShown');
        art.set(report.satisfied, report.total);
      },
    });
  }
  function welcome() {
    set.light(1);
    set.open();
    announce(
      t(hasSession ? 'login.welcomeName' : 'register.done', { name: flow.form.text('name') }),
    );
    setTimeout(() => hasSession ? enter() : go('/login'), isMotionReduced() ? 0 : 900);
  }
  await begin();
}

/** The rules of the registration's fields. Whether an address is free may be asked by holders of a code only. */
function declarations(fields) {
  const free = {
    rule: 'asked',
    question: 'emailFree',
    message: t('error.taken'),
    statement: t('rule.asked'),
  };
  return ['name', 'email', 'password', 'passwordAgain'].map((name) => {
    const found = fields.find((one) => one.name === name) ?? { name, label: name, rules: [] };
    return name === 'email'
      ? { ...found, rules: [...found.rules.filter(({ rule }) => rule !== 'asked'), free] }
      : found;
  });
}
