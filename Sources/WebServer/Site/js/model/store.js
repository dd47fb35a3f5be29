// The reported state of the theater. Screens read it and watch its changes.
import { follow } from './events.js';
import { get, path } from '../base/api.js';
import { preferences, savePreferences } from '../base/preferences.js';

const MOST_RUNS = 20;
/**
 * The runs, and the ids that were asked for. A restarted controller numbers its runs from 1 again.
 */
const noRuns = () => ({ runs: new Map(), asked: new Set() });
export const store = {
  session: null,
  status: null,
  connection: 'live',
  lostSince: 0,
  /** The time of the page's clock at which the connection was lost; undefined while it is live. */
  stoppedAt: undefined,
  library: 0,
  /** Grows when a device comes or goes, also if it is back before a listener is called. */
  availabilityChanges: 0,
  /** The activities and the scenes of the configuration, in its order. */
  activities: [],
  scenes: [],
  ...noRuns(),
};
const listeners = new Set();
const levelListeners = new Set();
let isCallPlanned = false;
/** The stream of events, and what ends it. */
let stream;
let stop;
/** The name of the room that this device shows, if a person has chosen one. */
let chosenRoom;
/** The request for the scenes, and the configuration that it belongs to. */
let sceneRequest;
let sceneConfiguration;

/**
 * Calls `listener` after changes, once for all changes of one task, and every `period`
 * milliseconds; returns a function that ends the calls.
 */
export function watch(listener, period) {
  const timer = period && setInterval(listener, period);
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    clearInterval(timer);
  };
}
export function changed() {
  if (isCallPlanned) return;
  isCallPlanned = true;
  queueMicrotask(() => {
    isCallPlanned = false;
    for (const listener of [...listeners]) listener();
  });
}

/** Begins to follow the theater; resolves with the first state. */
export async function begin(session, loggedOut) {
  store.session = session;
  // The titles of an earlier session in this tab may be above the age limit of this one.
  knownTitles = Object.create(null);
  knownPictures = new Set();
  chosenRoom = preferences().room;
  stop = new AbortController();
  const activitiesRead = readActivities();
  loadScenes().catch(() => {});
  await new Promise((ready) => {
    const onEvent = (type, value, id) => {
      apply(type, value, id);
      changed();
      if (store.status) ready();
    };
    const onConnection = (next) => {
      if (next === 'loggedOut') {
        loggedOut();
        return;
      }
      setConnection(next);
      if (next !== 'live') ready();
    };
    const onLevels = (value) => levelListeners.forEach((listener) => listener(value));
    stream = follow({ signal: stop.signal, onEvent, onLevels, onConnection });
  });
  await activitiesRead;
}
/** Whether the activities could not be read; then the next connection reads them. */
let lacksActivities = false;
async function readActivities() {
  try {
    const { activities } = await get('/activities');
    store.activities = activities;
    lacksActivities = false;
    changed();
  } catch {
    lacksActivities = true;
  }
}
/** Reads the scenes of the configuration in force, once. @throws Failure */
export function loadScenes() {
  const isOutdated = sceneConfiguration !== store.applied;
  if (!sceneRequest || isOutdated) {
    sceneConfiguration = store.applied;
    sceneRequest = readScenes().catch((failure) => {
      // The next caller asks again.
      sceneRequest = undefined;
      throw failure;
    });
  }
  return sceneRequest;
}
async function readScenes() {
  const { scenes } = await get('/scenes');
  store.scenes = scenes;
  changed();
  return scenes;
}
/** Reads what follows from the configuration again, after another one has come into force. */
async function readConfiguration() {
  loadScenes().catch(() => {});
  await readActivities();
  try {
    const { rooms: next } = await get('/rooms');
    if (store.status) store.status.rooms = next.map(withKnownActivity);
    changed();
  } catch {
    // The next snapshot has the rooms.
  }
}
/** A room of an answer. A later event may have reported already what is on in it. */
const withKnownActivity = (place) => ({
  ...place,
  activity: roomNamed(place.name)?.activity ?? place.activity,
});
function setConnection(next) {
  if (next === store.connection) return;
  if (store.connection === 'live') stopTime();
  if (next === 'live') store.stoppedAt = undefined;
  store.connection = next;
  if (next === 'live' && lacksActivities) readConfiguration();
  changed();
}
/** Nothing that is shown moves on by itself from now on. */
function stopTime() {
  store.lostSince = Date.now();
  store.stoppedAt = performance.now();
}
export const unfollow = () => stop?.abort();
export function end() {
  unfollow();
  Object.assign(store, {
    session: null,
    status: null,
    connection: 'live',
    stoppedAt: undefined,
    activities: [],
    scenes: [],
    ...noRuns(),
  });
  sceneRequest = undefined;
  listeners.clear();
  levelListeners.clear();
}
export const retry = () => stream?.retry();
/**
 * Calls `receive` with the levels of amplifiers, which come on the stream of events; returns a
 * function that ends that.
 */
