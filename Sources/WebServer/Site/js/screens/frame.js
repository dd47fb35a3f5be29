// The frame of every screen: navigation, the bar of the current item, the offline notice.
import {
  $,
  announce,
  ariaHidden,
  btn,
  focusOn,
  h,
  setChildren,
  setText,
  timeLeft,
} from '../base/dom.js';
import { icon, mark } from '../base/icons.js';
import { cover } from '../parts/cover.js';
import { withPicture } from '../parts/pictures.js';
import * as theater from '../model/store.js';
import { ambient, sheet, slider } from '../parts/parts.js';
import {
  amplifier,
  canSeek,
  flip,
  isPaused,
  jump,
  jumpName,
  setVolume,
  volume,
} from '../parts/commands.js';
import { ago, station, titleOf } from '../model/words.js';
import { t } from '../base/text.js';
import { followMediaKeys } from '../parts/media-keys.js';
import { followOthers } from '../parts/follow-others.js';

const { isOwner, mayOperate } = theater;
const PLACES = [
  ['home', '/', 'home'],
  ['room', '/room', 'room'],
  ['library', '/library', 'film', () => theater.mayChoose('films') || theater.mayChoose('music')],
  ['radio', '/radio', 'radio', () => theater.mayChoose('stations')],
  ['scenes', '/scenes', 'scenes', mayOperate],
  ['devices', '/devices', 'devices', mayOperate],
  ['people', '/people', 'people', isOwner],
  ['plugins', '/plugins', 'plugins', mayOperate],
  ['settings', '/settings', 'settings'],
];
const name = (id) => t(`${id}.title`);
const IN_TABS = ['home', 'room', 'library', 'radio', 'devices'];
/** Screens without an entry of their own in the navigation, with the entry that is marked for them. */
const WITHIN = {
  player: 'library',
  account: 'settings',
  editor: 'settings',
  doctor: 'settings',
  setup: 'devices',
};
/** Who may open a screen without an entry of its own; the player is for all. */
const MAY = { account: mayOperate, editor: isOwner, doctor: isOwner, setup: isOwner };
const WITHOUT_BAR = ['home', 'player'];
/** Screens that color the page themselves. */
const COLORED = ['room', 'radio', 'player'];

