// The speakers and the amplifier's level meters, which move with the sound.
import { clamp } from '../base/dom.js';
import { SPEAKERS } from './appearance.js';
import { setOpacity } from './svg.js';

/** The needles of the level meters: their turn in silence and their way, in degrees. */
const NEEDLE_REST = -46;
const NEEDLE_WAY = 88;
const NEEDLE_LIMIT = 1.05;
/** How much the first cone of a speaker and its others grow at full level. */
const CONE_GROWTH = .075;
const OTHER_CONE_GROWTH = .1;

export class Speakers {
  #parts;
  /** The speakers that sound at this moment. */
  #heard = [];

  constructor(parts) {
    this.#parts = parts;
  }
  get areHeard() {
    return this.#heard.length > 0;
  }
  /** Draws who is heard in a sound; see `appearanceOf`. */
  draw({ path, heard, isPaused }) {
    this.#heard = heard;
    const opacity = (id) => {
      if (heard.includes(id)) return .75;
      return isPaused && path.includes(id) ? .25 : 0;
    };
    for (const id of SPEAKERS) setOpacity(this.#parts[id]?.all('hearing') ?? [], opacity(id));
    if (!this.areHeard) this.drawLevels([0, 0]);
  }
  /** @param levels of the left and the right side, 0 to 1 */
  drawLevels([left, right]) {
    this.#drawNeedle('vu-l', left);
    this.#drawNeedle('vu-r', right);
    for (const id of SPEAKERS) {
      const level = this.#heard.includes(id) ? levelAt(id, left, right) : 0;
      this.#parts[id]?.all('cone').forEach((cone, i) => {
        cone.style.transform = `scale(${1 + level * (i ? OTHER_CONE_GROWTH : CONE_GROWTH)})`;
      });
    }
  }
  #drawNeedle(key, level) {
    const degrees = NEEDLE_REST + NEEDLE_WAY * clamp(level, 0, NEEDLE_LIMIT);
    this.#parts.amp.one(key).style.transform = `rotate(${degrees}deg)`;
  }
}
function levelAt(id, left, right) {
  if (id === 'centre') return (left + right) / 2;
  return id.endsWith('R') ? right : left;
}
