// The second step of the setup of a device: its test, the question about the result, and what to
// check after a no.
import { btn, h, setChildren, setText } from '../base/dom.js';
import { announce } from '../base/messages.js';
import { icon } from '../base/icons.js';
import { get, path } from '../base/api.js';
import * as theater from '../model/store.js';
import { actionButton } from '../parts/actions.js';
import { small } from '../parts/cards.js';
import { errorCard, failureText, failureWords } from '../parts/failures.js';
import { toast } from '../parts/toasts.js';
import { testDevice } from '../parts/device-tests.js';
import { isSimulated, isTested, saveTested } from './setup-store.js';
import { sentence, t } from '../base/text.js';

/** The number of lines of a plugin's log that are shown. */
const LOG_LINES = 30;
/** Whether a test runs: two would use the same amplifier. */
let isTesting = false;

/** The step, which is its `node`. */
export class TestStep {
  /**
   * @param device its id, role and entry, with the shown `name` and the `cables` of devices.json
   * @param confirmed called when a person has seen or heard the device
   * @param restore makes the device a simulated one again
   */
  constructor(device, { name, cables, confirmed, restore }) {
    Object.assign(this, { device, name, cables, confirmed, restore, isRunning: false });
    this.status = h('p', { class: 'small', role: 'status' });
    this.answer = h('div', 'setup-answer');
    this.button = btn('primary', () => this.run(), icon('play'), t('setup.test'));
    this.node = h(
      'li',
      { class: 'setup-test', data: { done: isTested(device) ? '1' : null } },
      h('h3', 'title-4', t('setup.test')),
      h('p', 'small', t(`setup.does.${device.role}`)),
      h('div', 'control-keys', this.button),
      this.status,
      this.answer,
    );
  }
  /** Shows whether the device can be tested now. */
  paint() {
    const state = theater.device(this.device.id);
    const canTest = state?.availability === 'available' && isIdle() && !isTesting;
    this.button.setAttribute('aria-disabled', !canTest);
    if (this.isRunning) return;
    setText(this.status, statusText(this.device, state, this.name));
    // A device that cannot be tested needs the same help as one that did nothing.
    const isUnavailable = state?.availability === 'unavailable';
    if (isUnavailable && !this.answer.children.length) this.showHelp();
  }
  async run() {
    if (isTesting || this.button.getAttribute('aria-disabled') === 'true') return;
    this.setRunning(true);
    this.status.textContent = t('setup.testing');
    setChildren(this.answer);
    try {
      await testDevice(this.device.id, this.cables);
      this.ask();
    } catch (failure) {
      this.showHelp(failure);
    } finally {
      this.setRunning(false);
      theater.changed();
    }
  }
  setRunning(isRunning) {
    this.isRunning = isRunning;
    isTesting = isRunning;
    this.button.setAttribute('aria-busy', isRunning);
  }
  ask() {
    const text = t(`setup.ask.${this.device.role}`);
    const heading = h('h4', { class: 'title-4', id: 'setup-ask', tabindex: -1 }, text);
    const keys = h(
      'div',
      'control-keys',
      btn('primary', () => this.confirm(), icon('check'), t('do.yes')),
      btn('', () => this.deny(), icon('cross'), t('setup.no')),
    );
    const group = { class: 'setup-question', role: 'group', 'aria-labelledby': 'setup-ask' };
    setChildren(this.answer, h('div', group, heading, keys));
    heading.focus();
  }
  confirm() {
    saveTested(this.device);
    this.confirmed();
    setChildren(this.answer);
    this.node.dataset.done = '1';
    this.paint();
    toast(t('setup.works', { name: this.name }));
    this.button.focus();
  }
  deny() {
    this.showHelp();
    announce(t('setup.check'));
    this.button.focus();
  }
  showHelp(failure) {
    setChildren(this.answer, helpParts(this.device, failure, this.restore));
  }
}
const isIdle = () => theater.activity().status === 'idle';

function statusText(device, state, name) {
  switch (state?.availability) {
    case undefined:
    case 'starting':
      return t('control.starting');
    case 'available':
      if (!isIdle()) return t('setup.busy');
      return isTested(device) ? t('setup.works', { name }) : '';
    default:
      return [t('control.silent'), state.reason].filter(Boolean).map(sentence).join(' ');
  }
}

/** What to check: the failure of the test, the device's problem, the doctor's hints, the log. */
function helpParts(device, failure, restore) {
  const checks = h('div', 'setup-doctor');
  const log = h('div', {});
  showChecks(device, checks);
  showLog(device, log);
  return [checkCard(device, failure, restore), checks, log];
}
function checkCard(device, failure, restore) {
  const { reason, attributes } = theater.device(device.id) ?? {};
  const problem = attributes?.problem?.value;
  const words = failure && failureWords(failure);
  const facts = [
    words && failureText({ message: words.message, hint: words.hint }),
    reason && sentence(reason),
    problem && sentence(problem),
  ].filter(Boolean);
  const content = [
    t('setup.check'),
    facts.map((text) => h('span', 'small block', text)),
    small(words?.detail),
  ];
  const keys = isSimulated(device)
    ? []
    : [actionButton('', restore, icon('back'), t('setup.back'))];
  return errorCard(t('setup.checkTitle'), content, ...keys);
}
/** Shows the doctor's findings about a device and its plugin; without an answer, nothing. */
async function showChecks({ id, entry }, node) {
  const answer = await get('/doctor').catch(() => undefined);
  const subjects = [`device ${id}`, `plugin ${entry.plugin}`];
  const relevant = answer?.checks.filter(({ name, status }) =>
    status !== 'ok' && subjects.includes(name)
  );
  if (!relevant?.length) return;
  const rows = relevant.map(({ message, hint }) => {
    const text = failureText({ message, hint: hint && sentence(hint) });
    return h('p', { class: 'small', lang: 'en' }, text);
  });
  setChildren(node, h('p', 'label', t('doctor.title')), rows);
}
/** Shows the end of the plugin's log; without an answer, nothing. */
async function showLog({ id }, node) {
  const answer = await get(path`/devices/${id}/log`).catch(() => undefined);
  if (!answer) return;
  const text = answer.lines.slice(-LOG_LINES).join('\n') || t('plugin.quiet');
  const lines = h('pre', { class: 'log', tabindex: 0, 'aria-label': t('plugins.log') }, text);
  setChildren(node, h('details', 'more-state', h('summary', {}, t('plugins.log')), lines));
}
