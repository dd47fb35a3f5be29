// The sentences about a device, shared by the room, the device list and screen readers.
import { hasText, language, number, t, unit } from '../base/text.js';
import { relativeTime } from '../base/times.js';
import { device as deviceWith, devices } from './store.js';

export const ICONS = {
  amplifier: 'amp',
  tuner: 'radio',
  dvdPlayer: 'disc',
  cdPlayer: 'music',
  projector: 'projector',
  lights: 'light',
  screen: 'screen',
  popcornPopper: 'popcorn',
};
export const deviceIcon = ({ icon, role }) => icon ?? ICONS[role] ?? 'devices';
/** The titles of devices without one of their own, which the controller gives by their role. */
const ROLE_TITLES = {
  amplifier: 'amplifier',
  tuner: 'tuner',
  dvdPlayer: 'DVD player',
  cdPlayer: 'CD player',
  projector: 'projector',
  lights: 'lights',
  screen: 'screen',
  popcornPopper: 'popcorn popper',
};
export const value = (device, key) =>
  device?.state?.[key]?.provenance === 'unknown' ? undefined : device?.state?.[key]?.value;
export const isOn = (device) => ['on', 'warming'].includes(value(device, 'power'));
export const ago = (seconds) => relativeTime(Date.now() - seconds * 1000);

/** The text of a value that the API names, or that name itself. */
export const word = (name) => (hasText(`is.${name}`) ? t(`is.${name}`) : name);
/** Frequencies above this are in kHz (medium wave), others in MHz (FM). */
const HIGHEST_MHZ = 200;
/** A frequency with its unit: "98.5 MHz", "810 kHz". */
export function frequencyWithUnit(frequency) {
  if (frequency > HIGHEST_MHZ) return unit(String(frequency), 'kHz');
  return unit(number(frequency, 1), 'MHz');
}
/** The frequency of a tuner, with its unit. */
export const tunedFrequencyText = (device) => frequencyWithUnit(value(device, 'frequency') ?? 0);

const FULL_BRIGHTNESS = 100;
const joinWords = (...words) => words.filter(Boolean).join(', ');
/** The word for the power of a device that is not on; `false` for one that is. */
function powerWordUnlessOn(device) {
  const power = value(device, 'power');
  return power !== 'on' && word(power ?? 'unknown');
}
// The sentence about a device by its role.
const DESCRIBERS = {
  amplifier(device) {
    const mode = value(device, 'mode');
    const isMuted = value(device, 'muted');
    const volume = isMuted ? t('is.muted') : t('is.volume', { percent: value(device, 'volume') });
    return powerWordUnlessOn(device) ||
      joinWords(inputTitle(device, value(device, 'input')), mode && word(mode), volume);
  },
  tuner(device) {
    const frequency = value(device, 'frequency') && tunedFrequencyText(device);
    return powerWordUnlessOn(device) || joinWords(value(device, 'station'), frequency) ||
      word('on');
  },
  dvdPlayer: describePlayer,
  cdPlayer: describePlayer,
  lights(device) {
    const brightness = value(device, 'brightness');
    if (brightness >= FULL_BRIGHTNESS) return t('is.full');
    if (brightness) return t('is.dimmed', { percent: brightness });
    return word(brightness === 0 ? 'off' : 'unknown');
  },
  screen(device) {
    const position = value(device, 'position');
    if (position !== 'stopped') return word(position ?? 'unknown');
    return t('is.stoppedAt', { percent: device.attributes?.lowered?.value ?? '?' });
  },
  popcornPopper(device) {
    const popping = value(device, 'popping');
    return powerWordUnlessOn(device) ||
      (['popping', 'done'].includes(popping) ? word(popping) : t('is.on'));
  },
};
function describePlayer(device, titles) {
  const trayOpen = value(device, 'tray') === 'open' && t('is.trayOpen');
  if (powerWordUnlessOn(device) || trayOpen) return joinWords(powerWordUnlessOn(device), trayOpen);
  const playback = value(device, 'playback');
  if (!playback || playback.state === 'stopped') return t('is.discStopped');
  const title = titles[playback.item] || playback.item || '';
  return t(`disc.${playback.state}`, { title }).trim();
}
/** The sentence about a device. @param titles of items by id */
export function describe(device, titles = {}) {
  if (device.availability === 'unavailable') {
    return (language === 'en' && device.reason) || t('is.silent');
  }
  if (device.availability === 'starting') return t('is.starting');
  const describer = DESCRIBERS[device.role];
  return describer ? describer(device, titles) : word(value(device, 'power') ?? 'unknown');
}

