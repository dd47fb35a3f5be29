// The dust in the projector's beam.
import { lerp } from '../base/dom.js';

const MOST_GRAINS = 54;
const FULL_TURN = 2 * Math.PI;
/** Where a grain that has left the beam begins anew: its share of the way from lens to screen. */
const BEAM_BEGIN = .04;
const HALF_BEAM_AT_LENS = 14;
const SWING = 8;

/** The grains of dust. A grain's `way` goes from the lens, 0, to the screen, 1. */
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
        way: Math.random(),
        side: Math.random() * 2 - 1,
        size: .4 + Math.random() * 1.3,
        speed: .00002 + Math.random() * .00005,
        phase: Math.random() * FULL_TURN,
      });
    }
    this.#grains.length = count;
  }
  /** Moves the grains on by some milliseconds, `time` being the time of the frame. */
  advance(time, elapsed) {
    for (const grain of this.#grains) {
      grain.way += grain.speed * elapsed;
      grain.side += Math.sin(time / 2600 + grain.phase) * .0006;
      if (grain.way > 1) {
        grain.way = BEAM_BEGIN;
        grain.side = Math.random() * 2 - 1;
      }
    }
  }
  /** @param beam its `lens` as [x, y], the `bottom` and the `halfWidth` of what it lights */
  draw(context, time, { lens: [lensX, lensY], bottom, halfWidth }) {
    context.fillStyle = '#fff6e4';
    for (const { way, side, size, phase } of this.#grains) {
      const y = lerp(lensY, bottom, way);
      const half = lerp(HALF_BEAM_AT_LENS, halfWidth, Math.min(1, way * 1.9));
      const x = lensX + side * half + Math.sin(time / 1900 + phase) * SWING;
      const twinkle = .55 + .45 * Math.sin(time / 700 + phase * 3);
      context.globalAlpha = (1 - way) * .75 * this.strength * twinkle;
      context.beginPath();
      context.arc(x, y, size * 1.5, 0, FULL_TURN);
      context.fill();
    }
  }
}
