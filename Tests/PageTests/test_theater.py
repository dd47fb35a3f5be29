"""The theater itself: home, player, room, library, radio, devices, scenes, people, settings."""

import json
import re
from urllib.parse import parse_qs, urlparse

import pytest
from conftest import (
    TheaterClient,
    Visit,
    configuration,
    eventually,
    hold,
    proves,
    wait_held,
    with_modules,
)
from controller import Controller
from playwright.sync_api import expect
from test_room import PUBLISH_EVENTS, failed, open_following_tab
from test_screens import faults

# The button that starts a scene; an earlier test may have stopped its film.
BEGIN = re.compile("^(Run|From the start)$")
# The scenes of each activity: the parameter and its item, then the steps of the start, those of the
# end, and what the devices report after each.
ORDERS = {
    "film": (
        ("Film", "Night Ferry"),
        [
            "Popcorn: turn on",
            "Popcorn: pop one batch",
            "Lights: dim to 10 %",
            "Screen: down",
            "Projector: turn on",
            "Amplifier: turn on",
            "Amplifier: input DVD player",
            "Amplifier: surround sound",
            "Amplifier: volume 50 %",
            "DVD player: turn on",
            "DVD player: play Night Ferry",
        ],
        [
            "Popcorn: turn off",
            "Lights: turn on",
            "Screen: up",
            "Projector: turn off",
            "Amplifier: turn off",
            "DVD player: stop",
            "DVD player: eject",
            "DVD player: turn off",
        ],
        [
            ("popper", "power", "on"),
            ("lights", "brightness", 10),
            ("screen", "position", "down"),
            ("projector", "power", "on"),
            ("amp", "power", "on"),
            ("amp", "input", "dvd"),
            ("amp", "mode", "surround"),
            ("amp", "volume", 50),
            ("dvd", "power", "on"),
        ],
        [
            ("popper", "power", "off"),
            ("lights", "brightness", 100),
            ("screen", "position", "up"),
            ("projector", "power", "off"),
            ("amp", "power", "off"),
            ("dvd", "tray", "open"),
            ("dvd", "power", "off"),
        ],
    ),
    "music": (
        ("Song", "First Bus"),
        [
            "Amplifier: turn on",
            "Amplifier: input CD player",
            "Amplifier: stereo",
            "CD player: turn on",
            "CD player: play First Bus",
        ],
        [
            "Amplifier: turn off",
            "CD player: stop",
            "CD player: eject",
            "CD player: turn off",
        ],
        [
            ("amp", "power", "on"),
            ("amp", "input", "cd"),
            ("amp", "mode", "stereo"),
            ("cd", "power", "on"),
        ],
        [("amp", "power", "off"), ("cd", "tray", "open"), ("cd", "power", "off")],
    ),
    "radio": (
        ("Station", "Harbour Jazz"),
        [
            "Amplifier: turn on",
            "Amplifier: input Tuner",
            "Amplifier: stereo",
            "Tuner: turn on",
            "Tuner: tune to 91.2 MHz",
        ],
        ["Amplifier: turn off", "Tuner: turn off"],
        [
            ("amp", "power", "on"),
            ("amp", "input", "tuner"),
            ("amp", "mode", "stereo"),
            ("tuner", "power", "on"),
            ("tuner", "frequency", 91.2),
        ],
        [("amp", "power", "off"), ("tuner", "power", "off")],
    ),
}
SCENES = {
    "film": ("Watch a film", "End the film"),
    "music": ("Listen to music", "End the music"),
    "radio": ("Listen to the radio", "End the radio"),
}


def heading(page, name, level=1):
    return page.get_by_role("heading", name=name, level=level)


@proves(
    "E8 E9 E11 · watches a film from the home screen: scene, progress, time left, pause, seek, "
    "volume, end"
)
def test_film(owner, theater):
    page = owner.open("/")
    for name in ("Watch a film", "Listen to music", "Listen to the radio", "Popcorn"):
        expect(page.get_by_role("button", name=re.compile(f"^{name}"))).to_be_visible()
    page.get_by_role("button", name=re.compile("^Watch a film")).click()
    heading(page, "Library").wait_for()
    page.get_by_role("button", name=re.compile("^Night Ferry")).click()
    page.get_by_role("dialog").get_by_role(
        "button", name=re.compile("^(Watch|From the start)$")
    ).click()
    heading(page, "Night Ferry").wait_for()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    theater.wait_for("lights", "brightness", 10)
    theater.wait_for("screen", "position", "down")
    theater.wait_for("amp", "input", "dvd")
    theater.wait_for("amp", "mode", "surround")
    seek = page.get_by_role("slider", name="Place in the film")
    before = int(seek.input_value())
    expect(seek).not_to_have_value(str(before))
    expect(page.get_by_text("min left").first).to_be_visible()
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="Resume").wait_for()
    theater.wait_for("dvd", "playback", lambda playback: playback["state"] == "paused")
    paused = int(seek.input_value())
    page.get_by_role("button", name="Forward 30 seconds").click()
    eventually(page, lambda: paused + 28 <= int(seek.input_value()) <= paused + 32)
    seek.focus()
    page.keyboard.press("End")
    expect(seek).to_have_attribute(
        "aria-valuetext", re.compile("^10 minutes of 10 minutes|^9 minutes")
    )
    page.keyboard.press("Home")
    volume = page.get_by_role("slider", name="Volume").first
    volume.focus()
    theater.wait_for("amp", "volume", 50)
    page.keyboard.press("ArrowRight")
    theater.wait_for("amp", "volume", 51)
    page.get_by_role("button", name="Mute").click()
    theater.wait_for("amp", "muted", True)
    expect(page.get_by_role("button", name="Mute")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="Resume").click()
    page.get_by_role("button", name="Pause").wait_for()
    page.get_by_role("button", name="End", exact=True).click()
    heading(page, "Nothing is on").wait_for()
    theater.wait_for("dvd", "power", "off")
    theater.wait_for("amp", "power", "off")
    theater.wait_for("lights", "brightness", 100)


