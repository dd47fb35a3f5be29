// Runs of scenes and activities: how one is started, its steps in words, and what stopped it.
import { btn } from '../base/dom.js';
import { icon } from '../base/icons.js';
import { path, post } from '../base/api.js';
import { runAction } from './actions.js';
import { small } from './cards.js';
import { errorCard, failureWords } from './failures.js';
import { changed, device, inRoom, loadRun, loadScenes, saveRun, store } from '../model/store.js';
import { commandWords, nameOf } from '../model/words.js';
import { endActivity, titles } from './commands.js';
import { t, unit } from '../base/text.js';

/** The kinds of parameters of a scene that an item can be the value of. */
const ITEM_KINDS = ['film', 'song', 'station'];
/** The statuses of a step that has changed something. */
const EFFECTIVE = ['done', 'accepted'];
/** Milliseconds after which a run that could not be loaded is asked for again. */
const LOAD_RETRY_DELAY = 3000;

/** Starts a scene; one with parameters, or with an item that was stopped, needs its screen. */
export async function startScene(scene, go, button) {
  const address = path`/scenes?scene=${scene.name}`;
  if (Object.keys(scene.parameters).length) {
    go(address);
    return;
  }
  await runAction(button, async () => {
    const { resumedAt } = await post(path`/scenes/${scene.name}/plan`, {});
    if (resumedAt) {
      await go(address);
      return;
    }
    const { run } = await post(path`/scenes/${scene.name}/runs`, {});
    saveRun(run);
    await go(`${address}&run=${encodeURIComponent(run.id)}`);
  });
}

// ---- the steps of a run ----
/**
 * The nodes of a plan or run with their `depth`. A list of commands to one device is a node, too,
 * but no group for people.
 */
export function outline(run) {
  const steps = run?.steps ?? [];
  const groups = steps.filter((step) => isGroup(step, steps));
  return steps.filter((step) => isLeaf(step) || groups.includes(step)).map((step) => ({
    ...step,
    isGroup: groups.includes(step),
    depth: groups.filter((group) => isWithin(step, group)).length,
  }));
}
const isLeaf = ({ kind }) => kind === 'command' || kind === 'wait';
const isWithin = (step, group) => step.id.startsWith(`${group.id}.`);
function isGroup(step, steps) {
  if (step.kind !== 'sequence') return step.kind === 'parallel';
  const inner = steps.filter((other) => isWithin(other, step));
  return new Set(inner.map((other) => other.device ?? other.kind)).size > 1;
}
/** The steps of a run that do something, without their groups. */
export const leaves = (run) => (run?.steps ?? []).filter(isLeaf);
/** "Projector: turn on". */
export function stepWords(step) {
  switch (step.kind) {
    case 'parallel':
    case 'sequence':
      return t(`step.${step.kind}`);
    case 'wait':
      return t('step.wait', { time: unit(step.duration, 'second') });
    case 'command': {
      const known = device(step.device);
      const name = known ? nameOf(known) : step.device;
      return `${name}: ${commandWords(step.command, titles(), known)}`;
    }
    // Of a newer controller.
    default:
      return step.kind;
  }
}
/**
 * The step that a run is at: its number, the number of all and its words. Loads a run that is not
 * known yet.
 */
export function progressOf(id) {
  const run = store.runs.get(id);
  if (id && !run?.isWhole) loadOnceFor(id);
  const steps = leaves(run);
  if (!run?.isWhole || !steps.length) return undefined;
  const index = currentIndex(steps);
  return { number: index + 1, total: steps.length, words: stepWords(steps[index]) };
}
/** The running step, else the first that waits, else the last. */
function currentIndex(steps) {
  const running = steps.findIndex(({ status }) => status === 'running');
  if (running >= 0) return running;
  const waiting = steps.findIndex(({ status }) => status === 'waiting');
  return waiting >= 0 ? waiting : steps.length - 1;
}
async function loadOnceFor(id) {
  const { asked } = store;
  if (asked.has(id)) return;
  asked.add(id);
  const allowRetry = () => {
    asked.delete(id);
    changed();
  };
  try {
    await loadRun(id);
  } catch {
    setTimeout(allowRetry, LOAD_RETRY_DELAY);
  }
}

// ---- failures ----
/**
 * Starts a failed activity of a room or a scene again, or lets its player play on; goes to the
 * screen of a scene that needs more than the item.
 */
export const retry = (now, button, go) =>
  runAction(button, async () => {
    if (now.retryAt >= 0) await post(inRoom('/resume', now.room));
    else if (now.activity) {
      const address = inRoom(path`/activities/${now.activity}`, now.room);
      await startRun(address, { item: now.item });
    } else await retryScene(now, go);
  });
async function retryScene({ scene: name, item }, go) {
  const scenes = await loadScenes();
  const scene = scenes.find((one) => one.name === name);
  const needed = Object.entries(scene?.parameters ?? {});
  const isItem = ([, kind]) => item && ITEM_KINDS.includes(kind);
  const needsMore = needed.length > 1 || !needed.every(isItem);
  if (needsMore) {
    await go(path`/scenes?scene=${name}`);
    return;
  }
  const parameters = Object.fromEntries(needed.map(([parameter]) => [parameter, item]));
  await startRun(path`/scenes/${name}/runs`, { parameters });
}
async function startRun(address, body) {
  const { run } = await post(address, body);
  saveRun(run);
}
/** The card of a failure, with the step of the run that it stopped, and what was done before. */
export function faultCard(error, run, buttons) {
  const unnamed = t(run?.status === 'cancelled' ? 'scenes.cancelled' : 'now.failed');
  const { message, hint, detail } = failureWords(error ?? { message: unnamed });
  const words = [placeOf(error, run), keptWords(error, run), hint].filter(Boolean).join(' ');
  return errorCard(message, [words, small(detail)], ...buttons);
}
/** The buttons of an activity that failed: begin it again, or end it. */
export function remedyButtons(now, go) {
  const canRetry = now.activity || now.scene;
  const begin = (button) => retry(now, button, go);
  return [
    canRetry ? btn('primary', begin, icon('fix'), t('do.retry')) : null,
    btn('quiet', endActivity, icon('stop'), t('do.end')),
  ];
}
/**
 * What a failed run has done, which stays as it is: "Already done, and kept: Lights: dim to 10 %;
 * Projector: turn on." Empty if no step failed.
 */
function keptWords(error, run) {
  if (!error?.step || !run?.isWhole) return '';
  const done = leaves(run).filter(({ status }) => EFFECTIVE.includes(status));
  if (!done.length) return t('step.noneDone');
  return t('step.kept', { steps: done.map(stepWords).join('; ') });
}
/** Where a run stopped: "Step 4 of 11." */
export function placeOf(error, run) {
  if (!error?.step) return '';
  const steps = leaves(run);
  const index = steps.findIndex(({ id }) => id === error.step);
  if (index < 0) return '';
  return `${t('step.of', { number: index + 1, total: steps.length })}.`;
}
