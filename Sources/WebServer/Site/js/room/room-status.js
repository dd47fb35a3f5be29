// The state of the shown room as the drawing needs it: one device of each role and all lamps of an
// area, under the drawing's ids, and the levels of the sound.
import { clamp, lerp } from '../base/dom.js';
import * as theater from '../model/store.js';
import { titles } from '../parts/commands.js';
import { pictureOf } from '../parts/pictures.js';
import {
  brightnessOf,
  houseDevices,
  roomDevices,
  roomLamps,
  withRole,
} from '../model/room-devices.js';
import { describeLamps, lampsName, nameOf, value } from '../model/words.js';
import { failureWords } from '../parts/failures.js';

/** The id in the drawing of the device of each role. */
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
/** The most amplifiers between a player and the last one. */
const LONGEST_CHAIN = 2;
/** A movement that its device still reports is never drawn as done. */
const MOST_PROGRESS = .96;
const MOST_SCREEN_PROGRESS = .98;
/** The level that is drawn as silence. */
const SILENCE_DB = -60;
/** Without a report for this time a channel is silent. */
const SILENT_AFTER_MS = 200;
/** The end at which each screen was last, by its id. */
const lastEnds = new Map();

const roleAt = (slot) => Object.keys(SLOTS).find((role) => SLOTS[role] === slot);
/** The device that the drawing shows at a place; of several lamps one that failed, or the first. */
export function shownAt(slot) {
  if (slot !== 'lights') return withRole(roleAt(slot));
  const lamps = roomLamps()?.lamps ?? [];
  return lamps.find((lamp) => theater.failureOf(lamp) || isSilent(lamp)) ?? lamps[0];
}
const isSilent = ({ availability }) => availability === 'unavailable';
/** The devices of the shown room and of the house that the drawing does not show, but for lamps. */
export function undrawnDevices() {
  const drawn = Object.values(SLOTS).map(shownAt);
  return [...roomDevices(), ...houseDevices()]
    .filter((one) => one.role !== 'lights' && !drawn.includes(one));
}
/** The status that `room.render` takes. */
export function roomStatus() {
  const devices = Object.values(SLOTS).map((slot) => drawnDevice(slot, shownAt(slot)));
  const drawn = devices.filter(Boolean);
  return {
    isLive: theater.isLive(),
    activity: theater.activity(),
    titles: titles(),
    picture: pictureOf,
    devices: drawn,
    cables: cablesBetween(drawn),
  };
}
/** The places whose devices are connected to the amplifier, by the names of its inputs. */
function cablesBetween(drawn) {
  const inputs = drawn.find(({ id }) => id === 'amp')?.inputs ?? [];
  const cables = inputs.map(({ name, source }) => [name, placeBehind(source)]);
  return Object.fromEntries(cables.filter(([, place]) => place));
}
/** The place of a device; behind another amplifier that of its selected source. */
function placeBehind(id, depth = 0) {
  const source = theater.device(id);
  if (source?.role === 'amplifier' && depth < LONGEST_CHAIN) {
    const selected = source.inputs?.find(({ name }) => name === value(source, 'input'));
    return placeBehind(selected?.source, depth + 1);
  }
  return source && Object.values(SLOTS).find((slot) => shownAt(slot)?.id === id);
}
/** A device as it is drawn, with its movement and its failure; `undefined` if it is missing. */
function drawnDevice(slot, device) {
  if (!device) return undefined;
  const copy = { ...device, id: slot, name: nameOf(device), state: { ...device.state } };
  if (slot === 'lights') Object.assign(copy, drawnLamps(roomLamps(), device));
  const play = theater.playback(device);
  if (play) copy.state.playback = { ...device.state.playback, value: play };
  if (device.role === 'screen') Object.assign(copy, screenMovement(device));
  if (isWarmingOrCooling(device)) copy.progress = progressOf(device, 'power');
  const error = theater.failureOf(device);
  if (error) copy.error = failureWords(error);
  return copy;
}
/** What is drawn of several lamps: their common name, sentence and brightness. */
function drawnLamps({ area, lamps }, first) {
  if (lamps.length === 1) return {};
  const brightness = { ...first.state.brightness, value: brightnessOf(lamps) };
  return {
    name: lampsName({ area, lamps }),
    words: describeLamps(lamps),
    state: { ...first.state, brightness },
  };
}
const isWarmingOrCooling = (device) => ['warming', 'cooling'].includes(value(device, 'power'));
/** Whether a device changes at this moment, so that it is to be drawn often. */
export const isChanging = () =>
  theater.isLive() &&
  theater.devices().some((device) =>
    value(device, 'position') === 'moving' || isWarmingOrCooling(device)
  );
