// The configuration: devices.json with line numbers, checked at each pause of typing, saved after a look at the difference.
import { announce, ariaHidden, h, setChildren } from '../base/dom.js';
import { icon } from '../base/icons.js';
import { get, send } from '../base/api.js';
import * as theater from '../model/store.js';
import { actionButton } from '../parts/actions.js';
import { heading, twoLines } from '../parts/cards.js';
import { chip } from '../parts/chips.js';
import { failureCard, failureText } from '../parts/failures.js';
import { differences, saveSheet } from '../parts/configuration.js';
import { sentence, t } from '../base/text.js';

export const title = () => t('editor.title');
const PAUSE = 400;
/** The text that was not saved when the screen was left, with the version from which it was made, and its author. */
let draft;

export async function show(main, { again }) {
  const numbers = ariaHidden('pre', 'numbers'),
    area = h('textarea', {
      'aria-label': t('editor.text'),
      'aria-describedby': 'verdict',
      spellcheck: 'false',
      autocapitalize: 'none',
      autocomplete: 'off',
      wrap: 'off',
    });
  const verdict = h('p', { class: 'soft', id: 'verdict', role: 'status' }),
    list = h('ul', 'problems'),
    result = h('div', 'controls');
  const save = actionButton('primary', compare, t('editor.save')),
    reload = actionButton('quiet', () => load(), t('editor.reload'));
  main.append(
    heading(t('editor.title'), h('div', 'control-keys', reload, save)),
    h('div', 'editor', numbers, area),
    h('section', { class: 'editor-end', 'aria-label': t('editor.checks') }, verdict, list, result),
  );
  const author = theater.person();
  let saved = '', hash, problems = [], timer, asking, checked, shown, isOpen;

  async function load(kept) {
    area.readOnly = true;
    try {
      ({ text: saved, hash } = kept || await get('/configuration'));
      area.value = kept ? kept.typed : saved;
      draft = undefined;
    } finally {
      area.readOnly = false;
    }
    if (kept) announce(t('editor.draft'));
    result.replaceChildren();
    await check();
  }
  const isChanged = () => area.value !== saved;
  const errors = () => problems.filter((one) => one.severity === 'error');
  function paint() {
    const bad = new Map(problems.filter((one) => one.line).map((one) => [one.line, one.severity])),
      count = area.value.split('\n').length,
      key = JSON.stringify([count, [...bad]]);
    if (numbers.key_ !== key) {
      numbers.key_ = key;
      setChildren(
        numbers,
        Array.from(
          { length: count },
          (_, i) => h('span', { data: { bad: bad.get(i + 1) } }, `${i + 1}\n`),
        ),
      );
    }
    save.setAttribute('aria-disabled', !isChanged() || errors().length > 0);
  }
  /** Asks the controller about the text; an older question is given up. */
  async function check() {
    asking?.abort();
    asking = new AbortController();
    isOpen = false;
    const text = area.value;
    checked = undefined;
    paint();
    try {
      ({ problems } = await send('POST', '/configuration/check', text, {
        isText: true,
        signal: asking.signal,
      }));
      checked = text;
    } catch (failure) {
      if (failure.name === 'AbortError') return;
      problems = failure.problems ?? [];
      verdict.textContent = failureText(failure);
      isOpen = failure.kind === 'network';
      if (!problems.length) {
        setChildren(list);
        paint();
        return;
      }
    }
    showProblems();
  }
  function showProblems() {
    const bad = errors().length;
    verdict.textContent = bad
      ? t('editor.mistakes', { count: bad })
      : problems.length
      ? t('editor.warnings', { count: problems.length })
      : t('editor.fine');
    setChildren(
      list,
      problems.map((one) =>
        h(
          'li',
          {},
          h(
            'button',
            {
              class: 'row',
              data: { severity: one.severity },
              onclick: () => goTo(one),
            },
            icon(one.severity === 'error' ? 'warn' : 'info', { class: 'row-icon' }),
            twoLines([
              one.line ? h('span', 'num', t('editor.line', { line: one.line }), ' ') : null,
              sentence(one.message),
            ], [one.path, one.hint && sentence(one.hint)].filter(Boolean).join(' · ')),
            icon('chevron', { class: 'row-icon soft' }),
          ),
        )
      ),
    );
    paint();
  }
  function goTo({ line = 1, column = 1 }) {
    const lines = area.value.split('\n'),
      start = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0),
      end = start + (lines[line - 1]?.length ?? 0);
    area.focus();
    area.setSelectionRange(Math.min(start + Math.max(0, column - 1), end), end);
    area.scrollTop = (line - 1) * parseFloat(getComputedStyle(area).lineHeight) -
      area.clientHeight / 3;
  }
  /** Shows what would change; the sheet saves. */
  async function compare() {
    if (!isChanged()) return;
    clearTimeout(timer);
    if (checked !== area.value) await check();
    if (errors().length) {
      goTo(errors()[0]);
      return;
    }
    const text = area.value;
    await saveSheet({
      text,
      hash,
      saving: () => {
        shown = theater.store.applied;
      },
      refused: (failure) => {
        if (failure.problems) {
          problems = failure.problems;
          showProblems();
        }
      },
      done: (answer) => {
        hash = answer.hash;
        saved = text;
        problems = answer.problems;
        showProblems();
        setChildren(result, h('h2', 'title-4', t('editor.saved')), differences(answer.changes));
        announce(t('editor.saved'));
        showApplied();
      },
    });
  }
  area.addEventListener('input', () => {
    paint();
    clearTimeout(timer);
    timer = setTimeout(check, PAUSE);
  });
  area.addEventListener('scroll', () => {
    numbers.scrollTop = area.scrollTop;
  });
  try {
    await load(draft?.author === author && draft);
  } catch (failure) {
    setChildren(main, heading(t('editor.title')), failureCard(t('editor.unread'), failure, again));
    return undefined;
  }
  /** What the controller says of a saved text. */
  function showApplied() {
    const { applied } = theater.store;
    if (!result.children.length || applied === shown) return;
    shown = applied;
    result.append(
      h(
        'p',
        'small',
        chip(applied.status === 'applied' ? 'reported' : 'failed', t(`editor.${applied.status}`)),
      ),
    );
  }
  const unwatch = theater.watch(() => {
    showApplied();
    if (isOpen && theater.store.connection === 'live') check();
  });
  return () => {
    unwatch();
    clearTimeout(timer);
    asking?.abort();
    draft = isChanged() ? { typed: area.value, text: saved, hash, author } : undefined;
  };
}
