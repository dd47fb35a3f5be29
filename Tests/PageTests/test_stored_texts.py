"""Texts that try to be markup or code, stored at every place that keeps a text, on every screen that shows one."""

import itertools
import json

from conftest import ROOT, TheaterClient, Visit, configuration, proves
from controller import Controller

PAYLOADS = [
    one["text"] for one in json.loads((ROOT / "Tests/Fixtures/stored-payloads.json").read_text())
]
# What no text may become: something that runs or loads by itself.
ALIVE = """() => [...document.querySelectorAll('script:not([src]), iframe, object, embed, base, meta[http-equiv=refresh], foreignObject, animate, set, form[action], [srcdoc]'), ...document.querySelectorAll('*')]
  .filter((node) => node.matches('script, iframe, object, embed, base, meta[http-equiv=refresh], foreignObject, animate, set, form[action], [srcdoc]') ? !node.src : [...node.attributes].some(({ name, value }) => name.startsWith('on') || ['href', 'src', 'action', 'xlink:href'].includes(name) && /^\\s*javascript:/i.test(value)))
  .map((node) => node.outerHTML.slice(0, 100))"""
# Shows each text as what plays, as a device's report and as a failure: events that the leading tab passes on.
EVENTS = """async (texts) => {
  const status = await (await fetch('/api/v1/status')).json(), channel = new BroadcastChannel('theater');
  const publish = (type, value) => channel.postMessage({ type, value, id: status.event });
  for (const [i, text] of texts.entries()) {
    publish('activity', { status: i % 2 ? 'failed' : 'running', activity: text, title: text, item: text, itemTitle: text, user: text, player: 'dvd', run: text, ...(i % 2 && { error: { code: 'deviceFailed', message: text, hint: text, device: 'dvd', step: text } }) });
    const device = status.devices[i % status.devices.length];
    publish('device', { ...device, title: text, ...(i % 3 ? {} : { availability: 'unavailable', reason: text }), attributes: { note: { value: text, label: text, unit: text } }, state: { ...device.state, ...(device.state.station && { station: { value: text, provenance: 'reported', age: 0 } }), ...(device.state.input && { input: { value: text, provenance: 'reported', age: 0 } }) } });
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
    """The answer with one entry a payload in each of its lists, and a payload in each text that somebody else may have chosen."""
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
    "F5 · 200 texts with markup, code, control characters and odd scripts are shown as text and never run, wherever they are stored"
)
def test_stored_texts(browser):
    with Controller(hostile_configuration()) as controller:
        controller.wait_for(controller.answers)
        theater = TheaterClient(controller)
        controller.wait_for(controller.plugins_are_up)
        one = Visit(browser, theater.base).with_session(theater.people["ann@example.org"])
        page, texts = one.page, itertools.cycle(PAYLOADS)
        theater.send("POST", "/guests", {"activities": ["film"], "name": PAYLOADS[0]})
        for answer in ("accounts", "guests", "sessions", "audit**", "plugins", "account"):

            def poison(route):
                fetched = route.fetch()
                value = fetched.json()
                value = (
                    {**poisoned(value, texts), **({"before": None} if "entries" in value else {})}
                    if "user" not in value
                    else {"user": {**value["user"], "name": next(texts)}}
                )
                route.fulfill(status=200, content_type="application/json", body=json.dumps(value))

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
        # Runs of invented names do not exist, and a configuration of this size is not checked while it is typed.
        one.expected = {404, 413}

        def expect_inert(shown, where):
            assert not shown.evaluate(ALIVE), where

        for path in ("/library", "/library?kind=music"):
            one.open(path)
            for part in range(5):
                page.evaluate(
                    f"scrollTo(0, (document.documentElement.scrollHeight - innerHeight) * {part / 4})"
                )
                page.evaluate(
                    "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
                )
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
            other.evaluate(
                "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
            )
            expect_inert(other, path)
        assert other.evaluate("globalThis.ran === undefined")
        page.evaluate(
            "Promise.resolve().then(() => { try { document.body.innerHTML = '<i>'; globalThis.ran = 1 } catch {} }); void 0"
        )
        # The policy itself refuses markup from text; Chromium reports the attempt.
        assert [text for text in one.complaints if "TrustedHTML" in text or "Trusted Type" in text]
        one.complaints[:] = [
            text
            for text in one.complaints
            if "TrustedHTML" not in text and "Trusted Type" not in text
        ]
        one.close()
