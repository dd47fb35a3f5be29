// Entry point and router: maps addresses to screens.
import { $, announce, ariaHidden, btn, h } from './base/dom.js';
import { Failure, get, whenLoggedOut } from './base/api.js';
import { changeLanguage, loadTexts, t } from './base/text.js';
import { applyPreferences, preferences } from './base/preferences.js';

const NAME = 'Home Theater';
// Screens of people without a session; entrance.css has their styles.
const ENTRANCE = {
  '/login': 'login',
  '/register': 'register',
  '/guest': 'guest',
  '/code': 'code',
  '/reset': 'reset',
};
const SCREENS = {
  '/': 'home',
  '/home': 'home',
  '/room': 'room',
  '/library': 'library',
  '/player': 'player',
  '/radio': 'radio',
  '/scenes': 'scenes',
  '/devices': 'devices',
  '/people': 'people',
  '/plugins': 'plugins',
  '/settings': 'settings',
  '/account': 'account',
  '/configuration': 'editor',
  '/doctor': 'doctor',
  '/setup': 'setup',
};
const MAIN_CLASSES = { room: 'room-page', player: 'player' };
const BODY_CLASSES = { room: 'app immersive', player: 'app player-body' };
const THEATER_STYLES = ['controls', 'shell', 'screens', 'room'];

/** Ends the screen that is shown. */
let leave = () => {};
/** The frame of the session's theater; `undefined` without a session. */
let app;
/** The number of screens that were asked for. */
let turn = 0;

const loaders = {
  login: () => import('./screens/login.js'),
  register: () => import('./screens/register.js'),
  guest: () => import('./screens/guest.js'),
  code: () => import('./screens/code.js'),
  reset: () => import('./screens/reset.js'),
  home: () => import('./screens/home.js'),
  room: () => import('./screens/room.js'),
  library: () => import('./screens/library.js'),
  player: () => import('./screens/player.js'),
  radio: () => import('./screens/radio.js'),
  scenes: () => import('./screens/scenes.js'),
  devices: () => import('./screens/devices.js'),
  people: () => import('./screens/people.js'),
  plugins: () => import('./screens/plugins.js'),
  settings: () => import('./screens/settings.js'),
  account: () => import('./screens/account.js'),
  editor: () => import('./screens/editor.js'),
  doctor: () => import('./screens/doctor.js'),
  setup: () => import('./screens/setup.js'),
};

const styles = new Map();
/** Loads a style sheet once; resolves when it applies. */
function style(name) {
  if (!styles.has(name)) styles.set(name, loadStyle(name));
  return styles.get(name);
}
function loadStyle(name) {
  const { href } = new URL(`../css/${name}.css`, import.meta.url);
  return new Promise((resolve) => {
    const props = { rel: 'stylesheet', href, onload: resolve, onerror: resolve };
    document.head.append(h('link', props));
  });
}
const hasSession = () => localStorage.getItem('theater-session') === '1';

/** Shows the screen of an address. */
export async function go(address, { replace = false, keepScroll = false } = {}) {
  const url = new URL(address, location.href);
  if (url.href !== location.href) history[replace ? 'replaceState' : 'pushState']({}, '', url);
  await show(keepScroll);
}
/** Remembers a successful login and opens the theater. */
export async function enter() {
  localStorage.setItem('theater-session', '1');
  await go(sessionStorage.getItem('theater-goal') ?? '/', { replace: true });
  sessionStorage.removeItem('theater-goal');
}
/** Opens the theater again, for another session in the place of this one. */
async function begin(address) {
  endApp();
  await go(address, { replace: true });
}
/** Returns to the login, after a logout or when the session has ended. */
export async function exit() {
  localStorage.removeItem('theater-session');
  endApp();
  await go('/login', { replace: true });
}
function endApp() {
  app?.end();
  app = undefined;
}

/**
 * Shows the screen of the present address. A later call takes the place of one that still loads.
 */
