// The player: picture, position, transport, volume.
import { $, ariaHidden, btn, h } from '../base/dom.js';
import { icon } from '../base/icons.js';
import { cover } from '../parts/cover.js';
import { withPicture } from '../parts/pictures.js';
import * as theater from '../model/store.js';
import { toggle } from '../parts/choices.js';
import { sheet } from '../parts/dialogs.js';
import { ambient } from '../parts/item-cover.js';
import { rebuildIfChanged } from '../parts/rebuild.js';
import { seekBar, slider } from '../parts/sliders.js';
import { post } from '../base/api.js';
import { speakers, track } from '../parts/controls.js';
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
  setMute,
  setVolume,
  skip,
  volume,
} from '../parts/commands.js';
import { titleOf } from '../model/words.js';
import { faultCard, progressOf, remedyButtons } from '../parts/runs.js';
import { clockTime, t } from '../base/text.js';
import { leftPlayer, withdraw } from '../parts/leave-player.js';

export const title = () => t('player.title');

export function show(main, { go }) {
  withdraw();
  const seek = seekBar({ label: t('player.place'), onseek: (to) => seekTo(to) });
  const level = slider({ label: t('state.volume'), value: volume() ?? 0, onchange: setVolume });
  const parts = { seek, level, go };
  const paint = () => {
    const now = theater.activity(), play = theater.playback();
    const key = [
      now.status,
      now.item,
      now.itemTitle,
      now.player,
      play?.state,
      isMuted(),
      canSeek(),
      !!amplifier(),
      !!play?.duration,
      play?.title,
      ['starting', 'ending', 'failed'].includes(now.status) ? progressOf(now.run) : 0,
      theater.run()?.status,
    ];
    rebuildIfChanged(main, JSON.stringify(key), () => build(now, play, parts));
    if (play?.duration) seek.set(play.position, play.duration);
    if (volume() !== undefined) {
      level.set(volume());
      for (const out of main.querySelectorAll('.level-out')) out.textContent = `${volume()} %`;
    }
    const ends = main.querySelector('.ends');
    if (ends && play?.duration) ends.textContent = endWords(play);
  };
  paint();
  const unwatch = theater.watch(paint, 500);
  addEventListener('keydown', press);
  return () => {
    unwatch();
    removeEventListener('keydown', press);
    leftPlayer();
  };
}
function endWords(play) {
  if (play.state === 'paused') return t('said.paused');
  return t('player.ends', { time: clockTime(Date.now() + (play.duration - play.position) * 1000) });
}
// Space, arrows, M as in every player, when nothing else has the focus: each presses a button of the screen.
const KEYS = {
  ' ': 'main',
  k: 'main',
  ArrowLeft: 'back',
  ArrowRight: 'forward',
  j: 'back',
  l: 'forward',
  m: 'mute',
};
function press(event) {
  if (
    event.target.closest?.('input, button, a, dialog, textarea, select') || event.ctrlKey ||
    event.metaKey || event.altKey
  ) return;
  const button = $(`#main [data-focus=${KEYS[event.key]}]:enabled`);
  if (button) {
    event.preventDefault();
    button.click();
  }
}

