// Form fields with five looks: pristine, editing, valid, invalid-hidden, invalid-shown.
import { announce, ariaHidden, h, s, setChildren, uid } from '../base/dom.js';
import { icon } from '../base/icons.js';
import { isEmail } from '../base/contacts.js';
import { capitalized, sentence, t, unit } from '../base/text.js';

/** The checks of a login, which applies no rules: an account may be older than they are. */
export const CHECK = {
  email: (text) => (isEmail(text) ? null : t('field.emailLike')),
  any: (text) => (text ? null : t('field.passwordMissing')),
};

/** The displays of FormModel as the styles name them. */
const LOOKS = {
  pristine: 'pristine',
  editing: 'editing',
  valid: 'valid',
  invalidHidden: 'invalid-hidden',
  invalidShown: 'invalid-shown',
};

/**
 * A labelled input. paint() follows typing at once and shows a mistake only after the field was left or submitted.
 * @param check returns what is wrong with a text ('' without words), or null; 'pending' while a question is open
 * @param hidesMistakeOnEdit whether a shown mistake goes with the next keystroke, not only when it is corrected
 */
export function field(
  {
    label,
    name,
    type = 'text',
    note = '',
    check,
    autocomplete,
    inputmode,
    placeholder,
    onchange,
    secret,
    hidesMistakeOnEdit,
    readonly,
  },
) {
  const id = uid('f'), noteId = id + 'n';
  const mark = h('span', 'mark'),
    input = h('input', {
      id,
      name,
      type: secret ? 'password' : type,
      autocomplete,
      inputmode,
      placeholder,
      readonly,
      'aria-describedby': noteId,
      autocapitalize: type === 'text' && !secret ? 'words' : 'none',
      spellcheck: 'false',
    });
  const noteText = h('span', {}, note), noteBox = h('p', { class: 'note', id: noteId }, noteText);
  const box = h('div', 'box', input, mark),
    node = h(
      'div',
      { class: 'field', data: { look: 'pristine' } },
      h('label', { for: id }, label),
      box,
      noteBox,
    );
  let show;
  if (secret) {
    show = h(
      'button',
      { class: 'in-box', 'aria-pressed': 'false', 'aria-label': t('field.show') },
      icon('eye'),
    );
    show.addEventListener('click', () => {
      const on = input.type === 'password';
      input.type = on ? 'text' : 'password';
      show.setAttribute('aria-pressed', on);
      setChildren(show, icon(on ? 'eyeOff' : 'eye'));
      input.focus();
    });
    box.append(show);
  }
  let shown = false, model;
  const api = {
    /** Lets a flow decide the look with `display()`, and tells it of input with `typed(text)` and `left()`. */
    follow(flow) {
      model = flow;
    },
    /** Sets the function that is called after each change, with the field and whether it was left. */
    changed(action) {
      onchange = action;
    },
    node,
    input,
    get value() {
      return input.value;
    },
    set value(text) {
      input.value = text;
    },
    get problem() {
      return check ? check(input.value) : null;
    },
    get valid() {
      return api.problem === null;
    },
    paint(leaving) {
      const pending = api.problem === 'pending',
        problem = pending ? null : api.problem,
        empty = !input.value,
        isFine = problem === null;
      if (leaving && (input.value || leaving === 'submit')) shown = !isFine;
      if (isFine) shown = false;
      const look = model
        ? LOOKS[model.display()]
        : pending
        ? 'editing'
        : isFine
        ? (empty ? 'pristine' : 'valid')
        : shown
        ? 'invalid-shown'
        : empty && node.dataset.look === 'pristine'
        ? 'pristine'
        : empty
        ? 'editing'
        : 'invalid-hidden';
      if (node.dataset.look !== look) {
        node.dataset.look = look;
        setChildren(
          mark,
          look === 'valid' ? icon('check') : look === 'invalid-shown' ? icon('warn') : null,
        );
        input.setAttribute('aria-invalid', look === 'invalid-shown');
      }
      noteText.textContent = look === 'invalid-shown' ? problem : note;
      return look;
    },
    lock(on) {
      input.disabled = on;
      if (show) show.disabled = on;
      node.toggleAttribute('data-locked', on);
    },
    setChildren() {
      input.value = '';
      shown = false;
      node.dataset.look = 'pristine';
      input.setAttribute('aria-invalid', false);
      setChildren(mark);
      noteText.textContent = note;
    },
  };
  input.addEventListener('input', () => {
    if (model) {
      model.typed(input.value);
      return;
    }
    if (hidesMistakeOnEdit) shown = false;
    api.paint();
    onchange?.(api);
  });
  input.addEventListener('blur', () => {
    if (model) {
      model.left?.();
      return;
    }
    api.paint(true);
    onchange?.(api, true);
  });
  return api;
}

