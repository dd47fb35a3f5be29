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
let leave = () => {}, app, turn = 0;

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

const sheets = new Map();
/** Loads a style sheet once; resolves when it applies. */
function style(name) {
  if (!sheets.has(name)) {
    sheets.set(
      name,
      new Promise((done) => {
        document.head.append(
          h('link', {
            rel: 'stylesheet',
            href: new URL(`../css/${name}.css`, import.meta.url).href,
            onload: done,
            onerror: done,
          }),
        );
      }),
    );
  }
  return sheets.get(name);
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
  app?.end();
  app = undefined;
  await go(address, { replace: true });
}
/** Returns to the login, after a logout or when the session has ended. */
export async function exit() {
  localStorage.removeItem('theater-session');
  app?.end();
  app = undefined;
  await go('/login', { replace: true });
}

async function show(keepScroll) {
  const mine = ++turn, path = location.pathname, asked = document.activeElement;
  delete document.documentElement.dataset.ready;
  const entrance = ENTRANCE[path];
  if (!entrance && !app && !(await open())) return;
  const wanted = entrance ?? SCREENS[path] ?? 'home',
    name = app && !entrance && !app.allows(wanted) ? 'home' : wanted;
  if (entrance && app) {
    app.end();
    app = undefined;
  }
  let module;
  try {
    [module] = await Promise.all([
      loaders[name](),
      ...(entrance ? ['entrance'] : ['controls', 'shell', 'screens', 'room']).map(style),
    ]);
  } catch (failure) {
    if (await isReachable()) {
      outdated(failure);
      return;
    }
    if (!app) {
      await unreachable();
      return;
    }
    module = absent(name);
  }
  if (mine !== turn) return;
  leave();
  leave = () => {};
  const main = h('main', {
    id: 'main',
    tabindex: -1,
    class: entrance ? 'backdrop' : { room: 'room-page', player: 'player' }[name] ?? 'page',
  });
  const withBar = document.body.classList.contains('with-bar');
  document.body.className = entrance
    ? 'entrance'
    : { room: 'app immersive', player: 'app player-body' }[name] ?? 'app';
  document.body.classList.toggle('with-bar', withBar && !entrance);
  document.body.dataset.page = name;
  document.querySelectorAll('dialog[open]').forEach((box) => box.close());
  const after = document.activeElement;
  $('#main').replaceWith(main);
  document.title = `${module.title()} · ${NAME}`;
  app?.turnTo(name);
  const waiting = entrance ? undefined : loading(module.title());
  if (waiting) main.append(waiting);
  const left = await module.show(main, { go, enter, exit, begin, again: () => show(true) });
  waiting?.remove();
  if (mine !== turn) {
    left?.();
    return;
  }
  leave = left ?? leave;
  if (!keepScroll) scrollTo(0, module.place?.() ?? 0);
  if (mine > 1 && [asked, after, document.body].includes(document.activeElement)) {
    main.focus({ preventScroll: true });
    announce(module.title());
  }
  document.documentElement.dataset.ready = name;
  sessionStorage.removeItem('theater-reloaded');
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
/** Stands for a screen that was not loaded before the controller went off; it is loaded as soon as the controller is back. */
const absent = (name) => ({
  title: () => t(`${name}.title`),
  show(main) {
    main.append(h('h1', 'title-2', t(`${name}.title`)));
    return app.whenBack(() => location.reload());
  },
});
/** A newer controller has other files: the page is loaded anew, once. */
function outdated(failure) {
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
      await Promise.all(['controls', 'shell', 'screens', 'room'].map(style));
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
  if (!(failure instanceof Failure)) failure = new Failure(0, { code: 'network' });
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
        h('h1', 'title-2', failure.message),
        h('p', 'soft', failure.hint),
        again,
      ),
    ),
  );
  again.focus();
}

// Links of the app change the screen without a request.
document.addEventListener('click', (event) => {
  const link = event.target.closest?.('a[href]');
  if (
    !link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey ||
    event.shiftKey || link.target || link.origin !== location.origin
  ) return;
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

applyPreferences();
loadTexts(preferences().language).then(() => show()).then(async () =>
  (await import('./worker.js')).installWorker()
);
