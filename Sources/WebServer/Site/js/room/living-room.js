// The live drawing of the living room. One object goes in (`roomStatus()`), a picture comes out:
//   const room = await createRoom(host, { open(id), card(device), overflow(count) });
//   room.render(status);
//   room.levels([left, right]); // 0 to 1, at most 15 a second, may be dropped
// Devices are real <button>s over the drawing; the drawing itself is hidden from screen readers.
// Nothing here keeps the state of a device: what is not in the object is not drawn.
import { h, isMotionReduced } from '../base/dom.js';
import { Air } from './air.js';
import { appearanceOf } from './appearance.js';
import { Composition } from './composition.js';
import { DeviceButtons } from './device-buttons.js';
import { FailureCards } from './failure-cards.js';
import { bestLayout, viewOf } from './layouts.js';
import { FadePace } from './light.js';
import { loadDrawings } from './placed-parts.js';

const LIGHT_COLORS = '(prefers-color-scheme: light)';

/** Whether the page has the colors of the day. */
function isDaytime() {
  const { theme } = document.documentElement.dataset;
  return theme ? theme === 'matinee' : matchMedia(LIGHT_COLORS).matches;
}

/**
 * @param host the element that the drawing fills
 * @param options
 *   `open` is called with the id of a pressed device;
 *   `card` gives the card of a device that failed: `title`, `hint`, and `button`, which may be
 *   undefined; without it there are no cards;
 *   `overflow` gives the one card that replaces more than three;
 *   `isInteractive` is false where devices cannot be pressed
 */
export async function createRoom(host, options = {}) {
  return new LivingRoom(host, await loadDrawings(), options);
}

class LivingRoom {
  node = h('div', 'room-view');
  #host;
  #drawings;
  #status;
  /** Undefined until the surface has a size. */
  #composition;
  #look;
  /** The size of the surface at the last `#fit`, in pixels. */
  #width = 0;
  #height = 0;
  /** What the last placement depended on; see `#place`. */
  #placement;
  #air = new Air();
  #buttons;
  #cards;
  #fadePace = new FadePace(this.node);
  #resizes = new ResizeObserver(() => this.#fit());
  #listeners = new AbortController();

  constructor(host, drawings, { open, card, overflow, isInteractive = true }) {
    this.#host = host;
    this.#drawings = drawings;
    this.#buttons = isInteractive ? new DeviceButtons(open) : undefined;
    this.#cards = card ? new FailureCards(card, overflow) : undefined;
    host.replaceChildren(this.node);
    this.#resizes.observe(this.node);
    this.#listen();
    this.#fit();
  }
  #listen() {
    const { signal } = this.#listeners;
    const updateVisibility = () => this.#air.setVisible(!document.hidden);
    document.addEventListener('visibilitychange', updateVisibility, { signal });
    matchMedia(LIGHT_COLORS).addEventListener('change', () => this.#paint(), { signal });
  }
  /** Draws a status. */
  render(status) {
    this.#status = status;
    if (!this.#composition) this.#fit();
    this.#paint();
  }
  /** Moves the level meters and the speakers that are heard. */
  levels(pair) {
    const speakers = this.#composition?.speakers;
    if (speakers?.areHeard && !isMotionReduced()) speakers.drawLevels(pair);
  }
  /** Shows or hides the names of all devices. */
  names(areShown) {
    this.node.classList.toggle('names', areShown);
  }
  /** Ends everything that goes on by itself. */
  end() {
    this.#listeners.abort();
    this.#resizes.disconnect();
    this.#air.end();
    this.#host.replaceChildren();
  }

  /** Reads the size of the surface, and takes the layout that fits it best. */
  #fit() {
    const { clientWidth, clientHeight } = this.node;
    if (!clientWidth || !clientHeight) return;
    this.#width = clientWidth;
    this.#height = clientHeight;
    const best = bestLayout(clientWidth, clientHeight);
    if (best !== this.#composition?.name) {
      this.#compose(best);
      this.#paint();
    }
    this.#place();
  }
  #compose(name) {
    this.#composition = new Composition(name, this.#drawings, this.#fadePace);
    const layers = [
      this.#composition.svg,
      this.#air.canvas,
      this.#buttons?.node,
      this.#cards?.node,
    ];
    this.node.replaceChildren(...layers.filter(Boolean));
  }
  #paint() {
    if (!this.#status || !this.#composition) return;
    const look = appearanceOf(this.#status, isDaytime());
    this.#look = look;
    this.#composition.draw(look, this.#status.picture);
    this.#cards?.update(look.failed, () => {
      this.#placement = undefined;
    });
    this.#buttons?.describe(this.#status);
    this.#air.setPopping(look.popper.isPopping);
    this.#place();
    this.#air.setDust(look.dust, look.screen.lowered);
    this.#air.resume();
  }
  /**
   * Places all that lies over the drawing, when what the places depend on has changed. Uses the
   * size of the last `#fit`: measuring here would force a layout.
   */
  #place() {
    if (!this.#composition) return;
    const { name, layout, area, lens, parts, boxOf } = this.#composition;
    const lowered = this.#look?.screen.lowered ?? 0;
    const placement = [name, this.#width, this.#height, lowered, this.#air.hasKernels].join();
    if (this.#placement === placement) return;
    this.#placement = placement;
    const view = viewOf(layout, this.#width, this.#height);
    this.#composition.setView(view);
    this.#air.place({ view, screen: area, lens, popper: parts.popper.place });
    this.#buttons?.place(boxOf, view, area.height * lowered);
    this.#cards?.place(boxOf, view, layout);
  }
}
