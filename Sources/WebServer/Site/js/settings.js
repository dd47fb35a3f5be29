// Settings: how the page looks on this device, one's own account and sessions, the theater.
import { h, clear } from './dom.js';
import { icon } from './icons.js';
import { get, post, remove } from './api.js';
import * as theater from './store.js';
import { heading, segments, toggle, slider, toast, ask, chip, act, sheet, complain } from './parts.js';
import { field, busyButton, formError } from './forms.js';
import { passwordForm } from './reset.js';
import { when } from './text.js';

export const title = 'Settings';
const root = document.documentElement;
const look = () => JSON.parse(localStorage.getItem('theater-look') ?? '{}');
const keepLook = (change) => localStorage.setItem('theater-look', JSON.stringify({ ...look(), ...change }));

export async function show(main, { exit }) {
  const logout = h('button', { class: 'btn', type: 'button', onclick: () => act(logout, async () => {
    const kept = localStorage.getItem('theater-look');
    await remove('/sessions/current');
    // The answer clears what the browser stores; how the page looks here is no secret of the account.
    if (kept) localStorage.setItem('theater-look', kept);
    await exit();
  }) }, 'Log out');
  const hasAccount = theater.role() !== 'guest', account = h('div', { class: 'setting-list' }), sessions = h('ul', { class: 'rows' });
  main.append(heading('Settings', logout), h('div', { class: 'two-col' }, h('div', { class: 'col' }, appearance(), theater.mayOperate() ? house() : null),
    h('div', { class: 'col' }, hasAccount ? [h('section', { class: 'card', 'aria-labelledby': 'h-account' }, h('h2', { class: 'title-4', id: 'h-account' }, 'Account'), account), sessionCard(sessions, exit)] : null)));
  if (hasAccount) await Promise.all([loadAccount(account), loadSessions(sessions, exit)]).catch(complain);
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
function house() {
  const address = h('span', { class: 'small block mono' }), list = card('The theater', 'h-theater',
    one('Read the library again', 'Films, songs and stations of every player', quiet('Rescan', 'Read the library again', (node) => act(node, async () => { const found = await post('/library/scan'); toast(`${found.films} films, ${found.songs} songs, ${found.stations} stations.`); }))),
    one('Everything off', 'Your position is kept', quiet('Turn off', 'Turn everything off', (node) => act(node, async () => { theater.keepRun((await post('/off')).run); toast('Everything is being turned off.'); }))),
    h('div', { class: 'setting' }, h('span', {}, 'Address', address)));
  get('/address').then((found) => { clear(address, found.address ?? location.origin, found.fingerprint ? h('span', { class: 'block' }, `Certificate ${found.fingerprint}`) : null); }, () => { address.textContent = location.origin; });
  return list;
}

async function loadAccount(host) {
  const { user } = await get('/account'), again = () => loadAccount(host).catch(complain);
  clear(host, one(user.name, 'How the theater greets you', quiet('Change', 'Change the name', () => changeName(user, again))), one(user.email, user.emailVerified ? 'Verified' : 'Not verified: codes cannot be sent to it', null),
    one('Password', '', quiet('Change', 'Change the password', () => changePassword(user))), one('Second factor', user.secondFactor ? `An app; ${user.recoveryCodesLeft ?? 0} recovery codes left` : 'Set it up in the terminal: theater account', chip(user.secondFactor ? 'reported' : 'off', user.secondFactor ? 'on' : 'off')));
}
function changeName(user, done) {
  const name = field({ label: 'Name', name: 'name', autocomplete: 'name', check: (text) => (text.trim() ? null : 'Type the name.') }), error = formError(), button = h('button', { class: 'btn primary wide', type: 'submit' }, 'Save');
  name.value = user.name;
  const form = h('form', { class: 'controls', novalidate: true }, name.node, error.node, button), box = sheet('Your name', form);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (!name.valid) { name.look('submit'); return; }
    error.hide(); busyButton(button, true, 'Saving …');
    try { await post('/account/name', { name: name.value }); box.close(); toast('Your name is changed.'); done(); } catch (failure) { busyButton(button, false, 'Save'); error.show(failure); }
  });
}
async function changePassword(user) {
  const now = field({ label: 'Present password', name: 'password', secret: true, autocomplete: 'current-password', check: (text) => (text ? null : 'Enter your present password.') });
  let box;
  try {
    const form = await passwordForm({ email: user.email, name: user.name, heading: 'Your new password', button: 'Set the password',
      use: (newPassword) => { if (!now.valid) { now.look('submit'); return Promise.reject({ message: 'Your present password is missing', status: 0, code: 'network' }); } return post('/account/password', { password: now.value, newPassword }, { open: true }); },
      done: () => { box.close(); toast('The password is changed. Other sessions have ended.'); } });
    form.node.className = 'controls'; form.node.removeAttribute('aria-labelledby');
    for (const part of form.node.querySelectorAll('.brand, h1')) part.remove();
    form.node.prepend(now.node);
    box = sheet('Change the password', form.node);
  } catch (failure) { complain(failure); }
}

function sessionCard(list, exit) {
  const end = h('button', { class: 'btn quiet', type: 'button', onclick: () => ask('End all other sessions?', 'Your other devices will have to log in again.', { yes: 'End them', run: () => remove('/sessions/others').then(({ ended }) => { toast(`${ended} ${ended === 1 ? 'session' : 'sessions'} ended.`); loadSessions(list, exit).catch(complain); }, complain) }) }, 'End others');
  return h('section', { class: 'card', 'aria-labelledby': 'h-sessions' }, h('div', { class: 'card-head' }, h('h2', { class: 'title-4', id: 'h-sessions' }, 'Sessions'), end), list);
}
async function loadSessions(list, exit) {
  const { sessions } = await get('/sessions');
  clear(list, sessions.map((session) => h('li', { class: 'row still-row' }, icon(/phone|android|mobile/i.test(session.device) ? 'phone' : 'screen', { class: 'row-icon soft' }), h('span', {}, h('span', { class: 'name' }, session.device || 'A program'), h('span', { class: 'sub' }, `${session.address} · opened ${when(session.opened)} · seen ${when(session.lastSeen)}`)),
    session.current ? chip('reported', 'this one') : quiet('End', `End the session of ${session.device || 'a program'}`, (node) => act(node, async () => { await remove(`/sessions/${encodeURIComponent(session.id)}`); await loadSessions(list, exit); })))));
}
