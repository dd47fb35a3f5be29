// Films and music: search as you type, a grid or list of which only the rows in view exist.
import { ariaHidden, btn, h, keepFocus, setChildren } from '../base/dom.js';
import { announce } from '../base/messages.js';
import { icon } from '../base/icons.js';
import { t, unit } from '../base/text.js';
import { clockText } from '../base/times.js';
import { showVirtualList } from '../base/virtual-list.js';
import { activityFor } from '../model/activities.js';
import * as theater from '../model/store.js';
import { heading, twoLines } from '../parts/cards.js';
import { segments } from '../parts/choices.js';
import { failureCard, showFailure } from '../parts/failures.js';
import { lateCover } from '../parts/item-cover.js';
import { roomTitle } from '../parts/room-switch.js';
import { askWhereToStart, playedShare, remainingTime, startItem } from '../parts/resume.js';

export const title = () => t('library.title');

/** The number of items that one request asks for. */
const PAGE = 200;
/** The pause of typing after which the list is searched. */
const SEARCH_PAUSE_MS = 120;
/** The pause after which the number of found items is announced. */
const ANNOUNCE_PAUSE_MS = 500;
/** A faster answer shows no placeholders. */
const PLACEHOLDERS_DELAY_MS = 300;
const PLACEHOLDERS = 14;

/**
 * What is known of a kind: the query, the pages of its items, their number, the place in the list.
 */
const emptyResult = ({ query = '', scroll = 0 } = {}) => ({
  query,
  scroll,
  pages: new Map(),
  total: undefined,
});
/** What is known of each kind; it stays when the screen is left. */
const results = { films: emptyResult(), music: emptyResult() };
/** The number of all items of each kind, without a query. */
const totals = {};
let kind = 'films';
/** The session and the revision of the library to which `results` belong. */
let session;
let revision;

/** Forgets what may be out of date. In another session, that is also the query and the place. */
function forgetOutdated() {
  const isSameSession = session === theater.store.session;
  if (isSameSession && revision === theater.store.library) return false;
  for (const name of Object.keys(results)) {
    results[name] = emptyResult(isSameSession ? results[name] : undefined);
  }
  session = theater.store.session;
  revision = theater.store.library;
  return true;
}
/** Where the list was left. */
export const place = () => results[kind].scroll;

/** The list of one kind at a time, with its search field. */
class Library {
  constructor(kinds, go) {
    this.kinds = kinds;
    this.go = go;
    /** The virtual list, and the result that it shows. */
    this.list = undefined;
    this.shown = undefined;
    /** The items in view, from one index up to another. */
    this.range = [0, 1];
    this.isLoading = false;
    this.hasFailed = false;
    this.isOver = false;
    this.announceTimer = undefined;
    this.searchTimer = undefined;
    this.found = h('p', { class: 'small', id: 'found' });
    this.host = h('div', 'library-list');
    this.input = h('input', {
      type: 'search',
      id: 'find',
      'aria-label': t('library.search'),
      placeholder: t('library.search'),
      autocomplete: 'off',
      'aria-describedby': 'found',
      value: this.result.query,
    });
    this.input.addEventListener('input', () => this.searchLater());
  }
  get result() {
    return results[kind];
  }
  item(index) {
    return this.result.pages.get(Math.floor(index / PAGE))?.[index % PAGE];
  }
  /** What is on the screen. */
  nodes() {
    const names = [['films', t('kind.film')], ['music', t('kind.music')]];
    const turn = (next) => this.turnTo(next);
    const choice = this.kinds.length > 1 ? segments(t('library.kind'), names, kind, turn) : null;
    const search = h('div', 'search', icon('search'), this.input);
    return [
      heading(title(), choice),
      h('div', 'library-tools', search),
      this.found,
      this.host,
    ];
  }
  turnTo(next) {
    this.result.scroll = scrollY;
    kind = next;
    history.replaceState({}, '', next === 'music' ? '/library?kind=music' : '/library');
    this.input.value = this.result.query;
    this.begin();
    scrollTo(0, this.result.scroll);
  }
  searchLater() {
    clearTimeout(this.searchTimer);
    this.searchTimer = setTimeout(() => this.search(), SEARCH_PAUSE_MS);
  }
  search() {
    const query = this.input.value.trim();
    if (query === this.result.query) return;
    results[kind] = emptyResult({ query });
    scrollTo(0, 0);
    this.begin();
  }
  /** Shows the list of a kind and a query from the start, or from what is known of it. */
  async begin() {
    this.list?.end();
    this.list = undefined;
    this.range = [0, 1];
    this.hasFailed = false;
    if (this.result.total === undefined) await this.load();
    else this.showList();
  }

