// On the wall: after a while without a touch only the room is left, dimmed unless the settings
// forbid it.
import { $ } from '../base/dom.js';
import { preferences } from '../base/preferences.js';

const REST_AFTER_MS = 25_000;
/** Rest periods after which an untouched sheet is closed. */
const SHEET_WAITS = 4;
const SIGNS_OF_USE = ['pointerdown', 'pointermove', 'keydown', 'focusin'];

/** Lets the page rest while nobody touches it. Returns a function that ends this. */
export function restWhenLeftAlone() {
  const dimmer = new IdleDimmer();
  const onUse = (event) => dimmer.onUse(event);
  const onClick = (event) => dimmer.onClick(event);
  for (const sign of SIGNS_OF_USE) addEventListener(sign, onUse, true);
  addEventListener('click', onClick, true);
  dimmer.wake();
  return () => {
    dimmer.end();
    for (const sign of SIGNS_OF_USE) removeEventListener(sign, onUse, true);
    removeEventListener('click', onClick, true);
  };
}

class IdleDimmer {
  #classes = document.body.classList;
  #timer;
  /** How many times a sheet has held off the rest. */
  #waits = 0;
  /**
   * Whether the current touch wakes the page. Its click is swallowed; so is a key that wakes the
   * page.
   */
  #isWaking = false;

  wake() {
    this.#waits = 0;
    this.#classes.remove('resting', 'dimmed');
    this.#wait();
  }
  onUse(event) {
    const isResting = this.#classes.contains('resting');
    // A sheet that is closed gives the focus back, which is no touch.
    if (event.type === 'focusin' && isResting) return;
    if (event.type === 'keydown' && event.key !== 'Tab' && isResting) swallow(event);
    if (['pointerdown', 'keydown'].includes(event.type)) {
      this.#isWaking = isResting && event.type === 'pointerdown';
    }
    this.wake();
  }
  onClick(event) {
    if (this.#isWaking) swallow(event);
    this.#isWaking = false;
  }
  end() {
    clearTimeout(this.#timer);
    this.#classes.remove('resting', 'dimmed');
  }
  #wait() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#rest(), REST_AFTER_MS);
  }
  #rest() {
    const sheet = $('dialog[open]');
    if (sheet) {
      this.#waits += 1;
      if (this.#waits < SHEET_WAITS) {
        this.#wait();
        return;
      }
      sheet.close();
    }
    clearTimeout(this.#timer);
    this.#classes.add('resting');
    this.#classes.toggle('dimmed', preferences().dim ?? true);
  }
}
function swallow(event) {
  event.preventDefault();
  event.stopImmediatePropagation();
}
