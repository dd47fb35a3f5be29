// The controls of a device by its role. Guests get those that every role may use.
import { h } from '../base/dom.js';
import { icon } from '../base/icons.js';
import { mayOperate } from '../model/store.js';
import { inputTitle, isOn, value } from '../model/words.js';
import { runAction } from './actions.js';
import { choice, toggle } from './choices.js';
import { slider } from './sliders.js';
import { throttle } from './throttle.js';
import { send } from './commands.js';
import { sentence, t } from '../base/text.js';

const CONTROLS = {
  amplifier: amplifierControls,
  lights: lightsControls,
  screen: screenControls,
  projector: projectorControls,
  popcornPopper: popperControls,
  tuner: tunerControls,
};

/**
 * Returns the controls of a device.
 * @param sliders gets the sliders for `volume` and `brightness`, so that they can follow the state
 */
export function roleControls(device, sliders) {
  const makeControls = CONTROLS[device.role] ?? playerControls;
  return [availabilityNote(device), makeControls(device, sliders)];
}
function availabilityNote({ availability }) {
  if (availability === 'available') return null;
  const isStarting = availability === 'starting';
  return h('p', 'small', sentence(t(isStarting ? 'control.starting' : 'control.silent')));
}

function amplifierControls(device, sliders) {
  sliders.volume = slider({
    label: t('state.volume'),
    value: value(device, 'volume') ?? 0,
    onchange: throttle((percent) => send(device.id, { volume: percent })),
  });
  // The knob of an amplifier that is off gives no light.
  sliders.volume.node.classList.toggle('unlit', !isOn(device));
  const mute = toggle(
    t('state.muted'),
    value(device, 'muted'),
    (isMuted) => send(device.id, isMuted ? 'mute' : 'unmute'),
  );
  if (!mayOperate()) return [sliders.volume.node, mute];
  const input = choice(
    t('state.input'),
    inputOptions(device),
    value(device, 'input'),
    (id) => send(device.id, { input: id }),
  );
  return [
    sliders.volume.node,
    mute,
    input,
    speakers(t('state.mode'), device),
    powerButton(device),
  ];
}
/** The inputs that an amplifier has, and the selected one if it is none of them. */
function inputOptions(amplifier) {
  const names = (amplifier.inputs ?? []).map(({ name }) => name);
  const ids = new Set([...names, value(amplifier, 'input')].filter(Boolean));
  return [...ids].map((id) => [id, inputTitle(amplifier, id)]);
}
/** The choice of stereo or surround sound. */
export const speakers = (label, amplifier) =>
  choice(
    label,
    [['stereo', t('sound.stereo')], ['surround', t('sound.surround')]],
    value(amplifier, 'mode'),
    (mode) => send(amplifier.id, mode),
  );
/** The choice of a film's sound: `surroundAudio` or `twoChannelAudio`. */
export const track = (label, player) =>
  choice(
    label,
    [['surround', t('sound.every')], ['twoChannel', t('sound.two')]],
    value(player, 'audio'),
    (id) => send(player.id, `${id}Audio`),
  );

function lightsControls(device, sliders) {
  if (!mayOperate()) return [];
  sliders.brightness = brightnessSlider(t('state.brightness'), device);
  const levelButtons = lampLevels().map(([text, command]) =>
    commandButton(device, text, 'light', command)
  );
  return [sliders.brightness.node, buttonRow(levelButtons)];
}
/** The brightness of a lamp; at 0 the lamp is off. */
export const brightnessSlider = (label, lamp) =>
  slider({
    label,
    value: value(lamp, 'brightness') ?? 0,
    says: (percent) => (percent ? `${percent} %` : t('is.off')),
    onchange: throttle((percent) => send(lamp.id, percent ? { dim: percent } : 'off')),
  });
/** The levels that lamps have buttons for: the text and the command of each. */
export const lampLevels = () => [
  [t('control.off'), 'off'],
  ['10 %', { dim: 10 }],
  ['40 %', { dim: 40 }],
  [t('control.full'), 'on'],
];
function screenControls(device) {
  if (!mayOperate()) return [];
  const canStop = device.capabilities.includes('stop');
  return buttonRow(
    commandButton(device, t('control.up'), 'previous', 'up'),
    canStop ? commandButton(device, t('control.stop'), 'stop', 'stop') : null,
    commandButton(device, t('control.down'), 'down', 'down'),
  );
}
function projectorControls(device) {
  if (!mayOperate()) return [];
  const format = choice(
    t('state.picture'),
    [['wideScreen', t('control.wide')], ['tv', t('is.tv')]],
    value(device, 'picture'),
    (id) => send(device.id, id === 'tv' ? 'tvMode' : 'wideScreenMode'),
  );
  return [powerButton(device), format];
}
function popperControls(device) {
  if (!mayOperate()) return [];
  const pop = commandButton(device, t('tile.popcorn'), 'popcorn', 'pop', {
    class: 'btn primary big wide',
  });
  return [pop, powerButton(device)];
}
function tunerControls(device) {
  const dialLink = h('a', { class: 'btn wide', href: '/radio' }, icon('radio'), t('control.dial'));
  return [dialLink, mayOperate() ? powerButton(device) : null];
}
function playerControls(device) {
  const previous = commandButton(device, t('control.previous'), 'previous', 'previous');
  const next = commandButton(device, t('control.next'), 'next', 'next');
  if (!mayOperate()) return buttonRow(playButton(device), previous, next);
  return [
    buttonRow(
      playButton(device),
      previous,
      next,
      commandButton(device, t('control.stop'), 'stop', 'stop'),
      commandButton(device, t('control.eject'), 'eject', 'eject'),
    ),
    device.role === 'dvdPlayer' ? track(t('state.audio'), device) : null,
    powerButton(device),
  ];
}
/** The button that pauses or plays; guests may only let a paused player play on. */
function playButton(device) {
  const state = value(device, 'playback')?.state;
  // After a press, the other button takes over the focus.
  const focus = { data: { focus: 'flip' } };
  if (state === 'playing') return commandButton(device, t('do.pause'), 'pause', 'pause', focus);
  const mayPlay = mayOperate() || state === 'paused';
  return mayPlay ? commandButton(device, t('control.play'), 'play', 'play', focus) : null;
}

function powerButton(device) {
  const isPowered = isOn(device);
  const text = t(isPowered ? 'do.turnOff' : 'do.turnOn');
  return commandButton(device, text, 'power', isPowered ? 'off' : 'on', {
    class: 'btn wide',
    'aria-pressed': isPowered,
    data: { focus: 'power' },
  });
}
function commandButton(device, text, iconName, command, props) {
  const run = ({ currentTarget }) => runAction(currentTarget, () => send(device.id, command));
  return h('button', { class: 'btn', ...props, onclick: run }, icon(iconName), text);
}
const buttonRow = (...buttons) => h('div', 'control-keys', buttons);
