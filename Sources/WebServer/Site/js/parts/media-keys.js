// Media keys and lock-screen controls of the current item.
import { h } from '../base/dom.js';
import { preferences } from '../base/preferences.js';
import { activity, device, isLive, playback, watch } from '../model/store.js';
import { titleOf } from '../model/words.js';
import { canSeek, flip, isPaused, jump, seekTo, skip } from './commands.js';

const BACK_SECONDS = 10;
const FORWARD_SECONDS = 30;
const ACTIONS = {
  play: () => isPaused() && flip(),
  pause: () => isPaused() || flip(),
  previoustrack: () => skip('previous'),
  nexttrack: () => skip('next'),
  seekbackward: ({ seekOffset }) => jump(-(seekOffset ?? BACK_SECONDS)),
  seekforward: ({ seekOffset }) => jump(seekOffset ?? FORWARD_SECONDS),
  seekto: ({ seekTime }) => seekTo(seekTime),
};
const file = (name) => new URL(`../../${name}`, import.meta.url).href;

/** The current playback that the keys control; `undefined` without one. */
function controllable() {
  const current = activity();
  const play = isLive() && current.status === 'running' ? playback() : undefined;
  return ['playing', 'paused'].includes(play?.state) ? play : undefined;
}
function metadata(play) {
  const current = activity();
  const { itemTitle, artist } = current;
  return new MediaMetadata({
    title: play.title ?? titleOf(current) ?? '',
    artist: play.title ? itemTitle : artist ?? '',
    artwork: [{ src: file('icon-192.png'), sizes: '192x192', type: 'image/png' }],
  });
}
function setAction(session, name, run) {
  try {
    session.setActionHandler(name, run);
  } catch { /* this browser does not know it */ }
}
function describe(session, play) {
  session.metadata = play ? metadata(play) : null;
  if (play) session.playbackState = isPaused(play) ? 'paused' : 'playing';
  else session.playbackState = 'none';
}
/** Sets the keys that the current player knows. A tuner has none. */
function setActions(session, play) {
  const isTuner = device(activity().player)?.role === 'tuner';
  for (const [name, run] of Object.entries(ACTIONS)) {
    const isSupported = !isTuner && (canSeek() || !name.startsWith('seek'));
    setAction(session, name, play && isSupported ? run : null);
  }
}
function setPosition(session, { duration, position, rate }) {
  session.setPositionState({ duration, position, playbackRate: rate || 1 });
}

/** Follows what plays; returns a function that ends this. */
export function followMediaKeys() {
  const session = navigator.mediaSession;
  if (!session) return () => {};
  let shown = '';
  const update = () => {
    const play = controllable();
    playSilence(!!play);
    if (play?.duration) setPosition(session, play);
    const { item, itemTitle } = activity();
    const next = JSON.stringify([!!play, item, itemTitle, play?.state, play?.title, canSeek()]);
    if (next === shown) return;
    shown = next;
    describe(session, play);
    setActions(session, play);
  };
  update();
  const unwatch = watch(update);
  // A browser plays nothing before the first press.
  addEventListener('pointerup', update);
  return () => {
    unwatch();
    removeEventListener('pointerup', update);
    playSilence(false);
  };
}

let silence;
/**
 * Browsers show the keys of a page that plays sound itself: where a person wants them, it plays a
 * silence.
 */
function playSilence(isOn) {
  if (!isOn || !preferences().keys) {
    silence?.remove();
    silence?.pause();
    silence = undefined;
    return;
  }
  if (!silence) {
    silence = h('audio', { src: file('silence.flac'), loop: true, hidden: true });
    document.body.append(silence);
  }
  if (silence.paused) silence.play().catch(() => {});
}