export function followLevels(receive) {
  levelListeners.add(receive);
  stream?.showLevels(true);
  return () => {
    levelListeners.delete(receive);
    if (!levelListeners.size) stream?.showLevels(false);
  };
}
/**
 * Marks the connection as lost and opens a new stream, which shows whether the controller answers
 * again.
 */
export function lose() {
  if (store.connection === 'live') {
    stopTime();
    store.connection = 'lost';
  }
  changed();
  stream?.renew();
}

const APPLIERS = {
  device(value) {
    if (device(value.id)?.availability !== value.availability) store.availabilityChanges += 1;
    putByID(store.status.devices, { ...value, at: performance.now() });
  },
  activity(value) {
    const owner = ownerOf(value);
    if (!owner) return;
    // The controller has saved a position, so the list of stopped items is out of date.
    if (value.status === 'idle' || value.item !== owner.activity.item) store.library += 1;
    owner.activity = { ...value, room: owner.name };
  },
  run: changeRun,
  library() {
    store.library += 1;
  },
  configuration(value) {
    store.applied = value;
    store.status.devices = devices().filter(({ id }) => !value.removed?.includes(id));
    store.availabilityChanges += 1;
    readConfiguration();
  },
};
function apply(type, value, id) {
  if (type === 'snapshot') {
    applySnapshot(value);
    return;
  }
  if (!store.status) return;
  APPLIERS[type]?.(value);
  store.status.event = id;
}
function applySnapshot(status) {
  const now = performance.now();
  for (const device of status.devices) device.at = now;
  const lastEvent = store.status?.event;
  store.status = status;
  store.availabilityChanges += 1;
  const owner = ownerOf(status.activity);
  if (owner) owner.activity = status.activity;
  if (lastEvent && lastEvent !== status.event) catchUp(lastEvent);
}
/** The room of an activity, which is the shown one if it names none. */
const ownerOf = ({ room: name }) => (name ? roomNamed(name) : room());
/** Replaces the value of the same id in a list, or adds it. */
function putByID(list, value) {
  const index = list.findIndex(({ id }) => id === value.id);
  if (index >= 0) list[index] = value;
  else list.push(value);
}
/** The part of an event's id that names the start of the controller. */
const startOf = (event) => event.split('-')[0];
/**
 * Reloads the lists and the running runs after missed events; forgets a run that the controller no
 * longer knows.
 */
function catchUp(lastEvent) {
  store.library += 1;
  // Another configuration may have come into force meanwhile.
  store.applied = { status: 'missed' };
  readConfiguration();
  if (startOf(lastEvent) !== startOf(store.status.event)) Object.assign(store, noRuns());
  const { runs } = store;
  const forgetIfUnknown = (id, failure) => {
    if (failure.status !== 404) return;
    runs.delete(id);
    changed();
  };
  for (const { id, status } of runs.values()) {
    if (status === 'running') loadRun(id).catch((failure) => forgetIfUnknown(id, failure));
  }
}
function changeRun({ step, ...run }) {
  const known = store.runs.get(run.id) ?? { steps: [] };
  const next = { ...known, ...run };
  if (step) putByID(next.steps, step);
  store.runs.set(run.id, next);
  const [oldest] = store.runs.keys();
  if (store.runs.size > MOST_RUNS) store.runs.delete(oldest);
}
/** The order of a step's states; all others are ends. */
const PROGRESS = { waiting: 0, running: 1 };
const END = 2;
const progressOf = ({ status }) => PROGRESS[status] ?? END;
/**
 * Stores the whole report of a run from an answer. A later status that an event has already
 * reported stays.
 */
export function saveRun(run) {
  const known = store.runs.get(run.id);
  const steps = run.steps.map((step) => {
    const other = known?.steps.find(({ id }) => id === step.id);
    return other && progressOf(other) > progressOf(step) ? other : step;
  });
  const isOver = known && known.status !== 'running';
  store.runs.set(run.id, {
    ...run,
    ...(isOver && { status: known.status, error: known.error }),
    steps,
    isWhole: true,
  });
  changed();
}
export async function loadRun(id) {
  saveRun(await get(path`/runs/${id}`));
}

// ---- queries of the state ----
export const devices = () => store.status?.devices ?? [];
export const device = (id) => devices().find((other) => other.id === id);
export const rooms = () => store.status?.rooms ?? [];
export const hasSeveralRooms = () => rooms().length > 1;
const roomNamed = (name) => rooms().find((other) => other.name === name);
/** The room that the page shows: the chosen one, else that of the session, else the first. */
export const room = () =>
  roomNamed(chosenRoom) ?? roomNamed(store.status?.activity.room) ?? rooms()[0];
