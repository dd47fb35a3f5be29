// The device's screen stays on while the room is shown.
import { preferences } from '../base/preferences.js';

/**
 * Asks the device not to switch its screen off, unless the settings forbid it; again each time the
 * page becomes visible. Returns a function that ends this.
 */
export function keepScreenAwake() {
  let lock;
  let isAsking = false;
  let hasEnded = false;
  const isWanted = () => !hasEnded && !document.hidden && preferences().awake !== false;
  const isHeld = () => lock?.released === false;
  const ask = async () => {
    if (!navigator.wakeLock || !isWanted() || isAsking || isHeld()) return;
    isAsking = true;
    try {
      lock = await navigator.wakeLock.request('screen');
      // It may be granted after the room was left.
      if (hasEnded) lock.release();
    } catch {
      /* the battery is low, or it is not allowed */
    } finally {
      isAsking = false;
    }
  };
  ask();
  document.addEventListener('visibilitychange', ask);
  return () => {
    hasEnded = true;
    document.removeEventListener('visibilitychange', ask);
    lock?.release();
  };
}