/**
 * The title of a scene or activity as people see it. One of the file that the theater comes with is
 * a text of this page, whose key names the entry and its title; any other title is shown as it is.
 */
export function entryTitle({ name, title }) {
  const key = `shipped.${name}: ${title}`;
  return hasText(key) ? t(key) : title ?? name;
}
/** The title of an activity: its own, else what it is for, else its name. */
export function activityTitle({ title, category, name }) {
  const key = `activity.${category}`;
  return !title && hasText(key) ? t(key) : entryTitle({ name, title });
}
/** The title of the current item, else of the current activity. */
export const titleOf = ({ itemTitle, title, activity, scene }) =>
  itemTitle ?? entryTitle({ name: activity ?? scene, title });
/**
 * The shown name of a device: its own title, else its role. Of several with the same name, each but
 * the first is followed by its id.
 */
export function nameOf(device, all = devices()) {
  const name = plainNameOf(device);
  const first = all.find((other) => plainNameOf(other) === name) ?? device;
  return first.id === device.id ? name : `${name} ${device.id}`;
}
function plainNameOf({ id, role, title }) {
  if (title && title !== ROLE_TITLES[role]) return title;
  return hasText(`device.${role}`) ? t(`device.${role}`) : id;
}
/** The shown name of an amplifier's input: its own, that of the device at its cable, or its id. */
export function inputTitle(amplifier, name) {
  const input = amplifier?.inputs?.find((one) => one.name === name);
  const source = input?.source && deviceWith(input.source);
  return input?.title ?? (source ? nameOf(source) : name);
}
const isLit = (lamp) => value(lamp, 'brightness') > 0;
/** The sentence about the lamps of an area: that of all, or how many are on. */
export function describeLamps(lamps) {
  const [sentenceOfFirst, ...others] = new Set(lamps.map((lamp) => describe(lamp)));
  if (!others.length) return sentenceOfFirst;
  return t('lights.some', { count: lamps.filter(isLit).length, total: lamps.length });
}
/** The name of the lamps of an area; a single lamp has its own. */
export function lampsName({ area, lamps }) {
  if (lamps.length === 1) return nameOf(lamps[0]);
  return [t('device.lights'), area].filter(Boolean).join(' · ');
}
/**
 * A command of a plan or run in words: `{"volume": 50}` is "volume 50 %".
 * @param owner the device of the command, if it is known
 */
export function commandWords(command, titles = {}, owner = undefined) {
  const [name, argument] = typeof command === 'string'
    ? [command, null]
    : Object.entries(command ?? {})[0] ?? ['', null];
  const plain = hasText(`cmd.${name}`) ? t(`cmd.${name}`) : name;
  if (argument === null) return plain;
  switch (name) {
    case 'volume':
      return t('is.volume', { percent: argument });
    case 'dim':
      return argument ? t('cmd.dim', { percent: argument }) : t('is.off');
    case 'input':
      return t('cmd.input', { input: inputTitle(owner, argument) });
    case 'play':
      return argument.item
        ? t('cmd.playItem', { title: titles[argument.item] ?? argument.item })
        : plain;
    case 'seek':
      return t('cmd.seek', { time: unit(argument, 'second') });
    case 'station':
      return t('cmd.station', { station: argument });
    case 'frequency':
    case 'fm':
    case 'am':
      return t('cmd.frequency', { frequency: frequencyWithUnit(argument) });
    default:
      return `${plain} ${typeof argument === 'object' ? JSON.stringify(argument) : argument}`;
  }
}
