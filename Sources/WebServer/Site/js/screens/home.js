// Home: the current activity or the activities to start, scenes, the room.
import { ariaHidden, btn, clockText, h, setChildren } from '../base/dom.js';
import { icon } from '../base/icons.js';
import { cover } from '../parts/cover.js';
import { withPicture } from '../parts/pictures.js';
import { createRoom } from '../room/living-room.js';
import { drawTile } from '../parts/tiles.js';
import { get, path, post } from '../base/api.js';
import * as theater from '../model/store.js';
import { roomStatus } from '../room/room-status.js';
import { describe, nameOf, titleOf } from '../model/words.js';
import {
  chip,
  provenanceChip,
  rebuildIfChanged,
  runAction,
  section,
  seekBar,
  showFailure,
  toast,
} from '../parts/parts.js';
import { canSeek, endActivity, flip, isPaused, seekTo } from '../parts/commands.js';
import { greeting } from './greeting.js';
import { beginKeys, rest, stoppedItem } from '../parts/resume.js';
import {
  ACTIVITY_SCENES,
  faultCard,
  progressOf,
  remedyButtons,
  sceneIcon,
  sceneTitle,
  startScene,
} from '../parts/runs.js';
import { t } from '../base/text.js';

export const title = () => t('home.title');
// The name of an activity, the role of its device, its address, and the list of its items.
const ACTIVITIES = [
  ['film', 'dvdPlayer', '/library', 'films'],
  ['music', 'cdPlayer', '/library?kind=music', 'music'],
  ['radio', 'tuner', '/radio', 'stations'],
  ['popcorn', 'popcornPopper'],
];

export async function show(main, { go }) {
  const hero = h('section', { class: 'hero', 'aria-labelledby': 'hero' }),
    tiles = h('div', 'tiles'),
    scenes = h('div', 'scene-row');
  const facts = h('ul', 'chips'), picture = ariaHidden('div', 'mini-room');
  const sceneBand = section(t('scenes.title'), 'h-scenes', scenes);
  sceneBand.hidden = true;
  const shelf = h('ul', 'shelf'), shelfBand = section(t('resume.title'), 'h-stopped', shelf);
  shelfBand.hidden = true;
  let stopped = [], revision, isLoading = false, applied;
  const readScenes = async () => {
    ({ applied } = theater.store);
    if (await loadScenes(scenes, sceneBand, go)) applied = null;
  };
  const load = async () => {
    if (isLoading || !theater.mayOperate()) return;
    isLoading = true;
    while (revision !== theater.store.library) {
      revision = theater.store.library;
      try {
        stopped = await theater.loadStopped(STOPPED);
      } catch { /* the offer is missing, the rest works */ }
    }
    isLoading = false;
  };
  await Promise.all([readScenes(), load()]);
  main.append(
    hero,
    section(t('home.question'), 'h-activities', tiles),
    shelfBand,
    h(
      'div',
      'home-two',
      h('div', 'home-left', sceneBand),
      h(
        'section',
        { class: 'band', 'aria-labelledby': 'h-room' },
        h('h2', { class: 'title-3', id: 'h-room' }, t('home.room')),
        h('a', { class: 'room-card', href: '/room', 'aria-label': t('home.openRoom') }, picture),
        facts,
      ),
    ),
  );
  const seek = seekBar({ label: t('player.place'), onseek: seekTo });
  const paint = () => {
    paintHero(hero, seek, go, stopped[0]);
    paintTiles(tiles, go);
    paintFacts(facts);
    const others = stopped.slice(theater.activity().status === 'idle' ? 1 : 0).filter(({ id }) =>
      id !== theater.activity().item
    ).slice(0, STOPPED - 1);
    shelfBand.hidden = !others.length;
    rebuildIfChanged(
      shelf,
      JSON.stringify(others),
      () => others.map((item) => stoppedItem(item, go)),
    );
  };
  paint();
  const tick = () => {
    const play = theater.playback();
    if (play?.duration) seek.set(play.position, play.duration);
  };
  const timer = setInterval(tick, 500),
    unwatch = theater.watch(() => {
      paint();
      tick();
      if (theater.store.connection === 'live' && applied !== theater.store.applied) readScenes();
      if (revision !== theater.store.library) load().then(paint);
    });
  tick();
  const room = await createRoom(picture, { hits: false });
  const draw = () => {
    if (theater.store.status) room.render(roomStatus());
  };
  draw();
  const undraw = theater.watch(draw);
  return () => {
    clearInterval(timer);
    unwatch();
    undraw();
    room.end();
  };
}

