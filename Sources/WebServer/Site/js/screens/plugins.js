// The plugins that drive the devices: failed ones first.
import { get } from '../base/api.js';
import { btn, h, setChildren } from '../base/dom.js';
import { icon } from '../base/icons.js';
import { number, sentence, t } from '../base/text.js';
import * as theater from '../model/store.js';
import { nameOf, word } from '../model/words.js';
import { heading } from '../parts/cards.js';
import { chip } from '../parts/chips.js';
import { sheet } from '../parts/dialogs.js';
import { errorCard, failureCard } from '../parts/failures.js';

export const title = () => t('plugins.title');

const BYTES_IN_MB = 1e6;
/** The look of a plugin by its status; all others are failures. */
const LOOKS = { running: 'reported', disabled: 'off', starting: 'busy' };
const look = ({ status }) => LOOKS[status] ?? 'failed';
const isFailed = (plugin) => look(plugin) === 'failed';

export async function show(main) {
  const summary = h('p', 'soft');
  const grid = h('ul', 'plugin-grid');
  main.append(heading(title(), summary), grid);
  let lastLoad = 0;
  const load = async () => {
    lastLoad += 1;
    const loadNumber = lastLoad;
    const isNewest = () => loadNumber === lastLoad;
    try {
      const { plugins } = await get('/plugins');
      if (!isNewest()) return;
      summary.textContent = summaryOf(plugins);
      setChildren(grid, sorted(plugins).map(card));
    } catch (failure) {
      if (!isNewest()) return;
      setChildren(grid, h('li', {}, failureCard(t('plugins.unread'), failure, load)));
    }
  };
  let known = theater.store.availabilityChanges;
  await load();
  // A device that appears or goes is news of its plugin.
  const follow = () => {
    const current = theater.store.availabilityChanges;
    if (current !== known) load();
    known = current;
  };
  follow();
  return theater.watch(follow);
}

/** Failed ones first, disabled ones last. */
function sorted(plugins) {
  const rank = (plugin) => {
    if (isFailed(plugin)) return 0;
    return plugin.status === 'disabled' ? 2 : 1;
  };
  return [...plugins].sort((one, other) => rank(one) - rank(other));
}
function summaryOf(plugins) {
  const counts = [
    ['is.running', plugins.filter(({ status }) => status === 'running').length],
    ['is.disabled', plugins.filter(({ status }) => status === 'disabled').length],
    ['is.failed', plugins.filter(isFailed).length],
  ];
  return counts.filter(([, count]) => count).map(([key, count]) => `${t(key)}: ${count}`).join(
    ', ',
  );
}

function showLog({ id, log }) {
  const label = t('plugin.logOf', { name: id });
  sheet(label, h('pre', { class: 'log', tabindex: 0, 'aria-label': label }, log.join('\n')));
}
/** The name of a device, which may be gone. */
function shownName(id) {
  const known = theater.device(id);
  return known ? nameOf(known) : id;
}
function controls({ devices }) {
  if (!devices.length) return t('plugins.idle');
  return t('plugins.controls', { devices: devices.map(shownName).join(', ') });
}
function messageOf(plugin) {
  if (!plugin.message) return null;
  const message = sentence(plugin.message);
  return isFailed(plugin) ? errorCard(message, t('plugins.more')) : h('p', 'plugin-note', message);
}
function facts({ memory, restarts, pid }) {
  const fact = (name, text) => [h('dt', {}, name), h('dd', 'num', text)];
  const megabytes = () => t('unit.MB', { count: number(memory / BYTES_IN_MB, 1) });
  return h(
    'dl',
    'facts',
    memory ? fact(t('plugins.memory'), megabytes()) : null,
    fact(t('plugins.restarts'), String(restarts)),
    pid ? fact(t('plugins.process'), String(pid)) : null,
  );
}
function card(plugin) {
  const { id, version, status, log } = plugin;
  const logButton = btn('quiet', () => showLog(plugin), icon('log'), t('plugins.log'));
  const head = h(
    'div',
    'card-head',
    h('h2', 'title-4', id, h('span', 'tiny', ` ${version}`)),
    chip(look(plugin), word(status)),
  );
  return h(
    'li',
    { class: 'card plugin', data: { known: look(plugin) } },
    head,
    h('p', 'small', controls(plugin)),
    messageOf(plugin),
    facts(plugin),
    log?.length ? logButton : null,
  );
}
