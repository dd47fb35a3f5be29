// The controls of one device, in a sheet or beside the list of devices.
import { btn, h, setChildren, setText } from '../base/dom.js';
import { icon } from '../base/icons.js';
import * as theater from '../model/store.js';
import { describe, nameOf, value } from '../model/words.js';
import { small } from './cards.js';
import { sheet } from './dialogs.js';
import { errorCard } from './failures.js';
import { rebuildIfChanged } from './rebuild.js';
import { titles } from './commands.js';
import { deviceCommands } from './device-commands.js';
import { deviceState } from './device-state.js';
import { pluginPart } from './plugin-swap.js';
import { roleControls } from './role-controls.js';
import { faultCard, retry } from './runs.js';
import { sentence, t } from '../base/text.js';

/** Milliseconds between two updates of the ages of values. */
const AGE_PERIOD = 1000;
/** What changes while it is controlled: the controls follow it without being built anew. */
const CONTINUOUS = ['volume', 'brightness', 'playback', 'frequency', 'station'];
const SLIDERS = ['volume', 'brightness'];

/** Opens a device's controls, which follow its state until they are closed. */
export function deviceSheet(id) {
  const pane = h('div', 'device-sheet');
  const box = sheet(nameOf(theater.device(id), theater.devices()), pane);
  box.addEventListener('close', showControls(id, pane));
}
/**
 * Fills `pane` with a device's controls and keeps them up to date; returns a function that ends the
 * updates.
 * @param wide whether the state is unfolded from the beginning
 */
export function showControls(id, pane, { wide = false } = {}) {
  const description = h('p', 'soft');
  const trouble = h('div', {});
  const controls = h('div', 'controls');
  const state = deviceState(wide);
  const sliders = {};
  const canOperate = theater.mayOperate();
  setChildren(
    pane,
    description,
    trouble,
    controls,
    canOperate ? deviceCommands(id) : null,
    state.node,
    canOperate ? pluginPart(id) : null,
  );
  const paint = () => {
    const device = theater.device(id);
    if (!device) return;
    setText(description, sentence(describe(device, titles())));
    rebuildIfChanged(trouble, troubleKey(device), () => troubleCard(device));
    rebuildIfChanged(controls, controlsKey(device), () => roleControls(device, sliders));
    for (const name of SLIDERS) {
      const level = value(device, name);
      if (level !== undefined) sliders[name]?.set(level);
    }
    state.paint(device);
  };
  paint();
  return theater.watch(paint, AGE_PERIOD);
}

const troubleKey = (device) =>
  JSON.stringify([device.availability, device.reason, theater.failureOf(device)]);
/** A text that differs when the controls look different. */
function controlsKey(device) {
  const discrete = Object.entries(device.state).filter(([name]) => !CONTINUOUS.includes(name));
  const known = discrete.map(([name, { provenance, value: current }]) => [
    name,
    provenance === 'unknown' ? null : current,
  ]);
  return JSON.stringify([
    device.availability,
    known,
    value(device, 'playback')?.state,
    device.capabilities,
    theater.role(),
  ]);
}
/** The card of a device that has failed or is not reachable, with what to do; `null` for others. */
function troubleCard(device) {
  const failed = theater.activityFailedBy(device);
  if (failed) return failedCard(failed);
  if (device.availability !== 'unavailable') return null;
  return errorCard(sentence(t('control.silent')), [
    t('control.check'),
    small(device.reason && sentence(device.reason)),
  ]);
}
function failedCard(now) {
  const retryButton = btn('primary', (node) => retry(now, node), icon('fix'), t('do.retry'));
  return faultCard(now.error, theater.run(now), now.activity ? [retryButton] : []);
}
