// The rows of a plan's or a run's steps.
import { ariaHidden, h } from '../base/dom.js';
import { icon } from '../base/icons.js';
import { small } from '../parts/cards.js';
import { failureWords } from '../parts/failures.js';
import { leaves, outline, stepWords } from '../parts/runs.js';
import { device } from '../model/store.js';
import { inputTitle, word } from '../model/words.js';
import { number, t, unit } from '../base/text.js';

const STATUS_ICONS = {
  done: 'check',
  accepted: 'check',
  skipped: 'skip',
  failed: 'cross',
  cancelled: 'cross',
};
/** The statuses that stand beside a step; others have an icon and a text for screen readers. */
const NAMED_STATUSES = ['skipped', 'accepted', 'cancelled'];
/** Why a step was left out, beside a device that is so already. */
const OMISSIONS = { person: 'chosen', room: 'used' };
/** Seconds; the duration of a shorter step is not shown. */
const SHORTEST_DURATION = .05;

export function planSteps(plan) {
  const ids = leaves(plan).map(({ id }) => id);
  return outline(plan).map((step) => {
    const isSkipped = step.action === 'skip';
    return stepRow(step, {
      status: isSkipped ? 'skipped' : 'waiting',
      lamp: planLamp(step, ids.indexOf(step.id) + 1),
      note: isSkipped ? h('span', 'cmd', ` · ${t('status.skipped')}`) : null,
      explanation: planReason(step),
    });
  });
}
function planLamp(step, position) {
  if (step.isGroup) return null;
  return step.action === 'skip' ? icon('skip') : h('span', 'num tiny', position);
}
/** Why a step is skipped, or not decided yet. */
function planReason({ action, reported, device: owner }) {
  if (action === 'decideLater') return h('span', 'why', t('scenes.later'));
  if (action !== 'skip' || !reported) return null;
  const [key, value] = Object.entries(reported)[0];
  const text = key === 'input' ? inputTitle(device(owner), value) : reportedWord(key, value);
  return h('span', 'why', t('scenes.already', { value: text }));
}
/** The states that are a percentage. */
const PERCENTAGES = ['volume', 'brightness'];
function reportedWord(key, value) {
  const plain = String(value?.state ?? value);
  if (PERCENTAGES.includes(key)) return `${plain} %`;
  if (key === 'muted') return t(value ? 'is.muted' : 'is.unmuted');
  return word({ true: 'on', false: 'off' }[plain] ?? plain);
}

export const runSteps = (run) => outline(run).map(runStep);
function runStep(step) {
  const { status, seconds } = step;
  const isNamed = NAMED_STATUSES.includes(status);
  const statusText = t(`status.${OMISSIONS[step.reason] ?? status}`);
  return stepRow(step, {
    status: status === 'cancelled' ? 'skipped' : status,
    lamp: STATUS_ICONS[status] ? icon(STATUS_ICONS[status]) : null,
    note: isNamed ? h('span', 'cmd', ` · ${statusText}`) : h('span', 'sr', ` ${statusText}`),
    duration: seconds > SHORTEST_DURATION ? unit(number(seconds, 1), 'second') : '',
    explanation: step.error ? failureOf(step.error) : null,
  });
}
function failureOf(error) {
  const { message, detail } = failureWords(error);
  return h('span', 'why', message, small(detail));
}

const stepRow = (step, { status, lamp, note, duration = '', explanation }) =>
  h(
    'li',
    {
      vars: { depth: step.depth },
      class: step.isGroup ? 'group' : null,
      data: { status },
      'aria-current': status === 'running' ? 'step' : null,
    },
    ariaHidden('span', 'lamp', lamp),
    h('span', 'what', stepWords(step), note),
    h('span', 'took num', duration),
    explanation,
  );
