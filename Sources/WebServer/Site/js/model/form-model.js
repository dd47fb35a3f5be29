// A form without its drawing: texts, what is shown of each field, groups that enable controls, and
// questions that the controller answers. The same as Form of the controller's module Validation;
// flow-transcripts.json holds both to the same results.
import { evaluate, mistakeIn } from './rules.js';

export class FormModel {
  /**
   * @param declarations fields as GET /validation returns them; ours may also set
   *   `hidesMistakeOnEdit`
   * @param groups as its forms have them: `{ name, fields, controls }`
   * @param blocklist a Set of common passwords
   */
  constructor(declarations, { groups = [], values = {}, blocklist } = {}) {
    this.fields = new Map(
      declarations.map((declaration) => [
        declaration.name,
        newField(declaration, values[declaration.name]),
      ]),
    );
    this.groups = new Map(groups.map((group) => [group.name, group]));
    this.blocklist = blocklist;
    this.questions = new Map();
    this.lastNumber = 0;
    this.evaluate();
  }

  text(name) {
    return this.fields.get(name).text;
  }
  isValid(name) {
    const { declaration, report } = this.fields.get(name);
    return report.state === 'valid' || (report.state === 'empty' && declaration.required === false);
  }
  /** Whether all groups that drive the control are valid; false when none does. */
  isEnabled(control) {
    const driving = [...this.groups.values()].filter(({ controls }) => controls.includes(control));
    return driving.length > 0 && driving.every(({ fields }) => this.areValid(fields));
  }
  /** Adds a field at the end. */
  declare(declaration) {
    this.fields.set(declaration.name, newField(declaration));
    this.evaluate();
  }
  /** Adds a group, or replaces the one with its name. */
  declareGroup(group) {
    this.groups.set(group.name, group);
  }
  areValid(names) {
    return names.every((name) => this.isValid(name));
  }
  /** Whether only the answer to a question is missing. */
  isPending(name) {
    return isPending(this.fields.get(name).report);
  }
  /** What is shown: `pristine`, `editing`, `valid`, `invalidHidden` or `invalidShown`. */
  display(name) {
    const { report, isTouched, isRevealed } = this.fields.get(name);
    if (!isTouched && !isRevealed) return 'pristine';
    if (this.isValid(name)) return 'valid';
    if (isPending(report)) return 'editing';
    if (isRevealed) return 'invalidShown';
    return report.state === 'empty' ? 'editing' : 'invalidHidden';
  }
  mistake(name) {
    const { declaration, text, report } = this.fields.get(name);
    return mistakeIn(declaration, text, report);
  }
  /** Uses these common passwords from now on. */
  setBlocklist(blocklist) {
    this.blocklist = blocklist;
    this.evaluate();
  }
  /** Whether a password and its repetition are both given, and differ only there. */
  isMismatch() {
    return this.isValid('password') && !!this.text('passwordAgain') &&
      !this.isValid('passwordAgain');
  }

  // Each returns what to ask and what to withdraw.
  type(name, text) {
    return this.change(() => {
      const field = this.fields.get(name);
      if (this.isValid(name) || field.declaration.hidesMistakeOnEdit) field.isRevealed = false;
      Object.assign(field, { isTouched: true, text });
    });
  }
  leave(name) {
    return this.change(() => {
      const field = this.fields.get(name);
      if (field.isTouched) field.isRevealed = true;
    });
  }
  submit(names) {
    return this.change(() => {
      for (const name of names) {
        this.fields.get(name).isRevealed = true;
        const question = this.questions.get(name);
        if (question?.state === 'failed') this.questions.delete(name);
      }
    });
  }
  reset(name, text = '') {
    return this.change(() =>
      Object.assign(this.fields.get(name), { text, isTouched: false, isRevealed: false })
    );
  }
  /** @param answer `undefined` if none was obtained */
  answer({ field, number }, answer) {
    return this.change(() => {
      const question = this.questions.get(field);
      if (question?.state !== 'waiting' || question.number !== number) return;
      if (answer === undefined) question.state = 'failed';
      else Object.assign(question, { state: 'answered', answer });
    });
  }

  change(body) {
    const before = this.waiting();
    body();
    this.evaluate();
    const after = this.waiting();
    const isIn = (list, { number }) => list.some((one) => one.number === number);
    const isClosed = ({ field }) =>
      ['answered', 'failed'].includes(this.questions.get(field)?.state);
    const withdrawn = before.filter((one) => !isIn(after, one) && !isClosed(one));
    const added = after.filter((one) => !isIn(before, one));
    return [
      ...withdrawn.map(({ number }) => ({ start: 'withdraw', number })),
      ...added.map((one) => ({ start: 'ask', ...one })),
    ];
  }
  /** The questions without an answer, in the order in which they were asked. */
  waiting() {
    return [...this.questions]
      .filter(([, { state }]) => state === 'waiting')
      .map(([field, { question, number, text }]) => ({ field, question, number, text }))
      .sort((one, other) => one.number - other.number);
  }
  evaluate() {
    const fields = [...this.fields];
    const values = Object.fromEntries(fields.map(([name, { text }]) => [name, text]));
    const labels = Object.fromEntries(
      fields.map(([name, { declaration }]) => [name, declaration.label]),
    );
    for (const [name, field] of fields) {
      const form = { values, answers: this.answersFor(name, field), blocklist: this.blocklist };
      field.report = evaluate(field.declaration, field.text, form, labels);
      this.question(name, field);
    }
  }
  /** The answer to the question about a field's current text, by question. */
  answersFor(name, { text }) {
    const asked = this.questions.get(name);
    const isAnswered = asked?.state === 'answered' && asked.text === text;
    return isAnswered ? { [asked.question]: asked.answer } : {};
  }
  /** Asks the question of a field: only when its other rules are kept, and once for a text. */
  question(name, { declaration, text, report }) {
    const rule = declaration.rules.find((one) => one.rule === 'asked');
    const known = this.questions.get(name);
    if (!rule) return;
    if (!isUndisputed(report)) {
      if (known?.state === 'waiting') this.questions.delete(name);
      return;
    }
    if (known?.text === text) return;
    this.lastNumber += 1;
    this.questions.set(name, {
      state: 'waiting',
      question: rule.question,
      number: this.lastNumber,
      text,
    });
  }
}
const newField = (declaration, text = '') => ({
  declaration,
  text,
  isTouched: false,
  isRevealed: false,
});
const isUndisputed = ({ state, results }) =>
  state !== 'empty' && !results.some(({ advice, outcome }) => !advice && outcome === 'unsatisfied');
const isPending = (report) => report.state === 'invalid' && isUndisputed(report);
