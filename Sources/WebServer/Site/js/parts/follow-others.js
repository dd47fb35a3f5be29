// Follows what others start: a choice of each device.
import { $ } from '../base/dom.js';
import { beginsHere } from '../base/api.js';
import { activity, isWallTablet, store, watch } from '../model/store.js';
import { preferences } from '../base/preferences.js';

/** Whether the page follows: as chosen; without a choice, on the wall. */
export const follows = () => preferences().follow ?? isWallTablet();

/** Goes to the room, on a phone to the player, when another page begins something; returns a function that ends this. */
export function followOthers(go) {
  let before = activity(), known = store.status;
  return watch(() => {
    // A short start is over before the page is drawn. What a snapshot brings may have begun long ago.
    const now = activity(),
      isNew = store.status === known && ['starting', 'running'].includes(now.status) &&
        before.run !== now.run;
    before = now;
    known = store.status;
    // Nobody is taken away from a text or a question.
    if (
      !isNew || beginsHere() || !follows() || $('dialog[open], .toast.ask') ||
      document.activeElement.matches('input:not([type=range]), textarea, select')
    ) return;
    const goal = matchMedia('(min-width: 700px)').matches ? '/room' : '/player';
    if (location.pathname !== goal) go(goal);
  });
}
