// The choice of the page's language, kept on this device.
import { h } from '../base/dom.js';
import { savePreferences } from '../base/preferences.js';
import { language, LANGUAGES, t } from '../base/text.js';

/** @param save also stores the language elsewhere, before the page is loaded anew */
export function languageChoice(save) {
  const change = async () => {
    savePreferences({ language: node.value });
    await save?.(node.value);
    location.reload();
  };
  const options = Object.entries(LANGUAGES).map(([tag, name]) =>
    h('option', { value: tag, lang: tag }, name)
  );
  const props = { class: 'language', 'aria-label': t('settings.language'), onchange: change };
  const node = h('select', props, options);
  node.value = language;
  return node;
}
