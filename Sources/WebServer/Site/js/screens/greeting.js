// The greeting for the time of day.
import { t } from '../base/text.js';

/** Hours at which morning, day and evening begin. */
const MORNING = 5;
const DAY = 12;
const EVENING = 18;

export function greeting(hour = new Date().getHours()) {
  if (hour < MORNING) return t('greet.night');
  if (hour < DAY) return t('greet.morning');
  return t(hour < EVENING ? 'greet.day' : 'greet.evening');
}
