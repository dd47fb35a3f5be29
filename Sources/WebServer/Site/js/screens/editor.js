// The configuration: devices.json with line numbers, checked at each pause of typing, saved after a
// look at the difference.
import { get, send } from '../base/api.js';
import { ariaHidden, h, setChildren } from '../base/dom.js';
import { announce } from '../base/messages.js';
import { icon } from '../base/icons.js';
import { sentence, t } from '../base/text.js';
import * as theater from '../model/store.js';
import { actionButton } from '../parts/actions.js';
import { heading, twoLines } from '../parts/cards.js';
import { chip } from '../parts/chips.js';
import { differences, saveSheet } from '../parts/configuration.js';
import { failureCard, failureText } from '../parts/failures.js';

export const title = () => t('editor.title');

/** The pause of typing after which the text is checked. */
const PAUSE_MS = 400;
/** The text that was not saved when the screen was left, with the version that it changes. */
let draft;

function textArea() {
  return h('textarea', {
    'aria-label': t('editor.text'),
    'aria-describedby': 'verdict',
    spellcheck: 'false',
    autocapitalize: 'none',
    autocomplete: 'off',
    wrap: 'off',
  });
}

class Editor {
  constructor(main) {
    this.author = theater.person();
    this.numbers = ariaHidden('pre', 'numbers');
    this.area = textArea();
    this.verdict = h('p', { class: 'soft', id: 'verdict', role: 'status' });
    this.list = h('ul', 'problems');
    this.result = h('div', 'controls');
    /** The text of the file, and the hash of its version. */
    this.saved = '';
    this.hash = undefined;
    /** What the controller found in the text. */
    this.problems = [];
    /** The text to which `problems` belong; `undefined` until the controller has answered. */
    this.checkedText = undefined;
    /** Whether a check did not reach the controller. */
    this.isCheckMissed = false;
    this.question = undefined;
    this.timer = undefined;
    this.paintedNumbers = '';
    /** The last report about a saved text that was there before, or is shown. */
    this.knownReport = undefined;
    this.saveButton = actionButton('primary', () => this.compare(), t('editor.save'));
    const reload = actionButton('quiet', () => this.load(), t('editor.reload'));
    main.append(
      heading(title(), h('div', 'control-keys', reload, this.saveButton)),
      h('div', 'editor', this.numbers, this.area),
      h(
        'section',
        { class: 'editor-end', 'aria-label': t('editor.checks') },
        this.verdict,
        this.list,
        this.result,
      ),
    );
    this.area.addEventListener('input', () => this.checkLater());
    this.area.addEventListener('scroll', () => {
      this.numbers.scrollTop = this.area.scrollTop;
    });
  }
  get isChanged() {
    return this.area.value !== this.saved;
  }
  get errors() {
    return this.problems.filter(({ severity }) => severity === 'error');
  }

  /** Shows the file, or a draft of the same person. */
  async open() {
    if (draft?.author === this.author) await this.openDraft(draft);
    else await this.load();
  }
  async openDraft({ typed, text, hash }) {
    Object.assign(this, { saved: text, hash });
    await this.edit(typed);
    announce(t('editor.draft'));
  }
  async load() {
    this.area.readOnly = true;
    try {
      const { text, hash } = await get('/configuration');
      Object.assign(this, { saved: text, hash });
    } finally {
      this.area.readOnly = false;
    }
    await this.edit(this.saved);
  }
  async edit(text) {
    draft = undefined;
    this.area.value = text;
    this.result.replaceChildren();
    await this.check();
  }
  leave() {
    clearTimeout(this.timer);
    this.question?.abort();
    const { saved: text, hash, author } = this;
    draft = this.isChanged ? { typed: this.area.value, text, hash, author } : undefined;
  }