function build(now, play, parts) {
  if (now.status === 'idle') return nothing();
  const kind = theater.playerRole(), isFilm = kind === 'dvdPlayer', name = titleOf(now) ?? '';
  const art = h(
    'div',
    `player-art${isFilm ? '' : ' square'}${isPaused(play) ? ' paused' : ''}`,
    ariaHidden('span', 'spill'),
    withPicture(
      ariaHidden(
        'span',
        'screen-frame',
        cover(name, {
          kind: isFilm ? 'still' : 'square',
          moment: play?.duration ? play.position / play.duration : 0,
        }),
      ),
      now.item,
    ),
  );
  ambient(name);
  const state = t(
    {
      running: isFilm ? 'now.watching' : 'now.listening',
      failed: 'said.stopped',
      starting: 'said.starting',
      ending: 'said.ending',
    }[now.status],
  );
  const step = ['starting', 'ending'].includes(now.status) ? progressOf(now.run) : undefined;
  const second = step
    ? h('p', 'soft', t('step.now', step))
    : h('p', 'soft ends num', play?.title ?? (play?.duration ? endWords(play) : ''));
  return [
    h(
      'div',
      'player-top',
      h('a', { class: 'btn icon quiet', href: '/', 'aria-label': t('player.close') }, icon('down')),
      h('p', 'small', state),
    ),
    h(
      'div',
      'player-grid',
      art,
      h('div', 'player-words', h('h1', 'title-1', name), second),
      now.status === 'failed'
        ? faultCard(now.error, theater.run(), remedyButtons(now, parts.go))
        : null,
      play?.duration ? h('div', 'player-seek', seekNode(parts.seek, isFilm)) : null,
      kind === 'tuner' ? null : transport(play, isFilm),
      loudness(parts),
      actions(now, kind, parts.go),
    ),
  ];
}
const nothing = () =>
  h(
    'div',
    'empty',
    icon('film'),
    h('h1', 'title-2', t('now.nothing')),
    h('p', {}, t('player.nothing')),
    h(
      'div',
      'hero-keys',
      [['films', '/library', 'kind.film'], ['music', '/library?kind=music', 'kind.music'], [
        'stations',
        '/radio',
        'radio.title',
      ]].filter(([list]) => theater.mayChoose(list)).map(([, href, text], i) =>
        h('a', { class: `btn${i ? '' : ' primary'}`, href }, t(text))
      ),
    ),
  );
function seekNode(seek, isFilm) {
  seek.input.setAttribute('aria-label', t(isFilm ? 'player.inFilm' : 'player.inSong'));
  seek.input.disabled = !canSeek();
  return seek.node;
}
function transport(play, isFilm) {
  const can = ['playing', 'paused'].includes(play?.state), paused = isPaused(play);
  const key = (label, picture, run, { by, kind = '', off } = {}) => {
      const node = h(
        'button',
        {
          class: `key ${kind}`,
          'aria-label': label,
          disabled: !can || off,
          data: { focus: picture === 'pause' || picture === 'play' ? 'main' : picture },
          onclick: () => run(node),
        },
        icon(picture),
        by ? ariaHidden('span', 'by', by) : null,
      );
      return node;
    },
    seekKey = (picture, by) =>
      key(jumpName(by), picture, (node) => jump(by, node), { by: Math.abs(by), off: !canSeek() });
  return h(
    'div',
    { class: 'transport', role: 'group', 'aria-label': t('player.playback') },
    key(
      t(isFilm ? 'player.chapterBefore' : 'player.songBefore'),
      'previous',
      (node) => skip('previous', node),
    ),
    seekKey('back', -10),
    key(t(paused ? 'do.resume' : 'do.pause'), paused ? 'play' : 'pause', flip, { kind: 'main' }),
    seekKey('forward', 30),
    key(t(isFilm ? 'player.nextChapter' : 'player.nextSong'), 'next', (node) => skip('next', node)),
  );
}
function loudness({ level }) {
  if (!amplifier()) return null;
  const muted = isMuted(),
    mute = h('button', {
      class: 'btn icon quiet',
      'aria-pressed': muted,
      'aria-label': t('state.muted'),
      data: { focus: 'mute' },
      onclick: () => setMute(!muted, mute),
    }, icon(muted ? 'mute' : 'volume'));
  return h(
    'div',
    'player-volume',
    h('div', 'vol-line', mute, level.input, ariaHidden('span', 'num small level-out')),
  );
}
function actions(now, kind, go) {
  const action = (name, picture, run) =>
    btn('quiet stack', run, icon(picture), h('span', {}, name));
  return h(
    'div',
    'player-actions',
    theater.mayOperate() && amplifier()
      ? action(t('state.mode'), 'sound', () => sound(kind))
      : null,
    action(t('room.title'), 'room', () => go('/room')),
    kind === 'tuner' ? action(t('player.dial'), 'radio', () => go('/radio')) : null,
    action(t('do.end'), 'stop', endActivity),
  );
}
function sound(kind) {
  const amp = amplifier();
  sheet(
    t('state.mode'),
    h(
      'div',
      'controls',
      speakers(t('player.speakers'), amp),
      kind === 'dvdPlayer'
        ? track(t('player.track'), theater.device(theater.activity().player))
        : null,
      toggle(t('state.muted'), isMuted(), (mute) => post('/volume', { mute })),
    ),
  );
}
