// The scenes on Home, without those of activities: these have larger buttons there.
import { btn, h, setChildren } from '../base/dom.js';
import { icon } from '../base/icons.js';
import { get } from '../base/api.js';
import * as theater from '../model/store.js';
import { section } from '../parts/cards.js';
import { showFailure } from '../parts/failures.js';
import { ACTIVITY_SCENES, sceneIcon, sceneTitle, startScene } from '../parts/runs.js';
import { t } from '../base/text.js';

/** Returns its `node`; `update()` reads the scenes when the configuration has changed since. */
export function homeScenes(go) {
  const row = h('div', 'scene-row');
  const node = section(t('scenes.title'), 'h-scenes', row);
  node.hidden = true;
  let configuration;
  async function load() {
    if (!theater.mayOperate()) return;
    configuration = theater.store.applied;
    try {
      const { scenes } = await get('/scenes');
      show(scenes.filter(({ name }) => !ACTIVITY_SCENES.includes(name)));
    } catch (failure) {
      // Without an answer, the next update tries again.
      if (failure.kind === 'network') configuration = null;
      else showFailure(failure);
    }
  }
  function show(scenes) {
    node.hidden = !scenes.length;
    setChildren(row, scenes.map((scene) => sceneButton(scene, go)));
  }
  async function update() {
    const isLive = theater.store.connection === 'live';
    if (isLive && configuration !== theater.store.applied) await load();
  }
  return { node, load, update };
}
const sceneButton = (scene, go) =>
  btn(
    'round scene-btn',
    (button) => startScene(scene, go, button),
    icon(sceneIcon(scene)),
    sceneTitle(scene),
  );
