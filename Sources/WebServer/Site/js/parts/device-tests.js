// The test of each role: something that a person sees or hears. Afterwards all is as before, as far as it is known;
// a projector stays on.
import { get, path, post } from '../base/api.js';
import { device, loadPage } from '../model/store.js';
import { isOn, value } from '../model/words.js';
import { showFailure } from './parts.js';
import { t } from '../base/text.js';

/** Seconds. */
const SHORT = 3, LONG = 6;
/** For what takes long to settle. */
const AT_ONCE = { wait: 0 };
/** The number of items that a request asks for. */
const PAGE = 500;
const PLAYERS = ['cdPlayer', 'dvdPlayer', 'tuner'];
const pause = (seconds) =>
  new Promise((done) => {
    setTimeout(done, seconds * 1000);
  });
const command = (id, what, options) => post(path`/devices/${id}/commands`, what, options);

/** Tests a device once it has started. @param cables those of devices.json @throws Failure */
export async function testDevice(id, cables) {
  const tested = await started(id);
  switch (tested.role) {
    case 'lights':
      return dim(tested);
    case 'screen':
      return move(tested);
    case 'projector':
      return command(tested.id, 'on', AT_ONCE);
    case 'popcornPopper':
      return whileOn(tested, () => pause(SHORT));
    case 'amplifier': {
      const players = cables.filter((one) => one.to === tested.id).map((one) => device(one.from))
        .filter((one) => one?.availability === 'available');
      const [player] = players.sort((a, b) => PLAYERS.indexOf(a.role) - PLAYERS.indexOf(b.role));
      if (!player) throw Object.assign(new Error(t('setup.noPlayer')), { status: 0 });
      return play(player, cables);
    }
    default:
      return play(tested, cables);
  }
}
/** The device as the controller reports it: events of a plugin that was just swapped may be on their way. */
async function started(id) {
  for (let tries = 0;; tries += 1) {
    const now = await get(path`/devices/${id}`);
    if (now.availability !== 'starting' || tries === 100) return now;
    await pause(.3);
  }
}
async function dim({ id, ...lights }) {
  const before = value(lights, 'brightness');
  try {
    // Lights without a dimmer go off.
    if (before === undefined || before > 50) {
      await command(id, { dim: 10 }).catch(() => command(id, 'off'));
    } else await command(id, 'on');
    await pause(SHORT);
  } finally {
    // An unknown brightness cannot be restored: then the lights stay on.
    await command(id, before === undefined ? 'on' : before ? { dim: before } : 'off');
  }
}
async function move({ id, capabilities, ...screen }) {
  const ways = value(screen, 'position') === 'down' ? ['up', 'down'] : ['down', 'up'];
  try {
    await command(id, ways[0], AT_ONCE);
    await pause(SHORT);
    if (capabilities.includes('stop')) await command(id, 'stop');
  } finally {
    await command(id, ways[1], AT_ONCE);
  }
}
async function whileOn(one, action) {
  if (isOn(one)) {
    await action();
    return;
  }
  await command(one.id, 'on');
  try {
    await action();
  } finally {
    await command(one.id, 'off').catch(showFailure);
  }
}
/** Plays the first item of a player, through the amplifier that it is connected to. */
async function play(player, cables) {
  const cable = cables.find((one) => one.from === player.id),
    amplifier = device(cable?.to),
    item = await firstItem(player);
  const begin = () =>
    whileOn(player, async () => {
      if (player.role === 'tuner') {
        await pause(LONG);
        return;
      }
      await command(player.id, item ? { play: { item } } : 'play');
      try {
        await pause(LONG);
      } finally {
        await command(player.id, 'stop').catch(showFailure);
      }
    });
  if (!amplifier) {
    await begin();
    return;
  }
  await whileOn(amplifier, async () => {
    const before = value(amplifier, 'input');
    await command(amplifier.id, { input: cable.input });
    try {
      await begin();
    } finally {
      if (before && before !== cable.input) {
        await command(amplifier.id, { input: before }).catch(showFailure);
      }
    }
  });
}
async function firstItem({ id, role }) {
  if (role === 'tuner') return undefined;
  // The list may still be that of the plugin before.
  await post('/library/scan');
  for (let offset = 0;; offset += PAGE) {
    const { items, total } = await loadPage(role === 'dvdPlayer' ? 'films' : 'music', {
      offset,
      limit: PAGE,
    });
    const item = items.find((one) => one.players.includes(id));
    if (item || offset + PAGE >= total) return item?.id;
  }
}
