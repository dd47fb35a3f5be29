// Makes elements from values: createElement, textContent and the CSSOM. Nothing else puts anything
// onto the page: no innerHTML, no inline style text.

const SVG = 'http://www.w3.org/2000/svg';

/** Whether a child or value is to be used: it is not `undefined`, `null` or `false`. */
export const isGiven = (value) => (value ?? false) !== false;
const PROPERTIES = new Set([
  'value',
  'checked',
  'disabled',
  'hidden',
  'tabIndex',
  'htmlFor',
  'textContent',
]);

/** @param props attributes, properties and `on…` handlers; a text is the class */
function fill(node, props, children) {
  const given = typeof props === 'string' ? { class: props } : props ?? {};
  for (const [key, value] of Object.entries(given)) setProp(node, key, value);
  node.append(...children.flat(3).filter(isGiven));
  return node;
}
function setProp(node, key, value) {
  if (value === undefined || value === null) return;
  if (key.startsWith('aria-')) node.setAttribute(key, String(value));
  else if (value === false) return;
  else if (key === 'vars') setVariables(node, value);
  else if (key === 'data') setData(node, value);
  else if (key.startsWith('on')) node.addEventListener(key.slice(2).toLowerCase(), value);
  else if (PROPERTIES.has(key) && !(node instanceof SVGElement)) node[key] = value;
  else node.setAttribute(key, value === true ? '' : value);
}
function setVariables(node, variables) {
  for (const [name, value] of Object.entries(variables)) node.style.setProperty(`--${name}`, value);
}
function setData(node, data) {
  for (const [name, value] of Object.entries(data)) {
    if (isGiven(value)) node.dataset[name] = value;
  }
}

/** Makes an element. A button submits no form unless its `type` says so. */
export function h(tag, props, ...children) {
  const node = document.createElement(tag);
  if (tag === 'button') node.type = 'button';
  return fill(node, props, children);
}
/** An element that screen readers skip; `name` is its class. */
export const ariaHidden = (tag, name, ...children) =>
  h(tag, { class: name, 'aria-hidden': 'true' }, children);
/** A button with the classes in `kind`; a press calls `run` with the button. */
export const btn = (kind, run, ...children) =>
  h('button', { class: `btn ${kind}`, onclick: (event) => run(event.currentTarget) }, children);
/** A button that submits the form around it. */
export const submitBtn = (kind, ...children) =>
  h('button', { class: `btn primary ${kind}`, type: 'submit' }, children);
/** Makes an SVG element. */
export const s = (tag, props, ...children) =>
  fill(document.createElementNS(SVG, tag), props, children);
/** A path with the class `kind`. */
export const shape = (kind, d) => s('path', { class: kind, d });
export const $ = (selector, root = document) => root.querySelector(selector);
export const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
/** The fields in which a person types or chooses; keys are meant for the one with the focus. */
export const TEXT_FIELDS = 'input:not([type=range]), textarea, select';
/** Replaces the children of a node; rebuildIfChanged() then builds it anew in any case. */
export const setChildren = (node, ...children) => {
  node.renewedFor = null;
  keepFocus(node, () => node.replaceChildren(...children.flat(3).filter(Boolean)));
  return node;
};

const nameOf = ({ dataset, ariaLabel, textContent }) =>
  dataset.focus ?? dataset.item ?? ariaLabel ?? textContent;
/** The controls within a node that have the kind and the name of another. */
export const sameControls = (node, other) =>
  $$(other.localName, node).filter((one) => nameOf(one) === nameOf(other));
/** Focuses a control without scrolling; returns whether it has the focus then. */
export const focusOn = (control) => {
  control?.focus({ preventScroll: true });
  return !!control && control === document.activeElement;
};
/**
 * Rebuilds what is in a node. The focus stays on its control, or goes to the new one of the same
 * name, or else to `other()`, or else to the node.
 */
export function keepFocus(node, rebuild, other) {
  const focused = document.activeElement;
  if (focused === node || !node.contains(focused)) {
    rebuild();
    return;
  }
  const index = sameControls(node, focused).indexOf(focused);
  rebuild();
  const next = document.activeElement;
  const isFocusSet = next !== document.body && (focused.isConnected || !node.contains(next));
  if (isFocusSet) return;
  const same = sameControls(node, focused);
  const replacement = focused.isConnected ? focused : same[Math.min(index, same.length - 1)];
  if (focusOn(replacement) || focusOn(other?.())) return;
  node.tabIndex = -1;
  focusOn(node);
}

/** Shows or hides a node. What has the focus within a hidden one gives it to the screen. */
export function setHidden(node, isHidden) {
  if (isHidden && !node.hidden && node.contains(document.activeElement)) focusOn($('#main'));
  node.hidden = isHidden;
}

/** Sets a text only if it differs, because the browser lays out every text that is set. */
export const setText = (node, text) => {
  if (node.textContent !== text) node.textContent = text;
};

/** Returns a function that calls `load` once, and again after a failure. */
export const loadOnce = (load) => {
  let loaded;
  return () => (loaded ??= load().catch((failure) => {
    loaded = undefined;
    throw failure;
  }));
};

let counter = 0;
/** Returns an id that no other element has. */
export const uid = (stem = 'id') => `${stem}-${++counter}`;
export const clamp = (value, low, high) => Math.min(high, Math.max(low, value));
/** The value between two others, at a share from 0 to 1. */
export const lerp = (from, to, share) => from + (to - from) * share;
export const isMotionReduced = () => document.documentElement.dataset.motion === 'still';
