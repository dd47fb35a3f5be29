// Setting up devices, one by one: search, choose what was found, see the difference, save, test.
import { announce, btn, h, setChildren } from '../base/dom.js';
import { icon } from '../base/icons.js';
import { get, path, post, send } from '../base/api.js';
import * as theater from '../model/store.js';
import {
  actionButton,
  chip,
  errorCard,
  failureCard,
  failureText,
  failureWords,
  heading,
  rebuildIfChanged,
  showFailure,
  small,
  toast,
  toggle,
  twoLines,
} from '../parts/parts.js';
import { field, formError } from '../parts/forms.js';
import { withProof } from '../parts/form-sheet.js';
import { testDevice } from '../parts/device-tests.js';
import {
  line,
  merged,
  saveSheet,
  secretsIn,
  simulated,
  withEntry,
  withNewEntry,
} from '../parts/configuration.js';
import { ICONS, nameOf } from '../model/words.js';
import { sentence, t } from '../base/text.js';

export const title = () => t('setup.title');
/** The answer of the last search, with the session that searched. */
let last;
/** The entries whose test was answered with yes in this browser. */
const KEPT = 'theater-tested';
/** The stored entries; none if the browser stores nothing, or no JSON. */
function stored() {
  try {
    return JSON.parse(localStorage.getItem(KEPT)) ?? {};
  } catch {
    return {};
  }
}
function store(entries) {
  try {
    localStorage.setItem(KEPT, JSON.stringify(entries));
  } catch { /* Then only this step shows the result, until it is drawn again. */ }
}
const isTested = ({ id, entry }) => stored()[id] === line(entry);
const isSimulated = ({ entry }) => entry.plugin === 'Simulated';
const found = () => (last?.of === theater.store.session ? last : undefined);
const fitting = ({ entry }) =>
  found()?.findings.filter((one) => one.roles.includes(entry.role)) ?? [];

