// Every command of a device, with its argument, from the API's own description.
import { h, loadOnce } from '../base/dom.js';
import { get, path } from '../base/api.js';
import { runAction } from './actions.js';
import { showFailure } from './failures.js';
import { send } from './commands.js';
import { sentence, t } from '../base/text.js';

const loadCommandSchemas = loadOnce(async () => {
  const { components } = await get('/openapi.json');
  return components.schemas.Command.anyOf[1].properties;
});

/** A closed part with the commands; they load when it is opened, and again after a failure. */
export function deviceCommands(id) {
  const node = h('details', 'more-state', h('summary', {}, t('control.commands')));
  node.addEventListener('toggle', () => {
    const isEmpty = node.children.length === 1;
    if (node.open && isEmpty) list(id, node);
  });
  return node;
}
async function list(id, node) {
  const notice = h('p', { class: 'small', role: 'status' }, t('control.loading'));
  node.append(notice);
  try {
    const [{ commands }, schemas] = await Promise.all([
      get(path`/devices/${id}`),
      loadCommandSchemas(),
    ]);
    const rows = commands.map((command) => h('li', {}, row(id, command, schemas[command.name])));
    notice.replaceWith(h('ul', 'rows command-list', rows));
  } catch (failure) {
    notice.remove();
    showFailure(failure);
  }
}
function row(id, command, schema) {
  const { name, help } = command;
  const argument = command.argument ? argumentField(name, schema) : null;
  const button = h('button', {
    class: 'btn',
    type: 'submit',
    'aria-label': t('control.sendOne', { name }),
  }, t('control.send'));
  const submit = (event) => {
    event.preventDefault();
    const value = argument?.read();
    if (value === undefined && command.argumentIsRequired) {
      argument.node.focus();
      showMissingArgument(command);
      return;
    }
    runAction(button, () => send(id, value === undefined ? name : { [name]: value }));
  };
  return h(
    'form',
    { class: 'row still-row command', novalidate: true, onsubmit: submit },
    h('span', {}, h('span', 'name mono', name), h('span', 'sub', help)),
    h('span', 'end', argument?.node, button),
  );
}
function showMissingArgument({ name, argument }) {
  const message = t('control.needs', { name });
  showFailure({ status: 0, message, hint: sentence(argument) });
}
/** The field of an argument; `read()` returns its value, `undefined` for none. */
function argumentField(name, schema) {
  const types = [schema.type ?? 'null'].flat();
  const isInteger = types.includes('integer');
  const isNumber = isInteger || types.includes('number');
  const isItem = types.includes('object');
  const node = h('input', {
    class: 'plain',
    'aria-label': t('control.value', { name }),
    type: isNumber ? 'number' : 'text',
    min: schema.minimum,
    max: schema.maximum,
    step: isInteger ? 1 : 'any',
    placeholder: isItem ? 'item' : schema.description ?? '',
  });
  const read = () => {
    if (node.value === '') return undefined;
    if (isNumber) return Number(node.value);
    return isItem ? { item: node.value } : node.value;
  };
  return { node, read };
}
