"""The page's evaluator of rules against the golden vectors, in the browser."""

from conftest import proves, with_modules

# Evaluates each vector, and returns how many there are and which differ.
CHECK = """async ({ evaluate }, { presets, vectors }) => {
  const answer = await fetch('/api/v1/validation/blocklist');
  const { entries } = await answer.json();
  const blocklist = new Set(entries);
  // A text may be written as parts, and a part as a repetition.
  const text = (value) => {
    if (Array.isArray(value)) return value.map(text).join('');
    return typeof value === 'object' ? value.repeat.repeat(value.times) : value;
  };
  const listed = ({ state, satisfied, total, results }) => {
    const lines = results.map((result) => [
      ...[result.rule, result.advice, result.outcome],
      ...[result.statement, result.message],
    ]);
    return JSON.stringify([state, satisfied, total, lines]);
  };
  const isRight = (vector) => {
    const preset = presets.find(({ name }) => name === vector.preset);
    const fields = preset?.fields ?? [];
    const field = fields.find(({ name }) => name === vector.field) ?? vector;
    const labels = Object.fromEntries(fields.map(({ name, label }) => [name, label]));
    const values = Object.entries(vector.values ?? {}).map(([name, value]) => [name, text(value)]);
    const context = {
      values: Object.fromEntries(values),
      secondFactor: !!vector.secondFactor,
      answers: vector.answers,
      blocklist,
    };
    const report = evaluate(field, text(vector.value), context, labels);
    return listed(report) === listed(vector.expect);
  };
  const wrong = vectors.filter((vector) => !isRight(vector));
  return [vectors.length, wrong.map(({ about }) => about)];
}"""


@proves("C1 C4 · satisfies every golden vector of the rules")
def test_vectors(visit, vectors):
    page = visit().open("/login")
    count, wrong = page.evaluate(with_modules("model/rules.js", CHECK), vectors)
    assert count >= 900 and not wrong, wrong
