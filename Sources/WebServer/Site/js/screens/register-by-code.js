// Registration by a code that goes to an e-mail address or phone number, for the holder of an
// invitation; afterwards the form asks for the personal data that is still needed.
import { btn, h, setChildren } from '../base/dom.js';
import { postOpen } from '../base/api.js';
import { codeSteps } from '../parts/code-entry.js';
import { toggleField } from '../parts/forms.js';
import { checkCodeThenAskPassword } from './reset.js';
import { welcome } from './login.js';
import { t } from '../base/text.js';

const PATH = '/registrations';

/**
 * Shows the form for the address in the entrance.
 * @param set the backdrop of the entrance
 * @param enter opens the theater after the registration
 * @param onback leads back to the registration by name
 */
export function registerByCode({ set, invitation, enter, onback }) {
  const showForm = (form) => {
    setChildren(set.inside, form.node);
    form.focus();
  };
  const returnToName = () => {
    stop();
    onback();
  };
  const showPersonForm = (entered, answer, { email }) =>
    checkCodeThenAskPassword({
      confirm: (password, person = {}) => confirm({ invitation, ...entered, password, ...person }),
      answer,
      showForm,
      backdrop: set,
      email,
      heading: t('newcomer.person'),
      button: t('register.go'),
      extraFields: personFields(email),
      lastField: acceptField(),
      done: ({ user }) => welcome(set, h('button'), user.name, enter),
    });
  const { stop } = codeSteps({
    path: PATH,
    with: { invitation },
    set,
    put: showForm,
    contact: {
      heading: t('newcomer.heading'),
      note: t('newcomer.note'),
      button: t('code.send'),
      autocomplete: 'email',
    },
    code: { heading: t('code.enter'), says: 'code.went' },
    foot: () => h('div', 'entrance-links', btn('link', returnToName, t('newcomer.byName'))),
    verify: showPersonForm,
  });
}

const confirm = ({ invitation, request, code, name, email, password }) =>
  postOpen(`${PATH}/confirmation`, {
    invitation,
    request,
    code,
    cookie: true,
    name,
    email,
    password,
  });

const acceptField = () =>
  toggleField({
    label: t('rule.field.accept'),
    name: 'accept',
    check: (text) => text ? null : t('rule.field.accept.fix'),
  });

/** The name, and the e-mail address of a person who began with a phone number. */
function personFields(knownEmail) {
  const name = { label: t('field.name'), autocomplete: 'name', autocapitalize: 'words' };
  if (knownEmail) return { name };
  const email = {
    label: t('newcomer.email'),
    type: 'email',
    inputmode: 'email',
    autocomplete: 'email',
  };
  return { name, email };
}
