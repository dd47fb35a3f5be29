// The texts of the page in the reader's language, text/uk.json for example. Keys are like "home.title".
export const LANGUAGES = { en: 'English', uk: 'Українська', ru: 'Русский' };
export let language = 'en';
/** The language with the reader's region, for dates and numbers. */
let locale = 'en';
let plurals;
const texts = {};
// A name that is read from the right must not turn the punctuation around it.
const RIGHT_TO_LEFT = /[\u0590-\u08ff]/;

/** Loads the texts of the chosen language, or else of the browser's; English if there are none. */
export async function loadTexts(chosen) {
  const known = (tag) => {
    const own = tag?.slice(0, 2).toLowerCase();
    return own in LANGUAGES && own;
  };
  language = [chosen, ...navigator.languages].map(known).find(Boolean) ?? 'en';
  locale = navigator.languages.find((tag) => known(tag) === language) ?? language;
  plurals = new Intl.PluralRules(language);
  document.documentElement.lang = language;
  await load();
}
/** Reads the file of the language: groups of texts by the part of the key before the point. */
async function load() {
  const answer = await fetch(new URL(`../../text/${language}.json`, import.meta.url));
  for (const [group, members] of Object.entries(await answer.json())) {
    for (const [name, text] of Object.entries(members)) texts[`${group}.${name}`] = text;
  }
}
/** Loads the texts of another language, for a person who has chosen one. */
export async function changeLanguage(chosen) {
  if (chosen && chosen !== language) await loadTexts(chosen);
}
export const hasText = (key) => key in texts;
/** The text of a key in parts, with the value of each `{name}`, which may be a node. A text with plural forms goes by `count`. */
export function textParts(key, values = {}) {
  const found = texts[key],
    form = typeof found === 'object' ? found[plurals.select(values.count)] ?? found.other : found;
  if (form === undefined) {
    console.error(`There is no text ${key} in ${language}.`);
    return [key];
  }
  return form.split(/\{(\w+)\}/).map((part, i) => {
    const value = i % 2 ? (part in values ? values[part] ?? '?' : `{${part}}`) : part;
    return typeof value === 'number'
      ? number(value)
      : i % 2 && RIGHT_TO_LEFT.test(value)
      ? `\u2068${value}\u2069`
      : value;
  });
}
export const t = (key, values) => textParts(key, values).join('');

/** A number with so many digits behind the point. */
export function number(value, digits) {
  return formatter(
    digits,
    () =>
      new Intl.NumberFormat(
        locale,
        digits === undefined
          ? {}
          : { minimumFractionDigits: digits, maximumFractionDigits: digits },
      ),
  ).format(value);
}
// Making one takes longer than using it a hundred times.
const formats = new Map();
function formatter(name, make) {
  const key = `${locale} ${name}`;
  if (!formats.has(key)) formats.set(key, make());
  return formats.get(key);
}
/** "3 min", or "3 minutes" where it is spoken. */
export const unit = (
  count,
  name,
  isSpoken,
) => (isSpoken
  ? count.toLocaleString(locale, { style: 'unit', unit: name, unitDisplay: 'long' })
  : t(`unit.${name}`, { count }));
/** The time of day, in hours and minutes. */
export const clockTime = (date) =>
  formatter('clock', () => new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' }))
    .format(new Date(date));
export const dateOf = (date) => new Date(date).toLocaleDateString(locale);
/** The time since or until a date: "3 min ago", "in 5 hr". */
export function relativeTime(date, now = Date.now()) {
  const seconds = (new Date(date).getTime() - now) / 1000, size = Math.abs(seconds);
  if (size < 10) return t('time.now');
  // A unit begins where the smaller one would be rounded to a whole one of it.
  const [name, length] = [['day', 86_400, 84_600], ['hour', 3600, 3570], ['minute', 60, 59.5], [
    'second',
    1,
    0,
  ]].find(([, , from]) => size >= from);
  return new Intl.RelativeTimeFormat(locale, { style: 'short' }).format(
    Math.round(seconds / length),
    name,
  );
}
export const capitalized = (text) => text[0].toLocaleUpperCase(language) + text.slice(1);
/** A text as a sentence: with a capital and an end. */
export const sentence = (
  text,
) => (text ? capitalized(text) + (/[.!?…]$/.test(text) ? '' : '.') : '');
