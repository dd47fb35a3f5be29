// A guest's pass: the link carries its code, or it is typed.
import { announce, h, submitBtn } from '../base/dom.js';
import { postOpen } from '../base/api.js';
import { busyButton, field, formError } from '../parts/forms.js';
import { backdrop, entranceForm } from '../parts/backdrop.js';
import { welcome } from './login.js';
import { t, textParts } from '../base/text.js';

export const title = () => t('guest.title');

export function show(main, { enter }) {
  const set = backdrop(main), error = formError();
  const button = submitBtn('big wide', t('guest.go'));
  const pass = field({
    label: t('guest.code'),
    name: 'pass',
    autocomplete: 'off',
    note: t('guest.note'),
    check: (text) => (text.trim() ? null : t('guest.missing')),
    onchange: update,
    hidesMistakeOnEdit: true,
  });
  const form = entranceForm(
    t('guest.welcome'),
    enterTheater,
    pass.node,
    error.node,
    button,
    h(
      'p',
      'entrance-foot small',
      textParts('guest.account', { link: h('a', { href: '/login' }, t('login.go')) }),
    ),
  );
  set.inside.append(form);
  function update() {
    button.setAttribute('aria-disabled', !pass.valid);
    set.light(pass.valid ? 1 / 2 : 0);
  }
  let isLoading = false;
  async function enterTheater() {
    if (isLoading) return;
    error.hide();
    if (!pass.valid) {
      pass.paint('submit');
      pass.input.focus();
      return;
    }
    isLoading = true;
    pass.lock(true);
    busyButton(button, true, t('guest.busy'));
    announce(t('guest.busy'));
    try {
      const { user } = await postOpen('/guests/sessions', {
        pass: pass.value.trim(),
        cookie: true,
      });
      await welcome(set, button, user.name, enter);
    } catch (failure) {
      isLoading = false;
      pass.lock(false);
      busyButton(button, false, t('guest.go'));
      error.show(failure);
      pass.input.focus();
      update();
    }
  }
  update();
  // The link has the code after the #, which browsers send to no server. The code is removed from the address.
  const code = location.hash.slice(1);
  if (code) {
    history.replaceState({}, '', '/guest');
    pass.value = code;
    pass.paint();
    update();
    form.requestSubmit();
  }
}
