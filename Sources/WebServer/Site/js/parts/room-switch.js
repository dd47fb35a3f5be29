// The switch between the rooms of a theater that has several.
import { h } from '../base/dom.js';
import { t } from '../base/text.js';
import { chooseRoom, hasSeveralRooms, room, rooms } from '../model/store.js';
import { segments } from './choices.js';
import { rebuildIfChanged } from './rebuild.js';

/** The shown name of a room. */
export const roomTitle = ({ title, name }) => title ?? name;
/** The name of the shown room in front of a text, where there are several rooms. */
export const withRoom = (text) =>
  [hasSeveralRooms() && roomTitle(room()), text].filter(Boolean).join(' · ');

const isOn = ({ activity }) => activity.status !== 'idle';

/** Returns its `node`; `paint()` shows the rooms, and in which of them something is on. */
export function roomSwitch() {
  const node = h('div', 'room-switch');
  const paint = () => {
    node.hidden = !hasSeveralRooms();
    const shown = rooms().map((one) => [one.name, roomTitle(one), isOn(one)]);
    rebuildIfChanged(node, JSON.stringify([room()?.name, shown]), build);
  };
  return { node, paint };
}
function build() {
  if (!hasSeveralRooms()) return [];
  const options = rooms().map((one) => [one.name, roomTitle(one)]);
  const choice = segments(t('room.which'), options, room().name, chooseRoom);
  for (const one of rooms().filter(isOn)) {
    const button = [...choice.children].find(({ dataset }) => dataset.id === one.name);
    button.dataset.on = '1';
    button.append(h('span', 'sr', `, ${t('home.on')}`));
  }
  return choice;
}
