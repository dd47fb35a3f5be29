// The household: accounts, invitations, guest passes, the log of what happened. For owners.
import { ariaHidden, btn, h, setChildren } from '../base/dom.js';
import { icon } from '../base/icons.js';
import { get, path, post, remove } from '../base/api.js';
import * as theater from '../model/store.js';
import {
  actionButton,
  askQuestion,
  card,
  choice,
  failureCard,
  heading,
  quiet,
  segments,
  sheet,
  showFailure,
  slider,
  toast,
  twoLines,
} from '../parts/parts.js';
import { clockTime, dateOf, hasText, relativeTime, t, unit } from '../base/text.js';
import { qrOfRows } from '../base/qr.js';
import { loadSessions } from './account.js';
import { loadTokens } from './tokens.js';
import { withProof } from '../parts/form-sheet.js';

export const title = () => t('people.title');
const DAY = 86_400;

export async function show(main) {
  const household = h('ul', 'rows'), open = h('ul', 'rows'), log = h('ol', 'audit');
  main.append(
    heading(title(), actionButton('primary', () => invite(load), icon('plus'), t('people.invite'))),
  );
  const columns = h(
    'div',
    'two-col',
    h(
      'div',
      'col',
      card(t('people.household'), 'h-household', household),
      card(t('people.open'), 'h-open', open),
    ),
    h('div', 'col', card(t('people.log'), 'h-log', log)),
  );
  let before;
  const earlier = actionButton(
    'quiet wide',
    async () => append(await get(`/audit?limit=40&before=${before}`)),
    t('people.earlier'),
  );
  earlier.hidden = true;
  log.after(earlier);
  function append(page) {
    before = page.before;
    earlier.hidden = !before;
    log.append(...[...page.entries].reverse().map(entry));
  }
  async function load() {
    try {
      const [{ accounts }, { invitations }, { guests }, audit] = await Promise.all([
        get('/accounts'),
        get('/invitations'),
        get('/guests'),
        get('/audit?limit=40'),
      ]);
      setChildren(household, accounts.map((one) => person(one, load)));
      setChildren(
        open,
        !guests.length && !invitations.length ? h('li', 'soft', t('people.nobody')) : null,
        guests.map((one) => pass(one, load)),
        invitations.map((one) => invitation(one, load)),
      );
      log.replaceChildren();
      append(audit);
    } catch (failure) {
      setChildren(household, h('li', {}, failureCard(t('people.unread'), failure, load)));
    }
  }
  await load();
  main.append(columns);
}
const kindOf = (id, title = id) => (hasText(`kind.${id}`) ? t(`kind.${id}`) : title),
  spaced = (name) => name.replace(/([A-Z])/g, ' $1').toLowerCase();
const line = (picture, name, sub, end) =>
  h('li', 'row still-row', icon(picture, { class: 'row-icon soft' }), twoLines(name, sub), end);
function person(one, load) {
  const isOwn = one.email === theater.store.session.user.email;
  return h(
    'li',
    {},
    h(
      'button',
      { class: 'row', onclick: () => edit(one, isOwn, load) },
      ariaHidden('span', 'face', [...one.name][0]),
      twoLines(
        [one.name, isOwn ? h('span', 'soft', ` · ${t('people.you')}`) : null],
        one.ageLimit === undefined
          ? one.email
          : `${t('people.upTo', { age: one.ageLimit })} · ${one.email}`,
      ),
      h(
        'span',
        'end',
        h('span', {}, t(`role.${one.role}`)),
        icon('chevron', { class: 'row-icon' }),
      ),
    ),
  );
}
/** The highest age rating; the end of the slider is none. */
export const ageSlider = (value, onchange) =>
  slider({
    label: t('people.limit'),
    min: 0,
    max: 21,
    value: value ?? 21,
    says: (x) => (x >= 21 ? t('people.noLimit') : t('people.age', { age: x })),
    onchange: (x) => onchange(x >= 21 ? undefined : x),
  });
