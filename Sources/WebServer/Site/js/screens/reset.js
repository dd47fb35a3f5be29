// A forgotten password: a code, then the new password.
import { announce, h, setChildren, submitBtn } from '../base/dom.js';
import { get, postOpen } from '../base/api.js';
import { backdrop, entranceForm } from '../parts/backdrop.js';
import { codeSteps } from '../parts/code-entry.js';
import { busyButton, field, formError, ruleList } from '../parts/forms.js';
import { evaluate, mistakeIn, normalize, withMessages } from '../model/rules.js';
import { icon } from '../base/icons.js';
import { t } from '../base/text.js';

export const title = () => t('field.newPassword');

export function show(main, { go }) {
  const set = backdrop(main),
    put = (form) => {
      setChildren(set.inside, form.node);
      form.focus();
    };
  const link = () =>
    h('a', { class: 'btn link', href: '/login' }, icon('arrowBack'), t('login.go'));
  const { stop } = codeSteps({
    path: '/password-resets',
    set,
    put,
    contact: { heading: t('reset.forgot'), note: t('reset.note'), button: t('code.send') },
    code: { heading: t('code.enter') },
    foot: () => h('div', 'entrance-links', link()),
    verify: ({ request, code }, answer, { email }) =>
      verified({
        confirm: (newPassword) =>
          postOpen('/password-resets/confirmation', { request, code, newPassword }),
        answer,
        put,
        set,
        email,
        heading: t('reset.yours'),
        button: t('reset.set'),
        done: () => {
          announce(t('reset.done'));
          go('/login');
        },
      }),
  });
  return stop;
}
/** Checks a code, then asks for the password. A right code without a password is answered with 422 "empty". */
export async function verified({ confirm, answer, put, ...options }) {
  let form;
  try {
    await confirm().catch((failure) => {
      if (failure.code !== 'empty') throw failure;
    });
    form = await passwordForm({ use: confirm, ...options });
  } catch (failure) {
    answer({ type: 'verified', failure });
    return;
  }
  answer({ type: 'verified' });
  put(form);
}

/**
 * A new password, typed twice, with the live list of rules.
 * @param also further fields, shown first, by the names of their rules; `use` gets their values after the password
 * @param present the field for the current password, shown before all others
 */
export async function passwordForm(
  { set, email = '', name = '', heading, button: words, use, done, also = {}, present },
) {
  const { rules } = await get('/validation', { open: true });
  let blocklist = new Set();
  get('/validation/blocklist', { open: true }).then(({ entries }) => {
    blocklist = new Set(entries);
    change();
  }, () => {});
  const declared = withMessages(rules.fields.find((one) => one.name === 'password')),
    error = formError(),
    list = ruleList(declared.rules);
  const values = () => ({
    name,
    email,
    ...Object.fromEntries(others.map((each) => [each.input.name, each.value])),
  });
  const judge = (text) =>
    evaluate(declared, text, { values: values(), blocklist, secondFactor: true });
  const others = Object.entries(also).map(([about, options]) => {
    const all = withMessages(rules.fields.find((each) => each.name === about)),
      known = { ...all, rules: all.rules.filter(({ rule }) => rule !== 'asked') };
    return field({
      ...options,
      name: about,
      check: (text) => mistakeIn(known, text, evaluate(known, text, { values: {}, blocklist })),
      onchange: () => change(),
    });
  });
  if (present) {
    others.unshift(present);
    present.changed(() => change());
  }
  const one = field({
    label: t('field.newPassword'),
    name: 'password',
    secret: true,
    autocomplete: 'new-password',
    check: (text) => mistakeIn(declared, text, judge(text)),
    onchange: (changed, left) => change(left),
  });
  const two = field({
    label: t('field.repeat'),
    name: 'passwordAgain',
    secret: true,
    autocomplete: 'new-password',
    check: (text) => (text && normalize(text) === normalize(one.value) ? null : t('field.differ')),
    onchange: () => change(),
  });
  const button = submitBtn('big wide', words);
  function change(left) {
    list.update(judge(one.value), left);
    const ok = [...others, one, two].every((each) => each.valid);
    button.setAttribute('aria-disabled', !ok);
    set?.light(ok ? 1 : 2 / 3);
  }
  const node = entranceForm(
    heading,
    send,
    others.map((each) => each.node),
    one.node,
    list.node,
    two.node,
    error.node,
    button,
  );
  let isLoading = false;
  const lock = (on) => {
    isLoading = on;
    for (const each of [...others, one, two]) each.lock(on);
    busyButton(button, on, on ? t('form.moment') : words);
  };
  async function send() {
    if (isLoading) return;
    error.hide();
    const missing = others.find((each) => !each.valid);
    if (missing) {
      missing.paint('submit');
      missing.input.focus();
      return;
    }
    if (!one.valid) {
      one.paint('submit');
      list.update(judge(one.value), true);
      one.input.focus();
      return;
    }
    if (!two.valid) {
      one.clear();
      two.clear();
      change();
      error.show({ message: t('field.differ'), hint: t('field.both') });
      one.input.focus();
      return;
    }
    lock(true);
    try {
      done(await use(one.value, values()));
    } catch (failure) {
      lock(false);
      const wrong = failure.field === 'password' && present;
      if (!wrong && failure.code !== 'network') {
        one.clear();
        two.clear();
        change();
      }
      error.show(failure);
      (wrong || one).input.focus();
    }
  }
  change();
  return { node, focus: () => (others[0] ?? one).input.focus() };
}