  /** Loads the pages in view: one request at a time, always of the newest query. */
  async load() {
    if (this.isLoading || this.isOver) return;
    this.isLoading = true;
    const placeholders = setTimeout(() => this.showPlaceholders(), PLACEHOLDERS_DELAY_MS);
    let page = this.missingPage();
    while (page !== undefined && !this.isOver) {
      await this.loadPage(page);
      page = this.missingPage();
    }
    clearTimeout(placeholders);
    this.isLoading = false;
  }
  /** The first page in view that is not known. */
  missingPage() {
    const { total, pages } = this.result;
    if (this.hasFailed || total === 0) return undefined;
    const [from, to] = this.range;
    for (let page = Math.floor(from / PAGE); page * PAGE < to; page++) {
      if (!pages.has(page)) return page;
    }
    return undefined;
  }
  async loadPage(page) {
    const { result } = this;
    const ofKind = kind;
    const part = { search: result.query, offset: page * PAGE, limit: PAGE };
    try {
      const { items, total } = await theater.loadPage(ofKind, part);
      result.pages.set(page, items);
      result.total = total;
      if (!result.query) totals[ofKind] = total;
      if (result === this.result) this.showLoaded();
    } catch (failure) {
      if (result === this.result) this.fail(failure);
    }
  }
  fail(failure) {
    this.hasFailed = true;
    if (this.list) {
      showFailure(failure);
      return;
    }
    this.found.textContent = '';
    const again = () => this.begin();
    setChildren(this.host, failureCard(t(`library.failed.${kind}`), failure, again));
  }

  showPlaceholders() {
    if (this.list) return;
    this.found.textContent = t(`library.loading.${kind}`);
    const hasFocus = this.host.contains(document.activeElement);
    if (!hasFocus) setChildren(this.host, placeholderGrid());
  }
  /** Shows a loaded page: in the list that is there, or in a new one for another query. */
  showLoaded() {
    const { result } = this;
    const mustBegin = !this.list || this.shown.query !== result.query || !result.total;
    if (mustBegin) {
      keepFocus(this.host, () => this.showList(), () => this.input);
      return;
    }
    const index = document.activeElement.closest('[data-index]')?.dataset.index;
    const sameOrLast = () =>
      this.host.querySelector(`[data-index="${index}"] button`) ??
        [...this.host.querySelectorAll('[data-item]')].at(-1);
    keepFocus(this.host, () => this.fillList(), sameOrLast);
  }
  fillList() {
    if (this.shown !== this.result) {
      this.shown = this.result;
      this.list.resize(this.result.total);
      this.showCount();
    }
    this.list.redrawKnown();
  }
  showCount() {
    const { query, total } = this.result;
    const all = totals[kind];
    const isPart = query && all !== undefined;
    this.found.textContent = isPart
      ? t('library.found', { found: total, all: t(`count.${kind}`, { count: all }) })
      : t(`count.${kind}`, { count: total });
  }
  announceLater() {
    clearTimeout(this.announceTimer);
    if (!this.result.query) return;
    const say = () => announce(this.found.textContent);
    this.announceTimer = setTimeout(say, ANNOUNCE_PAUSE_MS);
  }
  /** Shows a new list of what is known. */
  showList() {
    const { query, total } = this.result;
    this.showCount();
    this.announceLater();
    this.list?.end();
    this.list = undefined;
    this.shown = this.result;
    if (!total) {
      setChildren(this.host, nothingFound(query, () => this.showAll()));
      return;
    }
    const isFilms = kind === 'films';
    this.list = showVirtualList(this.host, {
      count: total,
      className: isFilms ? 'posters' : 'rows songs',
      label: t(isFilms ? 'kind.film' : 'library.songs'),
      isKnown: (index) => !!this.item(index),
      build: (index) => this.build(index, isFilms),
      shown: (from, to) => {
        this.range = [from, to];
        this.hasFailed = false;
        this.load();
      },
    });
  }
  build(index, isFilms) {
    const item = this.item(index);
    const draw = isFilms ? poster : song;
    const node = item ? draw(item, this.go) : placeholder(isFilms);
    markCurrent(node);
    return node;
  }
  showAll() {
    this.input.value = '';
    this.search();
    this.input.focus();
  }