def step_words(pane):
    """Returns the words of the shown steps: of a plan, or of a run."""
    return pane.locator(".steps li .what").evaluate_all(
        "(all) => all.map((what) => what.firstChild.textContent)"
    )


@proves(
    "E12 E13 E14 · the plan and the run of each activity's start and end have every step in the "
    "order of the scenes, and the devices report them"
)
@pytest.mark.parametrize("activity", ORDERS)
def test_order(owner, theater, activity):
    (parameter, item), begin, end, begun, ended = ORDERS[activity]
    page = owner.open("/scenes")
    for title, steps, states in zip(SCENES[activity], (begin, end), (begun, ended), strict=True):
        page.locator(".scene-list").get_by_role("button", name=title).click()
        pane = page.get_by_role("region", name=title)
        expect(pane).to_contain_text("Nothing has been sent yet.")
        if steps is begin:
            pane.get_by_label(parameter).select_option(label=item)
            expect(pane.locator(".steps li").last).to_contain_text(steps[-1])
        assert step_words(pane) == steps
        pane.get_by_role("button", name=BEGIN).click()
        expect(pane.get_by_role("status")).to_have_text("Done.")
        assert step_words(pane) == steps
        for state in states:
            theater.wait_for(*state)
        playback = theater.state(
            {"film": "dvd", "music": "cd", "radio": "tuner"}[activity], "playback"
        )
        assert playback["state"] == ("playing" if steps is begin else "stopped"), playback


@proves("E8 E11 · Popcorn on Home pops one batch, and its message turns the popper off again")
def test_popcorn(owner, theater):
    page = owner.open("/")
    page.get_by_role("button", name=re.compile("^Popcorn")).click()
    theater.wait_for("popper", "power", "on")
    theater.wait_for("popper", "popping", lambda value: value in ("popping", "done"))
    message = page.locator(".toast", has_text="The popper is on.")
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Devices").click()
    row = page.locator(".device-row[data-focus=popper]")
    expect(row).to_contain_text(re.compile("popping|ready"))
    message.get_by_role("button", name="Turn off").click()
    theater.wait_for("popper", "power", "off")
    expect(row).to_contain_text("off")


@proves("E10 · goes on where a person stopped, and offers the beginning")
def test_resume(owner, theater):
    theater.watch()
    theater.send("POST", "/seek", {"to": 200})
    theater.wait_for("dvd", "playback", lambda playback: playback["position"] >= 199)
    theater.send("POST", "/pause")
    theater.wait_for("dvd", "playback", lambda playback: playback["state"] == "paused")
    theater.run("/end")
    page = owner.open("/library")
    page.get_by_role("button", name=re.compile("^Paper Moons")).click()
    page.get_by_role("dialog").get_by_role(
        "button", name=re.compile("^(Watch|From the start)$")
    ).wait_for()
    page.get_by_role("button", name="Close").click()
    page.get_by_role("button", name=re.compile("^Night Ferry")).click()
    page.get_by_role("dialog").get_by_role(
        "button", name=re.compile(r"^Continue at 3:[2-3]\d$")
    ).click()
    heading(page, "Night Ferry").wait_for()
    page.get_by_role("button", name="Pause").wait_for()
    theater.wait_for("dvd", "playback", lambda playback: 199 <= playback["position"] <= 215)
    page.get_by_role("link", name="Close the player").click()
    expect(page.get_by_text(re.compile("Resumed at 3:[23]"))).to_be_visible()
    page.get_by_role("button", name="From the start").click()
    expect(page.get_by_role("slider", name="Place")).to_have_value(re.compile(r"^\d$"))


@proves("E11 · listens to a song, which says its place in a list, and ends it")
def test_music(owner, theater):
    page = owner.open("/library?kind=music")
    song = page.get_by_role("list", name="Songs").get_by_role("button").first
    title = song.locator(".name").inner_text()
    song.click()
    start = page.get_by_role("dialog").get_by_role("button", name="From the start")
    plays = page.get_by_role("region", name="What plays")
    expect(start.or_(plays)).to_be_visible()
    if start.is_visible():  # it was stopped before
        start.click()
    expect(page.get_by_role("region", name="What plays")).to_contain_text(title)
    expect(song).to_have_attribute("data-current", "")
    theater.wait_for("amp", "input", "cd")
    theater.wait_for("amp", "mode", "stereo")
    page.get_by_role("region", name="What plays").get_by_role("link").click()
    heading(page, title).wait_for()
    page.get_by_role("button", name="Next song").click()
    expect(heading(page, title)).to_have_count(0)
    page.get_by_role("button", name="End", exact=True).click()
    heading(page, "Nothing is on").wait_for()


@proves("the bars beside a song move while it plays, and only with a connection")
def test_bars_beside_song(owner, theater):
    theater.run("/listen", {"item": "concert", "fromStart": True})
    page = owner.open("/library?kind=music")
    song = page.get_by_role("button", name=re.compile("^Concert"))
    bars = song.locator(".eq")
    expect(bars).to_be_visible()
    is_moving = """(node, connection) => {
      document.documentElement.dataset.connection = connection;
      return getComputedStyle(node.firstChild).animationPlayState;
    }"""
    assert bars.evaluate(is_moving, "lost") == "paused"
    assert bars.evaluate(is_moving, "live") == "running"
    theater.send("POST", "/pause")
    expect(bars).to_be_hidden()
    expect(song).to_have_attribute("data-current", "")


