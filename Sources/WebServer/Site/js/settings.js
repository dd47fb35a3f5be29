// Settings: how the page looks on this device, the way to one's account, the theater.
import { h, clear } from './dom.js';
import { get, post, remove } from './api.js';
import * as theater from './store.js';
import { heading, segments, toggle, slider, toast, act, complain } from './parts.js';
import { look, keepLook } from './look.js';
import { leavingEnds, setLeavingEnds } from './leaving.js';
import { languageChoice } from './language.js';
import { t } from './text.js';

export const title = t('settings.title');
const root = document.documentElement;

export function show(main, { exit }) {
  const logout = h('button', { class: 'btn', type: 'button', onclick: () => act(logout, async () => {
    const kept = look();
    await remove('/sessions/current');
    // The answer clears what the browser stores; how the page looks here is no secret of the account.
    keepLook(kept);
    await exit();
  }) }, t('settings.logOut'));
  main.append(heading(title, logout), h('div', { class: 'two-col' }, h('div', { class: 'col' }, appearance(), theater.mayOperate() ? house() : null),
    h('div', { class: 'col' }, theater.mayOperate() ? account() : null, playing())));
}
const card = (text, id, ...inside) => h('section', { class: 'card', 'aria-labelledby': id }, h('h2', { class: 'title-4', id }, text), h('div', { class: 'setting-list' }, inside));
const one = (name, sub, end) => h('div', { class: 'setting' }, h('span', {}, name, sub ? h('span', { class: 'small block' }, sub) : null), end);
const quiet = (text, label, run) => { const node = h('button', { class: 'btn quiet', type: 'button', 'aria-label': label, onclick: () => run(node) }, text); return node; };

function appearance() {
  const set = (theme) => { if (theme === 'auto') delete root.dataset.theme; else root.dataset.theme = theme; keepLook({ theme: theme === 'auto' ? undefined : theme }); };
  return card(t('settings.look'), 'h-look', one(t('settings.language'), '', languageChoice(theater.role() === 'guest' ? undefined : (language) => post('/account/language', { language }).catch(complain))), h('p', { class: 'label' }, t('settings.theme')), segments(t('settings.theme'), ['auto', 'night', 'matinee'].map((id) => [id, t(`theme.${id}`)]), look().theme ?? 'auto', set),
    toggle(t('settings.still'), look().still, (on) => { if (on) root.dataset.motion = 'still'; else delete root.dataset.motion; keepLook({ still: on }); }, t('settings.stillNote')),
    slider({ label: t('settings.size'), min: 90, max: 140, step: 5, value: look().size ?? 100, onchange: (size) => { root.style.fontSize = `${size}%`; keepLook({ size }); } }).node);
}
function account() {
  const { name, email } = theater.store.session.user;
  return card(t('account.title'), 'h-account', one(name, email, h('a', { class: 'btn quiet', href: '/account', 'aria-label': t('account.open') }, t('account.change'))));
}
function playing() {
  return card(t('playing.title'), 'h-playing', toggle(t('leaving.setting'), leavingEnds(), setLeavingEnds, t('leaving.settingNote')), toggle(t('keys.setting'), look().keys, (keys) => keepLook({ keys }), t('keys.note')));
}
const open = (href, label) => h('a', { class: 'btn quiet', href, 'aria-label': t(label) }, t('settings.open'));
function house() {
  const address = h('span', { class: 'small block mono' }, location.origin), list = card(t('settings.theater'), 'h-theater',
    one(t('settings.scan'), t('settings.scanNote'), quiet(t('settings.rescan'), t('settings.scan'), (node) => act(node, async () => { const found = await post('/library/scan'); toast(`${[['films', found.films], ['music', found.songs], ['stations', found.stations]].map(([kind, count]) => t(`count.${kind}`, { count })).join(', ')}.`); }))),
    one(t('settings.off'), t('settings.offNote'), quiet(t('do.turnOff'), t('settings.turnOff'), (node) => act(node, async () => { theater.keepRun((await post('/off')).run); toast(t('settings.offDone')); }))),
    theater.isOwner() ? [one(t('editor.title'), t('editor.about'), open('/configuration', 'editor.title')), one(t('doctor.title'), t('doctor.about'), open('/doctor', 'doctor.title'))] : null,
    h('div', { class: 'setting' }, h('span', {}, t('settings.address'), address)));
  get('/address').then((found) => { clear(address, found.address ?? location.origin, found.fingerprint ? h('span', { class: 'block' }, t('settings.certificate', { fingerprint: found.fingerprint })) : null); }, () => {});
  return list;
}
