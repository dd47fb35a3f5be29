// The room screen: the drawing, the current activity, the controls of a pressed device.
import {
  $,
  ariaHidden,
  btn,
  h,
  isMotionReduced as motionless,
  setText,
  timeLeft,
} from '../base/dom.js';
import { icon } from '../base/icons.js';
import { createRoom } from '../room/living-room.js';
import * as theater from '../model/store.js';
import { isChanging, levels, meter, roomStatus, shownAt } from '../room/room-status.js';
import { ambient } from '../parts/parts.js';
import { describe, nameOf, titleOf, value } from '../model/words.js';
import { progressOf, retry } from '../parts/runs.js';
import { deviceSheet } from '../parts/controls.js';
import { preferences } from '../base/preferences.js';
import { capitalized, clockTime, t } from '../base/text.js';

export const title = () => t('room.title');
const REST_AFTER = 25_000;
/** An open sheet is closed when it was left alone for so many times `REST_AFTER`. */
const SHEET_WAITS = 4;

export async function show(main, { go }) {
  const full = h('div', 'room-full'), name = h('h1', 'title-3'), second = h('p', 'small');
  const names = h('button', {
    class: 'btn icon glass',
    'aria-pressed': 'false',
    'aria-label': t('room.names'),
  }, icon('info'));
  const time = h('span', 'num'), rest = h('span', 'num');
  main.append(
    full,
    h('header', 'room-head', h('div', {}, name, second), names),
    ariaHidden('p', 'rest-clock', time, rest),
  );
  const room = await createRoom(full, {
    open: (slot) => deviceSheet(shownAt(slot).id),
    card: failureCard,
    overflow: (count) => ({
      title: t('room.many', { count }),
      hint: t('room.see'),
      button: theater.mayOperate() ? btn('', () => go('/devices'), t('devices.title')) : undefined,
    }),
  });

  // Once: a new color restyles the room, which covers nearly all that has it.
  ambient(titleOf(theater.activity()) ?? 'Lantern Street');
  const measured = meter((pair) => room.levels(pair));
  let soon;
  const paint = () => {
    clearTimeout(soon);
    if (!theater.store.status) return;
    const play = theater.playback(), now = theater.activity();
    soon = setTimeout(paint, untilNext(play));
    room.render(roomStatus());
    setText(
      name,
      now.status === 'idle'
        ? (isPopping() ? t('device.popcornPopper') : t('now.nothing'))
        : titleOf(now) ?? '',
    );
    setText(second, headline(now, play));
    setText(time, clockTime(Date.now()));
    setText(rest, play?.duration ? timeLeft(play.duration - play.position) : '');
    if (!motionless()) measured.update();
    const pair = levels();
    if (pair) room.levels(pair);
  };
  paint();
  const unwatch = theater.watch(paint);
  names.addEventListener('click', () => {
    const on = names.getAttribute('aria-pressed') !== 'true';
    names.setAttribute('aria-pressed', on);
    room.names(on);
  });
  const still = restAfterAWhile(), awake = keepAwake();
  const keys = (event) => {
    if (event.key === 'n' && !event.target.closest('input, textarea, dialog')) names.click();
  };
  addEventListener('keydown', keys);
  document.addEventListener('visibilitychange', paint);
  return () => {
    unwatch();
    measured.end();
    document.removeEventListener('visibilitychange', paint);
    clearTimeout(soon);
    room.end();
    still();
    awake();
    removeEventListener('keydown', keys);
  };
}
/** Milliseconds until the picture changes without an event: a movement, the second of a film, the minute of the clock. */
function untilNext(play) {
  if (isChanging() && !motionless()) return 80;
  if (play?.state === 'playing' || isChanging()) {
    return 1000 - (play?.position ?? 0) % 1 * 1000 + 20;
  }
  return 60_000 - Date.now() % 60_000 + 20;
}
/** The card of a device that failed: what happened, and what mends it. */
function failureCard({ id: slot, error, ...drawn }) {
  const now = theater.activity(), device = shownAt(slot);
  if (!error) {
    return {
      title: `${nameOf(device, theater.devices())}: ${describe(drawn)}`,
      hint: t('room.see'),
      button: btn('', () => deviceSheet(device.id), t('room.fix')),
    };
  }
  return {
    title: error.message,
    hint: error.hint ?? t('room.see'),
    button: now.activity ? btn('', (node) => retry(now, node), t('do.retry')) : undefined,
  };
}
const isPopping = () => value(theater.withRole('popcornPopper'), 'popping') === 'popping';
function headline(now, play) {
  const lights = theater.withRole('lights'),
    words = lights ? t('room.lights', { state: describe(lights) }) : '';
  if (now.status === 'failed') return t('said.stopped');
  if (now.status === 'starting' || now.status === 'ending') {
    const step = progressOf(now.run);
    return step
      ? t('step.now', step)
      : t(now.status === 'starting' ? 'said.starting' : 'said.ending');
  }
  if (play?.state === 'paused') return [t('said.paused'), words].filter(Boolean).join(' · ');
  if (now.status === 'running' && play?.duration) {
    return [timeLeft(Math.max(0, play.duration - play.position)), words].filter(Boolean).join(
      ' · ',
    );
  }
  return words ? capitalized(words) : '';
}

/** On the wall: after a while without a touch only the room is left, dimmed unless the settings forbid it. */
function restAfterAWhile() {
  let timer, waits = 0;
  const body = document.body.classList;
  const wait = () => {
    clearTimeout(timer);
    timer = setTimeout(rest, REST_AFTER);
  };
  const rest = () => {
    const box = $('dialog[open]');
    if (box && (waits += 1) < SHEET_WAITS) {
      wait();
      return;
    }
    box?.close();
    clearTimeout(timer);
    body.add('resting');
    body.toggle('dimmed', preferences().dim ?? true);
  };
  const swallow = (event) => {
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  // The touch or key that wakes the page presses nothing.
  let isWaking = false;
  const click = (event) => {
    if (isWaking) swallow(event);
    isWaking = false;
  };
  const wake = (event) => {
    const isResting = body.contains('resting');
    // A sheet that is closed gives the focus back, which is no touch.
    if (event?.type === 'focusin' && isResting) return;
    if (event?.type === 'keydown' && event.key !== 'Tab' && isResting) swallow(event);
    if (['pointerdown', 'keydown'].includes(event?.type)) {
      isWaking = isResting && event.type === 'pointerdown';
    }
    waits = 0;
    body.remove('resting', 'dimmed');
    wait();
  };
  const signs = ['pointerdown', 'pointermove', 'keydown', 'focusin'];
  for (const sign of signs) addEventListener(sign, wake, true);
  addEventListener('click', click, true);
  wake();
  return () => {
    clearTimeout(timer);
    body.remove('resting', 'dimmed');
    for (const sign of signs) removeEventListener(sign, wake, true);
    removeEventListener('click', click, true);
  };
}
/** Asks the device not to switch its screen off while the room is shown, unless the settings forbid it. */
function keepAwake() {
  let lock, asking = false, over = false;
  const ask = async () => {
    if (
      over || asking || document.hidden || !navigator.wakeLock || preferences().awake === false ||
      lock?.released === false
    ) return;
    asking = true;
    try {
      lock = await navigator.wakeLock.request('screen');
      // It may be granted after the room was left.
      if (over) lock.release();
    } catch {
      /* the battery is low, or it is not allowed */
    } finally {
      asking = false;
    }
  };
  ask();
  document.addEventListener('visibilitychange', ask);
  return () => {
    over = true;
    document.removeEventListener('visibilitychange', ask);
    lock?.release();
  };
}