@proves("E11 E14 · tunes the radio to stations and frequencies, and ends it")
def test_radio(owner, theater):
    owner.page.clock.install()
    page = owner.open("/radio")
    expect(page.get_by_text("The radio is off.")).to_be_visible()
    page.get_by_role("button", name=re.compile("Harbour Jazz")).click()
    theater.wait_for("tuner", "frequency", 91.2)
    theater.wait_for("amp", "input", "tuner")
    expect(page.locator(".readout")).to_have_text(re.compile("91.2"))
    page.get_by_role("button", name="Next station").click()
    theater.wait_for("tuner", "frequency", 98.5)
    # The last of several quick presses counts, however long the first one takes.
    held = hold(page, "/activities/radio", times=1)
    page.get_by_role("button", name=re.compile("Harbour Jazz")).click()
    route = wait_held(page, held)
    before = sum(url.endswith("/radio") for url in owner.requests)
    page.clock.run_for(3000)
    expect(page.locator(".readout")).to_have_text(re.compile("91.2"))
    for name in ("Previous station", "Next station", "Next station"):
        page.get_by_role("button", name=name).click()
    expect(page.locator(".readout")).to_have_text(re.compile("98.5"))
    assert sum(url.endswith("/radio") for url in owner.requests) == before, "one request at a time"
    with page.expect_response(lambda answer: "Lantern Radio" in (answer.request.post_data or "")):
        route.continue_()
    theater.wait_for("tuner", "frequency", 98.5)
    expect(page.locator(".readout")).to_have_text(re.compile("98.5"))
    page.get_by_role("slider", name="Frequency").focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    theater.wait_for("tuner", "frequency", 98.8)
    expect(page.get_by_text("Between stations")).to_be_visible()
    # The choice of a band tunes as well.
    page.get_by_role("radio", name="AM").click()
    theater.wait_for("tuner", "band", "am")
    page.clock.run_for(3000)
    expect(page.get_by_role("radio", name="AM")).to_be_checked()
    page.get_by_role("button", name="Turn the radio off").click()
    theater.wait_for("tuner", "power", "off")
    expect(page.get_by_role("button", name="Listen")).to_be_visible()


@proves(
    "E14 · shows the live title of a station in the radio, the bar, the player, Home and on the "
    "lock screen"
)
def test_live_title(owner, theater):
    title = "The Quay Trio – Night Tide"
    theater.run("/radio", {"item": "Harbour Jazz"})
    page = owner.open("/radio")
    expect(page.get_by_role("region", name="Tuner")).to_contain_text(title)
    expect(page.get_by_role("region", name="What plays")).to_contain_text(title)
    page.get_by_role("region", name="What plays").get_by_role("link").click()
    heading(page, "Harbour Jazz").wait_for()
    expect(page.get_by_role("main")).to_contain_text(title)
    assert page.get_by_role("button", name="Back 10 seconds").count() == 0
    assert page.evaluate(
        "[navigator.mediaSession.metadata.title, navigator.mediaSession.metadata.artist]"
    ) == [title, "Harbour Jazz"]
    page.get_by_role("link", name="Close the player").click()
    expect(page.locator(".hero")).to_contain_text(title)


@proves("E14 · keeps presets of each person on this device, of both bands, and tunes to them")
def test_presets(owner, theater):
    page = owner.open("/radio")
    presets = page.get_by_role("region", name="Presets")
    expect(presets).to_have_count(0)
    keep = page.get_by_role("button", name="Keep as a preset")
    page.get_by_role("button", name=re.compile("Harbour Jazz")).click()
    theater.wait_for("tuner", "frequency", 91.2)
    keep.click()
    expect(keep).to_have_attribute("aria-pressed", "true")
    page.get_by_role("radio", name="AM").click()
    page.get_by_role("slider", name="Frequency").fill("900")
    expect(keep).to_have_attribute("aria-pressed", "false")
    keep.click()
    owner.open("/radio")
    expect(presets.get_by_role("button")).to_have_text(
        [re.compile("91.2.*Harbour Jazz"), re.compile("900.*900 kHz")]
    )
    presets.get_by_role("button", name=re.compile("900 kHz")).click()
    theater.wait_for("tuner", "frequency", 900)
    expect(page.get_by_role("radio", name="AM")).to_be_checked()
    presets.get_by_role("button", name=re.compile("Harbour Jazz")).click()
    theater.wait_for("tuner", "frequency", 91.2)
    expect(page.get_by_role("radio", name="FM")).to_be_checked()
    keep.click()
    expect(presets.get_by_role("button")).to_have_count(1)
    page.get_by_role("button", name="Turn the radio off").click()
    theater.wait_for("tuner", "power", "off")


@proves("E14 · AM has one raster that counts from 0, for arrow keys as for the dial")
def test_raster(owner, theater):
    page = owner.open("/radio")
    page.get_by_role("radio", name="AM").click()
    dial = page.get_by_role("slider", name="Frequency")
    dial.focus()
    page.keyboard.press("Home")
    expect(page.locator(".readout")).to_have_text(re.compile("^522"))
    page.keyboard.press("ArrowRight")
    expect(page.locator(".readout")).to_have_text(re.compile("^531"))
    expect(dial).to_have_value("531")
    page.keyboard.press("End")
    expect(page.locator(".readout")).to_have_text(re.compile("^1710"))


@proves("E15 · draws the room from what devices report; a press on a device opens its controls")
def test_room(owner, theater):
    page = owner.open("/room")
    heading(page, "Nothing is on").wait_for()
    expect(page.locator("svg.room-svg")).to_be_visible()
    names = [button.get_attribute("aria-label") for button in page.locator(".hit").all()]
    assert len(names) == 8 and names[0].startswith("Screen: up"), names
    assert page.locator("svg.room-svg .picture > g").count() == 0
    theater.watch()
    heading(page, "Night Ferry").wait_for()
    expect(page.get_by_role("button", name="Screen: down")).to_be_visible()
    expect(page.locator("svg.room-svg .picture > g svg")).to_have_count(1)
    expect(page.locator("svg.room-svg .wire-on")).to_have_count(6)
    page.get_by_role("button", name=re.compile("^Lights:")).click()
    dialog = page.get_by_role("dialog", name="Lights")
    dialog.get_by_role("button", name="40 %").click()
    theater.wait_for("lights", "brightness", 40)
    expect(dialog.get_by_role("slider", name="Brightness")).to_have_value("40")
    expect(dialog.get_by_text("reported").first).to_be_attached()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Lights: dimmed to 40 %")).to_be_focused()


