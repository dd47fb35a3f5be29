// Dates and spans in words, in the language of the browser.
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
/** "3 days ago", "in 5 hours". */
export function when(date, now = Date.now()) {
  const seconds = (new Date(date).getTime() - now) / 1000, size = Math.abs(seconds);
  if (size < 60) return seconds < 0 ? 'just now' : 'in a moment';
  for (const [unit, length] of [['day', 86400], ['hour', 3600], ['minute', 60]]) if (size >= length) return relative.format(Math.round(seconds / length), unit);
  return '';
}
export const clockTime = (date) => new Date(date).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
