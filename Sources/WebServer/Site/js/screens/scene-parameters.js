// The fields for the parameters of a scene: a choice of items, or a text.
import { h } from '../base/dom.js';
import { devicesOfScene, isPlayableBy } from '../model/activities.js';
import { loadPage } from '../model/store.js';
import { capitalized, hasText, t } from '../base/text.js';

/** The list that offers the values of a kind of parameter. */
const LISTS = { film: 'films', song: 'music', station: 'stations' };
/** With more items than that, the id is typed. */
const MOST_CHOICES = 500;

/**
 * Returns a field for each parameter of a scene.
 * @param values gets the value of each parameter by its name
 * @param onchange called after a change of a value
 */
export const parameterFields = (scene, values, onchange) =>
  Promise.all(
    Object.entries(scene.parameters).map(([name, kind]) =>
      parameterField(scene, name, kind, values, onchange)
    ),
  );
async function parameterField(scene, name, kind, values, onchange) {
  const list = LISTS[kind];
  const { items: all, total } = list ? await loadItems(list) : { items: [] };
  const devices = devicesOfScene(scene);
  const items = all.filter((item) => isPlayableBy(devices, item));
  values[name] ??= items[0]?.id ?? '';
  const setValue = ({ target }) => {
    values[name] = target.value;
    onchange();
  };
  const label = hasText(`parameter.${kind}`) ? t(`parameter.${kind}`) : capitalized(name);
  const isTyped = !list || total > MOST_CHOICES;
  return isTyped
    ? textField(label, values[name], setValue)
    : itemField(label, name, items, values[name], setValue);
}
/** The first items of a list; none without an answer. */
const loadItems = (list) => loadPage(list, { limit: MOST_CHOICES }).catch(() => ({ items: [] }));

const textField = (label, value, onchange) =>
  h(
    'label',
    'field',
    h('span', 'label', label),
    h('span', 'box', h('input', { value, onchange })),
  );
function itemField(label, name, items, value, onchange) {
  const id = `p-${name}`;
  const options = items.map((item) => {
    const option = h('option', { value: item.id }, item.title);
    option.selected = item.id === value;
    return option;
  });
  const select = h('select', { id, onchange }, options);
  return h('div', 'field', h('label', { for: id }, label), h('div', 'box', select));
}
