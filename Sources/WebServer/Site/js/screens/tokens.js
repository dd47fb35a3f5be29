// Access tokens: programs that may do chosen things in a person's name, without the password.
import { h, setChildren } from '../base/dom.js';
import { icon } from '../base/icons.js';
import { get, path, remove } from '../base/api.js';
import { actionButton, quiet } from '../parts/actions.js';
import { twoLines } from '../parts/cards.js';
import { toggle } from '../parts/choices.js';
import { askQuestion } from '../parts/dialogs.js';
import { showFailure } from '../parts/failures.js';
import { toast } from '../parts/toasts.js';
import { createToken } from './token-form.js';
import { nameOfPermission, OWN_TOKENS } from './token-permissions.js';
import { t } from '../base/text.js';
import { relativeTime } from '../base/times.js';

/**
 * Lists access tokens, each with a button that revokes it.
 * @param address the path of the list: one's own, or that of another account
 */
export async function loadTokens(list, address = OWN_TOKENS) {
  const { tokens } = await get(address);
  const reload = () => loadTokens(list, address).catch(showFailure);
  const rows = tokens.map((token) =>
    h(
      'li',
      'row still-row',
      icon('key', { class: 'row-icon soft' }),
      twoLines(token.name, describeToken(token)),
      revokeButton(token, address, reload),
    )
  );
  setChildren(list, rows.length ? rows : h('li', 'soft', t('tokens.none')));
  return tokens.length;
}
function describeToken({ may, expires, lastUsed, lastAddress }) {
  const used = lastUsed
    ? t('tokens.used', { when: relativeTime(lastUsed), address: lastAddress })
    : t('tokens.unused');
  return t('tokens.line', {
    may: may.map(nameOfPermission).join(', '),
    when: relativeTime(expires),
    used,
  });
}
function revokeButton({ id, name }, address, reload) {
  const revoke = async () => {
    try {
      await remove(address + path`/${id}`);
    } catch (failure) {
      showFailure(failure);
      return;
    }
    toast(t('tokens.revoked'));
    await reload();
  };
  const ask = () =>
    askQuestion(t('tokens.question', { name }), t('tokens.revocation'), {
      yes: t('people.revoke'),
      danger: true,
      run: revoke,
    });
  return quiet(t('people.revoke'), t('tokens.revokeOf', { name }), ask);
}

/** The button that creates a token and lists it. */
export function createButton(list) {
  const reload = () => loadTokens(list).catch(showFailure);
  return actionButton('wide', () => createToken(reload), icon('plus'), t('tokens.create'));
}

/** Asks whether one's other sessions end, and whether the access tokens are revoked, too. */
export async function askEndOthers(done) {
  const { tokens } = await get(OWN_TOKENS);
  let revokesTokens = false;
  const setRevokesTokens = (isOn) => {
    revokesTokens = isOn;
  };
  const tokensLeft = t('tokens.left', { count: tokens.length });
  const tokenSwitch = toggle(t('tokens.revokeToo'), false, setRevokesTokens, tokensLeft);
  const endOthers = async () => {
    try {
      const choice = revokesTokens ? 'revoke' : 'keep';
      const { ended } = await remove(`/sessions/others?tokens=${choice}`);
      toast(t('sessions.ended', { count: ended }));
      await done();
    } catch (failure) {
      showFailure(failure);
    }
  };
  askQuestion(t('sessions.endOthersAsk'), t('sessions.endOthersNote'), {
    yes: t('sessions.endThem'),
    no: t('do.cancel'),
    more: tokens.length ? tokenSwitch : null,
    run: endOthers,
  });
}
