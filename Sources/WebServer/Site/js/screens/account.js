// The screen of the user's own account: name, contacts, password, second factor, sessions, access
// tokens, deletion.
import { btn, h, setChildren } from '../base/dom.js';
import { icon } from '../base/icons.js';
import { get, remove } from '../base/api.js';
import { actionButton, quiet } from '../parts/actions.js';
import { card, heading, setting } from '../parts/cards.js';
import { chip } from '../parts/chips.js';
import { askQuestion } from '../parts/dialogs.js';
import { failureCard, showFailure } from '../parts/failures.js';
import { toast } from '../parts/toasts.js';
import { saveLanguage } from '../parts/commands.js';
import { languageChoice } from '../parts/language.js';
import { withProof } from '../parts/form-sheet.js';
import { addFactor, newRecoveryCodes, removeFactor } from '../parts/second-factor.js';
import { changeEmail, changeName, changePassword, verifyEmail } from './account-forms.js';
import { changeContacts } from './contacts-form.js';
import { loadSessions } from './sessions.js';
import { askEndOthers, createButton, loadTokens } from './tokens.js';
import { t } from '../base/text.js';

export const title = () => t('account.title');

export async function show(main, { again, exit }) {
  const parts = {
    person: h('div', 'setting-list'),
    factor: h('div', 'setting-list'),
    sessions: h('ul', 'rows'),
    tokens: h('ul', 'rows'),
  };
  const settingsLink = h(
    'a',
    { class: 'btn quiet', href: '/settings' },
    icon('arrowBack'),
    t('settings.title'),
  );
  main.append(heading(title(), settingsLink));
  try {
    await Promise.all([
      loadAccount(parts),
      loadList(loadSessions, parts.sessions, t('sessions.title'), again),
      loadList(loadTokens, parts.tokens, t('tokens.title'), again),
    ]);
  } catch (failure) {
    main.append(failureCard(title(), failure, again));
    return;
  }
  main.append(columns(parts, exit));
}
/** Loads a list; a failure stands in its place, so that the rest of the screen works. */
const loadList = (load, list, name, again) =>
  load(list).catch((failure) => setChildren(list, h('li', {}, failureCard(name, failure, again))));

function columns({ person, factor, sessions, tokens }, exit) {
  const reloadLists = () => Promise.all([loadSessions(sessions), loadTokens(tokens)]);
  const endOthers = quiet(t('sessions.endOthers'), undefined, () => askEndOthers(reloadLists));
  const tokenSettings = h(
    'div',
    'setting-list',
    h('p', 'soft', t('tokens.about')),
    tokens,
    h('div', {}, createButton(tokens)),
  );
  const deletion = h(
    'div',
    'setting-list',
    h('p', 'soft', t('account.deleteNote')),
    btn('danger wide', () => askDeletion(exit), t('account.delete')),
  );
  return h(
    'div',
    'two-col',
    h(
      'div',
      'col',
      card(t('account.you'), 'h-you', person),
      card(t('factor.title'), 'h-factor', factor),
    ),
    h(
      'div',
      'col',
      card(t('sessions.title'), 'h-sessions', sessions, endOthers),
      card(t('tokens.title'), 'h-tokens', tokenSettings),
      card(t('account.end'), 'h-end', deletion),
    ),
  );
}
function askDeletion(exit) {
  const deleteAccount = async () => {
    try {
      await withProof(() => remove('/account'));
      toast(t('account.deleted'));
      await exit();
    } catch (failure) {
      showFailure(failure);
    }
  };
  askQuestion(t('account.deleteAsk'), t('account.deleteNote'), {
    yes: t('account.delete'),
    no: t('do.cancel'),
    danger: true,
    run: deleteAccount,
  });
}

async function loadAccount(parts) {
  const { user } = await get('/account');
  const reload = () => loadAccount(parts).catch(showFailure);
  setChildren(parts.person, personSettings(user, reload));
  setChildren(parts.factor, factorSettings(user, reload));
}
const personSettings = (user, reload) => [
  setting(
    user.name,
    t('account.nameNote'),
    quiet(t('account.change'), t('account.changeName'), () => changeName(user, reload)),
  ),
  emailSetting(user, reload),
  phoneSetting(user, reload),
  setting(
    t('field.password'),
    t('account.passwordNote'),
    quiet(t('account.change'), t('account.changePassword'), () => changePassword(user)),
  ),
  setting(t('settings.language'), t('account.languageNote'), languageChoice(saveLanguage)),
];
function emailSetting(user, reload) {
  const isVerified = user.emailVerified;
  const verify = () => verifyEmail(user, reload);
  return setting(
    user.email,
    t(isVerified ? 'account.verified' : 'account.unverified'),
    isVerified ? null : quiet(t('account.verify'), t('account.verifyEmail'), verify),
    quiet(t('account.change'), t('account.changeEmail'), () => changeEmail(reload)),
  );
}
function phoneSetting(user, reload) {
  const { phone } = user;
  const change = () => changeContacts(user, reload);
  return phone
    ? setting(
      phone,
      t('account.verified'),
      quiet(t('account.change'), t('account.changePhone'), change),
    )
    : setting(
      t('account.phone'),
      t('account.noPhone'),
      quiet(t('account.add'), t('account.addPhone'), change),
    );
}
function factorSettings({ secondFactor, recoveryCodesLeft = 0 }, reload) {
  const state = secondFactor ? chip('reported', t('factor.on')) : chip('off', t('factor.off'));
  const app = setting(t('factor.app'), t('factor.note'), state);
  if (!secondFactor) {
    const add = actionButton('wide', () => addFactor(reload), icon('key'), t('factor.add'));
    return [app, h('div', {}, add)];
  }
  const renew = quiet(t('factor.renew'), t('factor.renewCodes'), () => newRecoveryCodes(reload));
  return [
    app,
    setting(t('factor.recovery'), t('factor.left', { count: recoveryCodesLeft }), renew),
    quiet(t('factor.remove'), undefined, () => removeFactor(reload)),
  ];
}
