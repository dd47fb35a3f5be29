// Scenes: the plan of each, its run with its steps, the error that stopped it.
import { btn, h, setChildren } from '../base/dom.js';
import { announce } from '../base/messages.js';
import { icon } from '../base/icons.js';
import { path, post } from '../base/api.js';
import { isEnd } from '../model/activities.js';
import * as theater from '../model/store.js';
import { entryTitle } from '../model/words.js';
import { actionButton, runAction } from '../parts/actions.js';
import { heading } from '../parts/cards.js';
import { chip } from '../parts/chips.js';
import { failureCard, showFailure } from '../parts/failures.js';
import { rebuildIfChanged } from '../parts/rebuild.js';
import { askWhereToResume, resumeButtons } from '../parts/resume.js';
import { faultCard, leaves, placeOf } from '../parts/runs.js';
import { sceneList } from './scene-list.js';
import { parameterFields } from './scene-parameters.js';
import { planSteps, runSteps } from './scene-steps.js';
import { capitalized, sentence, t } from '../base/text.js';

export const title = () => t('scenes.title');
/** Where the list stands above the plan. */
const NARROW = '(max-width: 1099px)';
const ENDED_STEPS = ['done', 'accepted', 'skipped'];
const RUN_CHIPS = { running: 'busy', done: 'reported', failed: 'failed', cancelled: 'off' };

export async function show(main, { again }) {
  const screen = new ScenesScreen(again);
  main.append(heading(title()));
  try {
    await screen.read();
  } catch (failure) {
    main.append(failureCard(t('scenes.unread'), failure, again));
    return undefined;
  }
  if (!screen.scenes.length) {
    screen.showNoScenes();
    main.append(screen.node);
    return screen.followConfiguration(again);
  }
  await screen.begin(new URLSearchParams(location.search));
  main.append(screen.node);
  const stopFollowing = theater.watch(() => screen.paintCurrentRun());
  const stopReading = screen.followConfiguration(() => screen.update());
  return () => {
    stopFollowing();
    stopReading();
  };
}

class ScenesScreen {
  /** @param again shows the screen anew */
  constructor(again) {
    this.again = again;
    this.list = sceneList((scene) => this.choose(scene));
    this.top = h('div', 'run-top');
    this.trouble = h('div', 'run-trouble');
    this.choices = h('div', 'controls');
    this.keys = h('div', 'run-keys');
    this.steps = h('ol', 'steps');
    this.pane = h(
      'section',
      { class: 'card run-pane', 'aria-labelledby': 'run-title' },
      this.top,
      this.trouble,
      this.choices,
      this.keys,
      this.steps,
    );
    this.node = h('div', 'scene-split', this.list.node, this.pane);
    /** The values of the current scene's parameters, by their names. */
    this.values = {};
    /** Counts the requests: only the answer to the last one is shown. */
    this.turn = 0;
    this.start = (button, fromStart) => runAction(button, () => this.startRun(fromStart));
  }

  // ---- the scenes ----
  async read() {
    this.configuration = theater.store.applied;
    this.scenes = await theater.loadScenes();
  }
  /** Calls `changed` when the controller applies another configuration. */
  followConfiguration(changed) {
    return theater.watch(() => {
      if (this.configuration === theater.store.applied) return;
      this.configuration = theater.store.applied;
      changed();
    });
  }
  showNoScenes() {
    this.pane.hidden = true;
    setChildren(this.list.node, h('p', 'soft', t('scenes.none')));
  }
  /** Shows the scene and the run of an address. */
  async begin(parameters) {
    this.current = this.scene(parameters.get('scene')) ??
      this.scenes.find((scene) => !isEnd(scene)) ?? this.scenes[0];
    this.runID = parameters.get('run');
    const item = parameters.get('item');
    if (item) {
      for (const name of Object.keys(this.current.parameters)) this.values[name] = item;
    }
    this.paintList();
    if (this.runID && !theater.store.runs.get(this.runID)?.isWhole) {
      await theater.loadRun(this.runID).catch(() => {});
    }
    // The address may be older than the controller's last start.
    const isOwnRun = theater.store.runs.get(this.runID)?.scene === this.current.name;
    if (!isOwnRun) this.runID = undefined;
    await this.prepare().catch(showFailure);
  }
  scene(name) {
    return this.scenes.find((scene) => scene.name === name);
  }
  /** Reads the scenes of another configuration. */
  async update() {
    try {
      await this.read();
    } catch (failure) {
      showFailure(failure);
      return;
    }
    const next = this.scene(this.current.name);
    if (!next) {
      this.again();
      return;
    }
    this.current = next;
    this.paintList();
    if (!this.runID) this.loadPlan();
  }
  paintList() {
    this.list.paint(this.scenes, this.current);
  }
  choose(scene) {
    this.current = scene;
    this.runID = undefined;
    this.values = {};
    this.showAddress();
    this.paintList();
    this.prepare();
    if (matchMedia(NARROW).matches) this.pane.scrollIntoView({ block: 'start' });
  }
  showAddress() {
    history.replaceState({}, '', path`/scenes?scene=${this.current.name}`);
  }