@proves("E15 · lists a device's commands as the API does, and sends one with its argument")
@pytest.mark.parametrize(
    "device, name, command, value, key, wanted",
    [
        ("Amplifier", "amp", "volume", "33", "volume", 33),
        ("Lights", "lights", "dim", "25", "brightness", 25),
        ("Tuner", "tuner", "fm", "91.2", "frequency", 91.2),
        ("Screen", "screen", "down", None, "position", "down"),
    ],
)
def test_devices(owner, theater, device, name, command, value, key, wanted):
    theater.send("POST", f"/devices/{name}/commands", "on") if name != "screen" else None
    page = owner.open("/devices")
    expect(page.get_by_text("All 9 are responding")).to_be_visible()
    page.locator(".device-row", has_text=device).click()
    pane = page.get_by_role("region", name=device)
    pane.get_by_text("All commands").click()
    pane.locator(".command .name").first.wait_for()
    listed = [row.inner_text() for row in pane.locator(".command .name").all()]
    assert listed == [one["name"] for one in theater.send("GET", f"/devices/{name}")["commands"]]
    row = pane.locator(
        ".command", has=page.get_by_role("button", name=f"Send {command}", exact=True)
    )
    if value:
        row.get_by_label(f"Value of {command}").fill(value)
    row.get_by_role("button").click()
    theater.wait_for(name, key, wanted)
    expect(pane.get_by_role("table")).to_contain_text("reported")


@proves("E17 E2 · runs a scene with its steps, and says which device and step stopped one")
def test_scenes(owner, theater):
    page = owner.open("/scenes")
    pane = page.get_by_role("region", name="Watch a film")
    expect(pane).to_contain_text("Nothing has been sent yet.")
    expect(pane.locator(".steps li")).to_have_count(11)
    pane.get_by_label("Film").select_option("paper-moons")
    expect(pane.locator(".steps")).to_contain_text("play Paper Moons")
    pane.get_by_role("button", name=BEGIN).click()
    expect(pane.get_by_role("status")).to_have_text("Done.")
    expect(pane.locator('.steps li[data-status="done"]').first).to_be_visible()
    assert theater.send("GET", "/status")["activity"]["item"] == "paper-moons"
    page.get_by_role("button", name=re.compile("A broken evening")).click()
    pane = page.get_by_role("region", name="A broken evening")
    pane.get_by_role("button", name="Run").click()
    expect(pane.locator(".error-card")).to_contain_text(
        re.compile("^Projector spare: .*Step 2 of 3")
    )
    expect(pane.locator('.steps li[data-status="failed"]')).to_contain_text(
        "Projector spare: turn on"
    )
    expect(pane.get_by_role("button", name="Try again")).to_be_visible()


@proves(
    "E17 · a film that failed can be begun again or ended in the player, and its run is read "
    "again after a fault"
)
def test_failed_player(browser):
    made = configuration()
    asked = []
    made["devices"]["dvd"]["options"]["faults"] = {"refuses": ["play"]}
    with Controller(made) as controller:
        controller.wait_for(controller.answers)
        theater = TheaterClient(controller)
        controller.wait_for(controller.plugins_are_up)
        assert theater.run("/watch", {"item": "night-ferry"})["status"] == "failed"
        one = Visit(browser, theater.base).with_session(theater.people["ann@example.org"])
        one.expected = {"network"}
        one.page.route(
            "**/api/v1/runs/*",
            lambda route: (
                asked.append(1),
                route.abort() if len(asked) == 1 else route.continue_(),
            ),
        )
        page = one.open("/player")
        card = page.locator(".error-card")
        expect(card).to_contain_text("Step 11 of 11")
        with page.expect_response("**/api/v1/activities/film") as begun:
            card.get_by_role("button", name="Try again").click()
        assert begun.value.ok
        page.wait_for_function(
            """async (run) => {
              const { activity } = await (await fetch('/api/v1/status')).json();
              return activity.run === run && activity.status === 'failed';
            }""",
            arg=begun.value.json()["run"]["id"],
        )
        expect(card).to_contain_text("Step 11 of 11")
        card.get_by_role("button", name="End").click()
        heading(page, "Nothing is on").wait_for()
        one.close()


@proves("F6 · Home says why a film ended that lost a device which it needs")
def test_loss(browser):
    made = configuration()
    made["activities"]["film"]["whenFailed"] = "30 s"
    with Controller(made) as controller:
        controller.wait_for(controller.answers)
        theater = TheaterClient(controller)
        controller.wait_for(controller.plugins_are_up)
        theater.watch()
        one = Visit(browser, theater.base).with_session(theater.people["ann@example.org"])
        page = one.open("/")
        # A player that does not have the film.
        theater.send(
            "POST",
            "/devices/dvd/plugin",
            {"plugin": "Simulated", "options": {"speed": 0, "films": []}},
        )
        card = page.locator('.hero[data-status="idle"] .error-card')
        expect(card).to_contain_text(re.compile("^.*did not play for 30 s"), timeout=60_000)
        one.close()


@proves("shows the groups of a plan and of a run around their steps")
def test_groups(owner, theater):
    page = owner.open("/scenes?scene=together")
    pane = page.get_by_role("region", name="Together")
    for button in (None, "Run"):
        if button:
            pane.get_by_role("button", name=button).click()
            expect(pane.get_by_role("status")).to_have_text("Done.")
        steps = pane.locator(".steps li")
        expect(steps).to_have_count(7)
        shown = steps.evaluate_all(
            """(steps) =>
              steps.map((step) => [
                step.querySelector('.what').firstChild.textContent,
                step.style.getPropertyValue('--depth'),
              ])"""
        )
        assert shown == [
            ["Amplifier: turn on", "0"],
            ["Amplifier: stereo", "0"],
            ["At the same time", "0"],
            ["Lights: dim to 40 %", "1"],
            ["In order", "1"],
            ["Screen: up", "2"],
            ["Popcorn: turn off", "2"],
        ], shown
        lefts = steps.locator(".lamp").evaluate_all(
            "(all) => all.map((one) => one.getBoundingClientRect().left)"
        )
        assert lefts[0] == lefts[2] < lefts[3] < lefts[5], lefts


