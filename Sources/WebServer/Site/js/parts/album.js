// The album of the song that plays: its artist, its cover as in the list of songs, and the place of
// the song in it.
import { h } from '../base/dom.js';
import { t } from '../base/text.js';
import { clockText } from '../base/times.js';
import { changed, loadPage, store } from '../model/store.js';
import { twoLines } from './cards.js';
import { rebuildIfChanged } from './rebuild.js';
import { startItem } from './resume.js';

/** The most songs with the same words that are looked through for one. */
const MOST_FOUND = 200;
/** What is known of the song that was asked for last, or is kept of the one before. */
let known = {};

/** The songs that a search finds. */
const find = async (search) =>
  (await loadPage('music', { search, offset: 0, limit: MOST_FOUND })).items;
async function load(item, title) {
  const song = (await find(title)).find(({ id }) => id === item);
  if (!song) return { song: undefined, songs: undefined };
  if (!song.album) return { song, songs: [] };
  const isBeside = ({ album, artist }) => album === song.album && artist === song.artist;
  const songs = (await find(song.album)).filter(isBeside);
  return { song, songs: songs.toSorted((one, other) => (one.track ?? 0) - (other.track ?? 0)) };
}
/** What stays of what is known while an item is asked for: the album, if that has the item. */
function keptFor(item) {
  const song = known.songs?.find(({ id }) => id === item);
  if (song) return { song, songs: known.songs };
  return known.item === item ? { song: known.song } : {};
}
/**
 * Returns the `song` that plays and the `songs` of its album in order; both are undefined until
 * they are loaded, and for what is no song. The album stays until it is loaded for the next song.
 */
export function albumOf({ item, itemTitle }) {
  if (!item || !itemTitle) return {};
  const isKnown = known.item === item && known.revision === store.library;
  if (isKnown) return known;
  known = { ...keptFor(item), item, revision: store.library };
  const keep = (found) => {
    if (known.item !== item) return;
    Object.assign(known, found);
    changed();
  };
  load(item, itemTitle).then(keep, () => {
    // The artist of the activity is shown; the album is missing.
  });
  return known;
}
/** The title after which the cover of a song is drawn, in the list of songs, too. */
export const coverTitle = (song, title) => song?.album ?? title;
/** "The Sine Waves · Plain Tones · Song 2 of 4". */
export function albumText({ song, songs }, { artist }) {
  const place = songs?.findIndex(({ id }) => id === song.id) ?? -1;
  const isPlaced = place >= 0 && songs.length > 1;
  const words = isPlaced ? t('album.place', { number: place + 1, total: songs.length }) : '';
  return [song?.artist ?? artist, song?.album, words].filter(Boolean).join(' · ');
}

/** The songs of an album; a press plays one. `paint(album)` shows them. */
export function albumList() {
  const list = h('ol', 'rows album-songs');
  const heading = h('h2', { class: 'title-4', id: 'h-album' });
  const node = h('section', { class: 'player-album', 'aria-labelledby': 'h-album' }, heading, list);
  node.hidden = true;
  return {
    node,
    paint({ song, songs = [] }) {
      node.hidden = songs.length < 2;
      if (node.hidden) return;
      heading.textContent = song.album;
      const key = JSON.stringify([song.id, songs.map(({ id }) => id)]);
      rebuildIfChanged(list, key, () => songs.map((one, index) => row(one, index, song)));
    },
  };
}
function row(song, index, current) {
  const isCurrent = song.id === current.id;
  const button = h(
    'button',
    {
      class: 'row',
      'aria-current': isCurrent ? 'true' : null,
      data: { focus: song.id },
      onclick: () => startItem(song, button),
    },
    h('span', 'num small', String(song.track ?? index + 1)),
    twoLines(song.title),
    h('span', 'end num', song.duration ? clockText(song.duration) : ''),
  );
  return h('li', {}, button);
}
