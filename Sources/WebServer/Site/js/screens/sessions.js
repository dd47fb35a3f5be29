// The sessions of an account, each with a button that ends it.
import { h, setChildren } from '../base/dom.js';
import { icon } from '../base/icons.js';
import { get, path, remove } from '../base/api.js';
import { quiet } from '../parts/actions.js';
import { twoLines } from '../parts/cards.js';
import { chip } from '../parts/chips.js';
import { t } from '../base/text.js';
import { relativeTime } from '../base/times.js';

const OWN_SESSIONS = '/sessions';

/**
 * Lists the sessions of an account.
 * @param address the path of the list: one's own, or that of another account
 */
export async function loadSessions(list, address = OWN_SESSIONS) {
  const { sessions } = await get(address);
  const end = async ({ id }) => {
    await remove(address + path`/${id}`);
    await loadSessions(list, address);
  };
  const rows = sessions.map((session) => sessionRow(session, () => end(session)));
  setChildren(list, rows.length ? rows : h('li', 'soft', t('people.noSessions')));
}
function sessionRow(session, end) {
  const name = session.device || t('sessions.program');
  const isPhone = /phone|android|mobile/i.test(session.device);
  const details = t('sessions.line', {
    address: session.address,
    opened: relativeTime(session.opened),
    seen: relativeTime(session.lastSeen),
  });
  return h(
    'li',
    'row still-row',
    icon(isPhone ? 'phone' : 'screen', { class: 'row-icon soft' }),
    twoLines(name, details),
    session.current
      ? chip('reported', t('sessions.this'))
      : quiet(t('do.end'), t('sessions.endOf', { name }), end),
  );
}
