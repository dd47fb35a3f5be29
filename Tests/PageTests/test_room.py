"""The room as it hangs on the wall: it rests, wakes, stays awake, shows what failed, and lasts."""

import itertools
import re
import time
import urllib.error

import pytest
from conftest import HOSTILE, PASSWORD, proves, with_modules
from memory_growth import PUBLISH_EVENING, slope
from playwright.sync_api import expect
from test_screens import faults

# Stands for the device, which is asked not to switch its screen off; `grant` is its answer.
WAKE_LOCK = """
  globalThis.locks = [];
  globalThis.asked = 0;
  class Lock {
    released = false;
    release() {
      this.released = true;
    }
  }
  const request = () => {
    globalThis.asked += 1;
    return new Promise((done) => {
      globalThis.grant = () => {
        const lock = new Lock();
        globalThis.locks.push(lock);
        done(lock);
      };
    });
  };
  Object.defineProperty(navigator, 'wakeLock', { value: { request } });
"""
# Passes events on, as the leading tab does.
PUBLISH_EVENTS = """async (events) => {
  const { event: id } = await (await fetch('/api/v1/status')).json();
  const channel = new BroadcastChannel('theater');
  for (const [type, value] of events) channel.postMessage({ type, value, id });
  channel.close();
}"""
# Milliseconds without input after which the room rests.
REST = 25_000


def open_following_tab(owner, path, prepare=lambda page: None):
    """Opens a screen in a tab that follows the owner's, which publishes events to it."""
    owner.open("/settings")
    page = owner.context.new_page()
    prepare(page)
    page.goto(path)
    page.wait_for_selector("html[data-ready]")
    return page


def open_following_room(owner, prepare=lambda page: None):
    room = open_following_tab(owner, "/room", prepare)
    expect(room.locator(".hit")).to_have_count(8)
    return room


def classes(page):
    return set(page.evaluate("document.body.className").split())


@proves(
    "left alone the room rests and dims; the touch or key that wakes it presses nothing; a "
    "forgotten sheet is closed"
)
def test_rest(visit, theater):
    theater.turn_off()
    one = visit(size="tablet").with_session(theater.people["ann@example.org"])
    page = one.page
    page.clock.install()
    one.open("/room")
    # The clock also goes on by itself.
    page.clock.run_for(REST - 10_000)
    assert "resting" not in classes(page)
    page.clock.run_for(10_000)
    assert {"resting", "dimmed"} <= classes(page)
    box = page.get_by_role("button", name=re.compile("^Amplifier")).bounding_box()
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.touchscreen.tap(*middle)
    page.wait_for_function("() => !document.body.classList.contains('resting')")
    page.clock.run_for(1000)
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.touchscreen.tap(*middle)
    expect(page.get_by_role("dialog", name="Amplifier")).to_be_visible()
    # A sheet holds the rest off for a while, not for good.
    page.clock.run_for(3 * REST)
    expect(page.get_by_role("dialog")).to_have_count(1)
    assert "resting" not in classes(page)
    page.clock.run_for(REST)
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert "resting" in classes(page)
    names = page.get_by_role("button", name="Show names")
    page.keyboard.press("n")
    expect(names).to_have_attribute("aria-pressed", "false")
    assert "resting" not in classes(page)
    # In the time that has passed, the page may have lost the controller for a moment.
    expect(names).to_be_enabled()
    page.keyboard.press("n")
    expect(names).to_have_attribute("aria-pressed", "true")
    page.clock.run_for(REST)
    assert "resting" in classes(page)
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Home", exact=True).filter(visible=True).first.click()
    page.locator(".hero[data-status=idle]").wait_for()
    page.clock.run_for(2 * REST)
    assert "resting" not in classes(page)
    one.open("/settings")
    page.get_by_role("switch", name="Dim the room when idle").click()
    one.open("/room")
    page.clock.run_for(REST)
    assert "resting" in classes(page) and "dimmed" not in classes(page)


@proves("the room keeps the screen awake while it is shown, and only if the settings say so")
def test_awake(owner):
    page = owner.page
    page.add_init_script(WAKE_LOCK)
    owner.open("/room")
    assert page.evaluate("asked") == 1
    page.evaluate("grant()")
    page.get_by_role("link", name="Settings").first.click()
    page.get_by_role("heading", name="Settings").wait_for()
    assert page.evaluate("locks.map((one) => one.released)") == [True]
    page.get_by_role("link", name="Room", exact=True).first.click()
    page.locator(".hit").first.wait_for()
    # Left before the device has answered.
    page.get_by_role("link", name="Settings").first.click()
    page.get_by_role("heading", name="Settings").wait_for()
    page.evaluate("grant()")
    page.wait_for_function("() => locks.length === 2 && locks[1].released")
    page.get_by_role("switch", name="Keep the screen awake").click()
    page.get_by_role("link", name="Room", exact=True).first.click()
    page.locator(".hit").first.wait_for()
    assert page.evaluate("asked") == 2


