// A guest's pass: the link carries its code, or it is typed.
import { postOpen } from '../base/api.js';
import { assemble } from '../base/assemble.js';
import { h, submitBtn } from '../base/dom.js';
import { announce } from '../base/messages.js';
import { t, textParts } from '../base/text.js';
import { backdrop, entranceForm } from '../parts/backdrop.js';
import { field, formError, setBusy } from '../parts/forms.js';
import { welcome } from './login.js';

export const title = () => t('guest.title');

/** How much of the backdrop is lit by a valid code. */
const VALID_LIGHT = 1 / 2;

export const show = (main, app) => assemble({ create, configure, layOut, bind }, main, app);

function create(main) {
  return {
    set: backdrop(main),
    error: formError(),
    pass: field({
      label: t('guest.code'),
      name: 'pass',
      autocomplete: 'off',
      note: t('guest.note'),
      check: (text) => text.trim() ? null : t('guest.missing'),
      hidesMistakeOnEdit: true,
    }),
    button: submitBtn('big wide', t('guest.go')),
    form: entranceForm(t('guest.welcome')),
  };
}
function configure(parts) {
  parts.pass.setChangeHandler(() => update(parts));
  update(parts);
}
function update({ set, pass, button }) {
  button.setAttribute('aria-disabled', !pass.valid);
  set.light(pass.valid ? VALID_LIGHT : 0);
}
function layOut({ set, form, pass, error, button }) {
  const loginLink = h('a', { href: '/login' }, t('login.go'));
  const foot = h('p', 'entrance-foot small', textParts('guest.account', { link: loginLink }));
  form.append(pass.node, error.node, button, foot);
  set.inside.append(form);
}
function bind(parts, { enter }) {
  let isLoading = false;
  parts.form.addEventListener('submit', async () => {
    if (isLoading) return;
    isLoading = true;
    await submit(parts, enter);
    isLoading = false;
  });
  useCodeOfLink(parts);
}
/** Begins the guest's session. */
async function submit(parts, enter) {
  const { set, pass, error, button } = parts;
  error.hide();
  if (!pass.valid) {
    pass.paint('submit');
    pass.input.focus();
    return;
  }
  pass.lock(true);
  setBusy(button, true, t('guest.busy'));
  announce(t('guest.busy'));
  try {
    const { user } = await postOpen('/guests/sessions', { pass: pass.value.trim(), cookie: true });
    await welcome(set, button, user.name, enter);
  } catch (failure) {
    pass.lock(false);
    setBusy(button, false, t('guest.go'));
    error.show(failure);
    pass.input.focus();
    update(parts);
  }
}
/**
 * The link has the code after the #, which browsers send to no server. The code is removed from the
 * address.
 */
function useCodeOfLink(parts) {
  const code = location.hash.slice(1);
  if (!code) return;
  history.replaceState({}, '', '/guest');
  parts.pass.value = code;
  parts.pass.paint();
  update(parts);
  parts.form.requestSubmit();
}
