// What is on, and one press that turns it off: the whole house for those who may, for guests and
// the wall tablet what they may end.
import { btn, h } from '../base/dom.js';
import { icon } from '../base/icons.js';
import { path, post } from '../base/api.js';
import { t } from '../base/text.js';
import * as theater from '../model/store.js';
import { describe, isOn, nameOf, value } from '../model/words.js';
import { runAction } from './actions.js';
import { section } from './cards.js';
import { chip } from './chips.js';
import { rebuildIfChanged } from './rebuild.js';
import { titles } from './commands.js';
import { toast } from './toasts.js';

/** Whether a device gives light, sound or warmth, or is about to. */
const isBusy = (device) =>
  device.role === 'lights' ? value(device, 'brightness') > 0 : isOn(device);
/** The devices that are on. */
export const devicesOn = () => theater.devices().filter(isBusy);
/** The rooms in which something is on that was begun. */
const activeRooms = () =>
  (theater.store.status?.rooms ?? []).filter(({ activity }) => activity.status !== 'idle');
const isActive = () => theater.activity().status !== 'idle';

/** Whether one press turns something off, by the rights of the session. */
export const canTurnOff = () =>
  theater.mayOperate() ? isActive() || devicesOn().length > 0 : isActive();
const offText = () => t(theater.mayOperate() ? 'settings.off' : 'off.end');

/** Turns everything off, or ends what was begun in all rooms. */
export const turnOff = (button) =>
  runAction(button, async () => {
    if (theater.mayOperate()) {
      const { run } = await post('/off');
      theater.saveRun(run);
    } else await endAll();
    toast(t(theater.mayOperate() ? 'settings.offDone' : 'off.ended'));
  });
async function endAll() {
  const rooms = activeRooms();
  const addresses = rooms.length > 1 ? rooms.map(({ name }) => path`/rooms/${name}/end`) : ['/end'];
  for (const address of addresses) await post(address);
}

/** The button of a header, which shows only where there is something to turn off. */
export function offButton(kind = '') {
  const node = btn(`off-button ${kind}`, turnOff, icon('power'), h('span', {}, offText()));
  return {
    node,
    paint({ isHidden = false } = {}) {
      node.hidden = isHidden || !canTurnOff();
    },
  };
}

/** The section of Home that names what is on while nothing that was begun goes on. */
export function whatIsOn() {
  const list = h('ul', 'chips');
  const button = btn('big', turnOff, icon('power'), offText());
  const node = section(t('off.on'), 'h-on', list, h('div', {}, button));
  node.classList.add('what-is-on');
  node.hidden = true;
  return {
    node,
    paint() {
      const devices = isActive() ? [] : devicesOn();
      node.hidden = !devices.length;
      button.hidden = !theater.mayOperate();
      const facts = devices.map((device) =>
        `${nameOf(device, theater.devices())}: ${describe(device, titles())}`
      );
      const build = () => facts.map((fact) => h('li', {}, chip('reported', fact)));
      rebuildIfChanged(list, JSON.stringify(facts), build);
    },
  };
}
