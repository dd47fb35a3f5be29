// The evaluator of rules, as docs/validation.md defines it. Tests/ValidationTests/validation-vectors.json holds
// it and the controller's evaluator to the same results.
import { hasText, t } from '../base/text.js';
import { isEmail, isPhone } from '../base/contacts.js';

const MOST_BYTES = 16_384, MOST_CODE_POINTS = 4_096, MARKS_IN_A_ROW = 30;
const INVISIBLE =
  /[\p{Z}\p{Cc}\p{Cf}\p{M}\p{Default_Ignorable_Code_Point}\u2800\u{1D159}\u{13441}\u{13442}]/u;
// Half-width voiced marks are not \p{M}, and neither are some with a combining class: normalising moves those.
const LOOKS_LIKE_MARK = /[\p{M}\uFF9E\uFF9F]/u;

export const normalize = (text) => text.normalize('NFKC');
const points = (text) => [...text];
// Maps each code point by itself: a final sigma has no neighbours here.
const lower = (text) => points(text).map((c) => c.toLowerCase()).join('');

function isOverlong(text) {
  if (text.length > MOST_BYTES || new TextEncoder().encode(text).length > MOST_BYTES) return true;
  let row = 0;
  for (const c of text) {
    row = c >= '\u0300' && LOOKS_LIKE_MARK.test(c) ? row + 1 : 0;
    if (row > MARKS_IN_A_ROW) return true;
  }
  return points(normalize(text)).length > MOST_CODE_POINTS;
}

// ---- common passwords ----
const LETTERS = {
  0: 'o',
  1: 'i',
  '!': 'i',
  3: 'e',
  4: 'a',
  '@': 'a',
  5: 's',
  $: 's',
  7: 't',
  8: 'b',
};
function isCommon(text, blocklist) {
  const whole = points(lower(text).replace(/[ \-_.,]/g, ''));
  if (!whole.length) return true;
  const isLetter = (c) => /\p{L}/u.test(c),
    first = whole.findIndex(isLetter),
    last = whole.findLastIndex(isLetter);
  const core = first < 0 ? [] : whole.slice(first, last + 1);
  const forms = core.length >= 8 && core.length * 2 >= whole.length ? [whole, core] : [whole];
  return forms.some((form) =>
    isRun(form) || isRepetition(form) || blocklist.has(form.map((c) => LETTERS[c] ?? c).join(''))
  );
}
function isRun(form) {
  const codes = form.map((c) => c.codePointAt(0));
  return codes.length >= 2 &&
    [1, -1].some((step) => codes.every((code, i) => !i || code === codes[i - 1] + step));
}
function isRepetition(form) {
  for (let length = 1; length < 15 && length * 2 <= form.length; length++) {
    if (form.every((c, i) => c === form[i % length])) return true;
  }
  return false;
}

// ---- personal words ----
const IN_WORD = /[\p{L}\p{M}\p{N}]/u;
function personalWords(text) {
  if (isOverlong(text)) return [];
  const trimmed = (list) =>
    list.slice(
      list.findIndex((c) => IN_WORD.test(c)),
      list.findLastIndex((c) => IN_WORD.test(c)) + 1,
    );
  const whole = points(lower(normalize(text)));
  if (!whole.some((c) => IN_WORD.test(c))) return [];
  const words = [], all = trimmed(whole);
  if (all.length >= 3) words.push(all.join(''));
  const at = whole.indexOf('@'), name = at < 0 ? whole : whole.slice(0, at);
  if (!name.some((c) => IN_WORD.test(c))) return words;
  const runs = name.map((c) => (IN_WORD.test(c) ? c : '\0')).join('').split('\0').map(points);
  for (const run of [...runs, trimmed(name)]) if (run.length >= 4) words.push(run.join(''));
  return words;
}

