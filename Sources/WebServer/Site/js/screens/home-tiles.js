// What a person may begin from Home: the activities, those of the shown room first, and popcorn.
import { h } from '../base/dom.js';
import { icon } from '../base/icons.js';
import { path, post } from '../base/api.js';
import * as theater from '../model/store.js';
import { activityIcon, CATEGORY_ICONS, offeredActivities, popsOnly } from '../model/activities.js';
import { withRole } from '../model/room-devices.js';
import { activityTitle, nameOf } from '../model/words.js';
import { runAction } from '../parts/actions.js';
import { describeActivity, openActivity } from '../parts/activity-start.js';
import { send } from '../parts/commands.js';
import { showFailure } from '../parts/failures.js';
import { rebuildIfChanged } from '../parts/rebuild.js';
import { roomTitle } from '../parts/room-switch.js';
import { toast } from '../parts/toasts.js';
import { drawTile } from '../parts/tiles.js';
import { t } from '../base/text.js';

/** The columns of tiles on a wide screen. */
const MOST_COLUMNS = 4;

/** Returns its `node`; `paint()` shows the tiles, and whether there are any. */
export function homeTiles(go) {
  const node = h('div', 'tile-groups');
  const paint = () => {
    const groups = tileGroups();
    rebuildIfChanged(node, JSON.stringify(groups), () => groups.map((one) => group(one, go)));
    return groups.length > 0;
  };
  return { node, paint };
}

// ---- what is shown ----
/**
 * The tiles of the shown room and of no room, then those of each other room below its title.
 */
function tileGroups() {
  const offered = offeredActivities().map(viewOf);
  const here = theater.room()?.name;
  const others = theater.rooms().filter(({ name }) => name !== here);
  return [
    { tiles: [...offered.filter(isHere), ...popperView()] },
    ...others.map((place) => ({
      title: roomTitle(place),
      tiles: offered.filter(({ activity }) => activity.room === place.name),
    })),
  ].filter(({ tiles }) => tiles.length);
}
const isHere = ({ activity }) => theater.isOfRoom(activity);
function viewOf(activity) {
  const place = theater.isOfRoom(activity)
    ? theater.room()
    : theater.rooms().find(({ name }) => name === activity.room);
  const isCurrent = place?.activity.activity === activity.name && place.activity.status !== 'idle';
  return {
    activity,
    isCurrent,
    name: activityTitle(activity),
    text: isCurrent ? t('home.on') : describeActivity(activity),
    drawing: CATEGORY_ICONS[activity.category],
    icon: activityIcon(activity),
  };
}
/** The popper of the shown room, for those who may use it. */
function popperView() {
  const popper = theater.mayOperate() && withRole('popcornPopper');
  if (!popper) return [];
  return [{
    popper: popper.id,
    name: nameOf(popper),
    text: t('tile.popcorn'),
    drawing: 'popcorn',
  }];
}

function group({ title, tiles }, go) {
  return h(
    'div',
    { class: 'tile-group', vars: { columns: Math.min(tiles.length, MOST_COLUMNS) } },
    title ? h('h3', 'title-4', title) : null,
    h('div', 'tiles', tiles.map((view) => tile(view, go))),
  );
}
function tile({ activity, popper, isCurrent, name, text, drawing, icon: iconName }, go) {
  const press = ({ currentTarget }) =>
    popper
      ? makePopcorn(popper, currentTarget)
      : openActivity(activity, isCurrent, go, currentTarget);
  const art = drawing ? drawTile(drawing) : icon(iconName, { class: 'emblem' });
  return h(
    'button',
    {
      class: 'tile',
      data: { on: isCurrent ? '1' : null, focus: activity?.name ?? popper },
      onclick: press,
    },
    h('span', { class: 'art', 'aria-hidden': 'true', data: { tile: drawing ?? 'plain' } }, art),
    h('span', 'tile-words', h('span', 'name block', name), h('span', 'sub', text)),
  );
}

// ---- popcorn ----
function makePopcorn(id, button) {
  const turnOff = () => send(id, 'off').catch(showFailure);
  return runAction(button, async () => {
    await popOneBatch(theater.device(id));
    toast(t('home.popperOn'), { label: t('do.turnOff'), icon: 'popcorn', run: turnOff });
  });
}
/** Pops with the theater's own scene for that, if it has one. */
async function popOneBatch(popper) {
  const scene = theater.store.scenes.find((one) => popsOnly(one, popper));
  if (scene) {
    const { run } = await post(path`/scenes/${scene.name}/runs`, {});
    theater.saveRun(run);
    return;
  }
  await send(popper.id, 'on');
  await send(popper.id, 'pop');
}
