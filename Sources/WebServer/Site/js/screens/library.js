// Films and music: search as you type, a grid or list of which only the rows in view exist.
import { announce, ariaHidden, btn, clockText, h, keepFocus, setChildren } from '../base/dom.js';
import { icon } from '../base/icons.js';
import * as theater from '../model/store.js';
import { heading, twoLines } from '../parts/cards.js';
import { segments } from '../parts/choices.js';
import { failureCard, showFailure } from '../parts/failures.js';
import { lateCover } from '../parts/item-cover.js';
import { begin as play, choose, playedShare, rest } from '../parts/resume.js';
import { virtual } from '../base/virtual-list.js';
import { t, unit } from '../base/text.js';

export const title = () => t('library.title');
const PAGE = 200, PAUSE = 120;
/** What is known of each kind: the query, the pages of items that match it, their count, that of all, the place in the list. */
const fresh = ({ query = '', scroll = 0 } = {}) => ({
  query,
  scroll,
  pages: new Map(),
  total: undefined,
});
const memory = { films: fresh(), music: fresh() };
const everything = {};
let session, revision;
let kind = 'films';
/** Lists are read again, at the place where they are. */
const forget = () => {
  for (const name of Object.keys(memory)) memory[name] = fresh(memory[name]);
};
/** Where the list was left. */
export const place = () => memory[kind].scroll;

export async function show(main, { go }) {
  const kinds = ['films', 'music'].filter(theater.mayChoose);
  if (session !== theater.store.session) { for (const name of kinds) memory[name] = fresh(); }
  else if (revision !== theater.store.library) forget();
  ({ session, library: revision } = theater.store);
  kind = new URLSearchParams(location.search).get('kind') === 'music' ? 'music' : 'films';
  if (!kinds.includes(kind)) [kind] = kinds;
  let list, drawn, timer, typing, isAsking = false, failed = false, range = [0, 1], isOver = false;
  const here = () => memory[kind],
    at = (index) => here().pages.get(Math.floor(index / PAGE))?.[index % PAGE];
  const input = h('input', {
    type: 'search',
    id: 'find',
    'aria-label': t('library.search'),
    placeholder: t('library.search'),
    autocomplete: 'off',
    'aria-describedby': 'found',
    value: here().query,
  });
  const found = h('p', { class: 'small', id: 'found' }), host = h('div', 'library-list');
  main.append(
    heading(
      title(),
      kinds.length > 1
        ? segments(
          t('library.kind'),
          [['films', t('kind.film')], ['music', t('kind.music')]],
          kind,
          turnTo,
        )
        : null,
    ),
    h('div', 'library-tools', h('div', 'search', icon('search'), input)),
    found,
    host,
  );

  function turnTo(next) {
    here().scroll = scrollY;
    kind = next;
    history.replaceState({}, '', next === 'music' ? '/library?kind=music' : '/library');
    input.value = here().query;
    begin();
    scrollTo(0, here().scroll);
  }
  /** Shows the list of a kind and a query from the start, or from what is known of it. */
  function begin() {
    list?.end();
    list = undefined;
    range = [0, 1];
    failed = false;
    if (here().total === undefined) return ask();
    paintList();
    return undefined;
  }
  /** Asks for the parts of the list in view: one request at a time, always of the newest query. */
  async function ask() {
    if (isAsking || isOver) return;
    isAsking = true;
    const slow = setTimeout(() => {
      if (list) return;
      found.textContent = t(`library.loading.${kind}`);
      if (!host.contains(document.activeElement)) setChildren(host, bones());
    }, 300);
    for (let page = missing(); page !== undefined && !isOver; page = missing()) {
      const mine = here(), of = kind;
      try {
        const answer = await theater.loadPage(of, {
          search: mine.query,
          offset: page * PAGE,
          limit: PAGE,
        });
        mine.pages.set(page, answer.items);
        mine.total = answer.total;
        if (!mine.query) everything[of] = answer.total;
        if (mine !== here()) continue;
        const at = document.activeElement.closest('[data-index]')?.dataset.index;
        if (!list || drawn.query !== mine.query || !mine.total) {
          keepFocus(host, paintList, () => input);
        } else {keepFocus(host, () => {
            if (drawn !== mine) {
              drawn = mine;
              list.resize(mine.total);
              showCount();
            }
            list.filled();
          }, () =>
            host.querySelector(`[data-index="${at}"] button`) ??
              [...host.querySelectorAll('[data-item]')].at(-1));}
      } catch (failure) {
        if (mine !== here()) continue;
        failed = true;
        if (list) showFailure(failure);
        else {
          found.textContent = '';
          setChildren(host, failureCard(t(`library.failed.${of}`), failure, begin));
        }
      }
    }
    clearTimeout(slow);
    isAsking = false;
  }
  /** The first page in view that is not known. */
  function missing() {
    const { total, pages } = here();
    if (failed || total === 0) return undefined;
    for (let page = Math.floor(range[0] / PAGE); page * PAGE < range[1]; page++) {
      if (!pages.has(page)) return page;
    }
    return undefined;
  }
  function search() {
    const query = input.value.trim();
    if (query === here().query) return;
    memory[kind] = fresh({ query });
    scrollTo(0, 0);
    begin();
  }
  function showCount() {
    const { query, total } = here(), all = everything[kind];
    found.textContent = query && all !== undefined
      ? t('library.found', { found: total, all: t(`count.${kind}`, { count: all }) })
      : t(`count.${kind}`, { count: total });
  }
  function paintList() {
    const { query, total } = here();
    showCount();
    clearTimeout(timer);
    if (query) timer = setTimeout(() => announce(found.textContent), 500);
    list?.end();
    list = undefined;
    drawn = here();
    if (!total) {
      setChildren(host, empty(query));
      return;
    }
    const isFilms = kind === 'films', look = isFilms ? poster : song;
    list = virtual(host, {
      count: total,
      className: isFilms ? 'posters' : 'rows songs',
      label: t(isFilms ? 'kind.film' : 'library.songs'),
      isKnown: (index) => !!at(index),
      build: (index) => {
        const item = at(index), node = item ? look(item, go) : bone(isFilms);
        mark(node);
        return node;
      },
      shown(from, to) {
        range = [from, to];
        failed = false;
        ask();
      },
    });
  }
  const empty = (query) =>
    h(
      'div',
      'empty',
      icon('search'),
      h('h2', 'title-4', query ? t('library.nothing', { query }) : t('library.empty')),
      h('p', {}, query ? t('library.fewer') : t(`library.how.${kind}`)),
      query
        ? btn('', () => {
          input.value = '';
          search();
          input.focus();
        }, t('library.all'))
        : null,
    );
  const mark = (node) => {
    const { item, status } = theater.activity(), own = node.firstElementChild;
    if (own.dataset.item) {
      own.toggleAttribute('data-current', status !== 'idle' && own.dataset.item === item);
    }
  };
  input.addEventListener('input', () => {
    clearTimeout(typing);
    typing = setTimeout(search, PAUSE);
  });
  const keys = (event) => {
    if (event.key === '/' && !event.target.closest('input, textarea, dialog')) {
      event.preventDefault();
      input.focus();
    }
  };
  const keep = () => {
    if (list) here().scroll = scrollY;
  };
  addEventListener('keydown', keys);
  addEventListener('scroll', keep, { passive: true });
  await begin();
  const unwatch = theater.watch(() => {
    // What is in view stays until it is read again.
    if (revision !== theater.store.library) {
      revision = theater.store.library;
      forget();
      failed = false;
      ask();
    }
    for (const node of host.querySelectorAll('li')) mark(node);
  });
  return () => {
    isOver = true;
    removeEventListener('keydown', keys);
    removeEventListener('scroll', keep);
    unwatch();
    list?.end();
    clearTimeout(timer);
    clearTimeout(typing);
  };
}
const bone = (
  isFilm,
) => (isFilm
  ? h(
    'li',
    'poster-item',
    h('div', 'bone cover poster'),
    h('div', 'bone line-a'),
    h('div', 'bone line-b'),
  )
  : h('li', {}, h('div', 'row', h('div', 'bone cover square'), h('div', 'bone line-a'))));
