// Settings: how the page looks on this device, the way to one's account, the theater.
import { h, clear } from './dom.js';
import { get, post, remove } from './api.js';
import * as theater from './store.js';
import { heading, segments, toggle, slider, toast, act } from './parts.js';
import { t } from './text.js';

export const title = 'Settings';
const root = document.documentElement;
const look = () => JSON.parse(localStorage.getItem('theater-look') ?? '{}');
const keepLook = (change) => localStorage.setItem('theater-look', JSON.stringify({ ...look(), ...change }));

export function show(main, { exit }) {
  const logout = h('button', { class: 'btn', type: 'button', onclick: () => act(logout, async () => {
    const kept = localStorage.getItem('theater-look');
    await remove('/sessions/current');
    // The answer clears what the browser stores; how the page looks here is no secret of the account.
    if (kept) localStorage.setItem('theater-look', kept);
    await exit();
  }) }, 'Log out');
  main.append(heading('Settings', logout), h('div', { class: 'two-col' }, h('div', { class: 'col' }, appearance(), theater.mayOperate() ? house() : null),
    h('div', { class: 'col' }, theater.mayOperate() ? account() : null)));
}
const card = (text, id, ...inside) => h('section', { class: 'card', 'aria-labelledby': id }, h('h2', { class: 'title-4', id }, text), h('div', { class: 'setting-list' }, inside));
const one = (name, sub, end) => h('div', { class: 'setting' }, h('span', {}, name, sub ? h('span', { class: 'small block' }, sub) : null), end);
const quiet = (text, label, run) => { const node = h('button', { class: 'btn quiet', type: 'button', 'aria-label': label, onclick: () => run(node) }, text); return node; };

function appearance() {
  const set = (theme) => { if (theme === 'auto') delete root.dataset.theme; else root.dataset.theme = theme; keepLook({ theme: theme === 'auto' ? undefined : theme }); };
  return card('Appearance', 'h-look', h('p', { class: 'label' }, 'Theme'), segments('Theme', [['auto', 'As the device'], ['night', 'Night'], ['matinee', 'Matinée']], look().theme ?? 'auto', set),
    toggle('Reduce motion', look().still, (on) => { if (on) root.dataset.motion = 'still'; else delete root.dataset.motion; keepLook({ still: on }); }, 'Everything is still shown, without movement.'),
    slider({ label: 'Text size', min: 90, max: 140, step: 5, value: look().size ?? 100, onchange: (size) => { root.style.fontSize = `${size}%`; keepLook({ size }); } }).node);
}
function account() {
  const { name, email } = theater.store.session.user;
  return card(t('account.title'), 'h-account', one(name, email, h('a', { class: 'btn quiet', href: '/account', 'aria-label': t('account.open') }, t('account.change'))));
}
function house() {
  const address = h('span', { class: 'small block mono' }), list = card('The theater', 'h-theater',
    one('Read the library again', 'Films, songs and stations of every player', quiet('Rescan', 'Read the library again', (node) => act(node, async () => { const found = await post('/library/scan'); toast(`${found.films} films, ${found.songs} songs, ${found.stations} stations.`); }))),
    one('Everything off', 'Your position is kept', quiet('Turn off', 'Turn everything off', (node) => act(node, async () => { theater.keepRun((await post('/off')).run); toast('Everything is being turned off.'); }))),
    h('div', { class: 'setting' }, h('span', {}, 'Address', address)));
  get('/address').then((found) => { clear(address, found.address ?? location.origin, found.fingerprint ? h('span', { class: 'block' }, `Certificate ${found.fingerprint}`) : null); }, () => { address.textContent = location.origin; });
  return list;
}
