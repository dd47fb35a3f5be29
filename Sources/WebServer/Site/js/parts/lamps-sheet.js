// The lamps of an area in a sheet: all together, and each one.
import { btn, h } from '../base/dom.js';
import { icon } from '../base/icons.js';
import { device, mayOperate, watch } from '../model/store.js';
import { describe, lampsName, nameOf, value } from '../model/words.js';
import { runAction } from './actions.js';
import { send } from './commands.js';
import { sheet } from './dialogs.js';
import { brightnessSlider, lampLevels } from './role-controls.js';
import { t } from '../base/text.js';

/** Milliseconds until a slider shows again what was not changed, as after a refusal. */
const REPORTED_PERIOD = 1000;

/** Opens the lamps of an area, which follow their state until the sheet is closed. */
export function lampsSheet(group) {
  const rows = group.lamps.map(({ id }) => lampRow(id));
  const content = h(
    'div',
    'controls',
    mayOperate() ? commonButtons(group.lamps) : null,
    h('ul', 'lamp-rows', rows.map(({ node }) => node)),
  );
  const dialog = sheet(lampsName(group), content);
  const paint = () => rows.forEach((row) => row.paint());
  paint();
  dialog.addEventListener('close', watch(paint, REPORTED_PERIOD));
}
function commonButtons(lamps) {
  const sendToAll = (command) => Promise.all(lamps.map(({ id }) => send(id, command)));
  const button = ([text, command]) =>
    btn('', (node) => runAction(node, () => sendToAll(command)), icon('light'), text);
  return h(
    'div',
    { class: 'control-keys', role: 'group', 'aria-label': t('device.lights') },
    lampLevels().map(button),
  );
}
/** A lamp with its brightness; for those who may not change it, its state in words. */
function lampRow(id) {
  const lamp = device(id);
  if (!mayOperate()) {
    const state = h('span', 'sub');
    const node = h('li', {}, h('span', 'name', nameOf(lamp)), state);
    return { node, paint: () => state.replaceChildren(describe(device(id) ?? lamp)) };
  }
  const brightness = brightnessSlider(nameOf(lamp), lamp);
  const paint = () => {
    const level = value(device(id), 'brightness');
    if (level !== undefined) brightness.set(level);
  };
  return { node: h('li', {}, brightness.node), paint };
}
