// The controls of one device: what a press in the room or in the list of devices opens.
import { h, clear } from './dom.js';
import { icon } from './icons.js';
import { get, post } from './api.js';
import { slider, segments, toggle, chip, sheet, act, errorCard, renew, complain, paced } from './parts.js';
import { describe, value, ago, INPUT, nameOf } from './words.js';
import { knob } from './knob.js';
import { sentence } from './forms.js';
import * as theater from './store.js';
import { send, setVolume, titles } from './commands.js';
import { placeOf } from './runs.js';

/** Opens a device's controls, which follow its state until they are closed. */
export function deviceSheet(id) {
  const pane = h('div', { class: 'device-sheet' }), device = theater.device(id);
  const box = sheet(nameOf(device, theater.devices()), pane), close = follow(id, pane);
  box.addEventListener('close', close);
}
/** Fills `pane` with a device's controls and keeps them up to date; returns how to end that. */
export function follow(id, pane, { wide = false } = {}) {
  const said = h('p', { class: 'soft' }), trouble = h('div', {}), live = h('div', { class: 'controls' }), table = h('div', {}), more = h('details', { class: 'more-state' }, h('summary', {}, 'All commands')), state = h('details', { class: 'more-state', open: wide }, h('summary', {}, 'State'), table);
  const pieces = {};
  clear(pane, said, trouble, live, theater.mayOperate() ? more : null, state);
  more.addEventListener('toggle', () => { if (more.open && more.children.length === 1) listCommands(id, more); });
  const paint = () => {
    const device = theater.device(id);
    if (!device) return;
    const words = sentence(describe(device, titles()));
    if (said.textContent !== words) said.textContent = words;
    renew(trouble, JSON.stringify([device.availability, device.reason, theater.activity().error]), () => complaint(device));
    renew(live, JSON.stringify(keyOf(device)), () => controls(device, pieces));
    if (value(device, 'volume') !== undefined) pieces.volume?.set(value(device, 'volume'));
    if (value(device, 'brightness') !== undefined) pieces.brightness?.set(value(device, 'brightness'));
    renew(table, JSON.stringify(Object.entries(device.state).map(([key, x]) => [key, x.value, x.provenance, ago(theater.age(device, x))])), () => stateTable(device));
  };
  paint();
  const unwatch = theater.watch(paint), timer = setInterval(paint, 1000);
  return () => { unwatch(); clearInterval(timer); };
}
const SLIDING = ['volume', 'brightness', 'playback', 'frequency', 'station'];
const keyOf = (device) => [device.availability, Object.entries(device.state).filter(([key]) => !SLIDING.includes(key)).map(([key, x]) => [key, x.provenance === 'unknown' ? null : x.value]), value(device, 'playback')?.state, device.capabilities, theater.role()];

/** What is wrong with a device, and what can be done. */
function complaint(device) {
  const { error, status, activity, item } = theater.activity();
  if (status === 'failed' && error?.device === device.id) {
    const again = h('button', { class: 'btn primary', type: 'button', onclick: () => act(again, () => post(`/activities/${encodeURIComponent(activity)}`, item ? { item } : {})) }, icon('fix'), 'Try again');
    return errorCard(sentence(error.message), [placeOf(error, theater.run()), error.hint].filter(Boolean).join(' '), activity ? again : null);
  }
  if (device.availability === 'unavailable') return errorCard(sentence(device.reason ?? 'It does not answer'), 'The theater keeps trying. Check its cable and power.');
  return null;
}

const key = (device, text, picture, command, props = {}) => { const node = h('button', { class: 'btn', type: 'button', data: { focus: text }, ...props, onclick: () => act(node, () => send(device.id, command)) }, icon(picture), text); return node; };
const keys = (...list) => h('div', { class: 'control-keys' }, list);
function power(device) {
  const on = ['on', 'warming'].includes(value(device, 'power'));
  return key(device, on ? 'Turn off' : 'Turn on', 'power', on ? 'off' : 'on', { class: 'btn wide', 'aria-pressed': on, data: { focus: 'power' } });
}
const choice = (device, label, options, current, command) => [h('p', { class: 'label' }, label), segments(label, options, current, (id) => send(device.id, command(id)).catch(complain))];

