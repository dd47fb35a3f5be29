// The activities that a person may begin from Home, each with its drawing.
import { h } from '../base/dom.js';
import { path, post } from '../base/api.js';
import * as theater from '../model/store.js';
import { runAction } from '../parts/actions.js';
import { showFailure } from '../parts/failures.js';
import { rebuildIfChanged } from '../parts/rebuild.js';
import { toast } from '../parts/toasts.js';
import { drawTile } from '../parts/tiles.js';
import { t } from '../base/text.js';

/** The activities: the role of the device, the screen, and the list of the items. */
const ACTIVITIES = [
  { name: 'film', role: 'dvdPlayer', address: '/library', list: 'films' },
  { name: 'music', role: 'cdPlayer', address: '/library?kind=music', list: 'music' },
  { name: 'radio', role: 'tuner', address: '/radio', list: 'stations' },
  { name: 'popcorn', role: 'popcornPopper' },
];

/** Returns its `node`; `paint()` shows the activities of the present devices. */
export function homeTiles(go) {
  const node = h('div', 'tiles');
  return { node, paint: () => paintTiles(node, go) };
}
function paintTiles(node, go) {
  const isIdle = theater.activity().status === 'idle';
  const currentRole = isIdle ? '' : theater.playerRole();
  const roles = theater.devices().map(({ role }) => role);
  const key = JSON.stringify([currentRole, roles, theater.store.session?.activities]);
  rebuildIfChanged(node, key, () =>
    ACTIVITIES.filter(({ role }) => roles.includes(role))
      .filter(isAllowed)
      .map((activity) => tile(activity, activity.role === currentRole, go)));
}
const isAllowed = ({ list }) => (list ? theater.mayChoose(list) : theater.mayOperate());

function tile({ name, address }, isCurrent, go) {
  const begin = ({ currentTarget }) => (address ? go(address) : makePopcorn(currentTarget));
  const drawing = h(
    'span',
    { class: 'art', 'aria-hidden': 'true', data: { tile: name } },
    drawTile(name),
  );
  const words = h(
    'span',
    'tile-words',
    h('span', 'name block', t(`activity.${name}`)),
    h('span', 'sub', t(isCurrent ? 'home.on' : `tile.${name}`)),
  );
  return h(
    'button',
    { class: 'tile', data: { on: isCurrent ? '1' : null, focus: name }, onclick: begin },
    drawing,
    words,
  );
}
function makePopcorn(button) {
  const popper = theater.withRole('popcornPopper');
  const turnOff = () => post(path`/devices/${popper.id}/commands`, 'off').catch(showFailure);
  return runAction(button, async () => {
    const { run } = await post('/popcorn');
    theater.saveRun(run);
    toast(t('home.popperOn'), { label: t('do.turnOff'), icon: 'popcorn', run: turnOff });
  });
}
