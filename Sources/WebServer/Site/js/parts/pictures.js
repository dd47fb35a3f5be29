// Pictures of films and songs from their players, laid over the covers that the page draws for every item.
import { h } from '../base/dom.js';
import { path } from '../base/api.js';
import { activity, knownPictures } from '../model/store.js';

/** The address of an item's picture; `undefined` if it has none. */
export function pictureOf(item) {
  const now = activity();
  return knownPictures.has(item) || (now.itemPicture && now.item === item)
    ? `/api/v1${path`/library/picture?item=${item}`}`
    : undefined;
}
// A player may have to make a picture first. Browsers have six connections to a host: the others are for commands.
const AT_ONCE = 2, waiting = new Map();
let loading = 0, planned = 0;
/** Lays the picture of an item over a cover as soon as it has loaded, if there is one. Returns the cover at once. */
export function withPicture(cover, item) {
  const src = pictureOf(item);
  if (src) {
    waiting.set(cover, src);
    plan();
  }
  return cover;
}
const plan = () => {
  planned ||= setTimeout(load);
};
function load() {
  planned = 0;
  for (const [cover, src] of waiting) {
    if (loading >= AT_ONCE) return;
    waiting.delete(cover);
    // The cover may have left the page, for example because a list was scrolled.
    if (!cover.isConnected) continue;
    loading += 1;
    const over = () => {
      loading -= 1;
      plan();
    };
    const picture = h('img', {
      class: 'photo',
      alt: '',
      decoding: 'async',
      onload: () => {
        cover.append(picture);
        over();
      },
      onerror: over,
      src,
    });
  }
}
