// A grid of which only the rows near the window exist, for lists of any length.
import { clamp, focusOn, h } from './dom.js';

const ROWS_AROUND = 3;

/**
 * Fills `host` with a list of `count` items.
 * @param className the list's style: a CSS grid whose columns the style sheet decides
 * @param build makes the `li` of the item at an index; `isKnown` tells whether that is more than its place
 * @param shown called with the range of items that exist, from one index up to another
 * @returns `filled()` for when more items are known, `resize()` for when all may be others, and `end()`
 */
export function virtual(host, { count, className, label, build, isKnown, shown }) {
  const list = h('ul', { class: className, 'aria-label': label, tabindex: -1 }), nodes = new Map();
  host.replaceChildren(list);
  let columns = 1, height = 0, first = -1, last = -1, goal = -1, old = new Set();

  function measure() {
    // The height stays, so that the page does not lose its place.
    list.style.paddingTop = '';
    draw(0, Math.min(count, 12));
    const style = getComputedStyle(list), gap = parseFloat(style.rowGap) || 0;
    columns = Math.max(
      1,
      style.gridTemplateColumns.split(' ').filter((part) => parseFloat(part) > 0).length,
    );
    height = (list.firstElementChild?.getBoundingClientRect().height ?? 0) + gap;
    update();
  }
  function update() {
    if (!height) return;
    const rows = Math.ceil(count / columns), top = -list.getBoundingClientRect().top;
    const from = Math.min(
      Math.max(0, Math.floor(top / height) - ROWS_AROUND),
      Math.max(0, rows - 1),
    );
    const to = Math.min(
      rows,
      Math.max(from + 1, Math.ceil((top + innerHeight) / height) + ROWS_AROUND),
    );
    list.style.minHeight = `${rows * height}px`;
    list.style.paddingTop = `${from * height}px`;
    draw(from * columns, Math.min(count, to * columns));
  }
  /** Makes the items from `from` up to `to` and drops all others; a node that stays is not touched. */
  function draw(from, to) {
    if (from === first && to === last) return;
    first = from;
    last = to;
    for (const [index, node] of nodes) {
      if (index >= from && index < to) continue;
      if (node.contains(document.activeElement)) focusLater(index);
      node.remove();
      nodes.delete(index);
    }
    let next = list.firstElementChild;
    for (let index = from; index < to; index++) {
      const known = nodes.get(index);
      if (known) next = known.nextElementSibling;
      else list.insertBefore(make(index), next);
    }
    shown(from, to);
    focusOn(control(goal));
  }
  function make(index) {
    const node = build(index);
    node.setAttribute('aria-setsize', count);
    node.setAttribute('aria-posinset', index + 1);
    node.dataset.index = index;
    node.toggleAttribute('data-place', !isKnown(index));
    nodes.set(index, node);
    return node;
  }
  function filled() {
    for (const [index, node] of nodes) {
      if (('place' in node.dataset || old.has(node)) && isKnown(index)) {
        node.replaceWith(make(index));
      }
    }
    focusOn(control(goal));
  }
  /** Moves the focus within the grid. */
  function press(event) {
    const at = Number(event.target.closest('li[data-index]')?.dataset.index ?? goal);
    if (at < 0 || event.altKey || event.ctrlKey || event.metaKey) return;
    const step = {
      ArrowRight: 1,
      ArrowLeft: -1,
      ArrowDown: columns,
      ArrowUp: -columns,
      Home: -at,
      End: count - 1 - at,
    }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = clamp(at + step, 0, count - 1);
    if (!control(next)) {
      focusLater(next);
      scrollTo(
        0,
        scrollY + list.getBoundingClientRect().top + Math.floor(next / columns) * height -
          innerHeight / 3,
      );
      update();
    }
    control(next)?.focus();
  }
  const control = (index) => nodes.get(index)?.querySelector('button, a');
  /** Gives the focus to the list until an item is in view and known, unless something else gets it before. */
  function focusLater(index) {
    goal = index;
    focusOn(list);
  }
  let planned = 0;
  const plan = () => {
    planned ||= requestAnimationFrame(() => {
      planned = 0;
      update();
    });
  };
  let width = list.clientWidth;
  const size = new ResizeObserver(() => {
    if (list.clientWidth !== width) {
      width = list.clientWidth;
      first = last = -1;
      measure();
    }
  });
  addEventListener('scroll', plan, { passive: true });
  list.addEventListener('keydown', press);
  list.addEventListener('blur', () => {
    if (document.activeElement !== list) goal = -1;
  });
  size.observe(list);
  measure();
  return {
    filled,
    resize(next) {
      count = next;
      old = new Set(nodes.values());
      first = last = -1;
      update();
    },
    end() {
      removeEventListener('scroll', plan);
      cancelAnimationFrame(planned);
      size.disconnect();
    },
  };
}
