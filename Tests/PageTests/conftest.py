"""The page in Chromium against a live controller with simulated devices, on loopback."""

import contextlib
import json
import os
import pathlib
import re
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Support"))
os.environ.setdefault(
    "THEATER_PRODUCTS", str(pathlib.Path(__file__).resolve().parents[2] / ".build/debug")
)

import pytest
from browser import add_session, launch
from controller import ROOT, Controller, instant_configuration
from playwright.sync_api import expect, sync_playwright

PASSWORD = "a long evening at the movies"
SIZES = {
    "phone": {"width": 390, "height": 844},
    "tablet": {"width": 820, "height": 1180},
    "desktop": {"width": 1440, "height": 900},
}
# Texts that would run if the page took them for markup or code.
HOSTILE = [
    "<img src=x onerror=globalThis.ran=1>",
    '"><script>globalThis.ran=1</script>',
    "<svg onload=globalThis.ran=1>",
    "javascript:globalThis.ran=1",
    "{{constructor.constructor('globalThis.ran=1')()}}",
    "</title><script>globalThis.ran=1</script>",
    "'-globalThis.ran=1-'",
    "<a href=javascript:globalThis.ran=1>x</a>",
]
# A long title, and one that is written from right to left.
LONG = "The Extraordinarily Long Evening of an Unabbreviatable-and-Unhyphenated-Projectionist " * 2
RIGHT_TO_LEFT = "סרט על הים (חלק 2): לילה ארוך!"
# Adds up the layout shifts that do not follow an input.
SHIFTS = """
  globalThis.shifts = 0;
  new PerformanceObserver((list) => {
    for (const shift of list.getEntries()) {
      if (!shift.hadRecentInput) globalThis.shifts += shift.value;
    }
  }).observe({ type: 'layout-shift', buffered: true });
"""
# The address of the page's main module. The paths of the others are relative to it.
MAIN_MODULE = "document.querySelector('script[type=module]').src"
# In milliseconds. A busy machine is slow; a test that passes rarely waits for so long.
expect.set_options(timeout=30_000)


def configuration():
    """Returns the shipped configuration for the tests.

    Its devices are 20 times as fast as real ones, some titles are hostile, one device is broken.
    """
    made = instant_configuration()
    for device in made["devices"].values():
        device["options"]["speed"] = 20
    made["devices"]["dvd"]["options"]["films"] = (
        [
            {"id": "night-ferry", "title": "Night Ferry", "duration": 600},
            {"id": "paper-moons", "title": "Paper Moons", "duration": 90},
            {"id": "the-long-hall", "title": "The Long Hall", "duration": 60},
        ]
        + [
            {"id": f"hostile-{number}", "title": text, "duration": 60}
            for number, text in enumerate(HOSTILE)
        ]
        + [
            {"id": "long", "title": LONG, "duration": 600},
            {"id": "right-to-left", "title": RIGHT_TO_LEFT, "duration": 600},
        ]
    )
    made["devices"]["cd"] = {
        "role": "cdPlayer",
        "plugin": "Simulated",
        "options": {
            "speed": 20,
            "songs": [
                {
                    "id": song.lower().replace(" ", "-"),
                    "title": song,
                    "artist": "The Sine Waves",
                    "album": "Plain Tones",
                    "duration": duration,
                }
                # A song is resumed from 20 minutes on.
                for song, duration in (
                    ("First Bus", 40),
                    ("Stairwell", 30),
                    ("Last Light", 50),
                    ("Concert", 1800),
                )
            ],
        },
    }
    # The last projector, so that the room shows the one that works.
    made["devices"]["spare"] = {
        "role": "projector",
        "plugin": "Simulated",
        "options": {"speed": 0, "faults": {"refuses": ["on"]}},
    }
    made["library"]["films"] = [
        {"id": film["id"], "title": film["title"], "duration": film["duration"], "player": "dvd"}
        for film in made["devices"]["dvd"]["options"]["films"]
    ]
    made["scenes"]["broken"] = {
        "title": "A broken evening",
        "steps": [{"lights": {"dim": 20}}, {"spare": "on"}, {"popper": "on"}],
    }
    made["scenes"]["together"] = {
        "title": "Together",
        "steps": [
            {"amp": ["on", "stereo"]},
            {"parallel": [{"lights": {"dim": 40}}, [{"screen": "up"}, {"popper": "off"}]]},
        ],
    }
    made["scenes"]["patient"] = {
        "title": "A patient evening",
        "steps": [{"lights": {"dim": 20}}, {"wait": "1 h"}, {"popper": "on"}],
    }
    made["scenes"]["hostile"] = {"title": HOSTILE[0], "steps": [{"lights": "on"}]}
    made["accounts"] = {"demo": True, "delivery": {"email": "log", "sms": "log"}}
    return made