// ---- words ----
// The texts of a rule that has none of its own: [statement, message].
const WORDS = {
  notEmpty: ['not empty', 'Type the {field}.'],
  minLength: [
    'at least {length} characters',
    'Make the {field} at least {length} characters long.',
  ],
  maxLength: ['at most {length} characters', 'Shorten the {field} to at most {length} characters.'],
  symbol: ['a symbol, such as ! or ?', 'Put a symbol into the {field}, such as ! or ?.'],
  upperCase: ['an upper-case letter', 'Put an upper-case letter into the {field}.'],
  digit: ['a digit', 'Put a digit into the {field}.'],
  pattern: ['in the form that is asked for', 'Type the {field} in the form that is asked for.'],
  email: ['an address like anna@example.org', 'Type the {field} like anna@example.org.'],
  phone: [
    'a number with its country code, like +49 170 1234567',
    'Type the {field} with its country code, like +49 170 1234567.',
  ],
  notInBlocklist: [
    'not easily guessed',
    'Choose a less common {field}: this one is easily guessed.',
  ],
  noPersonalWords: [
    'without your name and address',
    'Leave your name and address out of the {field}.',
  ],
  equals: ['the same as the {other}', 'Type the {field} the same as the {other}.'],
  asked: ['not taken', 'Choose another {field}: this one cannot be taken.'],
};
/** A field as the controller declares it, in the page's language; texts that the configuration gives stay. */
export function withMessages(field) {
  const own = (key, text, standard) => (text === standard && hasText(key) ? t(key) : text);
  const rules = field.rules.map((rule) => {
    const [statement, message] = WORDS[rule.rule] ?? [], key = `rule.${rule.rule}`;
    return {
      ...rule,
      statement: own(key, rule.statement ?? statement, statement),
      message: own(`${key}.fix`, rule.message ?? message, message),
    };
  });
  return {
    ...field,
    label: hasText(`rule.field.${field.name}`) ? t(`rule.field.${field.name}`) : field.label,
    rules,
  };
}
/** Fills in the placeholders; the label last, because it is a person's text and may look like one. */
function filled(words, rule, label, labels, secondFactor) {
  let text = words;
  const length = rule.rule === 'minLength' && secondFactor
    ? rule.withSecondFactor ?? rule.length
    : rule.length;
  if (length !== undefined) text = text.replaceAll('{length}', length);
  if (rule.rule === 'equals') {
    text = text.replaceAll('{other}', () => labels[rule.field] ?? rule.field);
  }
  return text.replaceAll('{field}', () => label);
}

// ---- rules ----
/**
 * @param form `values`: the texts of the fields that there are; `secondFactor`; `answers`: by question;
 *   `blocklist`: a Set of common passwords
 */
function isKept(rule, typed, form) {
  const text = normalize(typed), matches = (pattern) => pattern.test(text);
  switch (rule.rule) {
    case 'notEmpty':
      return points(typed).some((c) => !INVISIBLE.test(c));
    case 'minLength':
      return points(text).length >=
        (form.secondFactor && rule.withSecondFactor !== undefined
          ? rule.withSecondFactor
          : rule.length);
    case 'maxLength':
      return points(text).length <= rule.length;
    case 'symbol':
      return matches(/[\p{P}\p{S}]/u);
    case 'upperCase':
      return matches(/[\p{Lu}\p{Lt}]/u);
    case 'digit':
      return matches(/\p{Nd}/u);
    case 'pattern':
      return new RegExp(`^(?:${rule.pattern})$`, 'u').test(text);
    case 'email':
      return isEmail(typed);
    case 'phone':
      return isPhone(typed);
    case 'notInBlocklist':
      return !isCommon(text, form.blocklist ?? new Set());
    case 'noPersonalWords': {
      const low = lower(text);
      return !rule.fields.some((field) =>
        personalWords(form.values?.[field] ?? '').some((word) => low.includes(word))
      );
    }
    case 'equals':
      return normalize(form.values[rule.field]) === text;
    case 'any':
      return rule.rules.some((one) => isKept(one, typed, form));
    default:
      return undefined;
  }
}
function outcome(rule, text, form, overlong) {
  if (!text) return 'unsatisfied';
  if (overlong) return ['notEmpty', 'minLength'].includes(rule.rule) ? 'satisfied' : 'unsatisfied';
  if (rule.rule === 'asked') {
    const answer = form.answers?.[rule.question];
    return answer === undefined ? 'pending' : answer ? 'satisfied' : 'unsatisfied';
  }
  return isKept(rule, text, form) ? 'satisfied' : 'unsatisfied';
}

/**
 * The result of a field's rules about a text.
 * @param field `label` and `rules`, as GET /validation returns them
 * @param labels labels of other fields by name
 */
export function evaluate(field, text, form = {}, labels = {}) {
  const overlong = text !== '' && isOverlong(text), results = [];
  for (const rule of field.rules) {
    if (rule.rule === 'equals' && form.values?.[rule.field] === undefined) continue;
    const [statement, message] = [
      rule.statement ?? WORDS[rule.rule]?.[0] ?? '',
      rule.message ?? WORDS[rule.rule]?.[1] ?? '',
    ]
      .map((words) => filled(words, rule, field.label, labels, form.secondFactor));
    results.push({
      rule: rule.rule,
      advice: !!rule.advice,
      outcome: outcome(rule, text, form, overlong),
      statement,
      message,
    });
  }
  const counted = results.filter((result) => !result.advice),
    satisfied = counted.filter((result) => result.outcome === 'satisfied').length;
  const state = !text ? 'empty' : satisfied === counted.length ? 'valid' : 'invalid';
  const fraction = counted.length ? satisfied / counted.length : text ? 1 : 0;
  return { state, satisfied, total: counted.length, fraction, results };
}
/** What a person is to do about a text, '' without words; null if it is valid, or an answer is awaited. */
export function mistakeIn(field, text, { results }) {
  const first = results.find(({ advice, outcome }) => !advice && outcome === 'unsatisfied');
  if (text && !first) return null;
  const own = field.message ?? (text ? null : t('rule.notEmpty.fix'));
  return own === null ? first.message : filled(own || '', {}, field.label);
}
