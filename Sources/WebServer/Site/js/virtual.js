// A grid of which only the rows near the window exist, for lists of any length.
import { h } from './dom.js';

const ROWS_AROUND = 3;

/**
 * Fills `host` with a list of `items`.
 * @param className the list's style: a CSS grid whose columns the style sheet decides
 * @param build makes the `li` of an item
 */
export function virtual(host, items, { className, label, build }) {
  const list = h('ul', { class: className, 'aria-label': label }), nodes = new Map();
  host.replaceChildren(list);
  let columns = 1, height = 0, first = -1, last = -1;

  function measure() {
    list.style.paddingTop = list.style.minHeight = '';
    draw(0, Math.min(items.length, 12));
    const style = getComputedStyle(list), gap = parseFloat(style.rowGap) || 0;
    columns = Math.max(1, style.gridTemplateColumns.split(' ').filter((part) => parseFloat(part) > 0).length);
    height = (list.firstElementChild?.getBoundingClientRect().height ?? 0) + gap;
    update();
  }
  function update() {
    if (!height) return;
    const rows = Math.ceil(items.length / columns), top = -list.getBoundingClientRect().top;
    const from = Math.min(Math.max(0, Math.floor(top / height) - ROWS_AROUND), Math.max(0, rows - 1));
    const to = Math.min(rows, Math.max(from + 1, Math.ceil((top + innerHeight) / height) + ROWS_AROUND));
    list.style.minHeight = `${rows * height}px`;
    list.style.paddingTop = `${from * height}px`;
    draw(from * columns, Math.min(items.length, to * columns));
  }
  /** Makes the items from `from` up to `to` and drops all others; a node that stays is not touched. */
  function draw(from, to) {
    if (from === first && to === last) return;
    first = from; last = to;
    for (const [index, node] of nodes) if (index < from || index >= to) { node.remove(); nodes.delete(index); }
    let next = list.firstElementChild;
    for (let index = from; index < to; index++) {
      let node = nodes.get(index);
      if (!node) {
        node = build(items[index]);
        node.setAttribute('aria-setsize', items.length); node.setAttribute('aria-posinset', index + 1); node.dataset.index = index;
        nodes.set(index, node);
        list.insertBefore(node, next);
      } else next = node.nextElementSibling;
    }
  }
  /** Moves the focus within the grid. */
  function press(event) {
    const own = event.target.closest('li[data-index]');
    if (!own || event.altKey || event.ctrlKey || event.metaKey) return;
    const at = Number(own.dataset.index), step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns, Home: -at, End: items.length - 1 - at }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const goal = Math.min(items.length - 1, Math.max(0, at + step));
    if (!nodes.has(goal)) { scrollTo(0, scrollY + list.getBoundingClientRect().top + Math.floor(goal / columns) * height - innerHeight / 3); update(); }
    nodes.get(goal)?.querySelector('button, a')?.focus();
  }
  let planned = 0;
  const plan = () => { planned ||= requestAnimationFrame(() => { planned = 0; update(); }); };
  let width = 0;
  const size = new ResizeObserver(() => { if (list.clientWidth !== width) { width = list.clientWidth; first = last = -1; measure(); } });
  addEventListener('scroll', plan, { passive: true });
  list.addEventListener('keydown', press);
  size.observe(list);
  measure();
  return { end() { removeEventListener('scroll', plan); cancelAnimationFrame(planned); size.disconnect(); } };
}
