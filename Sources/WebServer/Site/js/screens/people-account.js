// The row of an account, and the sheet that changes it: role, age limit, sessions, tokens, removal.
import { ariaHidden, btn, h } from '../base/dom.js';
import { icon } from '../base/icons.js';
import { path, post } from '../base/api.js';
import * as theater from '../model/store.js';
import { twoLines } from '../parts/cards.js';
import { choice } from '../parts/choices.js';
import { askQuestion, sheet } from '../parts/dialogs.js';
import { showFailure } from '../parts/failures.js';
import { toast } from '../parts/toasts.js';
import { withProof } from '../parts/form-sheet.js';
import { ageSlider, NO_AGE_LIMIT } from './age-slider.js';
import { removeAndReload } from './people-guests.js';
import { loadSessions } from './sessions.js';
import { loadTokens } from './tokens.js';
import { t } from '../base/text.js';
import { dateOf } from '../base/times.js';

/** Milliseconds without a movement of the age slider after which its value is sent. */
const SLIDER_PAUSE = 700;

const isOwnAccount = ({ email }) => email === theater.store.session.user.email;

export function accountRow(account, reload) {
  const ownMark = isOwnAccount(account) && h('span', 'soft', ` · ${t('people.you')}`);
  const limit = account.ageLimit === undefined
    ? ''
    : `${t('people.upTo', { age: account.ageLimit })} · `;
  const end = h(
    'span',
    'end',
    h('span', {}, t(`role.${account.role}`)),
    icon('chevron', { class: 'row-icon' }),
  );
  const button = h(
    'button',
    { class: 'row', onclick: () => openAccountSheet(account, reload) },
    ariaHidden('span', 'face', [...account.name][0]),
    twoLines([account.name, ownMark], limit + account.email),
    end,
  );
  return h('li', {}, button);
}
function openAccountSheet(account, reload) {
  const about = `${account.email} · ${t('people.since', { date: dateOf(account.created) })}`;
  const askAndClose = () => {
    box.close();
    askRemoval(account, reload);
  };
  const others = isOwnAccount(account) ? [] : [
    listSection(
      t('sessions.title'),
      'h-sessions',
      loadSessions,
      path`/accounts/${account.id}/sessions`,
    ),
    listSection(t('tokens.title'), 'h-tokens', loadTokens, path`/accounts/${account.id}/tokens`),
    btn('danger wide', askAndClose, t('people.removeAccount')),
  ];
  const box = sheet(
    account.name,
    h('p', 'soft', about),
    h('div', 'controls', roleChoice(account, reload), ageLimitSlider(account, reload), others),
  );
}
function listSection(name, id, load, address) {
  const list = h('ul', 'rows');
  load(list, address).catch(showFailure);
  return h(
    'section',
    { 'aria-labelledby': id },
    h('h3', { class: 'title-4', id }, name),
    list,
  );
}
async function change({ id }, property, body, message, reload) {
  const account = path`/accounts/${id}`;
  await withProof(() => post(`${account}/${property}`, body));
  toast(message);
  reload();
}
function roleChoice(account, reload) {
  const options = ['member', 'owner'].map((role) => [role, t(`role.${role}`)]);
  const setRole = (role) => {
    const message = t(`people.now.${role}`, { name: account.name });
    return change(account, 'role', { role }, message, reload);
  };
  return choice(t('people.role'), options, account.role, setRole);
}
/** The slider of the age limit, which sends its value once it rests. */
function ageLimitSlider(account, reload) {
  let timer;
  async function send(age, ownTimer) {
    const key = age === undefined ? 'people.unlimited' : 'people.limited';
    const message = t(key, { name: account.name, age });
    try {
      await change(account, 'age-limit', { ageLimit: age }, message, reload);
      account.ageLimit = age;
    } catch (failure) {
      showFailure(failure);
      const isLast = timer === ownTimer;
      if (isLast) limit.set(account.ageLimit ?? NO_AGE_LIMIT, true);
    }
  }
  const limit = ageSlider(account.ageLimit, (age) => {
    clearTimeout(timer);
    const ownTimer = setTimeout(() => send(age, ownTimer), SLIDER_PAUSE);
    timer = ownTimer;
  });
  return limit.node;
}
function askRemoval({ id, name }, reload) {
  askQuestion(t('people.removeOne', { name }), t('people.removal'), {
    yes: t('people.remove'),
    danger: true,
    run: () => removeAndReload(path`/accounts/${id}`, t('people.removed', { name }), reload),
  });
}