  // ---- the requests ----
  /** Asks for the parameters, then for the plan. */
  async prepare() {
    const turn = this.nextTurn();
    this.plan = undefined;
    // Another scene that is chosen meanwhile has values of its own.
    const { current, values } = this;
    const fields = await parameterFields(current, values, () => this.loadPlan());
    if (turn !== this.turn) return;
    setChildren(this.choices, fields);
    this.choices.hidden = !fields.length;
    if (this.runID) this.paint();
    else await this.loadPlan();
  }
  async loadPlan() {
    const turn = this.nextTurn();
    const { runID } = this;
    try {
      const plan = await this.askForPlan();
      // A run that begins meanwhile stays on the screen.
      if (turn !== this.turn || runID !== this.runID) return;
      this.plan = plan;
      this.runID = undefined;
      this.paint();
    } catch (failure) {
      if (turn === this.turn) this.showPlanFailure(failure);
    }
  }
  askForPlan() {
    return post(path`/scenes/${this.current.name}/plan`, { parameters: this.values });
  }
  nextTurn() {
    this.turn += 1;
    return this.turn;
  }
  showPlanFailure(failure) {
    this.plan = undefined;
    setChildren(this.steps);
    setChildren(this.keys);
    this.paintHead(chip('off', t('scenes.plan')), '');
    setChildren(this.trouble, failureCard(t('scenes.plan'), failure, () => this.loadPlan()));
  }
  async startRun(fromStart = false) {
    const { current, values } = this;
    const body = { parameters: values, ...(fromStart && { fromStart }) };
    const { run } = await post(path`/scenes/${current.name}/runs`, body);
    theater.saveRun(run);
    announce(t('now.begins', { title: entryTitle(current) }));
    // Another scene may have been chosen meanwhile.
    if (current !== this.current) return;
    this.runID = run.id;
    this.paint();
  }
  /** Starts the scene once more; asks first where its item begins if that was stopped. */
  startAgain(button) {
    return runAction(button, async () => {
      const { current } = this;
      const { resumedAt } = await this.askForPlan();
      if (current !== this.current) return;
      if (resumedAt) askWhereToResume(entryTitle(current), resumedAt, this.start);
      else await this.startRun();
    });
  }

  // ---- what is shown ----
  paintCurrentRun() {
    if (this.runID) this.paint();
  }
  paint() {
    const known = theater.store.runs.get(this.runID);
    // The run is unknown after a restart of the controller, or newer runs have replaced it.
    const isForgotten = this.runID && !known;
    if (isForgotten) {
      this.leaveRun();
      return;
    }
    const run = known?.isWhole ? known : undefined;
    this.pane.dataset.view = run ? run.status : 'plan';
    this.choices.classList.toggle('locked', run?.status === 'running');
    if (run) this.paintRun(run);
    else if (this.plan) this.paintPlan();
  }
  leaveRun() {
    this.runID = undefined;
    this.announced = undefined;
    this.pane.dataset.view = 'plan';
    this.choices.classList.remove('locked');
    this.showAddress();
    this.loadPlan();
  }
  paintHead(state, text) {
    const words = h(
      'div',
      {},
      h('h2', { class: 'title-3', id: 'run-title' }, entryTitle(this.current)),
      h('p', { class: 'soft', role: 'status' }, text),
    );
    setChildren(this.top, words, h('div', 'view-as', state));
  }
  paintPlan() {
    const all = leaves(this.plan);
    const count = all.filter(({ action }) => action !== 'skip').length;
    const needed = t('scenes.needed', { count, total: all.length });
    this.paintHead(chip('off', t('scenes.plan')), `${needed} ${t('scenes.unsent')}`);
    setChildren(this.trouble);
    this.steps.classList.add('as-plan');
    setChildren(this.steps, planSteps(this.plan));
    rebuildIfChanged(this.keys, `plan ${this.plan.resumedAt}`, () => this.planKeys(this.plan));
  }
  planKeys({ resumedAt }) {
    if (resumedAt) return resumeButtons(resumedAt, '', this.start);
    return btn('primary big', (button) => this.start(button), icon('play'), t('scenes.run'));
  }
  paintRun(run) {
    const text = runText(run);
    this.paintHead(chip(RUN_CHIPS[run.status], runWord(run)), text);
    this.announceEnd(run, text);
    const { trouble, steps, keys } = this;
    const shownFailure = JSON.stringify([run.error, run.isWhole]);
    rebuildIfChanged(trouble, shownFailure, () => this.runFailure(run));
    steps.classList.remove('as-plan');
    rebuildIfChanged(steps, JSON.stringify(run.steps), () => runSteps(run));
    rebuildIfChanged(keys, run.status, () => this.runKeys(run));
  }
  announceEnd({ id, status }, text) {
    if (status === 'running' || this.announced === id + status) return;
    this.announced = id + status;
    announce(`${entryTitle(this.current)}: ${text}`, status === 'failed');
  }
  runFailure(run) {
    if (!run.error) return null;
    const retry = btn('primary', (button) => this.startAgain(button), icon('fix'), t('do.retry'));
    return faultCard(run.error, run, [retry]);
  }
  runKeys({ id, status }) {
    if (status === 'running') return cancelButton(id);
    return [
      btn('primary big', (button) => this.startAgain(button), icon('play'), t('scenes.again')),
      btn('quiet', () => this.loadPlan(), t('scenes.plan')),
    ];
  }
}

/** Where a run is, or how it ended. */
function runText(run) {
  switch (run.status) {
    case 'running': {
      const all = leaves(run);
      const ended = all.filter(({ status }) => ENDED_STEPS.includes(status)).length;
      return t('step.of', { number: Math.min(ended + 1, all.length), total: all.length });
    }
    case 'failed':
      return `${t('said.stopped')}. ${placeOf(run.error, run)}`;
    case 'cancelled':
      return t('scenes.cancelled');
    default:
      return sentence(t('status.done'));
  }
}
function runWord({ status }) {
  if (status === 'failed') return t('said.stopped');
  return capitalized(t(status === 'running' ? 'scenes.running' : `status.${status}`));
}
function cancelButton(id) {
  const cancel = async () => theater.saveRun(await post(path`/runs/${id}/cancellation`, {}));
  return actionButton('line', cancel, icon('stop'), t('scenes.cancel'));
}
