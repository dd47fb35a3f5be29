// The question whether leaving the player ends the activity; the answer is kept for each person.
import { announce, btn, h, setText } from '../base/dom.js';
import { activity, person, playerRole, store, watch } from '../model/store.js';
import { endActivity } from './commands.js';
import { preferences, savePreferences } from '../base/preferences.js';
import { toasts } from './toasts.js';
import { titleOf } from '../model/words.js';
import { t } from '../base/text.js';

export const leavingEnds = () => preferences().leaving?.[person()];
export const setLeavingEnds = (ends) =>
  savePreferences({ leaving: { ...preferences().leaving, [person()]: ends } });
/** Removes the question whether the activity goes on. */
export let withdraw = () => {};

/** Handles that the player was left. The room and the radio show the same activity: there, nothing is asked. */
export function leftPlayer() {
  withdraw();
  const now = activity(), shows = ['/player', '/room', playerRole() === 'tuner' && '/radio'];
  if (!store.session || now.status !== 'running' || shows.includes(location.pathname)) return;
  const ends = leavingEnds();
  if (ends) endActivity();
  else if (ends === undefined) ask(now);
}
function ask({ run }) {
  const words = h('span'),
    choose = (ends) => {
      if (!check()) return;
      withdraw();
      setLeavingEnds(ends);
      announce(t(ends ? 'leaving.willEnd' : 'leaving.willStay'));
      if (ends) endActivity();
    };
  const check = () => {
    const now = activity(),
      isSame = now.status === 'running' && now.run === run,
      text = t('leaving.ask', { title: titleOf(now) ?? '' });
    if (isSame) {
      setText(words, text);
      question.setAttribute('aria-label', text);
    } else withdraw();
    return isSame;
  };
  const unwatch = watch(check), button = (key, ends) => btn('', () => choose(ends), t(key));
  const question = h(
    'div',
    { class: 'toast ask', role: 'region' },
    h('p', {}, words, h('span', 'tiny block', t('leaving.kept'))),
    button('leaving.stay', false),
    button('leaving.end', true),
  );
  withdraw = () => {
    unwatch();
    question.remove();
  };
  check();
  toasts().append(question);
  announce(words.textContent);
}
