// Entry point and router: maps addresses to screens.
import { $, ariaHidden, btn, h } from './base/dom.js';
import { announce } from './base/messages.js';
import { Failure, get, setLogoutHandler } from './base/api.js';
import { changeLanguage, loadTexts, t } from './base/text.js';
import { applyPreferences, preferences } from './base/preferences.js';
import { followKeyboard } from './parts/field-in-view.js';

const NAME = 'Home Theater';

// Layouts: the style sheets, and the classes of `main` and of `body`.
const ENTRANCE = { styles: ['entrance'], main: 'backdrop', body: 'entrance', isEntrance: true };
const CODES = { ...ENTRANCE, styles: ['codes-and-rules', 'entrance'] };
const REGISTRATION = { ...ENTRANCE, styles: [...CODES.styles, 'registration'] };
const PAGE = {
  styles: ['codes-and-rules', 'controls', 'shell', 'screens', 'room'],
  main: 'page',
  body: 'app',
};
const ROOM = { ...PAGE, main: 'room-page', body: 'app immersive' };
const PLAYER = { ...PAGE, main: 'player', body: 'app player-body' };

/** The screens by name: the layout, the addresses and the module. */
const SCREENS = {
  // Of people without a session.
  login: [ENTRANCE, ['/login'], () => import('./screens/login.js')],
  register: [REGISTRATION, ['/register'], () => import('./screens/register.js')],
  guest: [ENTRANCE, ['/guest'], () => import('./screens/guest.js')],
  code: [CODES, ['/code'], () => import('./screens/code.js')],
  reset: [CODES, ['/reset'], () => import('./screens/reset.js')],

  home: [PAGE, ['/', '/home'], () => import('./screens/home.js')],
  room: [ROOM, ['/room'], () => import('./screens/room.js')],
  library: [PAGE, ['/library'], () => import('./screens/library.js')],
  player: [PLAYER, ['/player'], () => import('./screens/player.js')],
  radio: [PAGE, ['/radio'], () => import('./screens/radio.js')],
  scenes: [PAGE, ['/scenes'], () => import('./screens/scenes.js')],
  devices: [PAGE, ['/devices'], () => import('./screens/devices.js')],
  people: [PAGE, ['/people'], () => import('./screens/people.js')],
  plugins: [PAGE, ['/plugins'], () => import('./screens/plugins.js')],
  settings: [PAGE, ['/settings'], () => import('./screens/settings.js')],
  account: [PAGE, ['/account'], () => import('./screens/account.js')],
  editor: [PAGE, ['/configuration'], () => import('./screens/editor.js')],
  doctor: [PAGE, ['/doctor'], () => import('./screens/doctor.js')],
  setup: [PAGE, ['/setup'], () => import('./screens/setup.js')],
};
const screens = new Map();
const screensByAddress = new Map();
for (const [name, [layout, addresses, load]] of Object.entries(SCREENS)) {
  const screen = { name, layout, load };
  screens.set(name, screen);
  for (const address of addresses) screensByAddress.set(address, screen);
}
const screenAt = (address) => screensByAddress.get(address) ?? screens.get('home');
const loadFrame = () => import('./screens/frame.js');

/** The frame of a session's screens; undefined before it is open. */
let app;
/** Ends the screen that is shown. */
let leave = () => {};
/** The number of the last navigation; an earlier one that is still loading is dropped. */
let navigationNumber = 0;

const styles = new Map();
/** Loads a style sheet once; resolves when it applies. */
function loadStyle(name) {
  if (!styles.has(name)) styles.set(name, addStyle(name));
  return styles.get(name);
}
function addStyle(name) {
  const { href } = new URL(`../css/${name}.css`, import.meta.url);
  return new Promise((resolve) => {
    const props = { rel: 'stylesheet', href, onload: resolve, onerror: resolve };
    document.head.append(h('link', props));
  });
}
/** Loads the module and the styles of a screen; resolves with the module. */
async function load({ load: loadModule, layout }) {
  const [module] = await Promise.all([loadModule(), ...layout.styles.map(loadStyle)]);
  return module;
}
let isHomePreloaded = false;
/** Loads all modules of Home at once, instead of each after the one that imports it. */
function preloadHome() {
  if (isHomePreloaded) return;
  isHomePreloaded = true;
  document.head.append($('#home-modules').content.cloneNode(true));
}

/** Whether this browser has logged in; the session's cookie is hidden from scripts. */
const hasSession = () => localStorage.getItem('theater-session') === '1';
const readSession = () => get('/sessions/current', { allows401: true });
/** The outcome of the request for the session that begins before the texts are loaded. */
let earlySession;
/** Returns the current session. */
async function currentSession() {
  const early = await earlySession;
  earlySession = undefined;
  if (early?.failure?.status === 401) throw early.failure;
  // Another early failure has no text in the reader's language, so the request is repeated.
  return early?.session ?? readSession();
}