def failed(device, message, hint, **more):
    return [
        "activity",
        {
            "status": "failed",
            "activity": "film",
            "item": "night-ferry",
            "itemTitle": "Night Ferry",
            "player": "dvd",
            "error": {"code": "deviceFailed", "message": message, "hint": hint, "device": device},
            **more,
        },
    ]


@proves(
    "the room shows each failed device with what is wrong, also when that changes, and mends it"
)
def test_failures(owner, theater):
    room = open_following_room(owner)
    devices = {one["id"]: one for one in theater.send("GET", "/devices")["devices"]}

    def publish(*events):
        owner.page.evaluate(PUBLISH_EVENTS, list(events))

    def silent(name):
        lost = {"availability": "unavailable", "reason": f"{name} does not answer"}
        return ["device", {**devices[name], **lost}]

    cards = room.locator(".trouble")
    publish(failed("projector", "the lamp does not strike", "Let it cool for two minutes."))
    expect(cards).to_have_count(1)
    expect(room.get_by_role("group", name="Projector: The lamp does not strike.")).to_contain_text(
        "Let it cool"
    )
    publish(failed("projector", HOSTILE[0], "Clean the filter."), silent("amp"), silent("dvd"))
    expect(cards).to_have_count(3)
    expect(room.get_by_role("group", name=re.compile("^Projector:"))).to_contain_text(
        "Clean the filter."
    )
    expect(room.get_by_role("group", name="Amplifier: amp does not answer")).to_be_visible()
    boxes = [card.bounding_box() for card in cards.all()]
    for one, other in itertools.combinations(boxes, 2):
        is_above = one["y"] + one["height"] <= other["y"]
        is_below = other["y"] + other["height"] <= one["y"]
        is_left = one["x"] + one["width"] <= other["x"]
        is_right = other["x"] + other["width"] <= one["x"]
        assert is_above or is_below or is_left or is_right, boxes
    expect(room.locator("#say-now")).to_contain_text("Amplifier: amp does not answer")
    room.get_by_role("group", name="Amplifier: amp does not answer").get_by_role(
        "button", name="Fix"
    ).click()
    expect(room.get_by_role("dialog", name="Amplifier")).to_contain_text("does not answer")
    room.keyboard.press("Escape")
    publish(silent("lights"))
    expect(cards).to_have_count(1)
    expect(cards).to_contain_text("4 devices need help")
    publish(*[["device", devices[name]] for name in ("amp", "dvd", "lights")])
    expect(cards).to_have_count(1)
    # Another device of the role failed than the one that is usually drawn.
    publish(failed("spare", "the spare one does not strike", "Let it cool."))
    expect(
        room.get_by_role("group", name=re.compile("^Projector spare: The spare one"))
    ).to_be_visible()
    cards.get_by_role("button", name="Try again").click()
    expect(cards).to_have_count(0)
    room.get_by_role("heading", name="Night Ferry").wait_for()
    theater.wait_for("dvd", "playback", lambda playback: playback["item"] == "night-ferry")


HOURS = 8
EVENTS = 300  # an hour
DAY_KB = 1024


@proves("the heap of the room does not grow over hours of events")
def test_memory(owner):
    # To a clock that runs ahead each hour is a silent stream: the page opens another one, perhaps
    # before the controller has noticed the end of the last ones.
    owner.expected = {429}
    room = open_following_room(owner, lambda page: page.clock.install())
    session = owner.context.new_cdp_session(room)
    sizes = []
    for _ in range(HOURS):
        owner.page.evaluate(PUBLISH_EVENING, EVENTS)
        room.clock.run_for(60_000)
        room.clock.fast_forward(59 * 60_000)
        session.send("HeapProfiler.collectGarbage")
        sizes.append(session.send("Runtime.getHeapUsage")["usedSize"] / 1024)
    assert room.evaluate(
        "document.querySelector('.hit[data-device=lights]').getAttribute('aria-label')"
    ).startswith("Lights: dimmed to")
    # The first hours fill caches.
    assert slope(sizes[2:]) * 24 <= DAY_KB, sizes


COUNT_STYLE_CHANGES = """() => {
  globalThis.changes = 0;
  const count = (changes) => {
    globalThis.changes += changes.length;
  };
  new MutationObserver(count).observe(document.documentElement, { attributeFilter: ['style'] });
}"""