class TheaterClient:
    """A controller with an owner, and the requests that tests send to it themselves."""

    def __init__(self, controller):
        self.controller = controller
        self.base = controller.base
        self.people = {}
        self.register("Ann", "ann@example.org", setupCode=controller.setup_code())
        self.log_in("ann@example.org")
        controller.token = self.people["ann@example.org"]

    def send(self, method, path, body=None, token=None):
        """Sends a request with the owner's session, that of `token`, or none if that is empty."""
        self.controller.token = self.people.get("ann@example.org") if token is None else token
        return self.controller.request(method, f"/api/v1{path}", body)

    def register(self, name, email, **code):
        self.send("POST", "/accounts", {"name": name, "email": email, "password": PASSWORD, **code})

    def log_in(self, email):
        self.people[email] = self.send(
            "POST", "/sessions", {"email": email, "password": PASSWORD}, token=""
        )["token"]

    def invitation(self):
        return self.send("POST", "/invitations", {})["code"]

    def member(self, name, email):
        self.register(name, email, invitation=self.invitation())

    def state(self, device, key):
        return self.send("GET", f"/devices/{device}")["state"][key]["value"]

    def wait_for(self, device, key, wanted):
        """Waits until a device reports a value, or one of which `wanted` holds."""
        holds = wanted if callable(wanted) else lambda value: value == wanted
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            # A device that has just been turned on may not report the value yet.
            with contextlib.suppress(KeyError):
                if holds(self.state(device, key)):
                    return
            time.sleep(0.02)
        assert holds(self.state(device, key)), self.state(device, key)

    def drives(self, device, plugin):
        """Returns whether a plugin drives a device, and the device can be reached."""
        plugins = self.send("GET", "/plugins")["plugins"]
        devices = next((each["devices"] for each in plugins if each["id"] == plugin), [])
        is_available = self.send("GET", f"/devices/{device}")["availability"] == "available"
        return device in devices and is_available

    def wait_for_plugin(self, device, plugin):
        """Waits until a plugin drives a device that can be reached."""
        deadline = time.monotonic() + 30
        while not self.drives(device, plugin):
            assert time.monotonic() < deadline, f"{plugin} does not drive {device}"
            time.sleep(0.02)

    def turn_off(self):
        """Ends the activity and turns everything off: each test begins in the same state."""
        if self.send("GET", "/status")["activity"]["status"] != "idle":
            self.run("/end")
        self.run("/off")

    def run(self, path, body=None):
        """Begins a run with a POST to `path`, and returns it when it has ended."""
        return self.ended_run(self.send("POST", path, body or {})["run"]["id"])

    def ended_run(self, run_id):
        """Waits, for at most 60 s, until a run has ended, and returns it."""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            run = self.send("GET", f"/runs/{run_id}")
            if run["status"] != "running":
                return run
            time.sleep(0.02)
        raise AssertionError(f"the run does not end: {run}")

    def watch(self, item="night-ferry", **body):
        """Plays a film from its start; `fromStart=False` goes on where an earlier test left it."""
        run = self.run("/watch", {"item": item, "fromStart": True, **body})
        assert run["status"] == "done", run

    def mailed_code(self, count=1):
        """Waits until the log has `count` codes, and returns the newest one."""

        def find():
            codes = re.findall(
                r"NOT SENT[^\n]*?\b(\d{6})\b",
                (self.controller.folder / "log").read_text(errors="replace"),
            )
            return codes[-1] if len(codes) >= count else None

        return self.controller.wait_for(find, seconds=30)

    def codes_sent(self):
        return len(
            re.findall(
                r"NOT SENT[^\n]*?\b\d{6}\b",
                (self.controller.folder / "log").read_text(errors="replace"),
            )
        )


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item):
    """Adds the last 60 lines of the logs of its controllers to the report of a failed test."""
    report = (yield).get_result()
    if not report.failed:
        return
    for name, value in item.funcargs.items():
        log = getattr(getattr(value, "controller", value), "folder", None)
        if log and (log / "log").exists():
            lines = (log / "log").read_text(errors="replace").splitlines()[-60:]
            report.sections.append((f"log of the controller ({name})", "\n".join(lines)))


@pytest.fixture(scope="session")
def theater():
    with Controller(configuration()) as controller:
        controller.wait_for(controller.answers)
        made = TheaterClient(controller)
        controller.wait_for(controller.plugins_are_up)
        yield made


