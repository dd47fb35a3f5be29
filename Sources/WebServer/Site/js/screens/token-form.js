// The form that creates an access token, and the new token, which is shown once.
import { btn, h } from '../base/dom.js';
import { icon } from '../base/icons.js';
import { get, post } from '../base/api.js';
import { choice } from '../parts/choices.js';
import { sheet } from '../parts/dialogs.js';
import { field } from '../parts/forms.js';
import { formSheet, withProof } from '../parts/form-sheet.js';
import { copyText } from '../parts/second-factor.js';
import { nameOfPermission, OWN_TOKENS } from './token-permissions.js';
import { t } from '../base/text.js';

const SECONDS_PER_DAY = 86_400;
/** How long a token may be valid, in days. */
const VALIDITIES = [30, 90, 365, 730];
const USUAL_VALIDITY = 90;
/** The controller's limit on the length of a name. */
const LONGEST_NAME = 100;

/** Opens the form. @param done called once a token is created */
export async function createToken(done) {
  const { words } = await get(OWN_TOKENS);
  const chosen = new Set();
  const permissions = permissionChoice(words, chosen);
  const [, firstKeys] = permissions;
  let days = USUAL_VALIDITY;
  const name = field({
    label: t('tokens.name'),
    name: 'token',
    autocomplete: 'off',
    autocapitalize: 'sentences',
    placeholder: t('tokens.example'),
    check: (text) => (text.trim() ? null : t('tokens.nameMissing')),
  });
  name.input.maxLength = LONGEST_NAME;
  formSheet({
    heading: t('tokens.create'),
    note: t('tokens.about'),
    fields: [name],
    button: t('tokens.make'),
    use: () => issue(name.value, chosen, days),
    refused: () => (chosen.size ? undefined : { input: firstKeys.firstChild }),
    done: (created) => {
      showToken(created);
      done();
    },
  });
  const validity = validityChoice(days, (next) => {
    days = next;
  });
  name.node.after(...permissions, ...validity);
}
function validityChoice(days, onchange) {
  const options = VALIDITIES.map((count) => [String(count), t('tokens.days', { count })]);
  return choice(t('people.valid'), options, String(days), (next) => onchange(Number(next)));
}
function issue(name, chosen, days) {
  if (!chosen.size) throw new Error(t('tokens.mayMissing'));
  const body = { name: name.trim(), may: [...chosen], validFor: days * SECONDS_PER_DAY };
  return withProof(() => post(OWN_TOKENS, body));
}

/**
 * The choice of what a token may do: buttons that stay pressed; those for single devices are folded
 * away.
 */
function permissionChoice(words, chosen) {
  const isOfDevice = (word) => word.startsWith('device:');
  const keys = (label, some) =>
    h(
      'div',
      { class: 'control-keys', role: 'group', 'aria-label': label },
      some.map((word) => permissionButton(word, chosen)),
    );
  return [
    h('p', 'label', t('tokens.may')),
    keys(t('tokens.may'), words.filter((word) => !isOfDevice(word))),
    h(
      'details',
      { hidden: !words.some(isOfDevice) },
      h('summary', 'label', t('tokens.devices')),
      keys(t('tokens.devices'), words.filter(isOfDevice)),
    ),
  ];
}
function permissionButton(word, chosen) {
  const flip = () => {
    const isChosen = !chosen.has(word);
    if (isChosen) chosen.add(word);
    else chosen.delete(word);
    button.setAttribute('aria-pressed', isChosen);
  };
  const button = btn('', flip, nameOfPermission(word));
  button.setAttribute('aria-pressed', false);
  return button;
}

/** Shows a new token once: the controller keeps only its digest. */
function showToken({ name, token }) {
  const tokenInput = h('input', {
    class: 'plain wide mono',
    readonly: true,
    value: token,
    'aria-label': t('tokens.token'),
    onfocus: () => tokenInput.select(),
  });
  const copyButton = btn(
    'primary wide',
    () => copyText(token, t('tokens.copied')),
    icon('log'),
    t('tokens.copy'),
  );
  const usage = h('span', 'mono', 'Authorization: Bearer …');
  const content = h(
    'div',
    'controls',
    h('p', 'soft', t('tokens.once')),
    tokenInput,
    copyButton,
    h('p', 'small', t('tokens.use'), ' ', usage),
  );
  sheet(name, content);
}