def done_steps(theater, run):
    """Returns how many steps of a run are done."""
    steps = theater.send("GET", f"/runs/{run['id']}")["steps"]
    return sum(step["status"] in ("done", "skipped") for step in steps)


@proves("E17 · ending an activity right after it was begun ends it")
def test_end_early(owner, theater):
    page = owner.open("/")
    idle = page.locator('.hero[data-status="idle"]')
    for ended_steps in (0, 1, 3, 6):
        run = theater.send("POST", "/watch", {"item": "night-ferry"})["run"]
        expect(heading(page, "Night Ferry")).to_be_visible()
        eventually(page, lambda run=run, least=ended_steps: done_steps(theater, run) >= least)
        # The button is drawn anew at each step; a press of a tenth of a second still counts.
        page.get_by_role("button", name=re.compile("^(End|Cancel)$")).first.click(delay=100)
        idle.wait_for()
        assert theater.send("GET", "/status")["activity"]["status"] == "idle"


@proves("follows what others start, and two tabs share one stream of events")
def test_follow(owner, theater):
    streams = []
    owner.context.on(
        "request", lambda request: request.url.endswith("/events") and streams.append(request)
    )
    page = owner.open("/")
    page.locator('.hero[data-status="idle"]').wait_for()
    second = owner.context.new_page()
    second.goto("/room")
    heading(second, "Nothing is on").wait_for()
    theater.watch()
    heading(page, "Night Ferry").wait_for()
    heading(second, "Night Ferry").wait_for()
    asked = [request.frame.page for request in streams]
    assert asked and all(one == asked[0] for one in asked), "one of the tabs reads the stream"
    page.close()
    owner.page = second
    theater.send("POST", "/pause")
    expect(
        second.get_by_role("region", name="What plays").get_by_role("button", name="Resume")
    ).to_be_visible()


class LongList:
    """Answers GET /songs with parts of 50,000, as the controller does, and keeps what was asked."""

    def __init__(self, page):
        self.songs = [
            {
                "id": f"s{i}",
                "title": f"Song {i}",
                "artist": "Ärzte" if i % 2 else "Band",
                "duration": 100,
                "players": ["cd"],
            }
            for i in range(50_000)
        ]
        self.asked = []
        self.open = 0
        self.most = 0
        self.held = ""
        page.route("**/api/v1/songs?**", self.answer)
        page.on("requestfinished", lambda request: self.end(request))
        page.on("requestfailed", lambda request: self.end(request))

    def end(self, request):
        self.open -= "/api/v1/songs" in request.url

    def answer(self, route):
        part = {
            key: values[0] for key, values in parse_qs(urlparse(route.request.url).query).items()
        }
        self.open += 1
        self.most = max(self.most, self.open)
        self.asked.append(part)
        if self.held and self.held == part.get("search"):
            self.held = route
            return
        self.fulfil(route, part)

    def fulfil(self, route, part):
        words = part.get("search", "").replace("arzte", "Ärzte").split()
        found = (
            [
                song
                for song in self.songs
                if all(word in f"{song['title']} {song['artist']}" for word in words)
            ]
            if words
            else self.songs
        )
        start = int(part["offset"])
        route.fulfill(
            status=200,
            content_type="application/json",
            body=json.dumps(
                {"songs": found[start : start + int(part["limit"])], "total": len(found)}
            ),
        )


@proves(
    "finds titles as they are typed, and reads and draws only the part of 50,000 songs that "
    "is in view"
)
def test_library(owner):
    page = owner.page
    served = LongList(page)
    owner.open("/library?kind=music")
    rows = page.get_by_role("list", name="Songs").get_by_role("listitem")
    expect(page.locator("#found")).to_have_text("50,000 songs")
    assert rows.count() < 120 and len(served.asked) == 1
    # Covers come when the page has time.
    expect(page.locator(".songs .cover:empty")).to_have_count(0)
    expect(page.locator(".songs .cover svg")).to_have_count(rows.count())
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    page.get_by_role("button", name=re.compile("^Song 49999")).wait_for()
    assert rows.count() < 120 and len(served.asked) <= 3
    expect(rows.last).to_have_attribute("aria-posinset", "50000")
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight / 2)")
    song = page.get_by_role("button", name=re.compile("^Song 25000"))
    song.wait_for()
    place = page.evaluate("scrollY")
    page.get_by_role("link", name="Radio").first.click()
    heading(page, "Radio").wait_for()
    page.go_back()
    song.wait_for()
    eventually(page, lambda: page.evaluate("scrollY") == place)
    page.keyboard.press("/")
    page.keyboard.type("arzte 4999")
    expect(page.locator("#found")).to_have_text("10 of 50,000 songs")
    eventually(page, lambda: page.evaluate("scrollY") == 0)
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    expect(page.locator(":focus")).to_have_attribute("aria-label", re.compile("^Song 14999"))
    page.get_by_role("searchbox").fill("nothing like this")
    page.get_by_role("button", name="Show all").click()
    expect(page.locator("#found")).to_have_text("50,000 songs")
    page.get_by_role("list", name="Songs").get_by_role("button").first.focus()
    page.keyboard.press("End")
    expect(page.locator(":focus")).to_have_attribute("aria-label", re.compile("^Song 49999"))
    assert served.most == 1, "more than one request at a time"


