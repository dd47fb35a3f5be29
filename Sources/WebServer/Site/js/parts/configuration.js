// devices.json as a text: the entry of one device in it, and the sheet that shows a difference and saves it.
import { h } from '../base/dom.js';
import { send } from '../base/api.js';
import { chip, showFailure } from './parts.js';
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
  const { problems, changes } = await send('POST', '/configuration/difference', text, {
      isText: true,
    }),
    mistake = problems.find((one) => one.severity === 'error');
  if (mistake) {
    showFailure({ status: 0, ...mistake });
    return;
  }
  const box = formSheet({
    heading: t('editor.difference'),
    note: changes.length ? '' : t('editor.same'),
    button: t('editor.save'),
    refused,
    done,
    use: () => {
      saving?.();
      return withProof(() =>
        send('PUT', '/configuration', text, { isText: true, headers: { 'If-Match': `"${hash}"` } })
      );
    },
  });
  box.querySelector('form').prepend(...more, ...(changes.length ? [differences(changes)] : []));
}
export const differences = (changes) =>
  h(
    'ul',
    'changes',
    changes.map(({ kind, section, name, keys, live }) =>
      h(
        'li',
        {},
        chip(live ? 'reported' : 'unknown', t(live ? 'editor.live' : 'editor.next')),
        h(
          'span',
          {},
          h('b', {}, t(`editor.${kind}`, { what: [section, name].filter(Boolean).join('.') })),
          keys.length ? h('span', 'small block mono', keys.join(', ')) : null,
        ),
      )
    ),
  );

/** A value as it is written in one line. */
export function line(value) {
  if (Array.isArray(value)) return `[${value.map(line).join(', ')}]`;
  return value && typeof value === 'object'
    ? `{${
      Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${line(one)}`).join(', ')
    }}`
    : JSON.stringify(value);
}
/** The text, which is valid JSON, with another entry of a device; every other byte stays. @throws Error if it does not have the device */
export function withEntry(text, device, entry) {
  const [start, end] = placeOf(text, ['devices', device]);
  return text.slice(0, start) + line(entry) + text.slice(end);
}
/** The text, which is valid JSON, with the entry of a further device behind the others; every other byte stays. */
export function withNewEntry(text, device, entry) {
  const before = text.slice(0, placeOf(text, ['devices'])[1] - 1).trimEnd();
  return `${before}${before.endsWith('{') ? '' : ','}\n    ${JSON.stringify(device)}: ${
    line(entry)
  }${text.slice(before.length)}`;
}
/** The names of the secrets in options, each once. */
export function secretsIn(options) {
  if (!options || typeof options !== 'object') return [];
  if (typeof options.secret === 'string' && Object.keys(options).length === 1) {
    return [options.secret];
  }
  return [...new Set(Object.values(options).flatMap(secretsIn))];
}
/** Where the value at the end of a path of keys begins and ends. */
function placeOf(text, keys) {
  let at = 0;
  const space = () => {
    while (/\s/.test(text[at])) at += 1;
  };
  const skipText = () => {
    at += 1;
    while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
    at += 1;
  };
  const skipValue = () => {
    let depth = 0;
    do {
      if (text[at] === '"') {
        skipText();
        continue;
      }
      if ('{['.includes(text[at])) depth += 1;
      if ('}]'.includes(text[at])) depth -= 1;
      at += 1;
    } while (depth || !/[\s,}\]]/.test(text[at]));
  };
  for (const wanted of keys) {
    space();
    at += 1; // the brace
    for (;;) {
      space();
      const start = at;
      if (text[at] !== '"') throw new Error(`no ${wanted} in the text`);
      skipText();
      const key = JSON.parse(text.slice(start, at));
      space();
      at += 1;
      space(); // the colon
      if (key === wanted) break;
      skipValue();
      space();
      at += 1; // the comma
    }
  }
  const start = at;
  skipValue();
  return [start, at];
}
/** The entry of a device with what was found. Options of the same plugin stay, and folders are added to its folders. */
export function merged(entry, found) {
  if (entry.plugin !== found.plugin) {
    return { ...entry, plugin: found.plugin, options: found.options };
  }
  const options = { ...entry.options };
  for (const [key, value] of Object.entries(found.options)) {
    const present = options[key];
    options[key] = key === 'folders' && Array.isArray(present)
      ? [...present, ...value.filter((one) => !present.includes(one))]
      : value;
  }
  return { ...entry, options };
}
/** The entry of a device that is simulated from now on. */
export const simulated = ({ options, ...entry }) => ({ ...entry, plugin: 'Simulated' });
