// Where a film or song begins: where the person left it, or at its start.
import { announce, ariaHidden, btn, clockText, h, timeLeft } from '../base/dom.js';
import { icon } from '../base/icons.js';
import { path, post } from '../base/api.js';
import { mayOperate, saveRun } from '../model/store.js';
import { runAction } from './actions.js';
import { sheet } from './dialogs.js';
import { coverOf } from './item-cover.js';
import { t } from '../base/text.js';

/** What is left of an item that was stopped: "42 min left"; empty for others. */
export const rest = (
  { position, duration },
) => (position && duration ? timeLeft(duration - position) : '');
/** How far an item was played, as a line on its cover. */
export const playedShare = (
  { position, duration },
) => (position && duration ? h('i', { class: 'seen', vars: { at: position / duration } }) : null);

/** Begins an item; returns whether that succeeded. */
export const begin = (item, button, fromStart) =>
  runAction(button, async () => {
    saveRun(
      (await post(item.category === 'songs' ? '/listen' : '/watch', {
        item: item.id,
        ...(fromStart && { fromStart }),
      })).run,
    );
    announce(t('now.begins', { title: item.title }));
  });
/** The buttons of an item: go on or from the start where it was stopped, else one that begins it. */
export function beginKeys(item, kind, begun) {
  const key = (look, picture, text, fromStart) =>
    btn(
      `big ${kind} ${look}`,
      async (node) => {
        if (await begin(item, node, fromStart)) begun?.();
      },
      picture ? icon(picture) : null,
      text,
    );
  if (!item.position) {
    return [
      key('primary', 'play', t(item.category === 'songs' ? 'radio.listen' : 'library.watch')),
    ];
  }
  return [
    key('primary', 'play', t('resume.at', { time: clockText(item.position) })),
    key('', '', t('library.start'), true),
  ];
}
/** Asks where a film or song begins. */
export function choose(item, facts, go) {
  const isFilm = item.category !== 'songs',
    box = sheet(
      item.title,
      h(
        'div',
        'choose',
        coverOf(item.title, 'still', item.id),
        h('p', 'soft num', [...facts, rest(item)].filter(Boolean).join(' · ')),
        beginKeys(item, 'wide', () => {
          if (!box.open) return;
          box.close();
          if (isFilm) go('/player');
        }),
        isFilm && mayOperate()
          ? h('a', {
            class: 'btn quiet wide',
            href: path`/scenes?scene=watch-film&item=${item.id}`,
            onclick: () => box.close(),
          }, t('library.plan'))
          : null,
      ),
    );
}
/** A cover with how far its item was played; a press asks where it goes on. */
export const stoppedItem = (item, go) =>
  h(
    'li',
    {},
    h(
      'button',
      {
        class: 'poster-btn',
        data: { item: item.id },
        'aria-label': [item.title, rest(item)].filter(Boolean).join(', '),
        onclick: () => choose(item, [], go),
      },
      h('span', 'shelf-cover', coverOf(item.title, 'still', item.id), playedShare(item)),
      h('span', 'name', item.title),
      ariaHidden('span', 'tiny num', rest(item) || clockText(item.position)),
    ),
  );
