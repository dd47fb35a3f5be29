// The bar of the current item: its title, its remaining time, its transport keys and the volume.
import { ariaHidden, h, setChildren, setText } from '../base/dom.js';
import { icon } from '../base/icons.js';
import { albumOf, coverTitle } from '../parts/album.js';
import { cover } from '../parts/cover.js';
import { withPicture } from '../parts/pictures.js';
import * as theater from '../model/store.js';
import { ambient } from '../parts/item-cover.js';
import { withRoom } from '../parts/room-switch.js';
import { placeOf, progressOf } from '../parts/runs.js';
import { volumeControl } from '../parts/volume.js';
import { canSeek, flip, isPaused, jump, jumpName } from '../parts/commands.js';
import { currentCategory, isMusic } from '../model/activities.js';
import { titleOf, tunedFrequencyText } from '../model/words.js';
import { t } from '../base/text.js';
import { timeLeft } from '../base/times.js';

/** Screens that show the current item themselves. */
const WITHOUT_BAR = ['home', 'player'];
/** Screens that color the page themselves. */
const COLORED = ['room', 'radio', 'player'];
/** The jumps of the keys, in seconds. */
const JUMP_BACK = -10;
const JUMP_FORWARD = 30;
/** The share of a film at which its cover shows it. */
const COVER_MOMENT = .67;

export class ItemBar {
  constructor() {
    this.pauseButton = h('button', { class: 'key', onclick: () => flip(this.pauseButton) });
    this.jumpButtons = [jumpButton('back', JUMP_BACK), jumpButton('forward', JUMP_FORWARD)];
    this.title = h('span', 'name');
    this.time = h('span', 'num');
    this.volume = volumeControl();
    this.progress = ariaHidden('div', 'mini-wire', h('i'));
    this.cover = h('i');
    const words = h('span', {}, this.title, h('span', 'sub', this.time));
    const [backButton, forwardButton] = this.jumpButtons;
    this.node = h(
      'section',
      { class: 'mini', 'aria-label': t('frame.plays') },
      this.progress,
      h('a', { class: 'mini-what', href: '/player' }, this.cover, words),
      h('div', 'mini-keys', backButton, this.pauseButton, forwardButton),
      this.volume.node,
    );
  }
  /** @param screen the screen above the bar */
  paint(screen) {
    const now = theater.activity();
    const isIdle = now.status === 'idle';
    const isShown = !!theater.store.status && !isIdle && !WITHOUT_BAR.includes(screen);
    const title = titleOf(now) ?? '';
    this.node.hidden = !isShown;
    document.body.classList.toggle('with-bar', isShown);
    const isPageColored = COLORED.includes(screen);
    if (title && !isIdle && !isPageColored) ambient(title);
    if (isShown) this.paintItem(now, title);
  }
  paintItem(now, title) {
    const play = theater.playback();
    setText(this.title, title);
    const song = currentCategory() === 'songs' ? albumOf(now).song : undefined;
    setText(this.time, withRoom([now.artist, timeText(now, play)].filter(Boolean).join(' · ')));
    this.paintCover(now, coverTitle(song, title));
    const share = play?.duration ? (play.position / play.duration).toFixed(4) : 0;
    this.progress.style.setProperty('--at', share);
    this.paintKeys(play);
    this.volume.paint();
  }
  paintCover(now, title) {
    const item = [title, now.player, now.item].join();
    if (this.coveredItem === item) return;
    this.coveredItem = item;
    const kind = isMusic() ? 'square' : 'still';
    const drawing = cover(title, { kind, moment: COVER_MOMENT });
    // A new cover for each item: the picture of the last one may still be loading.
    const next = withPicture(ariaHidden('span', 'cover square', drawing), now.item);
    this.cover.replaceWith(next);
    this.cover = next;
  }
  paintKeys(play) {
    const paused = isPaused(play);
    if (this.showsPaused !== paused) {
      this.showsPaused = paused;
      setChildren(this.pauseButton, icon(paused ? 'play' : 'pause'));
      this.pauseButton.setAttribute('aria-label', t(paused ? 'do.resume' : 'do.pause'));
    }
    const canPause = !isRadio() && ['playing', 'paused'].includes(play?.state);
    this.pauseButton.hidden = !canPause;
    for (const button of this.jumpButtons) button.hidden = !canPause || !canSeek();
  }
}
const isRadio = () => theater.playerRole() === 'tuner';

function jumpButton(iconName, seconds) {
  const button = h(
    'button',
    {
      class: 'key small-key wide-only',
      'aria-label': jumpName(seconds),
      onclick: () => jump(seconds, button),
    },
    icon(iconName),
    ariaHidden('span', 'by', Math.abs(seconds)),
  );
  return button;
}
/** The remaining time, or what happens instead of playing. */
function timeText(now, play) {
  switch (now.status) {
    case 'failed':
      return placeOf(now.error, theater.run()) || t('is.stopped');
    case 'starting':
      return withStep(t('now.starting'), now);
    case 'ending':
      return withStep(t('now.ending'), now);
    default:
      return playbackText(now, play);
  }
}
/** What happens to an activity, with the step that is in progress. */
function withStep(text, { run }) {
  const step = progressOf(run);
  return step ? `${text} ${step.words}` : text;
}
function playbackText(now, play) {
  if (isRadio()) return play?.title ?? tunedFrequencyText(theater.device(now.player));
  if (isPaused(play)) return t('now.paused');
  if (play?.duration) return timeLeft(Math.max(0, play.duration - play.position));
  return t(play ? 'now.playing' : 'is.on');
}
