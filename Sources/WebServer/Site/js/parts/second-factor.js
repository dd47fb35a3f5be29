// The second factor: an authenticator app set up by QR code, and its recovery codes, shown once.
import { btn, h } from '../base/dom.js';
import { post } from '../base/api.js';
import { icon } from '../base/icons.js';
import { codeField, formError } from './forms.js';
import { sheet } from './dialogs.js';
import { toast } from './toasts.js';
import { formSheet, passwordField, withProof } from './form-sheet.js';
import { qrOfPicture } from '../base/qr.js';
import { t } from '../base/text.js';

const PATH = '/account/second-factor';

export async function copy(text, said) {
  try {
    await navigator.clipboard.writeText(text);
    toast(said);
  } catch {
    toast(t('account.copyFailed'));
  }
}
const copyButton = (words, text, said, kind = '') =>
  btn(`wide ${kind}`, () => copy(text, said), icon('log'), words);

export async function addFactor(done) {
  const { secret, uri, svg } = await withProof(() => post(PATH, {}));
  const error = formError(),
    code = codeField({
      label: t('field.factor'),
      ontyped: (text) => {
        if (text.length === 6) confirm(text);
      },
    });
  const box = sheet(
    t('factor.add'),
    h(
      'div',
      'controls',
      h('p', 'soft', t('factor.scan')),
      svg ? qrOfPicture(svg, t('factor.qr')) : null,
      h(
        'p',
        'small',
        t('factor.type'),
        ' ',
        h('span', 'mono secret', secret.match(/.{1,4}/g).join(' ')),
      ),
      h(
        'div',
        'control-keys',
        matchMedia('(pointer: coarse)').matches
          ? h('a', { class: 'btn', href: uri }, icon('phone'), t('factor.open'))
          : null,
        copyButton(t('factor.copySecret'), secret, t('factor.secretCopied')),
      ),
      h('p', 'label', t('factor.shows')),
      code.node,
      error.node,
    ),
  );
  async function confirm(text) {
    code.state('loading');
    error.hide();
    try {
      const { recoveryCodes } = await post(`${PATH}/confirmation`, { code: text }, { open: true });
      code.state('done');
      box.close();
      showRecoveryCodes(recoveryCodes);
      done();
    } catch (failure) {
      code.set('');
      code.state('open');
      code.input.focus();
      error.show(failure);
    }
  }
}
export const removeFactor = (done) =>
  formSheet({
    heading: t('factor.remove'),
    note: t('factor.removeNote'),
    fields: [passwordField()],
    button: t('factor.remove'),
    danger: true,
    use: (password) => withProof(() => post(`${PATH}/removal`, { password }, { open: true })),
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
  const box = sheet(
    t('factor.recovery'),
    h(
      'div',
      'controls',
      h('p', 'soft', t('factor.recoveryNote')),
      h('ul', 'recovery mono', codes.map((one) => h('li', {}, one))),
      copyButton(t('factor.copyCodes'), codes.join('\n'), t('factor.codesCopied'), 'primary'),
      btn('wide', () => box.close(), t('factor.kept')),
    ),
  );
}
