// A grid of which only the rows near the window exist, for lists of any length.
import { clamp, focusOn, h } from './dom.js';

/** Rows that exist above and below the window. */
const ROWS_AROUND = 3;
/** Enough items to show how many columns the style sheet makes. */
const ITEMS_TO_MEASURE = 12;

class VirtualList {
  constructor(host, { count, className, label, build, isKnown, shown }) {
    Object.assign(this, { count, build, isKnown, shown });
    this.list = h('ul', { class: className, 'aria-label': label, tabindex: -1 });
    /** The items that exist, by index. */
    this.nodes = new Map();
    /** Nodes that may show outdated items, since the list was resized. */
    this.outdated = new Set();
    this.columns = 1;
    this.rowHeight = 0;
    /** The range of items that exist: from `first` up to `last`, without `last`. */
    this.first = -1;
    this.last = -1;
    /** The index that gets the focus as soon as its item is there; -1 without one. */
    this.focusGoal = -1;
    this.frame = 0;
    host.replaceChildren(this.list);
    this.width = this.list.clientWidth;
    this.observe();
    this.measure();
  }
  observe() {
    this.planUpdate = () => {
      this.frame ||= requestAnimationFrame(() => {
        this.frame = 0;
        this.update();
      });
    };
    this.sizes = new ResizeObserver(() => {
      if (this.list.clientWidth === this.width) return;
      this.width = this.list.clientWidth;
      this.first = -1;
      this.last = -1;
      this.measure();
    });
    addEventListener('scroll', this.planUpdate, { passive: true });
    this.list.addEventListener('keydown', (event) => this.press(event));
    this.list.addEventListener('blur', () => {
      if (document.activeElement !== this.list) this.focusGoal = -1;
    });
    this.sizes.observe(this.list);
  }

  /** Measures the columns and the height of a row. */
  measure() {
    // The height of the list stays, so that the page does not lose its place.
    this.list.style.paddingTop = '';
    this.draw(0, Math.min(this.count, ITEMS_TO_MEASURE));
    const style = getComputedStyle(this.list);
    const widths = style.gridTemplateColumns.split(' ').map(parseFloat);
    this.columns = Math.max(1, widths.filter((width) => width > 0).length);
    const gap = parseFloat(style.rowGap) || 0;
    this.rowHeight = (this.list.firstElementChild?.getBoundingClientRect().height ?? 0) + gap;
    this.update();
  }
  /** Draws the rows near the window. */
  update() {
    const { list, columns, rowHeight, count } = this;
    if (!rowHeight) return;
    const rows = Math.ceil(count / columns);
    const top = -list.getBoundingClientRect().top;
    const firstRow = Math.floor(top / rowHeight) - ROWS_AROUND;
    const endRow = Math.ceil((top + innerHeight) / rowHeight) + ROWS_AROUND;
    const from = clamp(firstRow, 0, Math.max(0, rows - 1));
    const to = Math.min(rows, Math.max(from + 1, endRow));
    list.style.minHeight = `${rows * rowHeight}px`;
    list.style.paddingTop = `${from * rowHeight}px`;
    this.draw(from * columns, Math.min(count, to * columns));
  }
  /** Makes the items in a range and drops all others; a node that stays is not touched. */
  draw(from, to) {
    if (from === this.first && to === this.last) return;
    this.first = from;
    this.last = to;
    for (const [index, node] of this.nodes) {
      if (index >= from && index < to) continue;
      if (node.contains(document.activeElement)) this.focusLater(index);
      node.remove();
      this.nodes.delete(index);
    }
    let next = this.list.firstElementChild;
    for (let index = from; index < to; index++) {
      const node = this.nodes.get(index);
      if (node) next = node.nextElementSibling;
      else this.list.insertBefore(this.make(index), next);
    }
    this.shown(from, to);
    focusOn(this.control(this.focusGoal));
  }
  make(index) {
    const node = this.build(index);
    node.setAttribute('aria-setsize', this.count);
    node.setAttribute('aria-posinset', index + 1);
    node.dataset.index = index;
    node.toggleAttribute('data-place', !this.isKnown(index));
    this.nodes.set(index, node);
    return node;
  }
  /** Draws again the known items whose nodes are placeholders or may be outdated. */
  redrawKnown() {
    for (const [index, node] of this.nodes) {
      const mayDiffer = 'place' in node.dataset || this.outdated.has(node);
      if (mayDiffer && this.isKnown(index)) node.replaceWith(this.make(index));
    }
    focusOn(this.control(this.focusGoal));
  }
  resize(count) {
    this.count = count;
    this.outdated = new Set(this.nodes.values());
    this.first = -1;
    this.last = -1;
    this.update();
  }

  /** Moves the focus within the grid. */
  press(event) {
    const current = Number(event.target.closest('li[data-index]')?.dataset.index ?? this.focusGoal);
    if (current < 0 || event.altKey || event.ctrlKey || event.metaKey) return;
    const step = {
      ArrowRight: 1,
      ArrowLeft: -1,
      ArrowDown: this.columns,
      ArrowUp: -this.columns,
      Home: -current,
      End: this.count - 1 - current,
    }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = clamp(current + step, 0, this.count - 1);
    if (!this.control(next)) {
      this.focusLater(next);
      this.scrollToItem(next);
      this.update();
    }
    this.control(next)?.focus();
  }
  /** Puts an item into the upper third of the window. */
  scrollToItem(index) {
    const listTop = scrollY + this.list.getBoundingClientRect().top;
    const rowTop = Math.floor(index / this.columns) * this.rowHeight;
    scrollTo(0, listTop + rowTop - innerHeight / 3);
  }
  control(index) {
    return this.nodes.get(index)?.querySelector('button, a');
  }
  /** Gives the focus to the list until an item is there, unless something else gets it before. */
  focusLater(index) {
    this.focusGoal = index;
    focusOn(this.list);
  }
  end() {
    removeEventListener('scroll', this.planUpdate);
    cancelAnimationFrame(this.frame);
    this.sizes.disconnect();
  }
}

/**
 * Fills `host` with a list of items.
 * @param options `count` of the items; `label` and `className` of the list, which is a CSS grid
 *   with the columns of the style sheet; `build(index)` makes an item's `li`; `isKnown(index)`
 *   tells whether that is more than its place; `shown(from, to)` is called with the range that
 *   exists
 * @returns `redrawKnown()` for when more items are known, `resize(count)` for when all may be
 *   others, and `end()`
 */
export const showVirtualList = (host, options) => new VirtualList(host, options);