export async function show(main, { again }) {
  const summary = h('p', 'soft'),
    list = h('ul', { class: 'device-list', 'aria-label': t('devices.title') }),
    pane = h('section', { class: 'card setup-pane', 'aria-labelledby': 'setup-device' });
  const split = h('div', 'device-split setup', list, pane),
    search = searchCard(() => {
      paint();
      fill();
    });
  let file, current = new URLSearchParams(location.search).get('device'), live, fill;
  const load = async () => {
    const { text, hash } = await get('/configuration'), { devices, cables = [] } = JSON.parse(text);
    file = {
      text,
      hash,
      cables,
      devices: Object.entries(devices).map(([id, entry]) => ({ id, role: entry.role, entry })),
    };
  };
  try {
    await load();
  } catch (failure) {
    main.append(heading(title()), failureCard(t('editor.unread'), failure, again));
    return undefined;
  }
  main.append(heading(title(), summary), search.node, split);

  const nameOfOne = (one) => nameOf(one, file.devices);
  function paint() {
    summary.textContent = t('setup.count', {
      count: file.devices.filter((one) => !isSimulated(one)).length,
      total: file.devices.length,
    });
    rebuildIfChanged(
      list,
      JSON.stringify([current, file.devices, found(), stored()]),
      () =>
        Object.keys(ICONS).flatMap((role) => {
          const all = file.devices.filter((one) => one.role === role);
          return all.length ? all.map(row) : missingRow(role);
        }),
    );
  }
  function row(one) {
    const count = fitting(one).length, real = !isSimulated(one);
    const state = isTested(one)
      ? chip('reported', t('setup.tested'))
      : real
      ? chip('assumed', t('setup.untested'))
      : count
      ? chip('unknown', t('setup.fits', { count }))
      : null;
    return h(
      'li',
      {},
      h(
        'button',
        {
          class: 'row device-row',
          'aria-current': one.id === current,
          data: { focus: one.id },
          onclick: () => choose(one.id),
        },
        h('span', { class: 'device-icon', data: { on: real ? '1' : null } }, icon(ICONS[one.role])),
        twoLines(nameOfOne(one), real ? one.entry.plugin : t('setup.simulated')),
        h('span', 'end', state),
      ),
    );
  }
  function missingRow(role) {
    const name = t(`device.${role}`),
      add = actionButton('', () => addDevice(role), icon('plus'), t('setup.add'));
    add.setAttribute('aria-label', `${t('setup.add')}: ${name}`);
    return h(
      'li',
      'row device-row',
      h('span', 'device-icon', icon(ICONS[role])),
      twoLines(name, t('setup.missing')),
      h('span', 'end', add),
    );
  }
  /** Adds a simulated device of a role to the configuration. */
  async function addDevice(role) {
    await load();
    const entry = { role, plugin: 'Simulated' };
    let id = role;
    while (file.devices.some((one) => one.id === id)) id += '2';
    await saveSheet({
      text: withNewEntry(file.text, id, entry),
      hash: file.hash,
      done: () => saved(() => choose(id)),
    });
  }
  /** Reads the file again after it was saved. */
  async function saved(next) {
    announce(t('editor.saved'));
    try {
      await load();
    } catch (failure) {
      showFailure(failure);
      return;
    }
    next();
  }
  function choose(id) {
    const before = current;
    current = id;
    history.pushState({}, '', id ? path`/setup?device=${id}` : '/setup');
    paint();
    open();
    if (!id) {
      list.querySelector(`[data-focus="${CSS.escape(before)}"]`)?.focus();
      return;
    }
    const isAlone = !matchMedia('(min-width: 1100px)').matches;
    if (isAlone) scrollTo(0, 0);
    pane.querySelector('h2').focus({ preventScroll: isAlone });
  }
  function open() {
    const one = file.devices.find((other) => other.id === current);
    live = fill = () => {};
    split.toggleAttribute('data-open', !!one);
    if (!one) {
      setChildren(
        pane,
        h('h2', { class: 'title-4', id: 'setup-device' }, t('setup.begin')),
        h('p', 'soft', t('setup.beginNote')),
      );
      return;
    }
    const back = btn(
      'quiet setup-back',
      () => choose(undefined),
      icon('arrowBack'),
      t('setup.all'),
    );
    const first = chooseStep(one),
      test = testStep(one, {
        file,
        name: nameOfOne(one),
        answered,
        restore: () => save(one, simulated),
      });
    setChildren(
      pane,
      back,
      h(
        'div',
        'card-head',
        h('h2', { class: 'title-3', id: 'setup-device', tabindex: -1 }, nameOfOne(one)),
        chip(
          isSimulated(one) ? 'off' : 'reported',
          isSimulated(one) ? t('setup.simulated') : one.entry.plugin,
        ),
      ),
      h('ol', 'setup-steps', first.node, test.node),
    );
    ({ fill } = first);
    live = test.paint;
    live();
  }
  function answered(one) {
    store({ ...stored(), [one.id]: line(one.entry) });
    paint();
  }

  /** The step with the findings; `fill()` shows those of a newer search, and keeps passwords that are being typed. */
  function chooseStep(one) {
    const inside = h('div', 'setup-inside'), boxes = {};
    let shown = [];
    const isTyped = ({ id }) => Object.values(boxes[id] ?? {}).some((box) => box.value);
    function fill() {
      const findings = fitting(one);
      // The newest search may have missed a device whose password is being typed.
      findings.push(
        ...shown.filter((old) => isTyped(old) && !findings.some(({ id }) => id === old.id)),
      );
      shown = findings;
      rebuildIfChanged(
        inside,
        JSON.stringify([!!found(), shown]),
        () => (shown.length
          ? h(
            'ul',
            'setup-findings',
            shown.map((finding) => findingRow(one, finding, boxes[finding.id] ??= {})),
          )
          : [
            h('p', 'small', t(found() ? 'setup.none' : 'setup.notYet')),
            h(
              'div',
              'control-keys',
              found()
                ? h(
                  'a',
                  { class: 'btn', href: '/configuration' },
                  icon('settings'),
                  t('editor.title'),
                )
                : btn('', () => search.start(), icon('search'), t('setup.search')),
            ),
          ]),
      );
    }
    fill();
    return {
      fill,
      node: h(
        'li',
        { data: { done: isSimulated(one) ? null : '1' } },
        h('h3', 'title-4', t('setup.choose')),
        inside,
        isSimulated(one)
          ? null
          : actionButton('quiet', () => save(one, simulated), icon('back'), t('setup.back')),
      ),
    };
  }
  /** @param boxes its password fields by secret */
  function findingRow(one, finding, boxes) {
    const change = (entry) => merged(entry, finding.entries[one.role]),
      isUsed = line(change(one.entry)) === line(one.entry);
    const secrets = isUsed ? [] : secretsIn(finding.entries[one.role].options).map((name) => ({
      name,
      box: boxes[name] ??= plainField('setup.secret', 'secret', { secret: true }),
    }));
    const use = actionButton('', async () => {
      await saveSecrets(secrets);
      await save(one, change);
    }, t('setup.use'));
    use.setAttribute('aria-label', t('setup.useOne', { title: finding.title }));
    return h(
      'li',
      {},
      h(
        'div',
        { lang: 'en' },
        h('b', 'block', finding.title),
        h('span', 'small block', finding.place),
        finding.notes.map((note) => h('p', 'small', note)),
      ),
      secrets.map(({ box }) => box.node),
      isUsed ? chip('reported', t('setup.used')) : use,
    );
  }
  /** Keeps the passwords that were typed; the entries name them alone. */
  async function saveSecrets(secrets) {
    for (const { name, box } of secrets.filter((one) => one.box.value)) {
      await withProof(() => send('PUT', path`/secrets/${name}`, { text: box.value }));
      box.clear();
    }
  }
  /** Shows what another entry of a device changes, and saves it. @param change makes the entry from the present one */
  async function save({ id, role }, change) {
    // The file as it is now: it may have been edited since.
    await load();
    const one = file.devices.find((other) => other.id === id && other.role === role);
    if (!one) {
      paint();
      open();
      throw Object.assign(new Error(t('setup.gone')), { status: 0 });
    }
    const entry = change(one.entry), text = withEntry(file.text, id, entry);
    if (text === file.text) {
      paint();
      open();
      return;
    }
    await saveSheet({
      text,
      hash: file.hash,
      more: [
        h('p', 'label', t('setup.entry')),
        h(
          'pre',
          { class: 'log setup-entry', tabindex: 0, 'aria-label': t('setup.entry') },
          h('del', {}, line(one.entry)),
          '\n',
          h('ins', {}, line(entry)),
        ),
      ],
      done: () =>
        saved(() => {
          paint();
          // Another device may have been chosen meanwhile.
          if (current !== id) {
            fill();
            return;
          }
          open();
          pane.querySelector('.setup-test .btn')?.focus();
        }),
    });
  }
  paint();
  open();
  const unwatch = theater.watch(() => live());
  return () => {
    unwatch();
    search.end();
  };
}

