// The navigation of the frame: the rail at the side, the tabs at the foot of a phone, and which
// screens a session may open.
import { ariaHidden, h } from '../base/dom.js';
import { mark } from '../base/form-icons.js';
import { icon } from '../base/icons.js';
import * as theater from '../model/store.js';
import { sheet } from '../parts/dialogs.js';
import { rebuildIfChanged } from '../parts/rebuild.js';
import { t } from '../base/text.js';

const { isOwner, mayChoose, mayOperate } = theater;
const mayOpenLibrary = () => mayChoose('films') || mayChoose('music');
/** The entries of the navigation. Without `isAllowed`, everybody has them. */
const ENTRIES = [
  { id: 'home', address: '/', icon: 'home' },
  { id: 'room', address: '/room', icon: 'room' },
  { id: 'library', address: '/library', icon: 'film', isAllowed: mayOpenLibrary },
  { id: 'radio', address: '/radio', icon: 'radio', isAllowed: () => mayChoose('stations') },
  { id: 'scenes', address: '/scenes', icon: 'scenes', isAllowed: mayOperate },
  { id: 'devices', address: '/devices', icon: 'devices', isAllowed: mayOperate },
  { id: 'people', address: '/people', icon: 'people', isAllowed: isOwner },
  { id: 'plugins', address: '/plugins', icon: 'plugins', isAllowed: mayOperate },
  { id: 'settings', address: '/settings', icon: 'settings' },
];
/** The entries that are tabs on a phone, as long as there is room; others are behind "More". */
const TABS = ['home', 'room', 'library', 'radio', 'devices', 'scenes'];
const MOST_TABS = 5;
/** The entries below the gap in the rail. */
const SECOND_GROUP = ['people', 'plugins', 'settings'];
/** The entry that is marked for a screen without one of its own. */
const PARENTS = {
  player: 'library',
  account: 'settings',
  editor: 'settings',
  doctor: 'settings',
  setup: 'devices',
};
/** Who may open a screen without an entry; the player is for all. */
const PERMISSIONS = { account: mayOperate, editor: isOwner, doctor: isOwner, setup: isOwner };

/** Whether this session may open a screen. */
export function mayOpen(screen) {
  const isAllowed = PERMISSIONS[screen] ?? ENTRIES.find(({ id }) => id === screen)?.isAllowed;
  return isAllowed?.() ?? true;
}
const allowedEntries = () => ENTRIES.filter(({ isAllowed }) => !isAllowed || isAllowed());
const nameOf = ({ id }) => t(`${id}.title`);
const tabsAmong = (entries) =>
  TABS.filter((id) => entries.some((entry) => entry.id === id)).slice(0, MOST_TABS);
/** On a narrow phone, the radio is behind "More", too. */
const isWideOnly = ({ id }) => id === 'radio';

/**
 * Returns the `rail` and the `tabs`; `mark(screen)` marks the entry of a screen in both, and
 * `update()` follows what the session may open in another configuration.
 */
export function navigation({ user }) {
  const railList = h('ul', {});
  const rail = makeRail(railList, user);
  const tabs = h('nav', { class: 'tabs', 'aria-label': t('frame.main') });
  let current = 'home';
  const update = () => {
    const entries = allowedEntries();
    const key = entries.map(({ id }) => id).join();
    rebuildIfChanged(railList, key, () => railItems(entries));
    rebuildIfChanged(tabs, key, () => tabItems(entries));
    markEntry(rail, tabs, current);
  };
  update();
  return {
    rail,
    tabs,
    update,
    mark(screen) {
      current = screen;
      markEntry(rail, tabs, current);
    },
  };
}
function markEntry(rail, tabs, screen) {
  const links = [rail, tabs].flatMap((nav) => [...nav.querySelectorAll('[data-place]')]);
  const isEntry = (id) => links.some(({ dataset }) => dataset.place === id);
  const parent = PARENTS[screen] ?? screen;
  const current = isEntry(parent) ? parent : 'home';
  for (const link of links) markCurrent(link, link.dataset.place === current);
  const isTab = [...tabs.querySelectorAll('[data-place]')]
    .some(({ dataset }) => dataset.place === current);
  markCurrent(tabs.querySelector('.more'), !isTab);
}
function markCurrent(node, isCurrent) {
  if (isCurrent) node.setAttribute('aria-current', 'page');
  else node.removeAttribute('aria-current');
}

function makeRail(list, user) {
  const brand = h(
    'a',
    { class: 'rail-brand', href: '/', 'aria-label': t('frame.home') },
    mark(),
    h('span', {}, 'Home Theater'),
  );
  const account = h(
    'a',
    { class: 'rail-user', href: user.role === 'guest' ? '/settings' : '/account' },
    ariaHidden('span', 'face', [...user.name][0]),
    h('span', {}, user.name, h('span', 'tiny block', t(`role.${user.role}`))),
  );
  return h('nav', { class: 'rail', 'aria-label': t('frame.main') }, brand, list, account);
}
function railItems(entries) {
  const firstOfSecondGroup = entries.find(({ id }) => SECOND_GROUP.includes(id));
  // Settings alone need no gap.
  const hasGap = firstOfSecondGroup.id !== 'settings';
  return entries.map((entry) => {
    const isFirstBelowGap = hasGap && entry === firstOfSecondGroup;
    return h('li', { class: isFirstBelowGap ? 'apart' : null }, entryLink(entry));
  });
}
function tabItems(entries) {
  const tabs = tabsAmong(entries);
  const isTab = ({ id }) => tabs.includes(id);
  const others = entries.filter((entry) => isWideOnly(entry) || !isTab(entry));
  return [...entries.filter(isTab).map(tabLink), makeMoreButton(others)];
}
const entryLink = (entry, kind) =>
  h(
    'a',
    { class: kind, href: entry.address, data: { place: entry.id } },
    icon(entry.icon),
    h('span', {}, nameOf(entry)),
  );
const tabLink = (entry) => entryLink(entry, isWideOnly(entry) ? 'wide-only' : undefined);

function makeMoreButton(entries) {
  const open = () => {
    const close = () => box.close();
    const rows = entries.map((entry) => row(entry, close));
    const box = sheet(t('frame.more'), h('ul', 'rows', rows));
  };
  return h(
    'button',
    { class: 'more', 'aria-haspopup': 'dialog', onclick: open },
    icon('more'),
    h('span', {}, t('frame.more')),
  );
}
const row = (entry, close) =>
  h(
    'li',
    {},
    h(
      'a',
      { class: 'row', href: entry.address, onclick: close },
      icon(entry.icon, { class: 'row-icon' }),
      h('span', 'name', nameOf(entry)),
      icon('chevron', { class: 'row-icon soft' }),
    ),
  );
