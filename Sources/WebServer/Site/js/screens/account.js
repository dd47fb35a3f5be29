// The screen of the user's own account: name, contacts, password, second factor, sessions, access tokens, deletion.
import { btn, h, setChildren } from '../base/dom.js';
import { icon } from '../base/icons.js';
import { get, path, post, remove } from '../base/api.js';
import {
  actionButton,
  askQuestion,
  card,
  chip,
  failureCard,
  heading,
  quiet,
  setting,
  showFailure,
  toast,
  twoLines,
} from '../parts/parts.js';
import { CHECK, field } from '../parts/forms.js';
import { isPhone } from '../base/contacts.js';
import { saveLanguage } from '../parts/commands.js';
import { languageChoice } from '../parts/language.js';
import { passwordForm } from './reset.js';
import {
  confirmContact,
  formSheet,
  inSheet,
  passwordField,
  withProof,
} from '../parts/form-sheet.js';
import { addFactor, newRecoveryCodes, removeFactor } from '../parts/second-factor.js';
import { askEndOthers, createButton, loadTokens } from './tokens.js';
import { relativeTime, t } from '../base/text.js';

export const title = () => t('account.title');

export async function show(main, { again, exit }) {
  const person = h('div', 'setting-list'),
    factor = h('div', 'setting-list'),
    sessions = h('ul', 'rows'),
    tokens = h('ul', 'rows');
  const others = quiet(
    t('sessions.endOthers'),
    undefined,
    () => askEndOthers(() => Promise.all([loadSessions(sessions), loadTokens(tokens)])),
  );
  const end = btn(
    'danger wide',
    () =>
      askQuestion(t('account.deleteAsk'), t('account.deleteNote'), {
        yes: t('account.delete'),
        no: t('do.cancel'),
        danger: true,
        run: () =>
          withProof(() => remove('/account')).then(() => {
            toast(t('account.deleted'));
            return exit();
          }).catch(showFailure),
      }),
    t('account.delete'),
  );
  main.append(
    heading(
      t('account.title'),
      h('a', { class: 'btn quiet', href: '/settings' }, icon('arrowBack'), t('settings.title')),
    ),
  );
  const columns = h(
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
      card(t('sessions.title'), 'h-sessions', sessions, others),
      card(
        t('tokens.title'),
        'h-tokens',
        h(
          'div',
          'setting-list',
          h('p', 'soft', t('tokens.about')),
          tokens,
          h('div', {}, createButton(tokens)),
        ),
      ),
      card(
        t('account.end'),
        'h-end',
        h('div', 'setting-list', h('p', 'soft', t('account.deleteNote')), end),
      ),
    ),
  );
  const load = async () => {
    const { user } = await get('/account'), again = () => load().catch(showFailure);
    setChildren(
      person,
      setting(
        user.name,
        t('account.nameNote'),
        quiet(t('account.change'), t('account.changeName'), () => changeName(user, again)),
      ),
      setting(
        user.email,
        t(user.emailVerified ? 'account.verified' : 'account.unverified'),
        user.emailVerified ? null : quiet(
          t('account.verify'),
          t('account.verifyEmail'),
          () => sendCode('/account/email', {}, user.email, again),
        ),
        quiet(t('account.change'), t('account.changeEmail'), () => changeEmail(user, again)),
      ),
      setting(
        user.phone ?? t('account.phone'),
        t(user.phone ? 'account.verified' : 'account.noPhone'),
        quiet(
          t(user.phone ? 'account.change' : 'account.add'),
          t(user.phone ? 'account.changePhone' : 'account.addPhone'),
          () => changePhone(again),
        ),
      ),
      setting(
        t('field.password'),
        t('account.passwordNote'),
        quiet(t('account.change'), t('account.changePassword'), () => changePassword(user)),
      ),
      setting(t('settings.language'), t('account.languageNote'), languageChoice(saveLanguage)),
    );
    setChildren(
      factor,
      setting(
        t('factor.app'),
        t('factor.note'),
        chip(
          user.secondFactor ? 'reported' : 'off',
          t(user.secondFactor ? 'factor.on' : 'factor.off'),
        ),
      ),
      user.secondFactor
        ? setting(
          t('factor.recovery'),
          t('factor.left', { count: user.recoveryCodesLeft ?? 0 }),
          quiet(t('factor.renew'), t('factor.renewCodes'), () => newRecoveryCodes(again)),
        )
        : null,
      user.secondFactor
        ? quiet(t('factor.remove'), undefined, () => removeFactor(again))
        : h('div', {}, wide(t('factor.add'), () => addFactor(again))),
    );
  };
  try {
    await Promise.all([
      load(),
      loadSessions(sessions).catch((failure) =>
        setChildren(sessions, h('li', {}, failureCard(t('sessions.title'), failure, again)))
      ),
      loadTokens(tokens).catch((failure) =>
        setChildren(tokens, h('li', {}, failureCard(t('tokens.title'), failure, again)))
      ),
    ]);
    main.append(columns);
  } catch (failure) {
    main.append(failureCard(t('account.title'), failure, again));
  }
}
const wide = (text, run) => actionButton('wide', run, icon('key'), text);

