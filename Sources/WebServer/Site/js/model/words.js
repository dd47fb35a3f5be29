// The sentences about a device, shared by the room, the device list and screen readers.
import { hasText, language, number, relativeTime, t, unit } from '../base/text.js';

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
export const value = (device, key) =>
  device?.state?.[key]?.provenance === 'unknown' ? undefined : device?.state?.[key]?.value;
export const isOn = (device) => ['on', 'warming'].includes(value(device, 'power'));
export const ago = (seconds) => relativeTime(Date.now() - seconds * 1000);

/** The text of a value that the API names, or that name itself. */
export const word = (name) => (hasText(`is.${name}`) ? t(`is.${name}`) : name);
/** A frequency with its unit: "98.5 MHz", "810 kHz". */
export const hertz = (frequency) =>
  unit(frequency > 200 ? String(frequency) : number(frequency, 1), frequency > 200 ? 'kHz' : 'MHz');
export const station = (device) => hertz(value(device, 'frequency') ?? 0);

export function describe(device, titles = {}) {
  if (device.availability === 'unavailable') {
    return (language === 'en' && device.reason) || t('is.silent');
  }
  if (device.availability === 'starting') return t('is.starting');
  const v = (key) => value(device, key),
    power = v('power'),
    play = v('playback'),
    listed = (...list) => list.filter(Boolean).join(', ');
  const notOn = power !== 'on' && word(power ?? 'unknown');
  switch (device.role) {
    case 'amplifier':
      return notOn ||
        listed(
          word(v('input')),
          v('mode') && word(v('mode')),
          v('muted') ? t('is.muted') : t('is.volume', { percent: v('volume') }),
        );
    case 'tuner':
      return notOn || listed(v('station'), v('frequency') && station(device)) || word('on');
    case 'dvdPlayer':
    case 'cdPlayer': {
      if (notOn || v('tray') === 'open') {
        return listed(notOn, v('tray') === 'open' && t('is.trayOpen'));
      }
      if (!play || play.state === 'stopped') return t('is.discStopped');
      return t(`disc.${play.state}`, { title: titles[play.item] || play.item || '' }).trim();
    }
    case 'lights': {
      const b = v('brightness');
      return b >= 100
        ? t('is.full')
        : b
        ? t('is.dimmed', { percent: b })
        : word(b === 0 ? 'off' : 'unknown');
    }
    case 'screen':
      return v('position') === 'stopped'
        ? t('is.stoppedAt', { percent: device.attributes?.lowered?.value ?? '?' })
        : word(v('position') ?? 'unknown');
    case 'popcornPopper':
      return notOn ||
        (['popping', 'done'].includes(v('popping')) ? word(v('popping')) : t('is.on'));
    default:
      return word(power ?? 'unknown');
  }
}
// The titles in the shipped configuration, with the keys of their translations.
const SHIPPED = {
  'Watch a film': 'activity.film',
  'End the film': 'scene.endFilm',
  'Listen to music': 'activity.music',
  'End the music': 'scene.endMusic',
  'Listen to the radio': 'scene.radio',
  'End the radio': 'scene.endRadio',
  'Movie night, softly and without popcorn': 'scene.night',
  Popcorn: 'activity.popcorn',
};
export const titled = (title) => (Object.hasOwn(SHIPPED, title) ? t(SHIPPED[title]) : title);
/** The title of the current item, else of the current activity. */
export const titleOf = ({ itemTitle, title }) => itemTitle ?? (title && titled(title));
/** The shown name of a device: its role, followed by its id if several devices have that role. */
export const nameOf = (device, all = []) => {
  const name = hasText(`device.${device.role}`) ? t(`device.${device.role}`) : device.id;
  const isAlone = all.filter((other) => other.role === device.role).length < 2;
  return isAlone || device.id.toLowerCase() === name.toLowerCase() ? name : `${name} ${device.id}`;
};
/** A command of a plan or run in words: `{"volume": 50}` is "volume 50 %". */
export function commandWords(command, titles = {}) {
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
      return t('cmd.input', { input: word(argument) });
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
      return t('cmd.frequency', { frequency: hertz(argument) });
    default:
      return `${plain} ${typeof argument === 'object' ? JSON.stringify(argument) : argument}`;
  }
}
