// The screen of the doctor: the checks of the controller and their results.
import { announce, clear, h } from './dom.js';
import { icon } from './icons.js';
import { get } from './api.js';
import { act, actBtn, chip, failureCard, heading } from './parts.js';
import { sentence, t } from './text.js';

export const title = () => t('doctor.title');
const KNOWN = { ok: 'reported', warning: 'assumed', failed: 'failed' };
const ORDER = ['failed', 'warning', 'ok'];

export function show(main) {
  const said = h('p', { class: 'soft', role: 'status' }), list = h('ul', 'card checks');
  const again = actBtn('', load, icon('fix'), t('doctor.again'));
  main.append(heading(t('doctor.title'), said, again), list);
  async function load() {
    said.textContent = t('form.checking');
    try {
      const { checks } = await get('/doctor'),
        bad = checks.filter((one) => one.status !== 'ok').length;
      clear(
        list,
        ORDER.flatMap((status) => checks.filter((one) => one.status === status)).map(row),
      );
      said.textContent = bad
        ? t('doctor.found', { count: bad })
        : t('doctor.fine', { count: checks.length });
      announce(said.textContent);
    } catch (failure) {
      said.textContent = '';
      clear(list, h('li', {}, failureCard(t('doctor.unread'), failure)));
    }
  }
  act(again, load);
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
