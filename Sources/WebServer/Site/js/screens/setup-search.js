// The search for devices: its button, the access to the MQTT broker, progress and result.
import { btn, h, setChildren } from '../base/dom.js';
import { icon } from '../base/icons.js';
import { post } from '../base/api.js';
import { toggle } from '../parts/choices.js';
import { field, formError } from '../parts/forms.js';
import { withProof } from '../parts/form-sheet.js';
import { lastFindings, saveFindings } from './setup-store.js';
import { t } from '../base/text.js';

/** A field that the browser does not fill in. */
export const plainField = (label, name, more) =>
  field({ label: t(label), name, autocomplete: 'off', ...more });

/** The card of the search, which is its `node`. */
export class SearchCard {
  /** @param done called after each search that has ended with a result */
  constructor(done) {
    this.done = done;
    this.status = h('p', { class: 'small', role: 'status' });
    this.problems = h('ul', 'setup-problems');
    this.error = formError();
    this.broker = brokerForm();
    this.button = btn('primary', () => (this.search ? this.abort() : this.begin()));
    const heading = h('h2', { class: 'title-4', id: 'h-search' }, t('setup.search'));
    this.node = h(
      'section',
      { class: 'card setup-search', 'aria-labelledby': 'h-search' },
      h('div', 'card-head', heading, this.button),
      h('p', 'small', t('setup.searchAbout')),
      this.status,
      this.error.node,
      this.problems,
      this.broker.node,
    );
    this.paintButton();
    this.showResult();
  }
  /** Begins a search unless one runs, and focuses its button. */
  start() {
    if (!this.search) this.begin();
    this.button.focus();
  }
  abort() {
    this.search?.abort();
  }
  async begin() {
    this.search = new AbortController();
    const { signal } = this.search;
    this.error.hide();
    this.paintButton();
    this.status.textContent = t('setup.searching');
    setChildren(this.problems);
    const access = this.broker.read();
    try {
      saveFindings(await withProof(() => post('/discovery', access, { signal })));
      this.showResult();
      this.done();
    } catch (failure) {
      this.showFailure(failure);
    } finally {
      this.search = undefined;
      this.paintButton();
    }
  }
  paintButton() {
    const isRunning = !!this.search;
    const text = t(isRunning ? 'setup.stop' : 'setup.search');
    setChildren(this.button, icon(isRunning ? 'cross' : 'search'), text);
  }
  showResult() {
    const result = lastFindings();
    if (!result) return;
    this.status.textContent = t('setup.found', { count: result.findings.length });
    const rows = result.problems.map((text) => h('li', { class: 'tiny', lang: 'en' }, text));
    setChildren(this.problems, rows);
  }
  showFailure(failure) {
    const isAborted = failure.name === 'AbortError';
    this.status.textContent = isAborted ? t('setup.stopped') : '';
    if (!isAborted) this.error.show(failure);
  }
}

/** The access to an MQTT broker, folded away; `read()` returns it as the body of a search. */
function brokerForm() {
  const fields = {
    broker: plainField('setup.broker', 'broker', { note: t('setup.brokerNote') }),
    user: plainField('setup.user', 'user'),
    password: plainField('field.password', 'broker-password', {
      secret: true,
      note: t('setup.passwordNote'),
    }),
    caFile: plainField('setup.caFile', 'ca-file'),
  };
  let isEncrypted = false;
  const setEncrypted = (isOn) => {
    isEncrypted = isOn;
    fields.caFile.node.hidden = !isOn;
  };
  setEncrypted(false);
  const { broker, user, password, caFile } = fields;
  const encryption = toggle('TLS', isEncrypted, setEncrypted);
  const node = h(
    'details',
    'more-state',
    h('summary', {}, t('setup.brokerMore')),
    h('div', 'setup-broker', broker.node, user.node, password.node, encryption, caFile.node),
  );
  const read = () => {
    const access = {
      broker: broker.value.trim(),
      user: user.value.trim(),
      password: password.value,
      caFile: isEncrypted ? caFile.value.trim() : '',
    };
    const filled = Object.entries(access).filter(([, text]) => text);
    return { ...Object.fromEntries(filled), ...(isEncrypted && { tls: true }) };
  };
  return { node, read };
}
