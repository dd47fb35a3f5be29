// The state of a device as a table: each value with its provenance and age.
import { h } from '../base/dom.js';
import { age } from '../model/store.js';
import { ago, frequencyWithUnit, inputTitle, word } from '../model/words.js';
import { chip } from './chips.js';
import { rebuildIfChanged } from './rebuild.js';
import { titles } from './commands.js';
import { hasText, t } from '../base/text.js';

/** Returns its `node`; `paint(device)` shows the state. @param isOpen whether it begins unfolded */
export function deviceState(isOpen) {
  const content = h('div', {});
  const summary = h('summary', {}, t('control.state'));
  const node = h('details', { class: 'more-state', open: isOpen }, summary, content);
  return {
    node,
    paint(device) {
      rebuildIfChanged(content, keyOf(device), () => [table(device), attributes(device)]);
    },
  };
}
/** A text that differs when the table looks different. */
const keyOf = (device) =>
  JSON.stringify(
    Object.entries(device.state).map(([name, known]) => [
      name,
      known.value,
      known.provenance,
      ago(age(device, known)),
    ]),
  );
function table(device) {
  const headings = [t('control.what'), t('control.is'), t('control.how')];
  const rows = Object.entries(device.state).map(([name, known]) => row(device, name, known));
  return h(
    'table',
    'state-table',
    h('caption', 'sr', t('control.stateOf')),
    h('thead', 'sr', h('tr', {}, headings.map((text) => h('th', { scope: 'col' }, text)))),
    h('tbody', {}, rows),
  );
}
function row(device, name, known) {
  const { provenance } = known;
  const label = hasText(`state.${name}`) ? t(`state.${name}`) : name;
  const text = provenance === 'unknown' ? t('is.unknown') : valueText(name, known.value, device);
  const source = chip(provenance, `${word(provenance)} ${ago(age(device, known))}`);
  return h('tr', {}, h('th', { scope: 'row' }, label), h('td', {}, text), h('td', {}, source));
}
function valueText(name, value, device) {
  if (value === null || value === undefined) return t('is.none');
  switch (name) {
    case 'playback':
      return playbackText(value);
    case 'volume':
    case 'brightness':
      return `${value} %`;
    case 'frequency':
      return frequencyWithUnit(value);
    case 'input':
      return inputTitle(device, value);
    default:
      return plainText(value);
  }
}
function playbackText({ state, item }) {
  if (state === 'stopped') return t('is.nothing');
  return t(`disc.${state}`, { title: titles()[item] ?? item ?? '' });
}
function plainText(value) {
  if (value === true) return t('is.yes');
  return value === false ? t('is.no') : word(String(value));
}
/** The values that only this plugin reports, with its own labels; `null` for none. */
function attributes(device) {
  const labeled = Object.values(device.attributes)
    .filter(({ label, value }) => label && !Array.isArray(value));
  if (!labeled.length) return null;
  const facts = labeled.map(({ label, value, unit = '' }) => [
    h('dt', {}, label),
    h('dd', 'num', `${value} ${unit}`),
  ]);
  return h('dl', 'facts', facts);
}
