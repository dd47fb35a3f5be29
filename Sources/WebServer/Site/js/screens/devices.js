// Every device: its state in the list, its controls beside it or in a sheet.
import { h, setChildren, setText } from '../base/dom.js';
import { icon } from '../base/icons.js';
import { t } from '../base/text.js';
import * as theater from '../model/store.js';
import { ago, describe, deviceIcon, nameOf, word } from '../model/words.js';
import { heading, twoLines } from '../parts/cards.js';
import { chip, stateProvenance } from '../parts/chips.js';
import { titles } from '../parts/commands.js';
import { deviceSheet, showControls } from '../parts/controls.js';
import { rebuildIfChanged } from '../parts/rebuild.js';

export const title = () => t('devices.title');

/** The times since the last reports are shown anew this often. */
const AGE_PERIOD_MS = 5000;
/** An age in seconds for a device that has reported nothing. */
const NO_REPORT = 1e9;
/** Screens of this width have room for the controls beside the list. */
const wide = matchMedia('(min-width: 1100px)');
/** The id of the chosen device; it stays when the screen is left. */
let chosenID;

/** The controls of the chosen device beside the list. */
function controlsPane() {
  const name = h('h2', { class: 'title-3', id: 'device-name' });
  const controls = h('div', 'device-sheet');
  let stopFollowing = () => {};
  return {
    node: h(
      'section',
      { class: 'card device-pane', 'aria-labelledby': 'device-name' },
      name,
      controls,
    ),
    /** Shows the chosen device, or the first one; nothing where there is no room. */
    open() {
      stopFollowing();
      stopFollowing = () => {};
      const device = theater.device(chosenID) ?? theater.devices()[0];
      if (!wide.matches || !device) {
        setChildren(controls);
        return;
      }
      chosenID = device.id;
      name.textContent = nameOf(device, theater.devices());
      stopFollowing = showControls(device.id, controls, { wide: true });
    },
    end: () => stopFollowing(),
  };
}

/** How many devices there are, or have failed. */
function summaryOf(devices) {
  if (!theater.store.status) return t('now.unknown');
  const failed = devices.filter((device) => stateProvenance(device) === 'failed').length;
  if (failed) return t('devices.bad', { count: failed, total: devices.length });
  return t('devices.good', { count: devices.length });
}

export function show(main) {
  const list = h('ul', 'device-list');
  const summary = h('p', 'soft');
  const pane = controlsPane();
  const paint = () => {
    const devices = theater.devices();
    setText(summary, summaryOf(devices));
    const shown = devices.map((device) => [
      device.id,
      describe(device, titles()),
      stateProvenance(device),
      ago(age(device)),
    ]);
    const key = JSON.stringify([chosenID, wide.matches, shown]);
    rebuildIfChanged(list, key, () => devices.map((device) => row(device, choose)));
  };
  const openAndPaint = () => {
    pane.open();
    paint();
  };
  const choose = (id) => {
    chosenID = id;
    if (wide.matches) openAndPaint();
    else deviceSheet(id);
  };
  const setupLink = h('a', { class: 'btn', href: '/setup' }, icon('search'), t('setup.title'));
  main.append(
    heading(title(), summary, theater.isOwner() ? setupLink : null),
    h('div', 'device-split', list, pane.node),
  );
  openAndPaint();
  const unwatch = theater.watch(paint, AGE_PERIOD_MS);
  wide.addEventListener('change', openAndPaint);
  return () => {
    pane.end();
    unwatch();
    wide.removeEventListener('change', openAndPaint);
  };
}

/** Seconds since the last report of a device. */
function age(device) {
  const ages = Object.values(device.state).map((value) => theater.age(device, value));
  return Math.min(...ages, NO_REPORT);
}
/** How a device's state is known, and since when. */
function provenanceWords(known, device) {
  if (known === 'failed') return t('is.failed');
  const time = ago(age(device));
  return known === 'off' ? time : `${word(known)} ${time}`;
}
function row(device, choose) {
  const known = stateProvenance(device);
  const isOn = known === 'reported' || known === 'assumed';
  const marks = { on: isOn ? '1' : null, bad: known === 'failed' ? '1' : null };
  const props = {
    class: 'row device-row',
    'aria-current': wide.matches && device.id === chosenID,
    data: { focus: device.id },
    onclick: () => choose(device.id),
  };
  const button = h(
    'button',
    props,
    h('span', { class: 'device-icon', data: marks }, icon(deviceIcon(device))),
    twoLines(nameOf(device, theater.devices()), describe(device, titles())),
    h('span', { class: 'end', data: { known } }, chip(known, provenanceWords(known, device))),
  );
  return h('li', {}, button);
}
