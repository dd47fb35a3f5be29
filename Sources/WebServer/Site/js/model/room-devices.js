// The devices of the shown room: which one stands for each role, and the lamps by their area.
import { activityNamed, commandsOf, currentScene, devicesOfScene } from './activities.js';
import { activity, device, devices, room } from './store.js';

/** The roles whose device shows in which area of the home a room is. */
const ROLES_WITH_PLACE = ['screen', 'projector', 'amplifier'];

/** The devices of the shown room. */
export const roomDevices = () => devicesIn(room(), devices());
/** The devices that belong to no room, but to the house. */
export const houseDevices = () => devices().filter(({ rooms }) => rooms?.length === 0);
const devicesIn = (place, all) => place ? all.filter(({ id }) => place.devices.includes(id)) : all;

/** The amplifier at the end of the cables from a device; `undefined` without one. */
export function amplifierBehind(id, all) {
  // An input without a cable has no source.
  if (id === undefined) return undefined;
  const next = all.find(({ inputs }) => inputs?.some(({ source }) => source === id));
  if (!next) return undefined;
  return amplifierBehind(next.id, all.filter((other) => other !== next)) ?? next;
}
/**
 * The devices of what is on in the shown room, the one that failed and the player first. Empty when
 * nothing is on.
 */
function currentDevices() {
  const { activity: name, player, error } = activity();
  const amplifier = activityNamed(name)?.amplifier ?? amplifierBehind(player, devices())?.id;
  const ids = [error?.device, player, amplifier, ...devicesOfScene(currentScene())];
  return ids.map(device).filter(Boolean);
}
/** The device of a role that what is on uses; `undefined` without one. */
const currentWithRole = (role) => currentDevices().find((one) => one.role === role);
/**
 * The amplifier whose volume the controller changes in the shown room; `undefined` where nothing
 * says that what is on is heard there.
 */
export function commandedAmplifier() {
  const { status, activity: name } = activity();
  if (status === 'idle') return firstAmplifier();
  if (!name) return device(amplifierOfScene());
  const known = activityNamed(name);
  if (known?.amplifier) return device(known.amplifier);
  // The controller takes the first one then, at which the activity may not be heard.
  const first = firstAmplifier();
  return devicesOfScene(currentScene()).map(lastAmplifier).includes(first?.id) ? first : undefined;
}
/** The amplifier at which the first one of the shown room is heard, else of the house. */
function firstAmplifier() {
  const isAmplifier = ({ role }) => role === 'amplifier';
  const first = roomDevices().find(isAmplifier) ?? houseDevices().find(isAmplifier);
  return first && device(lastAmplifier(first.id));
}
/** The id of the amplifier of a scene that plays by itself; guests may not know the scene. */
function amplifierOfScene() {
  const scene = currentScene();
  if (!scene) return undefined;
  const commanded = commandsOf(scene.steps).map((step) => step.device);
  const last = commanded.findLast((id) => device(id)?.role === 'amplifier');
  return last ? lastAmplifier(last) : amplifierBehind(activity().player, devices())?.id;
}
/** The id of the amplifier at which another one is heard, which is itself without a further one. */
const lastAmplifier = (id) => amplifierBehind(id, devices())?.id ?? id;
/**
 * The device that stands for a role in the shown room: that of what is on, else one in the main
 * area of the room, else the first; `undefined` without one.
 */
export function withRole(role) {
  const all = roomDevices().filter((one) => one.role === role);
  const area = all.length > 1 ? mainArea() : undefined;
  return currentWithRole(role) ?? all.find((one) => area && one.area === area) ?? all[0];
}
/**
 * The area of the home in which something is on in the shown room, or in which it mainly is;
 * `undefined` if no device says so.
 */
function mainArea() {
  const all = [...currentDevices(), ...roomDevices()];
  const placed = ROLES_WITH_PLACE.map((role) => all.find((one) => one.role === role));
  const title = room()?.title;
  const isNamedLikeRoom = title && all.some(({ area }) => area === title);
  return placed.find((one) => one?.area)?.area ?? (isNamedLikeRoom ? title : undefined);
}

/**
 * Lamps of one area.
 * @typedef LampGroup
 * @property area its name; `undefined` for lamps without one
 * @property lamps
 */

/** The lamps among some devices, by their area, in the order of the devices. */
export function lampGroups(all) {
  const groups = new Map();
  for (const lamp of all.filter(({ role }) => role === 'lights')) {
    if (!groups.has(lamp.area)) groups.set(lamp.area, { area: lamp.area, lamps: [] });
    groups.get(lamp.area).lamps.push(lamp);
  }
  return [...groups.values()];
}
/**
 * The lamps that light the shown room: those of the area in which something is on, else of the
 * room's main area, else the largest group; `undefined` without lamps.
 */
export function roomLamps() {
  const groups = lampGroups(roomDevices());
  const lit = currentDevices().find(({ role }) => role === 'lights');
  const areas = [lit?.area, mainArea()].filter(Boolean);
  const named = areas.map((area) => groups.find((group) => group.area === area)).find(Boolean);
  return named ?? groups.toSorted((a, b) => b.lamps.length - a.lamps.length)[0];
}
/** The lamps of other areas of the shown room than `roomLamps`, and those of the house. */
export function otherLamps() {
  const main = roomLamps();
  const ofRoom = lampGroups(roomDevices()).filter(({ area }) => area !== main?.area);
  return [...ofRoom, ...lampGroups(houseDevices())];
}
/** The lamps of the shown room and those of the house, by their area. */
export const reachableLamps = () => [roomLamps(), ...otherLamps()].filter(Boolean);
/** How bright lamps are together, 0 to 100; `undefined` if none reports it. */
export function brightnessOf(lamps) {
  const known = lamps.map((lamp) => lamp.state.brightness)
    .filter((one) => one && one.provenance !== 'unknown')
    .map((one) => one.value);
  return known.length ? known.reduce((sum, one) => sum + one, 0) / known.length : undefined;
}
