"""The plugin of a device, a cancelled run, and movements in the drawing of the room."""

import contextlib
import json
import re
import shutil
import sqlite3

import pytest
from conftest import (
    PASSWORD,
    TheaterClient,
    Visit,
    configuration,
    eventually,
    proves,
    with_modules,
)
from controller import ROOT, Controller
from playwright.sync_api import expect
from test_screens import faults

# Writes a line to its log, then drives lights.
NOISY = """#!/usr/bin/env python3
import pathlib, runpy, sys
print("<b>shining</b>", file=sys.stderr, flush=True)
runpy.run_path(str(pathlib.Path(__file__).with_name("lights.py")), run_name="__main__")
"""


@pytest.fixture
def noisy_theater():
    """A theater with a plugin of its user, which writes to its log; no proof is recent."""
    controller = Controller(configuration())
    folder = controller.folder / "data/theater/plugins/PythonLights"
    shutil.copytree(ROOT / "Tests/Fixtures/PythonLights", folder)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["command"] = ["./noisy.py"]
    (folder / "manifest.json").write_text(json.dumps(manifest))
    (folder / "noisy.py").write_text(NOISY)
    (folder / "noisy.py").chmod(0o755)
    with controller:
        controller.wait_for(controller.answers)
        theater = TheaterClient(controller)
        # A running controller keeps the sessions in memory.
        controller.stop()
        age_proofs(controller)
        controller.start()
        controller.wait_for(controller.answers)
        controller.wait_for(controller.plugins_are_up)
        yield theater


def age_proofs(controller):
    """Makes each proof of identity older than the five minutes for which it holds."""
    database = controller.folder / "state/theater/theater.sqlite"
    with contextlib.closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("UPDATE session SET provenSteady = provenSteady - 400000")


@proves(
    "F6 F5 · names the plugin of a device with its log, and swaps it for another while everything "
    "runs"
)
def test_plugin(browser, noisy_theater):
    theater = noisy_theater
    owner = Visit(browser, theater.base).with_session(theater.people["ann@example.org"])
    owner.expected = {403, 422}
    page = owner.open("/devices")
    page.locator(".device-row[data-focus=lights]").click()
    pane = page.get_by_role("region", name="Lights")
    pane.get_by_text("Plugin", exact=True).click()
    pane.get_by_role("button", name="Swap the plugin").click()
    dialog = page.get_by_role("dialog", name=re.compile("Another plugin"))
    # Plugins of other roles are not offered.
    offered = dialog.get_by_label("Plugin").locator("option")
    expect(offered).to_have_count(3)
    assert sorted(offered.all_inner_texts()) == ["MQTTDevices", "PythonLights", "Simulated"]
    # Another plugin is offered first; the options in devices.json are those of its own one.
    expect(dialog.get_by_label("Options as JSON")).to_have_value("")
    dialog.get_by_label("Plugin").select_option("Simulated")
    expect(dialog.get_by_label("Options as JSON")).to_have_value('{"speed":20}')
    dialog.get_by_label("Options as JSON").fill("[1]")
    page.keyboard.press("Enter")
    expect(dialog.get_by_text("Write a JSON object")).to_be_visible()
    dialog.get_by_label("Options as JSON").fill('{"speed": -5}')
    page.keyboard.press("Enter")
    expect(dialog.get_by_role("alert")).to_contain_text("speed")
    assert not faults(page)
    dialog.get_by_label("Plugin").select_option("PythonLights")
    dialog.get_by_label("Options as JSON").fill('{"start": 40}')
    page.keyboard.press("Enter")
    page.get_by_role("dialog", name="Is it still you?").get_by_label("Password", exact=True).fill(
        PASSWORD
    )
    page.keyboard.press("Enter")
    message = page.locator(".toast", has_text="PythonLights drives Lights until the next start.")
    expect(message).to_be_visible()
    # The proof has replaced the session's token.
    theater.log_in("ann@example.org")
    eventually(page, lambda: theater.send("GET", "/devices/lights/log")["lines"])
    pane.get_by_role("button", name="Reload the log").click()
    expect(pane.locator(".log")).to_have_text("<b>shining</b>")
    theater.wait_for_plugin("lights", "PythonLights")
    message.get_by_role("button").click()
    theater.wait_for_plugin("lights", "Simulated")
    owner.close()


