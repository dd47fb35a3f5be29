// The plugins that drive the devices: failed ones first.
import { h, clear } from './dom.js';
import { icon } from './icons.js';
import { get } from './api.js';
import * as theater from './store.js';
import { heading, chip, sheet, errorCard } from './parts.js';
import { sentence } from './forms.js';

export const title = 'Plugins';
const isUp = (plugin) => plugin.status === 'running', isOff = (plugin) => plugin.status === 'disabled';
const known = (plugin) => (isUp(plugin) ? 'reported' : isOff(plugin) ? 'off' : plugin.status === 'starting' ? 'busy' : 'failed');

export async function show(main) {
  const summary = h('p', { class: 'soft' }), grid = h('ul', { class: 'plugin-grid' });
  main.append(heading('Plugins', summary), grid);
  async function load() {
    try {
      const { plugins } = await get('/plugins'), sorted = [...plugins].sort((a, b) => (known(b) === 'failed') - (known(a) === 'failed') || isOff(a) - isOff(b));
      const parts = [['running', plugins.filter(isUp).length], ['not used', plugins.filter(isOff).length], ['failed', plugins.filter((one) => known(one) === 'failed').length]];
      summary.textContent = parts.filter(([, n]) => n).map(([word, n]) => `${n} ${word}`).join(', ');
      clear(grid, sorted.map(card));
    } catch (failure) { clear(grid, h('li', {}, errorCard('The plugins could not be read.', sentence(failure.message), h('button', { class: 'btn', type: 'button', onclick: load }, 'Try again')))); }
  }
  await load();
  let before = '';
  // A device that appears or goes is news of its plugin.
  return theater.watch(() => { const now = theater.devices().map((device) => device.availability).join(); if (before && now !== before) load(); before = now; });
}
function card(plugin) {
  const log = plugin.log?.length ? h('button', { class: 'btn quiet', type: 'button', onclick: () => sheet(`Log of ${plugin.id}`, h('pre', { class: 'log', tabindex: 0, 'aria-label': `Log of ${plugin.id}` }, plugin.log.join('\n'))) }, icon('log'), 'Log') : null;
  const fact = (name, text) => [h('dt', {}, name), h('dd', { class: 'num' }, text)];
  return h('li', { class: 'card plugin', data: { known: known(plugin) } }, h('div', { class: 'card-head' }, h('h2', { class: 'title-4' }, plugin.id, h('span', { class: 'tiny' }, ` ${plugin.version}`)), chip(known(plugin), isOff(plugin) ? 'not used' : plugin.status)),
    h('p', { class: 'small' }, plugin.devices.length ? `Controls ${plugin.devices.join(', ')}` : 'Controls nothing'),
    plugin.message ? (known(plugin) === 'failed' ? errorCard(sentence(plugin.message), 'Its log says more. The theater keeps trying.') : h('p', { class: 'plugin-note' }, sentence(plugin.message))) : null,
    h('dl', { class: 'facts' }, plugin.memory ? fact('Memory', `${(plugin.memory / 1e6).toFixed(1)} MB`) : null, fact('Restarts', String(plugin.restarts)), plugin.pid ? fact('Process', String(plugin.pid)) : null), log);
}
