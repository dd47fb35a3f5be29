// The evaluator of rules, as docs/validation.md defines it.
// Tests/ValidationTests/validation-vectors.json holds it and the controller's evaluator to the same
// results.
import { hasText, t } from '../base/text.js';

const MOST_BYTES = 16_384;
const MOST_CODE_POINTS = 4096;
const MOST_MARKS_IN_A_ROW = 30;
const INVISIBLE =
  /[\p{Z}\p{Cc}\p{Cf}\p{M}\p{Default_Ignorable_Code_Point}\u2800\u{1D159}\u{13441}\u{13442}]/u;
// Half-width voiced marks are not \p{M}, and neither are some with a combining class: normalising
// moves those.
const LOOKS_LIKE_MARK = /[\p{M}\uFF9E\uFF9F]/u;

export const normalize = (text) => text.normalize('NFKC');
const points = (text) => [...text];
// Maps each code point by itself: a final sigma has no neighbours here.
const lower = (text) => points(text).map((point) => point.toLowerCase()).join('');

function isOverlong(text) {
  if (text.length > MOST_BYTES || new TextEncoder().encode(text).length > MOST_BYTES) return true;
  let marksInRow = 0;
  for (const point of text) {
    const isMark = point >= '\u0300' && LOOKS_LIKE_MARK.test(point);
    marksInRow = isMark ? marksInRow + 1 : 0;
    if (marksInRow > MOST_MARKS_IN_A_ROW) return true;
  }
  return points(normalize(text)).length > MOST_CODE_POINTS;
}

// ---- e-mail addresses and phone numbers ----
const LONGEST_EMAIL = 254;
const LONGEST_LOCAL_PART = 64;
const LONGEST_PHONE_BYTES = 64;

const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_\x60{|}~-]+";
const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const ADDRESS = new RegExp(`^${ATOM}(?:\\.${ATOM})*@${LABEL}(?:\\.${LABEL})+$`);
const DIGITS = /^[1-9][0-9]{6,14}$/;

export const isEmail = (text) =>
  text.length <= LONGEST_EMAIL && ADDRESS.test(text) && text.indexOf('@') <= LONGEST_LOCAL_PART;

export function isPhone(text) {
  // "(0)" is dialled only within the country.
  if (!text.startsWith('+') || text.includes('(0)')) return false;
  if (new TextEncoder().encode(text).length > LONGEST_PHONE_BYTES) return false;
  return DIGITS.test(text.slice(1).replace(/[ .()-]/g, ''));
}

// ---- common passwords ----
// Characters that stand for letters.
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
const SHORTEST_CORE = 8;
const LONGEST_REPEATED = 14;
const isLetter = (point) => /\p{L}/u.test(point);

/** Whether a password, or its part from the first letter to the last, is easily guessed. */
function isCommon(text, blocklist) {
  const whole = points(lower(text).replace(/[ \-_.,]/g, ''));
  if (!whole.length) return true;
  const first = whole.findIndex(isLetter);
  const core = first < 0 ? [] : whole.slice(first, whole.findLastIndex(isLetter) + 1);
  const isCoreJudged = core.length >= SHORTEST_CORE && core.length * 2 >= whole.length;
  const isListed = (form) => blocklist.has(form.map((point) => LETTERS[point] ?? point).join(''));
  return (isCoreJudged ? [whole, core] : [whole])
    .some((form) => isRun(form) || isRepetition(form) || isListed(form));
}
/** Whether each code point is one above the one before, or each one below: "abcd", "9876". */
function isRun(form) {
  const codes = form.map((point) => point.codePointAt(0));
  const hasStep = (step) =>
    codes.every((code, index) => index === 0 || code === codes[index - 1] + step);
  return codes.length >= 2 && (hasStep(1) || hasStep(-1));
}
/** Whether a short part is repeated: "abcabc". */
function isRepetition(form) {
  const longest = Math.min(LONGEST_REPEATED, Math.floor(form.length / 2));
  for (let length = 1; length <= longest; length++) {
    if (form.every((point, index) => point === form[index % length])) return true;
  }
  return false;
}

