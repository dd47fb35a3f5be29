// The second factor: an authenticator app set up by QR code, and its recovery codes, shown once.
import { post } from '../base/api.js';
import { btn, h } from '../base/dom.js';
import { icon } from '../base/icons.js';
import { qrOfPicture } from '../base/qr.js';
import { t } from '../base/text.js';
import { codeField } from './code-field.js';
import { sheet } from './dialogs.js';
import { formSheet, passwordField, withProof } from './form-sheet.js';
import { formError } from './forms.js';
import { toast } from './toasts.js';

const PATH = '/account/second-factor';
const CODE_LENGTH = 6;

/** Copies a text, and shows a message, or how to copy it by hand. */
export async function copyText(text, message) {
  try {
    await navigator.clipboard.writeText(text);
    toast(message);
  } catch {
    toast(t('account.copyFailed'));
  }
}
const copyButton = (words, text, message, kind = '') =>
  btn(`wide ${kind}`, () => copyText(text, message), icon('log'), words);

/** The field for the first code of the app. A whole code confirms the second factor. */
function codeForm(onConfirmed) {
  const error = formError();
  const confirm = async (text) => {
    code.state('loading');
    error.hide();
    try {
      const { recoveryCodes } = await post(`${PATH}/confirmation`, { code: text }, {
        allows401: true,
      });
      code.state('done');
      onConfirmed(recoveryCodes);
    } catch (failure) {
      code.set('');
      code.state('open');
      code.input.focus();
      error.show(failure);
    }
  };
  const code = codeField({
    label: t('field.factor'),
    ontyped: (text) => {
      if (text.length === CODE_LENGTH) confirm(text);
    },
  });
  return [code.node, error.node];
}

/** Shows the secret for the app, and adds the second factor when the app's code was typed. */
export async function addFactor(done) {
  const { secret, uri, svg } = await withProof(() => post(PATH, {}));
  const hasApps = matchMedia('(pointer: coarse)').matches;
  const openLink = h('a', { class: 'btn', href: uri }, icon('phone'), t('factor.open'));
  const onConfirmed = (recoveryCodes) => {
    dialog.close();
    showRecoveryCodes(recoveryCodes);
    done();
  };
  const content = h(
    'div',
    'controls',
    h('p', 'soft', t('factor.scan')),
    svg ? qrOfPicture(svg, t('factor.qr')) : null,
    h('p', 'small', t('factor.type'), ' ', h('span', 'mono secret', inGroups(secret))),
    h(
      'div',
      'control-keys',
      hasApps ? openLink : null,
      copyButton(t('factor.copySecret'), secret, t('factor.secretCopied')),
    ),
    h('p', 'label', t('factor.shows')),
    codeForm(onConfirmed),
  );
  const dialog = sheet(t('factor.add'), content);
}
/** "ABCDEFGH" → "ABCD EFGH". */
const inGroups = (secret) => secret.match(/.{1,4}/g).join(' ');

export const removeFactor = (done) =>
  formSheet({
    heading: t('factor.remove'),
    note: t('factor.removeNote'),
    fields: [passwordField()],
    button: t('factor.remove'),
    danger: true,
    use: (password) => withProof(() => post(`${PATH}/removal`, { password }, { allows401: true })),
    done: () => {
      toast(t('factor.removed'));
      done();
    },
  });

export async function newRecoveryCodes(done) {
  const { recoveryCodes } = await withProof(() => post('/account/recovery-codes', {}));
  showRecoveryCodes(recoveryCodes);
  done();
}
function showRecoveryCodes(codes) {
  const content = h(
    'div',
    'controls',
    h('p', 'soft', t('factor.recoveryNote')),
    h('ul', 'recovery mono', codes.map((code) => h('li', {}, code))),
    copyButton(t('factor.copyCodes'), codes.join('\n'), t('factor.codesCopied'), 'primary'),
    btn('wide', () => dialog.close(), t('factor.kept')),
  );
  const dialog = sheet(t('factor.recovery'), content);
}
