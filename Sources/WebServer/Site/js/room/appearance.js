// What the room looks like for a status: pure functions of it, which the modules of the drawing
// follow. A value is `undefined` while its device is missing or does not answer.
import { clamp } from '../base/dom.js';
import { clockText } from '../base/times.js';
import { palette } from '../parts/cover.js';
import { value } from '../model/words.js';

export const SPEAKERS = ['towerL', 'towerR', 'centre', 'wallL', 'wallR'];
const STEREO_SPEAKERS = ['towerL', 'towerR'];
/** How far a movement is whose device does not say so, and where a screen of unknown place is. */
const HALFWAY = .5;
/** A film is seen on a screen that is lowered so far, a beam without a film already earlier. */
const LOWERED_FOR_FILM = .2;
const LOWERED_FOR_BEAM = .15;
const LONGEST_INPUT = 8;
/** The range of each band, in the unit in which the tuner reports its frequency. */
const BANDS = { am: { from: 520, width: 1190 }, fm: { from: 76, width: 32 } };
/** The picture changes at each of these steps of a film. */
const SECONDS_A_FRAME = 20;
const USUAL_DURATION = 3600;
/** The color of the projector's light without a film. */
export const WHITE_LIGHT = '#cfe0f5';

/** A device of a status by its id in the drawing. */
export const deviceOf = (status, id) => status.devices.find((device) => device.id === id);
export const isBroken = (device) =>
  Boolean(device && (device.availability === 'unavailable' || device.error));
/** A value of a device that answers. */
function valueOf(status, id, key) {
  const device = deviceOf(status, id);
  return device && device.availability !== 'unavailable' ? value(device, key) : undefined;
}
const isOn = (status, id) => valueOf(status, id, 'power') === 'on';

/** All that is drawn for a status, by day or by night; see the functions below. */
export function appearanceOf(status, isDay) {
  const lamps = lampsOf(status);
  const screen = screenOf(status);
  const film = filmOf(status, screen);
  const projector = projectorOf(status, screen, film);
  const amplifier = amplifierOf(status);
  const source = status.cables?.[amplifier.input];
  const players = { dvd: discPlayerOf(status, 'dvd'), cd: discPlayerOf(status, 'cd') };
  // Without a connection nobody knows what goes on, so nothing does.
  const { isLive = true } = status;
  const tuner = tunerOf(status);
  const popper = popperOf(status);
  return {
    isDay,
    lamps,
    screen,
    film,
    projector,
    frame: frameOf(screen, projector, film),
    luminance: luminanceOf(screen, projector, film),
    amplifier,
    players,
    tuner,
    sound: soundOf(amplifier, source, players, tuner, isLive),
    popper: { ...popper, isPopping: popper.isPopping && isLive },
    indicators: indicatorsOf(status),
    failed: status.devices.filter(isBroken),
    dust: isLive ? dustOf(screen, projector, film) : 0,
    present: status.devices.map(({ id }) => id),
    /** The places whose devices have a cable to the amplifier. */
    connected: Object.values(status.cables ?? {}),
  };
}

function lampsOf(status) {
  const share = (valueOf(status, 'lights', 'brightness') ?? 0) / 100;
  // The eye sees half of the light as more than half.
  return { isOn: share > 0, brightness: Math.pow(share, .78) };
}

/** How far the screen is `lowered`, 0 (up) to 1 (down), and whether it moves. */
function screenOf(status) {
  const device = deviceOf(status, 'screen');
  // Without a screen, a projector shines on the wall.
  if (!device && deviceOf(status, 'projector')) return { lowered: 1, isMoving: false };
  return { lowered: loweredShare(device), isMoving: value(device, 'position') === 'moving' };
}
function loweredShare(device) {
  switch (value(device, 'position')) {
    case 'down':
      return 1;
    case 'up':
      return 0;
    case 'moving': {
      const done = device.progress ?? HALFWAY;
      return device.target === 'up' ? 1 - done : done;
    }
    default:
      return device ? (device.attributes?.lowered?.value ?? 100 * HALFWAY) / 100 : 0;
  }
}

/** The film that the projector shows, with the colors of its title. */
function filmOf(status, { lowered }) {
  const film = valueOf(status, 'dvd', 'playback');
  const isRunning = ['playing', 'paused'].includes(film?.state);
  const title = status.titles?.[film?.item] || film?.item || '';
  const [, , main, hot, pale] = palette(title || 'x');
  return {
    isShown: isOn(status, 'projector') && isRunning && lowered > LOWERED_FOR_FILM,
    isPaused: film?.state === 'paused',
    item: film?.item,
    title,
    position: film?.position ?? 0,
    duration: film?.duration || USUAL_DURATION,
    colors: { main, hot, pale },
  };
}

