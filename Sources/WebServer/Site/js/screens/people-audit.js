// The audit log: who did what, with the newest entry first, and earlier entries on request.
import { h } from '../base/dom.js';
import { get } from '../base/api.js';
import { actionButton } from '../parts/actions.js';
import { hasText, t } from '../base/text.js';
import { clockTime } from '../base/times.js';

const PAGE_SIZE = 40;

/**
 * Returns the list and its button as `nodes`. `load()` reads the newest entries, and `show()` lists
 * them in place of those before.
 */
export function auditLog() {
  const list = h('ol', 'audit');
  let newestPage;
  let before;
  const append = (page) => {
    before = page.before;
    earlierButton.hidden = !before;
    list.append(...[...page.entries].reverse().map(entryRow));
  };
  const appendEarlier = async () => append(await get(`/audit?limit=${PAGE_SIZE}&before=${before}`));
  const earlierButton = actionButton('quiet wide', appendEarlier, t('people.earlier'));
  earlierButton.hidden = true;
  return {
    nodes: [list, earlierButton],
    async load() {
      newestPage = await get(`/audit?limit=${PAGE_SIZE}`);
    },
    show() {
      list.replaceChildren();
      append(newestPage);
    },
  };
}
function entryRow(entry) {
  const isRefused = entry.outcome !== 'done';
  const deed = textOr(`deed.${entry.deed}`, spaced(entry.deed));
  const refusal = isRefused &&
    t('people.refused', { code: textOr(`error.${entry.outcome}`, spaced(entry.outcome)) });
  const summary = [
    entry.who ? `${entry.who}: ${deed}` : deed,
    textOr(`role.${entry.subject}`, entry.subject),
    refusal,
  ];
  const source = [
    entry.address,
    entry.device,
    entry.count && t('people.times', { count: entry.count }),
  ];
  return h(
    'li',
    { data: { bad: isRefused ? '1' : null } },
    h('span', 'tiny num', clockTime(entry.at)),
    h('span', {}, joined(summary), h('span', 'tiny block', joined(source))),
  );
}
const joined = (parts) => parts.filter(Boolean).join(' · ');
const textOr = (key, other) => (hasText(key) ? t(key) : other);
/** A name of the API as words: `ageLimitChanged` is "age limit changed". */
const spaced = (name) => name.replace(/([A-Z])/g, ' $1').toLowerCase();
