// Follows what others start: a choice of each device.
import { isStartingHere } from '../base/api.js';
import { $, TEXT_FIELDS } from '../base/dom.js';
import { preferences } from '../base/preferences.js';
import { activity, isWallTablet, room, store, watch } from '../model/store.js';

/** Larger screens show the room, phones the player. */
const LARGE_SCREEN = '(min-width: 700px)';

/** Whether the page follows: as chosen; without a choice, on the wall. */
export const follows = () => preferences().follow ?? isWallTablet();

/** Whether the user types a text or has a question to answer. */
const isOccupied = () =>
  Boolean($('dialog[open], .toast.ask')) || document.activeElement.matches(TEXT_FIELDS);

/**
 * Goes to the room, on a phone to the player, when another page begins something. Returns a
 * function that ends this.
 */
export function followOthers(go) {
  let lastRun = activity().run;
  let lastStatus = store.status;
  let lastRoom = room()?.name;
  return watch(() => {
    const { run, status } = activity();
    // A short start is over before the page is drawn. What a snapshot brings may have begun long
    // ago.
    const isBegun = ['starting', 'running'].includes(status) && run !== lastRun;
    const isSamePlace = store.status === lastStatus && room()?.name === lastRoom;
    const isNew = isBegun && isSamePlace;
    lastRun = run;
    lastStatus = store.status;
    lastRoom = room()?.name;
    if (!isNew || isStartingHere() || !follows() || isOccupied()) return;
    const address = matchMedia(LARGE_SCREEN).matches ? '/room' : '/player';
    if (location.pathname !== address) go(address);
  });
}