function changeName(user, done) {
  const name = field({
    label: t('field.name'),
    name: 'name',
    autocomplete: 'name',
    check: (text) => (text.trim() ? null : t('account.nameMissing')),
  });
  name.value = user.name;
  formSheet({
    heading: t('field.name'),
    fields: [name],
    button: t('editor.save'),
    use: () => post('/account/name', { name: name.value }),
    done: () => {
      toast(t('account.nameChanged'));
      done();
    },
  });
}
function changeEmail(user, done, value = '') {
  const email = field({
    label: t('newcomer.email'),
    name: 'email',
    type: 'email',
    inputmode: 'email',
    autocomplete: 'email',
    note: t('account.emailNote'),
    check: CHECK.email,
  });
  email.value = value;
  formSheet({
    heading: t('account.yourEmail'),
    fields: [email],
    button: t('code.send'),
    use: (to) => withProof(() => post('/account/email', { email: to })),
    done: (sent) =>
      confirmContact({
        path: '/account/email',
        target: { email: email.value },
        sent,
        onback: () => changeEmail(user, done, email.value),
        done: () => {
          toast(t('account.emailChanged'));
          done();
        },
      }),
  });
}
function changePhone(done, value = '') {
  const phone = field({
    label: t('account.phone'),
    name: 'phone',
    type: 'tel',
    inputmode: 'tel',
    autocomplete: 'tel',
    note: t('account.phoneNote'),
    check: (text) => (isPhone(text) ? null : t('account.phoneWrong')),
  });
  phone.value = value;
  formSheet({
    heading: t('account.yourPhone'),
    fields: [phone],
    button: t('code.send'),
    use: (to) => withProof(() => post('/account/phone', { phone: to })),
    done: (sent) =>
      confirmContact({
        path: '/account/phone',
        target: { phone: phone.value },
        sent,
        onback: () => changePhone(done, phone.value),
        done: () => {
          toast(t('account.phoneChanged'));
          done();
        },
      }),
  });
}
async function sendCode(path, body, to, done) {
  const sent = await withProof(() => post(path, body));
  confirmContact({
    path,
    target: { email: to },
    sent,
    onback: () => changeEmail({}, done),
    done: () => {
      toast(t('account.nowVerified'));
      done();
    },
  });
}
async function changePassword(user) {
  const now = passwordField();
  const form = await passwordForm({
    email: user.email,
    name: user.name,
    heading: '',
    button: t('reset.set'),
    present: now,
    use: (newPassword) =>
      withProof(() =>
        post('/account/password', { password: now.value, newPassword }, { open: true })
      ),
    done: () => {
      box.close();
      toast(t('account.passwordChanged'));
    },
  });
  const box = inSheet(t('account.changePassword'), form);
}

/** Lists the sessions of an account, each with a button that ends it. */
export async function loadSessions(list, of = '/sessions') {
  const { sessions } = await get(of);
  setChildren(
    list,
    sessions.length ? null : h('li', 'soft', t('people.noSessions')),
    sessions.map((session) => {
      const name = session.device || t('sessions.program');
      return h(
        'li',
        'row still-row',
        icon(/phone|android|mobile/i.test(session.device) ? 'phone' : 'screen', {
          class: 'row-icon soft',
        }),
        twoLines(
          name,
          t('sessions.line', {
            address: session.address,
            opened: relativeTime(session.opened),
            seen: relativeTime(session.lastSeen),
          }),
        ),
        session.current
          ? chip('reported', t('sessions.this'))
          : quiet(t('do.end'), t('sessions.endOf', { name }), async () => {
            await remove(of + path`/${session.id}`);
            await loadSessions(list, of);
          }),
      );
    }),
  );
}
