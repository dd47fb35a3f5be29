"""Texts that try to be markup or code, at every place that keeps a text.

They are shown on every screen that shows one.
"""

import itertools
import json

from conftest import ROOT, TheaterClient, Visit, configuration, proves
from controller import Controller

PAYLOADS = [
    one["text"] for one in json.loads((ROOT / "Tests/Fixtures/stored-payloads.json").read_text())
]
# What no text may become: something that runs or loads by itself.
ALIVE = """() => {
  const ACTIVE = [
    ...['script', 'iframe', 'object', 'embed', 'base', 'meta[http-equiv=refresh]'],
    ...['foreignObject', 'animate', 'set', 'form[action]', '[srcdoc]'],
  ].join();
  const ADDRESSES = ['href', 'src', 'action', 'xlink:href'];
  const runs = ({ name, value }) =>
    name.startsWith('on') || (ADDRESSES.includes(name) && /^\\s*javascript:/i.test(value));
  // The page's own scripts come from its files.
  const isAlive = (node) => {
    if (node.matches(ACTIVE)) return !node.matches('script[src]');
    return [...node.attributes].some(runs);
  };
  const alive = [...document.querySelectorAll('*')].filter(isAlive);
  return alive.map((node) => node.outerHTML.slice(0, 100));
}"""
NEXT_FRAME = """() =>
  new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"""
SCROLL_TO_SHARE = """(share) =>
  scrollTo(0, (document.documentElement.scrollHeight - innerHeight) * share)"""
# Publishes each text as the current item, as a device's report and as a failure.
EVENTS = """async (texts) => {
  const status = await (await fetch('/api/v1/status')).json();
  const channel = new BroadcastChannel('theater');
  const publish = (type, value) => channel.postMessage({ type, value, id: status.event });
  const activity = (text) => ({
    status: 'running',
    activity: text,
    title: text,
    item: text,
    itemTitle: text,
    user: text,
    player: 'dvd',
    run: text,
  });
  const failure = (text) => ({
    status: 'failed',
    error: { code: 'deviceFailed', message: text, hint: text, device: 'dvd', step: text },
  });
  const report = (device, text) => {
    const state = { ...device.state };
    for (const key of ['station', 'input']) {
      if (state[key]) state[key] = { value: text, provenance: 'reported', age: 0 };
    }
    const attributes = { note: { value: text, label: text, unit: text } };
    return { ...device, title: text, attributes, state };
  };
  for (const [i, text] of texts.entries()) {
    publish('activity', { ...activity(text), ...(i % 2 ? failure(text) : {}) });
    const device = status.devices[i % status.devices.length];
    const reason = i % 3 ? {} : { availability: 'unavailable', reason: text };
    publish('device', { ...report(device, text), ...reason });
    await new Promise((done) => setTimeout(done));
  }
  channel.close();
}"""


def hostile_configuration():
    made = configuration()
    films = [{"id": f"p{i}", "title": text, "duration": 60} for i, text in enumerate(PAYLOADS)]
    made["devices"]["dvd"]["options"]["films"] = films
    made["library"]["films"] = [{**film, "player": "dvd"} for film in films]
    made["library"]["stations"] = [
        {"title": text, "fm": round(80 + i / 10, 1), "player": "tuner"}
        for i, text in enumerate(PAYLOADS)
    ]
    made["devices"]["cd"]["options"]["songs"] = [
        {"id": f"s{i}", "title": text, "duration": 60} for i, text in enumerate(PAYLOADS)
    ]
    made["scenes"].update(
        {f"p{i}": {"title": text, "steps": [{"lights": "on"}]} for i, text in enumerate(PAYLOADS)}
    )
    return made


def poisoned(value, texts):
    """Returns an answer with payloads in each text that somebody else may have chosen.

    Each of its lists has one entry a payload.
    """
    if isinstance(value, dict):
        return {
            key: next(texts)
            if isinstance(item, str)
            and key
            in (
                "name",
                "device",
                "address",
                "message",
                "hint",
                "subject",
                "who",
                "reason",
                "version",
            )
            else poisoned(item, texts)
            for key, item in value.items()
        }
    if isinstance(value, list) and value:
        return [
            poisoned(value[0], texts) if isinstance(value[0], dict) else next(texts)
            for _ in PAYLOADS
        ]
    return value


@proves(
    "F5 · 200 texts with markup, code, control characters and odd scripts are shown as text and "
    "never run, wherever they are stored"
)
def test_stored_texts(browser):
    with Controller(hostile_configuration()) as controller:
        controller.wait_for(controller.answers)
        theater = TheaterClient(controller)
        controller.wait_for(controller.plugins_are_up)
        one = Visit(browser, theater.base).with_session(theater.people["ann@example.org"])
        page = one.page
        texts = itertools.cycle(PAYLOADS)
        theater.send("POST", "/guests", {"activities": ["film"], "name": PAYLOADS[0]})
        for answer in ("accounts", "guests", "sessions", "audit**", "plugins", "account"):

            def poison(route):
                fetched = route.fetch()
                value = fetched.json()
                if "user" in value:
                    value["user"]["name"] = next(texts)
                    value = {"user": value["user"]}
                else:
                    value = poisoned(value, texts)
                if "entries" in value:
                    value["before"] = None
                route.fulfill(json=value)

            page.route(f"**/api/v1/{answer}", poison)

        page.route(
            "**/api/v1/doctor",
            lambda route: route.fulfill(
                status=200,
                content_type="application/json",
                body=json.dumps(
                    {
                        "checks": [
                            {"name": text, "status": "warning", "message": text, "hint": text}
                            for text in PAYLOADS
                        ]
                    }
                ),
            ),
        )
        # Runs of invented names do not exist, and a configuration of this size is not checked
        # while it is typed.
        one.expected = {404, 413}

        def expect_inert(shown, where):
            assert not shown.evaluate(ALIVE), where

        for path in ("/library", "/library?kind=music"):
            one.open(path)
            for part in range(5):
                page.evaluate(SCROLL_TO_SHARE, part / 4)
                page.evaluate(NEXT_FRAME)
                expect_inert(page, path)
        page.evaluate("scrollTo(0, 0)")
        for path in (
            "/radio",
            "/scenes",
            "/people",
            "/plugins",
            "/account",
            "/doctor",
            "/settings",
            "/configuration",
        ):
            one.open(path)
            expect_inert(page, path)
        other = one.context.new_page()
        # The first two draw a whole room each time.
        for path, texts in (
            ("/", PAYLOADS[::12]),
            ("/room", PAYLOADS[5::12]),
            ("/player", PAYLOADS[::2]),
            ("/devices", PAYLOADS[1::2]),
        ):
            other.goto(path)
            other.wait_for_selector("html[data-ready]")
            page.evaluate(EVENTS, texts)
            other.evaluate(NEXT_FRAME)
            expect_inert(other, path)
        assert other.evaluate("globalThis.ran === undefined")
        page.evaluate(
            """() => {
              const write = () => {
                try {
                  document.body.innerHTML = '<i>';
                  globalThis.ran = 1;
                } catch {}
              };
              Promise.resolve().then(write);
            }"""
        )
        # The policy itself refuses markup from text; Chromium reports the attempt.
        assert [text for text in one.complaints if "TrustedHTML" in text or "Trusted Type" in text]
        one.complaints[:] = [
            text
            for text in one.complaints
            if "TrustedHTML" not in text and "Trusted Type" not in text
        ]
        one.close()
