// How an activity is chosen, begun and described.
import { path, post } from '../base/api.js';
import { announce } from '../base/messages.js';
import { t } from '../base/text.js';
import { devicesOfScene, offeredActivities, sceneNamed } from '../model/activities.js';
import { activitiesFor, device, inRoom, saveRun, showRoom } from '../model/store.js';
import { activityTitle, nameOf } from '../model/words.js';
import { runAction } from './actions.js';

/** The screens on which the items of each category are chosen. */
const SCREENS = { films: '/library', songs: '/library', stations: '/radio' };
/**
 * The address at which the items of an activity are chosen. It names the activity where others have
 * items of the same category.
 */
function addressOf({ name, category }) {
  const kind = category === 'songs' ? { kind: 'music' } : {};
  const own = activitiesFor(category).length > 1 ? { activity: name } : {};
  const query = String(new URLSearchParams({ ...kind, ...own }));
  return query ? `${SCREENS[category]}?${query}` : SCREENS[category];
}
/** The activity of a category that the address of the screen names; `undefined` without one. */
export function chosenActivity(category) {
  const wanted = new URLSearchParams(location.search).get('activity');
  return offeredActivities(category).find(({ name }) => name === wanted);
}

/** Goes to the screen of an activity's items; one without items begins. */
export function openActivity(activity, isCurrent, go, button) {
  if (!activity.category) return isCurrent ? go('/player') : beginActivity(activity, button);
  showRoom(activity.room);
  return go(addressOf(activity));
}
const beginActivity = (activity, button) =>
  runAction(button, async () => {
    const address = inRoom(path`/activities/${activity.name}`, activity.room);
    const { run } = await post(address, {});
    saveRun(run);
    showRoom(activity.room);
    announce(t('now.begins', { title: activityTitle(activity) }));
  });

/** What an activity uses: the devices of its start beside player and amplifier, or the player. */
export function describeActivity(activity) {
  const { start, player, amplifier } = activity;
  const own = [player, amplifier];
  const others = devicesOfScene(sceneNamed(start)).filter((id) => !own.includes(id));
  const used = (others.length ? others : [player ?? amplifier]).map(device).filter(Boolean);
  const isOneLamp = used.filter(({ role }) => role === 'lights').length === 1;
  const names = used.map((one) =>
    one.role === 'lights' && !isOneLamp ? t('device.lights') : nameOf(one)
  );
  return [...new Set(names)].filter((name) => name !== activityTitle(activity)).join(', ');
}
