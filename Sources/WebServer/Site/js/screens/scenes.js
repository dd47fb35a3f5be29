// Scenes: the plan, the run with its steps, the error that stopped it.
import { announce, ariaHidden, btn, h, setChildren } from '../base/dom.js';
import { icon } from '../base/icons.js';
import { get, path, post } from '../base/api.js';
import * as theater from '../model/store.js';
import {
  actionButton,
  chip,
  failureCard,
  failureWords,
  heading,
  rebuildIfChanged,
  runAction,
  showFailure,
  small,
  twoLines,
} from '../parts/parts.js';
import {
  faultCard,
  leaves,
  outline,
  placeOf,
  sceneIcon,
  sceneTitle,
  stepWords,
} from '../parts/runs.js';
import { word } from '../model/words.js';
import { capitalized, hasText, number, sentence, t, unit } from '../base/text.js';

export const title = () => t('scenes.title');
const LAMP = {
  done: 'check',
  accepted: 'check',
  skipped: 'skip',
  failed: 'cross',
  cancelled: 'cross',
};
/** The lists that offer the values of a kind of parameter. With more than MOST_CHOICES entries, the id is typed. */
const LISTS = { film: 'films', song: 'music', station: 'stations' }, MOST_CHOICES = 500;

const ORDER = ['watch-film', 'listen-music', 'listen-radio', 'popcorn'];
/** The place of a scene in the list: scenes that begin an activity come first, scenes that end one last. */
const rank = (
  { name },
) => (ORDER.includes(name) ? ORDER.indexOf(name) : name.startsWith('end-') ? 100 : 50);
const sorted = (scenes) => [...scenes].sort((a, b) => rank(a) - rank(b));