const STOPPED = 5;
function paintHero(hero, seek, go, left) {
  const now = theater.activity(), play = theater.playback(), paused = isPaused(play);
  const isMoving = ['starting', 'ending', 'failed'].includes(now.status),
    step = isMoving ? progressOf(now.run) : undefined;
  const key = JSON.stringify([
    now.status,
    now.activity,
    now.item,
    now.itemTitle,
    now.error,
    theater.run()?.status,
    now.resumedAt,
    play?.state,
    step,
    canSeek(),
    !!play?.duration,
    play?.title,
    now.status === 'idle' && left,
  ]);
  rebuildIfChanged(hero, key, () => {
    const isIdle = now.status === 'idle',
      title = isIdle ? left?.title ?? 'Lantern Street' : titleOf(now) ?? '';
    hero.dataset.status = now.status;
    const words = h('div', 'hero-words');
    const art = withPicture(
      ariaHidden(
        'div',
        'hero-art',
        cover(title, { kind: 'still', moment: play?.duration ? play.position / play.duration : 0 }),
      ),
      isIdle ? left?.id : now.item,
    );
    const head = (
      small,
      name,
    ) => [h('p', 'small', small), h('h1', { class: 'title-1', id: 'hero', title: name }, name)];
    switch (now.status) {
      case 'idle':
        words.append(...idle(head, go, left, now.error));
        break;
      case 'failed':
        words.append(
          ...head(t('said.stopped'), title),
          faultCard(now.error, theater.run(), remedyButtons(now, go)),
        );
        break;
      case 'starting':
      case 'ending':
        words.append(...moving(head, title, now, step));
        break;
      default:
        words.append(...running(head, title, now, play, paused, seek));
    }
    return [art, words];
  });
}
const button = (text, picture, run, kind = '', focus) =>
  h(
    'button',
    {
      class: `btn big ${kind}`,
      data: { focus },
      onclick: (event) => run(event.currentTarget),
    },
    icon(picture),
    text,
  );
function idle(head, go, left, loss) {
  const keys = left
    ? beginKeys(left, '', () => left.category === 'films' && go('/player'))
    : [['films', 'home.choose', 'film', '/library'], [
      'music',
      'kind.music',
      'music',
      '/library?kind=music',
    ], ['stations', 'radio.title', 'radio', '/radio']].filter(([list]) => theater.mayChoose(list))
      .slice(0, 2).map(([, text, picture, href], i) =>
        button(t(text), picture, () => go(href), i ? '' : 'primary')
      );
  return [
    loss && faultCard(loss, undefined, []),
    ...head(
      t('home.ready', { greeting: greeting(), name: theater.store.session.user.name }),
      left?.title ?? t('now.nothing'),
    ),
    left && h('p', 'soft', rest(left)),
    h('div', 'hero-keys', keys),
  ].filter(Boolean);
}
function running(head, title, now, play, paused, seek) {
  const role = theater.playerRole(), isRadio = role === 'tuner', isFilm = role === 'dvdPlayer';
  const keys = h('div', 'hero-keys');
  if (!isRadio && ['playing', 'paused'].includes(play?.state)) {
    keys.append(
      button(
        t(paused ? 'do.resume' : 'do.pause'),
        paused ? 'play' : 'pause',
        flip,
        'primary',
        'flip',
      ),
    );
  }
  keys.append(
    h(
      'a',
      { class: 'btn big', href: isRadio ? '/radio' : '/player' },
      t(isRadio ? 'player.dial' : 'player.title'),
    ),
    button(t('do.end'), 'stop', endActivity, 'quiet'),
  );
  const from = now.resumedAt > 5 && play?.state === 'playing'
    ? h(
      'p',
      'small',
      t('home.wentOn', { time: clockText(now.resumedAt) }),
      ' ',
      btn('link', (node) => seekTo(0, node), t('library.start')),
    )
    : null;
  seek.input.disabled = !canSeek();
  return [
    ...head(isFilm ? t('now.watching') : t('now.listening'), title),
    play?.title ? h('p', 'soft', play.title) : null,
    play?.duration ? h('div', 'hero-seek', seek.node) : null,
    from,
    keys,
  ].filter(Boolean);
}
function moving(head, title, now, step) {
  return [
    ...head(t(now.status === 'starting' ? 'said.starting' : 'said.ending'), title),
    h('p', 'soft', step ? t('step.now', step) : t('form.moment')),
    h(
      'div',
      'hero-keys',
      now.status === 'starting' ? button(t('do.cancel'), 'stop', endActivity, 'quiet') : null,
    ),
  ];
}