function projectorOf(status, { lowered }, film) {
  const device = deviceOf(status, 'projector');
  const power = valueOf(status, 'projector', 'power');
  const done = device?.progress ?? HALFWAY;
  /** How warm the lamp is, 0 to 1. */
  const heat = { on: 1, warming: done, cooling: 1 - done }[power] ?? 0;
  const lamp = heat * ({ warming: .5, cooling: .2 }[power] ?? 1);
  const isVentilated = ['warming', 'on', 'cooling'].includes(power);
  return {
    power,
    heat,
    lens: lamp,
    vents: isVentilated ? Math.max(.25, lamp * .8) : 0,
    beam: lowered > LOWERED_FOR_BEAM ? beamOnScreen(power, heat, film) : lamp * .12,
    picture: film.isShown ? 1 : .85,
    pauseMark: film.isShown && film.isPaused ? .82 : 0,
  };
}
/** How opaque the beam is that meets the screen. */
function beamOnScreen(power, heat, film) {
  if (film.isShown) return film.isPaused ? .38 : .62;
  if (power === 'on') return .4;
  return power === 'warming' ? .16 * heat : 0;
}
/** What is on the screen, and the key by which it differs from other pictures. */
function frameOf({ lowered }, { power }, film) {
  if (film.isShown) {
    return {
      kind: 'film',
      key: film.title + Math.floor(film.position / SECONDS_A_FRAME),
      title: film.title,
      item: film.item,
      moment: (film.position / film.duration) % 1,
    };
  }
  if (power === 'on' && lowered > LOWERED_FOR_BEAM) return { kind: 'ready', key: 'ready' };
  if (power === 'warming') return { kind: 'warming', key: 'warming' };
  return { kind: 'none', key: '' };
}
/**
 * How much light the screen throws into the room, 0 to 1. It follows a moving screen in twentieths,
 * because each change of light composes the whole room.
 */
function luminanceOf({ lowered }, { power }, film) {
  const twentieths = Math.round(lowered * 20);
  if (film.isShown) return (film.isPaused ? .62 : 1) * twentieths / 20;
  return power === 'on' ? .42 * twentieths / 20 : 0;
}
function dustOf({ lowered }, { power }, film) {
  if (film.isShown && !film.isPaused) return 1;
  return power === 'on' && lowered > LOWERED_FOR_FILM ? .6 : 0;
}

function amplifierOf(status) {
  const amplifier = {
    isOn: isOn(status, 'amp'),
    input: valueOf(status, 'amp', 'input'),
    mode: valueOf(status, 'amp', 'mode'),
    volume: valueOf(status, 'amp', 'volume') ?? 0,
    isMuted: Boolean(valueOf(status, 'amp', 'muted')),
  };
  const { inputs } = deviceOf(status, 'amp') ?? {};
  return { ...amplifier, text: amplifier.isOn ? amplifierText(amplifier, inputs) : '' };
}
function amplifierText({ input, mode, volume, isMuted }, inputs) {
  const { title = input ?? '' } = inputs?.find((one) => one.name === input) ?? {};
  const name = title.toUpperCase().slice(0, LONGEST_INPUT);
  const sound = mode === 'surround' ? 'SURROUND' : 'STEREO';
  return `${name} ${isMuted ? 'MUTE' : sound} ${volume}`;
}

function discPlayerOf(status, id) {
  const playback = valueOf(status, id, 'playback');
  const player = {
    isOn: isOn(status, id),
    isTrayOpen: valueOf(status, id, 'tray') === 'open',
    isPaused: playback?.state === 'paused',
  };
  return {
    ...player,
    isPlaying: player.isOn && playback?.state === 'playing',
    text: player.isOn ? discText(player.isTrayOpen, playback) : '',
  };
}
function discText(isTrayOpen, playback) {
  if (isTrayOpen) return 'OPEN';
  const isStopped = !playback || playback.state === 'stopped';
  return isStopped ? '--:--' : clockText(playback.position ?? 0);
}

function tunerOf(status) {
  const band = valueOf(status, 'tuner', 'band') ?? 'fm';
  const frequency = valueOf(status, 'tuner', 'frequency') ?? 88;
  const { from, width } = BANDS[band] ?? BANDS.fm;
  const shown = band === 'am' ? frequency : Number(frequency).toFixed(1);
  const isTunerOn = isOn(status, 'tuner');
  return {
    isOn: isTunerOn,
    /** The place of the frequency on the dial, 0 to 1. */
    place: (frequency - from) / width,
    text: isTunerOn ? `${band.toUpperCase()} ${shown}` : '',
  };
}

/**
 * The way of the sound: `path` names the source and the speakers that are connected, `heard` the
 * speakers that sound at this moment.
 * @param source the place of the device at the cable of the amplifier's input, if there is one
 */
function soundOf(amplifier, source, players, tuner, isLive) {
  const { mode, isMuted } = amplifier;
  const isPlaying = source === 'tuner' ? tuner.isOn : players[source]?.isPlaying;
  const isConnected = Boolean(amplifier.isOn && isPlaying && !isMuted);
  const isHeard = isConnected && isLive;
  const isPaused = Boolean(amplifier.isOn && players[source]?.isPaused) || (isConnected && !isLive);
  const speakers = mode === 'surround' ? SPEAKERS : STEREO_SPEAKERS;
  return {
    path: isHeard || isPaused ? [source, ...speakers] : [],
    heard: isHeard ? speakers : [],
    isPaused,
  };
}

function popperOf(status) {
  const popping = valueOf(status, 'popper', 'popping');
  return {
    isOn: isOn(status, 'popper'),
    isPopping: isOn(status, 'popper') && popping === 'popping',
    /** How full the case is, 0 to 1. */
    fill: popcornFill(popping, deviceOf(status, 'popper')),
  };
}
function popcornFill(popping, device) {
  if (popping === 'done') return 1;
  return popping === 'popping' ? clamp(device.progress ?? HALFWAY, 0, 1) : 0;
}

/** The indicator lamp of each device: `on`, `standby` or `bad`. */
function indicatorsOf(status) {
  const isProjectorOn = ['on', 'warming'].includes(valueOf(status, 'projector', 'power'));
  const indicator = (id) => {
    if (isBroken(deviceOf(status, id))) return 'bad';
    const isLit = id === 'projector' ? isProjectorOn : isOn(status, id);
    return isLit ? 'on' : 'standby';
  };
  const ids = ['amp', 'dvd', 'cd', 'tuner', 'projector', 'popper'];
  return Object.fromEntries(ids.map((id) => [id, indicator(id)]));
}
