// What floats in the air of the room, on a canvas over the drawing: dust in the beam, popcorn in
// its case.
import { h, isMotionReduced } from '../base/dom.js';
import { Dust } from './dust.js';
import { FlyingKernels, POPPER_CASE } from './popcorn.js';
import { setAttributes } from './svg.js';

/** The pause after each frame: a screen of 60 Hz gets every second frame. */
const FRAME_PAUSE_MS = 25;
const LONGEST_STEP_MS = 60;
const BEAM_MARGIN = 12;
const MOST_PIXEL_RATIO = 2;

/** The canvas and its frames. Frames follow each other only while there is something in the air. */
export class Air {
  canvas = h('canvas', { 'aria-hidden': 'true' });
  #dust = new Dust();
  #kernels = new FlyingKernels();
  #isPopping = false;
  #isVisible = true;
  /** Whether the canvas shows something. */
  #isDrawn = false;
  /** The frame or pause that is waited for; 0 without. */
  #next = 0;
  #lastFrame = 0;
  /** Where the air is; see `place`. */
  #area;
  #lowered = 0;

  get #context() {
    return this.canvas.getContext('2d');
  }
  /** Whether popcorn flies, or begins to. */
  get hasKernels() {
    return this.#isPopping || !this.#kernels.isEmpty;
  }
  setPopping(isPopping) {
    this.#isPopping = isPopping;
  }
  /**
   * @param strength how much dust is seen in the beam, 0 to 1
   * @param lowered how far the screen is lowered, 0 to 1: the beam ends at its lower edge
   */
  setDust(strength, lowered) {
    this.#lowered = lowered;
    this.#dust.setStrength(strength, isMotionReduced());
  }
  setVisible(isVisible) {
    this.#isVisible = isVisible;
    if (isVisible) this.resume();
  }
  /**
   * Puts the canvas where something can float, because each frame composes all of the canvas with
   * the room.
   * @param view the part of the drawing that is seen; see `viewOf`
   * @param screen the place of the picture on the lowered screen
   * @param lens [x, y] of the projector's lens
   * @param popper [x, y, scale] of the popper
   */
  place({ view, screen, lens, popper }) {
    const { left, top, right, bottom } = this.#bounds(screen, lens, popper);
    const ratio = Math.min(MOST_PIXEL_RATIO, devicePixelRatio || 1);
    const { scale } = view;
    const width = (right - left) * scale;
    const height = (bottom - top) * scale;
    this.#area = { scale: scale * ratio, left, top, screen, lens, popper };
    setAttributes(this.canvas, {
      width: Math.ceil((right - left) * scale * ratio),
      height: Math.ceil((bottom - top) * scale * ratio),
    });
    Object.assign(this.canvas.style, {
      left: `${(left - view.x) * scale}px`,
      top: `${(top - view.y) * scale}px`,
      width: `${width}px`,
      height: `${height}px`,
    });
  }
  #bounds(screen, lens, [popperX, popperY, popperScale]) {
    const corners = [
      [screen.x - BEAM_MARGIN, lens[1]],
      [screen.x + screen.width + BEAM_MARGIN, screen.y + screen.height],
    ];
    if (this.hasKernels) {
      const { left, top, right, bottom } = POPPER_CASE;
      const inPopper = (x, y) => [popperX + x * popperScale, popperY + y * popperScale];
      corners.push(inPopper(left, top), inPopper(right, bottom));
    }
    const all = (axis) => corners.map((corner) => corner[axis]);
    return {
      left: Math.min(...all(0)),
      top: Math.min(...all(1)),
      right: Math.max(...all(0)),
      bottom: Math.max(...all(1)),
    };
  }
  /** Starts the frames if there is something to move; clears the canvas if nothing may. */
  resume() {
    const isStill = isMotionReduced();
    if (!this.#next && !isStill && this.#hasFrames) {
      this.#next = requestAnimationFrame(this.#frame);
    }
    const isFed = this.#dust.strength || this.#isPopping;
    if (this.#isDrawn && (isStill || !isFed)) {
      this.#isDrawn = false;
      this.#context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    }
  }
  end() {
    this.#isVisible = false;
    clearTimeout(this.#next);
  }
  get #hasFrames() {
    return this.#isVisible && (this.#dust.strength > 0 || this.hasKernels);
  }
  #frame = (time) => {
    const elapsed = Math.min(LONGEST_STEP_MS, time - this.#lastFrame);
    this.#lastFrame = time;
    this.#isDrawn = true;
    this.#draw(time, elapsed);
    this.#next = this.#hasFrames
      ? setTimeout(() => requestAnimationFrame(this.#frame), FRAME_PAUSE_MS)
      : 0;
  };
  #draw(time, elapsed) {
    const context = this.#context;
    const { scale, left, top, screen, lens, popper } = this.#area;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    context.setTransform(scale, 0, 0, scale, -left * scale, -top * scale);
    if (this.#dust.strength) {
      this.#dust.advance(time, elapsed);
      const bottom = screen.y + screen.height * this.#lowered;
      this.#dust.draw(context, time, { lens, bottom, halfWidth: screen.width / 2 });
    }
    if (this.#isPopping) this.#kernels.popOne();
    if (!this.#kernels.isEmpty) {
      this.#kernels.advance(elapsed);
      this.#kernels.draw(context, popper);
    }
    context.globalAlpha = 1;
  }
}
