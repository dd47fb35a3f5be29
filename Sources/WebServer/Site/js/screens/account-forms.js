// The forms that change an account: its name, e-mail address, phone number and password.
import { post } from '../base/api.js';
import { t } from '../base/text.js';
import { CHECK, field } from '../parts/forms.js';
import {
  confirmContact,
  formSheet,
  inSheet,
  passwordField,
  withProof,
} from '../parts/form-sheet.js';
import { toast } from '../parts/toasts.js';
import { passwordForm } from './reset.js';

const EMAIL_PATH = '/account/email';

/** Shows a message, then reads the account again. */
const finish = (message, reload) => () => {
  toast(t(message));
  reload();
};

export function changeName(user, reload) {
  const name = field({
    label: t('field.name'),
    name: 'name',
    autocomplete: 'name',
    autocapitalize: 'words',
    check: (text) => (text.trim() ? null : t('account.nameMissing')),
  });
  name.value = user.name;
  formSheet({
    heading: t('field.name'),
    fields: [name],
    button: t('editor.save'),
    use: () => post('/account/name', { name: name.value }),
    done: finish('account.nameChanged', reload),
  });
}
/** @param entered the address that was typed before, after a way back from its code */
export function changeEmail(reload, entered = '') {
  const email = field({
    label: t('newcomer.email'),
    name: 'email',
    type: 'email',
    inputmode: 'email',
    autocomplete: 'email',
    note: t('account.emailNote'),
    check: CHECK.email,
  });
  email.value = entered;
  const confirm = (sent) =>
    confirmContact({
      path: EMAIL_PATH,
      target: { email: email.value },
      sent,
      onback: () => changeEmail(reload, email.value),
      done: finish('account.emailChanged', reload),
    });
  formSheet({
    heading: t('account.yourEmail'),
    fields: [email],
    button: t('code.send'),
    use: (address) => withProof(() => post(EMAIL_PATH, { email: address })),
    done: confirm,
  });
}
/** Sends a code to the account's address, and asks for it. */
export async function verifyEmail({ email }, reload) {
  const sent = await withProof(() => post(EMAIL_PATH, {}));
  confirmContact({
    path: EMAIL_PATH,
    target: { email },
    sent,
    onback: () => changeEmail(reload),
    done: finish('account.nowVerified', reload),
  });
}
export async function changePassword({ email, name }) {
  const currentPassword = passwordField();
  const save = (newPassword) => {
    const body = { password: currentPassword.value, newPassword };
    return withProof(() => post('/account/password', body, { allows401: true }));
  };
  const form = await passwordForm({
    email,
    name,
    heading: '',
    button: t('reset.set'),
    currentPassword,
    use: save,
    done: () => {
      box.close();
      toast(t('account.passwordChanged'));
    },
  });
  const box = inSheet(t('account.changePassword'), form);
}