function controls(device, pieces) {
  const v = (name) => value(device, name), can = theater.mayOperate(), off = device.availability !== 'available';
  const out = [];
  switch (device.role) {
    case 'amplifier': {
      pieces.volume = knob({ label: 'Volume', value: v('volume') ?? 0, onchange: setVolume });
      out.push(h('div', { class: 'knob-box' }, pieces.volume.node), toggle('Mute', v('muted'), (on) => send(device.id, on ? 'mute' : 'unmute').catch(complain)));
      if (can) out.push(choice(device, 'Input', inputs(device), v('input'), (input) => ({ input })), choice(device, 'Sound', [['stereo', 'Stereo'], ['surround', 'Surround']], v('mode'), (mode) => mode), power(device));
      break;
    }
    case 'lights': {
      if (!can) break;
      const dim = paced((to) => send(device.id, to ? { dim: to } : 'off'));
      pieces.brightness = slider({ label: 'Brightness', value: v('brightness') ?? 0, says: (x) => (x ? `${x} %` : 'off'), onchange: dim });
      out.push(pieces.brightness.node, keys([['Off', 'off'], ['10 %', { dim: 10 }], ['40 %', { dim: 40 }], ['Full', 'on']].map(([text, command]) => key(device, text, 'light', command))));
      break;
    }
    case 'screen':
      if (can) out.push(keys(key(device, 'Up', 'previous', 'up', { }), device.capabilities.includes('stop') ? key(device, 'Stop', 'stop', 'stop') : null, key(device, 'Down', 'down', 'down')));
      break;
    case 'projector':
      if (can) out.push(power(device), choice(device, 'Picture', [['wideScreen', 'Wide screen'], ['tv', 'TV']], v('picture'), (id) => (id === 'tv' ? 'tvMode' : 'wideScreenMode')));
      break;
    case 'popcornPopper':
      if (can) out.push(key(device, 'Pop one batch', 'popcorn', 'pop', { class: 'btn primary big wide' }), power(device));
      break;
    case 'tuner':
      out.push(h('a', { class: 'btn wide', href: '/radio' }, icon('radio'), 'Open the dial'));
      if (can) out.push(power(device));
      break;
    default: {
      const state = v('playback')?.state;
      out.push(keys(state === 'playing' ? key(device, 'Pause', 'pause', 'pause') : can || state === 'paused' ? key(device, 'Play', 'play', 'play') : null, key(device, 'Previous', 'previous', 'previous'), key(device, 'Next', 'next', 'next'), can ? [key(device, 'Stop', 'stop', 'stop'), key(device, 'Eject', 'eject', 'eject')] : null));
      if (can && device.role === 'dvdPlayer') out.push(choice(device, 'Audio', [['surround', 'Every channel'], ['twoChannel', 'Two channels']], v('audio'), (id) => (id === 'surround' ? 'surroundAudio' : 'twoChannelAudio')));
      if (can) out.push(power(device));
    }
  }
  if (off) out.unshift(h('p', { class: 'small' }, device.availability === 'starting' ? 'It is starting.' : 'It does not answer.'));
  return out;
}
const inputs = (amp) => { const known = [...new Set([value(amp, 'input'), 'dvd', 'cd', 'tuner'])].filter(Boolean); return known.sort().map((id) => [id, INPUT[id] ?? id]); };

