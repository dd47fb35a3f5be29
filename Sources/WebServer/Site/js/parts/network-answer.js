// The offer to let the controller answer other devices: while it answers its own machine alone, no
// link and no QR code of it can work elsewhere.
import { get } from '../base/api.js';
import { btn, h } from '../base/dom.js';
import { icon } from '../base/icons.js';
import { t } from '../base/text.js';
import { isOwner } from '../model/store.js';
import { runAction } from './actions.js';
import { saveSheet } from './configuration.js';
import { withMember } from './configuration-text.js';
import { sheet } from './dialogs.js';

/** The host that means every network of the machine. */
const ALL_NETWORKS = '0.0.0.0';
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];
const RESTART_COMMAND = 'systemctl --user restart theater';

/** Whether only the controller's own machine can open an address. */
export const isLoopback = (address) => LOOPBACK.includes(new URL(address).hostname);

/** Says that an address works on this machine alone, and offers owners to change that. */
export const networkOffer = () =>
  h(
    'div',
    'network-offer',
    h('p', 'small', t('network.here')),
    isOwner() ? btn('wide', (button) => offer(button), icon('link'), t('network.answer')) : null,
  );
const offer = (button) =>
  runAction(button, async () => {
    const { text, hash } = await get('/configuration');
    await saveSheet({
      text: withMember(text, 'web', 'host', ALL_NETWORKS),
      hash,
      more: [h('p', 'soft', t('network.about'))],
      done: showNextSteps,
    });
  });
/** What is left to do: the controller listens there after its next start. */
function showNextSteps() {
  const steps = [
    [t('network.restart'), h('code', 'mono block', RESTART_COMMAND)],
    [t('network.open')],
    [t('network.compare')],
  ];
  const list = h('ol', 'numbered', steps.map((step) => h('li', {}, step)));
  sheet(t('network.saved'), h('div', 'controls', list));
}