function edit(one, isOwn, load) {
  const sessions = h('ul', 'rows'), tokens = h('ul', 'rows');
  if (!isOwn) {
    loadSessions(sessions, path`/accounts/${one.id}/sessions`).catch(showFailure);
    loadTokens(tokens, path`/accounts/${one.id}/tokens`).catch(showFailure);
  }
  const own = path`/accounts/${one.id}`,
    change = async (what, body, said) => {
      await withProof(() => post(`${own}/${what}`, body));
      toast(said);
      load();
    };
  let timer;
  const limit = ageSlider(one.ageLimit, (x) => {
    clearTimeout(timer);
    const sent = setTimeout(
      () =>
        change(
          'age-limit',
          { ageLimit: x },
          t(x === undefined ? 'people.unlimited' : 'people.limited', { name: one.name, age: x }),
        ).then(() => {
          one.ageLimit = x;
        }, (failure) => {
          showFailure(failure);
          if (timer === sent) limit.set(one.ageLimit ?? 21, true);
        }),
      700,
    );
    timer = sent;
  });
  const box = sheet(
    one.name,
    h('p', 'soft', `${one.email} · ${t('people.since', { date: dateOf(one.created) })}`),
    h(
      'div',
      'controls',
      choice(
        t('people.role'),
        [['member', t('role.member')], ['owner', t('role.owner')]],
        one.role,
        (role) => change('role', { role }, t(`people.now.${role}`, { name: one.name })),
      ),
      limit.node,
      isOwn ? null : h(
        'section',
        { 'aria-labelledby': 'h-sessions' },
        h('h3', { class: 'title-4', id: 'h-sessions' }, t('sessions.title')),
        sessions,
      ),
      isOwn ? null : h(
        'section',
        { 'aria-labelledby': 'h-tokens' },
        h('h3', { class: 'title-4', id: 'h-tokens' }, t('tokens.title')),
        tokens,
      ),
      isOwn ? null : btn('danger wide', () => {
        box.close();
        askQuestion(t('people.removeOne', { name: one.name }), t('people.removal'), {
          yes: t('people.remove'),
          danger: true,
          run: removal(own, t('people.removed', { name: one.name }), load),
        });
      }, t('people.removeAccount')),
    ),
  );
}
const removal = (path, said, load) => () =>
  remove(path).then(() => {
    toast(said);
    load();
  }, showFailure);
const revoke = (label, question, path, said, load) =>
  quiet(
    t('people.revoke'),
    label,
    () =>
      askQuestion(question, t('people.revocation'), {
        yes: t('people.revoke'),
        danger: true,
        run: removal(path, said, load),
      }),
  );
