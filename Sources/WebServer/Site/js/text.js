// The texts of the page in the reader's language: one file a language, keys like "home.title".
export const LANGUAGES = { en: 'English', uk: 'Українська', ru: 'Русский' };
export let language = 'en';
let texts = {}, plurals;

/** Loads the texts of the language that was chosen, or of the browser's; English where there is none of them. */
export async function loadTexts(chosen) {
  const known = (tag) => LANGUAGES[tag?.slice(0, 2).toLowerCase()] && tag.slice(0, 2).toLowerCase();
  language = [chosen, ...navigator.languages].map(known).find(Boolean) ?? 'en';
  plurals = new Intl.PluralRules(language);
  texts = await (await fetch(new URL(`../text/${language}.json`, import.meta.url))).json();
  document.documentElement.lang = language;
}
/** The text of a key, `{name}` replaced by the value of that name. A text with plural forms goes by `count`. */
export function t(key, values = {}) {
  const found = texts[key], form = typeof found === 'object' ? found[plurals.select(values.count)] ?? found.other : found;
  if (form === undefined) { console.error(`There is no text ${key} in ${language}.`); return key; }
  return form.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}
