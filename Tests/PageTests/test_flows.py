"""The page's login, code and registration flows against transcripts of the terminal's flows."""

import json

from conftest import ROOT, proves, with_modules

MODULES = [
    "model/login-flow.js",
    "model/code-flow.js",
    "model/registration-flow.js",
    "model/contact-settings.js",
    "model/access-token-form.js",
    "model/flow.js",
]
# Replays recorded events, and returns how many there are and where the page's state differs.
REPLAY = """async (
  { LoginFlow },
  { CodeFlow },
  { RegistrationFlow },
  { ContactSettings },
  { AccessTokenForm },
  { summary },
  recorded,
) => {
  const answer = await fetch('/api/v1/validation/blocklist');
  const { entries } = await answer.json();
  const email = { name: 'email', label: 'e-mail address', rules: [{ rule: 'email' }] };
  const form = (name) => recorded.forms.find((one) => one.name === name);
  const ann = 'ann@example.org';
  const contacts = [
    { email: ann, isEmailVerified: true },
    { email: ann, isEmailVerified: false, phone: '+49 170 1234567' },
  ];
  const newFlow = {
    login: () => new LoginFlow(),
    loginByCode: () => new LoginFlow(new CodeFlow(email)),
    code: () => new CodeFlow(email),
    registration: () => new RegistrationFlow(form('registration'), new Set(entries)),
    contacts0: () => new ContactSettings(contacts[0], form('contacts')),
    contacts1: () => new ContactSettings(contacts[1], form('contacts')),
    accessToken: () => new AccessTokenForm(form('accessToken')),
  };
  const formState = (form) => {
    const fields = [...form.fields].map(([name, { text }]) => [
      name,
      { text, display: form.display(name), isValid: form.isValid(name) },
    ]);
    return Object.fromEntries(fields);
  };
  const codeState = (flow) =>
    flow && {
      step: flow.step,
      canSubmit: flow.canSubmit,
      isLoading: flow.isLoading,
      isOver: flow.isOver,
      failure: summary(flow.failure),
      contact: flow.contact,
      code: flow.code && {
        text: flow.code.text,
        countdown: flow.code.countdown,
        canSendAgain: flow.code.canSendAgain,
        isLocked: flow.code.isLocked,
        triesLeft: flow.code.triesLeft,
      },
    };
  const loginState = (flow) => ({
    step: flow.step,
    canSubmit: flow.canSubmit,
    isLoading: flow.isLoading,
    isOver: flow.isOver,
    failure: summary(flow.failure),
    factor: flow.factor.text,
    fields: formState(flow.form),
    oneTime: codeState(flow.oneTime ?? null),
  });
  const registrationState = (flow) => ({
    step: flow.step,
    canGoOn: flow.canGoOn,
    canGoBack: flow.canGoBack,
    isLoading: flow.isLoading,
    isOver: flow.isOver,
    outcome: flow.outcome === 'failed' ? `failed ${summary(flow.failure)}` : flow.outcome,
    fields: formState(flow.form),
  });
  const contactsState = (flow) => ({
    step: flow.step,
    canRegister: flow.isEnabled('register'),
    canSendCode: flow.isEnabled('sendCode'),
    isLoading: flow.isLoading,
    isOver: flow.isOver,
    failure: summary(flow.failure),
    fields: formState(flow.form),
    email: flow.contacts.email,
    isEmailVerified: flow.contacts.isEmailVerified,
    phone: flow.contacts.phone ?? '',
    contact: flow.contact ?? null,
    code: flow.code?.text ?? null,
  });
  const tokenState = (flow) => ({
    canSubmit: flow.canSubmit,
    isOver: flow.isOver,
    fields: formState(flow.form),
  });
  const state = {
    contacts0: contactsState,
    contacts1: contactsState,
    accessToken: tokenState,
    login: loginState,
    loginByCode: loginState,
    code: codeState,
    registration: registrationState,
  };
  // The values of nested objects by path: { a: { b: 1 } } has the value 1 at "a.b".
  const flat = (value, path = '') => {
    if (value === null || typeof value !== 'object') return [[path, value]];
    const members = Object.entries(value);
    return members.flatMap(([key, inner]) => flat(inner, path ? `${path}.${key}` : key));
  };
  const sortKeys = (_, value) => {
    if (!value || typeof value !== 'object' || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).sort());
  };
  const sorted = (value) => JSON.stringify(value, sortKeys);
  const wrong = [];
  let events = 0;
  const replay = ({ flow: kind, lines }, place) => {
    const flow = newFlow[kind]();
    let shown = {};
    for (const [number, { at, event, effects, state: changed }] of lines.entries()) {
      events += 1;
      const done = flow.receive(event, at);
      const now = flat(state[kind](flow));
      const difference = Object.fromEntries(now.filter(([key, value]) => shown[key] !== value));
      shown = Object.fromEntries(now);
      if (sorted(done) !== sorted(effects) || sorted(difference) !== sorted(changed)) {
        const found = `${sorted(done)} ${sorted(difference)}`;
        const wanted = `${sorted(effects)} ${sorted(changed)}`;
        const title = `${kind} ${place}, event ${number} ${JSON.stringify(event)}`;
        wrong.push(`${title}: ${found} instead of ${wanted}`);
        return;
      }
    }
  };
  recorded.transcripts.forEach(replay);
  return [recorded.transcripts.length, events, wrong.length, wrong.slice(0, 3)];
}"""


@proves(
    "A1 A5 A6 A11 B6 B7 B8 D1 D5 D6 E6 E7 · login, codes, registration, contacts and tokens go "
    "through the same states on the page as in the terminal"
)
def test_transcripts(visit):
    recorded = json.loads(
        (ROOT / "Tests/AccountFlowsTests/Transcripts/flow-transcripts.json").read_text()
    )
    page = visit().open("/login")
    count, events, failures, wrong = page.evaluate(with_modules(MODULES, REPLAY), recorded)
    assert count >= 150 and events >= 4000 and not failures, "\n".join(
        [f"{failures} differ", *wrong]
    )
