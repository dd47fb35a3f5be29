// The controls of one device, in a sheet or beside the list of devices.
import { btn, h, loadOnce, setChildren } from '../base/dom.js';
import { icon } from '../base/icons.js';
import { get, path } from '../base/api.js';
import {
  chip,
  choice,
  errorCard,
  rebuildIfChanged,
  runAction,
  sheet,
  showFailure,
  slider,
  small,
  throttle,
  toggle,
} from './parts.js';
import { ago, describe, hertz, isOn, nameOf, value, word } from '../model/words.js';
import * as theater from '../model/store.js';
import { send, setVolume, titles } from './commands.js';
import { faultCard, retry } from './runs.js';
import { hasText, sentence, t } from '../base/text.js';
import { pluginPart } from './plugin-swap.js';

/** Opens a device's controls, which follow its state until they are closed. */
export function deviceSheet(id) {
  const pane = h('div', 'device-sheet'), device = theater.device(id);
  const box = sheet(nameOf(device, theater.devices()), pane), close = follow(id, pane);
  box.addEventListener('close', close);
}
/** Fills `pane` with a device's controls and keeps them up to date; returns a function that ends the updates. */
export function follow(id, pane, { wide = false } = {}) {
  const said = h('p', 'soft'),
    trouble = h('div', {}),
    live = h('div', 'controls'),
    table = h('div', {}),
    more = h('details', 'more-state', h('summary', {}, t('control.commands'))),
    state = h(
      'details',
      { class: 'more-state', open: wide },
      h('summary', {}, t('control.state')),
      table,
    );
  const pieces = {};
  setChildren(
    pane,
    said,
    trouble,
    live,
    theater.mayOperate() ? more : null,
    state,
    theater.mayOperate() ? pluginPart(id) : null,
  );
  more.addEventListener('toggle', () => {
    if (more.open && more.children.length === 1) listCommands(id, more);
  });
  const paint = () => {
    const device = theater.device(id);
    if (!device) return;
    const words = sentence(describe(device, titles()));
    if (said.textContent !== words) said.textContent = words;
    rebuildIfChanged(
      trouble,
      JSON.stringify([device.availability, device.reason, theater.failureOf(device)]),
      () => complaint(device),
    );
    rebuildIfChanged(live, JSON.stringify(keyOf(device)), () => controls(device, pieces));
    if (value(device, 'volume') !== undefined) pieces.volume?.set(value(device, 'volume'));
    if (value(device, 'brightness') !== undefined) {
      pieces.brightness?.set(value(device, 'brightness'));
    }
    rebuildIfChanged(
      table,
      JSON.stringify(
        Object.entries(device.state).map((
          [key, x],
        ) => [key, x.value, x.provenance, ago(theater.age(device, x))]),
      ),
      () => stateTable(device),
    );
  };
  paint();
  return theater.watch(paint, 1000);
}
const SLIDING = ['volume', 'brightness', 'playback', 'frequency', 'station'];
const keyOf = (
  device,
) => [
  device.availability,
  Object.entries(device.state).filter(([key]) => !SLIDING.includes(key)).map((
    [key, x],
  ) => [key, x.provenance === 'unknown' ? null : x.value]),
  value(device, 'playback')?.state,
  device.capabilities,
  theater.role(),
];

/** The card of a device that has failed or cannot be reached, with what to do; `null` for other devices. */
function complaint(device) {
  const now = theater.activity(), error = theater.failureOf(device);
  if (error) {
    const again = btn('primary', (node) => retry(now, node), icon('fix'), t('do.retry'));
    return faultCard(error, theater.run(), now.activity ? [again] : []);
  }
  if (device.availability === 'unavailable') {
    return errorCard(sentence(t('control.silent')), [
      t('control.check'),
      small(device.reason && sentence(device.reason)),
    ]);
  }
  return null;
}

