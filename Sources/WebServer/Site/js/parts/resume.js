// Where a film or song begins: where the person left it, or at its start.
import { path, post } from '../base/api.js';
import { ariaHidden, btn, h } from '../base/dom.js';
import { announce } from '../base/messages.js';
import { icon } from '../base/icons.js';
import { t } from '../base/text.js';
import { clockText, timeLeft } from '../base/times.js';
import { activityFor } from '../model/activities.js';
import { inRoom, mayOperate, saveRun, showRoom } from '../model/store.js';
import { runAction } from './actions.js';
import { sheet } from './dialogs.js';
import { coverOf } from './item-cover.js';

const isSong = (item) => item.category === 'songs';

/** What is left of an item that was stopped: "42 min left"; empty for others. */
export const remainingTime = ({ position, duration }) =>
  position && duration ? timeLeft(duration - position) : '';
/** How far an item was played, as a line on its cover. */
export const playedShare = ({ position, duration }) =>
  position && duration ? h('i', { class: 'seen', vars: { at: position / duration } }) : null;

/** The path that starts an item: of its activity, or the one that says why none plays it. */
function startAddress(item, activity) {
  if (activity) return inRoom(path`/activities/${activity.name}`, activity.room);
  return isSong(item) ? '/listen' : '/watch';
}
/** Starts an item; returns whether that succeeded. */
export const startItem = (item, button, fromStart) =>
  runAction(button, async () => {
    const body = { item: item.id, ...(fromStart && { fromStart }) };
    const activity = activityFor(item);
    const { run } = await post(startAddress(item, activity), body);
    saveRun(run);
    showRoom(activity?.room);
    announce(t('now.begins', { title: item.title }));
  });

/**
 * The buttons of an item: where it was stopped, go on or from the start, else one that starts it.
 * @param kind classes of the buttons
 * @param onStarted called after a success
 */
export function startButtons(item, kind, onStarted) {
  const startWith = async (button, fromStart) => {
    if (await startItem(item, button, fromStart)) onStarted?.();
  };
  if (item.position) return resumeButtons(item.position, kind, startWith);
  return [beginButton(t(isSong(item) ? 'radio.listen' : 'library.watch'), kind, startWith)];
}
const beginButton = (text, kind, start) =>
  btn(`big ${kind} primary`, (button) => start(button, false), icon('play'), text);

/**
 * The buttons of what was stopped at a position: go on there, or from the start.
 * @param start called with the pressed button, and whether to begin at the start
 */
export const resumeButtons = (position, kind, start) => [
  beginButton(t('resume.at', { time: clockText(position) }), kind, start),
  btn(`big ${kind}`, (button) => start(button, true), t('library.start')),
];

/**
 * Asks where something begins that was stopped at a position.
 * @param start as for `resumeButtons`; returns whether it succeeded
 */
export function askWhereToResume(title, position, start) {
  const startAndClose = async (button, fromStart) => {
    if (await start(button, fromStart)) dialog.close();
  };
  const dialog = sheet(title, h('div', 'choose', resumeButtons(position, 'wide', startAndClose)));
}

/** Asks where a film or song begins. */
export function askWhereToStart(item, facts, go) {
  const isFilm = !isSong(item);
  const closeAndGo = () => {
    if (!dialog.open) return;
    dialog.close();
    if (isFilm) go('/player');
  };
  const start = activityFor(item)?.start;
  const planLink = () =>
    h('a', {
      class: 'btn quiet wide',
      href: path`/scenes?scene=${start}&item=${item.id}`,
      onclick: () => dialog.close(),
    }, t('library.plan'));
  const content = h(
    'div',
    'choose',
    coverOf(item.title, 'still', item.id),
    h('p', 'soft num', [...facts, remainingTime(item)].filter(Boolean).join(' · ')),
    startButtons(item, 'wide', closeAndGo),
    isFilm && start && mayOperate() ? planLink() : null,
  );
  const dialog = sheet(item.title, content);
}

/** A cover with how far its item was played; a press asks where it goes on. */
export function stoppedItem(item, go) {
  const props = {
    class: 'poster-btn',
    data: { item: item.id },
    'aria-label': [item.title, remainingTime(item)].filter(Boolean).join(', '),
    onclick: () => askWhereToStart(item, [], go),
  };
  const button = h(
    'button',
    props,
    h('span', 'shelf-cover', coverOf(item.title, 'still', item.id), playedShare(item)),
    h('span', 'name', item.title),
    ariaHidden('span', 'tiny num', remainingTime(item) || clockText(item.position)),
  );
  return h('li', {}, button);
}
