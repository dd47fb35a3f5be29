// The choice of the page's language, kept on this device.
import { h } from './dom.js';
import { keepLook } from './look.js';
import { LANGUAGES, language, t } from './text.js';

/** @param keep also keeps the language elsewhere, before the page is loaded anew */
export function languageChoice(keep) {
  const node = h('select', { class: 'language', 'aria-label': t('settings.language'), onchange: async () => {
    keepLook({ language: node.value });
    await keep?.(node.value);
    location.reload();
  } }, Object.entries(LANGUAGES).map(([tag, name]) => h('option', { value: tag, lang: tag }, name)));
  node.value = language;
  return node;
}
