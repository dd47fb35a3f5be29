// Parts that several screens use: messages, sheets, questions, sliders, choices.
import {
  $,
  announce,
  ariaHidden,
  btn,
  clockText,
  focusOn,
  h,
  isGiven,
  keepFocus,
  sameControls,
  spokenDuration,
  timeLeft,
  uid,
} from '../base/dom.js';
import { icon } from '../base/icons.js';
import { cover, palette } from './cover.js';
import { withPicture } from './pictures.js';
import { device, devices, failureOf } from '../model/store.js';
import { describe, nameOf } from '../model/words.js';
import { hasText, language, sentence, t } from '../base/text.js';

/** The host of all toasts, one above the other. */
export const toasts = () =>
  $('.toasts') ??
    document.body.appendChild(h('div', { class: 'toasts', role: 'log', 'aria-live': 'off' }));
/** Says what happened, with at most one action; disappears after 4.5 s, with an action after 9 s. */
export function toast(text, action) {
  let timer;
  const stop = () => clearTimeout(timer),
    start = () => {
      stop();
      timer = setTimeout(() => node.remove(), action ? 9000 : 4500);
    };
  const node = h(
    'div',
    {
      class: 'toast',
      onpointerenter: stop,
      onfocusin: stop,
      onpointerleave: start,
      onfocusout: start,
    },
    icon(action?.icon || 'check'),
    h('p', {}, text, small(action?.detail)),
    action?.label
      ? btn('', () => {
        node.remove();
        action.run?.();
      }, action.label)
      : null,
  );
  toasts().append(node);
  announce(text);
  start();
}
/** Removes a dialog when it is closed. The focus returns to `from` or its replacement, unless something has it by then. */
const giveBack = (box, from) =>
  box.addEventListener('close', () => {
    const isLost = [null, document.body].includes(document.activeElement) ||
      box.contains(document.activeElement);
    box.remove();
    if (isLost && from) focusOn(from.isConnected ? from : sameControls($('#main'), from)[0]);
  });
/** A sheet from below on a phone, a panel at the side on a larger screen. Esc and a tap outside close it; focus goes back. */
export function sheet(title, ...content) {
  const from = document.activeElement,
    id = uid('sheet'),
    close = h('button', {
      class: 'btn icon quiet',
      'aria-label': t('do.close'),
      onclick: () => box.close(),
    }, icon('cross'));
  const box = h(
    'dialog',
    { class: 'sheet', 'aria-labelledby': id },
    ariaHidden('div', 'grip'),
    h(
      'div',
      'dialog-head',
      h('h2', { class: 'title-3', id, tabindex: -1, autofocus: true }, title),
      close,
    ),
    content,
  );
  box.addEventListener('click', (e) => {
    if (e.target === box) box.close();
  });
  giveBack(box, from);
  document.body.append(box);
  box.showModal();
  return box;
}
export function askQuestion(
  title,
  text,
  { yes = t('do.yes'), no = t('do.cancel'), danger, more, run } = {},
) {
  const from = document.activeElement,
    box = h(
      'dialog',
      { class: 'box', 'aria-labelledby': 'ask-title' },
      h('h2', { class: 'title-3', id: 'ask-title' }, title),
      h('p', 'soft', text),
      more,
      h(
        'div',
        'dialog-end',
        h('button', { class: 'btn quiet', autofocus: true, onclick: () => box.close() }, no),
        btn(danger ? 'danger' : 'primary', () => {
          box.close();
          run?.();
        }, yes),
      ),
    );
  giveBack(box, from);
  document.body.append(box);
  box.showModal();
}

