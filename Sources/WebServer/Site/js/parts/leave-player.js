// The question whether leaving the player ends the activity; the answer is kept for each person.
import { btn, h, setText } from '../base/dom.js';
import { announce } from '../base/messages.js';
import { preferences, savePreferences } from '../base/preferences.js';
import { t } from '../base/text.js';
import { activity, person, playerRole, store, watch } from '../model/store.js';
import { titleOf } from '../model/words.js';
import { endActivity } from './commands.js';
import { toasts } from './toasts.js';

/** Whether leaving ends the activity; `undefined` if the person has not chosen. */
export const leavingEnds = () => preferences().leaving?.[person()];
export const setLeavingEnds = (ends) =>
  savePreferences({ leaving: { ...preferences().leaving, [person()]: ends } });

/** Removes the question whether the activity goes on. */
export let withdraw = () => {};

/**
 * Handles that the player was left. The room and the radio show the same activity: there, nothing
 * is asked.
 */
export function leftPlayer() {
  withdraw();
  const { status, run } = activity();
  if (!store.session || !isGoingOn(status) || showsActivity(location.pathname)) return;
  const ends = leavingEnds();
  if (ends) endActivity();
  else if (ends === undefined) ask(run);
}
/** Whether an activity plays, or is made ready to. */
const isGoingOn = (status) => ['starting', 'running'].includes(status);
const showsActivity = (address) =>
  ['/player', '/room'].includes(address) || (address === '/radio' && playerRole() === 'tuner');

/** Asks about a run, until that is over. */
function ask(run) {
  const words = h('span');
  /** Shows the title of the moment; returns whether the run still goes on. */
  const update = () => {
    const current = activity();
    if (!isGoingOn(current.status) || current.run !== run) {
      withdraw();
      return false;
    }
    const text = t('leaving.ask', { title: titleOf(current) ?? '' });
    setText(words, text);
    question.setAttribute('aria-label', text);
    return true;
  };
  const choose = (ends) => {
    if (!update()) return;
    withdraw();
    setLeavingEnds(ends);
    announce(t(ends ? 'leaving.willEnd' : 'leaving.willStay'));
    if (ends) endActivity();
  };
  const question = h(
    'div',
    { class: 'toast ask', role: 'region' },
    h('p', {}, words, h('span', 'tiny block', t('leaving.kept'))),
    btn('', () => choose(false), t('leaving.stay')),
    btn('', () => choose(true), t('leaving.end')),
  );
  const unwatch = watch(update);
  withdraw = () => {
    unwatch();
    question.remove();
  };
  update();
  toasts().append(question);
  announce(words.textContent);
}
