// Login by a one-time code.
import { h, setChildren } from '../base/dom.js';
import { t } from '../base/text.js';
import { LoginFlow } from '../model/login-flow.js';
import { backdrop } from '../parts/backdrop.js';
import { codeFlow, codeSteps } from '../parts/code-entry.js';
import { factorForm, logIn, welcome } from './login.js';

export const title = () => t('code.title');

const link = (href, text) => h('a', { class: 'btn link', href }, text);
/** The links below the form of a step. */
function foot(step) {
  const password = link('/login', t('code.password'));
  if (step !== 'contact') return password;
  return h('div', 'entrance-links', password, link('/reset', t('reset.forgot')));
}

export function show(main, { enter }) {
  const set = backdrop(main);
  const flow = new LoginFlow(codeFlow());
  let factor;
  const put = (form) => {
    factor = undefined;
    setChildren(set.inside, form.node);
    form.focus();
  };
  const showFactor = (send) => {
    const onback = () => send({ type: 'backFromFactor' });
    factor = factorForm({ flow, set, send, enter, onback });
    setChildren(set.inside, factor.node);
    factor.focus();
  };
  /** An account with a second factor asks for its code as well. */
  const painted = (effects, send) => {
    if (flow.step !== 'secondFactor') {
      if (flow.person) welcome(set, h('button'), flow.person, enter);
      return false;
    }
    if (!factor) showFactor(send);
    factor.paint(effects);
    return true;
  };
  const { stop } = codeSteps({
    flow,
    path: '/login-codes',
    set,
    put,
    contact: { heading: title(), button: t('code.send') },
    code: { heading: t('code.enter') },
    foot: () => foot(flow.oneTime.step),
    verify: logIn,
    painted,
  });
  return stop;
}