  checkLater() {
    this.paint();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.check(), PAUSE_MS);
  }
  /** Asks the controller about the text; an older question is given up. */
  async check() {
    this.question?.abort();
    this.question = new AbortController();
    this.isCheckMissed = false;
    this.checkedText = undefined;
    const text = this.area.value;
    const { signal } = this.question;
    this.paint();
    try {
      const { problems } = await send('POST', '/configuration/check', text, {
        isText: true,
        signal,
      });
      this.problems = problems;
      this.checkedText = text;
      this.showProblems();
    } catch (failure) {
      if (failure.name !== 'AbortError') this.failCheck(failure);
    }
  }
  failCheck(failure) {
    this.problems = failure.problems ?? [];
    this.isCheckMissed = failure.kind === 'network';
    if (this.problems.length) {
      this.showProblems();
      return;
    }
    this.verdict.textContent = failureText(failure);
    setChildren(this.list);
    this.paint();
  }
  /** Paints the line numbers, with marks at problems. */
  paint() {
    const severities = new Map(
      this.problems.filter(({ line }) => line).map(({ line, severity }) => [line, severity]),
    );
    const lines = this.area.value.split('\n').length;
    const key = JSON.stringify([lines, [...severities]]);
    if (this.paintedNumbers !== key) {
      this.paintedNumbers = key;
      setChildren(this.numbers, lineNumbers(lines, severities));
    }
    this.saveButton.setAttribute('aria-disabled', !this.isChanged || this.errors.length > 0);
  }
  showProblems() {
    this.verdict.textContent = verdictOn(this.problems, this.errors);
    setChildren(
      this.list,
      this.problems.map((problem) => problemRow(problem, () => this.goTo(problem))),
    );
    this.paint();
  }
  /** Selects the text from a problem to the end of its line, and scrolls there. */
  goTo({ line = 1, column = 1 }) {
    const { area } = this;
    const lines = area.value.split('\n');
    const start = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
    const end = start + (lines[line - 1]?.length ?? 0);
    const lineHeight = parseFloat(getComputedStyle(area).lineHeight);
    area.focus();
    area.setSelectionRange(Math.min(start + Math.max(0, column - 1), end), end);
    area.scrollTop = (line - 1) * lineHeight - area.clientHeight / 3;
  }

  /** Shows what would change; the sheet saves. */
  async compare() {
    if (!this.isChanged) return;
    clearTimeout(this.timer);
    if (this.checkedText !== this.area.value) await this.check();
    const [error] = this.errors;
    if (error) {
      this.goTo(error);
      return;
    }
    const text = this.area.value;
    await saveSheet({
      text,
      hash: this.hash,
      saving: () => {
        this.knownReport = theater.store.applied;
      },
      refused: ({ problems }) => {
        if (!problems) return;
        this.problems = problems;
        this.showProblems();
      },
      done: (answer) => this.showSaved(text, answer),
    });
  }
  showSaved(text, { hash, problems, changes }) {
    Object.assign(this, { hash, saved: text, problems });
    this.showProblems();
    setChildren(this.result, h('h2', 'title-4', t('editor.saved')), differences(changes));
    announce(t('editor.saved'));
    this.showReport();
  }
  /** Shows what the controller reports about a saved text. */
  showReport() {
    const { applied } = theater.store;
    if (!this.result.children.length || applied === this.knownReport) return;
    this.knownReport = applied;
    const known = applied.status === 'applied' ? 'reported' : 'failed';
    this.result.append(h('p', 'small', chip(known, t(`editor.${applied.status}`))));
  }
  /** Shows a new report, and repeats a check when the controller is back. */
  update() {
    this.showReport();
    if (this.isCheckMissed && theater.store.connection === 'live') this.check();
  }
}

const lineNumbers = (count, severities) =>
  Array.from(
    { length: count },
    (_, index) => h('span', { data: { bad: severities.get(index + 1) } }, `${index + 1}\n`),
  );
function verdictOn(problems, errors) {
  if (errors.length) return t('editor.mistakes', { count: errors.length });
  return problems.length ? t('editor.warnings', { count: problems.length }) : t('editor.fine');
}
function problemRow({ severity, line, message, path, hint }, goThere) {
  const place = line ? h('span', 'num', t('editor.line', { line }), ' ') : null;
  const details = [path, hint && sentence(hint)].filter(Boolean).join(' · ');
  const button = h(
    'button',
    { class: 'row', data: { severity }, onclick: goThere },
    icon(severity === 'error' ? 'warn' : 'info', { class: 'row-icon' }),
    twoLines([place, sentence(message)], details),
    icon('chevron', { class: 'row-icon soft' }),
  );
  return h('li', {}, button);
}

export async function show(main, { again }) {
  const editor = new Editor(main);
  try {
    await editor.open();
  } catch (failure) {
    setChildren(main, heading(title()), failureCard(t('editor.unread'), failure, again));
    return undefined;
  }
  const unwatch = theater.watch(() => editor.update());
  return () => {
    unwatch();
    editor.leave();
  };
}
