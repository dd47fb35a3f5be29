// Access tokens: programs that may do chosen things in a person's name, without the password.
import { btn, h, setChildren } from '../base/dom.js';
import { icon } from '../base/icons.js';
import { get, path, post, remove } from '../base/api.js';
import {
  actionButton,
  askQuestion,
  choice,
  quiet,
  sheet,
  showFailure,
  toast,
  toggle,
  twoLines,
} from '../parts/parts.js';
import { field } from '../parts/forms.js';
import { formSheet, withProof } from '../parts/form-sheet.js';
import { copy } from '../parts/second-factor.js';
import { sceneTitle } from '../parts/runs.js';
import { hasText, relativeTime, t } from '../base/text.js';

const OWN = '/account/tokens', DAY = 86_400;
/** How long a token may be valid, in days. */
const VALIDITIES = [30, 90, 365, 730];

/** The name of what a word of a token permits. */
function nameOfWord(word) {
  if (hasText(`tokens.word.${word}`)) return t(`tokens.word.${word}`);
  const [kind, name] = word.split(':');
  if (kind === 'scene') return t('tokens.scene', { name: sceneTitle({ name }) });
  if (kind === 'activity') {
    return t('tokens.activity', { name: hasText(`kind.${name}`) ? t(`kind.${name}`) : name });
  }
  if (kind === 'device') {
    const [device, command] = name.split('/');
    return t('tokens.device', { device, command });
  }
  return word;
}

/**
 * Lists access tokens, each with a button that revokes it.
 * @param of the path of the list: one's own, or that of another account
 */
export async function loadTokens(list, of = OWN) {
  const { tokens } = await get(of);
  const reload = () => loadTokens(list, of).catch(showFailure);
  const rows = tokens.map((token) =>
    h(
      'li',
      'row still-row',
      icon('key', { class: 'row-icon soft' }),
      twoLines(token.name, about(token)),
      revocation(token, of, reload),
    )
  );
  setChildren(list, rows.length ? null : h('li', 'soft', t('tokens.none')), rows);
  return tokens.length;
}
function about({ may, expires, lastUsed, lastAddress }) {
  const used = lastUsed
    ? t('tokens.used', { when: relativeTime(lastUsed), address: lastAddress })
    : t('tokens.unused');
  return t('tokens.line', {
    may: may.map(nameOfWord).join(', '),
    when: relativeTime(expires),
    used,
  });
}
function revocation({ id, name }, of, reload) {
  const run = () =>
    remove(of + path`/${id}`)
      .then(() => {
        toast(t('tokens.revoked'));
        return reload();
      }, showFailure);
  const question = () =>
    askQuestion(t('tokens.question', { name }), t('tokens.revocation'), {
      yes: t('people.revoke'),
      danger: true,
      run,
    });
  return quiet(t('people.revoke'), t('tokens.revokeOf', { name }), question);
}

/** The button that creates a token. */
export const createButton = (list) =>
  actionButton('wide', () => create(list), icon('plus'), t('tokens.create'));

async function create(list) {
  const { words } = await get(OWN), chosen = new Set(), may = wordChoice(words, chosen);
  let days = 90;
  const name = field({
    label: t('tokens.name'),
    name: 'token',
    autocomplete: 'off',
    placeholder: t('tokens.example'),
    check: (text) => (text.trim() ? null : t('tokens.nameMissing')),
  });
  name.input.maxLength = 100;
  formSheet({
    heading: t('tokens.create'),
    note: t('tokens.about'),
    fields: [name],
    button: t('tokens.make'),
    use: () => issue(name.value, chosen, days),
    refused: () => (chosen.size ? undefined : { input: may[1].firstChild }),
    done: (made) => {
      showToken(made);
      loadTokens(list).catch(showFailure);
    },
  });
  const validity = choice(
    t('people.valid'),
    VALIDITIES.map((one) => [String(one), t('tokens.days', { count: one })]),
    String(days),
    (next) => {
      days = Number(next);
    },
  );
  name.node.after(...may, ...validity);
}
async function issue(name, chosen, days) {
  if (!chosen.size) throw new Error(t('tokens.mayMissing'));
  const may = [...chosen];
  return withProof(() => post(OWN, { name: name.trim(), may, validFor: days * DAY }));
}
/**
 * The choice of what a token may do: buttons that stay pressed; those for single devices are folded
 * away.
 */
function wordChoice(words, chosen) {
  const isDevice = (word) => word.startsWith('device:');
  const keys = (label, some) =>
    h(
      'div',
      { class: 'control-keys', role: 'group', 'aria-label': label },
      some.map((word) => wordButton(word, chosen)),
    );
  return [
    h('p', 'label', t('tokens.may')),
    keys(t('tokens.may'), words.filter((word) => !isDevice(word))),
    h(
      'details',
      { hidden: !words.some(isDevice) },
      h('summary', 'label', t('tokens.devices')),
      keys(t('tokens.devices'), words.filter(isDevice)),
    ),
  ];
}
function wordButton(word, chosen) {
  const button = btn('', () => {
    const isChosen = !chosen.has(word);
    if (isChosen) chosen.add(word);
    else chosen.delete(word);
    button.setAttribute('aria-pressed', isChosen);
  }, nameOfWord(word));
  button.setAttribute('aria-pressed', false);
  return button;
}
/** Shows a new token once: the controller keeps only its digest. */
function showToken({ name, token }) {
  const shown = h('input', {
    class: 'plain wide mono',
    readonly: true,
    value: token,
    'aria-label': t('tokens.token'),
    onfocus: () => shown.select(),
  });
  const copyIt = btn(
    'primary wide',
    () => copy(token, t('tokens.copied')),
    icon('log'),
    t('tokens.copy'),
  );
  sheet(
    name,
    h(
      'div',
      'controls',
      h('p', 'soft', t('tokens.once')),
      shown,
      copyIt,
      h('p', 'small', t('tokens.use'), ' ', h('span', 'mono', 'Authorization: Bearer …')),
    ),
  );
}

/** Asks whether one's other sessions end, and whether the access tokens are revoked, too. */
export async function askEndOthers(done) {
  const { tokens } = await get(OWN);
  let revokes = false;
  const more = tokens.length
    ? toggle(t('tokens.revokeToo'), false, (next) => {
      revokes = next;
    }, t('tokens.left', { count: tokens.length }))
    : null;
  const run = async () => {
    const { ended } = await remove(`/sessions/others?tokens=${revokes ? 'revoke' : 'keep'}`);
    toast(t('sessions.ended', { count: ended }));
    await done();
  };
  askQuestion(t('sessions.endOthersAsk'), t('sessions.endOthersNote'), {
    yes: t('sessions.endThem'),
    no: t('do.cancel'),
    more,
    run: () => run().catch(showFailure),
  });
}
