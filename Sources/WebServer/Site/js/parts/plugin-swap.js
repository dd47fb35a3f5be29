// The plugin of a device: its log, and its replacement while everything runs.
import { h, setChildren } from '../base/dom.js';
import { icon } from '../base/icons.js';
import { get, path, post } from '../base/api.js';
import { actionButton } from './actions.js';
import { chip } from './chips.js';
import { toggle } from './choices.js';
import { showFailure } from './failures.js';
import { toast } from './toasts.js';
import { field } from './forms.js';
import { formSheet, withProof } from './form-sheet.js';
import { device, devices, isOwner } from '../model/store.js';
import { nameOf, word } from '../model/words.js';
import { sentence, t } from '../base/text.js';

const parsed = (text) => {
  try {
    const value = JSON.parse(text || '{}');
    return value && typeof value === 'object' && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

/** The part of a device's controls about its plugin; it loads when it is opened. */
export function pluginPart(id) {
  const inside = h('div', 'controls'),
    part = h('details', 'more-state', h('summary', {}, t('plugin.title')), inside);
  const load = async () => {
    const [log, { plugins }] = await Promise.all([get(path`/devices/${id}/log`), get('/plugins')]),
      plugin = plugins.find((one) => one.id === log.plugin);
    const again = actionButton('quiet', load, icon('log'), t('plugin.newer')),
      swap = actionButton(
        '',
        () => askSwap(id, plugins, log.plugin, load),
        icon('plugins'),
        t('plugin.swap'),
      );
    const lines = h('pre', {
      class: 'log',
      tabindex: 0,
      'aria-label': t('plugin.logOf', { name: log.plugin ?? '' }),
    }, log.lines.join('\n') || t('plugin.quiet'));
    setChildren(
      inside,
      h(
        'p',
        {},
        h('b', {}, log.plugin ?? t('plugin.none')),
        plugin ? h('span', 'soft', ` ${plugin.version} `) : ' ',
        log.status
          ? chip(log.status === 'running' ? 'reported' : 'failed', word(log.status))
          : null,
      ),
      log.message ? h('p', 'small', sentence(log.message)) : null,
      lines,
      h('div', 'control-keys', isOwner() ? swap : null, again),
    );
    lines.scrollTop = lines.scrollHeight;
  };
  part.addEventListener('toggle', () => {
    if (part.open && !inside.children.length) load().catch(showFailure);
  });
  return part;
}
async function askSwap(id, plugins, now, done) {
  // The device's entry in the configuration file, which the toast after a swap offers to restore.
  const kept = await get('/configuration').then(
    ({ text }) => parsed(text)?.devices?.[id],
    () => undefined,
  );
  const { role } = device(id),
    fit = plugins.filter((one) => one.id === now || one.roles.includes(role)),
    select = h(
      'select',
      { id: 'swap-to' },
      fit.map((one) => h('option', { value: one.id }, one.id)),
    );
  const choice = {
    input: select,
    node: h(
      'div',
      'field',
      h('label', { for: 'swap-to' }, t('plugin.title')),
      h('div', 'box', select),
    ),
    get value() {
      return select.value;
    },
    valid: true,
    lock(on) {
      select.disabled = on;
    },
  };
  const options = field({
    label: t('plugin.options'),
    name: 'options',
    note: t('plugin.optionsNote'),
    check: (text) => (parsed(text) ? null : t('plugin.optionsWrong')),
  });
  let isKept = false;
  const save = toggle(t('plugin.save'), false, (on) => {
      isKept = on;
    }),
    saving = {
      input: save,
      node: save,
      get value() {
        return isKept;
      },
      valid: true,
      lock(on) {
        save.disabled = on;
      },
    };
  const fill = () => {
    options.value = select.value === kept?.plugin ? JSON.stringify(kept.options ?? {}) : '';
    options.paint();
  };
  select.value = fit.find((one) => one.id !== now)?.id ?? now;
  select.addEventListener('change', fill);
  fill();
  const name = nameOf(device(id), devices()),
    put = (body) => withProof(() => post(path`/devices/${id}/plugin`, body));
  formSheet({
    heading: t('plugin.swapOf', { name }),
    note: t('plugin.swapNote'),
    fields: [choice, options, saving],
    button: t('plugin.swap'),
    use: (plugin, text, isSaved) =>
      put({ plugin, ...(text.trim() && { options: parsed(text) }), save: isSaved }),
    done: ({ plugin, saved }) => {
      done().catch(showFailure);
      const back = kept?.plugin && kept.plugin !== plugin && !saved
        ? {
          icon: 'plugins',
          label: t('plugin.back'),
          run: () =>
            put({ plugin: kept.plugin, options: kept.options ?? {} }).then(done).catch(showFailure),
        }
        : undefined;
      toast(t(saved ? 'plugin.saved' : 'plugin.swapped', { plugin, name }), back);
    },
  });
}
