// Limits how often the values of a moved slider are sent.
import { showFailure } from './failures.js';

const PAUSE_MS = 100;

/**
 * Returns a function that sends the newest of many values, with a pause after each, and the last
 * one always. Called without a value, it drops the one that waits.
 */
export function throttle(sendValue, pause = PAUSE_MS) {
  let waiting;
  let isSending = false;
  const sendWaiting = async () => {
    isSending = true;
    while (waiting !== undefined) {
      const value = waiting;
      waiting = undefined;
      try {
        await sendValue(value);
      } catch (failure) {
        showFailure(failure);
      }
      await new Promise((resolve) => {
        setTimeout(resolve, pause);
      });
    }
    isSending = false;
  };
  return (value) => {
    waiting = value;
    if (!isSending) sendWaiting();
  };
}
