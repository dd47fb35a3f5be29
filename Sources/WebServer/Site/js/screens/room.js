// The room screen: the drawing, the current activity, the controls of a pressed device.
import { ariaHidden, btn, h, isMotionReduced, setText } from '../base/dom.js';
import { icon } from '../base/icons.js';
import { createRoom } from '../room/living-room.js';
import * as theater from '../model/store.js';
import { isChanging, levels, meter, roomStatus, shownAt } from '../room/room-status.js';
import { restWhenLeftAlone } from '../room/rest.js';
import { keepScreenAwake } from '../room/wake-lock.js';
import { ambient } from '../parts/item-cover.js';
import { otherLamps, roomLamps, withRole } from '../model/room-devices.js';
import { describe, describeLamps, lampsName, nameOf, titleOf, value } from '../model/words.js';
import { progressOf, retry } from '../parts/runs.js';
import { deviceSheet } from '../parts/controls.js';
import { lampsSheet } from '../parts/lamps-sheet.js';
import { offButton } from '../parts/everything-off.js';
import { roomSwitch } from '../parts/room-switch.js';
import { roomChips } from './room-chips.js';
import { capitalized, t } from '../base/text.js';
import { clockTime, timeLeft } from '../base/times.js';

export const title = () => t('room.title');
/** The title whose color the page has without an activity. */
const TITLE_OF_IDLE_COLOR = 'Lantern Street';
/** The time between two pictures of a movement. */
const MOVEMENT_MS = 80;
/** How long after a second or minute the picture is drawn that shows it. */
const TIMER_MARGIN_MS = 20;
const SECOND_MS = 1000;
const MINUTE_MS = 60_000;

export async function show(main, { go }) {
  const surface = h('div', 'room-full');
  const labels = roomLabels();
  const chips = roomChips();
  main.append(surface, labels.header, chips.node, labels.clock);
  const room = await createRoom(surface, {
    open: openSlot,
    card: failureCard,
    overflow: (count) => commonCard(count, go),
  });

  // Once: a new color restyles the room, which covers nearly all that has it.
  ambient(titleOf(theater.activity()) ?? TITLE_OF_IDLE_COLOR);
  const measurement = meter((pair) => room.levels(pair));
  let timer;
  const paint = () => {
    clearTimeout(timer);
    const play = theater.playback();
    timer = setTimeout(paint, untilNextPicture(play));
    room.render(roomStatus());
    labels.update(theater.activity(), play);
    chips.paint();
    if (!isMotionReduced()) measurement.update();
    const pair = levels();
    if (pair) room.levels(pair);
  };
  paint();
  const ends = [
    theater.watch(paint),
    nameSwitch(labels.names, room),
    restWhenLeftAlone(),
    keepScreenAwake(),
    measurement.end,
  ];
  document.addEventListener('visibilitychange', paint);
  return () => {
    for (const end of ends) end();
    document.removeEventListener('visibilitychange', paint);
    clearTimeout(timer);
    room.end();
  };
}
/** Opens the controls of what the drawing shows at a place. */
function openSlot(slot) {
  const lamps = slot === 'lights' ? roomLamps() : undefined;
  if (lamps?.lamps.length > 1) lampsSheet(lamps);
  else deviceSheet(shownAt(slot).id);
}
/** Milliseconds until the picture changes without an event: by a movement, a second, a minute. */
function untilNextPicture(play) {
  if (isChanging() && !isMotionReduced()) return MOVEMENT_MS;
  const isPlaying = theater.isLive() && play?.state === 'playing';
  if (isPlaying || isChanging()) {
    const position = play?.position ?? 0;
    return SECOND_MS - position % 1 * SECOND_MS + TIMER_MARGIN_MS;
  }
  return MINUTE_MS - Date.now() % MINUTE_MS + TIMER_MARGIN_MS;
}

/** The words over the drawing: the current item, the state, the time, and the switch for names. */
function roomLabels() {
  const name = h('h1', 'title-3');
  const state = h('p', 'small');
  const time = h('span', 'num');
  const rest = h('span', 'num');
  const names = h('button', {
    class: 'btn icon glass',
    'aria-pressed': 'false',
    'aria-label': t('room.names'),
  }, icon('info'));
  const places = roomSwitch();
  const off = offButton('glass');
  return {
    header: h(
      'header',
      'room-head',
      h('div', {}, name, state),
      places.node,
      h('div', 'head-keys', off.node, names),
    ),
    clock: ariaHidden('p', 'rest-clock', time, rest),
    names,
    update(activity, play) {
      setText(name, activity.status === 'idle' ? idleName() : titleOf(activity) ?? '');
      setText(state, stateText(activity, play));
      places.paint();
      off.paint();
      setText(time, clockTime(Date.now()));
      setText(rest, play?.duration ? timeLeft(play.duration - play.position) : '');
    },
  };
}
/** Lets the button and the key N show the names of all devices. Returns a function that ends it. */
function nameSwitch(button, room) {
  const toggle = () => {
    const areShown = button.getAttribute('aria-pressed') !== 'true';
    button.setAttribute('aria-pressed', areShown);
    room.names(areShown);
  };
  const onKey = (event) => {
    const isTyping = event.target.closest('input, textarea, dialog');
    if (event.key === 'n' && !isTyping) button.click();
  };
  button.addEventListener('click', toggle);
  addEventListener('keydown', onKey);
  return () => removeEventListener('keydown', onKey);
}
function idleName() {
  if (!theater.store.status) return t('now.unknown');
  const isPopping = value(withRole('popcornPopper'), 'popping') === 'popping';
  return isPopping ? t('device.popcornPopper') : t('now.nothing');
}
function stateText(activity, play) {
  const lightText = lightsText();
  const withLights = (text) => [text, lightText].filter(Boolean).join(' · ');
  if (activity.status === 'failed') return t('said.stopped');
  if (activity.status === 'starting' || activity.status === 'ending') return stepText(activity);
  if (play?.state === 'paused') return withLights(t('said.paused'));
  if (activity.status === 'running' && play?.duration) {
    return withLights(timeLeft(Math.max(0, play.duration - play.position)));
  }
  return lightText ? capitalized(lightText) : '';
}
/** The state of the lights, with the name of their area where there are others. */
function lightsText() {
  const lights = roomLamps();
  if (!lights) return '';
  const state = describeLamps(lights.lamps);
  return otherLamps().length ? `${lampsName(lights)}: ${state}` : t('room.lights', { state });
}
/** The step at which an activity is that starts or ends. */
function stepText(activity) {
  const step = progressOf(activity.run);
  const what = t(activity.status === 'starting' ? 'said.starting' : 'said.ending');
  return step ? `${what} · ${t('step.now', step)}` : what;
}

/** The card of a device that failed: what happened, and what mends it. */
function failureCard({ id: slot, error }) {
  const device = shownAt(slot);
  if (!error) {
    return {
      title: `${nameOf(device)}: ${describe(device)}`,
      hint: t('room.see'),
      button: btn('', () => deviceSheet(device.id), t('room.fix')),
    };
  }
  const activity = theater.activityFailedBy(device) ?? theater.activity();
  const retryButton = () => btn('', (node) => retry(activity, node), t('do.retry'));
  return {
    title: error.message,
    hint: error.hint ?? t('room.see'),
    button: activity.activity ? retryButton() : undefined,
  };
}
/** The card in the place of those of many devices. */
const commonCard = (count, go) => ({
  title: t('room.many', { count }),
  hint: t('room.see'),
  button: theater.mayOperate() ? btn('', () => go('/devices'), t('devices.title')) : undefined,
});
