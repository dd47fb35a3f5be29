// Films and music: search as you type, a grid or list of which only the rows in view exist.
import { h, clear, clock, announce, btn } from './dom.js';
import { icon } from './icons.js';
import { post } from './api.js';
import * as theater from './store.js';
import { heading, segments, coverOf, sheet, act, errorCard, twoLines } from './parts.js';
import { sentence } from './forms.js';
import { virtual } from './virtual.js';
import { t, unit } from './text.js';

export const title = t('library.title');
const fold = (text) => text.toLowerCase().normalize('NFKD').replace(/\p{M}/gu, '');
const KINDS = {
  films: { load: theater.loadFilms },
  music: { load: theater.loadSongs },
};
const memory = { films: {}, music: {} };

export async function show(main, { go }) {
  const params = new URLSearchParams(location.search);
  let kind = params.get('kind') === 'music' ? 'music' : 'films', items = [], list, timer, turn = 0;
  const input = h('input', { type: 'search', id: 'find', 'aria-label': t('library.search'), placeholder: t('library.search'), autocomplete: 'off', 'aria-describedby': 'found', value: memory[kind].query ?? '' });
  const found = h('p', { class: 'small', id: 'found' }), host = h('div', 'library-list');
  main.append(heading(title, segments(t('library.kind'), [['films', t('kind.film')], ['music', t('kind.music')]], kind, (next) => { kind = next; history.replaceState({}, '', next === 'music' ? '/library?kind=music' : '/library'); input.value = memory[kind].query ?? ''; load(); })),
    h('div', 'library-tools', h('div', 'search', icon('search'), input)), found, host);

  async function load() {
    const mine = ++turn, wanted = KINDS[kind], slow = setTimeout(() => { clear(host, bones()); found.textContent = t(`library.loading.${kind}`); }, 300);
    try {
      const all = await wanted.load();
      if (mine !== turn) return;
      items = all.map((item) => ({ item, text: fold([item.title, item.artist, item.album].filter(Boolean).join(' ')) }));
      filter();
    } catch (failure) {
      if (mine === turn) { found.textContent = ''; clear(host, errorCard(t(`library.failed.${kind}`), sentence(failure.message), btn('primary', load, t('do.retry')))); }
    } finally { clearTimeout(slow); }
  }
  function filter() {
    const query = input.value.trim(), words = fold(query).split(/\s+/).filter(Boolean);
    memory[kind].query = query;
    const hits = words.length ? items.filter(({ text }) => words.every((word) => text.includes(word))) : items;
    found.textContent = words.length ? t('library.found', { found: hits.length, all: t(`count.${kind}`, { count: items.length }) }) : t(`count.${kind}`, { count: items.length });
    clearTimeout(timer); if (words.length) timer = setTimeout(() => announce(found.textContent), 500);
    list?.end(); list = undefined;
    if (!hits.length) { clear(host, empty(query)); return; }
    list = kind === 'films' ? virtual(host, hits, { className: 'posters', label: t('kind.film'), build: ({ item }) => poster(item, go) }) : virtual(host, hits, { className: 'rows songs', label: t('library.songs'), build: ({ item }) => song(item) });
    paint();
  }
  const empty = (query) => h('div', 'empty', icon('search'), h('h2', 'title-4', query ? t('library.nothing', { query }) : t('library.empty')), h('p', {}, query ? t('library.fewer') : t(`library.how.${kind}`)),
    query ? btn('', () => { input.value = ''; filter(); input.focus(); }, t('library.all')) : null);
  const paint = () => {
    const { item, status } = theater.activity();
    for (const node of host.querySelectorAll('[data-item]')) node.toggleAttribute('data-current', status !== 'idle' && node.dataset.item === item);
  };
  input.addEventListener('input', filter);
  const keys = (event) => { if (event.key === '/' && !event.target.closest('input, textarea, dialog')) { event.preventDefault(); input.focus(); } };
  addEventListener('keydown', keys);
  await load();
  const unwatch = theater.watch(paint);
  return () => { removeEventListener('keydown', keys); unwatch(); list?.end(); clearTimeout(timer); };
}
const bones = () => h('ul', { class: 'posters', 'aria-hidden': 'true' }, Array.from({ length: 14 }, () => h('li', 'poster-item', h('div', 'bone cover poster'), h('div', 'bone line-a'), h('div', 'bone line-b'))));
const minutes = (seconds) => (seconds ? unit(Math.max(1, Math.round(seconds / 60)), 'minute') : '');
const rated = (rating) => (rating === undefined ? '' : rating ? t('library.from', { age: rating }) : t('library.everybody'));

function poster(film, go) {
  const facts = [minutes(film.duration), rated(film.rating)].filter(Boolean);
  return h('li', 'poster-item', h('button', { class: 'poster-btn', data: { item: film.id }, 'aria-label': [film.title, ...facts].join(', '), onclick: () => choose(film, facts, go) }, coverOf(film.title, 'poster'), h('span', 'name', film.title), h('span', 'tiny num', facts.join(' · '))));
}
function choose(film, facts, go) {
  const begin = (body) => async (button) => {
    if (await act(button, async () => { theater.keepRun((await post('/watch', { item: film.id, ...body })).run); })) { box.close(); go('/player'); }
  };
  const box = sheet(film.title, h('div', 'choose', coverOf(film.title, 'still'), h('p', 'soft num', facts.join(' · ')),
    btn('primary big wide', begin({}), icon('play'), t('library.watch')), h('p', 'small center', t('library.goesOn')),
    btn('wide', begin({ fromStart: true }), t('library.start')), theater.mayOperate() ? h('a', { class: 'btn quiet wide', href: `/scenes?scene=watch-film&item=${encodeURIComponent(film.id)}`, onclick: () => box.close() }, t('library.plan')) : null));
}
function song(item) {
  const node = h('button', { class: 'row', data: { item: item.id }, 'aria-label': [item.title, item.artist, item.album].filter(Boolean).join(', '), onclick: () => act(node, async () => { theater.keepRun((await post('/listen', { item: item.id })).run); announce(t('now.begins', { title: item.title })); }) },
    coverOf(item.album ?? item.title, 'square'), twoLines(item.title, [item.artist, item.album].filter(Boolean).join(' · ')), h('span', 'end', h('span', { class: 'eq', 'aria-hidden': 'true' }, h('i'), h('i'), h('i')), item.duration ? clock(item.duration) : ''));
  return h('li', {}, node);
}