@proves("a scan of the library reads the list again and leaves the reader at their place")
def test_scan(owner, theater):
    page = owner.page
    served = LongList(page)
    owner.open("/library?kind=music")
    page.get_by_role("button", name=re.compile("^Song 0,")).wait_for()
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight / 2)")
    song = page.get_by_role("button", name=re.compile("^Song 25000,"))
    song.wait_for()
    song.focus()
    place = page.evaluate("scrollY")
    count = len(served.asked)
    for removed in (0, 3):
        served.songs = served.songs[: len(served.songs) - removed]
        served.songs[25_000] = {**served.songs[25_000], "title": f"Renamed {removed}"}
        theater.send("POST", "/library/scan")
        page.get_by_role("button", name=re.compile(f"^Renamed {removed},")).wait_for()
        expect(page.locator(":focus")).to_have_attribute(
            "aria-label", re.compile(f"^Renamed {removed},")
        )
        assert page.evaluate("scrollY") == place
    assert served.asked[count:] and all(
        int(part["offset"]) > 20_000 for part in served.asked[count:]
    )


@proves("drops the answer to an older search, and asks no second one meanwhile")
def test_stale_search(owner):
    page = owner.page
    page.clock.install()
    served = LongList(page)
    owner.open("/library?kind=music")
    page.get_by_role("button", name=re.compile("^Song 0,")).wait_for()
    served.held = "Song 4999"
    page.get_by_role("searchbox").fill("Song 4999")
    page.wait_for_function("() => document.querySelector('#find').value === 'Song 4999'")
    eventually(page, lambda: not isinstance(served.held, str))
    page.get_by_role("searchbox").fill("Song 777")
    page.get_by_role("searchbox").fill("Song 31415")
    count = len(served.asked)
    held = served.held
    page.clock.run_for(1000)
    assert len(served.asked) == count
    served.held = ""
    served.fulfil(held, served.asked[-1])
    expect(page.locator("#found")).to_have_text("1 of 50,000 songs")
    assert served.asked[-1]["search"] == "Song 31415" and served.most == 1
    assert [part.get("search") for part in served.asked].count("Song 777") == 0


@proves("F5 · invites a member and a guest by link, changes a person, ends sessions")
def test_people(owner, theater, visit):
    page = owner.page
    rows = []

    def with_code(route):
        answer = route.fetch()
        made = answer.json()
        rows[:] = made.setdefault("qr", ["1011" * 6 + "1", "0110" * 6 + "0"] * 12 + ["1" * 25])
        # A link that works on this machine alone has no picture.
        made["link"] = re.sub("//[^/]+", "//192.0.2.7:8080", made["link"])
        route.fulfill(status=answer.status, content_type="application/json", body=json.dumps(made))

    page.route(
        re.compile("/api/v1/invitations$"),
        lambda route: with_code(route) if route.request.method == "POST" else route.fallback(),
    )
    page = owner.open("/people")
    page.get_by_role("button", name="Invite").click()
    page.get_by_role("dialog").get_by_role("button", name="Create the link").click()
    link = page.get_by_role("textbox", name="Link").input_value()
    assert re.match(r"https?://[^/]+/register#", link)
    picture = page.get_by_role("dialog").get_by_role("img", name="QR code of the link")
    drawn = {
        (int(x) + i, int(y))
        for x, y, length in re.findall(
            r"M(\d+) (\d+)h(\d+)v1h-\3z", picture.locator("path").get_attribute("d")
        )
        for i in range(int(length))
    }
    assert drawn == {
        (x + 4, y + 4)
        for y, row in enumerate(rows)
        for x, module in enumerate(row)
        if module == "1"
    }
    assert picture.get_attribute("viewBox") == f"0 0 {len(rows) + 8} {len(rows) + 8}"
    page.keyboard.press("Escape")
    expect(page.get_by_text("Invitation as member").first).to_be_visible()
    invited = visit(size="phone").open(re.sub("^https?://[^/]+", "", link))
    invited.get_by_role("heading", name="What is your name?").wait_for()
    page.get_by_role("button", name="Revoke the invitation").first.click()
    page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    expect(page.get_by_text("The invitation is revoked.").first).to_be_visible()
    theater.member("Dora", "dora@example.org")
    owner.open("/people")
    page.get_by_role("button", name=re.compile("^D ?Dora|Dora")).click()
    page.get_by_role("dialog").get_by_role("button", name="Remove the account").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove", exact=True).click()
    expect(page.get_by_text("Dora was removed.").first).to_be_visible()
    assert "dora@example.org" not in {
        one["email"] for one in theater.send("GET", "/accounts")["accounts"]
    }


@proves("F5 · an owner ends the session of another person, and gives a guest an age limit")
def test_other_people(owner, theater):
    theater.member("Oleh", "oleh@example.org")
    theater.log_in("oleh@example.org")
    page = owner.open("/people")
    page.get_by_role("button", name=re.compile("Oleh")).click()
    sessions = page.get_by_role("dialog").get_by_role("region", name="Sessions")
    sessions.get_by_role("button", name=re.compile("^End the session")).click()
    expect(sessions).to_contain_text("Not logged in anywhere.")
    with pytest.raises(Exception, match="401"):
        theater.send("GET", "/status", token=theater.people["oleh@example.org"])
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Invite").click()
    page.get_by_role("radio", name="Guest").click()
    limit = page.get_by_role("slider", name="Titles up to")
    expect(limit).to_have_attribute("aria-valuetext", "no limit")
    limit.fill("12")
    page.get_by_role("button", name="Create the link").click()
    page.get_by_role("textbox", name="Link").wait_for()
    assert theater.send("GET", "/guests")["guests"][0]["ageLimit"] == 12
    page.keyboard.press("Escape")
    expect(page.get_by_text("Titles up to age 12")).to_be_visible()
    theater.send("DELETE", f"/guests/{theater.send('GET', '/guests')['guests'][0]['id']}")


