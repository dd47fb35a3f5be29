// The plugins that drive the devices: failed ones first.
import { btn, h, setChildren } from '../base/dom.js';
import { icon } from '../base/icons.js';
import { get } from '../base/api.js';
import * as theater from '../model/store.js';
import { heading } from '../parts/cards.js';
import { chip } from '../parts/chips.js';
import { sheet } from '../parts/dialogs.js';
import { errorCard, failureCard } from '../parts/failures.js';
import { word } from '../model/words.js';
import { number, sentence, t } from '../base/text.js';

export const title = () => t('plugins.title');
const isUp = (plugin) => plugin.status === 'running',
  isOff = (plugin) => plugin.status === 'disabled';
const known = (
  plugin,
) => (isUp(plugin)
  ? 'reported'
  : isOff(plugin)
  ? 'off'
  : plugin.status === 'starting'
  ? 'busy'
  : 'failed');

export async function show(main) {
  const summary = h('p', 'soft'), grid = h('ul', 'plugin-grid');
  main.append(heading(title(), summary), grid);
  let turn = 0;
  async function load() {
    const mine = ++turn;
    try {
      const { plugins } = await get('/plugins'),
        sorted = [...plugins].sort((a, b) =>
          (known(b) === 'failed') - (known(a) === 'failed') || isOff(a) - isOff(b)
        );
      const parts = [['is.running', plugins.filter(isUp).length], [
        'is.disabled',
        plugins.filter(isOff).length,
      ], ['is.failed', plugins.filter((one) => known(one) === 'failed').length]];
      if (mine !== turn) return;
      summary.textContent = parts.filter(([, n]) => n).map(([key, n]) => `${t(key)}: ${n}`).join(
        ', ',
      );
      setChildren(grid, sorted.map(card));
    } catch (failure) {
      if (mine === turn) {
        setChildren(grid, h('li', {}, failureCard(t('plugins.unread'), failure, load)));
      }
    }
  }
  await load();
  let before = '';
  // A device that appears or goes is news of its plugin.
  return theater.watch(() => {
    const now = theater.devices().map((device) => device.availability).join();
    if (before && now !== before) load();
    before = now;
  });
}
function card(plugin) {
  const log = plugin.log?.length
    ? btn(
      'quiet',
      () =>
        sheet(
          t('plugin.logOf', { name: plugin.id }),
          h('pre', {
            class: 'log',
            tabindex: 0,
            'aria-label': t('plugin.logOf', { name: plugin.id }),
          }, plugin.log.join('\n')),
        ),
      icon('log'),
      t('plugins.log'),
    )
    : null;
  const fact = (name, text) => [h('dt', {}, name), h('dd', 'num', text)];
  return h(
    'li',
    { class: 'card plugin', data: { known: known(plugin) } },
    h(
      'div',
      'card-head',
      h('h2', 'title-4', plugin.id, h('span', 'tiny', ` ${plugin.version}`)),
      chip(known(plugin), word(plugin.status)),
    ),
    h(
      'p',
      'small',
      plugin.devices.length
        ? t('plugins.controls', { devices: plugin.devices.join(', ') })
        : t('plugins.idle'),
    ),
    plugin.message
      ? (known(plugin) === 'failed'
        ? errorCard(sentence(plugin.message), t('plugins.more'))
        : h('p', 'plugin-note', sentence(plugin.message)))
      : null,
    h(
      'dl',
      'facts',
      plugin.memory
        ? fact(t('plugins.memory'), t('unit.MB', { count: number(plugin.memory / 1e6, 1) }))
        : null,
      fact(t('plugins.restarts'), String(plugin.restarts)),
      plugin.pid ? fact(t('plugins.process'), String(plugin.pid)) : null,
    ),
    log,
  );
}
