// Runs of scenes in words, and how a scene is started.
import { btn } from '../base/dom.js';
import { icon } from '../base/icons.js';
import { get, path, post } from '../base/api.js';
import { errorCard, failureWords, runAction, small } from './parts.js';
import { changed, device, devices, loadRun, saveRun, store } from '../model/store.js';
import { commandWords, nameOf, titled } from '../model/words.js';
import { endActivity, titles } from './commands.js';
import { t, unit } from '../base/text.js';

/** Scenes that begin or end an activity of the shipped configuration: Home has a larger button for these. */
export const ACTIVITY_SCENES = [
  'watch-film',
  'end-film',
  'listen-music',
  'end-music',
  'listen-radio',
  'end-radio',
  'popcorn',
];
const ICONS = {
  'movie-night': 'moon',
  'watch-film': 'film',
  'listen-music': 'music',
  'listen-radio': 'radio',
  popcorn: 'popcorn',
};
export const sceneIcon = ({ name }) => ICONS[name] ?? (name.startsWith('end-') ? 'stop' : 'scenes');
export const sceneTitle = ({ title, name }) => titled(title ?? name);

/** Starts a scene without parameters; one with parameters needs its screen. */
export async function startScene(scene, go, button) {
  const address = path`/scenes?scene=${scene.name}`;
  if (Object.keys(scene.parameters).length) {
    go(address);
    return;
  }
  await runAction(button, async () => {
    const { run } = await post(path`/scenes/${scene.name}/runs`, {});
    saveRun(run);
    await go(`${address}&run=${encodeURIComponent(run.id)}`);
  });
}

/**
 * The nodes of a plan or run with their `depth`. A list of commands to one device is a node, too, but no group for
 * people.
 */
export function outline(run) {
  const steps = run?.steps ?? [],
    within = (group) => steps.filter(({ id }) => id.startsWith(`${group.id}.`));
  const isGroup = (step) =>
    step.kind === 'parallel' ||
    (step.kind === 'sequence' && new Set(
          within(step).map(({ device, kind }) => device ?? kind),
        ).size > 1);
  const groups = steps.filter(isGroup);
  return steps.filter((step) => isLeaf(step) || groups.includes(step)).map((step) => ({
    ...step,
    isGroup: groups.includes(step),
    depth: groups.filter((group) => step.id.startsWith(`${group.id}.`)).length,
  }));
}
const isLeaf = ({ kind }) => kind === 'command' || kind === 'wait';
export const leaves = (run) => (run?.steps ?? []).filter(isLeaf);
/** "Projector: turn on". */
export function stepWords(step) {
  if (step.kind === 'parallel' || step.kind === 'sequence') return t(`step.${step.kind}`);
  if (step.kind === 'wait') return t('step.wait', { time: unit(step.duration, 'second') });
  const known = device(step.device);
  return `${known ? nameOf(known, devices()) : step.device}: ${
    commandWords(step.command, titles())
  }`;
}
const ASK_AGAIN = 3000;
/** The step that a run is at: its number, the count of all and its words; loads a run that is not known yet. */
export function progressOf(id) {
  const run = store.runs.get(id), { asked } = store;
  if (id && !run?.isWhole && !asked.has(id)) {
    asked.add(id);
    loadRun(id).catch(() =>
      setTimeout(() => {
        asked.delete(id);
        changed();
      }, ASK_AGAIN)
    );
  }
  const all = leaves(run);
  if (!run?.isWhole || !all.length) return undefined;
  let at = all.findIndex((step) => step.status === 'running');
  if (at < 0) at = all.findIndex((step) => step.status === 'waiting');
  if (at < 0) at = all.length - 1;
  return { number: at + 1, total: all.length, words: stepWords(all[at]) };
}
const ITEMS = ['film', 'song', 'station'];
/**
 * Starts a failed activity or scene again, or lets its player play on; goes to the screen of a scene that needs more
 * than the item.
 */
export const retry = ({ activity, scene, item, retryAt }, button, go) =>
  runAction(button, async () => {
    if (retryAt >= 0) {
      await post('/resume');
      return;
    }
    const parameters = {};
    if (!activity) {
      const needed = Object.entries(
        (await get('/scenes')).scenes.find(({ name }) => name === scene)?.parameters ?? {},
      );
      if (needed.length > 1 || !needed.every(([, kind]) => item && ITEMS.includes(kind))) {
        await go(path`/scenes?scene=${scene}`);
        return;
      }
      for (const [name] of needed) parameters[name] = item;
    }
    saveRun(
      (await (activity
        ? post(path`/activities/${activity}`, { item })
        : post(path`/scenes/${scene}/runs`, { parameters }))).run,
    );
  });
/** The card of a failure, with the step of the run that it stopped. */
export function faultCard(error, run, buttons, note) {
  const { message, hint, detail } = failureWords(
    error ?? { message: t(run?.status === 'cancelled' ? 'scenes.cancelled' : 'now.failed') },
  );
  return errorCard(message, [
    [placeOf(error, run), note, hint].filter(Boolean).join(' '),
    small(detail),
  ], ...buttons);
}
/** The buttons of an activity that failed: begin it again, or end it. */
export const remedyButtons = (now, go) => [
  now.activity || now.scene
    ? btn('primary', (node) => retry(now, node, go), icon('fix'), t('do.retry'))
    : null,
  btn('quiet', endActivity, icon('stop'), t('do.end')),
];
/** Where a run stopped: "Step 4 of 11." */
export function placeOf(error, run) {
  if (!error?.step) return '';
  const all = leaves(run), at = all.findIndex((step) => step.id === error.step);
  return at < 0
    ? t('step.id', { step: error.step })
    : `${t('step.of', { number: at + 1, total: all.length })}.`;
}