@proves("F5 · pages back in the activity log")
def test_audit(owner, theater):
    page = owner.page
    page.route(
        "**/api/v1/audit?*",
        lambda route: route.continue_(url=route.request.url.replace("limit=40", "limit=3")),
    )
    for _ in range(4):
        theater.log_in("ann@example.org")
    # Before the first entries there are none before them.
    page.route("**/api/v1/audit?*", lambda route: route.abort(), times=1)
    owner.expected = {"network"}
    owner.open("/people")
    earlier = page.get_by_role("button", name="Show earlier entries")
    page.get_by_role("button", name="Try again").wait_for()
    expect(earlier).to_have_count(0)
    page.get_by_role("button", name="Try again").click()
    rows = page.locator(".audit li")
    expect(rows).to_have_count(3)
    earlier.press("Enter")
    expect(rows).to_have_count(6)


@proves(
    "F5 · keeps the theme and reads the library again on the settings screen, which leads to the "
    "account"
)
def test_settings(owner, theater):
    page = owner.open("/settings")
    page.get_by_role("radio", name="Matinée").click()
    assert page.evaluate("document.documentElement.dataset.theme") == "matinee"
    owner.open("/settings")
    assert page.evaluate("document.documentElement.dataset.theme") == "matinee"
    page.get_by_role("button", name="Read the library again").click()
    expect(page.get_by_text(re.compile(r"\d+ films, \d+ songs"))).to_have_count(1)
    page.get_by_role("link", name="Change your account").click()
    expect(page.get_by_text("this one")).to_be_visible()


@proves(
    "home and the room say that the connection is lost, how old the view is, and come "
    "back by themselves"
)
def test_offline(browser):
    with Controller(configuration()) as controller:
        controller.wait_for(controller.answers)
        theater = TheaterClient(controller)
        one = Visit(browser, theater.base).with_session(theater.people["ann@example.org"])
        one.expected = {"network"}
        page = one.open("/")
        room = one.context.new_page()
        room.goto("/room")
        page.locator('.hero[data-status="idle"]').wait_for()
        heading(room, "Nothing is on").wait_for()
        controller.stop()
        for shown in (page, room):
            expect(shown.get_by_text("No connection to the theater.")).to_be_visible()
            expect(shown.get_by_text(re.compile("What you see is from"))).to_be_visible()
            assert not faults(shown)
        page.get_by_role("button", name="Try now").click()
        expect(page.get_by_text("No connection to the theater.")).to_be_visible()
        controller.start()
        controller.wait_for(controller.answers)
        for shown in (page, room):
            expect(shown.get_by_text("No connection to the theater.")).to_have_count(
                0, timeout=60_000
            )
        theater.watch()
        for shown in (page, room):
            heading(shown, "Night Ferry").wait_for()
        expect(room.get_by_role("button", name=re.compile("^Lights: dimmed"))).to_be_visible()
        one.close()


@proves("shows the end of a run even if its events come before the answer that starts it")
def test_late_answer(owner, theater):
    page = owner.open("/scenes?scene=broken")
    pane = page.get_by_role("region", name="A broken evening")

    def late(route):
        answer = route.fetch()
        run = answer.json()["run"]
        started = {
            **run,
            "status": "running",
            "steps": [
                {
                    "id": step["id"],
                    "kind": step["kind"],
                    "device": step["device"],
                    "command": step["command"],
                    "status": "waiting",
                }
                for step in run["steps"]
            ],
        }
        theater.ended_run(run["id"])
        route.fulfill(
            status=202,
            content_type="application/json",
            body=json.dumps({"run": started, "event": answer.json()["event"]}),
        )

    page.route("**/runs", late)
    pane.get_by_role("button", name="Run").click()
    expect(pane.locator(".error-card")).to_contain_text("Step 2 of 3")
    expect(pane.locator('.steps li[data-status="done"]')).to_have_count(1)


# Keeps the angles of the left needle, in degrees: `rotate(12deg)` is 12.
KEEP_NEEDLES = """
  globalThis.needles = [];
  const keep = () => {
    const needle = document.querySelector('[data-k="vu-l"]');
    const degrees = parseFloat(needle?.style.transform.slice('rotate('.length));
    if (!Number.isNaN(degrees)) globalThis.needles.push(degrees);
  };
  const all = { subtree: true, attributes: true, childList: true };
  new MutationObserver(keep).observe(document, all);
"""


@proves(
    "asks for levels only while sound plays and the room is seen, on the stream of the events, and "
    "moves needles and cones with them"
)
def test_levels(owner, theater):
    theater.watch()
    room = owner.context.new_page()
    opened = []
    ended = []

    def keep(requests, request):
        if "/api/v1/events" in request.url:
            requests.append(request.url.partition("?")[2])

    room.on("request", lambda request: keep(opened, request))
    for event in ("requestfailed", "requestfinished"):
        room.on(event, lambda request: keep(ended, request))
    room.add_init_script(KEEP_NEEDLES)
    room.goto("/room")
    room.wait_for_function("() => globalThis.needles.some((degrees) => degrees > 5)")
    assert opened == ["", "levels=true"]
    eventually(room, lambda: ended == [""])
    theater.send("POST", "/pause")
    expect(room.get_by_role("button", name=re.compile("^DVD player: paused"))).to_be_visible()
    eventually(room, lambda: opened == ["", "levels=true", ""])
    theater.send("POST", "/resume")
    eventually(room, lambda: opened == ["", "levels=true", "", "levels=true"])
    # It is still the stream of the events.
    theater.send("POST", "/pause")
    expect(room.get_by_role("button", name=re.compile("^DVD player: paused"))).to_be_visible()


@proves("a tab that shows the room gets levels from the tab that holds the stream")
def test_levels_of_leading_tab(owner, theater):
    owner.open("/settings")
    theater.watch()
    room = owner.context.new_page()
    room.add_init_script(KEEP_NEEDLES)
    streams = []
    room.on("request", lambda one: streams.append(one.url) if "/api/v1/events" in one.url else None)
    room.goto("/room")
    room.wait_for_function("() => globalThis.needles.some((degrees) => degrees > 5)")
    assert not streams


