// Home: the current activity or the activities to start, scenes, the room.
import { ariaHidden, h } from '../base/dom.js';
import { createRoom } from '../room/living-room.js';
import { roomStatus } from '../room/room-status.js';
import * as theater from '../model/store.js';
import { reachableLamps, withRole } from '../model/room-devices.js';
import { section } from '../parts/cards.js';
import { factOf, factOfLamps, paintFacts } from '../parts/chips.js';
import { offButton, whatIsOn } from '../parts/everything-off.js';
import { roomSwitch } from '../parts/room-switch.js';
import { greeting } from './greeting.js';
import { homeHero } from './home-hero.js';
import { homeScenes } from './home-scenes.js';
import { homeStopped } from './home-stopped.js';
import { homeTiles } from './home-tiles.js';
import { logOutButton } from './log-out.js';
import { t } from '../base/text.js';

export const title = () => t('home.title');
/** Milliseconds between two moves of the seek bar. */
const POSITION_PERIOD = 500;
/** The devices whose state stands below the room. */
const ROOM_ROLES = ['projector', 'amplifier', 'popcornPopper'];

export async function show(main, { go, exit, begin }) {
  const hero = homeHero(go);
  const places = roomSwitch();
  const tiles = homeTiles(go);
  const activities = section(t('home.question'), 'h-activities', tiles.node);
  const scenes = homeScenes(go);
  const stopped = homeStopped(go);
  const facts = h('ul', 'chips');
  const on = whatIsOn();
  const off = offButton();
  const picture = ariaHidden('div', 'mini-room');
  await Promise.all([scenes.load(), stopped.load()]);
  main.append(
    welcome({ exit, begin }, off.node),
    places.node,
    hero.node,
    activities,
    stopped.node,
    h('div', 'home-two', h('div', 'home-left', on.node, scenes.node), roomSection(picture, facts)),
  );

  function paint() {
    places.paint();
    hero.paint(stopped.last());
    activities.hidden = !tiles.paint();
    on.paint();
    off.paint();
    paintFacts(facts, roomFacts());
    stopped.paint();
  }
  function follow() {
    paint();
    hero.movePosition();
    scenes.update();
    stopped.update(paint);
  }
  paint();
  hero.movePosition();
  const timer = setInterval(hero.movePosition, POSITION_PERIOD);
  const stopFollowing = theater.watch(follow);
  const endRoom = await drawRoom(picture);
  return () => {
    clearInterval(timer);
    stopFollowing();
    endRoom();
  };
}
/** Greets the person, beside the ways out; a wall tablet is nobody's. */
function welcome(app, off) {
  const { name } = theater.store.session.user;
  const words = h('p', 'title-4', t('home.hello', { greeting: greeting(), name }));
  const person = theater.isWallTablet() ? [] : [words];
  const ways = [off, theater.isWallTablet() ? '' : logOutButton(app)].filter(Boolean);
  return h('div', 'page-head home-head', person, h('div', 'head-keys', ways));
}
const roomSection = (picture, facts) =>
  h(
    'section',
    { class: 'band', 'aria-labelledby': 'h-room' },
    h('h2', { class: 'title-3', id: 'h-room' }, t('home.room')),
    h('a', { class: 'room-card', href: '/room', 'aria-label': t('home.openRoom') }, picture),
    facts,
  );
/** Draws the room and follows the theater; returns a function that ends it. */
async function drawRoom(picture) {
  const room = await createRoom(picture, { isInteractive: false });
  const draw = () => room.render(roomStatus());
  draw();
  const stopFollowing = theater.watch(draw);
  return () => {
    stopFollowing();
    room.end();
  };
}
function roomFacts() {
  const devices = ROOM_ROLES.map(withRole).filter(Boolean);
  return [...reachableLamps().map(factOfLamps), ...devices.map((device) => factOf(device))];
}
