// Transport commands of the current player, shared by all screens.
import { path, post } from '../base/api.js';
import { announce, clamp, clockText, timeLeft } from '../base/dom.js';
import { activity, device, devices, knownTitles, playback, withRole } from '../model/store.js';
import { value } from '../model/words.js';
import { runAction } from './actions.js';
import { showFailure } from './failures.js';
import { throttle } from './throttle.js';
import { t, unit } from '../base/text.js';

export const isPaused = (now = playback()) => now?.state === 'paused';
export const amplifier = () => withRole('amplifier');
/** Whether the current player can go to a position. */
export const canSeek = () => device(activity().player)?.capabilities.includes('seek') ?? false;

export async function flip(button) {
  const paused = isPaused();
  if (await runAction(button, () => post(paused ? '/resume' : '/pause'))) {
    announce(t(paused ? 'said.playing' : 'said.paused'));
  }
}
export async function seekTo(position, button) {
  const to = clamp(position, 0, lastPlace());
  if (await runAction(button, () => post('/seek', { to }))) announceAt(to);
}
/** "Back 10 seconds". */
export const jumpName = (by) =>
  t(by < 0 ? 'player.back' : 'player.forward', { time: unit(Math.abs(by), 'second', true) });
let owed = 0, jumping = false;
/** Seeks by seconds. Presses during a request add up, and follow it together. */
export async function jump(by, button) {
  owed += by;
  if (jumping) return;
  jumping = true;
  for (let now; owed && (now = playback());) {
    const wanted = now.position + owed,
      to = clamp(wanted, 0, lastPlace()),
      body = to === wanted ? { by: owed } : { to };
    owed = 0;
    if (await runAction(button, () => post('/seek', body))) announceAt(to);
    else break;
  }
  owed = 0;
  jumping = false;
}
/** Players refuse a position at or behind the end. */
const lastPlace = () => Math.max(0, (playback()?.duration ?? Infinity) - 1);
function announceAt(position) {
  const { duration } = playback() ?? {};
  announce(
    [clockText(position), duration ? timeLeft(Math.max(0, duration - position)) : null].filter(
      Boolean,
    )
      .join(', '),
  );
}
export const skip = (direction, button) => runAction(button, () => post(`/${direction}`));
export const endActivity = (button) => runAction(button, () => post('/end'));
export const setVolume = throttle((to) => post('/volume', { to }));
export const setMute = (mute, button) => runAction(button, () => post('/volume', { mute }));
export const volume = () => value(amplifier(), 'volume');
export const isMuted = () => value(amplifier(), 'muted') === true;
/** Keeps the language of the account, for codes by mail and for other devices. */
export const saveLanguage = (language) =>
  post('/account/language', { language }).catch(showFailure);
export const send = (id, command) => post(path`/devices/${id}/commands`, command);
/** Titles of items as far as the page knows them, for describe(). */
export function titles() {
  const { item, itemTitle } = activity();
  if (item && itemTitle) knownTitles[item] = itemTitle;
  return knownTitles;
}
