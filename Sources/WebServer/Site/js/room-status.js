// The state as the drawing of the room wants it: one device of each role under the drawing's own ids.
import * as theater from './store.js';
import { titles } from './commands.js';
import { value } from './words.js';

const SLOTS = { amplifier: 'amp', tuner: 'tuner', dvdPlayer: 'dvd', cdPlayer: 'cd', projector: 'projector', lights: 'lights', screen: 'screen', popcornPopper: 'popper' };
const ends = new Map();

/** The device that the drawing shows at a place. */
export function shownAt(slot) {
  const role = Object.keys(SLOTS).find((key) => SLOTS[key] === slot);
  const player = theater.device(theater.activity().player);
  return player?.role === role ? player : theater.withRole(role);
}
export function roomStatus() {
  const list = Object.values(SLOTS).map((slot) => [slot, shownAt(slot)]).filter(([, device]) => device);
  return { activity: theater.activity(), titles: titles(), devices: list.map(([slot, device]) => shown(slot, device)) };
}
function shown(slot, device) {
  const copy = { ...device, id: slot, state: { ...device.state } };
  const play = theater.playback(device);
  if (play) copy.state.playback = { ...device.state.playback, value: play };
  if (device.role === 'screen') Object.assign(copy, travel(device));
  const error = theater.activity().error;
  if (theater.activity().status === 'failed' && error?.device === device.id) { copy.error = error; copy.reason = error.message; }
  return copy;
}
/** Where a moving screen is heading, from the end at which it was, and how far it is, if it says so. */
function travel(device) {
  const position = value(device, 'position'), lowered = device.attributes.lowered?.value;
  if (position !== 'moving') { ends.set(device.id, position); return {}; }
  const target = ends.get(device.id) === 'down' ? 'up' : 'down';
  return lowered === undefined ? { target } : { target, progress: target === 'up' ? 1 - lowered / 100 : lowered / 100 };
}
/** The level of each side, 0 to 1, from the amplifier's last report in dBFS; `undefined` if it reports none. */
export function levels() {
  const rms = theater.withRole('amplifier')?.attributes.rms?.value;
  if (!Array.isArray(rms) || !rms.length) return undefined;
  const part = (dB) => Math.min(1, Math.max(0, (dB + 60) / 60));
  return [part(rms[0]), part(rms[1] ?? rms[0])];
}
