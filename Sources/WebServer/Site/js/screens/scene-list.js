// The list of scenes: those that begin an activity come first, those that end one last.
import { h } from '../base/dom.js';
import { icon } from '../base/icons.js';
import { twoLines } from '../parts/cards.js';
import { rebuildIfChanged } from '../parts/rebuild.js';
import { sceneIcon, sceneTitle } from '../parts/runs.js';
import { t } from '../base/text.js';

const FIRST = ['watch-film', 'listen-music', 'listen-radio', 'popcorn'];
const OTHER_RANK = FIRST.length;
const LAST_RANK = OTHER_RANK + 1;

export const sortScenes = (scenes) => [...scenes].sort((a, b) => rank(a) - rank(b));
function rank({ name }) {
  if (FIRST.includes(name)) return FIRST.indexOf(name);
  return name.startsWith('end-') ? LAST_RANK : OTHER_RANK;
}
export function paintSceneList(list, scenes, current, choose) {
  const build = () =>
    scenes.map((scene) => sceneRow(scene, scene.name === current.name, () => choose(scene)));
  rebuildIfChanged(list, JSON.stringify([current.name, scenes]), build);
}
function sceneRow(scene, isCurrent, choose) {
  const count = t('scenes.steps', { count: countSteps(scene.steps) });
  const button = h(
    'button',
    { class: 'row', 'aria-current': isCurrent, onclick: choose },
    icon(sceneIcon(scene), { class: 'row-icon' }),
    twoLines(sceneTitle(scene), count),
    icon('chevron', { class: 'row-icon soft' }),
  );
  return h('li', {}, button);
}
/** The number of steps in a list and in the groups within it. */
function countSteps(steps) {
  let count = 0;
  for (const step of steps) {
    const inner = step.sequence ?? step.parallel;
    count += inner ? countSteps(inner) : 1;
  }
  return count;
}
