// What is on, and one press that turns it off: the whole house for those who may, for guests and
// the wall tablet what they may end.
import { btn, h } from '../base/dom.js';
import { icon } from '../base/icons.js';
import { post } from '../base/api.js';
import { t } from '../base/text.js';
import * as theater from '../model/store.js';
import { describe, describeLamps, isOn, lampsName, nameOf, value } from '../model/words.js';
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
const activeRooms = () => theater.rooms().filter(({ activity }) => activity.status !== 'idle');
const isActive = () => activeRooms().length > 0;
/** The devices that are on, but for those of rooms in which something was begun. */
function devicesLeftOn() {
  const names = activeRooms().map(({ name }) => name);
  return devicesOn().filter(({ rooms = [] }) => !rooms.some((name) => names.includes(name)));
}
/** The sentences about devices; the lamps of an area have one together. */
function factsOf(devices) {
  const isLamp = ({ role }) => role === 'lights';
  const lamps = devices.filter(isLamp);
  const areas = [...new Set(lamps.map(({ area }) => area))];
  const groups = areas.map((area) => ({ area, lamps: lamps.filter((one) => one.area === area) }));
  return [
    ...devices.filter((device) => !isLamp(device)).map((device) =>
      `${nameOf(device)}: ${describe(device, titles())}`
    ),
    ...groups.map((group) => `${lampsName(group)}: ${describeLamps(group.lamps)}`),
  ];
}

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
  for (const { name } of activeRooms()) await post(theater.inRoom('/end', name));
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
      const devices = devicesLeftOn();
      node.hidden = !devices.length;
      button.hidden = !theater.mayOperate();
      const facts = factsOf(devices);
      const build = () => facts.map((fact) => h('li', {}, chip('reported', fact)));
      rebuildIfChanged(list, JSON.stringify(facts), build);
    },
  };
}
