export function greeting(hour = new Date().getHours()) {
  if (hour < 5) return 'Still awake';
  if (hour < 12) return 'Good morning';
  return hour < 18 ? 'Good afternoon' : 'Good evening';
}