function paintTiles(tiles, go) {
  const now = theater.activity(),
    current = theater.playerRole(),
    limits = theater.store.session?.activities;
  const has = (role) => theater.devices().some((device) => device.role === role);
  rebuildIfChanged(
    tiles,
    JSON.stringify([
      now.status === 'idle' ? '' : current,
      theater.devices().map((device) => device.role),
      limits,
    ]),
    () =>
      ACTIVITIES.filter(([, role]) => has(role)).filter((
        [, , , list],
      ) => (list ? theater.mayChoose(list) : theater.mayOperate())).map(([name, role, href]) => {
        const isOn = now.status !== 'idle' && current === role,
          node = h(
            'button',
            { class: 'tile', data: { on: isOn ? '1' : null, focus: name } },
            h(
              'span',
              { class: 'art', 'aria-hidden': 'true', data: { tile: name } },
              drawTile(name),
            ),
            h(
              'span',
              'tile-words',
              h('span', 'name block', t(`activity.${name}`)),
              h('span', 'sub', t(isOn ? 'home.on' : `tile.${name}`)),
            ),
          );
        node.addEventListener('click', () => (href ? go(href) : pop(node)));
        return node;
      }),
  );
}
function pop(node) {
  const popper = theater.withRole('popcornPopper');
  runAction(node, async () => {
    theater.saveRun((await post('/popcorn')).run);
    toast(t('home.popperOn'), {
      label: t('do.turnOff'),
      icon: 'popcorn',
      run: () => post(path`/devices/${popper.id}/commands`, 'off').catch(showFailure),
    });
  });
}
function paintFacts(facts) {
  const chips = ['lights', 'projector', 'amplifier', 'popcornPopper'].map(theater.withRole).filter(
    Boolean,
  ).map((device) => [provenanceChip(device), `${nameOf(device)}: ${describe(device)}`]);
  rebuildIfChanged(
    facts,
    JSON.stringify(chips),
    () => chips.map((one) => h('li', {}, chip(...one))),
  );
}
/** Returns whether the controller did not answer. */
async function loadScenes(row, band, go) {
  if (!theater.mayOperate()) return false;
  try {
    const { scenes } = await get('/scenes');
    const own = scenes.filter((scene) => !ACTIVITY_SCENES.includes(scene.name));
    band.hidden = !own.length;
    setChildren(
      row,
      own.map((scene) =>
        btn(
          'round scene-btn',
          (node) => startScene(scene, go, node),
          icon(sceneIcon(scene)),
          sceneTitle(scene),
        )
      ),
    );
  } catch (failure) {
    if (failure.kind === 'network') return true;
    showFailure(failure);
  }
  return false;
}
