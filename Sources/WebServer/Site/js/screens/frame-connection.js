// The notice without a live connection: its reason, and the age of the shown state. Meanwhile most
// controls are disabled.
import { $, ariaHidden, btn, focusOn, h, setText } from '../base/dom.js';
import { icon } from '../base/icons.js';
import { announce, messageLayer } from '../base/messages.js';
import * as theater from '../model/store.js';
import { ago } from '../model/words.js';
import { t } from '../base/text.js';

/** Pixels between the notice and what is below it. */
const NOTICE_GAP = 12;
let size;

/** Shows the notice, or removes it once the connection is live. */
export function paintConnection() {
  const { connection } = theater.store;
  setLocked(connection === 'lost');
  document.documentElement.dataset.connection = connection;
  const notice = $('.offline');
  const isOutdated = notice && notice.dataset.connection !== connection;
  if (isOutdated) {
    removeNotice();
    if (connection === 'live') announce(t('offline.back'));
  }
  if (connection !== 'live') showNotice(connection);
}
function showNotice(connection) {
  const notice = $('.offline') ?? addNotice(connection);
  const { status, lostSince } = theater.store;
  const seconds = Math.max(0, (Date.now() - lostSince) / 1000);
  const age = status ? t('offline.age', { ago: ago(seconds) }) : t('offline.unknown');
  setText($('.age', notice), age);
}
function addNotice(connection) {
  const notice = makeNotice(connection);
  messageLayer().append(notice);
  // Screens and sheets leave the place of the notice free.
  size = new ResizeObserver(() => setNoticeHeight(notice.offsetHeight + NOTICE_GAP));
  size.observe(notice);
  return notice;
}
export function removeNotice() {
  $('.offline')?.remove();
  size?.disconnect();
  setNoticeHeight(0);
}
const setNoticeHeight = (height) =>
  document.documentElement.style.setProperty('--notice', `${height}px`);
function makeNotice(connection) {
  const isFull = connection === 'full';
  const reason = t(isFull ? 'error.tooManyStreams' : 'offline.title');
  const words = h(
    'p',
    {},
    h('b', {}, reason, ' '),
    isFull ? `${t('error.tooManyStreams.hint')} ` : null,
    ariaHidden('span', 'age'),
  );
  return h(
    'div',
    { class: 'offline', role: 'status', data: { connection } },
    icon('wifiOff'),
    words,
    btn('', theater.retry, t('offline.try')),
  );
}

/** What works without a connection: the notice, the heads of dialogs, the browser's settings. */
const USABLE = [
  '.offline',
  '.dialog-head',
  '.card[aria-labelledby=h-look]',
  '.card[aria-labelledby=h-playing]',
].map((selector) => `${selector} *`).join();
const LOCKABLE = `:is(#main,.mini,dialog) :is(button,input,select):enabled:not(${USABLE})`;
const LOCKED = '[data-lost]';
/** The control that had the focus when it was disabled. */
let lockedFocus;

/** Disables the controls that need the controller, or enables them again. */
function setLocked(isLocked) {
  const focused = document.activeElement;
  for (const control of document.querySelectorAll(isLocked ? LOCKABLE : LOCKED)) {
    if (isLocked && control === focused) lockedFocus = control;
    control.disabled = isLocked;
    control.toggleAttribute('data-lost', isLocked);
  }
  if (isLocked) return;
  if (focused === document.body) focusOn(lockedFocus);
  lockedFocus = undefined;
}
