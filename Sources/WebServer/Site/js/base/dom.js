// The only way anything gets onto the page: createElement, textContent, CSSOM. No innerHTML, no inline style text.
import { t, unit } from './text.js';

const SVG = 'http://www.w3.org/2000/svg';

/** Whether a child or value is to be used: it is not `undefined`, `null` or `false`. */
export const isGiven = (value) => (value ?? false) !== false;
/** @param props attributes, properties and `on…` handlers; a text is the class */
function fill(node, props, children) {
  if (typeof props === 'string') node.setAttribute('class', props);
  else {for (const [key, value] of Object.entries(props || {})) {
      if (value === undefined || value === null) continue;
      if (key.startsWith('aria-')) {
        node.setAttribute(key, String(value));
        continue;
      }
      if (value === false) continue;
      if (key === 'vars') {
        for (const [name, v] of Object.entries(value)) node.style.setProperty('--' + name, v);
      } else if (key === 'data') {
        for (const [name, v] of Object.entries(value)) if (isGiven(v)) node.dataset[name] = v;
      } else if (key.startsWith('on')) node.addEventListener(key.slice(2).toLowerCase(), value);
      else if (key in PROPS && !(node instanceof SVGElement)) node[key] = value;
      else node.setAttribute(key, value === true ? '' : value);
    }}
  node.append(...children.flat(3).filter(isGiven));
  return node;
}
const PROPS = {
  value: 1,
  checked: 1,
  disabled: 1,
  hidden: 1,
  tabIndex: 1,
  htmlFor: 1,
  textContent: 1,
};

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
export const s = (tag, props, ...children) =>
  fill(document.createElementNS(SVG, tag), props, children);
/** A path with the class `kind`. */
export const shape = (kind, d) => s('path', { class: kind, d });
export const $ = (selector, root = document) => root.querySelector(selector);
export const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
/** Replaces the children of a node; `renew` then builds it anew in any case. */
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
 * Rebuilds what is in a node. The focus stays on its control, or goes to the new one of the same name, or else to
 * `other()`, or else to the node.
 */
export function keepFocus(node, rebuild, other) {
  const own = document.activeElement;
  if (own === node || !node.contains(own)) {
    rebuild();
    return;
  }
  const at = sameControls(node, own).indexOf(own);
  rebuild();
  const now = document.activeElement, same = sameControls(node, own);
  if (now !== document.body && (own.isConnected || !node.contains(now))) return;
  if (focusOn(own.isConnected ? own : same[Math.min(at, same.length - 1)]) || focusOn(other?.())) {
    return;
  }
  node.tabIndex = -1;
  focusOn(node);
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
export const uid = (stem = 'id') => `${stem}-${++counter}`;
export const clamp = (v, low, high) => Math.min(high, Math.max(low, v));
export const lerp = (a, b, t) => a + (b - a) * t;
export const isMotionReduced = () => document.documentElement.dataset.motion === 'still';

// 3725 → 1:02:05
export function clockText(seconds) {
  const t = Math.max(0, Math.floor(seconds));
  const hours = Math.floor(t / 3600),
    minutes = Math.floor(t / 60) % 60,
    rest = String(t % 60).padStart(2, '0');
  return hours ? `${hours}:${String(minutes).padStart(2, '0')}:${rest}` : `${minutes}:${rest}`;
}
const inUnits = (parts, isSpoken) =>
  parts.filter(([n]) => n).map(([n, name]) => unit(n, name, isSpoken)).join(' ');
// 3725 → 1 hour 2 minutes 5 seconds (for aria-valuetext)
export function spokenDuration(seconds) {
  const all = Math.max(0, Math.floor(seconds));
  return inUnits([[Math.floor(all / 3600), 'hour'], [Math.floor(all / 60) % 60, 'minute'], [
    all % 60,
    'second',
  ]], true) || unit(0, 'second', true);
}
// 3725 → 1 hr 2 min left
export function timeLeft(seconds) {
  const minutes = Math.round(seconds / 60);
  return t('time.left', {
    time: seconds < 60
      ? unit(Math.ceil(seconds), 'second')
      : inUnits([[Math.floor(minutes / 60), 'hour'], [minutes % 60, 'minute']]),
  });
}

// One polite and one assertive region per page; text is put in, read out and taken away.
export function announce(text, urgent = false) {
  const id = urgent ? 'say-now' : 'say';
  let region = document.getElementById(id);
  if (!region) {
    region = h('div', {
      id,
      class: 'sr',
      role: urgent ? 'alert' : 'status',
      'aria-live': urgent ? 'assertive' : 'polite',
    });
    document.body.append(region);
  }
  region.textContent = '';
  setTimeout(() => {
    region.textContent = text;
  }, 60);
}
