// The player: picture, position, transport, volume.
import { post } from '../base/api.js';
import { $, ariaHidden, btn, h } from '../base/dom.js';
import { icon } from '../base/icons.js';
import { t } from '../base/text.js';
import { clockTime } from '../base/times.js';
import * as theater from '../model/store.js';
import { currentCategory, currentWords, isMusic } from '../model/activities.js';
import { titleOf } from '../model/words.js';
import { albumList, albumOf, albumText, coverTitle } from '../parts/album.js';
import { toggle } from '../parts/choices.js';
import {
  amplifier,
  canSeek,
  endActivity,
  flip,
  isMuted,
  isPaused,
  jump,
  jumpName,
  seekTo,
  skip,
} from '../parts/commands.js';
import { cover } from '../parts/cover.js';
import { sheet } from '../parts/dialogs.js';
import { ambient } from '../parts/item-cover.js';
import { leftPlayer, withdraw } from '../parts/leave-player.js';
import { withPicture } from '../parts/pictures.js';
import { rebuildIfChanged } from '../parts/rebuild.js';
import { withRoom } from '../parts/room-switch.js';
import { speakers, track } from '../parts/role-controls.js';
import { faultCard, progressOf, remedyButtons } from '../parts/runs.js';
import { seekBar } from '../parts/sliders.js';
import { volumeControl } from '../parts/volume.js';

export const title = () => t('player.title');

/** The position is shown anew this often. */
const POSITION_PERIOD_MS = 500;
const BACK_SECONDS = 10;
const FORWARD_SECONDS = 30;

export function show(main, { go }) {
  withdraw();
  const seek = seekBar({ label: t('player.place'), onseek: (to) => seekTo(to) });
  const volume = volumeControl();
  const album = albumList();
  const parts = { seek, volume, album, go };
  const paint = () => {
    const current = theater.activity();
    const play = theater.playback();
    rebuildIfChanged(main, shownState(current, play), () => build(current, play, parts));
    if (play?.duration) showPosition(main, seek, play);
    volume.paint();
    album.paint(songAlbum(current));
  };
  paint();
  const unwatch = theater.watch(paint, POSITION_PERIOD_MS);
  addEventListener('keydown', press);
  return () => {
    unwatch();
    removeEventListener('keydown', press);
    leftPlayer();
  };
}
/** The album of what plays, if that is a song. */
const songAlbum = (current) =>
  current.status !== 'idle' && currentCategory() === 'songs' ? albumOf(current) : {};
/** What of an album is shown, for a comparison. */
const albumKey = ({ song, songs }) => [song?.id, songs?.length];
/** All that makes the screen look different, apart from the position and the volume. */
function shownState(current, play) {
  return JSON.stringify([
    current.status,
    current.item,
    current.itemTitle,
    current.player,
    theater.room()?.name,
    albumKey(songAlbum(current)),
    play?.state,
    canSeek(),
    !!play?.duration,
    play?.title,
    ['starting', 'ending', 'failed'].includes(current.status) ? progressOf(current.run) : 0,
    theater.run()?.status,
    !!theater.store.status,
  ]);
}
function showPosition(main, seek, play) {
  seek.set(play.position, play.duration);
  const ends = main.querySelector('.ends');
  if (ends) ends.textContent = endWords(play);
}
/** When the item ends, if it plays on. */
function endWords({ state, duration, position }) {
  if (state === 'paused') return t('said.paused');
  if (!theater.isLive()) return '';
  return t('player.ends', { time: clockTime(Date.now() + (duration - position) * 1000) });
}

// The keys of every player press a button of the screen, when nothing else has the focus.
const KEYS = {
  ' ': 'main',
  k: 'main',
  ArrowLeft: 'back',
  ArrowRight: 'forward',
  j: 'back',
  l: 'forward',
};
const FOCUSABLE = 'input, button, a, dialog, textarea, select';
function press(event) {
  const hasModifier = event.ctrlKey || event.metaKey || event.altKey;
  if (hasModifier || event.target.closest?.(FOCUSABLE)) return;
  const button = $(`#main [data-focus=${KEYS[event.key]}]:enabled`);
  if (!button) return;
  event.preventDefault();
  button.click();
}

