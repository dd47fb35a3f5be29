"""The page's evaluator of rules against the golden vectors, in the browser."""

from conftest import proves

CHECK = """async ([document_, modules]) => {
  const { evaluate } = await import(modules + 'model/rules.js');
  const { entries } = await fetch('/api/v1/validation/blocklist').then((answer) => answer.json());
  const blocklist = new Set(entries), wrong = [];
  const text = (value) => Array.isArray(value) ? value.map(text).join('') : typeof value === 'object' ? value.repeat.repeat(value.times) : value;
  for (const vector of document_.vectors) {
    const preset = document_.presets.find((one) => one.name === vector.preset);
    const field = preset?.fields.find((one) => one.name === vector.field) ?? vector;
    const labels = Object.fromEntries((preset?.fields ?? []).map((one) => [one.name, one.label]));
    const values = Object.fromEntries(Object.entries(vector.values ?? {}).map(([name, value]) => [name, text(value)]));
    const { state, satisfied, total, results } = evaluate(field, text(vector.value), { values, secondFactor: !!vector.secondFactor, answers: vector.answers, blocklist }, labels);
    const listed = (report) => JSON.stringify([report.state, report.satisfied, report.total, report.results.map((one) => [one.rule, one.advice, one.outcome, one.statement, one.message])]);
    if (listed({ state, satisfied, total, results }) !== listed(vector.expect)) wrong.push(vector.about);
  }
  return [document_.vectors.length, wrong];
}"""


@proves("C1 C3 C4 · satisfies every golden vector of the rules")
def test_vectors(visit, vectors):
    page = visit().open("/login")
    modules = page.evaluate(
        "document.querySelector('script[type=module]').src.replace(/main\\.js$/, '')"
    )
    count, wrong = page.evaluate(CHECK, [vectors, modules])
    assert count >= 900 and not wrong, wrong
