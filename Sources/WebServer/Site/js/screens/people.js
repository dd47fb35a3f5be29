// The screen of the people: accounts, guest passes and invitations that are not used yet, and the
// audit log. For owners.
import { h, setChildren } from '../base/dom.js';
import { icon } from '../base/icons.js';
import { get } from '../base/api.js';
import { actionButton } from '../parts/actions.js';
import { card, heading } from '../parts/cards.js';
import { failureCard } from '../parts/failures.js';
import { accountRow } from './people-account.js';
import { auditLog } from './people-audit.js';
import { guestRow, invitationRow } from './people-guests.js';
import { openInviteSheet } from './people-invite.js';
import { t } from '../base/text.js';

export const title = () => t('people.title');

export async function show(main) {
  const accountList = h('ul', 'rows');
  const openList = h('ul', 'rows');
  const log = auditLog();

  async function readAll() {
    const [{ accounts }, { invitations }, { guests }] = await Promise.all([
      get('/accounts'),
      get('/invitations'),
      get('/guests'),
      log.load(),
    ]);
    const openRows = [
      ...guests.map((guest) => guestRow(guest, load)),
      ...invitations.map((invitation) => invitationRow(invitation, load)),
    ];
    setChildren(accountList, accounts.map((account) => accountRow(account, load)));
    setChildren(openList, openRows.length ? openRows : h('li', 'soft', t('people.nobody')));
    log.show();
  }
  async function load() {
    try {
      await readAll();
    } catch (failure) {
      setChildren(accountList, h('li', {}, failureCard(t('people.unread'), failure, load)));
    }
  }
  const invite = () => openInviteSheet(load);
  main.append(heading(title(), actionButton('primary', invite, icon('plus'), t('people.invite'))));
  await load();
  main.append(columns(accountList, openList, log.nodes));
}
const columns = (accountList, openList, logNodes) =>
  h(
    'div',
    'two-col',
    h(
      'div',
      'col',
      card(t('people.household'), 'h-household', accountList),
      card(t('people.open'), 'h-open', openList),
    ),
    h('div', 'col', card(t('people.log'), 'h-log', logNodes)),
  );
