// The configuration: the sheet that shows what a new devices.json changes and saves it, and the
// entries of devices in it.
import { h } from '../base/dom.js';
import { send } from '../base/api.js';
import { chip } from './chips.js';
import { showFailure } from './failures.js';
import { formSheet, withProof } from './form-sheet.js';
import { t } from '../base/text.js';

/**
 * Opens a sheet with what would change; its button saves the text.
 * @param text the new text, and `hash` the version from which it was made
 * @param more shown above the difference
 * @param saving called before the text is sent
 * @param done called with the controller's answer
 */
export async function saveSheet({ text, hash, more = [], saving, refused, done }) {
  const { problems, changes } = await sendText('POST', '/configuration/difference', text);
  const mistake = problems.find(({ severity }) => severity === 'error');
  if (mistake) {
    showFailure({ status: 0, ...mistake });
    return;
  }
  const save = () => {
    saving?.();
    const headers = { 'If-Match': `"${hash}"` };
    return withProof(() => sendText('PUT', '/configuration', text, headers));
  };
  const box = formSheet({
    heading: t('editor.difference'),
    note: changes.length ? '' : t('editor.same'),
    button: t('editor.save'),
    refused,
    done,
    use: save,
  });
  const difference = changes.length ? [differences(changes)] : [];
  box.querySelector('form').prepend(...more, ...difference);
}
const sendText = (method, address, text, headers) =>
  send(method, address, text, { isText: true, headers });

/** The list of what another devices.json changes, and whether that needs a restart. */
export const differences = (changes) => h('ul', 'changes', changes.map(changeRow));
function changeRow({ kind, section, name, keys, live }) {
  const what = [section, name].filter(Boolean).join('.');
  const details = h(
    'span',
    {},
    h('b', {}, t(`editor.${kind}`, { what })),
    keys.length ? h('span', 'small block mono', keys.join(', ')) : null,
  );
  const moment = live ? chip('reported', t('editor.live')) : chip('unknown', t('editor.next'));
  return h('li', {}, moment, details);
}

/** The names of the secrets in options, each once. */
export function secretsIn(options) {
  if (!options || typeof options !== 'object') return [];
  const isSecret = typeof options.secret === 'string' && Object.keys(options).length === 1;
  if (isSecret) return [options.secret];
  return [...new Set(Object.values(options).flatMap(secretsIn))];
}
/**
 * The entry of a device with what was found. Options of the same plugin stay, and folders are added
 * to its folders.
 */
export function merged(entry, found) {
  if (entry.plugin !== found.plugin) {
    return { ...entry, plugin: found.plugin, options: found.options };
  }
  const options = { ...entry.options, ...found.options };
  const folders = entry.options?.folders;
  if (found.options.folders && Array.isArray(folders)) {
    const added = found.options.folders.filter((folder) => !folders.includes(folder));
    options.folders = [...folders, ...added];
  }
  return { ...entry, options };
}
/** The entry of a device that is simulated from now on. */
export function simulated(entry) {
  const { options: _, ...rest } = entry;
  return { ...rest, plugin: 'Simulated' };
}