  /** Loads anew what is out of date, and marks the current item. */
  update() {
    // What is in view stays until it is loaded again.
    if (forgetOutdated()) {
      this.hasFailed = false;
      this.load();
    }
    for (const node of this.host.querySelectorAll('li')) markCurrent(node);
  }
  keepPlace() {
    if (this.list) this.result.scroll = scrollY;
  }
  end() {
    this.isOver = true;
    this.list?.end();
    clearTimeout(this.announceTimer);
    clearTimeout(this.searchTimer);
  }
}

/** The kind of the address, if the person may choose from it. */
function chosenKind(kinds) {
  const wanted = new URLSearchParams(location.search).get('kind') === 'music' ? 'music' : 'films';
  return kinds.includes(wanted) ? wanted : kinds[0];
}

export async function show(main, { go }) {
  const kinds = ['films', 'music'].filter((list) => theater.mayChoose(list));
  forgetOutdated();
  kind = chosenKind(kinds);
  const library = new Library(kinds, go);
  main.append(...library.nodes());
  const pressKey = (event) => {
    if (event.key !== '/' || event.target.closest('input, textarea, dialog')) return;
    event.preventDefault();
    library.input.focus();
  };
  const keepPlace = () => library.keepPlace();
  addEventListener('keydown', pressKey);
  addEventListener('scroll', keepPlace, { passive: true });
  await library.begin();
  const unwatch = theater.watch(() => library.update());
  return () => {
    removeEventListener('keydown', pressKey);
    removeEventListener('scroll', keepPlace);
    unwatch();
    library.end();
  };
}

const joined = (words, separator) => words.filter(Boolean).join(separator);
/** A place for an item that is not known yet. */
function placeholder(isFilm) {
  const bone = (look) => h('div', `bone ${look}`);
  if (!isFilm) return h('li', {}, h('div', 'row', bone('cover square'), bone('line-a')));
  return h('li', 'poster-item', bone('cover poster'), bone('line-a'), bone('line-b'));
}
const placeholderGrid = () =>
  ariaHidden('ul', 'posters', Array.from({ length: PLACEHOLDERS }, () => placeholder(true)));

function nothingFound(query, showAll) {
  return h(
    'div',
    'empty',
    icon('search'),
    h('h2', 'title-4', query ? t('library.nothing', { query }) : t('library.empty')),
    h('p', {}, query ? t('library.fewer') : t(`library.how.${kind}`)),
    query ? btn('', showAll, t('library.all')) : null,
  );
}
/** Marks the current item in a row or a poster. */
function markCurrent(node) {
  const { item, status } = theater.activity();
  const button = node.firstElementChild;
  if (!button.dataset.item) return;
  const isCurrent = status !== 'idle' && button.dataset.item === item;
  button.toggleAttribute('data-current', isCurrent);
}

const minutes = (seconds) => seconds ? unit(Math.max(1, Math.round(seconds / 60)), 'minute') : '';
function ageRating(rating) {
  if (rating === undefined) return '';
  return rating ? t('library.from', { age: rating }) : t('library.everybody');
}
/** The room in which an item plays, if that is another than the shown one. */
function otherRoomOf(item) {
  const name = activityFor(item)?.room;
  const place = theater.rooms().find((one) => one.name === name);
  return place && place !== theater.room() ? roomTitle(place) : '';
}
function poster(film, go) {
  const facts = [minutes(film.duration), ageRating(film.rating), otherRoomOf(film)]
    .filter(Boolean);
  const shown = [remainingTime(film) || facts[0], ...facts.slice(1)];
  const props = {
    class: 'poster-btn',
    data: { item: film.id },
    'aria-label': joined([film.title, ...shown], ', '),
    onclick: () => askWhereToStart(film, facts, go),
  };
  const button = h(
    'button',
    props,
    h('span', 'shelf-cover', lateCover(film.title, 'poster', film.id), playedShare(film)),
    h('span', 'name', film.title),
    h('span', 'tiny num', joined(shown, ' · ')),
  );
  return h('li', 'poster-item', button);
}
function song(item, go) {
  const facts = [item.artist, item.album, otherRoomOf(item)].filter(Boolean);
  const start = () => item.position ? askWhereToStart(item, facts, go) : startItem(item, button);
  const duration = item.duration ? clockText(item.duration) : '';
  const props = {
    class: 'row',
    data: { item: item.id },
    'aria-label': joined([item.title, ...facts, remainingTime(item)], ', '),
    onclick: start,
  };
  const equalizer = ariaHidden('span', 'eq', h('i'), h('i'), h('i'));
  const button = h(
    'button',
    props,
    lateCover(item.album ?? item.title, 'square', item.id),
    twoLines(item.title, joined(facts, ' · ')),
    h('span', 'end', equalizer, remainingTime(item) || duration),
  );
  return h('li', {}, button);
}