@proves("E17 · cancels a run, says that what was done stays, and begins nothing of what follows")
@pytest.mark.parametrize("size", ["phone", "desktop"])
def test_cancel(visit, theater, size):
    theater.turn_off()
    one = visit(size=size).with_session(theater.people["ann@example.org"])
    page = one.open("/scenes?scene=patient")
    pane = page.get_by_role("region", name="A patient evening")
    with page.expect_response("**/scenes/patient/runs") as begun:
        pane.get_by_role("button", name="Run").click()
    run = begun.value.json()["run"]["id"]
    expect(pane.get_by_role("status")).to_have_text("Step 2 of 3")
    theater.wait_for("lights", "brightness", 20)
    pane.get_by_role("button", name="Cancel the run").press("Enter")
    expect(pane.get_by_role("status")).to_have_text("Cancelled. What was done stays as it is.")
    expect(pane.get_by_role("button", name="Run again")).to_be_visible()
    ended = theater.ended_run(run)
    assert ended["status"] == "cancelled"
    assert [step["status"] for step in ended["steps"]] == ["done", "cancelled", "waiting"]
    assert theater.state("lights", "brightness") == 20
    assert theater.state("popper", "power") == "off"


@proves("E17 · shows the failure of a run again after the plan, also if it is the same as before")
def test_same_failure(owner):
    page = owner.open("/scenes?scene=broken")
    pane = page.get_by_role("region", name="A broken evening")
    card = pane.locator(".error-card")
    for _ in range(2):
        pane.get_by_role("button", name="Run", exact=True).click()
        expect(card).to_contain_text(re.compile("^Projector spare: The device refuses"))
        expect(pane.get_by_role("button", name="Run again")).to_be_visible()
        pane.get_by_role("button", name="Plan", exact=True).click()
        expect(card).to_have_count(0)


# Returns what the room draws of movements that the screen and the projector report.
MOVEMENTS = """({ store }, { roomStatus, isChanging }) => {
  const { devices } = store.status;
  const report = (role, key, value, numbers) => {
    const device = devices.find((each) => each.role === role);
    device.at = performance.now();
    device.state[key] = { value, provenance: 'reported', age: 3 };
    const attributes = Object.entries(numbers).map(([name, number]) => [name, { value: number }]);
    device.attributes = Object.fromEntries(attributes);
  };
  const movement = (id) => {
    const { target, progress } = roomStatus().devices.find((device) => device.id === id);
    return [target, progress];
  };
  const moveScreen = (numbers) => {
    report('screen', 'position', 'moving', { takes: 10, ...numbers });
    return movement('screen');
  };
  const switchProjector = (power, remaining) => {
    report('projector', 'power', power, { takes: 20, remaining });
    return movement('projector')[1];
  };
  // The clock stands still, so that the progress is exact.
  performance.now = () => 60_000;
  const seen = [isChanging()];
  seen.push(...moveScreen({ remaining: 6, from: 100, towards: 0 }));
  seen.push(...moveScreen({ remaining: 6, from: 20, towards: 80, lowered: 5 }));
  seen.push(...moveScreen({ remaining: 1, from: 0, towards: 100 }));
  seen.push(...moveScreen({ remaining: 1, from: 100, towards: 0 }));
  // The room shows one projector.
  for (const device of devices) {
    if (device.role === 'projector' && device.id !== 'projector') device.role = 'none';
  }
  seen.push(switchProjector('warming', 13));
  seen.push(switchProjector('cooling', 1));
  delete performance.now;
  return [...seen, isChanging()];
}"""


@proves(
    "draws a movement by the time that the device expects for it, and as unfinished until "
    "the device reports its end"
)
def test_movement(owner):
    page = owner.open("/settings")
    modules = ["model/store.js", "room/room-status.js"]
    assert page.evaluate(with_modules(modules, MOVEMENTS)) == [
        False,
        "up",
        0.5,
        "down",
        0.5,
        "down",
        0.98,
        "up",
        0.98,
        0.5,
        0.96,
        True,
    ]