/**
 * How much of a change is done, 0 to 1, by the time that the device expects for it. It ends when
 * the device says so.
 */
function progressOf({ attributes: { takes, remaining }, ...device }, key) {
  if (!takes?.value || remaining === undefined) return undefined;
  const passed = takes.value - remaining.value + theater.progress(device, device.state[key]);
  return clamp(passed / takes.value, 0, MOST_PROGRESS);
}
/**
 * Where a moving screen is heading, its `target`, and how far it is: by its own report, else from
 * the end at which it was.
 */
function screenMovement(device) {
  const { from, towards, remaining, lowered } = device.attributes;
  const position = value(device, 'position');
  if (position !== 'moving') {
    lastEnds.set(device.id, position);
    return {};
  }
  if (from && towards && remaining) return reportedMovement(device);
  const target = lastEnds.get(device.id) === 'down' ? 'up' : 'down';
  if (lowered === undefined) return { target };
  const share = lowered.value / 100;
  return { target, progress: target === 'up' ? 1 - share : share };
}
function reportedMovement(device) {
  const { from, towards, remaining } = device.attributes;
  const done = remaining.value
    ? Math.min(1, theater.progress(device, device.state.position) / remaining.value)
    : 1;
  const lowered = lerp(from.value, towards.value, done) / 100;
  const isUpwards = towards.value < from.value;
  return {
    target: isUpwards ? 'up' : 'down',
    progress: Math.min(MOST_SCREEN_PROGRESS, isUpwards ? 1 - lowered : lowered),
  };
}

/** A level in dBFS as a share of the scale, 0 to 1. */
const share = (level) => clamp((level - SILENCE_DB) / -SILENCE_DB, 0, 1);
/** The left and the right level; a single channel is both. */
const sides = ([left, right]) => [share(left), share(right ?? left)];
/**
 * The level of each side, 0 to 1, from the amplifier's last report; `undefined` if it has none, or
 * better ones for `meter`.
 */
export function levels() {
  const amplifier = withRole('amplifier');
  const rms = amplifier?.attributes.rms?.value;
  const isReported = Array.isArray(rms) && rms.length > 0;
  return isReported && !amplifier.capabilities.includes('levels') ? sides(rms) : undefined;
}
/**
 * Measures the sound while somebody can see it: while it plays and the page is visible.
 * @param onlevels called with the level of each side, 0 to 1
 * @returns `update()`, to be called when the state has changed, and `end()`
 */
export function meter(onlevels) {
  /** Ends the running measurement. */
  let stop;
  let silence;
  const end = () => {
    stop?.();
    stop = undefined;
    clearTimeout(silence);
  };
  const onReport = ({ device, rms }) => {
    if (device !== withRole('amplifier')?.id || !rms.length) return;
    onlevels(sides(rms));
    clearTimeout(silence);
    silence = setTimeout(() => onlevels([0, 0]), SILENT_AFTER_MS);
  };
  return {
    end,
    update() {
      if (!isMeasurable(withRole('amplifier'))) end();
      else stop ??= theater.followLevels(onReport);
    },
  };
}
function isMeasurable(amplifier) {
  if (document.hidden || !theater.isLive()) return false;
  if (!amplifier?.capabilities.includes('levels')) return false;
  const isAudible = value(amplifier, 'power') === 'on' && !value(amplifier, 'muted');
  return isAudible && theater.playback()?.state === 'playing';
}
