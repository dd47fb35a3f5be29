// The activities and scenes of the configuration: what belongs together, what begins an item, and
// what they are about.
import { activitiesFor, activity, device, isOfRoom, playerRole, store } from './store.js';
import { ICONS } from './words.js';

/** The category of the items that each kind of parameter takes. */
const CATEGORIES = { film: 'films', song: 'songs', station: 'stations' };
/** The category of the items that a player of each role plays. */
const CATEGORY_OF_ROLE = { dvdPlayer: 'films', cdPlayer: 'songs', tuner: 'stations' };
/** The drawing for the items of each category. */
export const CATEGORY_ICONS = { films: 'film', songs: 'music', stations: 'radio' };

export const activityNamed = (name) => store.activities.find((one) => one.name === name);
export const sceneNamed = (name) => store.scenes.find((one) => one.name === name);

/** The activities that the user may begin, those of the shown room first. */
export function offeredActivities(category) {
  const offered = activitiesFor(category);
  return [
    ...offered.filter((one) => isOfRoom(one)),
    ...offered.filter((one) => !isOfRoom(one)),
  ];
}
/** Whether one of some devices plays an item. One that names no players can be played by any. */
export const isPlayableBy = (ids, { players }) =>
  !players?.length || players.some((id) => ids.includes(id));
/** Whether an activity plays an item of its category; one that names no player plays each. */
const plays = ({ player }, item) => !player || isPlayableBy([player], item);
/** The items of a list that an activity plays, chosen for it. */
export const itemsFor = (owner, items) =>
  items.filter((item) => plays(owner, item)).map((item) => ({ ...item, activity: owner.name }));
/** Whether an activity of the shown room plays an item. */
export const isPlayedHere = (item) =>
  activitiesFor(item.category).some((one) => isOfRoom(one) && plays(one, item));
/**
 * The activity with which an item begins, whose player has it: the one for which it was chosen, the
 * current one, one of the shown room, or another; `undefined` if none has it.
 */
export function activityFor(item) {
  const able = offeredActivities(item.category).filter((one) => plays(one, item));
  const named = (wanted) => able.find(({ name }) => name === wanted);
  return named(item.activity) ?? named(activity().activity) ?? able[0];
}

// ---- scenes ----
/** Whether a scene begins or ends an activity. */
export const isOfActivity = ({ name }) =>
  store.activities.some(({ start, end }) => name === start || name === end);
/** Whether a scene only ends activities. */
export const isEnd = ({ name }) =>
  store.activities.some(({ end }) => name === end) &&
  !store.activities.some(({ start }) => name === start);
/** The commands of a scene, each with its device, without their groups. */
export const commandsOf = (steps = []) =>
  steps.flatMap((step) => step.command ? [step] : commandsOf(step.sequence ?? step.parallel));
/** The ids of the devices of a scene, in the order of its commands. */
export const devicesOfScene = (scene) => [
  ...new Set(commandsOf(scene?.steps).map(({ device }) => device).filter(Boolean)),
];
/** A scene that does no more than pop a batch with a popper. */
export const popsOnly = (scene, popper) => {
  const commands = commandsOf(scene.steps);
  return commands.some(({ command }) => command === 'pop') &&
    commands.every(({ device }) => device === popper?.id);
};

// ---- what is on ----
/** The scene that began what is on in the shown room; `undefined` when nothing is. */
export function currentScene() {
  const { status, activity: name, scene } = activity();
  if (status === 'idle') return undefined;
  return sceneNamed(activityNamed(name)?.start ?? scene);
}
/** The category of what is on: `films`, `songs` or `stations`; `undefined` without items. */
export const currentCategory = () =>
  activityNamed(activity().activity)?.category ?? CATEGORY_OF_ROLE[playerRole()];
/** Whether something to listen to is on, whose cover is square. */
export const isMusic = () => ['songs', 'stations'].includes(currentCategory());
/** The key of the words above what is on: it is watched, listened to, or just on. */
export function currentWords() {
  const category = currentCategory();
  if (!category) return 'home.on';
  return category === 'films' ? 'now.watching' : 'now.listening';
}

// ---- icons ----
/** The roles by which an activity without items and without an icon is known, the first best. */
const TELLING_ROLES = ['projector', 'screen', 'popcornPopper', 'amplifier', 'lights'];
/** The name of the icon of an activity: its own, that of its start, of its items or its devices. */
export function activityIcon({ icon, category, start }) {
  const scene = sceneNamed(start);
  const roles = devicesOfScene(scene).map((id) => device(id)?.role);
  const told = TELLING_ROLES.find((role) => roles.includes(role));
  return icon ?? scene?.icon ?? CATEGORY_ICONS[category] ?? ICONS[told] ?? 'scenes';
}
/** The name of the icon of a scene: its own, that of the items that it takes, or of its role. */
export function sceneIcon(scene) {
  if (scene.icon) return scene.icon;
  const kind = Object.values(scene.parameters ?? {}).find((one) => one in CATEGORIES);
  if (kind) return CATEGORY_ICONS[CATEGORIES[kind]];
  if (isEnd(scene)) return 'stop';
  const [role, ...others] = new Set(devicesOfScene(scene).map((id) => device(id)?.role));
  return others.length ? 'scenes' : ICONS[role] ?? 'scenes';
}