/** Lets fields follow the form of a flow, which is told of their input with `send`. */
export function followForm(fields, flow, send) {
  for (const one of fields) {
    const { name } = one.input;
    one.follow({
      display: () => flow.form.display(name),
      typed: (text) => send({ type: 'typed', field: name, text }),
      left: () => send({ type: 'left', field: name }),
    });
  }
}
/** The live list of a field's rules with its progress; a rule that is kept lights its bulb. */
export function ruleList(rules) {
  const bar = ariaHidden('div', 'bar', h('i')), count = h('span', 'num');
  const items = rules.map((rule) =>
    h(
      'li',
      { data: { outcome: 'unsatisfied', advice: rule.advice ? '1' : null } },
      ariaHidden('span', 'bulb'),
      h('span', {}, h('span', 'sr state', t('rules.open')), h('span', 'statement')),
    )
  );
  const node = h(
    'div',
    { class: 'rules', data: { state: 'empty' } },
    h('p', 'label', t('rules.title'), ' ', count),
    bar,
    h('ul', {}, items),
  );
  let last = -1, timer;
  return {
    node,
    /** @param report the result of evaluate(); @param leaving whether missed rules are shown as mistakes */
    update(report, leaving) {
      report.results.forEach((result, i) => {
        const item = items[i], isKept = result.outcome === 'satisfied';
        item.dataset.outcome = result.outcome;
        item.toggleAttribute(
          'data-missed',
          !!leaving && report.state === 'invalid' && !isKept && !result.advice,
        );
        item.querySelector('.state').textContent = isKept
          ? t('rules.kept')
          : result.advice
          ? t('rules.advice')
          : t('rules.open');
        item.querySelector('.statement').textContent = capitalized(result.statement);
      });
      count.textContent = t('rules.met', { count: report.satisfied, total: report.total });
      node.style.setProperty('--done', report.fraction);
      node.dataset.state = report.state;
      if (report.satisfied !== last && last !== -1) {
        clearTimeout(timer);
        timer = setTimeout(
          () =>
            announce(
              report.state === 'valid'
                ? t('rules.all')
                : t('rules.met', { count: report.satisfied, total: report.total }),
            ),
          700,
        );
      }
      last = report.satisfied;
    },
  };
}

/** Six boxes, one input: pastes, auto-fills and reads as one field. */
export function codeField({ label = t('code.digits'), ontyped, describedby }) {
  const digits = Array.from(
    { length: 6 },
    (_, i) => h('span', { class: 'digit', 'aria-hidden': 'true', vars: { i } }),
  );
  const input = h('input', {
    inputmode: 'numeric',
    autocomplete: 'one-time-code',
    maxlength: 12,
    pattern: '[0-9]*',
    'aria-label': label,
    'aria-describedby': describedby,
  });
  const node = h('div', { class: 'code', data: { state: 'open' } }, digits, input);
  const paint = () => {
    const text = input.value;
    digits.forEach((d, i) => {
      d.textContent = text[i] || '';
      d.classList.toggle('filled', i < text.length);
      d.classList.toggle('next', i === Math.min(text.length, 5) && text.length < 6);
    });
  };
  input.addEventListener('input', () => {
    const only = input.value.normalize('NFKC').replace(/\D/g, '').slice(0, 6);
    input.value = only;
    paint();
    ontyped(only);
  });
  paint();
  return {
    node,
    input,
    state(next) {
      node.dataset.state = next;
      input.disabled = next === 'loading' || next === 'done';
    },
    set(text) {
      if (input.value !== text) {
        input.value = text;
        paint();
      }
    },
  };
}
/** The countdown until a new code may be requested. */
export function countdownRing() {
  const leftCircle = s('circle', { class: 'left', cx: 30, cy: 30, r: 26, pathLength: 100 }),
    number = h('span', 'num');
  const node = h(
    'div',
    { class: 'ring', role: 'timer', 'aria-live': 'off' },
    s(
      'svg',
      { viewBox: '0 0 60 60', 'aria-hidden': 'true' },
      s('circle', { class: 'track', cx: 30, cy: 30, r: 26 }),
      leftCircle,
    ),
    number,
  );
  return {
    node,
    set(seconds, total) {
      number.textContent = seconds;
      node.style.setProperty('--left', total ? seconds / total : 0);
      node.setAttribute('aria-label', t('code.seconds', { time: unit(seconds, 'second', true) }));
    },
  };
}
export const busyButton = (button, busy, text) => {
  button.setAttribute('aria-busy', busy);
  button.disabled = busy;
  setChildren(button, busy ? ariaHidden('span', 'leader') : null, text);
};

/** The failure of a request, above the button: what happened, then what to do. */
export function formError() {
  const node = h('div', { role: 'alert', class: 'form-error', hidden: true });
  let timer;
  return {
    node,
    hide() {
      clearInterval(timer);
      node.hidden = true;
      setChildren(node);
    },
    show(failure) {
      clearInterval(timer);
      node.hidden = false;
      // The seconds count down without being read out.
      const wait = h('span', { 'aria-live': 'off' }),
        end = performance.now() + failure.retryAfter * 1000;
      const count = () => {
        const seconds = Math.ceil((end - performance.now()) / 1000);
        wait.textContent = seconds > 0
          ? ` ${t('error.wait', { time: unit(seconds, 'second') })}`
          : ` ${t('error.waited')}`;
        if (seconds <= 0 || !node.isConnected) clearInterval(timer);
      };
      if (failure.retryAfter) {
        count();
        timer = setInterval(count, 1000);
      }
      setChildren(
        node,
        icon('warn'),
        h('p', {}, h('b', {}, `${sentence(failure.message)} `), failure.hint || '', wait),
      );
    },
  };
}
