// The frame of every screen: navigation, the bar of the current item, the offline notice.
import { $, h } from '../base/dom.js';
import * as theater from '../model/store.js';
import { followMediaKeys } from '../parts/media-keys.js';
import { followOthers } from '../parts/follow-others.js';
import { followVolumeKeys } from '../parts/volume.js';
import { ItemBar } from './frame-bar.js';
import { paintConnection, removeNotice } from './frame-connection.js';
import { mayOpen, navigation } from './frame-navigation.js';
import { t } from '../base/text.js';

/** Milliseconds between two updates of the remaining time. */
const TIME_PERIOD = 1000;
/** Pixels at the foot of the page without a dock. */
const LEAST_DOCK_HEIGHT = 16;

/** Builds the frame and begins to follow the theater. */
export async function begin(session, { go, exit }) {
  await theater.begin(session, exit);
  return new Frame(session, go);
}

class Frame {
  constructor(session, go) {
    this.screen = '';
    this.navigation = navigation(session);
    this.bar = new ItemBar();
    this.dock = h('div', 'dock', this.bar.node, this.navigation.tabs);
    this.dock.hidden = true;
    this.skipLink = skipLink();
    document.body.prepend(this.skipLink, this.navigation.rail);
    document.body.append(this.dock);
    this.size = new ResizeObserver(() => this.measureDock());
    this.size.observe(this.dock);
    this.stops = [
      theater.watch(() => this.paint(), TIME_PERIOD),
      followMediaKeys(),
      followVolumeKeys(),
      followOthers(go),
    ];
  }
  /** Whether this session may open a screen. */
  allows(screen) {
    return mayOpen(screen);
  }
  /**
   * Marks the connection as lost, and calls `action` when it is live again; returns a function that
   * ends the wait.
   */
  whenBack(action) {
    theater.lose();
    return theater.watch(() => {
      if (theater.store.connection === 'live') action();
    });
  }
  /** Marks a screen as the current one. */
  turnTo(screen) {
    this.screen = screen;
    this.navigation.mark(screen);
    this.paint();
    // The height of the dock is set at once, so that the content above it does not move.
    this.dock.hidden = false;
    this.measureDock();
  }
  end() {
    for (const stop of this.stops) stop();
    this.size.disconnect();
    theater.end();
    for (const node of [this.skipLink, this.navigation.rail, this.dock]) node.remove();
    this.measureDock();
    removeNotice();
    delete document.documentElement.dataset.connection;
    $('.toast.ask')?.remove();
  }
  paint() {
    this.navigation.update();
    this.bar.paint(this.screen);
    paintConnection();
  }
  measureDock() {
    const height = this.dock.offsetHeight || LEAST_DOCK_HEIGHT;
    document.documentElement.style.setProperty('--dock', `${height}px`);
  }
}
function skipLink() {
  const focusMain = (event) => {
    event.preventDefault();
    $('#main').focus();
  };
  return h('a', { class: 'skip', href: '#main', onclick: focusMain }, t('frame.skip'));
}
