// The screen of the doctor: the checks of the controller and their results.
import { get } from '../base/api.js';
import { h, setChildren } from '../base/dom.js';
import { announce } from '../base/messages.js';
import { icon } from '../base/icons.js';
import { sentence, t } from '../base/text.js';
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
function row({ name, status, message, hint }) {
  const words = h(
    'div',
    {},
    h('b', {}, sentence(name).replace(/\.$/, '')),
    h('p', 'small', sentence(message)),
    hint ? h('p', 'small hint', sentence(hint)) : null,
  );
  return h('li', {}, chip(LOOKS[status], t(`doctor.${status}`)), words);
}