function build(current, play, parts) {
  if (current.status === 'idle') return emptyPlayer();
  const role = theater.playerRole();
  const category = currentCategory();
  const isFilm = category === 'films';
  const isOfDisc = isFilm || category === 'songs';
  const name = titleOf(current) ?? '';
  const album = songAlbum(current);
  const art = coverTitle(album.song, name);
  ambient(art);
  const fault = () => faultCard(current.error, theater.run(), remedyButtons(current, parts.go));
  return [
    topLine(current),
    h(
      'div',
      'player-grid',
      picture(art, current, play),
      h(
        'div',
        'player-words',
        h('h1', 'title-1', name),
        h('p', 'player-album-text', albumText(album, current)),
        secondLine(current, play),
      ),
      current.status === 'failed' ? fault() : null,
      play?.duration ? h('div', 'player-seek', seekNode(parts.seek, isFilm)) : null,
      isOfDisc ? transport(play, isFilm) : null,
      h('div', 'player-volume', parts.volume.node),
      actions(role, parts.go),
      parts.album.node,
    ),
  ];
}
function emptyPlayer() {
  const links = [
    { list: 'films', href: '/library', text: 'kind.film' },
    { list: 'music', href: '/library?kind=music', text: 'kind.music' },
    { list: 'stations', href: '/radio', text: 'radio.title' },
  ];
  const allowed = links.filter(({ list }) => theater.mayChoose(list));
  const buttons = allowed.map(({ href, text }, index) =>
    h('a', { class: index === 0 ? 'btn primary' : 'btn', href }, t(text))
  );
  return h(
    'div',
    'empty',
    icon('film'),
    h('h1', 'title-2', t(theater.store.status ? 'now.nothing' : 'now.unknown')),
    h('p', {}, theater.store.status ? t('player.nothing') : ''),
    h('div', 'hero-keys', buttons),
  );
}
function topLine({ status }) {
  const state = {
    running: currentWords(),
    failed: 'said.stopped',
    starting: 'said.starting',
    ending: 'said.ending',
  }[status];
  const close = { class: 'btn icon quiet', href: '/', 'aria-label': t('player.close') };
  return h('div', 'player-top', h('a', close, icon('down')), h('p', 'small', withRoom(t(state))));
}
function picture(name, { item }, play) {
  const isSquare = isMusic();
  const drawing = cover(name, {
    kind: isSquare ? 'square' : 'still',
    moment: play?.duration ? play.position / play.duration : 0,
  });
  const look = `${isSquare ? ' square' : ''}${isPaused(play) ? ' paused' : ''}`;
  return h(
    'div',
    `player-art${look}`,
    ariaHidden('span', 'spill'),
    withPicture(ariaHidden('span', 'screen-frame', drawing), item),
  );
}
/** The step that runs, what the player says of itself, or when the item ends. */
function secondLine({ status, run }, play) {
  const step = ['starting', 'ending'].includes(status) ? progressOf(run) : undefined;
  if (step) return h('p', 'soft', t('step.now', step));
  const end = play?.duration ? endWords(play) : '';
  return h('p', 'soft ends num', play?.title ?? end);
}
function seekNode(seek, isFilm) {
  seek.input.setAttribute('aria-label', t(isFilm ? 'player.inFilm' : 'player.inSong'));
  seek.input.disabled = !canSeek();
  return seek.node;
}
/** A round button of the transport. */
function transportKey({ label, picture, name = picture, isDisabled, run, kind = '', text }) {
  const button = h(
    'button',
    {
      class: `key ${kind}`,
      'aria-label': label,
      disabled: isDisabled,
      data: { focus: name },
      onclick: () => run(button),
    },
    icon(picture),
    text ? ariaHidden('span', 'by', text) : null,
  );
  return button;
}
function transport(play, isFilm) {
  const isDisabled = !['playing', 'paused'].includes(play?.state);
  const wasPaused = isPaused(play);
  const skipKey = (direction, label) =>
    transportKey({
      label: t(label),
      picture: direction,
      isDisabled,
      run: (button) => skip(direction, button),
    });
  const seekKey = (picture, seconds) =>
    transportKey({
      label: jumpName(seconds),
      picture,
      isDisabled: isDisabled || !canSeek(),
      run: (button) => jump(seconds, button),
      text: Math.abs(seconds),
    });
  const mainKey = transportKey({
    label: t(wasPaused ? 'do.resume' : 'do.pause'),
    picture: wasPaused ? 'play' : 'pause',
    name: 'main',
    isDisabled,
    run: flip,
    kind: 'main',
  });
  return h(
    'div',
    { class: 'transport', role: 'group', 'aria-label': t('player.playback') },
    skipKey('previous', isFilm ? 'player.chapterBefore' : 'player.songBefore'),
    seekKey('back', -BACK_SECONDS),
    mainKey,
    seekKey('forward', FORWARD_SECONDS),
    skipKey('next', isFilm ? 'player.nextChapter' : 'player.nextSong'),
  );
}
function actions(role, go) {
  const action = (name, picture, run) =>
    btn('quiet stack', run, icon(picture), h('span', {}, name));
  const canChangeSound = theater.mayOperate() && amplifier();
  return h(
    'div',
    'player-actions',
    canChangeSound ? action(t('state.mode'), 'sound', () => openSound(role)) : null,
    action(t('room.title'), 'room', () => go('/room')),
    role === 'tuner' ? action(t('player.dial'), 'radio', () => go('/radio')) : null,
    action(t('do.end'), 'stop', endActivity),
  );
}
function openSound(role) {
  const player = theater.device(theater.activity().player);
  const setMuted = (mute) => post(theater.inRoom('/volume'), { mute });
  const content = h(
    'div',
    'controls',
    speakers(t('player.speakers'), amplifier()),
    role === 'dvdPlayer' ? track(t('player.track'), player) : null,
    toggle(t('state.muted'), isMuted(), setMuted),
  );
  sheet(t('state.mode'), content);
}