// ---- every command of the role, with its argument, from the API's own description ----
let schema;
const commandSchema = () => (schema ??= get('/openapi.json').then(({ components }) => components.schemas.Command.anyOf[1].properties));
async function listCommands(id, host) {
  const wait = h('p', { class: 'small', role: 'status' }, 'Loading the commands …');
  host.append(wait);
  try {
    const [{ commands }, shapes] = await Promise.all([get(`/devices/${encodeURIComponent(id)}`), commandSchema()]);
    wait.replaceWith(h('ul', { class: 'rows command-list' }, commands.map((command) => h('li', {}, commandRow(id, command, shapes[command.name])))));
  } catch (failure) { wait.remove(); complain(failure); }
}
function commandRow(id, command, shape) {
  const run = h('button', { class: 'btn', type: 'submit', 'aria-label': `Send ${command.name}` }, 'Send');
  const types = [shape?.type ?? 'null'].flat(), argument = command.argument ? argumentField(command.name, types, shape) : null;
  const form = h('form', { class: 'row still-row command', novalidate: true }, h('span', {}, h('span', { class: 'name mono' }, command.name), h('span', { class: 'sub' }, command.help)), h('span', { class: 'end' }, argument?.node, run));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const given = argument?.read();
    if (given === undefined && command.argumentIsRequired) { argument.node.focus(); complain({ status: 0, message: `${command.name} needs a value`, hint: sentence(command.argument) }); return; }
    act(run, () => send(id, given === undefined ? command.name : { [command.name]: given }));
  });
  return form;
}
function argumentField(name, types, shape) {
  const isNumber = types.includes('number') || types.includes('integer');
  const input = h('input', { class: 'plain', 'aria-label': `Value of ${name}`, type: isNumber ? 'number' : 'text', min: shape.minimum, max: shape.maximum, step: types.includes('integer') ? 1 : 'any', placeholder: types.includes('object') ? 'item' : shape.description ?? '' });
  return { node: input, read: () => (input.value === '' ? undefined : isNumber ? Number(input.value) : types.includes('object') ? { item: input.value } : input.value) };
}

// ---- the state, with how and when it is known ----
const LABEL = { power: 'Power', input: 'Input', mode: 'Sound', volume: 'Volume', muted: 'Mute', playback: 'Plays', tray: 'Tray', audio: 'Audio', band: 'Band', frequency: 'Frequency', station: 'Station', picture: 'Picture', brightness: 'Brightness', position: 'Position', popping: 'Popcorn' };
const WORDS = { wideScreen: 'wide screen', tv: 'TV', twoChannel: 'two channels', dvd: 'DVD', cd: 'CD', am: 'AM', fm: 'FM' };
const KNOWN = { reported: 'reported', assumed: 'assumed', unknown: 'not known' };
function plain(name, x) {
  if (x === null || x === undefined) return 'none';
  if (name === 'playback') return x.state === 'stopped' ? 'nothing' : `${x.state} ${titles()[x.item] ?? x.item ?? ''}`;
  if (name === 'volume' || name === 'brightness') return `${x} %`;
  if (name === 'frequency') return x > 200 ? `${x} kHz` : `${x} MHz`;
  return x === true ? 'yes' : x === false ? 'no' : WORDS[x] ?? String(x);
}
function stateTable(device) {
  const extra = Object.values(device.attributes).filter((one) => one.label && !Array.isArray(one.value));
  return [h('table', { class: 'state-table' }, h('caption', { class: 'sr' }, 'State of this device'), h('thead', { class: 'sr' }, h('tr', {}, ['What', 'Value', 'How it is known'].map((text) => h('th', { scope: 'col' }, text)))),
    h('tbody', {}, Object.entries(device.state).map(([name, x]) => h('tr', {}, h('th', { scope: 'row' }, LABEL[name] ?? name), h('td', {}, x.provenance === 'unknown' ? 'not known' : plain(name, x.value)), h('td', {}, chip(x.provenance, `${KNOWN[x.provenance]} ${ago(theater.age(device, x))}`)))))),
  extra.length ? h('dl', { class: 'facts' }, extra.map((one) => [h('dt', {}, one.label), h('dd', { class: 'num' }, `${one.value} ${one.unit ?? ''}`)])) : null];
}
