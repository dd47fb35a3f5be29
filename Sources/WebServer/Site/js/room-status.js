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
  if (['warming', 'cooling'].includes(value(device, 'power'))) copy.progress = movement(device, 'power');
  const error = theater.activity().error;
  if (theater.activity().status === 'failed' && error?.device === device.id) { copy.error = error; copy.reason = error.message; }
  return copy;
}
/** Whether a device changes at this moment, so that it is to be drawn often. */
export const isChanging = () => theater.devices().some((device) => value(device, 'position') === 'moving' || ['warming', 'cooling'].includes(value(device, 'power')));
/** How much of a change is done, 0 to 1, by the time that the device expects for it; it ends when the device says so. */
function movement({ attributes: { takes, remaining }, ...device }, key) {
  if (!takes?.value || remaining === undefined) return undefined;
  return Math.min(0.96, Math.max(0, (takes.value - remaining.value + theater.age(device, device.state[key])) / takes.value));
}
/** Where a moving screen is heading and how far it is: by its own report, else from the end at which it was. */
function travel(device) {
  const { from, towards, remaining, lowered: stopped } = device.attributes, position = value(device, 'position');
  if (position === 'moving' && from && towards && remaining) {
    const done = remaining.value ? Math.min(1, theater.age(device, device.state.position) / remaining.value) : 1, at = (from.value + (towards.value - from.value) * done) / 100;
    return towards.value < from.value ? { target: 'up', progress: Math.min(0.98, 1 - at) } : { target: 'down', progress: Math.min(0.98, at) };
  }
  const lowered = stopped?.value;
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
