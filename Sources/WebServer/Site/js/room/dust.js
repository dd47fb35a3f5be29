// The dust in the projector's beam.
import { lerp } from '../base/dom.js';

const MOST_GRAINS = 54;
const FULL_TURN = 2 * Math.PI;
/** Where a grain that has left the beam begins anew: its progress from lens to screen. */
const BEAM_BEGIN = .04;
const HALF_BEAM_AT_LENS = 14;
const SWING = 8;
/** The beam has its full width at 1 / WIDENING of the way to the screen. */
const WIDENING = 1.9;
/** The largest change of an offset in a frame. */
const MOST_DRIFT = .0006;
// Milliseconds per radian of these movements.
const DRIFT_MS = 2600;
const SWING_MS = 1900;
const TWINKLE_MS = 700;

/**
 * The grains of dust. A grain's `progress` goes from the lens, 0, to the screen, 1; its `offset`
 * from one edge of the beam, -1, to the other, 1.
 */
export class Dust {
  /** How much dust is seen, 0 to 1. */
  strength = 0;
  #grains = [];

  /** @param isStill whether there are no grains, because the person wants no motion */
  setStrength(strength, isStill) {
    this.strength = strength;
    const count = isStill ? 0 : Math.round(MOST_GRAINS * strength);
    while (this.#grains.length < count) {
      this.#grains.push({
        progress: Math.random(),
        offset: Math.random() * 2 - 1,
        size: .4 + Math.random() * 1.3,
        speed: .00002 + Math.random() * .00005,
        phase: Math.random() * FULL_TURN,
      });
    }
    this.#grains.length = count;
  }
  /**
   * Moves the grains on.
   * @param time frame time, ms
   * @param elapsed ms since the last frame
   */
  advance(time, elapsed) {
    for (const grain of this.#grains) {
      grain.progress += grain.speed * elapsed;
      grain.offset += Math.sin(time / DRIFT_MS + grain.phase) * MOST_DRIFT;
      if (grain.progress > 1) {
        grain.progress = BEAM_BEGIN;
        grain.offset = Math.random() * 2 - 1;
      }
    }
  }
  /** @param beam its `lens` as [x, y], the `bottom` and the `halfWidth` of what it lights */
  draw(context, time, { lens: [lensX, lensY], bottom, halfWidth }) {
    context.fillStyle = '#fff6e4';
    for (const { progress, offset, size, phase } of this.#grains) {
      const y = lerp(lensY, bottom, progress);
      const half = lerp(HALF_BEAM_AT_LENS, halfWidth, Math.min(1, progress * WIDENING));
      const x = lensX + offset * half + Math.sin(time / SWING_MS + phase) * SWING;
      const twinkle = .55 + .45 * Math.sin(time / TWINKLE_MS + phase * 3);
      context.globalAlpha = (1 - progress) * .75 * this.strength * twinkle;
      context.beginPath();
      context.arc(x, y, size * 1.5, 0, FULL_TURN);
      context.fill();
    }
  }
}
