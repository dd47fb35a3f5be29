// Pictures of films and songs from their players, laid over the covers that the page draws for
// every item.
import { path } from '../base/api.js';
import { h } from '../base/dom.js';
import { activity, knownPictures } from '../model/store.js';

/** The address of an item's picture; `undefined` if it has none. */
export function pictureOf(item) {
  const { item: currentItem, itemPicture } = activity();
  const hasPicture = knownPictures.has(item) || (itemPicture && currentItem === item);
  return hasPicture ? `/api/v1${path`/library/picture?item=${item}`}` : undefined;
}

// A player may have to make a picture first. Browsers have six connections to a host: the others
// are for commands.
const AT_ONCE = 2;
/** The addresses of pictures by the covers that wait for them. */
const waiting = new Map();
let loading = 0;
let timer = 0;

/**
 * Lays the picture of an item over a cover as soon as it has loaded, if there is one. Returns the
 * cover at once.
 */
export function withPicture(cover, item) {
  const address = pictureOf(item);
  if (address) {
    waiting.set(cover, address);
    planLoad();
  }
  return cover;
}
function planLoad() {
  timer ||= setTimeout(loadNext);
}
function loadNext() {
  timer = 0;
  for (const [cover, address] of waiting) {
    if (loading >= AT_ONCE) return;
    waiting.delete(cover);
    // The cover may have left the page, for example because a list was scrolled.
    if (cover.isConnected) load(cover, address);
  }
}
function load(cover, src) {
  loading += 1;
  const finish = () => {
    loading -= 1;
    planLoad();
  };
  const show = () => {
    cover.append(picture);
    finish();
  };
  const props = { class: 'photo', alt: '', decoding: 'async', onload: show, onerror: finish };
  const picture = h('img', { ...props, src });
}