/** Builds the frame and begins to follow the theater. */
export async function begin(session, { go, exit }) {
  await theater.begin(session, exit);
  const places = PLACES.filter(([, , , allowed]) => !allowed || allowed());
  const rail = makeRail(places, session),
    tabs = makeTabs(places),
    bar = makeBar(),
    dock = h('div', 'dock', bar.node, tabs.node);
  const skip = h('a', {
    class: 'skip',
    href: '#main',
    onclick: (event) => {
      event.preventDefault();
      $('#main').focus();
    },
  }, t('frame.skip'));
  document.body.prepend(skip, rail);
  dock.hidden = true;
  document.body.append(dock);
  const measure = () =>
      document.documentElement.style.setProperty('--dock', `${dock.offsetHeight || 16}px`),
    size = new ResizeObserver(measure);
  size.observe(dock);
  let place = '';
  const paint = () => {
    paintBar(bar, place);
    paintConnection();
  };
  const stops = [theater.watch(paint, 1000), followMediaKeys(), followOthers(go)];
  return {
    /** Whether this session may open a screen. */
    allows: (name) => (MAY[name] ?? PLACES.find(([id]) => id === name)?.[3])?.() ?? true,
    /** Marks the connection as lost. Calls `action` when it is live again; returns a function that ends the wait. */
    whenBack(action) {
      theater.lose();
      return theater.watch(() => {
        if (theater.store.connection === 'live') action();
      });
    },
    turnTo(name) {
      place = name;
      const shown = WITHIN[name] ?? name;
      for (const link of document.querySelectorAll('.rail [data-place], .tabs [data-place]')) {
        link.removeAttribute('aria-current');
      }
      for (const link of document.querySelectorAll(`[data-place="${shown}"]`)) {
        link.setAttribute('aria-current', 'page');
      }
      tabs.more.removeAttribute('aria-current');
      if (!IN_TABS.includes(shown)) tabs.more.setAttribute('aria-current', 'page');
      paint();
      // The height of the dock is set at once, so that the content above it does not move.
      dock.hidden = false;
      measure();
    },
    end() {
      for (const stop of stops) stop();
      size.disconnect();
      theater.end();
      for (const node of [skip, rail, dock]) node.remove();
      measure();
      $('.offline')?.remove();
      $('.toast.ask')?.remove();
    },
  };
}
function makeRail(places, { user }) {
  return h(
    'nav',
    { class: 'rail', 'aria-label': t('frame.main') },
    h(
      'a',
      { class: 'rail-brand', href: '/', 'aria-label': t('frame.home') },
      mark(),
      h('span', {}, 'Home Theater'),
    ),
    h(
      'ul',
      {},
      places.map(([id, href, picture]) =>
        h('li', {
          class: ['people', 'plugins'].includes(id) && id === places.find(([other]) =>
                ['people', 'plugins', 'settings'].includes(other)
              )[0]
            ? 'apart'
            : null,
        }, h('a', { href, data: { place: id } }, icon(picture), h('span', {}, name(id))))
      ),
    ),
    h(
      'a',
      { class: 'rail-user', href: user.role === 'guest' ? '/settings' : '/account' },
      ariaHidden('span', 'face', [...user.name][0]),
      h('span', {}, user.name, h('span', 'tiny block', t(`role.${user.role}`))),
    ),
  );
}
function makeTabs(places) {
  const rest = places.filter(([id]) => id === 'radio' || !IN_TABS.includes(id));
  const more = h(
    'button',
    {
      class: 'more',
      'aria-haspopup': 'dialog',
      onclick: () => {
        const box = sheet(
          t('frame.more'),
          h(
            'ul',
            'rows',
            rest.map(([id, href, picture]) =>
              h(
                'li',
                {},
                h(
                  'a',
                  {
                    class: 'row',
                    href,
                    onclick: () => box.close(),
                  },
                  icon(picture, { class: 'row-icon' }),
                  h('span', 'name', name(id)),
                  icon('chevron', { class: 'row-icon soft' }),
                ),
              )
            ),
          ),
        );
      },
    },
    icon('more'),
    h('span', {}, t('frame.more')),
  );
  const node = h(
    'nav',
    { class: 'tabs', 'aria-label': t('frame.main') },
    places.filter(([id]) => IN_TABS.includes(id)).map(([id, href, picture]) =>
      h(
        'a',
        { href, class: id === 'radio' ? 'wide-only' : null, data: { place: id } },
        icon(picture),
        h('span', {}, name(id)),
      )
    ),
    more,
  );
  return { node, more };
}

