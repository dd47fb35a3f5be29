// The state of the theater as the drawing needs it: one device of each role under the drawing's ids.
import { followLevels } from '../model/events.js';
import * as theater from '../model/store.js';
import { titles } from '../parts/commands.js';
import { pictureOf } from '../parts/pictures.js';
import { value } from '../model/words.js';
import { failureWords } from '../parts/parts.js';

const SLOTS = {
  amplifier: 'amp',
  tuner: 'tuner',
  dvdPlayer: 'dvd',
  cdPlayer: 'cd',
  projector: 'projector',
  lights: 'lights',
  screen: 'screen',
  popcornPopper: 'popper',
};
const ends = new Map();

/** The device that the drawing shows at a place. */
export function shownAt(slot) {
  const role = Object.keys(SLOTS).find((key) => SLOTS[key] === slot);
  const { player, error } = theater.activity();
  // Of several of a role, the one that failed, then the one that plays.
  return [error?.device, player].map(theater.device).find((device) => device?.role === role) ??
    theater.withRole(role);
}
export function roomStatus() {
  const list = Object.values(SLOTS).map((slot) => [slot, shownAt(slot)]).filter(([, device]) =>
    device
  );
  return {
    activity: theater.activity(),
    titles: titles(),
    picture: pictureOf,
    devices: list.map(([slot, device]) => shown(slot, device)),
  };
}
function shown(slot, device) {
  const copy = { ...device, id: slot, state: { ...device.state } };
  const play = theater.playback(device);
  if (play) copy.state.playback = { ...device.state.playback, value: play };
  if (device.role === 'screen') Object.assign(copy, travel(device));
  if (['warming', 'cooling'].includes(value(device, 'power'))) {
    copy.progress = movement(device, 'power');
  }
  const error = theater.failureOf(device);
  if (error) copy.error = failureWords(error);
  return copy;
}
/** Whether a device changes at this moment, so that it is to be drawn often. */
export const isChanging = () =>
  theater.devices().some((device) =>
    value(device, 'position') === 'moving' ||
    ['warming', 'cooling'].includes(value(device, 'power'))
  );
/** How much of a change is done, 0 to 1, by the time that the device expects for it; it ends when the device says so. */
function movement({ attributes: { takes, remaining }, ...device }, key) {
  if (!takes?.value || remaining === undefined) return undefined;
  return Math.min(
    .96,
    Math.max(
      0,
      (takes.value - remaining.value + theater.age(device, device.state[key])) / takes.value,
    ),
  );
}
/** Where a moving screen is heading and how far it is: by its own report, else from the end at which it was. */
function travel(device) {
  const { from, towards, remaining, lowered: stopped } = device.attributes,
    position = value(device, 'position');
  if (position === 'moving' && from && towards && remaining) {
    const done = remaining.value
        ? Math.min(1, theater.age(device, device.state.position) / remaining.value)
        : 1,
      at = (from.value + (towards.value - from.value) * done) / 100;
    return towards.value < from.value
      ? { target: 'up', progress: Math.min(.98, 1 - at) }
      : { target: 'down', progress: Math.min(.98, at) };
  }
  const lowered = stopped?.value;
  if (position !== 'moving') {
    ends.set(device.id, position);
    return {};
  }
  const target = ends.get(device.id) === 'down' ? 'up' : 'down';
  return lowered === undefined
    ? { target }
    : { target, progress: target === 'up' ? 1 - lowered / 100 : lowered / 100 };
}
const part = (dB) => Math.min(1, Math.max(0, (dB + 60) / 60)),
  sides = (rms) => [part(rms[0]), part(rms[1] ?? rms[0])];
/** The level of each side, 0 to 1, from the amplifier's last report in dBFS; `undefined` if it has none, or better ones for `meter`. */
export function levels() {
  const amp = theater.withRole('amplifier'), rms = amp?.attributes.rms?.value;
  return Array.isArray(rms) && rms.length && !amp.capabilities.includes('levels')
    ? sides(rms)
    : undefined;
}
/**
 * Measures the sound while somebody can see it: while it plays and the page is visible.
 * @param heard called with the level of each side, 0 to 1
 * @returns `update()`, to be called when the state has changed, and `end()`
 */
export function meter(heard) {
  let stop, silence;
  const end = () => {
    stop?.abort();
    stop = undefined;
    clearTimeout(silence);
  };
  return {
    end,
    update() {
      const amp = theater.withRole('amplifier'),
        isHeard = !document.hidden && amp?.capabilities.includes('levels') &&
          value(amp, 'power') === 'on' && !value(amp, 'muted') &&
          theater.playback()?.state === 'playing';
      if (!isHeard) {
        end();
        return;
      }
      if (stop) return;
      const mine = stop = new AbortController();
      followLevels(mine.signal, theater.store.status.event, ({ device, rms }) => {
        if (device !== amp.id || !rms.length) return;
        heard(sides(rms));
        // Without news for a fifth of a second a channel is silent.
        clearTimeout(silence);
        silence = setTimeout(() => heard([0, 0]), 200);
      }).finally(() => {
        if (stop === mine) {
          setTimeout(() => {
            if (stop === mine) stop = undefined;
          }, 2000);
        }
      });
    },
  };
}
