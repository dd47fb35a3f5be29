// The notice without a live connection: its reason, and the age of the shown state. Meanwhile most
// controls are disabled.
import { $, announce, ariaHidden, btn, focusOn, h, setText } from '../base/dom.js';
import { icon } from '../base/icons.js';
import * as theater from '../model/store.js';
import { ago } from '../model/words.js';
import { t } from '../base/text.js';

/** Shows the notice, or removes it once the connection is live. */
export function paintConnection() {
  const { connection } = theater.store;
  setLocked(connection === 'lost');
  let notice = $('.offline');
  const isOutdated = notice && notice.dataset.connection !== connection;
  if (isOutdated) {
    notice.remove();
    notice = undefined;
    if (connection === 'live') announce(t('offline.back'));
  }
  if (connection === 'live') return;
  notice ??= makeNotice(connection);
  const main = $('#main');
  const isInPlace = notice.isConnected && notice.parentNode === main;
  if (!isInPlace) main?.prepend(notice);
  const seconds = Math.max(0, (Date.now() - theater.store.lostSince) / 1000);
  setText($('.age', notice), t('offline.age', { ago: ago(seconds) }));
}
export function removeNotice() {
  $('.offline')?.remove();
}
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
