// The screen of the doctor: the checks of the controller and their results.
import { get } from '../base/api.js';
import { h, setChildren } from '../base/dom.js';
import { announce } from '../base/messages.js';
import { icon } from '../base/icons.js';
import { hasText, sentence, t } from '../base/text.js';
import { actionButton, runAction } from '../parts/actions.js';
import { heading } from '../parts/cards.js';
import { chip } from '../parts/chips.js';
import { failureCard } from '../parts/failures.js';

export const title = () => t('doctor.title');

/** The look of a check's chip by its status, in the order of the list. */
const LOOKS = { failed: 'failed', warning: 'assumed', ok: 'reported' };

export function show(main) {
  const summary = h('p', { class: 'soft', role: 'status' });
  const list = h('ul', 'card checks');
  const load = async () => {
    summary.textContent = t('form.checking');
    try {
      const { checks } = await get('/doctor');
      setChildren(list, sorted(checks).map(row));
      summary.textContent = summaryOf(checks);
      announce(summary.textContent);
    } catch (failure) {
      summary.textContent = '';
      setChildren(list, h('li', {}, failureCard(t('doctor.unread'), failure)));
    }
  };
  const again = actionButton('', load, icon('fix'), t('doctor.again'));
  main.append(heading(title(), summary, again), list);
  runAction(again, load);
}
const sorted = (checks) =>
  Object.keys(LOOKS).flatMap((status) => checks.filter((check) => check.status === status));
function summaryOf(checks) {
  const findings = checks.filter(({ status }) => status !== 'ok').length;
  if (findings) return t('doctor.found', { count: findings });
  return t('doctor.fine', { count: checks.length });
}
/** What is checked, by the name in the controller's answer, with the group of its texts. */
const SUBJECTS = {
  'sound card': 'sound',
  rights: 'rights',
  PCM: 'use',
  'state folder': 'state',
  'runtime folder': 'runtime',
  key: 'key',
  backup: 'backup',
  disk: 'disk',
  configuration: 'configuration',
  certificate: 'certificate',
  database: 'database',
};
/** The names that are followed by the name of a plugin or device. */
const NAMED_SUBJECTS = ['plugin', 'device'];

/** What is checked and what was found, as a person of the household would say it. */
function wordsOf({ name, status }) {
  const [kind, ...rest] = name.split(' ');
  const isNamed = NAMED_SUBJECTS.includes(kind) && rest.length > 0;
  const known = Object.hasOwn(SUBJECTS, name) ? SUBJECTS[name] : undefined;
  const subject = isNamed ? kind : known;
  const title = subject
    ? t(`check.${subject}`, { name: rest.join(' ') })
    : sentence(name).replace(/\.$/, '');
  const finding = [`check.${subject}.${status}`, `check.${status}`].find(hasText);
  return { title, finding: t(finding) };
}
function row(check) {
  const { status } = check;
  const { title: name, finding } = wordsOf(check);
  const words = h(
    'div',
    {},
    h('b', {}, name),
    h('p', 'small', finding),
    status === 'ok' ? null : details(check),
  );
  return h('li', {}, chip(LOOKS[status], t(`doctor.${status}`)), words);
}
/** What the controller says of it, in English, for who mends it. */
const details = ({ message, hint }) =>
  h(
    'details',
    'check-details',
    h('summary', {}, t('check.details')),
    h('p', { class: 'small mono', lang: 'en' }, sentence(message)),
    hint ? h('p', { class: 'small mono hint', lang: 'en' }, sentence(hint)) : null,
  );
