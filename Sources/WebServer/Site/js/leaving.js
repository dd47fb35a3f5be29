// Whether leaving the player ends what is on: asked once, kept for each person.
import { h, announce, btn } from './dom.js';
import { activity, store } from './store.js';
import { endActivity } from './commands.js';
import { look, keepLook } from './look.js';
import { t } from './text.js';

const person = () => store.session?.user.email ?? store.session?.user.name;
export const leavingEnds = () => look().leaving?.[person()];
export const setLeavingEnds = (ends) => keepLook({ leaving: { ...look().leaving, [person()]: ends } });
let question;

/** To be called when the player is left. */
export function leftPlayer() {
  question?.remove();
  const now = activity();
  if (!store.session || now.status !== 'running') return;
  const ends = leavingEnds();
  if (ends) endActivity();
  else if (ends === undefined) ask(now.itemTitle ?? now.title ?? '');
}
function ask(title) {
  const text = t('leaving.ask', { title }), choose = (ends) => { question.remove(); setLeavingEnds(ends); announce(t(ends ? 'leaving.willEnd' : 'leaving.willStay')); if (ends && activity().status === 'running') endActivity(); };
  const button = (words, ends) => btn('', () => choose(ends), t(words));
  question = h('div', 'toasts', h('div', { class: 'toast ask', role: 'region', 'aria-label': text }, h('p', {}, text, h('span', 'tiny block', t('leaving.kept'))), button('leaving.stay', false), button('leaving.end', true)));
  document.body.append(question); announce(text);
}
