// The live list of a password's rules.
import { ariaHidden, h } from '../base/dom.js';
import { announce } from '../base/messages.js';
import { capitalized, t } from '../base/text.js';

/** While someone types, only the last number of satisfied rules is announced. */
const ANNOUNCE_DELAY_MS = 700;
const satisfiedText = ({ satisfied, total }) => t('rules.met', { count: satisfied, total });

function ruleItem({ advice }) {
  return h(
    'li',
    { data: { outcome: 'unsatisfied', advice: advice ? '1' : null } },
    ariaHidden('span', 'bulb'),
    h('span', {}, h('span', 'sr state', t('rules.open')), h('span', 'statement')),
  );
}
function updateRuleItem(item, { outcome, advice, statement }, showsMissed) {
  const isSatisfied = outcome === 'satisfied';
  const openState = advice ? 'rules.advice' : 'rules.open';
  item.dataset.outcome = outcome;
  item.toggleAttribute('data-missed', showsMissed && !isSatisfied && !advice);
  item.querySelector('.state').textContent = t(isSatisfied ? 'rules.kept' : openState);
  item.querySelector('.statement').textContent = capitalized(statement);
}

/** The live list of a field's rules with its progress; a satisfied rule is marked. */
export function ruleList(rules) {
  const count = h('span', 'num');
  const items = rules.map(ruleItem);
  const node = h(
    'div',
    { class: 'rules', data: { state: 'empty' } },
    h('p', 'label', t('rules.title'), ' ', count),
    ariaHidden('div', 'bar', h('i')),
    h('ul', {}, items),
  );
  let lastSatisfied;
  let timer;
  const announceLater = (report) => {
    clearTimeout(timer);
    timer = setTimeout(
      () => announce(report.state === 'valid' ? t('rules.all') : satisfiedText(report)),
      ANNOUNCE_DELAY_MS,
    );
  };
  return {
    node,
    /**
     * @param report the result of evaluate()
     * @param canShowMissed whether missed rules are shown as mistakes
     */
    update(report, canShowMissed) {
      const showsMissed = !!canShowMissed && report.state === 'invalid';
      report.results.forEach((result, index) => updateRuleItem(items[index], result, showsMissed));
      count.textContent = satisfiedText(report);
      node.style.setProperty('--done', report.fraction);
      node.dataset.state = report.state;
      const isChanged = lastSatisfied !== undefined && report.satisfied !== lastSatisfied;
      if (isChanged) announceLater(report);
      lastSatisfied = report.satisfied;
    },
  };
}