function makeBar() {
  const main = h('button', { class: 'key', onclick: () => flip(main) }),
    rest = h('span', 'num'),
    name = h('span', 'name');
  const key = (picture, by) => {
    const button = h(
      'button',
      {
        class: 'key small-key wide-only',
        'aria-label': jumpName(by),
        onclick: () => jump(by, button),
      },
      icon(picture),
      ariaHidden('span', 'by', Math.abs(by)),
    );
    return button;
  };
  const keys = [key('back', -10), key('forward', 30)];
  const level = slider({ label: t('state.volume'), value: 0, onchange: setVolume }),
    wire = ariaHidden('div', 'mini-wire', h('i')),
    art = h('i');
  const loud = h('div', 'mini-volume', icon('volume'), level.input);
  const node = h(
    'section',
    { class: 'mini', 'aria-label': t('frame.plays') },
    wire,
    h(
      'a',
      { class: 'mini-what', href: '/player' },
      art,
      h('span', {}, name, h('span', 'sub', rest)),
    ),
    h('div', 'mini-keys', keys[0], main, keys[1]),
    loud,
  );
  return { node, main, rest, name, keys, level, loud, wire, art };
}
function paintBar(bar, place) {
  const now = theater.activity(),
    shown = !!theater.store.status && now.status !== 'idle' && !WITHOUT_BAR.includes(place);
  bar.node.hidden = !shown;
  document.body.classList.toggle('with-bar', shown);
  const title = titleOf(now) ?? '';
  if (title && now.status !== 'idle' && !COLORED.includes(place)) ambient(title);
  if (!shown) return;
  const play = theater.playback(),
    paused = isPaused(play),
    isRadio = theater.playerRole() === 'tuner';
  setText(bar.name, title);
  const shows = [title, now.player, now.item].join();
  // A new cover for each item: the picture of the last one may still be loading.
  if (bar.shows_ !== shows) {
    bar.shows_ = shows;
    bar.art.replaceWith(
      bar.art = withPicture(
        ariaHidden(
          'span',
          'cover square',
          cover(title, {
            kind: theater.playerRole() === 'dvdPlayer' ? 'still' : 'square',
            moment: .67,
          }),
        ),
        now.item,
      ),
    );
  }
  setText(bar.rest, words(now, play, paused, isRadio));
  bar.wire.style.setProperty(
    '--at',
    play?.duration ? (play.position / play.duration).toFixed(4) : 0,
  );
  const state = `${paused}`;
  if (bar.main.state_ !== state) {
    bar.main.state_ = state;
    setChildren(bar.main, icon(paused ? 'play' : 'pause'));
    bar.main.setAttribute('aria-label', t(paused ? 'do.resume' : 'do.pause'));
  }
  bar.main.hidden = isRadio || !['playing', 'paused'].includes(play?.state);
  for (const key of bar.keys) key.hidden = bar.main.hidden || !canSeek();
  bar.loud.hidden = !amplifier();
  if (volume() !== undefined) bar.level.set(volume());
}
function words(now, play, paused, isRadio) {
  if (now.status === 'failed') {
    return now.error?.step ? t('now.stoppedAt', { step: now.error.step }) : t('is.stopped');
  }
  if (now.status === 'starting') return t('now.starting');
  if (now.status === 'ending') return t('now.ending');
  if (isRadio) return play?.title ?? station(theater.device(now.player));
  if (paused) return t('now.paused');
  return play?.duration ? timeLeft(Math.max(0, play.duration - play.position)) : t('now.playing');
}

// Shows a notice without a live connection: the reason, and the age of the shown state. Removes it afterwards.
function paintConnection() {
  const { connection } = theater.store, isFull = connection === 'full';
  let note = $('.offline');
  lock(connection === 'lost');
  if (note && note.dataset.connection !== connection) {
    note.remove();
    note = undefined;
    if (connection === 'live') announce(t('offline.back'));
  }
  if (connection === 'live') return;
  const seconds = Math.max(0, (Date.now() - theater.store.lostSince) / 1000),
    text = t('offline.age', { ago: ago(seconds) });
  if (!note) {
    note = h(
      'div',
      { class: 'offline', role: 'status', data: { connection } },
      icon('wifiOff'),
      h(
        'p',
        {},
        h('b', {}, t(isFull ? 'error.tooManyStreams' : 'offline.title'), ' '),
        isFull ? `${t('error.tooManyStreams.hint')} ` : null,
        ariaHidden('span', 'age'),
      ),
      btn('', theater.retry, t('offline.try')),
    );
    $('#main')?.prepend(note);
  } else if (!note.isConnected || note.parentNode !== $('#main')) $('#main')?.prepend(note);
  setText($('.age', note), text);
}
// While the connection is lost, `lock` disables all controls but those in `OWN`: of the notice, the heads of dialogs,
// and the settings of this browser.
const OWN = [
  '.offline',
  '.dialog-head',
  '.card[aria-labelledby=h-look]',
  '.card[aria-labelledby=h-playing]',
].map((one) => `${one} *`).join();
let locked;
function lock(isLost) {
  const own = document.activeElement;
  for (
    const node of document.querySelectorAll(
      isLost
        ? `:is(#main,.mini,dialog) :is(button,input,select):enabled:not(${OWN})`
        : '[data-lost]',
    )
  ) {
    if (isLost && node === own) locked = own;
    node.disabled = isLost;
    node.toggleAttribute('data-lost', isLost);
  }
  if (isLost) return;
  if (own === document.body) focusOn(locked);
  locked = undefined;
}