/** A field that the browser does not fill in. */
const plainField = (label, name, more) =>
  field({ label: t(label), name, autocomplete: 'off', ...more });

/** The search with its form, progress and result. */
function searchCard(done) {
  const told = h('p', { class: 'small', role: 'status' }),
    problems = h('ul', 'setup-problems'),
    error = formError();
  const broker = plainField('setup.broker', 'broker', { note: t('setup.brokerNote') }),
    user = plainField('setup.user', 'user');
  const password = plainField('field.password', 'broker-password', {
    secret: true,
    note: t('setup.passwordNote'),
  });
  const caFile = plainField('setup.caFile', 'ca-file');
  let isEncrypted = false;
  const tls = toggle('TLS', false, (on) => {
    isEncrypted = on;
    caFile.node.hidden = !on;
  });
  caFile.node.hidden = true;
  const more = h(
    'details',
    'more-state',
    h('summary', {}, t('setup.brokerMore')),
    h('div', 'setup-broker', broker.node, user.node, password.node, tls, caFile.node),
  );
  const start = btn(
    'primary',
    () => (search ? search.abort() : begin()),
    icon('search'),
    t('setup.search'),
  );
  const node = h(
    'section',
    { class: 'card setup-search', 'aria-labelledby': 'h-search' },
    h('div', 'card-head', h('h2', { class: 'title-4', id: 'h-search' }, t('setup.search')), start),
    h('p', 'small', t('setup.searchAbout')),
    told,
    error.node,
    problems,
    more,
  );
  let search;
  const words = (text) => {
    told.textContent = text;
  };
  const turn = (on) =>
    setChildren(start, icon(on ? 'cross' : 'search'), t(on ? 'setup.stop' : 'setup.search'));
  function paint() {
    const result = found();
    if (!result) return;
    words(t('setup.found', { count: result.findings.length }));
    setChildren(
      problems,
      result.problems.map((text) => h('li', { class: 'tiny', lang: 'en' }, text)),
    );
  }
  async function begin() {
    search = new AbortController();
    error.hide();
    turn(true);
    words(t('setup.searching'));
    setChildren(problems);
    const login = Object.entries({ broker, user, password, ...(isEncrypted && { caFile }) }).map((
      [key, one],
    ) => [key, one === password ? one.value : one.value.trim()]).filter(([, text]) => text);
    try {
      const answer = await withProof(() =>
        post('/discovery', { ...Object.fromEntries(login), ...(isEncrypted && { tls: true }) }, {
          signal: search.signal,
        })
      );
      last = { ...answer, of: theater.store.session };
      paint();
      done();
    } catch (failure) {
      words(failure.name === 'AbortError' ? t('setup.stopped') : '');
      if (failure.name !== 'AbortError') error.show(failure);
    } finally {
      search = undefined;
      turn(false);
    }
  }
  paint();
  return {
    node,
    start: () => {
      if (!search) begin();
      start.focus();
    },
    end: () => search?.abort(),
  };
}

