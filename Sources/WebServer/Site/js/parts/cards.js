// The layout of screens: headings, sections, cards, and rows in lists.
import { h } from '../base/dom.js';

export const heading = (title, ...more) =>
  h('header', 'page-head', h('h1', 'title-2', title), more);

export const section = (title, id, ...content) =>
  h(
    'section',
    { class: 'band', 'aria-labelledby': id },
    h('h2', { class: 'title-3', id }, title),
    content,
  );

/** @param id of the heading; @param end what stands at the end of the heading's line */
export const card = (title, id, content, end) =>
  h(
    'section',
    { class: 'card', 'aria-labelledby': id },
    h('div', 'card-head', h('h2', { class: 'title-4', id }, title), end),
    content,
  );

/** The two lines of a row: a name, and details below it. */
export const twoLines = (name, ...details) =>
  h('span', {}, h('span', 'name', name), h('span', 'sub', details));

/** A row of settings: a name, a note below it, and the controls. */
export const setting = (name, note, ...controls) =>
  h(
    'div',
    'setting',
    h('span', {}, name, note ? h('span', 'small block', note) : null),
    h('span', 'setting-keys', controls),
  );

/** The English explanation of a failure, in small print. */
export const small = (detail) =>
  detail ? h('span', { class: 'tiny block', lang: 'en' }, detail) : null;