/** Shows the screen of an address. */
export async function go(address, { replace = false, keepScroll = false } = {}) {
  const url = new URL(address, location.href);
  if (url.href !== location.href) history[replace ? 'replaceState' : 'pushState']({}, '', url);
  await show(keepScroll);
}
/** Lets the login say that the session has ended. */
const rememberEnd = () => sessionStorage.setItem('theater-ended', '1');
/** Remembers a successful login and opens the theater. */
export async function enter() {
  localStorage.setItem('theater-session', '1');
  await go(sessionStorage.getItem('theater-goal') ?? '/', { replace: true });
  sessionStorage.removeItem('theater-goal');
}
function endApp() {
  app?.end();
  app = undefined;
}
/** Opens the theater again, for another session in the place of this one. */
async function begin(address) {
  endApp();
  await go(address, { replace: true });
}
/** Returns to the login after a logout. */
export async function exit() {
  localStorage.removeItem('theater-session');
  endApp();
  await go('/login', { replace: true });
}
/** Returns to the login, which says why, when the session has ended by itself or elsewhere. */
async function exitEnded() {
  // A logout ends the session, too, before it leads to the login.
  if (hasSession()) rememberEnd();
  await exit();
}

/** Shows the screen of the current address. */
async function show(keepScroll) {
  navigationNumber += 1;
  const ownNumber = navigationNumber;
  const focusedBefore = document.activeElement;
  delete document.documentElement.dataset.ready;
  const wanted = screenAt(location.pathname);
  const { isEntrance } = wanted.layout;
  if (!isEntrance && !app && !(await open())) return;
  if (ownNumber !== navigationNumber) {
    // An entrance that was asked for meanwhile has no frame around it.
    if (screenAt(location.pathname).layout.isEntrance) endApp();
    return;
  }
  const isAllowed = isEntrance || (app?.allows(wanted.name) ?? true);
  const screen = isAllowed ? wanted : screens.get('home');
  if (isEntrance) endApp();
  const module = await loadOrExplain(screen);
  if (!module || ownNumber !== navigationNumber) return;
  leave();
  leave = () => {};
  const main = layOut(screen);
  const focusedAfter = document.activeElement;
  $('#main').replaceWith(main);
  document.title = `${module.title()} · ${NAME}`;
  app?.turnTo(screen.name);
  const placeholder = isEntrance ? undefined : loadingPlaceholder(module.title());
  if (placeholder) main.append(placeholder);
  const end = await module.show(main, { go, enter, exit, begin, again: () => show(true) });
  placeholder?.remove();
  if (ownNumber !== navigationNumber) {
    end?.();
    return;
  }
  leave = end ?? leave;
  if (!keepScroll) scrollTo(0, module.place?.() ?? 0);
  // The focus stays where the reader has put it meanwhile.
  const isUnmoved = [focusedBefore, focusedAfter, document.body].includes(document.activeElement);
  if (ownNumber > 1 && isUnmoved) {
    main.focus({ preventScroll: true });
    announce(module.title());
  }
  document.documentElement.dataset.ready = screen.name;
  sessionStorage.removeItem('theater-reloaded');
}
/**
 * Loads a screen. Returns undefined if the page is loaded anew or says why; offline within the app,
 * a placeholder.
 */
async function loadOrExplain(screen) {
  try {
    return await load(screen);
  } catch (failure) {
    if (await isReachable()) {
      reloadOutdated(failure);
      return undefined;
    }
    if (app) return absentScreen(screen.name);
    await showUnreachable();
    return undefined;
  }
}
/** Gives `body` the layout of a screen, and returns an empty `main` for it. */
function layOut({ name, layout }) {
  const { classList, dataset } = document.body;
  const hasBar = classList.contains('with-bar') && !layout.isEntrance;
  document.body.className = layout.body;
  classList.toggle('with-bar', hasBar);
  dataset.page = name;
  document.querySelectorAll('dialog[open]').forEach((dialog) => dialog.close());
  return h('main', { id: 'main', tabindex: -1, class: layout.main });
}
/** What a screen shows until it has read what it needs; its own content hides it. */
const loadingPlaceholder = (title) =>
  h(
    'div',
    'loading',
    h('h1', 'title-2', title),
    h('p', { class: 'soft', role: 'status' }, t('frame.loading')),
    [1, 2, 3].map(() => ariaHidden('div', 'skeleton')),
  );
const isReachable = () =>
  fetch('/', { method: 'HEAD', cache: 'no-store' }).then(() => true, () => false);
