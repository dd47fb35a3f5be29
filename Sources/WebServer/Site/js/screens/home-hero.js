// The top of Home: the current activity with its controls, or an item to go on with.
import { ariaHidden, btn, h } from '../base/dom.js';
import { icon } from '../base/icons.js';
import { cover } from '../parts/cover.js';
import { withPicture } from '../parts/pictures.js';
import * as theater from '../model/store.js';
import { currentWords } from '../model/activities.js';
import { titleOf } from '../model/words.js';
import { rebuildIfChanged } from '../parts/rebuild.js';
import { seekBar } from '../parts/sliders.js';
import { volumeControl } from '../parts/volume.js';
import { canSeek, endActivity, flip, isPaused, seekTo } from '../parts/commands.js';
import { remainingTime, startButtons } from '../parts/resume.js';
import { faultCard, progressOf, remedyButtons } from '../parts/runs.js';
import { t } from '../base/text.js';
import { clockText } from '../base/times.js';

const STATUSES_WITH_RUN = ['starting', 'ending', 'failed'];
/** Seconds; an item that was resumed later than that has a way back to its start. */
const NEAR_START = 5;
/** The title of the picture when nothing plays and nothing was stopped. */
const DEFAULT_TITLE = 'Lantern Street';
/** What a person may choose when nothing plays: its list, text, icon and screen. */
const CHOICES = [
  ['films', 'home.choose', 'film', '/library'],
  ['music', 'kind.music', 'music', '/library?kind=music'],
  ['stations', 'radio.title', 'radio', '/radio'],
];
const MOST_CHOICES = 2;

/** Returns its `node`; `paint(stopped)` shows the state, with the item that was stopped last. */
export function homeHero(go) {
  const node = h('section', { class: 'hero', 'aria-labelledby': 'hero' });
  const seek = seekBar({ label: t('player.place'), onseek: seekTo });
  const volume = volumeControl();
  return {
    node,
    paint(stopped) {
      const view = currentView(stopped);
      rebuildIfChanged(node, keyOf(view), () => {
        node.dataset.status = view.now.status;
        return [picture(view), h('div', 'hero-words', content(view, { seek, volume, go }))];
      });
      volume.paint();
    },
    movePosition() {
      const play = theater.playback();
      if (play?.duration) seek.set(play.position, play.duration);
    },
  };
}
function currentView(stopped) {
  const now = theater.activity();
  const isIdle = now.status === 'idle';
  const hasRun = STATUSES_WITH_RUN.includes(now.status);
  return {
    now,
    isIdle,
    play: theater.playback(),
    step: hasRun ? progressOf(now.run) : undefined,
    stopped: isIdle ? stopped : undefined,
    title: isIdle ? stopped?.title ?? DEFAULT_TITLE : titleOf(now) ?? '',
  };
}
/** A text that differs when the hero looks different. */
const keyOf = ({ now, play, step, stopped }) =>
  JSON.stringify([
    theater.room()?.name,
    theater.store.activities.length,
    allowedChoices().map(([list]) => list),
    now.status,
    now.activity,
    now.item,
    now.itemTitle,
    now.error,
    theater.run()?.status,
    now.resumedAt,
    play?.state,
    step,
    canSeek(),
    !!play?.duration,
    play?.title,
    stopped,
    !!theater.store.status,
  ]);
function picture({ now, play, isIdle, stopped, title }) {
  const moment = play?.duration ? play.position / play.duration : 0;
  const art = ariaHidden('div', 'hero-art', cover(title, { kind: 'still', moment }));
  return withPicture(art, isIdle ? stopped?.id : now.item);
}
function content(view, { seek, volume, go }) {
  switch (view.now.status) {
    case 'idle':
      return idleContent(view, go);
    case 'failed':
      return failedContent(view, volume, go);
    case 'starting':
    case 'ending':
      return movingContent(view, volume);
    default:
      return runningContent(view, seek, volume);
  }
}
const headlines = (small, name) => [
  h('p', 'small', small),
  h('h1', { class: 'title-1', id: 'hero', title: name }, name),
];

function idleContent({ now, stopped }, go) {
  const openPlayer = () => {
    if (stopped.category === 'films') go('/player');
  };
  return [
    now.error ? faultCard(now.error, undefined, []) : null,
    theater.store.status
      ? headlines(t('home.ready'), stopped?.title ?? t('now.nothing'))
      : headlines('', t('now.unknown')),
    stopped ? h('p', 'soft', remainingTime(stopped)) : null,
    h('div', 'hero-keys', stopped ? startButtons(stopped, '', openPlayer) : choiceButtons(go)),
  ];
}
/** What the session may choose from in the shown room. */
const allowedChoices = () =>
  CHOICES.filter(([list]) => theater.mayChoose(list, theater.room())).slice(0, MOST_CHOICES);
const choiceButtons = (go) =>
  allowedChoices().map(([, text, iconName, address], index) =>
    heroButton(t(text), iconName, () => go(address), { kind: index === 0 ? 'primary' : '' })
  );
const failedContent = ({ now, title }, volume, go) => [
  headlines(t('said.stopped'), title),
  faultCard(now.error, theater.run(), remedyButtons(now, go)),
  volume.node,
];
function movingContent({ now, title, step }, volume) {
  const isStarting = now.status === 'starting';
  return [
    headlines(t(isStarting ? 'said.starting' : 'said.ending'), title),
    h('p', 'soft', step ? t('step.now', step) : t('form.moment')),
    h('div', 'hero-keys', isStarting ? endButton(t('do.cancel')) : null),
    volume.node,
  ];
}
function runningContent({ now, play, title }, seek, volume) {
  const wasResumed = now.resumedAt > NEAR_START && play?.state === 'playing';
  seek.input.disabled = !canSeek();
  return [
    headlines(t(currentWords()), title),
    play?.title || now.artist ? h('p', 'soft', play?.title ?? now.artist) : null,
    play?.duration ? h('div', 'hero-seek', seek.node) : null,
    wasResumed ? resumedNote(now.resumedAt) : null,
    runningKeys(play),
    volume.node,
  ];
}
function resumedNote(position) {
  const toStart = btn('link', (node) => seekTo(0, node), t('library.start'));
  return h('p', 'small', t('home.wentOn', { time: clockText(position) }), ' ', toStart);
}
function runningKeys(play) {
  const isRadio = theater.playerRole() === 'tuner';
  const canPause = !isRadio && ['playing', 'paused'].includes(play?.state);
  const playerLink = isRadio
    ? h('a', { class: 'btn big', href: '/radio' }, t('player.dial'))
    : h('a', { class: 'btn big', href: '/player' }, t('player.title'));
  return h(
    'div',
    'hero-keys',
    canPause ? pauseButton(isPaused(play)) : null,
    playerLink,
    endButton(t('do.end')),
  );
}
const pauseButton = (paused) =>
  heroButton(t(paused ? 'do.resume' : 'do.pause'), paused ? 'play' : 'pause', flip, {
    kind: 'primary',
    focus: 'flip',
  });
const endButton = (text) => heroButton(text, 'stop', endActivity, { kind: 'quiet' });

/** @param focus the name under which a rebuilt button gets the focus again */
function heroButton(text, iconName, run, { kind, focus }) {
  const button = btn(`big ${kind}`, run, icon(iconName), text);
  if (focus) button.dataset.focus = focus;
  return button;
}
