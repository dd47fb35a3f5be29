// The films and songs that the user left before their end, as a shelf of Home.
import { h } from '../base/dom.js';
import { isPlayedHere } from '../model/activities.js';
import * as theater from '../model/store.js';
import { section } from '../parts/cards.js';
import { rebuildIfChanged } from '../parts/rebuild.js';
import { stoppedItem } from '../parts/resume.js';
import { t } from '../base/text.js';

/** The largest number of items, with the one that is at the top of Home. */
const MOST_ITEMS = 5;
/** The number of items that are read, as some of them belong to another room. */
const READ_ITEMS = 20;

/**
 * Returns its `node`. `update()` reads the items when the library has changed since, `last()`
 * returns the one that was stopped last, and `paint()` shows the others.
 */
export function homeStopped(go) {
  const shelf = h('ul', 'shelf');
  const node = section(t('resume.title'), 'h-stopped', shelf);
  node.hidden = true;
  let items = [];
  let revision;
  let isLoading = false;
  async function load() {
    if (isLoading || !theater.mayOperate()) return;
    isLoading = true;
    while (revision !== theater.store.library) {
      revision = theater.store.library;
      try {
        items = await theater.loadStopped(READ_ITEMS);
      } catch {
        // The offer is missing; the rest of Home works.
      }
    }
    isLoading = false;
  }
  async function update(done) {
    if (revision === theater.store.library) return;
    await load();
    done();
  }
  function paint() {
    const { status } = theater.activity();
    const shown = offered(items).slice(status === 'idle' ? 1 : 0).slice(0, MOST_ITEMS - 1);
    node.hidden = !shown.length;
    const build = () => shown.map((one) => stoppedItem(one, go));
    rebuildIfChanged(shelf, JSON.stringify(shown), build);
  }
  return { node, load, update, paint, last: () => offered(items)[0] };
}
/** The items that the shown room can go on with: those that it plays, and that are on nowhere. */
function offered(items) {
  const current = theater.currentActivities().map(({ item }) => item);
  return items.filter((item) => !current.includes(item.id) && isPlayedHere(item));
}
