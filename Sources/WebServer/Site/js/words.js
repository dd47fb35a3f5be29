// Every sentence about a device is made here, once, for the room, the device list and the screen reader.
export const NAMES = { amplifier: 'Amplifier', tuner: 'Tuner', dvdPlayer: 'DVD player', cdPlayer: 'CD player', projector: 'Projector', lights: 'Lights', screen: 'Screen', popcornPopper: 'Popcorn' };
export const ICONS = { amplifier: 'amp', tuner: 'radio', dvdPlayer: 'disc', cdPlayer: 'music', projector: 'projector', lights: 'light', screen: 'screen', popcornPopper: 'popcorn' };
export const value = (device, key) => device?.state?.[key]?.provenance === 'unknown' ? undefined : device?.state?.[key]?.value;
export const isOn = (device) => ['on', 'warming'].includes(value(device, 'power'));

export function ago(seconds) {
  if (seconds < 10) return 'just now';
  if (seconds < 60) return `${Math.round(seconds)} s ago`;
  if (seconds < 3600) return `${Math.round(seconds / 60)} min ago`;
  if (seconds < 86400) return `${Math.round(seconds / 3600)} h ago`;
  return `${Math.round(seconds / 86400)} d ago`;
}
export const INPUT = { dvd: 'DVD', cd: 'CD', tuner: 'Tuner' };
export const station = (d) => value(d, 'band') === 'am' ? `${value(d, 'frequency')} kHz` : `${Number(value(d, 'frequency') ?? 0).toFixed(1)} MHz`;

export function describe(device, titles = {}) {
  if (device.availability === 'unavailable') return device.reason || 'does not answer';
  if (device.availability === 'starting') return 'starting';
  const v = (key) => value(device, key), power = v('power'), play = v('playback');
  switch (device.role) {
    case 'amplifier': return power !== 'on' ? 'off' : [INPUT[v('input')] || v('input'), v('mode'), v('muted') ? 'muted' : `volume ${v('volume')} %`].filter(Boolean).join(', ');
    case 'tuner': return power !== 'on' ? 'off' : [v('station'), station(device)].filter(Boolean).join(', ');
    case 'dvdPlayer': case 'cdPlayer': {
      if (power !== 'on') return v('tray') === 'open' ? 'off, tray open' : 'off';
      if (v('tray') === 'open') return 'tray open';
      if (!play || play.state === 'stopped') return 'on, stopped';
      return `${{ playing: 'playing', paused: 'paused', opening: 'opening', ended: 'ended', failed: 'failed' }[play.state]} ${titles[play.item] || play.item || ''}`.trim();
    }
    case 'projector': return { off: 'off', warming: 'warming up', on: 'on', cooling: 'cooling down', unknown: 'not known' }[power] || 'not known';
    case 'lights': { const b = v('brightness'); return !b ? 'off' : b >= 100 ? 'fully on' : `dimmed to ${b} %`; }
    case 'screen': return { up: 'up', down: 'down', moving: 'moving', stopped: `stopped at ${device.attributes?.lowered?.value ?? '?'} %` }[v('position')] || 'not known';
    case 'popcornPopper': return power !== 'on' ? 'off' : { popping: 'popping', done: 'ready', idle: 'on' }[v('popping')] || 'on';
    default: return power || '';
  }
}
/** The name that people know: the role, and the id where there are several of a role. */
export const nameOf = (device, all = []) => {
  const name = NAMES[device.role] ?? device.id;
  const isAlone = all.filter((other) => other.role === device.role).length < 2;
  return isAlone || device.id.toLowerCase() === name.toLowerCase() ? name : `${name} ${device.id}`;
};
const COMMANDS = {
  on: 'turn on', off: 'turn off', stereo: 'stereo', surround: 'surround sound', mute: 'mute', unmute: 'unmute', play: 'play', pause: 'pause', stop: 'stop', eject: 'eject',
  next: 'next', previous: 'previous', surroundAudio: 'every channel', twoChannelAudio: 'two channels', tvMode: 'TV picture', wideScreenMode: 'wide picture', up: 'up', down: 'down', pop: 'pop one batch', am: 'AM', fm: 'FM',
};
/** A command of a plan or run in words: `{"volume": 50}` is "volume 50 %". */
export function commandWords(command, titles = {}) {
  if (typeof command === 'string') return COMMANDS[command] ?? command;
  const [name, argument] = Object.entries(command ?? {})[0] ?? ['', null];
  if (argument === null) return COMMANDS[name] ?? name;
  switch (name) {
    case 'volume': return `volume ${argument} %`;
    case 'dim': return argument ? `dim to ${argument} %` : 'off';
    case 'input': return `input ${INPUT[argument] ?? argument}`;
    case 'play': return argument.item ? `play ${titles[argument.item] ?? argument.item}` : 'play';
    case 'seek': return `go to ${argument} s`;
    case 'station': return `station ${argument}`;
    case 'frequency': case 'fm': case 'am': return `tune to ${argument} ${argument > 200 ? 'kHz' : 'MHz'}`;
    default: return `${COMMANDS[name] ?? name} ${typeof argument === 'object' ? JSON.stringify(argument) : argument}`;
  }
}
