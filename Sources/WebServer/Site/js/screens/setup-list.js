// The list of devices in the setup: those of devices.json with their state, and the missing roles.
import { h } from '../base/dom.js';
import { icon } from '../base/icons.js';
import { actionButton } from '../parts/actions.js';
import { twoLines } from '../parts/cards.js';
import { chip } from '../parts/chips.js';
import { rebuildIfChanged } from '../parts/rebuild.js';
import { ICONS, nameOf } from '../model/words.js';
import { findingsFor, isSimulated, isTested, lastFindings, testedEntries } from './setup-store.js';
import { t } from '../base/text.js';

/**
 * Returns its `node`, `paint(devices, current)`, and `focus(id)` for the row of a device.
 * @param choose called with the id of a chosen device
 * @param add adds a device of a role
 */
export function setupList({ choose, add }) {
  const node = h('ul', { class: 'device-list', 'aria-label': t('devices.title') });
  const rowsOf = (role, devices, current) => {
    const ofRole = devices.filter((device) => device.role === role);
    if (!ofRole.length) return missingRow(role, add);
    return ofRole.map((device) =>
      deviceRow(device, nameOf(device, devices), device.id === current, choose)
    );
  };
  return {
    node,
    paint(devices, current) {
      const key = JSON.stringify([current, devices, lastFindings(), testedEntries()]);
      const build = () => Object.keys(ICONS).flatMap((role) => rowsOf(role, devices, current));
      rebuildIfChanged(node, key, build);
    },
    focus: (id) => node.querySelector(`[data-focus="${CSS.escape(id)}"]`)?.focus(),
  };
}
function deviceRow(device, name, isCurrent, choose) {
  const isReal = !isSimulated(device);
  const picture = h(
    'span',
    { class: 'device-icon', data: { on: isReal ? '1' : null } },
    icon(ICONS[device.role]),
  );
  const button = h(
    'button',
    {
      class: 'row device-row',
      'aria-current': isCurrent,
      data: { focus: device.id },
      onclick: () => choose(device.id),
    },
    picture,
    twoLines(name, isReal ? device.entry.plugin : t('setup.simulated')),
    h('span', 'end', stateChip(device)),
  );
  return h('li', {}, button);
}
function stateChip(device) {
  if (isTested(device)) return chip('reported', t('setup.tested'));
  if (!isSimulated(device)) return chip('assumed', t('setup.untested'));
  const count = findingsFor(device).length;
  return count ? chip('unknown', t('setup.fits', { count })) : null;
}
function missingRow(role, add) {
  const name = t(`device.${role}`);
  const addButton = actionButton('', () => add(role), icon('plus'), t('setup.add'));
  addButton.setAttribute('aria-label', `${t('setup.add')}: ${name}`);
  return h(
    'li',
    'row device-row',
    h('span', 'device-icon', icon(ICONS[role])),
    twoLines(name, t('setup.missing')),
    h('span', 'end', addButton),
  );
}
