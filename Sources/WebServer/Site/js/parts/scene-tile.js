// A scene as a small tile: its icon and its title.
import { h } from '../base/dom.js';
import { icon } from '../base/icons.js';
import { sceneIcon } from '../model/activities.js';
import { entryTitle } from '../model/words.js';
import { twoLines } from './cards.js';

/**
 * A list item with the button of a scene.
 * @param press called with the pressed button
 * @param note a second line
 */
export function sceneTile(scene, press, { note, isCurrent } = {}) {
  const button = h(
    'button',
    {
      class: 'scene-tile',
      'aria-current': isCurrent,
      data: { focus: scene.name },
      onclick: () => press(button),
    },
    icon(sceneIcon(scene), { class: 'row-icon' }),
    note ? twoLines(entryTitle(scene), note) : h('span', 'name', entryTitle(scene)),
  );
  return h('li', {}, button);
}
