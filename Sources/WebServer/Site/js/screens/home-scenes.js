// The scenes of the shown room on Home, without those that have a larger button there.
import { h } from '../base/dom.js';
import * as theater from '../model/store.js';
import { isOfActivity, popsOnly } from '../model/activities.js';
import { withRole } from '../model/room-devices.js';
import { section } from '../parts/cards.js';
import { showFailure } from '../parts/failures.js';
import { rebuildIfChanged } from '../parts/rebuild.js';
import { startScene } from '../parts/runs.js';
import { sceneTile } from '../parts/scene-tile.js';
import { t } from '../base/text.js';

/** With more scenes, the others are on their own screen. */
const MOST_SCENES = 8;

/** Returns its `node`; `update()` reads the scenes when the configuration has changed since. */
export function homeScenes(go) {
  const list = h('ul', 'scene-tiles');
  const more = h('p', {});
  const node = section(t('scenes.title'), 'h-scenes', list, more);
  node.hidden = true;
  let configuration;
  async function load() {
    if (!theater.mayOperate()) return;
    configuration = theater.store.applied;
    try {
      await theater.loadScenes();
    } catch (failure) {
      // Without an answer, the next update tries again.
      if (failure.kind === 'network') configuration = null;
      else showFailure(failure);
    }
    paint();
  }
  function paint() {
    if (!theater.mayOperate()) return;
    const scenes = ownScenes();
    node.hidden = !scenes.length;
    const shown = scenes.slice(0, MOST_SCENES);
    rebuildIfChanged(
      list,
      JSON.stringify(shown),
      () => shown.map((scene) => sceneTile(scene, (button) => startScene(scene, go, button))),
    );
    more.hidden = scenes.length === shown.length;
    rebuildIfChanged(
      more,
      scenes.length,
      () => h('a', { href: '/scenes' }, t('scenes.all', { count: scenes.length })),
    );
  }
  async function update() {
    const isLive = theater.store.connection === 'live';
    if (isLive && configuration !== theater.store.applied) await load();
    else paint();
  }
  return { node, load, update };
}
/** The scenes of the shown room and of the house that have no tile of their own on Home. */
function ownScenes() {
  const here = theater.room()?.name;
  const popper = withRole('popcornPopper');
  return theater.store.scenes
    .filter((scene) => !isOfActivity(scene) && !popsOnly(scene, popper))
    .filter((scene) => !scene.room || scene.room === here);
}
