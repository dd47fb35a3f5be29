// Transport commands of the current player, shared by all screens.
import { path, post } from '../base/api.js';
import { clamp } from '../base/dom.js';
import { announce } from '../base/messages.js';
import { t, unit } from '../base/text.js';
import { clockText, timeLeft } from '../base/times.js';
import { commandedAmplifier } from '../model/room-devices.js';
import { activity, device, inRoom, knownTitles, playback } from '../model/store.js';
import { value } from '../model/words.js';
import { runAction } from './actions.js';
import { showFailure } from './failures.js';
import { throttle } from './throttle.js';

/** Players refuse a position at the end: this is the last one before it, in seconds. */
const BEFORE_END_SECONDS = 1;

export const isPaused = (current = playback()) => current?.state === 'paused';
/** The amplifier whose volume is shown: the one that the requests below change. */
export const amplifier = commandedAmplifier;
/** Whether the current player can go to a position. */
export const canSeek = () => device(activity().player)?.capabilities.includes('seek') ?? false;

/** Pauses or resumes. */
export async function flip(button) {
  const wasPaused = isPaused();
  if (await runAction(button, () => post(inRoom(wasPaused ? '/resume' : '/pause')))) {
    announce(t(wasPaused ? 'said.playing' : 'said.paused'));
  }
}

const lastPosition = () => Math.max(0, (playback()?.duration ?? Infinity) - BEFORE_END_SECONDS);
function announcePosition(position) {
  const { duration } = playback() ?? {};
  const remaining = duration ? timeLeft(Math.max(0, duration - position)) : null;
  announce([clockText(position), remaining].filter(Boolean).join(', '));
}
export async function seekTo(position, button) {
  const to = clamp(position, 0, lastPosition());
  if (await runAction(button, () => post(inRoom('/seek'), { to }))) announcePosition(to);
}

/** "Back 10 seconds". */
export const jumpName = (by) =>
  t(by < 0 ? 'player.back' : 'player.forward', { time: unit(Math.abs(by), 'second', true) });

/** The seconds of the presses that no request has sent yet. */
let unsentSeconds = 0;
let isJumping = false;
/** Seeks by seconds. Presses during a request add up, and follow it together. */
export async function jump(by, button) {
  unsentSeconds += by;
  if (isJumping) return;
  isJumping = true;
  while (unsentSeconds && playback()) {
    const seconds = unsentSeconds;
    unsentSeconds = 0;
    if (!await jumpOnce(seconds, button)) break;
  }
  unsentSeconds = 0;
  isJumping = false;
}
/** Seeks with one request; returns whether it succeeded. */
async function jumpOnce(by, button) {
  const wanted = playback().position + by;
  const to = clamp(wanted, 0, lastPosition());
  const hasSucceeded = await runAction(
    button,
    () => post(inRoom('/seek'), to === wanted ? { by } : { to }),
  );
  if (hasSucceeded) announcePosition(to);
  return hasSucceeded;
}

/** @param direction `previous` or `next` */
export const skip = (direction, button) => runAction(button, () => post(inRoom(`/${direction}`)));
/** @param place the name of a room; the shown one without it */
export const endActivity = (button, place) => runAction(button, () => post(inRoom('/end', place)));
/** Sets the volume of the room that is shown at the call, however late it is sent. */
export const setVolume = (to) => sendVolume({ to, address: inRoom('/volume') });
const sendVolume = throttle(({ to, address }) => post(address, { to }));
/** Changes the volume by percent, within the limits of the session; answers with the new one. */
export const changeVolume = (by) => post(inRoom('/volume'), { by });
export const setMute = (mute, button) => runAction(button, () => post(inRoom('/volume'), { mute }));
export const volume = () => value(amplifier(), 'volume');
export const isMuted = () => value(amplifier(), 'muted') === true;
/** Keeps the language of the account, for codes by mail and for other devices. */
export const saveLanguage = (language) =>
  post('/account/language', { language }).catch(showFailure);
/** Sends a command to a device. */
export const send = (id, command) => post(path`/devices/${id}/commands`, command);

/** Titles of items as far as the page knows them, for describe(). */
export function titles() {
  const { item, itemTitle } = activity();
  if (item && itemTitle) knownTitles[item] = itemTitle;
  return knownTitles;
}