const key = (device, text, picture, command, props = {}) => {
  const node = h(
    'button',
    {
      class: 'btn',
      ...props,
      onclick: () => runAction(node, () => send(device.id, command)),
    },
    icon(picture),
    text,
  );
  return node;
};
const FLIP = { data: { focus: 'flip' } };
const keys = (...list) => h('div', 'control-keys', list);
function power(device) {
  const on = isOn(device);
  return key(device, t(on ? 'do.turnOff' : 'do.turnOn'), 'power', on ? 'off' : 'on', {
    class: 'btn wide',
    'aria-pressed': on,
    data: { focus: 'power' },
  });
}
/** The choice of stereo or surround sound. */
export const speakers = (label, amp) =>
  choice(
    label,
    [['stereo', t('sound.stereo')], ['surround', t('sound.surround')]],
    value(amp, 'mode'),
    (mode) => send(amp.id, mode),
  );
/** The choice of a film's sound: `surroundAudio` or `twoChannelAudio`. */
export const track = (label, player) =>
  choice(
    label,
    [['surround', t('sound.every')], ['twoChannel', t('sound.two')]],
    value(player, 'audio'),
    (id) => send(player.id, `${id}Audio`),
  );

function controls(device, pieces) {
  const v = (name) => value(device, name),
    command = (wanted) => send(device.id, wanted),
    can = theater.mayOperate(),
    off = device.availability !== 'available';
  const out = [];
  switch (device.role) {
    case 'amplifier': {
      pieces.volume = slider({
        label: t('state.volume'),
        value: v('volume') ?? 0,
        onchange: setVolume,
      });
      out.push(
        pieces.volume.node,
        toggle(t('state.muted'), v('muted'), (on) => command(on ? 'mute' : 'unmute')),
      );
      if (can) {
        out.push(
          choice(t('state.input'), inputs(device), v('input'), (input) => command({ input })),
          speakers(t('state.mode'), device),
          power(device),
        );
      }
      break;
    }
    case 'lights': {
      if (!can) break;
      const dim = throttle((to) => command(to ? { dim: to } : 'off'));
      pieces.brightness = slider({
        label: t('state.brightness'),
        value: v('brightness') ?? 0,
        says: (x) => (x ? `${x} %` : t('is.off')),
        onchange: dim,
      });
      out.push(
        pieces.brightness.node,
        keys(
          [[t('control.off'), 'off'], ['10 %', { dim: 10 }], ['40 %', { dim: 40 }], [
            t('control.full'),
            'on',
          ]].map(([text, command]) => key(device, text, 'light', command)),
        ),
      );
      break;
    }
    case 'screen':
      if (can) {
        out.push(
          keys(
            key(device, t('control.up'), 'previous', 'up'),
            device.capabilities.includes('stop')
              ? key(device, t('control.stop'), 'stop', 'stop')
              : null,
            key(device, t('control.down'), 'down', 'down'),
          ),
        );
      }
      break;
    case 'projector':
      if (can) {
        out.push(
          power(device),
          choice(
            t('state.picture'),
            [['wideScreen', t('control.wide')], ['tv', t('is.tv')]],
            v('picture'),
            (id) => command(id === 'tv' ? 'tvMode' : 'wideScreenMode'),
          ),
        );
      }
      break;
    case 'popcornPopper':
      if (can) {
        out.push(
          key(device, t('tile.popcorn'), 'popcorn', 'pop', { class: 'btn primary big wide' }),
          power(device),
        );
      }
      break;
    case 'tuner':
      out.push(h('a', { class: 'btn wide', href: '/radio' }, icon('radio'), t('control.dial')));
      if (can) out.push(power(device));
      break;
    default: {
      const state = v('playback')?.state;
      out.push(
        keys(
          state === 'playing'
            ? key(device, t('do.pause'), 'pause', 'pause', FLIP)
            : can || state === 'paused'
            ? key(device, t('control.play'), 'play', 'play', FLIP)
            : null,
          key(device, t('control.previous'), 'previous', 'previous'),
          key(device, t('control.next'), 'next', 'next'),
          can
            ? [
              key(device, t('control.stop'), 'stop', 'stop'),
              key(device, t('control.eject'), 'eject', 'eject'),
            ]
            : null,
        ),
      );
      if (can && device.role === 'dvdPlayer') out.push(track(t('state.audio'), device));
      if (can) out.push(power(device));
    }
  }
  if (off) {
    out.unshift(
      h(
        'p',
        'small',
        sentence(t(device.availability === 'starting' ? 'control.starting' : 'control.silent')),
      ),
    );
  }
  return out;
}
const inputs = (amp) => {
  const known = [...new Set([value(amp, 'input'), 'dvd', 'cd', 'tuner'])].filter(Boolean);
  return known.sort().map((id) => [id, word(id)]);
};