function pass(one, load) {
  const limits = t('people.pass', {
    activities: one.activities.map(kindOf).join(', '),
    percent: one.volumeLimit,
    when: relativeTime(one.expires),
  });
  return line(
    'link',
    one.name,
    [
      one.wallTablet ? t('wall.title') : limits,
      one.ageLimit === undefined ? '' : t('people.upTo', { age: one.ageLimit }),
    ].filter(Boolean).join(' · '),
    revoke(
      t('people.revokePass', { name: one.name }),
      t('people.passQuestion'),
      path`/guests/${one.id}`,
      t('people.passRevoked'),
      load,
    ),
  );
}
function invitation(one, load) {
  return line(
    'user',
    t(`people.as.${one.role}`),
    t('people.unused', { when: relativeTime(one.expires) }),
    revoke(
      t('people.revokeInvitation'),
      t('people.invitationQuestion'),
      path`/invitations/${one.id}`,
      t('people.invitationRevoked'),
      load,
    ),
  );
}
async function invite(load) {
  const offered = (await get('/activities')).activities;
  let kind = 'member', volumeLimit = 40, hours = 6, ageLimit;
  const name = h('input', {
      class: 'plain wide',
      'aria-label': t('people.passName'),
      placeholder: t('people.passExample'),
      maxlength: 100,
    }),
    activities = new Set(offered.map((one) => one.name));
  const offer = ({ name: id, title }) => {
    const node = h('button', {
      class: 'btn',
      'aria-pressed': 'true',
      onclick: () => {
        const on = node.getAttribute('aria-pressed') !== 'true';
        node.setAttribute('aria-pressed', on);
        if (on) activities.add(id);
        else activities.delete(id);
      },
    }, kindOf(id, title));
    return node;
  };
  const limits = h(
    'div',
    { class: 'controls', hidden: true },
    name,
    h('p', 'label', t('people.may')),
    h('div', 'control-keys', offered.map(offer)),
    slider({
      label: t('people.loudest'),
      value: volumeLimit,
      onchange: (x) => {
        volumeLimit = x;
      },
    }).node,
    ageSlider(undefined, (x) => {
      ageLimit = x;
    }).node,
    slider({
      label: t('people.valid'),
      min: 1,
      max: 48,
      value: hours,
      says: (x) => unit(x, 'hour'),
      onchange: (x) => {
        hours = x;
      },
    }).node,
  );
  const about = h('p', 'soft'),
    say = () => {
      limits.hidden = kind !== 'guest';
      about.textContent = t(`people.about.${kind}`);
    };
  const button = actionButton(
    'primary big wide',
    async () => {
      const made = kind === 'guest'
        ? await post('/guests', {
          activities: [...activities],
          volumeLimit,
          ageLimit,
          validFor: hours * 3600,
          name: name.value.trim() || t('role.guest'),
        })
        : await withProof(() => post('/invitations', { role: kind, validFor: 7 * DAY }));
      box.close();
      load();
      showLink(
        made.link ?? `${location.origin}/${kind === 'guest' ? 'guest' : 'register'}#${made.code}`,
        made,
        kind,
      );
    },
    icon('link'),
    t('people.create'),
  );
  const box = sheet(
    t('people.inviting'),
    h(
      'div',
      'controls',
      segments(
        t('library.kind'),
        ['member', 'guest', 'owner'].map((role) => [role, t(`role.${role}`)]),
        kind,
        (next) => {
          kind = next;
          say();
        },
      ),
      about,
      limits,
      button,
    ),
  );
  say();
}
/** Whether only the machine of the controller can open an address. */
const isOwnMachine = (address) =>
  ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(address).hostname);
/** Shows the link once: the controller keeps only its digest. */
function showLink(address, { code, qr }, kind) {
  const field = h('input', {
    class: 'plain wide mono',
    readonly: true,
    value: address,
    'aria-label': t('people.link'),
    onfocus: () => field.select(),
  });
  const copy = btn(
    'primary wide',
    async () => {
      try {
        await navigator.clipboard.writeText(address);
        toast(t('people.copied'));
      } catch {
        field.focus();
        field.select();
        toast(t('people.copyByHand'));
      }
    },
    icon('link'),
    t('people.copy'),
  );
  const share = navigator.share
    ? btn(
      'wide',
      () => navigator.share({ url: address, title: 'Home Theater' }).catch(() => {}),
      t('people.share'),
    )
    : null;
  sheet(
    t(kind === 'guest' ? 'people.guestLink' : 'people.invitationLink'),
    h(
      'div',
      'controls',
      h('p', 'soft', t('people.once')),
      qr ? qrOfRows(qr, t('people.qr')) : null,
      field,
      isOwnMachine(address) ? h('p', 'small', t('people.here')) : null,
      copy,
      share,
      h('p', 'small', t('people.code'), ' ', h('span', 'mono', code)),
    ),
  );
}
function entry(one) {
  const bad = one.outcome !== 'done',
    known = (key) => (hasText(key) ? t(key) : undefined),
    words = known(`deed.${one.deed}`) ?? spaced(one.deed);
  return h(
    'li',
    { data: { bad: bad ? '1' : null } },
    h('span', 'tiny num', clockTime(one.at)),
    h(
      'span',
      {},
      [
        one.who ? `${one.who}: ${words}` : words,
        known(`role.${one.subject}`) ?? one.subject,
        bad
          ? t('people.refused', { code: known(`error.${one.outcome}`) ?? spaced(one.outcome) })
          : '',
      ].filter(Boolean).join(' · '),
      h(
        'span',
        'tiny block',
        [one.address, one.device, one.count ? t('people.times', { count: one.count }) : ''].filter(
          Boolean,
        ).join(' · '),
      ),
    ),
  );
}
