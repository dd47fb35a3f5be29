// Chips: how the state of something is known, or what state it is.
import { ariaHidden, h } from '../base/dom.js';
import { t } from '../base/text.js';
import { failureOf } from '../model/store.js';
import { describe, describeLamps, lampsName, nameOf } from '../model/words.js';
import { rebuildIfChanged } from './rebuild.js';

/** @param known the look: `reported`, `assumed`, `unknown`, `off`, `busy` or `failed` */
export const chip = (known, text) =>
  h('span', { class: 'chip', data: { known } }, ariaHidden('span', 'dot'), text);

/** How the state of the lamps of an area is known: as that of one that failed or is on. */
export function lampsProvenance(lamps) {
  const all = lamps.map(stateProvenance);
  const order = ['failed', 'unknown', 'assumed', 'reported', 'off'];
  return order.find((one) => all.includes(one));
}
/** Returns how a device's state is known: `failed`, `off`, `unknown`, `assumed` or `reported`. */
export function stateProvenance(device) {
  if (failureOf(device) || device.availability === 'unavailable') return 'failed';
  if ([t('is.off'), t('is.up')].includes(describe(device))) return 'off';
  const provenances = Object.values(device.state).map(({ provenance }) => provenance);
  return ['unknown', 'assumed', 'reported'].find((one) => provenances.includes(one)) ?? 'unknown';
}

/** What a device does, and how that is known. @param titles of items by id */
export const factOf = (device, titles) => ({
  known: stateProvenance(device),
  text: `${nameOf(device)}: ${describe(device, titles)}`,
});
/** What the lamps of an area do together, and how that is known. */
export const factOfLamps = (group) => ({
  known: lampsProvenance(group.lamps),
  text: `${lampsName(group)}: ${describeLamps(group.lamps)}`,
});
/** Shows facts as the chips of a list. */
export function paintFacts(list, facts) {
  const build = () => facts.map(({ known, text }) => h('li', {}, chip(known, text)));
  rebuildIfChanged(list, JSON.stringify(facts), build);
}