const bones = () => ariaHidden('ul', 'posters', Array.from({ length: 14 }, () => bone(true)));
const minutes = (seconds) => (seconds ? unit(Math.max(1, Math.round(seconds / 60)), 'minute') : '');
const rated = (
  rating,
) => (rating === undefined
  ? ''
  : rating
  ? t('library.from', { age: rating })
  : t('library.everybody'));

function poster(film, go) {
  const facts = [minutes(film.duration), rated(film.rating)].filter(Boolean),
    shown = [rest(film) || facts[0], ...facts.slice(1)].filter(Boolean);
  return h(
    'li',
    'poster-item',
    h(
      'button',
      {
        class: 'poster-btn',
        data: { item: film.id },
        'aria-label': [film.title, ...shown].join(', '),
        onclick: () => choose(film, facts, go),
      },
      h('span', 'shelf-cover', lateCover(film.title, 'poster', film.id), playedShare(film)),
      h('span', 'name', film.title),
      h('span', 'tiny num', shown.join(' · ')),
    ),
  );
}
function song(item, go) {
  const node = h(
    'button',
    {
      class: 'row',
      data: { item: item.id },
      'aria-label': [item.title, item.artist, item.album, rest(item)].filter(Boolean).join(', '),
      onclick:
        () => (item.position
          ? choose(item, [item.artist, item.album].filter(Boolean), go)
          : play(item, node)),
    },
    lateCover(item.album ?? item.title, 'square', item.id),
    twoLines(item.title, [item.artist, item.album].filter(Boolean).join(' · ')),
    h(
      'span',
      'end',
      ariaHidden('span', 'eq', h('i'), h('i'), h('i')),
      rest(item) || (item.duration ? clockText(item.duration) : ''),
    ),
  );
  return h('li', {}, node);
}
