// Every device: its state in the list, its controls beside it or in a sheet.
import { h, setChildren } from '../base/dom.js';
import { icon } from '../base/icons.js';
import * as theater from '../model/store.js';
import { heading, twoLines } from '../parts/cards.js';
import { chip, provenanceChip } from '../parts/chips.js';
import { rebuildIfChanged } from '../parts/rebuild.js';
import { deviceSheet, follow } from '../parts/controls.js';
import { ago, describe, ICONS, nameOf, word } from '../model/words.js';
import { titles } from '../parts/commands.js';
import { t } from '../base/text.js';

export const title = () => t('devices.title');
let current;

export function show(main) {
  const wide = matchMedia('(min-width: 1100px)'),
    list = h('ul', 'device-list'),
    summary = h('p', 'soft');
  const name = h('h2', { class: 'title-3', id: 'device-name' }),
    inside = h('div', 'device-sheet'),
    pane = h(
      'section',
      { class: 'card device-pane', 'aria-labelledby': 'device-name' },
      name,
      inside,
    );
  let stopFollowing = () => {};
  main.append(
    heading(
      title(),
      summary,
      theater.isOwner()
        ? h('a', { class: 'btn', href: '/setup' }, icon('search'), t('setup.title'))
        : null,
    ),
    h('div', 'device-split', list, pane),
  );

  const paint = () => {
    const all = theater.devices(),
      bad = all.filter((device) => provenanceChip(device) === 'failed').length;
    const words = bad
      ? t('devices.bad', { count: bad, total: all.length })
      : t('devices.good', { count: all.length });
    if (summary.textContent !== words) summary.textContent = words;
    rebuildIfChanged(
      list,
      JSON.stringify([
        current,
        wide.matches,
        all.map((
          device,
        ) => [device.id, describe(device, titles()), provenanceChip(device), ago(age(device))]),
      ]),
      () => all.map((device) => row(device, wide.matches, choose)),
    );
  };
  function choose(id) {
    current = id;
    if (!wide.matches) {
      deviceSheet(id);
      return;
    }
    open();
    paint();
  }
  function open() {
    stopFollowing();
    stopFollowing = () => {};
    const device = theater.device(current) ?? theater.devices()[0];
    if (!wide.matches || !device) {
      setChildren(inside);
      return;
    }
    current = device.id;
    name.textContent = nameOf(device, theater.devices());
    stopFollowing = follow(device.id, inside, { wide: true });
  }
  const turn = () => {
    open();
    paint();
  };
  open();
  paint();
  const unwatch = theater.watch(paint, 5000);
  wide.addEventListener('change', turn);
  return () => {
    stopFollowing();
    unwatch();
    wide.removeEventListener('change', turn);
  };
}
const age = (device) =>
  Math.min(...Object.values(device.state).map((x) => theater.age(device, x)), 1e9);
function row(device, isWide, choose) {
  const how = provenanceChip(device),
    words = { failed: t('is.failed'), off: ago(age(device)) }[how] ??
      `${word(how)} ${ago(age(device))}`;
  return h(
    'li',
    {},
    h(
      'button',
      {
        class: 'row device-row',
        'aria-current': isWide && device.id === current,
        data: { focus: device.id },
        onclick: () => choose(device.id),
      },
      h('span', {
        class: 'device-icon',
        data: {
          on: how === 'reported' || how === 'assumed' ? '1' : null,
          bad: how === 'failed' ? '1' : null,
        },
      }, icon(ICONS[device.role])),
      twoLines(nameOf(device, theater.devices()), describe(device, titles())),
      h('span', { class: 'end', data: { known: how } }, chip(how, words)),
    ),
  );
}