/** A seek bar: a native range, "42 min left", spoken as a time. `set` moves it unless a finger holds it. */
export function seekBar({ label = t('player.place'), onseek, compact }) {
  const input = h('input', {
    class: 'range',
    type: 'range',
    min: 0,
    max: 1,
    step: 1,
    value: 0,
    'aria-label': label,
  });
  const past = h('span', 'num'), rest = h('b', 'num');
  const node = h(
    'div',
    'seek',
    h('div', 'way', input),
    compact ? null : h('div', 'times', past, rest),
  );
  let duration = 1, held = false, heldUntil = 0;
  const paint = () => {
    const at = Number(input.value);
    input.style.setProperty('--fill', Math.min(1, at / duration));
    past.textContent = clockText(at);
    rest.textContent = timeLeft(duration - at);
    input.setAttribute(
      'aria-valuetext',
      t('player.at', { time: spokenDuration(at), total: spokenDuration(duration) }),
    );
  };
  input.addEventListener('input', () => {
    held = true;
    paint();
  });
  for (const type of ['pointerup', 'pointercancel', 'blur']) {
    input.addEventListener(type, () => {
      held = false;
    });
  }
  // Until the player reports the new place, the bar stays where it was put.
  input.addEventListener('change', () => {
    held = false;
    heldUntil = performance.now() + 1500;
    onseek?.(Number(input.value));
  });
  return {
    node,
    input,
    set(position, length) {
      if (length && length !== duration) {
        duration = length;
        input.max = Math.round(length);
      }
      if (held || performance.now() < heldUntil) return;
      const next = String(Math.round(position));
      if (input.value !== next || !past.textContent) {
        input.value = next;
        paint();
      }
    },
    put(position) {
      input.value = Math.round(position);
      heldUntil = performance.now() + 1500;
      paint();
    },
  };
}
/** A range with its value in words. `set` moves it unless it was moved in the last 1.5 s, after a refusal in any case. */
export function slider({ label, min = 0, max = 100, step = 1, value: v, says, onchange, name }) {
  const out = h('output', { 'aria-hidden': 'true' }),
    input = h('input', {
      class: 'range',
      type: 'range',
      min,
      max,
      step,
      value: v,
      'aria-label': label,
      name,
    });
  const words = says || ((x) => `${x} %`),
    paint = () => {
      input.style.setProperty('--fill', (input.value - min) / (max - min));
      out.textContent = words(Number(input.value));
      input.setAttribute('aria-valuetext', words(Number(input.value)));
    };
  let heldUntil = 0;
  input.addEventListener('input', () => {
    heldUntil = performance.now() + 1500;
    paint();
    onchange?.(Number(input.value));
  });
  paint();
  return {
    node: h(
      'div',
      'slider',
      h('div', 'head', h('span', { 'aria-hidden': 'true' }, label), out),
      input,
    ),
    input,
    set(x, isRefusal) {
      if ((isRefusal || performance.now() > heldUntil) && Number(input.value) !== x) {
        input.value = x;
        paint();
      }
    },
  };
}
/** Returns a function that shows a choice and calls `onchange`; if that fails, it shows the last accepted choice again. */
function revertible(current, show, onchange) {
  let open = 0;
  show(current);
  return async (next) => {
    open++;
    show(next);
    try {
      await onchange(next);
      current = next;
    } catch (failure) {
      showFailure(failure);
    }
    if (!--open) show(current);
  };
}
/** One choice of several: radio pattern, arrows move, roving focus. */
export function segments(label, options, current, onchange) {
  const node = h(
    'div',
    { class: 'segments', role: 'radiogroup', 'aria-label': label },
    options.map(([id, text]) =>
      h('button', { role: 'radio', data: { id }, onclick: () => choose(id) }, text)
    ),
  );
  const chosen = () => node.querySelector('[aria-checked="true"]');
  node.set = (id) => {
    for (const b of node.children) {
      const is = b.dataset.id === id;
      b.setAttribute('aria-checked', is);
      b.tabIndex = is ? 0 : -1;
    }
    if (!chosen() && node.firstChild) node.firstChild.tabIndex = 0;
  };
  const choose = revertible(current, node.set, onchange);
  node.addEventListener('keydown', (e) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[e.key];
    if (!step) return;
    e.preventDefault();
    const i = options.findIndex(([id]) => id === chosen()?.dataset.id);
    choose(options[(i + step + options.length) % options.length][0]);
    chosen().focus();
  });
  return node;
}
/** `segments` below its label. */
export const choice = (label, ...rest) => [h('p', 'label', label), segments(label, ...rest)];
export function toggle(label, on, onchange, note) {
  const isOn = () => node.getAttribute('aria-checked') === 'true',
    node = h(
      'button',
      { class: 'switch', role: 'switch', onclick: () => choose(!isOn()) },
      h('span', {}, h('span', {}, label), note ? h('span', 'small block', note) : null),
      ariaHidden('span', 'knobway'),
    );
  const choose = revertible(!!on, (next) => node.setAttribute('aria-checked', next), onchange);
  return node;
}
/** How the state of a device is known, for its chip: `failed`, `off`, `unknown`, `assumed` or `reported`. */
export function provenanceChip(device) {
  if (failureOf(device) || device.availability === 'unavailable') return 'failed';
  if ([t('is.off'), t('is.up')].includes(describe(device))) return 'off';
  const ways = Object.values(device.state).map((x) => x.provenance);
  return ['unknown', 'assumed', 'reported'].find((way) => ways.includes(way)) ?? 'unknown';
}
export function chip(known, text) {
  return h('span', { class: 'chip', data: { known } }, ariaHidden('span', 'dot'), text);
}
export const coverOf = (title, kind, item) =>
  withPicture(ariaHidden('span', `cover ${kind}`, cover(title, { kind })), item);
