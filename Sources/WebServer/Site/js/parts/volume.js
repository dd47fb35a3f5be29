// The volume under a thumb: quieter and louder, which repeat while they are held, mute, and a
// slider. All of them on one screen show the same number.
import { $, ariaHidden, clamp, h, setText, TEXT_FIELDS } from '../base/dom.js';
import { icon } from '../base/icons.js';
import { announce } from '../base/messages.js';
import { t } from '../base/text.js';
import { changed, store } from '../model/store.js';
import * as current from './commands.js';
import { showFailure } from './failures.js';
import { slider } from './sliders.js';

/** Percent of one press, and of each repetition. */
export const VOLUME_STEP = 2;
const FIRST_REPEAT_MS = 450;
const REPEAT_MS = 140;
/** Until then a report may be older than the last press. */
const EXPECTED_MS = 1500;
/** After that what was expected is no longer shown. */
const EXPECTED_MARGIN_MS = 50;
/** A key that is held mutes once. */
const muteOnce = ({ repeat }) => {
  if (!repeat) flipMute();
};
/** What a key of the keyboard does; the first three stand on remotes, too. */
const KEYS = {
  AudioVolumeDown: () => stepVolume(-1),
  AudioVolumeUp: () => stepVolume(1),
  AudioVolumeMute: muteOnce,
  '-': () => stepVolume(-1),
  '+': () => stepVolume(1),
  '=': () => stepVolume(1),
  m: muteOnce,
};

/** The volume that was asked for and is not reported yet, and the id of its amplifier. */
let expected;
let expectedOf;
let expectedUntil = 0;
let expectedTimer;
/** The percent of the presses that no request has sent yet. */
let unsent = 0;
let isSending = false;

/** The volume that is shown: what was asked for, until the amplifier reports it. */
export function shownVolume() {
  const isExpected = performance.now() < expectedUntil && expectedOf === amplifierID();
  return isExpected ? expected : current.volume();
}
const amplifierID = () => current.amplifier()?.id;
/** The loudest volume that the session may choose. */
const highest = () => store.session?.volumeLimit ?? 100;

function expectVolume(volume) {
  expected = volume;
  expectedOf = amplifierID();
  expectedUntil = performance.now() + EXPECTED_MS;
  changed();
  // A volume that the amplifier does not report, as after a refusal, is not shown for ever.
  clearTimeout(expectedTimer);
  expectedTimer = setTimeout(changed, EXPECTED_MS + EXPECTED_MARGIN_MS);
}
/** Chooses a volume within the limit of the session, and returns it. */
export function chooseVolume(volume) {
  const allowed = Math.min(volume, highest());
  expectVolume(allowed);
  current.setVolume(allowed);
  return allowed;
}
/** Changes the volume by steps. Presses during a request add up, and follow it together. */
export function stepVolume(steps) {
  const volume = shownVolume();
  if (volume === undefined || store.connection === 'lost') return;
  // Presses that wait for another amplifier, of a room shown before, are not meant for this one.
  if (expectedOf !== amplifierID()) unsent = 0;
  const next = clamp(volume + steps * VOLUME_STEP, 0, Math.max(volume, highest()));
  if (next === volume) return;
  unsent += next - volume;
  expectVolume(next);
  if (!isSending) sendSteps();
}
async function sendSteps() {
  isSending = true;
  try {
    while (unsent && expectedOf === amplifierID()) {
      const by = clamp(unsent, -100, 100);
      unsent = 0;
      const owner = amplifierID();
      const { volume } = await current.changeVolume(by);
      const isAnswered = volume !== undefined && !unsent && owner === amplifierID();
      if (isAnswered) expectVolume(volume);
    }
  } catch (failure) {
    unsent = 0;
    expectedUntil = 0;
    changed();
    showFailure(failure);
  }
  isSending = false;
}
export const flipMute = () => current.setMute(!current.isMuted());
const announceVolume = () => announce(t('is.volume', { percent: shownVolume() }));

/** A button that changes the volume, again and again while it is held. */
function stepButton(steps, name, iconName) {
  let timer;
  /** The id of the amplifier for which it is held. */
  let heldFor;
  const isSame = () => heldFor === amplifierID();
  const stop = () => {
    if (timer && isSame()) announceVolume();
    clearTimeout(timer);
    timer = undefined;
  };
  const repeat = () => {
    // A button that is gone gets no end of the press.
    if (button.disabled || !button.checkVisibility() || !isSame()) {
      stop();
      return;
    }
    stepVolume(steps);
    timer = setTimeout(repeat, REPEAT_MS);
  };
  const start = (event) => {
    if (event.button || !event.isPrimary) return;
    stop();
    heldFor = amplifierID();
    stepVolume(steps);
    timer = setTimeout(repeat, FIRST_REPEAT_MS);
  };
  // A press with a pointer has been counted when it began.
  const press = ({ detail }) => {
    if (detail) return;
    stepVolume(steps);
    announceVolume();
  };
  const button = h('button', {
    class: 'key volume-key',
    'aria-label': name,
    data: { focus: iconName },
    onpointerdown: start,
    onpointerup: stop,
    onpointercancel: stop,
    onpointerleave: stop,
    onlostpointercapture: stop,
    oncontextmenu: (event) => event.preventDefault(),
    onclick: press,
  }, icon(iconName));
  return button;
}
function muteButton() {
  const button = h('button', {
    class: 'key volume-key',
    'aria-label': t('state.muted'),
    data: { focus: 'mute' },
    onclick: () => current.setMute(!current.isMuted(), button),
  });
  return button;
}
function paintMute(button, isMuted) {
  if (button.getAttribute('aria-pressed') === String(isMuted)) return;
  button.setAttribute('aria-pressed', isMuted);
  button.replaceChildren(icon(isMuted ? 'mute' : 'volume'));
}

/**
 * The control of the volume; it is hidden without an amplifier.
 * @returns its `node`, and `paint()`, which shows the reported volume
 */
export function volumeControl() {
  // The thumb does not go beyond the limit, either.
  const choose = (volume) => level.set(chooseVolume(volume), true);
  const level = slider({ label: t('state.volume'), value: 0, onchange: choose });
  const mute = muteButton();
  const output = ariaHidden('span', 'num volume-out');
  let shownID;
  const node = h(
    'div',
    { class: 'volume', role: 'group', 'aria-label': t('state.volume') },
    mute,
    stepButton(-1, t('player.quieter'), 'minus'),
    level.input,
    stepButton(1, t('player.louder'), 'plus'),
    output,
  );
  return {
    node,
    paint() {
      const volume = shownVolume();
      node.hidden = !current.amplifier() || volume === undefined;
      if (node.hidden) return;
      const isMuted = current.isMuted();
      paintMute(mute, isMuted);
      node.classList.toggle('muted', isMuted);
      // A slider that was moved just now does not hold the volume of another amplifier.
      const isOther = shownID !== amplifierID();
      shownID = amplifierID();
      level.set(volume, isOther);
      setText(output, isMuted ? t('is.muted') : `${volume} %`);
    },
  };
}

/** Lets the volume keys of a keyboard or a remote change the volume; returns what ends that. */
export function followVolumeKeys() {
  const press = (event) => {
    const run = KEYS[event.key];
    const hasModifier = event.ctrlKey || event.metaKey || event.altKey;
    if (!run || hasModifier || event.target.closest?.(TEXT_FIELDS)) return;
    // A sheet may be that of another device.
    if (!current.amplifier() || $('dialog[open]')) return;
    event.preventDefault();
    run(event);
  };
  addEventListener('keydown', press);
  return () => removeEventListener('keydown', press);
}
