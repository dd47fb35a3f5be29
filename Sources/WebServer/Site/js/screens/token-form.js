// The form that creates an access token, and the new token, which is shown once.
import { btn, h, submitBtn } from '../base/dom.js';
import { icon } from '../base/icons.js';
import { get, post } from '../base/api.js';
import { AccessTokenForm } from '../model/access-token-form.js';
import { drive } from '../model/flow.js';
import { declaredForm } from '../parts/declared-forms.js';
import { sheet } from '../parts/dialogs.js';
import { fieldOfFlow, followForm, formError, setBusy } from '../parts/forms.js';
import { withProof } from '../parts/form-sheet.js';
import { followReturnKey } from '../parts/return-key.js';
import { copyText } from '../parts/second-factor.js';
import { nameOfPermission, OWN_TOKENS } from './token-permissions.js';
import { t } from '../base/text.js';

const SECONDS_PER_DAY = 86_400;
/** The controller's limit on the length of a name. */
const LONGEST_NAME = 100;

/** Opens the form. @param done called once a token is created */
export async function createToken(done) {
  const [declared, { words }] = await Promise.all([declaredForm('accessToken'), get(OWN_TOKENS)]);
  new TokenSheet(new AccessTokenForm(declared), words, done).open();
}

class TokenSheet {
  constructor(flow, words, done) {
    Object.assign(this, { flow, done });
    this.name = fieldOfFlow({
      label: t('tokens.name'),
      name: 'name',
      autocomplete: 'off',
      autocapitalize: 'sentences',
      placeholder: t('tokens.example'),
      check: () => flow.form.mistake('name') && t('tokens.nameMissing'),
    });
    this.name.input.maxLength = LONGEST_NAME;
    this.days = fieldOfFlow({
      label: t('rule.field.days'),
      name: 'days',
      inputmode: 'numeric',
      autocomplete: 'off',
      check: () => flow.form.mistake('days'),
    });
    this.days.value = flow.form.text('days');
    this.fields = [this.name, this.days];
    this.error = formError();
    this.button = submitBtn('wide', t('tokens.make'));
    this.permissions = permissionChoice(
      words,
      (chosen) => this.send({ type: 'typed', field: 'permissions', text: chosen.join(',') }),
    );
    this.form = h(
      'form',
      { class: 'controls', novalidate: true, onsubmit: (event) => this.submit(event) },
      h('p', 'soft', t('tokens.about')),
      this.name.node,
      this.permissions,
      this.days.node,
      this.error.node,
      this.button,
    );
    followReturnKey(this.form);
  }
  open() {
    const { send } = drive(this.flow, { paint: () => this.paint(), work() {} });
    this.send = send;
    followForm(this.fields, this.flow, send);
    this.dialog = sheet(t('tokens.create'), this.form);
    this.paint();
  }
  paint() {
    for (const one of this.fields) one.paint();
    this.button.setAttribute('aria-disabled', !this.flow.canSubmit);
  }
  submit(event) {
    event.preventDefault();
    if (this.flow.isOver) return;
    this.error.hide();
    this.send({ type: 'submit' });
    if (this.flow.token) this.create(this.flow.token);
    else this.showMistake();
  }
  showMistake() {
    const { form } = this.flow;
    const wrong = this.fields.find((one) => !form.isValid(one.input.name));
    if (!form.isValid('permissions')) this.error.show({ message: t('tokens.mayMissing') });
    (wrong?.input ?? this.form.querySelector('[aria-pressed]')).focus();
  }
  async create({ name, may, days }) {
    this.lock(true);
    const body = { name: name.trim(), may, validFor: days * SECONDS_PER_DAY };
    try {
      const created = await withProof(() => post(OWN_TOKENS, body));
      this.dialog.close();
      showToken(created);
      this.done();
    } catch (failure) {
      this.flow.reopen();
      this.lock(false);
      this.paint();
      if (failure.name !== 'AbortError') this.error.show(failure);
      this.name.input.focus();
    }
  }
  lock(isLocked) {
    for (const one of this.fields) one.lock(isLocked);
    setBusy(this.button, isLocked, t('tokens.make'));
  }
}

/**
 * The choice of what a token may do: buttons that stay pressed; those for single devices are folded
 * away.
 * @param onchange called with the chosen words
 */
function permissionChoice(words, onchange) {
  const chosen = new Set();
  const isOfDevice = (word) => word.startsWith('device:');
  const keys = (label, some) =>
    h(
      'div',
      { class: 'control-keys', role: 'group', 'aria-label': label },
      some.map((word) => permissionButton(word, chosen, onchange)),
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
function permissionButton(word, chosen, onchange) {
  const flip = () => {
    const isChosen = !chosen.has(word);
    if (isChosen) chosen.add(word);
    else chosen.delete(word);
    button.setAttribute('aria-pressed', isChosen);
    onchange([...chosen]);
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