// A cover has some dozens of nodes: all of a list at once would hold up its scrolling.
const COVERS_AT_ONCE = 3,
  undrawn = new Map(),
  whenIdle = globalThis.requestIdleCallback ?? ((run) => setTimeout(run, 30));
function drawCovers() {
  let left = COVERS_AT_ONCE;
  for (const [node, draw] of undrawn) {
    undrawn.delete(node);
    if (!node.isConnected) continue;
    node.append(draw());
    if (!(left -= 1)) break;
  }
  if (undrawn.size) whenIdle(drawCovers);
}
/** A cover that is drawn when the page has time, in a color of its title until then. */
export function lateCover(title, kind, item) {
  const node = ariaHidden('span', `cover ${kind}`);
  node.style.background = palette(title)[2];
  if (!undrawn.size) whenIdle(drawCovers);
  undrawn.set(node, () => cover(title, { kind }));
  return withPicture(node, item);
}
let around;
/** Colors the page after a title, unless it has that color already: a change restyles the whole page. */
export function ambient(title) {
  if (around === title) return;
  around = title;
  const [, mid, main, hot] = palette(title);
  for (const [name, color] of Object.entries({ a: main, b: mid, c: hot })) {
    document.documentElement.style.setProperty(`--glow-${name}`, color);
  }
}

/** The two lines of a row: a name, and details below it. */
export const twoLines = (name, ...sub) =>
  h('span', {}, h('span', 'name', name), h('span', 'sub', sub));
export const card = (text, id, inside, end) =>
  h(
    'section',
    { class: 'card', 'aria-labelledby': id },
    h('div', 'card-head', h('h2', { class: 'title-4', id }, text), end),
    inside,
  );
/** A row of settings: a name, a note below it, and the controls. */
export const setting = (name, sub, ...end) =>
  h(
    'div',
    'setting',
    h('span', {}, name, sub ? h('span', 'small block', sub) : null),
    h('span', 'setting-keys', end),
  );
/** The label with the visible text in front, unless it has that text: a voice command finds a control by what is seen. */
export const labeled = (
  text,
  label,
) => (label?.toLowerCase().includes(text.toLowerCase()) ? label : label && `${text}: ${label}`);
/** A plain button with a longer label for screen readers. */
export const quiet = (text, label, run) =>
  h('button', {
    class: 'btn quiet',
    'aria-label': labeled(text, label),
    onclick: ({ currentTarget }) => runAction(currentTarget, async () => run()),
  }, text);
export const heading = (title, ...more) =>
  h('header', 'page-head', h('h1', 'title-2', title), more);
export const section = (title, id, ...content) =>
  h(
    'section',
    { class: 'band', 'aria-labelledby': id },
    h('h2', { class: 'title-3', id }, title),
    content,
  );