export async function show(main, { again }) {
  const params = new URLSearchParams(location.search), list = h('ul', 'rows scene-list');
  const top = h('div', 'run-top'),
    trouble = h('div', 'run-trouble'),
    choices = h('div', 'controls'),
    steps = h('ol', 'steps'),
    keys = h('div', 'run-keys');
  const pane = h(
    'section',
    { class: 'card run-pane', 'aria-labelledby': 'run-title' },
    top,
    trouble,
    choices,
    keys,
    steps,
  );
  const whole = h('div', 'scene-split', list, pane);
  main.append(heading(title()));
  let scenes, applied;
  const read = async () => {
    ({ applied } = theater.store);
    scenes = sorted((await get('/scenes')).scenes);
  };
  const follow = (run) =>
    theater.watch(() => {
      if (applied !== theater.store.applied) {
        ({ applied } = theater.store);
        run();
      }
    });
  try {
    await read();
  } catch (failure) {
    setChildren(main, heading(title()), failureCard(t('scenes.unread'), failure, again));
    return undefined;
  }
  if (!scenes.length) {
    pane.hidden = true;
    main.append(whole);
    setChildren(list, h('li', 'soft', t('scenes.none')));
    return follow(again);
  }
  let current = scenes.find((scene) => scene.name === params.get('scene')) ??
      scenes.find((scene) => scene.name === 'watch-film') ??
      scenes[0],
    runID = params.get('run'),
    plan,
    values = {},
    turn = 0;
  if (params.get('item')) {
    for (const key of Object.keys(current.parameters)) values[key] = params.get('item');
  }

  const paintList = () =>
    rebuildIfChanged(
      list,
      JSON.stringify([current.name, scenes]),
      () =>
        scenes.map((scene) =>
          h(
            'li',
            {},
            h(
              'button',
              {
                class: 'row',
                'aria-current': scene.name === current.name,
                onclick: () => choose(scene),
              },
              icon(sceneIcon(scene), { class: 'row-icon' }),
              twoLines(sceneTitle(scene), t('scenes.steps', { count: count(scene.steps) })),
              icon('chevron', { class: 'row-icon soft' }),
            ),
          )
        ),
    );
  const count = (all) =>
    all.reduce(
      (sum, step) =>
        sum + (step.sequence ?? step.parallel ? count(step.sequence ?? step.parallel) : 1),
      0,
    );
  const showAddress = () => history.replaceState({}, '', path`/scenes?scene=${current.name}`);
  function choose(scene) {
    current = scene;
    runID = undefined;
    values = {};
    showAddress();
    paintList();
    prepare();
    if (matchMedia('(max-width: 1099px)').matches) pane.scrollIntoView({ block: 'start' });
  }
  /** Asks for the parameters, then for the plan. */
  async function prepare() {
    // Another scene that is chosen meanwhile has values of its own.
    const mine = ++turn, given = values;
    plan = undefined;
    const fields = await Promise.all(
      Object.entries(current.parameters).map(async ([name, kind]) => {
        const { items, total } = LISTS[kind]
          ? await theater.loadPage(LISTS[kind], { limit: MOST_CHOICES }).catch(() => ({
            items: [],
          }))
          : { items: [] };
        given[name] ??= items[0]?.id ?? '';
        const onchange = ({ target }) => {
            given[name] = target.value;
            load();
          },
          label = hasText(`parameter.${kind}`) ? t(`parameter.${kind}`) : capitalized(name);
        if (!LISTS[kind] || total > MOST_CHOICES) {
          return h(
            'label',
            'field',
            h('span', 'label', label),
            h('span', 'box', h('input', { value: given[name], onchange })),
          );
        }
        return h(
          'div',
          'field',
          h('label', { for: `p-${name}` }, label),
          h(
            'div',
            'box',
            h(
              'select',
              { id: `p-${name}`, onchange },
              items.map((item) => {
                const option = h('option', { value: item.id }, item.title);
                option.selected = item.id === given[name];
                return option;
              }),
            ),
          ),
        );
      }),
    );
    if (mine !== turn) return;
    setChildren(choices, fields);
    choices.hidden = !fields.length;
    if (runID) paint();
    else await load();
  }
  async function load() {
    // A run that begins meanwhile stays on the screen.
    const mine = ++turn, shown = runID;
    try {
      const answer = await post(path`/scenes/${current.name}/plan`, { parameters: values });
      if (mine === turn && shown === runID) {
        plan = answer;
        runID = undefined;
        paint();
      }
    } catch (failure) {
      if (mine === turn) {
        plan = undefined;
        setChildren(steps);
        setChildren(keys);
        head('off', t('scenes.plan'), '');
        setChildren(trouble, failureCard(t('scenes.plan'), failure, load));
      }
    }
  }
  const head = (known, word, text) =>
    setChildren(
      top,
      h(
        'div',
        {},
        h('h2', { class: 'title-3', id: 'run-title' }, sceneTitle(current)),
        h('p', { class: 'soft', role: 'status' }, text),
      ),
      h('div', 'view-as', chip(known, word)),
    );
  async function start(button) {
    await runAction(button, async () => {
      const scene = current,
        { run } = await post(path`/scenes/${scene.name}/runs`, { parameters: values });
      theater.saveRun(run);
      announce(t('now.begins', { title: sceneTitle(scene) }));
      // Another scene may have been chosen meanwhile.
      if (scene === current) {
        runID = run.id;
        paint();
      }
    });
  }
  let told;
  function paint() {
    const known = theater.store.runs.get(runID);
    // The run is unknown after a restart of the controller, or newer runs have replaced it.
    if (runID && !known) {
      runID = told = undefined;
      pane.dataset.view = 'plan';
      choices.classList.remove('locked');
      showAddress();
      load();
      return;
    }
    const run = known?.isWhole ? known : undefined;
    pane.dataset.view = run ? run.status : 'plan';
    choices.classList.toggle('locked', run?.status === 'running');
    if (run) paintRun(run);
    else if (plan) paintPlan();
  }
  const row = (step, status, lamp, said, took, why) =>
    h(
      'li',
      {
        vars: { depth: step.depth },
        class: step.isGroup ? 'group' : null,
        data: { status },
        'aria-current': status === 'running' ? 'step' : null,
      },
      ariaHidden('span', 'lamp', lamp),
      h('span', 'what', stepWords(step), said),
      h('span', 'took num', took),
      why,
    );
  function paintPlan() {
    const all = leaves(plan), needed = all.filter((step) => step.action !== 'skip').length;
    head(
      'off',
      t('scenes.plan'),
      `${t('scenes.needed', { count: needed, total: all.length })} ${t('scenes.unsent')}`,
    );
    setChildren(trouble);
    steps.classList.add('as-plan');
    setChildren(
      steps,
      outline(plan).map((step) => {
        const isSkipped = step.action === 'skip';
        return row(
          step,
          isSkipped ? 'skipped' : 'waiting',
          step.isGroup
            ? null
            : isSkipped
            ? icon('skip')
            : h('span', 'num tiny', all.findIndex(({ id }) => id === step.id) + 1),
          isSkipped ? h('span', 'cmd', ` · ${t('status.skipped')}`) : null,
          '',
          reason(step),
        );
      }),
    );
    rebuildIfChanged(keys, 'plan', () => btn('primary big', start, icon('play'), t('scenes.run')));
  }
  function reason(step) {
    if (step.action === 'skip' && step.reported) {
      const [key, value] = Object.entries(step.reported)[0], is = value?.state ?? value;
      return h(
        'span',
        'why',
        t('scenes.already', {
          state: hasText(`state.${key}`) ? t(`state.${key}`) : key,
          value: word({ true: 'on', false: 'off' }[is] ?? `${is}`),
        }),
      );
    }
    return step.action === 'decideLater' ? h('span', 'why', t('scenes.later')) : null;
  }
  function paintRun(run) {
    const all = leaves(run),
      done = all.filter((step) => ['done', 'accepted', 'skipped'].includes(step.status)).length;
    const text = {
      running: t('step.of', { number: Math.min(done + 1, all.length), total: all.length }),
      done: sentence(t('status.done')),
      failed: `${t('said.stopped')}. ${placeOf(run.error, run)}`,
      cancelled: t('scenes.cancelled'),
    }[run.status];
    head(
      { running: 'busy', done: 'reported', failed: 'failed', cancelled: 'off' }[run.status],
      run.status === 'failed'
        ? t('said.stopped')
        : capitalized(t(run.status === 'running' ? 'scenes.running' : `status.${run.status}`)),
      text,
    );
    if (told !== run.id + run.status && run.status !== 'running') {
      told = run.id + run.status;
      announce(`${sceneTitle(current)}: ${text}`, run.status === 'failed');
    }
    rebuildIfChanged(trouble, JSON.stringify(run.error ?? null), () => failure(run));
    steps.classList.remove('as-plan');
    rebuildIfChanged(steps, JSON.stringify(run.steps), () =>
      outline(run).map((step) => {
        const { status, error } = step,
          isNamed = ['skipped', 'accepted', 'cancelled'].includes(status);
        return row(
          step,
          status === 'cancelled' ? 'skipped' : status,
          LAMP[status] ? icon(LAMP[status]) : null,
          h('span', isNamed ? 'cmd' : 'sr', `${isNamed ? ' · ' : ' '}${t(`status.${status}`)}`),
          step.seconds > .05 ? unit(number(step.seconds, 1), 'second') : '',
          error
            ? h('span', 'why', failureWords(error).message, small(failureWords(error).detail))
            : null,
        );
      }));
    rebuildIfChanged(
      keys,
      run.status,
      () => (run.status === 'running' ? cancel(run) : [
        btn('primary big', start, icon('play'), t('scenes.again')),
        btn('quiet', load, t('scenes.plan')),
      ]),
    );
  }
  const cancel = ({ id }) =>
    actionButton(
      'line',
      async () => theater.saveRun(await post(path`/runs/${id}/cancellation`, {})),
      icon('stop'),
      t('scenes.cancel'),
    );
  function failure(run) {
    if (!run.error) return null;
    return faultCard(
      run.error,
      run,
      [btn('primary', start, icon('fix'), t('do.retry'))],
      t('scenes.stays'),
    );
  }
  paintList();
  if (runID && !theater.store.runs.get(runID)?.isWhole) {
    await theater.loadRun(runID).catch(() => {});
  }
  // The address may be older than the controller's last start.
  if (theater.store.runs.get(runID)?.scene !== current.name) runID = undefined;
  await prepare().catch(showFailure);
  main.append(whole);
  const unwatch = theater.watch(() => {
      if (runID) paint();
    }),
    unfollow = follow(() =>
      read().then(() => {
        const next = scenes.find(({ name }) => name === current.name);
        if (next) {
          current = next;
          paintList();
          if (!runID) load();
        } else again();
      }, showFailure)
    );
  return () => {
    unwatch();
    unfollow();
  };
}
