// Films and music: search as you type, a grid or list of which only the rows in view exist.
import { ariaHidden, btn, h, keepFocus, setChildren } from '../base/dom.js';
import { announce } from '../base/messages.js';
import { icon } from '../base/icons.js';
import { t, unit } from '../base/text.js';
import { clockText } from '../base/times.js';
import { showVirtualList } from '../base/virtual-list.js';
import { activityFor, itemsFor } from '../model/activities.js';
import * as theater from '../model/store.js';
import { activityTitle } from '../model/words.js';
import { chosenActivity } from '../parts/activity-start.js';
import { heading, twoLines } from '../parts/cards.js';
import { segments } from '../parts/choices.js';
import { failureCard, showFailure } from '../parts/failures.js';
import { lateCover } from '../parts/item-cover.js';
import { roomTitle } from '../parts/room-switch.js';
import { askWhereToStart, playedShare, remainingTime, startItem } from '../parts/resume.js';

/** The activity for which an item is chosen, else the library. */
export function title() {
  const chosen = chosenOwner();
  return chosen ? activityTitle(chosen) : t('library.title');
}
/** The kind that the address names, and its activity; without one, all items are shown. */
const kindOfAddress = () =>
  new URLSearchParams(location.search).get('kind') === 'music' ? 'music' : 'films';
const chosenOwner = () => chosenActivity(kindOfAddress() === 'music' ? 'songs' : 'films');

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
let totals = {};
let kind = 'films';
/** The activity whose items are shown; `undefined` for all items. */
let owner;
/** The session, the name of the activity and the revision of the library of `results`. */
let session;
let ownerName;
let revision;

/**
 * Forgets what may be out of date. In another session and for another activity, that is also the
 * query and the place.
 */
function forgetOutdated() {
  const isSameList = session === theater.store.session && ownerName === owner?.name;
  if (isSameList && revision === theater.store.library) return false;
  if (!isSameList) totals = {};
  for (const name of Object.keys(results)) {
    results[name] = emptyResult(isSameList ? results[name] : undefined);
  }
  session = theater.store.session;
  ownerName = owner?.name;
  revision = theater.store.library;
  return true;
}
/**
 * Reads a page of a result, or all pages of those items that an activity plays; returns the number
 * of all items.
 */
async function readPage(list, { query, pages }, page) {
  if (owner) return readItemsOf(owner, list, { query, pages }, page);
  const part = { search: query, offset: page * PAGE, limit: PAGE };
  const { items, total } = await theater.loadPage(list, part);
  pages.set(page, items);
  return total;
}
async function readItemsOf(activity, list, { query, pages }, page) {
  const read = [];
  await theater.loadWhole(list, query, read);
  const items = itemsFor(activity, read);
  // The wanted page may lie behind a list that has become shorter.
  pages.set(page, []);
  for (let first = 0; first < items.length; first += PAGE) {
    pages.set(first / PAGE, items.slice(first, first + PAGE));
  }
  return items.length;
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
    const search = h('div', 'search', icon('search'), this.input);
    return [
      heading(title(), owner ? allLink() : this.kindChoice()),
      h('div', 'library-tools', search),
      this.found,
      this.host,
    ];
  }
  kindChoice() {
    if (this.kinds.length < 2) return null;
    const names = [['films', t('kind.film')], ['music', t('kind.music')]];
    return segments(t('library.kind'), names, kind, (next) => this.turnTo(next));
  }
  turnTo(next) {
    this.result.scroll = scrollY;
    kind = next;
    history.replaceState({}, '', addressOf(next));
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
    const ownTotals = totals;
    try {
      result.total = await readPage(ofKind, result, page);
      if (!result.query) ownTotals[ofKind] = result.total;
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

const addressOf = (list) => list === 'music' ? '/library?kind=music' : '/library';
/** Leads from the items of one activity to all of their kind. */
const allLink = () => h('a', { class: 'btn', href: addressOf(kind) }, t('library.title'));

/** The kind of the address, if the person may choose from it. */
function chosenKind(kinds) {
  const wanted = kindOfAddress();
  return kinds.includes(wanted) ? wanted : kinds[0];
}

export async function show(main, { go }) {
  const kinds = ['films', 'music'].filter((list) => theater.mayChoose(list));
  owner = chosenOwner();
  kind = chosenKind(kinds);
  forgetOutdated();
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
  button.toggleAttribute('data-playing', isCurrent && theater.playback()?.state === 'playing');
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
