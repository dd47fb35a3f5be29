// A newcomer with an invitation begins by e-mail or phone: a code, then the personal data that is still needed.
import { btn, h, setChildren } from '../base/dom.js';
import { postOpen } from '../base/api.js';
import { codeSteps } from '../parts/code-entry.js';
import { verified } from './reset.js';
import { welcome } from './login.js';
import { t } from '../base/text.js';

const PATH = '/registrations';

/** @param onback leads back to the registration by name */
export function registerByCode({ set, invitation, enter, onback }) {
  const put = (form) => {
    setChildren(set.inside, form.node);
    form.focus();
  };
  const { stop } = codeSteps({
    path: PATH,
    with: { invitation },
    set,
    put,
    contact: { heading: t('newcomer.heading'), note: t('newcomer.note'), button: t('code.send') },
    code: { heading: t('code.enter'), says: 'code.went' },
    foot: () =>
      h(
        'div',
        'entrance-links',
        btn('link', () => {
          stop();
          onback();
        }, t('newcomer.byName')),
      ),
    verify: ({ request, code }, answer, { email }) =>
      verified({
        confirm: (password, { name, email: to } = {}) =>
          postOpen(`${PATH}/confirmation`, {
            invitation,
            request,
            code,
            cookie: true,
            name,
            email: to,
            password,
          }),
        answer,
        put,
        set,
        email,
        heading: t('newcomer.person'),
        button: t('register.go'),
        also: {
          name: { label: t('field.name'), autocomplete: 'name' },
          ...(!email &&
            {
              email: {
                label: t('newcomer.email'),
                type: 'email',
                inputmode: 'email',
                autocomplete: 'email',
              },
            }),
        },
        done: ({ user }) => welcome(set, h('button'), user.name, enter),
      }),
  });
}
