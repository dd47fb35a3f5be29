import { t } from '../base/text.js';

export function greeting(hour = new Date().getHours()) {
  if (hour < 5) return t('greet.night');
  if (hour < 12) return t('greet.morning');
  return t(hour < 18 ? 'greet.day' : 'greet.evening');
}
