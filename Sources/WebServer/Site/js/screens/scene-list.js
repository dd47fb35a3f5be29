// The list of scenes: a search, tiles in the order of the file, and apart from them the scenes that
// end activities.
import { h, keepFocus, setText } from '../base/dom.js';
import { icon } from '../base/icons.js';
import { isEnd } from '../model/activities.js';
import { hasSeveralRooms, rooms } from '../model/store.js';
import { entryTitle } from '../model/words.js';
import { rebuildIfChanged } from '../parts/rebuild.js';
import { roomTitle } from '../parts/room-switch.js';
import { sceneTile } from '../parts/scene-tile.js';
import { t } from '../base/text.js';

/** With fewer scenes there is no search. */
const FEWEST_TO_SEARCH = 9;

/** Text as the search compares it: without case and accents, and with "ss" for "ß". */
const plain = (text) =>
  text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replaceAll('ß', 'ss');

/**
 * Returns its `node`; `paint(scenes, current)` shows the scenes.
 * @param choose called with a chosen scene
 */
export function sceneList(choose) {
  let query = '';
  let scenes = [];
  let current;
  const field = searchField((text) => {
    query = text;
    show();
  });
  const found = h('p', { class: 'small', role: 'status' });
  const list = h('ul', 'scene-tiles');
  const endsTitle = h('h2', { class: 'label', id: 'h-ends' }, t('scenes.ends'));
  const ends = h('ul', { class: 'scene-tiles', 'aria-labelledby': 'h-ends' });
  const node = h('div', 'scene-list', field, found, list, endsTitle, ends);
  function show() {
    const matching = scenes.filter((scene) => plain(entryTitle(scene)).includes(plain(query)));
    const nothing = query && !matching.length;
    setText(found, nothing ? t('library.nothing', { query }) : '');
    paintTiles(list, matching.filter((scene) => !isEnd(scene)), current, choose);
    paintTiles(ends, matching.filter(isEnd), current, choose);
    endsTitle.hidden = !ends.children.length;
  }
  return {
    node,
    paint(all, chosen) {
      scenes = all;
      current = chosen;
      field.hidden = all.length < FEWEST_TO_SEARCH;
      keepFocus(node, show);
    },
  };
}
function searchField(onquery) {
  const input = h('input', {
    type: 'search',
    'aria-label': t('library.search'),
    placeholder: t('library.search'),
    autocomplete: 'off',
    oninput: () => onquery(input.value.trim()),
  });
  return h('div', 'search', icon('search'), input);
}
function paintTiles(list, scenes, current, choose) {
  const build = () =>
    scenes.map((scene) => {
      const isCurrent = scene.name === current?.name;
      return sceneTile(scene, () => choose(scene), { note: roomOf(scene), isCurrent });
    });
  rebuildIfChanged(list, JSON.stringify([current?.name, scenes]), build);
}
/** The room of a scene, where there are several. */
function roomOf({ room: name }) {
  const place = hasSeveralRooms() && rooms().find((one) => one.name === name);
  return place ? roomTitle(place) : undefined;
}
