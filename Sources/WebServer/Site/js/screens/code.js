// Login by a one-time code.
import { h, setChildren } from '../base/dom.js';
import { backdrop } from '../parts/backdrop.js';
import { codeFlow, codeSteps } from '../parts/code-entry.js';
import { factorForm, logIn, welcome } from './login.js';
import { LoginFlow } from '../model/login-flow.js';
import { t } from '../base/text.js';

export const title = () => t('code.title');

export function show(main, { enter }) {
  const set = backdrop(main), flow = new LoginFlow(codeFlow());
  let factor;
  const put = (form) => {
    factor = undefined;
    setChildren(set.inside, form.node);
    form.focus();
  };
  const foot = () => (flow.oneTime.step === 'contact'
    ? h(
      'div',
      'entrance-links',
      h('a', { class: 'btn link', href: '/login' }, t('code.password')),
      h('a', { class: 'btn link', href: '/reset' }, t('reset.forgot')),
    )
    : h('a', { class: 'btn link', href: '/login' }, t('code.password')));
  const { stop } = codeSteps({
    flow,
    path: '/login-codes',
    set,
    put,
    contact: { heading: title(), button: t('code.send') },
    code: { heading: t('code.enter') },
    foot,
    verify: logIn,
    painted,
  });
  /** An account with a second factor asks for its code as well. */
  function painted(effects, send) {
    if (flow.step !== 'secondFactor') {
      if (flow.person) welcome(set, h('button'), flow.person, enter);
      return false;
    }
    if (!factor) {
      factor = factorForm({
        flow,
        set,
        send,
        enter,
        onback: () => send({ type: 'backFromFactor' }),
      });
      setChildren(set.inside, factor.node);
      factor.focus();
    }
    factor.paint(effects);
    return true;
  }
  return stop;
}
