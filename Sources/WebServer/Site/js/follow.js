// Follows what others start: a choice of each device.
import { $ } from './dom.js';
import { beginsHere } from './api.js';
import { watch, activity, isWallTablet } from './store.js';
import { look } from './look.js';

/** Whether the page follows: as chosen; without a choice, on the wall. */
export const follows = () => look().follow ?? isWallTablet();

/** Goes to the room, on a phone to the player, when another page begins something; returns a function that ends this. */
export function followOthers(go) {
  let before = activity();
  return watch(() => {
    // A short start is over before the page is drawn.
    const now = activity(), isNew = ['starting', 'running'].includes(now.status) && before.run !== now.run;
    before = now;
    // Nobody is taken away from a text or a question.
    if (!isNew || beginsHere() || !follows() || $('dialog[open], .toast.ask') || document.activeElement.matches('input:not([type=range]), textarea, select')) return;
    const goal = matchMedia('(min-width: 700px)').matches ? '/room' : '/player';
    if (location.pathname !== goal) go(goal);
  });
}