/** Stands for a screen that could not be loaded; the page is loaded anew when it can be. */
const absentScreen = (name) => ({
  title: () => t(`${name}.title`),
  show(main) {
    main.append(h('h1', 'title-2', t(`${name}.title`)));
    return app.whenBack(() => location.reload());
  },
});
/** A newer controller has other files: the page is loaded anew, once. */
function reloadOutdated(failure) {
  if (sessionStorage.getItem('theater-reloaded')) throw failure;
  sessionStorage.setItem('theater-reloaded', '1');
  location.reload();
}

/** Loads the frame of the session's screens, and shows it. */
async function openFrame() {
  const frameLoads = Promise.all([loadFrame(), ...PAGE.styles.map(loadStyle)]);
  // A refused session says more than files that are missing.
  frameLoads.catch(() => {});
  const session = await currentSession();
  const [frame] = await frameLoads;
  await changeLanguage(preferences().language ?? session.user.language);
  app = await frame.begin(session, { go, exit: exitEnded });
}
/** Says why the theater cannot be opened, or loads the page anew if its files are outdated. */
async function explain(failure) {
  if (!(failure instanceof Failure) && await isReachable()) reloadOutdated(failure);
  else await showUnreachable(failure);
}
/** Opens the session's theater; shows the login where there is none. */
async function open() {
  if (hasSession()) {
    preloadHome();
    try {
      await openFrame();
      return true;
    } catch (failure) {
      if (failure.status !== 401) {
        await explain(failure);
        return false;
      }
      localStorage.removeItem('theater-session');
      rememberEnd();
    }
  }
  if (screenAt(location.pathname).name !== 'home') {
    sessionStorage.setItem('theater-goal', location.pathname + location.search);
  }
  await go('/login', { replace: true });
  return false;
}
/** Milliseconds between two questions whether the controller answers again. */
const UNREACHABLE_PERIOD = 2000;
/** Loads the page anew as soon as the controller answers. */
async function reloadWhenReachable() {
  if (await isReachable()) location.reload();
  else setTimeout(reloadWhenReachable, UNREACHABLE_PERIOD);
}
/** Says that the controller does not answer, and goes on as soon as it does. */
async function showUnreachable(reason) {
  const failure = reason instanceof Failure ? reason : new Failure(0, { code: 'network' });
  await loadStyle('entrance');
  document.body.className = 'entrance';
  const again = btn('primary big', async () => {
    if (await isReachable()) location.reload();
  }, t('do.retry'));
  const card = h(
    'div',
    { class: 'card entrance-card', role: 'alert' },
    h('h1', 'title-2', failure.message),
    h('p', 'soft', failure.hint),
    failure.kind === 'network' ? h('p', 'soft', t('error.networkAgain')) : null,
    again,
  );
  $('#main').replaceChildren(h('div', 'entrance-content', card));
  again.focus();
  if (failure.kind === 'network') reloadWhenReachable();
}

/** Links of the app change the screen without a request. */
function followLink(event) {
  const link = event.target.closest?.('a[href]');
  const hasModifier = event.metaKey || event.ctrlKey || event.shiftKey;
  if (!link || event.defaultPrevented || event.button || hasModifier) return;
  if (link.target || link.origin !== location.origin) return;
  if (!screensByAddress.has(link.pathname)) return;
  event.preventDefault();
  go(link.href);
}
document.addEventListener('click', followLink);
// Each screen knows its place itself.
history.scrollRestoration = 'manual';
addEventListener('popstate', () => show());
addEventListener('hashchange', () => {
  if (screenAt(location.pathname).layout.isEntrance) show();
});
setLogoutHandler(exitEnded);

/** Replaces the skeleton if the page's texts cannot be loaded: the one sentence without them. */
function explainMissingTexts() {
  const reload = btn('primary', () => location.reload(), 'Try again');
  const sentence = h('p', { role: 'alert' }, 'The theater’s page could not be loaded.');
  $('#main').replaceChildren(h('div', 'page-skeleton', sentence, reload));
}
/** Begins to load what the first screen needs, while the texts are loaded too. */
function loadAhead() {
  const wanted = screenAt(location.pathname);
  const needsSession = !wanted.layout.isEntrance;
  const isOpening = needsSession && hasSession();
  if (isOpening) {
    preloadHome();
    earlySession = readSession().then((session) => ({ session }), (failure) => ({ failure }));
    loadFrame().catch(() => {});
  }
  const first = needsSession && !isOpening ? screens.get('login') : wanted;
  // `show` reports what cannot be loaded.
  load(first).catch(() => {});
}
async function start() {
  applyPreferences();
  followKeyboard();
  const texts = loadTexts(preferences().language);
  loadAhead();
  try {
    await texts;
  } catch {
    explainMissingTexts();
    return;
  }
  await show();
  const { installWorker } = await import('./worker.js');
  installWorker();
}
start();