/** Shows another room, until the page is loaded again. */
export function showRoom(name) {
  if (name === undefined || name === room()?.name) return;
  chosenRoom = name;
  changed();
}
/** Shows another room on this device from now on. */
export function chooseRoom(name) {
  savePreferences({ room: name });
  showRoom(name);
}
/** The path of a request that acts in a room; a theater of one room has no other. */
export const inRoom = (address, name = room()?.name) =>
  hasSeveralRooms() && name ? path`/rooms/${name}` + address : address;
/** An activity, failed also while its player has failed, which can play on at `retryAt`. */
const withFailure = (current) => current.retryAt >= 0 ? { ...current, status: 'failed' } : current;
/** The current activity of the shown room. */
export const activity = () =>
  withFailure(room()?.activity ?? store.status?.activity ?? { status: 'idle' });
/** The current activity of each room. */
export const currentActivities = () => rooms().map((place) => withFailure(place.activity));
/** The activity of a room that failed because of a device; `undefined` without one. */
export const activityFailedBy = ({ id }) =>
  currentActivities().find(({ status, error }) => status === 'failed' && error?.device === id);
/** The error of the activity that failed because of a device. */
export const failureOf = (owner) => activityFailedBy(owner)?.error;
/** The role of the current player. */
export const playerRole = () => device(activity().player)?.role;
/** The report of an activity's run, if it is known. */
export const run = (current = activity()) => store.runs.get(current.run);
/** Seconds since a value was reported. */
export const age = (owner, known) => known.age + (performance.now() - owner.at) / 1000;
/**
 * Seconds for which a value has gone on since it was reported. Without a connection nothing goes
 * on, because nobody knows whether it does.
 */
export const progress = (owner, known) =>
  known.age + ((store.stoppedAt ?? performance.now()) - owner.at) / 1000;
/** Whether the shown state is that of this moment. */
export const isLive = () => store.connection === 'live';

/** The playback of a player with the position of this moment; `undefined` if nothing plays. */
export function playback(owner = device(activity().player)) {
  const known = owner?.state.playback;
  if (!known || known.provenance === 'unknown' || !known.value) return undefined;
  const { state, position, rate, duration } = known.value;
  const moved = state === 'playing' ? position + rate * progress(owner, known) : position;
  const limited = duration ? Math.min(moved, duration) : moved;
  return { ...known.value, position: Math.max(0, limited) };
}
/**
 * The key of a person's choices on this device: the e-mail address, or the name of an account
 * without one.
 */
export const person = () => store.session?.user.email ?? store.session?.user.name;
export const role = () => store.session?.user.role ?? 'guest';
export const mayOperate = () => role() !== 'guest';
export const isOwner = () => role() === 'owner';
/** Whether this is the tablet on the wall, which shows the room and plays. */
export const isWallTablet = () => store.session?.wallTablet === true;
/** The activities that the user may begin; with a category, those that play its items. */
export const activitiesFor = (category) =>
  store.activities.filter((one) => one.permitted && (!category || one.category === category));
/** Whether an activity begins in a room, the shown one by default. One of no room begins in any. */
export const isOfRoom = ({ room: name }, place = room()) =>
  name === undefined || name === place?.name;
/**
 * Whether the user may start items of a list: `films`, `music` or `stations`.
 * @param place the room whose activities count; all rooms without it
 */
export const mayChoose = (list, place) =>
  activitiesFor(LISTS[list]).some((one) => !place || isOfRoom(one, place));

// ---- lists of the library ----
/** Titles of the items that the lists have brought so far. */
export let knownTitles;
/** The ids of these items whose players may have a picture. */
export let knownPictures;
const LISTS = { films: 'films', music: 'songs', stations: 'stations' };
/** The largest number of items that the controller returns at once. */
const MOST_OF_A_PAGE = 1000;
/**
 * Asks for a part of a list.
 * @param list `films`, `music` or `stations`
 * @param part `search`, `offset` and `limit`
 * @returns `items` and `total`, the number of all that match
 */
export async function loadPage(list, part) {
  const name = LISTS[list];
  const { [name]: items, total } = await get(`/${name}?${new URLSearchParams(part)}`);
  for (const item of items) {
    remember(item);
    item.category = name;
  }
  return { items, total };
}
/**
 * Loads all of a list that matches a search, and adds it to `items` part by part: what came before
 * a failure is there. @throws Failure
 */
export async function loadWhole(list, search, items) {
  let total;
  do {
    const part = await loadPage(list, { search, offset: items.length, limit: MOST_OF_A_PAGE });
    items.push(...part.items);
    total = part.items.length > 0 ? part.total : items.length;
  } while (items.length < total);
}
function remember({ id, title, picture }) {
  knownTitles[id] = title;
  if (picture) knownPictures.add(id);
  else knownPictures.delete(id);
}
/** Asks for the films and songs that the user left before their end, the last one first. */
export async function loadStopped(limit) {
  const { items } = await get(`/library/stopped?limit=${limit}`);
  items.forEach(remember);
  return items;
}
