// The plugin of a device: its log, and its replacement while everything runs.
import { get, path, post } from '../base/api.js';
import { h, setChildren } from '../base/dom.js';
import { icon } from '../base/icons.js';
import { sentence, t } from '../base/text.js';
import { device, devices, isOwner } from '../model/store.js';
import { nameOf, word } from '../model/words.js';
import { actionButton } from './actions.js';
import { chip } from './chips.js';
import { toggle } from './choices.js';
import { showFailure } from './failures.js';
import { formSheet, withProof } from './form-sheet.js';
import { field } from './forms.js';
import { toast } from './toasts.js';

/** The object of a JSON text; `undefined` if it is none. */
function parsed(text) {
  try {
    const value = JSON.parse(text || '{}');
    return value && typeof value === 'object' && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The part of a device's controls about its plugin; it loads when it is opened. */
export function pluginPart(id) {
  const content = h('div', 'controls');
  const part = h('details', 'more-state', h('summary', {}, t('plugin.title')), content);
  const load = async () => {
    const [log, { plugins }] = await Promise.all([get(path`/devices/${id}/log`), get('/plugins')]);
    const askForPlugin = () => askSwap(id, plugins, log.plugin, load);
    const lines = logLines(log);
    setChildren(
      content,
      pluginLine(log, plugins.find((one) => one.id === log.plugin)),
      log.message ? h('p', 'small', sentence(log.message)) : null,
      lines,
      h(
        'div',
        'control-keys',
        isOwner() ? actionButton('', askForPlugin, icon('plugins'), t('plugin.swap')) : null,
        actionButton('quiet', load, icon('log'), t('plugin.newer')),
      ),
    );
    lines.scrollTop = lines.scrollHeight;
  };
  part.addEventListener('toggle', () => {
    if (part.open && !content.children.length) load().catch(showFailure);
  });
  return part;
}
/** The name, version and status of a device's plugin. */
function pluginLine({ plugin: name, status }, plugin) {
  const known = status === 'running' ? 'reported' : 'failed';
  return h(
    'p',
    {},
    h('b', {}, name ?? t('plugin.none')),
    plugin ? h('span', 'soft', ` ${plugin.version} `) : ' ',
    status ? chip(known, word(status)) : null,
  );
}
function logLines({ plugin, lines }) {
  const label = t('plugin.logOf', { name: plugin ?? '' });
  const text = lines.join('\n') || t('plugin.quiet');
  return h('pre', { class: 'log', tabindex: 0, 'aria-label': label }, text);
}

/** The choice of a plugin, as a field of formSheet(). */
function pluginChoice(plugins) {
  const options = plugins.map((one) => h('option', { value: one.id }, one.id));
  const select = h('select', { id: 'swap-to' }, options);
  const label = h('label', { for: 'swap-to' }, t('plugin.title'));
  return {
    input: select,
    node: h('div', 'field', label, h('div', 'box', select)),
    get value() {
      return select.value;
    },
    valid: true,
    lock(isLocked) {
      select.disabled = isLocked;
    },
  };
}
/** Whether the swap is also written to the configuration, as a field of formSheet(). */
function saveChoice() {
  let isOn = false;
  const button = toggle(t('plugin.save'), false, (next) => {
    isOn = next;
  });
  return {
    input: button,
    node: button,
    get value() {
      return isOn;
    },
    valid: true,
    lock(isLocked) {
      button.disabled = isLocked;
    },
  };
}
const optionsField = () =>
  field({
    label: t('plugin.options'),
    name: 'options',
    note: t('plugin.optionsNote'),
    check: (text) => parsed(text) ? null : t('plugin.optionsWrong'),
  });
/** The device's entry in the configuration file, if that can be read. */
async function configuredEntry(id) {
  try {
    const { text } = await get('/configuration');
    return parsed(text)?.devices?.[id];
  } catch {
    return undefined;
  }
}

/** Asks for another plugin. @param swapped called after each swap */
async function askSwap(id, plugins, current, swapped) {
  const configured = await configuredEntry(id);
  const { role } = device(id);
  const fitting = plugins.filter((one) => one.id === current || one.roles.includes(role));
  const choice = pluginChoice(fitting);
  const options = optionsField();
  const fillOptions = () => {
    const isConfigured = choice.value === configured?.plugin;
    options.value = isConfigured ? JSON.stringify(configured.options ?? {}) : '';
    options.paint();
  };
  choice.input.value = fitting.find((one) => one.id !== current)?.id ?? current;
  choice.input.addEventListener('change', fillOptions);
  fillOptions();
  const name = nameOf(device(id), devices());
  const swap = (body) => withProof(() => post(path`/devices/${id}/plugin`, body));
  const swapBack = async () => {
    try {
      await swap({ plugin: configured.plugin, options: configured.options ?? {} });
      await swapped();
    } catch (failure) {
      showFailure(failure);
    }
  };
  formSheet({
    heading: t('plugin.swapOf', { name }),
    note: t('plugin.swapNote'),
    fields: [choice, options, saveChoice()],
    button: t('plugin.swap'),
    use: (plugin, text, save) =>
      swap({ plugin, ...(text.trim() && { options: parsed(text) }), save }),
    done: ({ plugin, saved }) => {
      swapped().catch(showFailure);
      const isOther = configured?.plugin && configured.plugin !== plugin && !saved;
      const back = { icon: 'plugins', label: t('plugin.back'), run: swapBack };
      const words = t(saved ? 'plugin.saved' : 'plugin.swapped', { plugin, name });
      toast(words, isOther ? back : undefined);
    },
  });
}
