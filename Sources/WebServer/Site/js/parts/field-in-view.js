// Keeps the field that has the focus, and the messages about it, above the on-screen keyboard.
import { $ } from '../base/dom.js';

/** Pixels between a field and the edge of the visible part of the page. */
const MARGIN = 12;
const FIELD = '.field, .code';

/** The height that the on-screen keyboard covers, in pixels; 0 while a person has zoomed. */
function coveredHeight() {
  const { height, scale } = visualViewport;
  return scale > 1 ? 0 : Math.max(0, Math.round(innerHeight - height));
}
/** The part of the page that holds a field with its note, and the failure of its form. */
function wantedPart(field) {
  const failure = $('.form-error:not([hidden])', field.closest('form') ?? field);
  const rects = [field, failure].filter(Boolean).map((node) => node.getBoundingClientRect());
  return {
    top: Math.min(...rects.map(({ top }) => top)) - MARGIN,
    bottom: Math.max(...rects.map(({ bottom }) => bottom)) + MARGIN,
  };
}
/** How far the page must scroll so that a part is visible; its top counts more than its end. */
function distanceTo({ top, bottom }) {
  const { offsetTop, height } = visualViewport;
  const below = bottom - (offsetTop + height);
  const toTop = top - offsetTop;
  if (toTop < 0) return toTop;
  return below > 0 ? Math.min(below, toTop) : 0;
}
/** Scrolls to the field that has the focus, if a form of the entrance has it. */
function showFocusedField() {
  const isEntrance = document.body.classList.contains('entrance');
  const field = isEntrance ? document.activeElement?.closest(FIELD) : null;
  if (!field || visualViewport.scale > 1) return;
  const distance = distanceTo(wantedPart(field));
  if (distance) scrollBy({ top: distance, behavior: 'instant' });
}
let isPlanned = false;
/** Shows the focused field after all changes of this moment, once. */
export function keepFieldInView() {
  if (isPlanned) return;
  isPlanned = true;
  requestAnimationFrame(() => {
    isPlanned = false;
    showFocusedField();
  });
}
/** Follows the on-screen keyboard and the focus, from now on. */
export function followKeyboard() {
  const onResize = () => {
    // The page gets as much longer as the keyboard covers: its end can be scrolled above it.
    document.documentElement.style.setProperty('--covered', `${coveredHeight()}px`);
    keepFieldInView();
  };
  visualViewport.addEventListener('resize', onResize);
  addEventListener('focusin', keepFieldInView);
}
