// The first step of the setup of a device: the choice among what was found for it.
import { btn, h } from '../base/dom.js';
import { icon } from '../base/icons.js';
import { path, send } from '../base/api.js';
import { actionButton } from '../parts/actions.js';
import { chip } from '../parts/chips.js';
import { rebuildIfChanged } from '../parts/rebuild.js';
import { withProof } from '../parts/form-sheet.js';
import { merged, secretsIn } from '../parts/configuration.js';
import { formatOnOneLine } from '../parts/configuration-text.js';
import { plainField } from './setup-search.js';
import { findingsFor, isSimulated, lastFindings } from './setup-store.js';
import { t } from '../base/text.js';

/**
 * Returns the step as its `node`; `update()` shows the findings of a newer search, and keeps
 * passwords that are being typed.
 * @param save saves the entry that a function makes from the present one
 * @param search begins a search
 * @param restore makes the device a simulated one again
 */
export function choiceStep(device, { save, search, restore }) {
  const content = h('div', 'setup-inside');
  /** The fields for passwords of a finding, by its id and their secrets. */
  const passwordFields = {};
  let shown = [];
  const isTyped = ({ id }) => Object.values(passwordFields[id] ?? {}).some(({ value }) => value);
  const rowOf = (finding) => {
    passwordFields[finding.id] ??= {};
    return findingRow(device, finding, passwordFields[finding.id], save);
  };
  function update() {
    const found = findingsFor(device);
    // The newest search may have missed a device whose password is being typed.
    const isMissed = (old) => isTyped(old) && !found.some(({ id }) => id === old.id);
    shown = [...found, ...shown.filter(isMissed)];
    const key = JSON.stringify([!!lastFindings(), shown]);
    const build = () =>
      shown.length ? h('ul', 'setup-findings', shown.map(rowOf)) : nothingFound(search);
    rebuildIfChanged(content, key, build);
  }
  update();
  const isReal = !isSimulated(device);
  const node = h(
    'li',
    { data: { done: isReal ? '1' : null } },
    h('h3', 'title-4', t('setup.choose')),
    content,
    isReal ? actionButton('quiet', restore, icon('back'), t('setup.back')) : null,
  );
  return { node, update };
}
function nothingFound(search) {
  const hasSearched = !!lastFindings();
  const next = hasSearched
    ? h('a', { class: 'btn', href: '/configuration' }, icon('settings'), t('editor.title'))
    : btn('', search, icon('search'), t('setup.search'));
  return [
    h('p', 'small', t(hasSearched ? 'setup.none' : 'setup.notYet')),
    h('div', 'control-keys', next),
  ];
}
function findingRow(device, finding, fields, save) {
  const foundEntry = finding.entries[device.role];
  const mergeInto = (entry) => merged(entry, foundEntry);
  const isUsed = formatOnOneLine(mergeInto(device.entry)) === formatOnOneLine(device.entry);
  const names = isUsed ? [] : secretsIn(foundEntry.options);
  for (const name of names) {
    fields[name] ??= plainField('setup.secret', 'secret', { secret: true });
  }
  const use = async () => {
    await saveSecrets(names, fields);
    await save(mergeInto);
  };
  return h(
    'li',
    {},
    h(
      'div',
      { lang: 'en' },
      h('b', 'block', finding.title),
      h('span', 'small block', finding.place),
      finding.notes.map((note) => h('p', 'small', note)),
    ),
    names.map((name) => fields[name].node),
    isUsed ? chip('reported', t('setup.used')) : useButton(finding, use),
  );
}
function useButton({ title }, use) {
  const button = actionButton('', use, t('setup.use'));
  button.setAttribute('aria-label', t('setup.useOne', { title }));
  return button;
}
/** Saves the passwords that were typed; the entries only name them. */
async function saveSecrets(names, fields) {
  for (const name of names) {
    const box = fields[name];
    if (!box.value) continue;
    await withProof(() => send('PUT', path`/secrets/${name}`, { text: box.value }));
    box.clear();
  }
}