async function show(keepScroll) {
  turn += 1;
  const ownTurn = turn;
  const focusedBefore = document.activeElement;
  delete document.documentElement.dataset.ready;
  const { name, isEntrance } = screenOf(location.pathname);
  if (!isEntrance && !app && !(await open())) return;
  if (isEntrance) endApp();
  const shownName = app && !app.allows(name) ? 'home' : name;
  const module = await load(shownName, isEntrance);
  if (!module || ownTurn !== turn) return;
  leave();
  leave = () => {};
  const main = openMain(shownName, isEntrance);
  const focusedAfter = document.activeElement;
  document.title = `${module.title()} · ${NAME}`;
  app?.turnTo(shownName);
  const end = await showIn(main, module, isEntrance);
  if (ownTurn !== turn) {
    end?.();
    return;
  }
  leave = end ?? leave;
  if (!keepScroll) scrollTo(0, module.place?.() ?? 0);
  const hasUserFocused = ![focusedBefore, focusedAfter, document.body]
    .includes(document.activeElement);
  if (ownTurn > 1 && !hasUserFocused) {
    main.focus({ preventScroll: true });
    announce(module.title());
  }
  document.documentElement.dataset.ready = shownName;
  sessionStorage.removeItem('theater-reloaded');
}
function screenOf(pathname) {
  const entrance = ENTRANCE[pathname];
  return { name: entrance ?? SCREENS[pathname] ?? 'home', isEntrance: !!entrance };
}
/** Loads a screen and its styles; `undefined` if something else is shown in its place. */
async function load(name, isEntrance) {
  const styles = isEntrance ? ['entrance'] : THEATER_STYLES;
  try {
    const [module] = await Promise.all([loaders[name](), ...styles.map(style)]);
    return module;
  } catch (failure) {
    if (await isReachable()) reloadOnce(failure);
    else if (app) return absent(name);
    else await unreachable();
    return undefined;
  }
}
/** Puts an empty main element for a screen in the place of the last one. */
function openMain(name, isEntrance) {
  const main = h('main', {
    id: 'main',
    tabindex: -1,
    class: isEntrance ? 'backdrop' : MAIN_CLASSES[name] ?? 'page',
  });
  const { body } = document;
  const hasBar = body.classList.contains('with-bar');
  body.className = isEntrance ? 'entrance' : BODY_CLASSES[name] ?? 'app';
  body.classList.toggle('with-bar', hasBar && !isEntrance);
  body.dataset.page = name;
  for (const dialog of document.querySelectorAll('dialog[open]')) dialog.close();
  $('#main').replaceWith(main);
  return main;
}
/** Shows a screen; returns the function that ends it, if it has one. */
async function showIn(main, module, isEntrance) {
  const placeholder = isEntrance ? undefined : loading(module.title());
  if (placeholder) main.append(placeholder);
  const end = await module.show(main, { go, enter, exit, begin, again: () => show(true) });
  placeholder?.remove();
  return end;
}
/** What a screen shows until it has read what it needs; its own content hides it. */
const loading = (title) =>
  h(
    'div',
    'loading',
    h('h1', 'title-2', title),
    h('p', { class: 'soft', role: 'status' }, t('frame.loading')),
    [1, 2, 3].map(() => ariaHidden('div', 'skeleton')),
  );
const isReachable = () =>
  fetch('/', { method: 'HEAD', cache: 'no-store' }).then(() => true, () => false);
/**
 * Stands for a screen that was not loaded before the controller went off; it is loaded as soon as
 * the controller is back.
 */
const absent = (name) => ({
  title: () => t(`${name}.title`),
  show(main) {
    main.append(h('h1', 'title-2', t(`${name}.title`)));
    return app.whenBack(() => location.reload());
  },
});
/** A newer controller has other files: the page is loaded anew, once. */
function reloadOnce(failure) {
  if (sessionStorage.getItem('theater-reloaded')) throw failure;
  sessionStorage.setItem('theater-reloaded', '1');
  location.reload();
}
/** Opens the session's theater; shows the login where there is none. */
async function open() {
  if (hasSession()) {
    try {
      const session = await get('/sessions/current', { open: true });
      await changeLanguage(preferences().language ?? session.user.language);
      const frame = await import('./screens/frame.js');
      await Promise.all(THEATER_STYLES.map(style));
      app = await frame.begin(session, { go, exit });
      return true;
    } catch (failure) {
      if (failure.status !== 401) {
        await unreachable(failure);
        return false;
      }
      localStorage.removeItem('theater-session');
    }
  }
  if (!['/', '/home'].includes(location.pathname)) {
    sessionStorage.setItem('theater-goal', location.pathname + location.search);
  }
  await go('/login', { replace: true });
  return false;
}
async function unreachable(failure) {
  const { message, hint } = failure instanceof Failure
    ? failure
    : new Failure(0, { code: 'network' });
  await style('entrance');
  document.body.className = 'entrance';
  const again = btn('primary big', async () => {
    if (await isReachable()) location.reload();
  }, t('do.retry'));
  $('#main').replaceChildren(
    h(
      'div',
      'entrance-content',
      h(
        'div',
        { class: 'card entrance-card', role: 'alert' },
        h('h1', 'title-2', message),
        h('p', 'soft', hint),
        again,
      ),
    ),
  );
  again.focus();
}

// Links of the app change the screen without a request.
document.addEventListener('click', (event) => {
  const link = event.target.closest?.('a[href]');
  const hasModifier = event.metaKey || event.ctrlKey || event.shiftKey;
  if (!link || event.defaultPrevented || event.button || hasModifier) return;
  if (link.target || link.origin !== location.origin) return;
  if (!(link.pathname in ENTRANCE) && !(link.pathname in SCREENS)) return;
  event.preventDefault();
  go(link.href);
});
// Each screen knows its place itself.
history.scrollRestoration = 'manual';
addEventListener('popstate', () => show());
addEventListener('hashchange', () => {
  if (location.pathname in ENTRANCE) show();
});
whenLoggedOut(exit);

async function start() {
  await loadTexts(preferences().language);
  await show();
  const { installWorker } = await import('./worker.js');
  await installWorker();
}
applyPreferences();
start();
