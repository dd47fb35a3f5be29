// The page of the room: the drawing, what is on, and the controls of the device that was pressed.
import { h, $, left, still as motionless, unheard, write } from './dom.js';
import { icon } from './icons.js';
import { createRoom } from './living-room.js';
import * as theater from './store.js';
import { roomStatus, shownAt, levels, meter, isChanging } from './room-status.js';
import { ambient } from './parts.js';
import { describe, value, titleOf } from './words.js';
import { progressOf } from './runs.js';
import { deviceSheet } from './controls.js';
import { t, capitalized, clockTime } from './text.js';

export const title = t('room.title');
const REST_AFTER = 25_000;

export async function show(main) {
  const full = h('div', 'room-full'), name = h('h1', 'title-3'), second = h('p', 'small');
  const names = h('button', { class: 'btn icon glass', 'aria-pressed': 'false', 'aria-label': t('room.names') }, icon('info'));
  const time = h('span', 'num'), rest = h('span', 'num');
  main.append(full, h('header', 'room-head', h('div', {}, name, second), names), unheard('p', 'rest-clock', time, rest));
  const room = await createRoom(full, { open: (slot) => deviceSheet(shownAt(slot).id), fix: (slot) => deviceSheet(shownAt(slot).id) });

  const measured = meter((pair) => room.levels(pair));
  let soon;
  const paint = () => {
    if (!theater.store.status) return;
    clearTimeout(soon);
    if (isChanging() && !motionless()) soon = setTimeout(paint, 80);
    room.render(roomStatus());
    const play = theater.playback(), now = theater.activity();
    write(name, now.status === 'idle' ? (isPopping() ? t('device.popcornPopper') : t('now.nothing')) : titleOf(now) ?? '');
    write(second, headline(now, play));
    write(time, clockTime(Date.now()));
    write(rest, play?.duration ? left(play.duration - play.position) : '');
    if (!motionless()) measured.look();
    const pair = levels();
    if (pair) room.levels(pair);
    ambient(now.itemTitle ?? 'Lantern Street', room.light);
  };
  paint();
  const unwatch = theater.watch(paint), timer = setInterval(paint, 1000);
  names.addEventListener('click', () => { const on = names.getAttribute('aria-pressed') !== 'true'; names.setAttribute('aria-pressed', on); room.names(on); });
  const still = restAfterAWhile(), awake = keepAwake();
  const keys = (event) => { if (event.key === 'n' && !event.target.closest('input, textarea, dialog')) names.click(); };
  addEventListener('keydown', keys);
  document.addEventListener('visibilitychange', paint);
  return () => { unwatch(); measured.end(); document.removeEventListener('visibilitychange', paint); clearInterval(timer); clearTimeout(soon); room.end(); still(); awake(); removeEventListener('keydown', keys); };
}
const isPopping = () => value(theater.withRole('popcornPopper'), 'popping') === 'popping';
function headline(now, play) {
  const lights = theater.withRole('lights'), words = lights ? t('room.lights', { state: describe(lights) }) : '';
  if (now.status === 'failed') return t('said.stopped');
  if (now.status === 'starting' || now.status === 'ending') {
    const step = progressOf(now.run);
    return step ? t('step.now', step) : t(now.status === 'starting' ? 'said.starting' : 'said.ending');
  }
  if (play?.state === 'paused') return [t('said.paused'), words].filter(Boolean).join(' · ');
  if (now.status === 'running' && play?.duration) return [left(Math.max(0, play.duration - play.position)), words].filter(Boolean).join(' · ');
  return words ? capitalized(words) : '';
}

/** On the wall: after a while without a touch only the room is left. */
function restAfterAWhile() {
  let timer;
  const wake = () => {
    document.body.classList.remove('resting');
    clearTimeout(timer);
    timer = setTimeout(() => { if (!$('dialog[open]')) document.body.classList.add('resting'); }, REST_AFTER);
  };
  const signs = ['pointerdown', 'pointermove', 'keydown', 'focusin'];
  for (const sign of signs) addEventListener(sign, wake, { passive: true });
  wake();
  return () => { clearTimeout(timer); document.body.classList.remove('resting'); for (const sign of signs) removeEventListener(sign, wake); };
}
/** Asks the device not to switch its screen off while the room is shown. */
function keepAwake() {
  let lock, over = false;
  const ask = async () => { if (!over && !document.hidden && navigator.wakeLock) { try { lock = await navigator.wakeLock.request('screen'); } catch { /* the battery is low, or it is not allowed */ } } };
  ask();
  document.addEventListener('visibilitychange', ask);
  return () => { over = true; document.removeEventListener('visibilitychange', ask); lock?.release(); };
}
