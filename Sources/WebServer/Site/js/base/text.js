// The texts of the page in the reader's language, from text/uk.json for example. Keys are like
// "home.title".
export const LANGUAGES = { en: 'English', uk: 'Українська', ru: 'Русский' };
export let language = 'en';
/** The language with the reader's region, for dates and numbers. */
export let locale = 'en';
let plurals;
const texts = {};
// A name that is read from the right must not turn the punctuation around it.
const RIGHT_TO_LEFT = /[\u0590-\u08ff]/;

/** The language of a tag like "uk-UA"; `undefined` if there are no texts in it. */
function knownLanguage(tag) {
  const name = tag?.slice(0, 2).toLowerCase();
  return Object.hasOwn(LANGUAGES, name) ? name : undefined;
}
/** Loads the texts of the chosen language, or else of the browser's; English if there are none. */
export async function loadTexts(chosen) {
  language = [chosen, ...navigator.languages].map(knownLanguage).find(Boolean) ?? 'en';
  locale = navigator.languages.find((tag) => knownLanguage(tag) === language) ?? language;
  plurals = new Intl.PluralRules(language);
  document.documentElement.lang = language;
  await load();
}
/** Reads the file of the language: groups of texts by the part of the key before the point. */
async function load() {
  const answer = await fetch(new URL(`../../text/${language}.json`, import.meta.url));
  if (!answer.ok) throw new Error(`The texts cannot be read: ${answer.status}.`);
  for (const [group, members] of Object.entries(await answer.json())) {
    for (const [name, text] of Object.entries(members)) texts[`${group}.${name}`] = text;
  }
}
/** Loads the texts of another language, for a person who has chosen one. */
export async function changeLanguage(chosen) {
  if (chosen && chosen !== language) await loadTexts(chosen);
}
export const hasText = (key) => key in texts;
/**
 * Returns the text of a key in parts, with the value of each `{name}`, which may be a node.
 * @param values by name; `count` decides between plural forms
 */
export function textParts(key, values = {}) {
  const text = pluralForm(texts[key], values.count);
  if (text === undefined) {
    console.error(`There is no text ${key} in ${language}.`);
    return [key];
  }
  // Every other part is the name of a placeholder.
  return text.split(/\{(\w+)\}/).map((part, index) => index % 2 ? filled(part, values) : part);
}
const pluralForm = (text, count) =>
  typeof text === 'object' ? text[plurals.select(count)] ?? text.other : text;
/** The value of a placeholder, as it stands in a text. */
function filled(name, values) {
  if (!(name in values)) return `{${name}}`;
  const value = values[name] ?? '?';
  if (typeof value === 'number') return number(value);
  return RIGHT_TO_LEFT.test(value) ? `\u2068${value}\u2069` : value;
}
export const t = (key, values) => textParts(key, values).join('');

/** A number with so many digits behind the point. */
export function number(value, digits) {
  const options = digits === undefined
    ? {}
    : { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return formatter(digits, () => new Intl.NumberFormat(locale, options)).format(value);
}
// Formatters by locale and name: making one takes longer than using it a hundred times.
const formats = new Map();
/** Returns the formatter of a name for the locale, made once. */
export function formatter(name, make) {
  const key = `${locale} ${name}`;
  if (!formats.has(key)) formats.set(key, make());
  return formats.get(key);
}
/** "3 min", or "3 minutes" where it is spoken. */
export function unit(count, name, isSpoken) {
  if (!isSpoken) return t(`unit.${name}`, { count });
  return count.toLocaleString(locale, { style: 'unit', unit: name, unitDisplay: 'long' });
}
export const capitalized = (text) => text[0].toLocaleUpperCase(language) + text.slice(1);
/** A text as a sentence: with a capital and an end. */
export function sentence(text) {
  if (!text) return '';
  const end = /[.!?…]$/.test(text) ? '' : '.';
  return capitalized(text) + end;
}
