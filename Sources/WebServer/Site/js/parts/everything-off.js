// What is on, and one press that turns it off: the whole house for those who may, for guests and
// the wall tablet what they may end.
import { btn, h, setHidden } from '../base/dom.js';
import { icon } from '../base/icons.js';
import { post } from '../base/api.js';
import { t } from '../base/text.js';
import * as theater from '../model/store.js';
import { lampGroups } from '../model/room-devices.js';
import { isOn, value } from '../model/words.js';
import { runAction } from './actions.js';
import { section } from './cards.js';
import { factOf, factOfLamps, paintFacts } from './chips.js';
import { titles } from './commands.js';
import { toast } from './toasts.js';

/** Whether a device gives light, sound or warmth, or is about to. */
const isBusy = (device) =>
  device.role === 'lights' ? value(device, 'brightness') > 0 : isOn(device);
/** The devices that are on. */
export const devicesOn = () => theater.devices().filter(isBusy);
/** The rooms in which something is on that was begun. */
const activeRooms = () => theater.rooms().filter(({ activity }) => activity.status !== 'idle');
/** Whether the session may end what is on in a room: a guest's pass names activities. */
const mayEnd = ({ activity }) =>
  theater.mayOperate() || theater.isWallTablet() ||
  theater.activitiesFor().some(({ name }) => name === activity.activity);
/** The rooms in which the session may end what is on. */
const endableRooms = () => activeRooms().filter(mayEnd);
/** The devices that are on, but for those of rooms in which something was begun. */
function devicesLeftOn() {
  const names = activeRooms().map(({ name }) => name);
  return devicesOn().filter(({ rooms = [] }) => !rooms.some((name) => names.includes(name)));
}
/** What devices do; the lamps of an area have one fact together. */
function factsOf(devices) {
  const others = devices.filter(({ role }) => role !== 'lights');
  return [
    ...others.map((device) => factOf(device, titles())),
    ...lampGroups(devices).map(factOfLamps),
  ];
}

/** Whether one press turns something off, by the rights of the session. */
export const canTurnOff = () =>
  endableRooms().length > 0 || (theater.mayOperate() && devicesOn().length > 0);
const offText = () => t(theater.mayOperate() ? 'settings.off' : 'off.end');

/** Turns everything off, or ends what the session may end in all rooms. */
export const turnOff = (button) =>
  runAction(button, async () => {
    if (theater.mayOperate()) {
      const { run } = await post('/off');
      theater.saveRun(run);
    } else await endAll();
    toast(t(theater.mayOperate() ? 'settings.offDone' : 'off.ended'));
  });
/** Asks every room, also after one has refused. @throws the first refusal */
async function endAll() {
  const ends = endableRooms().map(({ name }) => post(theater.inRoom('/end', name)));
  const outcomes = await Promise.allSettled(ends);
  const refused = outcomes.find(({ status }) => status === 'rejected');
  if (refused) throw refused.reason;
}

/** The button of a header, which shows only where there is something to turn off. */
export function offButton(kind = '') {
  const node = btn(`off-button ${kind}`, turnOff, icon('power'), h('span', {}, offText()));
  return {
    node,
    paint: () => setHidden(node, !canTurnOff()),
  };
}

/** The section of Home that names what is on while nothing that was begun goes on. */
export function whatIsOn() {
  const list = h('ul', 'chips');
  const node = section(t('off.on'), 'h-on', list);
  node.classList.add('what-is-on');
  node.hidden = true;
  return {
    node,
    paint() {
      const devices = devicesLeftOn();
      setHidden(node, !devices.length);
      paintFacts(list, factsOf(devices));
    },
  };
}
