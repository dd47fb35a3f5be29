// Durations, dates and times of day as texts in the reader's language.
import { formatter, locale, t, unit } from './text.js';

const SECONDS_IN_HOUR = 3600;
const twoDigits = (value) => String(value).padStart(2, '0');
/** Splits a duration in seconds into whole hours, minutes and seconds. */
function split(duration) {
  const whole = Math.max(0, Math.floor(duration));
  return {
    hours: Math.floor(whole / SECONDS_IN_HOUR),
    minutes: Math.floor(whole / 60) % 60,
    seconds: whole % 60,
  };
}
/** 3725 → "1:02:05". */
export function clockText(duration) {
  const { hours, minutes, seconds } = split(duration);
  const rest = twoDigits(seconds);
  return hours ? `${hours}:${twoDigits(minutes)}:${rest}` : `${minutes}:${rest}`;
}
/** @param parts each `[count, name of the unit]`; empty ones are left out */
const inUnits = (parts, isSpoken) =>
  parts.filter(([count]) => count).map(([count, name]) => unit(count, name, isSpoken)).join(' ');
/** 3725 → "1 hour 2 minutes 5 seconds", for aria-valuetext. */
export function spokenDuration(duration) {
  const { hours, minutes, seconds } = split(duration);
  const words = inUnits([[hours, 'hour'], [minutes, 'minute'], [seconds, 'second']], true);
  return words || unit(0, 'second', true);
}
/** 3725 → "1 hr 2 min left". */
export function timeLeft(duration) {
  if (duration < 60) return t('time.left', { time: unit(Math.ceil(duration), 'second') });
  const { hours, minutes } = split(Math.round(duration / 60) * 60);
  return t('time.left', { time: inUnits([[hours, 'hour'], [minutes, 'minute']]) });
}

/** The time of day, in hours and minutes. */
export function clockTime(date) {
  const options = { hour: '2-digit', minute: '2-digit' };
  return formatter('clock', () => new Intl.DateTimeFormat(locale, options)).format(new Date(date));
}
export const dateOf = (date) => new Date(date).toLocaleDateString(locale);
const NOW_SECONDS = 10;
// Units in seconds. One is used from where the smaller one would be rounded to a whole one of it.
const UNITS = [
  { name: 'day', length: 86_400, from: 84_600 },
  { name: 'hour', length: 3600, from: 3570 },
  { name: 'minute', length: 60, from: 59.5 },
  { name: 'second', length: 1, from: 0 },
];
/** The time since or until a date: "3 min ago", "in 5 hr". */
export function relativeTime(date, now = Date.now()) {
  const seconds = (new Date(date).getTime() - now) / 1000;
  const distance = Math.abs(seconds);
  if (distance < NOW_SECONDS) return t('time.now');
  const { name, length } = UNITS.find(({ from }) => distance >= from);
  const format = new Intl.RelativeTimeFormat(locale, { style: 'short' });
  return format.format(Math.round(seconds / length), name);
}
