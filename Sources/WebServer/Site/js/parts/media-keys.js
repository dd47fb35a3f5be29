// Media keys and lock-screen controls of the current item.
import { h } from '../base/dom.js';
import { activity, device, knownArtists, playback, watch } from '../model/store.js';
import { canSeek, flip, isPaused, jump, seekTo, skip } from './commands.js';
import { preferences } from '../base/preferences.js';

const KEYS = {
  play: () => isPaused() && flip(),
  pause: () => isPaused() || flip(),
  previoustrack: () => skip('previous'),
  nexttrack: () => skip('next'),
  seekbackward: ({ seekOffset }) => jump(-(seekOffset ?? 10)),
  seekforward: ({ seekOffset }) => jump(seekOffset ?? 30),
  seekto: ({ seekTime }) => seekTo(seekTime),
};
const file = (name) => new URL(`../../${name}`, import.meta.url).href;
let sound;

/** Follows what plays; returns how to end that. */
export function followMediaKeys() {
  const session = navigator.mediaSession;
  if (!session) return () => {};
  let told = '';
  const set = (name, run) => {
    try {
      session.setActionHandler(name, run);
    } catch { /* this browser does not know it */ }
  };
  const paint = () => {
    const now = activity(),
      play = now.status === 'running' ? playback() : undefined,
      owner = device(now.player);
    const isOn = !!play && ['playing', 'paused'].includes(play.state),
      isRadio = owner?.role === 'tuner',
      key = JSON.stringify([isOn, now.item, now.itemTitle, play?.state, play?.title, canSeek()]);
    listen(isOn);
    if (isOn && play.duration) {
      session.setPositionState({
        duration: play.duration,
        position: play.position,
        playbackRate: play.rate || 1,
      });
    }
    if (key === told) return;
    told = key;
    session.playbackState = !isOn ? 'none' : isPaused(play) ? 'paused' : 'playing';
    session.metadata = isOn
      ? new MediaMetadata({
        title: play.title ?? now.itemTitle ?? now.title ?? '',
        artist: play.title ? now.itemTitle : knownArtists[now.item] ?? '',
        artwork: [{ src: file('icon-192.png'), sizes: '192x192', type: 'image/png' }],
      })
      : null;
    for (const [name, run] of Object.entries(KEYS)) {
      set(name, isOn && !isRadio && (canSeek() || !name.startsWith('seek')) ? run : null);
    }
  };
  paint();
  const unwatch = watch(paint);
  // A browser plays nothing before the first press.
  addEventListener('pointerup', paint);
  return () => {
    unwatch();
    removeEventListener('pointerup', paint);
    listen(false);
  };
}
/** Browsers show the keys of a page that plays sound itself: where a person wants them, it plays a silence. */
function listen(isOn) {
  if (!isOn || !preferences().keys) {
    sound?.remove();
    sound?.pause();
    sound = undefined;
    return;
  }
  if (!sound) {
    document.body.append(
      sound = h('audio', { src: file('silence.flac'), loop: true, hidden: true }),
    );
  }
  if (sound.paused) sound.play().catch(() => {});
}