/** Runs the action of a button, which is busy meanwhile. Shows a failure as a message; returns whether it succeeded. */
export async function runAction(button, action) {
  if (button?.getAttribute('aria-busy') === 'true') return false;
  button?.setAttribute('aria-busy', 'true');
  try {
    await action();
    return true;
  } catch (failure) {
    showFailure(failure);
    return false;
  } finally {
    button?.setAttribute('aria-busy', 'false');
  }
}
/** A button that is busy while its action runs. */
export const actionButton = (kind, action, ...children) =>
  btn(kind, (node) => runAction(node, action), ...children);
/** Shows a failure that needs no decision. */
export function showFailure(failure) {
  // The request is obsolete, for example because of the person's next press.
  if (failure.name === 'AbortError' || failure.code === 'cancelled') return;
  if (!(failure.status >= 0)) console.error(failure);
  const { detail, ...words } = failureWords(failure);
  toast(failureText(words), { icon: 'warn', detail });
}
/** An error card: what happened, where, and the buttons for the next step. */
export function errorCard(what, where, ...buttons) {
  return h(
    'div',
    { class: 'error-card', role: 'group', 'aria-label': what },
    icon('warn'),
    h('h2', {}, what),
    where ? h('p', 'where', where) : null,
    buttons.length ? h('div', 'next', buttons) : null,
  );
}
/** An error card after a failed request; `again` adds a button that tries again. */
export const failureCard = (what, failure, again) =>
  errorCard(
    what,
    [failureText({ ...failureWords(failure) }), small(failureWords(failure).detail)],
    ...(again ? [btn('primary', () => again(), t('do.retry'))] : []),
  );
/**
 * A failure in the reader's language. The controller explains in English: in other languages a text for the code
 * says what happened to which device, and the explanation is its `detail`.
 */
export function failureWords({ code, message, hint, device: id }) {
  const owner = device(id),
    name = owner ? `${nameOf(owner, devices())}: ` : '',
    key = `fault.${code}`;
  if (language === 'en' || !hasText(key)) return { message: name + sentence(message), hint };
  return { message: name + t(key), detail: failureText({ message, hint }) };
}
/** The message and the hint of a failure in one text. */
export const failureText = ({ message, hint }) =>
  [sentence(message), hint].filter(Boolean).join(' ');
/** The English explanation of a failure, in small print. */
export const small = (
  detail,
) => (detail ? h('span', { class: 'tiny block', lang: 'en' }, detail) : null);
/** Sends the newest of many values, at most ten a second, the last one always; without a value, drops what waits. */
export function throttle(sendValue, pause = 100) {
  let waiting, busy = false;
  const next = async () => {
    busy = true;
    while (waiting !== undefined) {
      const v = waiting;
      waiting = undefined;
      try {
        await sendValue(v);
      } catch (failure) {
        showFailure(failure);
      }
      await new Promise((done) => {
        setTimeout(done, pause);
      });
    }
    busy = false;
  };
  return (v) => {
    waiting = v;
    if (!busy) next();
  };
}
// A button that is replaced between down and up gets no click, so `renew` waits until a press is over.
let pressed = null, over;
const afterPress = new Map();
addEventListener('pointerdown', ({ target }) => {
  clearTimeout(over);
  pressed = target;
}, true);
addEventListener('pointerup', () => endPress(300), true); // a tap clicks a little later
for (const type of ['click', 'pointercancel']) addEventListener(type, () => endPress(0), true);
function endPress(delay) {
  clearTimeout(over);
  over = setTimeout(() => {
    pressed = null;
    const waiting = [...afterPress.values()];
    afterPress.clear();
    for (const run of waiting) run();
  }, delay);
}
/** Builds the children of a node anew only when `key` differs from the last time, and never under a pressed finger. */
export function rebuildIfChanged(node, key, build) {
  if (pressed && node.contains(pressed)) {
    afterPress.set(node, () => rebuildIfChanged(node, key, build));
    return;
  }
  if (node.renewedFor === key) return;
  node.renewedFor = key;
  keepFocus(node, () => node.replaceChildren(...[build()].flat(3).filter(isGiven)));
}
