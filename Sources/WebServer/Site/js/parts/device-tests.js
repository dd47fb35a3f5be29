// The test of each role: something that a person sees or hears. Afterwards all is as before, as far
// as it is known; a projector stays on.
import { get, path, post } from '../base/api.js';
import { device, loadPage } from '../model/store.js';
import { isOn, value } from '../model/words.js';
import { showFailure } from './failures.js';
import { t } from '../base/text.js';

/** Seconds for what is seen, and for what is heard. */
const VISIBLE_TIME = 3;
const AUDIBLE_TIME = 6;
/** Lights above this brightness, in percent, are dimmed; others are turned on. */
const BRIGHT = 50;
const DIMMED = 10;
/** How often a starting device is read, and the seconds between two times. */
const START_READS = 100;
const START_PERIOD = .3;
/** The option of commands that do not wait for a device that takes long to settle. */
const AT_ONCE = { wait: 0 };
/** The number of items that a request asks for. */
const PAGE_SIZE = 500;
/** The players in the order in which an amplifier is tested with them. */
const PLAYERS = ['cdPlayer', 'dvdPlayer', 'tuner'];

const pause = (seconds) =>
  new Promise((done) => {
    setTimeout(done, seconds * 1000);
  });
const send = (id, command, options) => post(path`/devices/${id}/commands`, command, options);

/** Tests a device once it has started. @param cables those of devices.json @throws Failure */
export async function testDevice(id, cables) {
  const tested = await readStarted(id);
  switch (tested.role) {
    case 'lights':
      return testLights(tested);
    case 'screen':
      return testScreen(tested);
    case 'projector':
      return send(tested.id, 'on', AT_ONCE);
    case 'popcornPopper':
      return whileOn(tested, () => pause(VISIBLE_TIME));
    case 'amplifier':
      return testPlayer(playerOf(tested, cables), cables);
    default:
      return testPlayer(tested, cables);
  }
}
/**
 * Reads a device from the controller until it has started: the events of a plugin that was just
 * swapped may still be on their way.
 */
async function readStarted(id) {
  for (let reads = 0;; reads += 1) {
    const now = await get(path`/devices/${id}`);
    if (now.availability !== 'starting' || reads === START_READS) return now;
    await pause(START_PERIOD);
  }
}
/** The player with which an amplifier is tested. @throws Error if none is available */
function playerOf(amplifier, cables) {
  const [player] = cables.filter(({ to }) => to === amplifier.id)
    .map(({ from }) => device(from))
    .filter((one) => one?.availability === 'available')
    .sort((a, b) => PLAYERS.indexOf(a.role) - PLAYERS.indexOf(b.role));
  if (!player) throw Object.assign(new Error(t('setup.noPlayer')), { status: 0 });
  return player;
}

async function testLights(lights) {
  const before = value(lights, 'brightness');
  try {
    const isBright = before === undefined || before > BRIGHT;
    if (isBright) await dim(lights);
    else await send(lights.id, 'on');
    await pause(VISIBLE_TIME);
  } finally {
    await send(lights.id, commandFor(before));
  }
}
/** Dims lights; those without a dimmer go off. */
const dim = ({ id }) => send(id, { dim: DIMMED }).catch(() => send(id, 'off'));
/** The command that restores a brightness; lights of an unknown one stay on. */
function commandFor(brightness) {
  if (brightness === undefined) return 'on';
  return brightness ? { dim: brightness } : 'off';
}
async function testScreen(screen) {
  const isDown = value(screen, 'position') === 'down';
  const [away, back] = isDown ? ['up', 'down'] : ['down', 'up'];
  try {
    await send(screen.id, away, AT_ONCE);
    await pause(VISIBLE_TIME);
    if (screen.capabilities.includes('stop')) await send(screen.id, 'stop');
  } finally {
    await send(screen.id, back, AT_ONCE);
  }
}

/** Plays the first item of a player, through the amplifier that it is connected to. */
async function testPlayer(player, cables) {
  const cable = cables.find(({ from }) => from === player.id);
  const amplifier = device(cable?.to);
  const item = await firstItem(player);
  const listen = () => whileOn(player, () => playItem(player, item));
  if (amplifier) await whileOn(amplifier, () => withInput(amplifier, cable.input, listen));
  else await listen();
}
async function playItem({ id, role }, item) {
  if (role === 'tuner') {
    await pause(AUDIBLE_TIME);
    return;
  }
  await send(id, item ? { play: { item } } : 'play');
  try {
    await pause(AUDIBLE_TIME);
  } finally {
    await send(id, 'stop').catch(showFailure);
  }
}
async function firstItem({ id, role }) {
  if (role === 'tuner') return undefined;
  const list = role === 'dvdPlayer' ? 'films' : 'music';
  // The list may still be that of the plugin before.
  await post('/library/scan');
  for (let offset = 0;; offset += PAGE_SIZE) {
    const { items, total } = await loadPage(list, { offset, limit: PAGE_SIZE });
    const item = items.find(({ players }) => players.includes(id));
    if (item || offset + PAGE_SIZE >= total) return item?.id;
  }
}

/** Does something with a device that is on; turns it off afterwards if it was off. */
async function whileOn(one, action) {
  if (isOn(one)) {
    await action();
    return;
  }
  await send(one.id, 'on');
  try {
    await action();
  } finally {
    await send(one.id, 'off').catch(showFailure);
  }
}
/** Does something with an input of an amplifier; returns to the input before. */
async function withInput(amplifier, input, action) {
  const before = value(amplifier, 'input');
  await send(amplifier.id, { input });
  try {
    await action();
  } finally {
    const hasChanged = before && before !== input;
    if (hasChanged) await send(amplifier.id, { input: before }).catch(showFailure);
  }
}