@proves("eight devices of one account show the room with its levels at the same time")
def test_eight_rooms(theater, visit):
    theater.turn_off()
    theater.watch()
    token = theater.people["ann@example.org"]
    visits = []
    for _ in range(6):
        visits.append(visit().with_session(token))
    for email in ("ann@example.org",) * 2:
        theater.log_in(email)
        visits.append(visit().with_session(theater.people[email]))
    for one in visits:
        one.page.add_init_script(KEEP_NEEDLES)
        one.open("/room")
        one.page.wait_for_function("() => globalThis.needles.some((degrees) => degrees > 5)")
        expect(one.page.locator(".offline")).to_have_count(0)


@proves(
    "Home and the list of devices say of every role that its state is not known, instead of off"
)
def test_unknown(owner, theater):
    devices = theater.send("GET", "/devices")["devices"]
    page = open_following_tab(owner, "/devices")
    owner.page.evaluate(
        PUBLISH_EVENTS,
        [
            [
                "device",
                {
                    **one,
                    "state": {
                        key: {**value, "provenance": "unknown"}
                        for key, value in one["state"].items()
                    },
                },
            ]
            for one in devices
        ],
    )
    expect(page.locator(".device-row .sub")).to_have_text(["not known"] * len(devices))
    page.get_by_role("link", name="Home", exact=True).filter(visible=True).first.click()
    expect(page.locator(".chips .chip[data-known=unknown]")).to_have_text(
        [f"{name}: not known" for name in ("Lights", "Projector", "Amplifier", "Popcorn")]
    )


@proves("the controls of a device lose the card of its failure with the activity that failed")
def test_failure_over(owner):
    page = open_following_tab(owner, "/devices")
    page.locator(".device-row[data-focus=projector]").click()
    again = page.get_by_role("region", name="Projector", exact=True).get_by_role(
        "button", name="Try again"
    )
    fault = failed("projector", "the lamp does not strike", "Let it cool.")
    owner.page.evaluate(PUBLISH_EVENTS, [fault])
    expect(again).to_be_visible()
    owner.page.evaluate(
        PUBLISH_EVENTS, [["activity", {"status": "idle", "error": fault[1]["error"]}]]
    )
    expect(again).to_have_count(0)


@proves("a scene keeps no parameter of the one that was chosen before it")
def test_other_scene(owner):
    page = owner.open("/scenes?scene=broken")
    held = hold(page, "/films?*")
    page.get_by_role("button", name=re.compile("^Watch a film")).click()
    films = wait_held(page, held)
    with page.expect_response("**/scenes/broken/plan"):
        page.get_by_role("button", name=re.compile("^A broken evening")).click()
    with page.expect_response("**/api/v1/films?*") as answer:
        films.continue_()
    answer.value.finished()
    pane = page.get_by_role("region", name="A broken evening")
    with page.expect_request("**/scenes/broken/runs") as sent:
        pane.get_by_role("button", name="Run").click()
    assert sent.value.post_data_json == {"parameters": {}}
    expect(pane.locator(".error-card")).to_be_visible()


@proves(
    "E14 · a key of the player does what its button does, and on the radio sends nothing that a "
    "tuner lacks"
)
def test_player_keys(owner, theater):
    theater.watch()
    page = owner.open("/player")
    page.get_by_role("button", name="Pause").wait_for()
    page.keyboard.press("Space")
    page.get_by_role("button", name="Resume").wait_for()
    page.keyboard.press("ArrowRight")
    theater.wait_for(
        "dvd",
        "playback",
        lambda playback: playback["state"] == "paused" and playback["position"] >= 30,
    )
    theater.turn_off()
    theater.run("/radio", {"item": "Harbour Jazz"})
    heading(page, "Harbour Jazz").wait_for()
    before = len(owner.requests)
    muted = theater.state("amp", "muted")
    for is_muted in (muted, not muted):
        expect(page.get_by_role("button", name="Mute")).to_have_attribute(
            "aria-pressed", str(is_muted).lower()
        )
        for key in ("Space", "k", "ArrowLeft", "ArrowRight", "m"):
            page.keyboard.press(key)
    theater.wait_for("amp", "muted", muted)
    expect(page.get_by_role("button", name="Mute")).to_have_attribute(
        "aria-pressed", str(muted).lower()
    )
    posts = [
        url for url in owner.requests[before:] if re.search("/(pause|resume|seek|volume)$", url)
    ]
    assert [url.rpartition("/")[2] for url in posts] == ["volume", "volume"], posts
    expect(page.locator(".toast")).to_have_count(0)


@proves("presses of a seek key while a seek is under way add up")
def test_quick_seeks(owner, theater):
    theater.watch()
    page = owner.open("/player")
    held = []
    sent = []

    def hold(route):
        sent.append(route.request.post_data_json)
        held.append(route) if len(sent) == 1 else route.continue_()

    page.route("**/api/v1/seek", hold)
    page.get_by_role("button", name="Pause").wait_for()
    page.keyboard.press("ArrowRight")
    first = wait_held(page, held)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    with page.expect_request_finished(lambda request: request.post_data_json == {"by": 50}):
        first.continue_()
    assert sent == [{"by": 30}, {"by": 50}], sent
    theater.wait_for("dvd", "playback", lambda playback: playback["position"] >= 80)


@proves(
    "a message stays while the pointer is over it, also after it has lost the pointer and "
    "the focus before"
)
def test_message_stays(owner):
    page = owner.page
    page.clock.install()
    owner.open("/settings")
    page.evaluate(
        with_modules(
            "parts/toasts.js",
            "({ toast }) => { toast('The popper is on.', { label: 'Turn off' }); }",
        )
    )
    message = page.locator(".toast")
    button = message.get_by_role("button", name="Turn off")
    message.hover()
    button.focus()
    page.mouse.move(0, 0)
    button.blur()
    page.clock.run_for(5000)
    message.hover()
    page.clock.run_for(10_000)
    expect(message).to_be_visible()
    page.mouse.move(0, 0)
    page.clock.run_for(10_000)
    expect(message).to_have_count(0)
