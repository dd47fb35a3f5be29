// The screen of the doctor: the checks of the controller and their results.
import { announce, h, setChildren } from '../base/dom.js';
import { icon } from '../base/icons.js';
import { get } from '../base/api.js';
import { actionButton, runAction } from '../parts/actions.js';
import { heading } from '../parts/cards.js';
import { chip } from '../parts/chips.js';
import { failureCard } from '../parts/failures.js';
import { sentence, t } from '../base/text.js';

export const title = () => t('doctor.title');
const KNOWN = { ok: 'reported', warning: 'assumed', failed: 'failed' };
const ORDER = ['failed', 'warning', 'ok'];

export function show(main) {
  const said = h('p', { class: 'soft', role: 'status' }), list = h('ul', 'card checks');
  const again = actionButton('', load, icon('fix'), t('doctor.again'));
  main.append(heading(t('doctor.title'), said, again), list);
  async function load() {
    said.textContent = t('form.checking');
    try {
      const { checks } = await get('/doctor'),
        bad = checks.filter((one) => one.status !== 'ok').length;
      setChildren(
        list,
        ORDER.flatMap((status) => checks.filter((one) => one.status === status)).map(row),
      );
      said.textContent = bad
        ? t('doctor.found', { count: bad })
        : t('doctor.fine', { count: checks.length });
      announce(said.textContent);
    } catch (failure) {
      said.textContent = '';
      setChildren(list, h('li', {}, failureCard(t('doctor.unread'), failure)));
    }
  }
  runAction(again, load);
}
const row = ({ name, status, message, hint }) =>
  h(
    'li',
    {},
    chip(KNOWN[status], t(`doctor.${status}`)),
    h(
      'div',
      {},
      h('b', {}, sentence(name).replace(/\.$/, '')),
      h('p', 'small', sentence(message)),
      hint ? h('p', 'small hint', sentence(hint)) : null,
    ),
  );