// ---- every command of the role, with its argument, from the API's own description ----
const commandSchema = loadOnce(() =>
  get('/openapi.json').then(({ components }) => components.schemas.Command.anyOf[1].properties)
);
async function listCommands(id, host) {
  const wait = h('p', { class: 'small', role: 'status' }, t('control.loading'));
  host.append(wait);
  try {
    const [{ commands }, shapes] = await Promise.all([get(path`/devices/${id}`), commandSchema()]);
    wait.replaceWith(
      h(
        'ul',
        'rows command-list',
        commands.map((command) => h('li', {}, commandRow(id, command, shapes[command.name]))),
      ),
    );
  } catch (failure) {
    wait.remove();
    showFailure(failure);
  }
}
function commandRow(id, command, shape) {
  const run = h('button', {
    class: 'btn',
    type: 'submit',
    'aria-label': t('control.sendOne', { name: command.name }),
  }, t('control.send'));
  const types = [shape?.type ?? 'null'].flat(),
    argument = command.argument ? argumentField(command.name, types, shape) : null;
  const form = h(
    'form',
    { class: 'row still-row command', novalidate: true },
    h('span', {}, h('span', 'name mono', command.name), h('span', 'sub', command.help)),
    h('span', 'end', argument?.node, run),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const given = argument?.read();
    if (given === undefined && command.argumentIsRequired) {
      argument.node.focus();
      showFailure({
        status: 0,
        message: t('control.needs', { name: command.name }),
        hint: sentence(command.argument),
      });
      return;
    }
    runAction(run, () => send(id, given === undefined ? command.name : { [command.name]: given }));
  });
  return form;
}
function argumentField(name, types, shape) {
  const isNumber = types.includes('number') || types.includes('integer');
  const input = h('input', {
    class: 'plain',
    'aria-label': t('control.value', { name }),
    type: isNumber ? 'number' : 'text',
    min: shape.minimum,
    max: shape.maximum,
    step: types.includes('integer') ? 1 : 'any',
    placeholder: types.includes('object') ? 'item' : shape.description ?? '',
  });
  return {
    node: input,
    read:
      () => (input.value === ''
        ? undefined
        : isNumber
        ? Number(input.value)
        : types.includes('object')
        ? { item: input.value }
        : input.value),
  };
}

// ---- the state: each value with its provenance and age ----
function plain(name, x) {
  if (x === null || x === undefined) return t('is.none');
  if (name === 'playback') {
    return x.state === 'stopped'
      ? t('is.nothing')
      : t(`disc.${x.state}`, { title: titles()[x.item] ?? x.item ?? '' });
  }
  if (name === 'volume' || name === 'brightness') return `${x} %`;
  if (name === 'frequency') return hertz(x);
  return x === true ? t('is.yes') : x === false ? t('is.no') : word(String(x));
}
function stateTable(device) {
  const extra = Object.values(device.attributes).filter((one) =>
    one.label && !Array.isArray(one.value)
  );
  return [
    h(
      'table',
      'state-table',
      h('caption', 'sr', t('control.stateOf')),
      h(
        'thead',
        'sr',
        h(
          'tr',
          {},
          [t('control.what'), t('control.is'), t('control.how')].map((text) =>
            h('th', { scope: 'col' }, text)
          ),
        ),
      ),
      h(
        'tbody',
        {},
        Object.entries(device.state).map(([name, x]) =>
          h(
            'tr',
            {},
            h('th', { scope: 'row' }, hasText(`state.${name}`) ? t(`state.${name}`) : name),
            h('td', {}, x.provenance === 'unknown' ? t('is.unknown') : plain(name, x.value)),
            h('td', {}, chip(x.provenance, `${word(x.provenance)} ${ago(theater.age(device, x))}`)),
          )
        ),
      ),
    ),
    extra.length
      ? h(
        'dl',
        'facts',
        extra.map((
          one,
        ) => [h('dt', {}, one.label), h('dd', 'num', `${one.value} ${one.unit ?? ''}`)]),
      )
      : null,
  ];
}