/** Whether a test runs: two would use the same amplifier. */
let isTesting = false;
/** The test of a device, its question, and what to check after a no. */
function testStep(one, { file, name, answered, restore }) {
  const { id, role } = one,
    told = h('p', { class: 'small', role: 'status' }),
    host = h('div', 'setup-answer'),
    doing = h('p', 'small', t(`setup.does.${role}`));
  const button = btn('primary', run, icon('play'), t('setup.test')),
    node = h(
      'li',
      { class: 'setup-test', data: { done: isTested(one) ? '1' : null } },
      h('h3', 'title-4', t('setup.test')),
      doing,
      h('div', 'control-keys', button),
      told,
      host,
    );
  let isRunning = false;
  function paint() {
    const device = theater.device(id),
      isReady = device?.availability === 'available',
      isIdle = theater.activity().status === 'idle';
    button.setAttribute('aria-disabled', !isReady || !isIdle || isTesting);
    if (isRunning) return;
    const words = !device || device.availability === 'starting'
      ? t('control.starting')
      : !isReady
      ? [t('control.silent'), device.reason].filter(Boolean).map(sentence).join(' ')
      : !isIdle
      ? t('setup.busy')
      : isTested(one)
      ? t('setup.works', { name })
      : '';
    if (told.textContent !== words) told.textContent = words;
    // A device that cannot be tested needs the same help as one that did nothing.
    if (device?.availability === 'unavailable' && !host.children.length) help();
  }
  async function run() {
    if (isTesting || button.getAttribute('aria-disabled') === 'true') return;
    isRunning = true;
    isTesting = true;
    button.setAttribute('aria-busy', 'true');
    told.textContent = t('setup.testing');
    setChildren(host);
    try {
      await testDevice(id, file.cables);
      ask();
    } catch (failure) {
      help(failure);
    } finally {
      isRunning = false;
      isTesting = false;
      button.setAttribute('aria-busy', 'false');
      theater.changed();
    }
  }
  function ask() {
    const yes = btn(
      'primary',
      () => {
        answered(one);
        setChildren(host);
        node.dataset.done = '1';
        paint();
        toast(t('setup.works', { name }));
        button.focus();
      },
      icon('check'),
      t('do.yes'),
    );
    setChildren(
      host,
      h(
        'div',
        { class: 'setup-question', role: 'group', 'aria-labelledby': 'setup-ask' },
        h('h4', { class: 'title-4', id: 'setup-ask', tabindex: -1 }, t(`setup.ask.${role}`)),
        h(
          'div',
          'control-keys',
          yes,
          btn(
            '',
            () => {
              help();
              announce(t('setup.check'));
              button.focus();
            },
            icon('cross'),
            t('setup.no'),
          ),
        ),
      ),
    );
    host.querySelector('h4').focus();
  }
  /** Says what to check: the failure of the test, the device's problem, the doctor's hints, the plugin's log. */
  function help(failure) {
    const device = theater.device(id),
      problem = device?.attributes?.problem?.value,
      doctor = h('div', 'setup-doctor'),
      log = h('div', {});
    const words = failure ? failureWords(failure) : undefined;
    const facts = [
      words && failureText({ message: words.message, hint: words.hint }),
      device?.reason && sentence(device.reason),
      problem && sentence(problem),
    ].filter(Boolean);
    const keys = isSimulated(one) ? [] : [actionButton('', restore, icon('back'), t('setup.back'))];
    setChildren(
      host,
      errorCard(t('setup.checkTitle'), [
        t('setup.check'),
        facts.map((text) => h('span', 'small block', text)),
        small(words?.detail),
      ], ...keys),
      doctor,
      log,
    );
    get('/doctor').then(({ checks }) => {
      const mine = checks.filter((check) =>
        check.status !== 'ok' && [`device ${id}`, `plugin ${one.entry.plugin}`].includes(check.name)
      );
      setChildren(
        doctor,
        mine.length
          ? [
            h('p', 'label', t('doctor.title')),
            mine.map(({ message, hint }) =>
              h(
                'p',
                { class: 'small', lang: 'en' },
                failureText({ message, hint: hint && sentence(hint) }),
              )
            ),
          ]
          : null,
      );
    }, () => {});
    get(path`/devices/${id}/log`).then(
      ({ lines }) =>
        setChildren(
          log,
          h(
            'details',
            'more-state',
            h('summary', {}, t('plugins.log')),
            h(
              'pre',
              { class: 'log', tabindex: 0, 'aria-label': t('plugins.log') },
              lines.slice(-30).join('\n') || t('plugin.quiet'),
            ),
          ),
        ),
      () => {},
    );
  }
  return { node, paint };
}
