// The devices of the shown room that its drawing has no place for, and the lamps of other areas.
import { h } from '../base/dom.js';
import { icon } from '../base/icons.js';
import { otherLamps } from '../model/room-devices.js';
import { describe, describeLamps, deviceIcon, lampsName, nameOf } from '../model/words.js';
import { lampsProvenance, stateProvenance } from '../parts/chips.js';
import { titles } from '../parts/commands.js';
import { deviceSheet } from '../parts/controls.js';
import { lampsSheet } from '../parts/lamps-sheet.js';
import { rebuildIfChanged } from '../parts/rebuild.js';
import { undrawnDevices } from '../room/room-status.js';

/** Returns its `node`; `paint()` shows the devices and their state. */
export function roomChips() {
  const node = h('ul', 'room-chips');
  const paint = () => {
    const shown = [...undrawnDevices().map(viewOfDevice), ...otherLamps().map(viewOfLamps)];
    node.hidden = !shown.length;
    rebuildIfChanged(node, JSON.stringify(shown), () => shown.map(chipOf));
  };
  return { node, paint };
}
const viewOfDevice = (device) => ({
  id: device.id,
  icon: deviceIcon(device),
  name: nameOf(device),
  state: describe(device, titles()),
  known: stateProvenance(device),
  open: () => deviceSheet(device.id),
});
const viewOfLamps = (group) => ({
  id: group.lamps[0].id,
  icon: 'light',
  name: lampsName(group),
  state: describeLamps(group.lamps),
  known: lampsProvenance(group.lamps),
  open: () => (group.lamps.length > 1 ? lampsSheet(group) : deviceSheet(group.lamps[0].id)),
});
const chipOf = ({ id, icon: iconName, name, state, known, open }) =>
  h(
    'li',
    {},
    h(
      'button',
      { class: 'room-chip', data: { focus: id, known }, onclick: open },
      icon(iconName),
      h('span', {}, h('b', {}, name), h('span', 'sub', state)),
    ),
  );
