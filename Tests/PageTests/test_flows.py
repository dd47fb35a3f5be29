"""The page's login, code and registration flows against transcripts of the terminal's flows (AccountFlows)."""

import json

from conftest import ROOT, proves

REPLAY = """async ([recorded, modules]) => {
  const load = (name) => import(modules + name);
  const [{ LoginFlow }, { CodeFlow }, { RegistrationFlow }, { summary }] = await Promise.all(['model/login-flow.js', 'model/code-flow.js', 'model/registration-flow.js', 'model/flow.js'].map(load));
  const { entries } = await fetch('/api/v1/validation/blocklist').then((answer) => answer.json());
  const email = { name: 'email', label: 'e-mail address', rules: [{ rule: 'email' }] };
  const make = {
    login: () => new LoginFlow(), loginByCode: () => new LoginFlow(new CodeFlow(email)), code: () => new CodeFlow(email),
    registration: () => new RegistrationFlow(recorded.rules, new Set(entries)),
  };
  const form = (model) => Object.fromEntries([...model.fields].map(([name, { text }]) => [name, { text, display: model.display(name), isValid: model.isValid(name) }]));
  const codeState = (flow) => flow && {
    step: flow.step, canSubmit: flow.canSubmit, isLoading: flow.isLoading, isOver: flow.isOver, failure: summary(flow.failure), contact: flow.contact,
    code: flow.code && { text: flow.code.text, countdown: flow.code.countdown, canSendAgain: flow.code.canSendAgain, isLocked: flow.code.isLocked, triesLeft: flow.code.triesLeft },
  };
  const loginState = (flow) => ({ step: flow.step, canSubmit: flow.canSubmit, isLoading: flow.isLoading, isOver: flow.isOver, failure: summary(flow.failure), factor: flow.factor.text, fields: form(flow.form), oneTime: codeState(flow.oneTime ?? null) });
  const state = {
    login: loginState, loginByCode: loginState, code: codeState,
    registration: (flow) => ({ step: flow.step, canGoOn: flow.canGoOn, canGoBack: flow.canGoBack, isLoading: flow.isLoading, isOver: flow.isOver, outcome: flow.outcome === 'failed' ? `failed ${summary(flow.failure)}` : flow.outcome, fields: form(flow.form) }),
  };
  const flat = (value, path = '') => value !== null && typeof value === 'object'
    ? Object.entries(value).flatMap(([key, inner]) => flat(inner, path ? `${path}.${key}` : key)) : [[path, value]];
  const sorted = (value) => JSON.stringify(value, (_, inner) => (inner && typeof inner === 'object' && !Array.isArray(inner) ? Object.fromEntries(Object.entries(inner).sort()) : inner));
  const wrong = [];
  let events = 0;
  recorded.transcripts.forEach(({ flow: kind, lines }, place) => {
    const flow = make[kind]();
    let shown = {};
    for (const [number, { at, event, effects, state: changed }] of lines.entries()) {
      events += 1;
      const done = flow.receive(event, at), now = Object.fromEntries(flat(state[kind](flow)));
      const difference = Object.fromEntries(Object.entries(now).filter(([key, value]) => shown[key] !== value));
      shown = now;
      if (sorted(done) !== sorted(effects) || sorted(difference) !== sorted(changed)) {
        wrong.push(`${kind} ${place}, event ${number} ${JSON.stringify(event)}: ${sorted(done)} ${sorted(difference)} instead of ${sorted(effects)} ${sorted(changed)}`);
        return;
      }
    }
  });
  return [recorded.transcripts.length, events, wrong.length, wrong.slice(0, 3)];
}"""


@proves(
    "A1 A5 A6 D1 D5 D6 E6 E7 · login, codes and registration go through the same states on the page as in the terminal"
)
def test_transcripts(visit):
    recorded = json.loads(
        (ROOT / "Tests/AccountFlowsTests/Transcripts/flow-transcripts.json").read_text()
    )
    page = visit().open("/login")
    modules = page.evaluate(
        "document.querySelector('script[type=module]').src.replace(/main\\.js$/, '')"
    )
    count, events, failures, wrong = page.evaluate(REPLAY, [recorded, modules])
    assert count >= 150 and events >= 4000 and not failures, "\n".join(
        [f"{failures} differ", *wrong]
    )