@pytest.fixture(scope="module")
def editable():
    """A theater whose devices.json the tests may change."""
    with Controller(configuration()) as controller:
        controller.wait_for(controller.answers)
        made = TheaterClient(controller)
        controller.wait_for(controller.plugins_are_up)
        yield made


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        launched = launch(playwright.chromium)
        yield launched
        launched.close()


class Visit:
    """One browser context.

    It fails its test if the page writes to the console, sends a request to another host, or
    violates its content security policy. `expected` has the statuses that the test provokes, and
    "network" if requests may fail.
    """

    def __init__(self, browser, base, size="desktop", theme="dark", locale="en-GB", **options):
        self.base = base
        self.complaints = []
        self.expected = set()
        self.requests = []
        # `page.route` does not see a request that a service worker answers.
        options.setdefault("service_workers", "block")
        self.context = browser.new_context(
            viewport=SIZES[size],
            color_scheme=theme,
            base_url=base,
            locale=locale,
            has_touch=size != "desktop",
            **options,
        )
        self.context.add_init_script(SHIFTS)
        self.context.on("page", self.observe)
        self.page = self.context.new_page()

    def observe(self, page):
        page.on("console", self.record_console)
        page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        page.on("dialog", self.record_dialog)
        page.on("request", self.record_request)

    def record_dialog(self, dialog):
        self.complaints.append("a dialog")
        dialog.dismiss()

    def record_console(self, message):
        # Chromium logs each refused request on the console.
        status = re.search(r"the server responded with a status of (\d+)", message.text)
        if status and int(status.group(1)) in self.expected:
            return
        if message.text.startswith(
            ("Clear-Site-Data header", "Service Worker registration blocked")
        ):
            return
        if "net::ERR" in message.text and "network" in self.expected:
            return
        self.complaints.append(
            f"{message.type}: {message.text} ({message.location.get('url', '')})"
        )

    def record_request(self, request):
        self.requests.append(request.url)
        if not request.url.startswith(self.base + "/"):
            self.complaints.append(f"a request to {request.url}")

    def with_session(self, token):
        """Gives the context a session of the API."""
        add_session(self.context, self.base, token)
        return self

    def open(self, path):
        self.page.goto(path)
        self.wait_ready()
        return self.page

    def wait_ready(self):
        self.page.wait_for_selector("html[data-ready]")

    def close(self):
        assert self.page.evaluate("globalThis.ran === undefined"), "a stored text ran"
        for page in self.context.pages:
            page.unroute_all(behavior="ignoreErrors")
        self.context.close()
        assert not self.complaints, self.complaints


def with_modules(paths, function):
    """Returns the text of a JavaScript function that calls `function` with modules of the page.

    `paths` names a module, such as "model/store.js", or several in a list. `function` gets the
    exports of each, then the argument of the returned function.
    """
    listed = json.dumps([paths] if isinstance(paths, str) else paths)
    return f"""async (argument) => {{
      const main = {MAIN_MODULE};
      const modules = await Promise.all({listed}.map((path) => import(new URL(path, main))));
      return ({function})(...modules, argument);
    }}"""


def eventually(page, condition, seconds=60):
    """Waits until a condition of the test holds, while the page goes on.

    For conditions that neither `expect` nor `wait_for_function` can state.
    """
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "the condition does not come to hold"
        page.wait_for_timeout(20)


def hold(page, path, times=None):
    """Holds the first `times` requests to a path, or all.

    Returns the list to which each held route is added; the test continues them.
    """
    held = []
    page.route(f"**/api/v1{path}", lambda route: held.append(route), times=times)
    return held


def wait_held(page, held):
    """Waits for a held request, and removes it from the list of `hold`."""
    eventually(page, lambda: held)
    return held.pop()


@pytest.fixture
def visit(browser, theater):
    """Opens visits of a person without a session."""
    made = []

    def open_visit(**options):
        made.append(Visit(browser, theater.base, **options))
        return made[-1]

    yield open_visit
    for each in made:
        each.close()


@pytest.fixture
def owner(visit, theater):
    """A visit with the owner's session, and nothing on."""
    theater.turn_off()
    return visit().with_session(theater.people["ann@example.org"])


def proves(name):
    """Names a test: the requirements that it proves, then the behaviour."""

    def mark(function):
        function.__doc__ = name
        return function

    return mark


def pytest_collection_modifyitems(items):
    for item in items:
        if item.function.__doc__:
            item._nodeid = f"{item.path.name}: {item.function.__doc__}" + (
                f" [{item.callspec.id}]" if hasattr(item, "callspec") else ""
            )


@pytest.fixture(scope="session")
def vectors():
    return json.loads((ROOT / "Tests/ValidationTests/validation-vectors.json").read_text())
