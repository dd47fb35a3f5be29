// Media keys and lock-screen controls of the current item.
import { h } from '../base/dom.js';
import { preferences } from '../base/preferences.js';
import { activity, device, isLive, playback, watch } from '../model/store.js';
import { titleOf } from '../model/words.js';
import { albumOf } from './album.js';
import { canSeek, flip, isMuted, isPaused, jump, seekTo, skip } from './commands.js';
import { flipMute, stepVolume } from './volume.js';

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
/** Browsers have no keys for the volume: those for jumps are quieter and louder. */
const VOLUME_ACTIONS = {
  seekbackward: () => stepVolume(-LOCK_SCREEN_STEPS),
  seekforward: () => stepVolume(LOCK_SCREEN_STEPS),
};
/** The keys of a radio, which can neither pause nor jump: it is muted instead. */
const RADIO_ACTIONS = {
  ...VOLUME_ACTIONS,
  play: () => isMuted() && flipMute(),
  pause: () => isMuted() || flipMute(),
};
/** A lock screen does not repeat a key that is held. */
const LOCK_SCREEN_STEPS = 2;
const NAMES = Object.keys(ACTIONS);
const file = (name) => new URL(`../../${name}`, import.meta.url).href;

/** The current playback that the keys control; `undefined` without one. */
function controllable() {
  const current = activity();
  const play = isLive() && current.status === 'running' ? playback() : undefined;
  return ['playing', 'paused'].includes(play?.state) ? play : undefined;
}
/** The album of the song that plays; undefined until it is loaded, and for what is no song. */
const albumName = () => activity().artist ? albumOf(activity()).song?.album : undefined;
function metadata(play) {
  const current = activity();
  const { itemTitle, artist } = current;
  return new MediaMetadata({
    title: play.title ?? titleOf(current) ?? '',
    artist: play.title ? itemTitle : artist ?? '',
    album: albumName() ?? '',
    artwork: [{ src: file('icon-192.png'), sizes: '192x192', type: 'image/png' }],
  });
}
function setAction(session, name, run) {
  try {
    session.setActionHandler(name, run);
  } catch { /* this browser does not know it */ }
}
const isRadio = () => device(activity().player)?.role === 'tuner';
const isSilent = () => isRadio() ? isMuted() : isPaused();
function describe(session, play) {
  session.metadata = play ? metadata(play) : null;
  if (play) session.playbackState = isSilent() ? 'paused' : 'playing';
  else session.playbackState = 'none';
}
/** The keys for what plays, by the player and the choice of this device. */
function actionsOf(play) {
  if (!play) return {};
  if (isRadio()) return RADIO_ACTIONS;
  const own = preferences().keysVolume ? { ...ACTIONS, ...VOLUME_ACTIONS } : ACTIONS;
  const isSupported = ([name, run]) =>
    canSeek() || !name.startsWith('seek') || run === VOLUME_ACTIONS[name];
  return Object.fromEntries(Object.entries(own).filter(isSupported));
}
function setActions(session, play) {
  const actions = actionsOf(play);
  for (const name of NAMES) setAction(session, name, actions[name] ?? null);
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
    const next = JSON.stringify([
      play?.state,
      item,
      itemTitle,
      play?.title,
      play && albumName(),
      canSeek(),
      isSilent(),
      preferences().keysVolume,
    ]);
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
