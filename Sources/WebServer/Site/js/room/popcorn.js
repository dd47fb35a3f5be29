// The popcorn of the popper: the heaps that grow in its case, and the kernels that fly in it.
import { $$, clamp, lerp, s, shape } from '../base/dom.js';

/** The case in units of the popper's drawing in room.svg. */
export const POPPER_CASE = { left: 30, top: 74, right: 220, bottom: 224 };
const HEAP = {
  'heap-low': { count: 32, height: 34 },
  'heap-high': { count: 52, height: 66 },
};
const HEAP_HALF_WIDTH = 88;
const OUTER_PUFF = 'M-7 0a4 4 0 0 1 4-5.5 4.5 4.5 0 0 1 7-.5 4 4 0 0 1 3 5.5 4 4 0 0 1-4 6 ' +
  '4.5 4.5 0 0 1-6 .5 4 4 0 0 1-4-6Z';
const INNER_PUFF = 'M-4-2a3 3 0 0 1 5-2 2.5 2.5 0 0 1 3 3.5 3 3 0 0 1-4 2.5 3 3 0 0 1-4-4Z';

/** Puts popcorn into the empty heaps of the popper, its body and what shines of it. */
export function fillHeaps(popper) {
  for (const half of [popper.body, popper.lit]) {
    for (const heap of $$('[data-k^="heap"]', half)) heap.append(...heapOf(HEAP[heap.dataset.k]));
  }
}
/** A heap of popcorn, always the same. */
function heapOf({ count, height }) {
  let seed = 11;
  const random = () => ((seed = (seed * 16807) % 2147483647) / 2147483647);
  const kernels = Array.from({ length: count }, (_, i) => {
    const y = -height * (i / count) * lerp(.7, 1, random());
    const halfWidth = HEAP_HALF_WIDTH * (1 + y / height * .62);
    const x = lerp(-halfWidth, halfWidth, random());
    const scale = lerp(.8, 1.25, random());
    return { x, y: y - 6, scale, degrees: random() * 360 };
  });
  return kernels.sort((a, b) => a.y - b.y).map(({ x, y, scale, degrees }) => {
    const place = `translate(${x.toFixed(1)} ${y.toFixed(1)})`;
    const turn = `rotate(${Math.floor(degrees)}) scale(${scale.toFixed(2)})`;
    return s(
      'g',
      { transform: `${place} ${turn}` },
      shape('corn-b', OUTER_PUFF),
      shape('corn-a', INNER_PUFF),
    );
  });
}

const MOST_KERNELS = 26;
const LIFE_MS = 2300;
const FADE_MS = 400;
const GRAVITY = .00072; // units per ms²
const SPIN = .006; // radians per ms
/** Where kernels bounce off the glass and the floor of the case. */
const BOUNDS = { left: 38, right: 212, floor: 196 };
/** The circles of a puff: the offset and radius in shares of its size. */
const PUFF = [[-.5, -.3, .62], [.45, -.4, .6], [.5, .42, .58], [-.42, .46, .6], [0, 0, .7]];
const FULL_TURN = 2 * Math.PI;

/** The kernels that fly in the case, in units of the popper's drawing and in milliseconds. */
export class FlyingKernels {
  #kernels = [];

  get isEmpty() {
    return !this.#kernels.length;
  }
  /** Lets one more kernel jump out of the kettle, in half of the frames. */
  popOne() {
    if (this.#kernels.length >= MOST_KERNELS || Math.random() >= .5) return;
    this.#kernels.push({
      x: 125 + (Math.random() - .5) * 40,
      y: 92,
      speedX: (Math.random() - .5) * .24,
      speedY: -.1 - Math.random() * .12,
      angle: Math.random() * 6,
      scale: .75 + Math.random() * .5,
      age: 0,
    });
  }
  /** Moves the kernels on by some milliseconds, and drops those that are too old. */
  advance(elapsed) {
    this.#kernels = this.#kernels.filter((kernel) => {
      move(kernel, elapsed);
      return kernel.age < LIFE_MS;
    });
  }
  /** @param place [x, y, scale] of the popper */
  draw(context, [x, y, scale]) {
    const { left, top, right, bottom } = POPPER_CASE;
    context.save();
    context.translate(x, y);
    context.scale(scale, scale);
    context.beginPath();
    context.rect(left, top, right - left, bottom - top);
    context.clip();
    for (const kernel of this.#kernels) drawKernel(context, kernel);
    context.restore();
  }
}
function move(kernel, elapsed) {
  kernel.age += elapsed;
  kernel.speedY += GRAVITY * elapsed;
  kernel.x += kernel.speedX * elapsed;
  kernel.y += kernel.speedY * elapsed;
  kernel.angle += SPIN * elapsed;
  if (kernel.x < BOUNDS.left || kernel.x > BOUNDS.right) {
    kernel.speedX *= -.7;
    kernel.x = clamp(kernel.x, BOUNDS.left, BOUNDS.right);
  }
  if (kernel.y > BOUNDS.floor && kernel.speedY > 0) {
    kernel.speedY *= -.34;
    kernel.y = BOUNDS.floor;
    kernel.speedX *= .6;
  }
}
function drawKernel(context, { x, y, angle, scale, age }) {
  const left = LIFE_MS - age;
  context.globalAlpha = left < FADE_MS ? left / FADE_MS : 1;
  context.save();
  context.translate(x, y);
  context.rotate(angle);
  context.scale(scale, scale);
  drawPuff(context, { x: 0, y: 0, radius: 7, color: '#f3d79b' });
  drawPuff(context, { x: -1, y: -1.2, radius: 5, color: '#fffaf0' });
  context.restore();
}
function drawPuff(context, { x, y, radius, color }) {
  context.fillStyle = color;
  context.beginPath();
  for (const [offsetX, offsetY, share] of PUFF) {
    const centerX = x + offsetX * radius;
    const centerY = y + offsetY * radius;
    context.moveTo(centerX + share * radius, centerY);
    context.arc(centerX, centerY, share * radius, 0, FULL_TURN);
  }
  context.fill();
}