// ---- personal words ----
const SHORTEST_WHOLE_TEXT = 3;
const SHORTEST_PART = 4;
const isInWord = (point) => /[\p{L}\p{M}\p{N}]/u.test(point);
const trimmed = (list) => list.slice(list.findIndex(isInWord), list.findLastIndex(isInWord) + 1);

/**
 * Returns what a password may not have in it of a name or an address: the whole text, and of the
 * part before an "@" the whole and each word.
 */
function personalWords(text) {
  if (isOverlong(text)) return [];
  const whole = points(lower(normalize(text)));
  if (!whole.some(isInWord)) return [];
  const all = trimmed(whole);
  const words = all.length >= SHORTEST_WHOLE_TEXT ? [all.join('')] : [];
  const end = whole.indexOf('@');
  const name = end < 0 ? whole : whole.slice(0, end);
  if (!name.some(isInWord)) return words;
  const separated = name.map((point) => isInWord(point) ? point : '\0').join('');
  const parts = [...separated.split('\0').map(points), trimmed(name)];
  const long = parts.filter((part) => part.length >= SHORTEST_PART);
  return [...words, ...long.map((part) => part.join(''))];
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

// ---- kinds ----
/** The text of a toggle that is on; off is empty. */
export const ON = 'true';
const isNumber = (text) => /^-?([0-9]+\.?[0-9]*|\.[0-9]+)$/.test(text);

/**
 * The result of a field's kind, which comes before its rules: none for a text.
 * @param field `kind`: missing, `toggle`, `{ choice }` or `{ number: { from, to } }`
 */
function resultsOfKind({ kind, label, message }, text) {
  if (!kind) return [];
  const result = (rule, isAccepted) => ({
    rule,
    advice: false,
    outcome: isAccepted ? 'satisfied' : 'unsatisfied',
    statement: '',
    message: filled(message || '', {}, label),
  });
  if (kind === 'toggle') return [result('toggle', text === ON)];
  if (kind.choice) return [result('choice', kind.choice.includes(text))];
  const { from, to } = kind.number;
  return [result('number', isNumber(text) && Number(text) >= from && Number(text) <= to)];
}
/**
 * A field as the controller declares it, in the page's language; texts that the configuration gives
 * stay.
 */
export function withMessages(field) {
  const translated = (key, text, standard) => text === standard && hasText(key) ? t(key) : text;
  const rules = field.rules.map((rule) => {
    const [statement, message] = WORDS[rule.rule] ?? [];
    const key = `rule.${rule.rule}`;
    return {
      ...rule,
      statement: translated(key, rule.statement ?? statement, statement),
      message: translated(`${key}.fix`, rule.message ?? message, message),
    };
  });
  const labelKey = `rule.field.${field.name}`;
  const messageKey = `${labelKey}.fix`;
  const message = hasText(messageKey) ? { message: t(messageKey) } : {};
  return { ...field, ...message, label: hasText(labelKey) ? t(labelKey) : field.label, rules };
}
/** The length that a rule asks for; a second factor allows shorter passwords. */
function lengthOf(rule, secondFactor) {
  const isShortened = rule.rule === 'minLength' && secondFactor;
  return isShortened ? rule.withSecondFactor ?? rule.length : rule.length;
}
/**
 * Fills in the placeholders; the label last, because it is a person's text and may look like one.
 */
function filled(words, rule, label, labels, secondFactor) {
  let text = words;
  const length = lengthOf(rule, secondFactor);
  if (length !== undefined) text = text.replaceAll('{length}', length);
  if (rule.rule === 'equals') {
    text = text.replaceAll('{other}', () => labels[rule.field] ?? rule.field);
  }
  return text.replaceAll('{field}', () => label);
}

// ---- rules ----
/**
 * @param form `values`: the texts of the fields that there are; `secondFactor`; `answers`: by
 *   question; `blocklist`: a Set of common passwords
 */
function isKept(rule, typed, form) {
  const text = normalize(typed);
  switch (rule.rule) {
    case 'notEmpty':
      return points(typed).some((point) => !INVISIBLE.test(point));
    case 'minLength':
      return points(text).length >= lengthOf(rule, form.secondFactor);
    case 'maxLength':
      return points(text).length <= rule.length;
    case 'symbol':
      return /[\p{P}\p{S}]/u.test(text);
    case 'upperCase':
      return /[\p{Lu}\p{Lt}]/u.test(text);
    case 'digit':
      return /\p{Nd}/u.test(text);
    case 'pattern':
      return new RegExp(`^(?:${rule.pattern})$`, 'u').test(text);
    case 'email':
      return isEmail(typed);
    case 'phone':
      return isPhone(typed);
    case 'notInBlocklist':
      return !isCommon(text, form.blocklist ?? new Set());
    case 'noPersonalWords':
      return !hasPersonalWords(lower(text), rule.fields.map((field) => form.values?.[field] ?? ''));
    case 'equals':
      return normalize(form.values[rule.field]) === text;
    case 'any':
      return rule.rules.some((one) => isKept(one, typed, form));
    default:
      return undefined;
  }
}
const hasPersonalWords = (password, texts) =>
  texts.flatMap(personalWords).some((word) => password.includes(word));
function outcome(rule, text, form, overlong) {
  if (!text) return 'unsatisfied';
  const toOutcome = (isSatisfied) => isSatisfied ? 'satisfied' : 'unsatisfied';
  if (overlong) return toOutcome(['notEmpty', 'minLength'].includes(rule.rule));
  if (rule.rule !== 'asked') return toOutcome(isKept(rule, text, form));
  const answer = form.answers?.[rule.question];
  return answer === undefined ? 'pending' : toOutcome(answer);
}

/**
 * The result of a field's rules about a text.
 * @param field `label` and `rules`, as GET /validation returns them
 * @param labels labels of other fields by name
 */
export function evaluate(field, text, form = {}, labels = {}) {
  const overlong = text !== '' && isOverlong(text);
  const hasNoOther = ({ rule, field: other }) =>
    rule === 'equals' && form.values?.[other] === undefined;
  const results = field.rules.filter((rule) => !hasNoOther(rule)).map((rule) => {
    const [statement = '', message = ''] = WORDS[rule.rule] ?? [];
    const fill = (words) => filled(words, rule, field.label, labels, form.secondFactor);
    return {
      rule: rule.rule,
      advice: !!rule.advice,
      outcome: outcome(rule, text, form, overlong),
      statement: fill(rule.statement ?? statement),
      message: fill(rule.message ?? message),
    };
  });
  const all = [...resultsOfKind(field, text), ...results];
  return { ...summarize(text, all), results: all };
}
/** The state of a field by the results of its rules; advice does not count. */
function summarize(text, results) {
  const counted = results.filter(({ advice }) => !advice);
  const total = counted.length;
  const satisfied = counted.filter(({ outcome }) => outcome === 'satisfied').length;
  if (!text) return { state: 'empty', satisfied, total, fraction: total ? satisfied / total : 0 };
  const state = satisfied === total ? 'valid' : 'invalid';
  return { state, satisfied, total, fraction: total ? satisfied / total : 1 };
}
/**
 * What a person is to do about a text, '' without words; null if it is valid, or an answer is
 * awaited.
 */
export function mistakeIn(field, text, { results }) {
  const first = results.find(({ advice, outcome }) => !advice && outcome === 'unsatisfied');
  if (text ? !first : field.required === false) return null;
  const fieldMessage = field.message ?? (text ? null : t('rule.notEmpty.fix'));
  return fieldMessage === null ? first.message : filled(fieldMessage || '', {}, field.label);
}
