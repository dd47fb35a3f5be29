// The household: accounts, invitations, guest passes, the log of what happened. For owners.
import { h, clear } from './dom.js';
import { icon } from './icons.js';
import { get, post, remove } from './api.js';
import * as theater from './store.js';
import { heading, sheet, segments, slider, toast, ask, act, complain, errorCard } from './parts.js';
import { sentence } from './forms.js';
import { when, clockTime } from './text.js';

export const title = 'People';
const ROLE = { owner: 'Owner', member: 'Member', guest: 'Guest' };
const DAY = 86_400;

export async function show(main) {
  const household = h('ul', { class: 'rows' }), open = h('ul', { class: 'rows' }), log = h('ol', { class: 'audit' });
  const card = (text, id, inside) => h('section', { class: 'card', 'aria-labelledby': id }, h('h2', { class: 'title-4', id }, text), inside);
  main.append(heading('People', h('button', { class: 'btn primary', type: 'button', onclick: () => invite(load) }, icon('plus'), 'Invite')),
    h('div', { class: 'two-col' }, h('div', { class: 'col' }, card('Household', 'h-household', household), card('Guests and invitations', 'h-open', open)), h('div', { class: 'col' }, card('Activity log', 'h-log', log))));
  async function load() {
    try {
      const [{ accounts }, { invitations }, { guests }, { entries }] = await Promise.all([get('/accounts'), get('/invitations'), get('/guests'), get('/audit?limit=40')]);
      clear(household, accounts.map((one) => person(one, load)));
      clear(open, !guests.length && !invitations.length ? h('li', { class: 'soft' }, 'Nobody is invited.') : null, guests.map((one) => pass(one, load)), invitations.map((one) => invitation(one, load)));
      clear(log, [...entries].reverse().map(entry));
    } catch (failure) { clear(household, h('li', {}, errorCard('The people could not be read.', sentence(failure.message), h('button', { class: 'btn', type: 'button', onclick: load }, 'Try again')))); }
  }
  await load();
}
const line = (picture, name, sub, end) => h('li', { class: 'row still-row' }, icon(picture, { class: 'row-icon soft' }), h('span', {}, h('span', { class: 'name' }, name), h('span', { class: 'sub' }, sub)), end);
function person(one, load) {
  const isOwn = one.email === theater.store.session.user.email;
  return h('li', {}, h('button', { class: 'row', type: 'button', onclick: () => edit(one, isOwn, load) }, h('span', { class: 'face', 'aria-hidden': 'true' }, [...one.name][0]), h('span', {}, h('span', { class: 'name' }, one.name, isOwn ? h('span', { class: 'soft' }, ' · you') : null), h('span', { class: 'sub' }, one.ageLimit === undefined ? one.email : `Titles up to age ${one.ageLimit} · ${one.email}`)), h('span', { class: 'end' }, h('span', {}, ROLE[one.role]), icon('chevron', { class: 'row-icon' }))));
}
function edit(one, isOwn, load) {
  const path = `/accounts/${encodeURIComponent(one.id)}`, change = (what, body, said) => post(`${path}/${what}`, body).then(() => { toast(said); load(); }, complain);
  let timer;
  const limit = slider({ label: 'Titles up to', min: 0, max: 21, value: one.ageLimit ?? 21, says: (x) => (x >= 21 ? 'no limit' : `age ${x}`), onchange: (x) => { clearTimeout(timer); timer = setTimeout(() => change('age-limit', x >= 21 ? {} : { ageLimit: x }, x >= 21 ? `${one.name} has no age limit now.` : `${one.name} sees titles up to age ${x}.`), 700); } });
  const box = sheet(one.name, h('p', { class: 'soft' }, `${one.email} · since ${new Date(one.created).toLocaleDateString()}`), h('div', { class: 'controls' },
    h('p', { class: 'label' }, 'Role'), segments('Role', [['member', 'Member'], ['owner', 'Owner']], one.role, (role) => change('role', { role }, `${one.name} is ${role === 'owner' ? 'an owner' : 'a member'} now.`)), limit.node,
    isOwn ? null : h('button', { class: 'btn danger wide', type: 'button', onclick: () => { box.close(); ask(`Remove ${one.name}?`, 'The account and its saved positions are deleted. Its sessions end at once. This cannot be undone.', { yes: 'Remove', danger: true, run: () => remove(path).then(() => { toast(`${one.name} was removed.`); load(); }, complain) }); } }, 'Remove the account')));
}
const revoke = (label, question, path, said, load) => h('button', { class: 'btn quiet', type: 'button', 'aria-label': label, onclick: () => ask(question, 'Its link stops working, and its sessions end at once.', { yes: 'Revoke', danger: true, run: () => remove(path).then(() => { toast(said); load(); }, complain) }) }, 'Revoke');
function pass(one, load) {
  return line('link', one.name, `${one.activities.join(', ')}, volume up to ${one.volumeLimit} %, ends ${when(one.expires)}`, revoke(`Revoke the pass ${one.name}`, 'Revoke this pass?', `/guests/${encodeURIComponent(one.id)}`, 'The pass is revoked.', load));
}
function invitation(one, load) {
  return line('user', `Invitation as ${one.role}`, `Not used yet, ends ${when(one.expires)}`, revoke('Revoke the invitation', 'Revoke this invitation?', `/invitations/${encodeURIComponent(one.id)}`, 'The invitation is revoked.', load));
}
function invite(load) {
  let kind = 'member', volumeLimit = 40, hours = 6;
  const name = h('input', { class: 'plain wide', 'aria-label': 'Name of the pass', placeholder: 'Friends on Saturday', maxlength: 100 }), activities = new Set(['film', 'music', 'radio']);
  const choice = (id, text) => { const node = h('button', { class: 'btn', type: 'button', 'aria-pressed': 'true', onclick: () => { const on = node.getAttribute('aria-pressed') !== 'true'; node.setAttribute('aria-pressed', on); if (on) activities.add(id); else activities.delete(id); } }, text); return node; };
  const limits = h('div', { class: 'controls', hidden: true }, name, h('p', { class: 'label' }, 'May start'), h('div', { class: 'control-keys' }, choice('film', 'Films'), choice('music', 'Music'), choice('radio', 'Radio')),
    slider({ label: 'Loudest volume', value: volumeLimit, onchange: (x) => { volumeLimit = x; } }).node, slider({ label: 'Valid for', min: 1, max: 48, value: hours, says: (x) => `${x} h`, onchange: (x) => { hours = x; } }).node);
  const about = h('p', { class: 'soft' }), say = () => { limits.hidden = kind !== 'guest'; about.textContent = { member: 'A member has an account and may do everything but manage people. The link is good for one person and seven days.', guest: 'A guest needs no account and may start only what you allow.', owner: 'An owner may do everything, this too. The link is good for one person and seven days.' }[kind]; };
  const button = h('button', { class: 'btn primary big wide', type: 'button', onclick: () => act(button, async () => {
    const made = kind === 'guest' ? await post('/guests', { activities: [...activities], volumeLimit, validFor: hours * 3600, ...(name.value.trim() && { name: name.value.trim() }) }) : await post('/invitations', { role: kind, validFor: 7 * DAY });
    box.close(); load(); showLink(`${location.origin}/${kind === 'guest' ? 'guest' : 'register'}#${made.code}`, made.code, kind);
  }) }, icon('link'), 'Create the link');
  const box = sheet('Invite someone', h('div', { class: 'controls' }, segments('Kind', [['member', 'Member'], ['guest', 'Guest'], ['owner', 'Owner']], kind, (next) => { kind = next; say(); }), about, limits, button));
  say();
}
/** Shows the link once: the controller keeps only its digest. */
function showLink(address, code, kind) {
  const field = h('input', { class: 'plain wide mono', readonly: true, value: address, 'aria-label': 'Link', onfocus: () => field.select() });
  const copy = h('button', { class: 'btn primary wide', type: 'button', onclick: async () => { try { await navigator.clipboard.writeText(address); toast('The link is copied.'); } catch { field.focus(); field.select(); toast('Copy it with the keys of your device.'); } } }, icon('link'), 'Copy the link');
  const share = navigator.share ? h('button', { class: 'btn wide', type: 'button', onclick: () => navigator.share({ url: address, title: 'Home Theater' }).catch(() => {}) }, 'Share') : null;
  sheet(kind === 'guest' ? 'The guest’s link' : 'The invitation’s link', h('div', { class: 'controls' }, h('p', { class: 'soft' }, 'It is shown only now. Whoever has it can use it, so give it to one person.'), field, copy, share, h('p', { class: 'small' }, 'Code to type: ', h('span', { class: 'mono' }, code))));
}
function entry(one) {
  const bad = !['done', 'ok', 'succeeded', 'allowed', 'success'].includes(one.outcome), words = one.deed.replace(/([A-Z])/g, ' $1').toLowerCase();
  return h('li', { data: { bad: bad ? '1' : null } }, h('span', { class: 'tiny num' }, clockTime(one.at)), h('span', {}, [one.who, words, one.subject, bad ? `(${one.outcome.replace(/([A-Z])/g, ' $1').toLowerCase()})` : ''].filter(Boolean).join(' '), h('span', { class: 'tiny block' }, [one.address, one.device, one.count ? `${one.count} times` : ''].filter(Boolean).join(' · '))));
}