@proves(
    "the room does not recolor the page while it is shown; the next screen has the color of "
    "the film, the radio that of its station"
)
@pytest.mark.parametrize("name", ["Scenes", "Radio"])
def test_color(owner, name):
    room = open_following_room(owner)

    def color():
        return room.evaluate("document.documentElement.style.getPropertyValue('--glow-a')")

    def publish_film(run):
        film = {
            "status": "running",
            "activity": "film",
            "title": "Watch a film",
            "item": "paper-moons",
            "itemTitle": "Paper Moons",
            "player": "dvd",
            "run": run,
        }
        owner.page.evaluate(PUBLISH_EVENTS, [["activity", film]])

    publish_film("1")
    expect(room.get_by_role("heading", name="Paper Moons")).to_be_visible()
    assert color() == "#8d5c87"
    room.get_by_role("link", name=name).click()
    room.wait_for_selector(f"html[data-ready={name.lower()}]")
    shown = color()
    of_film = "#6097a5"
    if name == "Scenes":
        assert shown == of_film
    else:
        assert shown not in ("#8d5c87", of_film)
    room.evaluate(COUNT_STYLE_CHANGES)
    publish_film("2")
    room.wait_for_function(
        with_modules("model/store.js", "(store) => store.activity().run === '2'")
    )
    assert color() == shown and room.evaluate("globalThis.changes") == 0


@proves(
    "F5 · an owner makes a device a wall tablet: it shows the room and plays, changes "
    "nothing else, and ends when it is revoked"
)
def test_wall_tablet(visit, theater):
    theater.turn_off()
    token = theater.send(
        "POST", "/sessions", {"email": "ann@example.org", "password": PASSWORD}, token=""
    )["token"]
    one = visit(size="tablet").with_session(token)
    one.expected = {401, 403}
    page = one.open("/settings")
    page.get_by_role("button", name="Make this device a wall tablet").click()
    page.get_by_role("dialog").get_by_role("button", name="Begin").click()
    page.get_by_role("heading", name="Nothing is on").wait_for()
    assert page.evaluate("location.pathname") == "/room"
    with pytest.raises(urllib.error.HTTPError):
        theater.send("GET", "/sessions/current", token=token)
    cookie = next(one for one in one.context.cookies() if one["name"] == "theater")
    assert cookie["expires"] - time.time() > 399 * 86_400 and cookie["httpOnly"]
    for path, status in (("/accounts", 403), ("/plugins", 403), ("/devices", 200)):
        assert (
            page.evaluate("(path) => fetch('/api/v1' + path).then((answer) => answer.status)", path)
            == status
        ), path
    expect(page.get_by_role("link", name="People")).to_have_count(0)
    one.open("/library")
    page.get_by_role("button", name=re.compile("^Night Ferry")).click()
    page.get_by_role("dialog").get_by_role(
        "button", name=re.compile("^(From the start|Watch)$")
    ).click()
    page.get_by_role("button", name="Pause").wait_for()
    expect(one.open("/settings").get_by_text("This device is a wall tablet.")).to_be_visible()
    one.open("/room")
    made = next(one for one in theater.send("GET", "/guests")["guests"] if one.get("wallTablet"))
    other = visit().with_session(theater.people["ann@example.org"]).open("/people")
    other.get_by_role("button", name=re.compile("Wall tablet")).click()
    other.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    page.get_by_role("button", name="Log in").wait_for()
    assert made["id"] not in {one["id"] for one in theater.send("GET", "/guests")["guests"]}


@proves("F5 · a wall tablet has the age limit that its owner chose")
def test_wall_tablet_limit(visit, theater):
    theater.turn_off()
    token = theater.send(
        "POST", "/sessions", {"email": "ann@example.org", "password": PASSWORD}, token=""
    )["token"]
    one = visit(size="tablet").with_session(token)
    one.expected = {401}
    page = one.open("/settings")
    page.get_by_role("button", name="Make this device a wall tablet").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("slider", name="Titles up to").fill("12")
    assert not faults(page)
    dialog.get_by_role("button", name="Begin").click()
    page.get_by_role("heading", name="Nothing is on").wait_for()
    made = next(one for one in theater.send("GET", "/guests")["guests"] if one.get("wallTablet"))
    assert made["ageLimit"] == 12
    other = visit().with_session(theater.people["ann@example.org"]).open("/people")
    expect(other.get_by_text("Wall tablet · Titles up to age 12")).to_be_visible()
    theater.send("DELETE", f"/guests/{made['id']}")
    page.get_by_role("button", name="Log in").wait_for()
