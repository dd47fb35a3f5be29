// Setting up devices, one by one: search, choose what was found, see the difference, save, test.
import { btn, h, setChildren } from '../base/dom.js';
import { announce } from '../base/messages.js';
import { icon } from '../base/icons.js';
import { get, path } from '../base/api.js';
import * as theater from '../model/store.js';
import { heading } from '../parts/cards.js';
import { chip } from '../parts/chips.js';
import { failureCard, showFailure } from '../parts/failures.js';
import { saveSheet, simulated } from '../parts/configuration.js';
import { formatOnOneLine, withEntry, withNewEntry } from '../parts/configuration-text.js';
import { nameOf } from '../model/words.js';
import { choiceStep } from './setup-choice.js';
import { setupList } from './setup-list.js';
import { SearchCard } from './setup-search.js';
import { isSimulated } from './setup-store.js';
import { TestStep } from './setup-test.js';
import { t } from '../base/text.js';

export const title = () => t('setup.title');
/** Where the list and the device stand side by side. */
const WIDE = '(min-width: 1100px)';

export async function show(main, { again }) {
  let file;
  try {
    file = await readConfiguration();
  } catch (failure) {
    main.append(heading(title()), failureCard(t('editor.unread'), failure, again));
    return undefined;
  }
  const screen = new SetupScreen(file);
  main.append(heading(title(), screen.summary), screen.search.node, screen.split);
  screen.paint();
  screen.openDevice();
  const stopFollowing = theater.watch(() => screen.test?.paint());
  return () => {
    stopFollowing();
    screen.search.abort();
  };
}
/** Reads devices.json: its text with the `hash` of this version, its devices and cables. */
async function readConfiguration() {
  const { text, hash } = await get('/configuration');
  const { devices, cables = [] } = JSON.parse(text);
  const list = Object.entries(devices).map(([id, entry]) => ({
    id,
    role: entry.role,
    title: entry.title,
    entry,
  }));
  return { text, hash, cables, devices: list };
}

class SetupScreen {
  constructor(file) {
    this.file = file;
    this.current = new URLSearchParams(location.search).get('device');
    this.summary = h('p', 'soft');
    this.list = setupList({
      choose: (id) => this.choose(id),
      add: (role) => this.addDevice(role),
    });
    this.pane = h('section', { class: 'card setup-pane', 'aria-labelledby': 'setup-device' });
    this.split = h('div', 'device-split setup', this.list.node, this.pane);
    this.search = new SearchCard(() => this.showFindings());
  }
  get device() {
    return this.file.devices.find(({ id }) => id === this.current);
  }
  paint() {
    const { devices } = this.file;
    const count = devices.filter((one) => !isSimulated(one)).length;
    this.summary.textContent = t('setup.count', { count, total: devices.length });
    this.list.paint(devices, this.current);
  }
  showFindings() {
    this.paint();
    this.choice?.update();
  }

  choose(id) {
    const before = this.current;
    this.current = id;
    history.pushState({}, '', id ? path`/setup?device=${id}` : '/setup');
    this.paint();
    this.openDevice();
    if (!id) {
      this.list.focus(before);
      return;
    }
    const isAlone = !matchMedia(WIDE).matches;
    if (isAlone) scrollTo(0, 0);
    this.pane.querySelector('h2').focus({ preventScroll: isAlone });
  }
  /** Shows the two steps of the current device, or how to begin. */
  openDevice() {
    const { device } = this;
    this.choice = undefined;
    this.test = undefined;
    this.split.toggleAttribute('data-open', !!device);
    if (!device) {
      setChildren(this.pane, beginning());
      return;
    }
    const name = nameOf(device, this.file.devices);
    const restore = () => this.save(device, simulated);
    this.choice = choiceStep(device, {
      save: (change) => this.save(device, change),
      search: () => this.search.start(),
      restore,
    });
    this.test = new TestStep(device, {
      name,
      cables: this.file.cables,
      confirmed: () => this.paint(),
      restore,
    });
    const back = btn(
      'quiet setup-back',
      () => this.choose(undefined),
      icon('arrowBack'),
      t('setup.all'),
    );
    const steps = h('ol', 'setup-steps', this.choice.node, this.test.node);
    setChildren(this.pane, back, deviceHead(device, name), steps);
    this.test.paint();
  }

  /** Adds a simulated device of a role to devices.json. */
  async addDevice(role) {
    this.file = await readConfiguration();
    const { text, hash, devices } = this.file;
    let id = role;
    while (devices.some((one) => one.id === id)) id += '2';
    await saveSheet({
      text: withNewEntry(text, id, { role, plugin: 'Simulated' }),
      hash,
      done: () => this.finishSaving(() => this.choose(id)),
    });
  }
  /**
   * Shows what another entry of a device changes, and saves it.
   * @param change makes the entry from the present one
   */
  async save({ id, role }, change) {
    // The file as it is now: it may have been edited since.
    this.file = await readConfiguration();
    const { text, hash, devices } = this.file;
    const device = devices.find((one) => one.id === id && one.role === role);
    if (!device) {
      this.redraw();
      throw Object.assign(new Error(t('setup.gone')), { status: 0 });
    }
    const entry = change(device.entry);
    const newText = withEntry(text, id, entry);
    if (newText === text) {
      this.redraw();
      return;
    }
    await saveSheet({
      text: newText,
      hash,
      more: entryDifference(device.entry, entry),
      done: () => this.finishSaving(() => this.showSaved(id)),
    });
  }
  /** Reads the file again after it was saved. */
  async finishSaving(next) {
    announce(t('editor.saved'));
    try {
      this.file = await readConfiguration();
    } catch (failure) {
      showFailure(failure);
      return;
    }
    next();
  }
  showSaved(id) {
    this.paint();
    // Another device may have been chosen meanwhile.
    if (this.current !== id) {
      this.choice?.update();
      return;
    }
    this.openDevice();
    this.pane.querySelector('.setup-test .btn')?.focus();
  }
  redraw() {
    this.paint();
    this.openDevice();
  }
}

const beginning = () => [
  h('h2', { class: 'title-4', id: 'setup-device' }, t('setup.begin')),
  h('p', 'soft', t('setup.beginNote')),
];
const deviceHead = (device, name) =>
  h(
    'div',
    'card-head',
    h('h2', { class: 'title-3', id: 'setup-device', tabindex: -1 }, name),
    isSimulated(device) ? chip('off', t('setup.simulated')) : chip('reported', device.entry.plugin),
  );
const entryDifference = (before, after) => [
  h('p', 'label', t('setup.entry')),
  h(
    'pre',
    { class: 'log setup-entry', tabindex: 0, 'aria-label': t('setup.entry') },
    h('del', {}, formatOnOneLine(before)),
    '\n',
    h('ins', {}, formatOnOneLine(after)),
  ),
];
