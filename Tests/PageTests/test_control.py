"""The plugin of a device, a cancelled run, and movements in the drawing of the room."""

import re

import pytest
from conftest import PASSWORD, proves, with_modules
from playwright.sync_api import expect
from test_configuration import answer
from test_screens import faults


@proves(
    "F6 F5 · names the plugin of a device with its log, and swaps it for another while everything "
    "runs"
)
def test_plugin(owner, theater):
    owner.expected = {403, 422}
    page = owner.page
    # The simulated devices log nothing.
    page.route(
        "**/devices/*/log",
        lambda route: answer(
            route,
            {
                "device": "popper",
                "plugin": "Simulated",
                "status": "running",
                "lines": ["ready", "<b>popping</b>"],
            },
        ),
    )
    owner.open("/devices")
    page.locator(".device-row", has_text="Popcorn").click()
    pane = page.get_by_role("region", name="Popcorn")
    pane.get_by_text("Plugin", exact=True).click()
    expect(pane.locator(".log")).to_have_text("ready\n<b>popping</b>")
    pane.get_by_role("button", name="Swap the plugin").click()
    dialog = page.get_by_role("dialog", name=re.compile("Another plugin"))
    # Plugins of other roles are not offered.
    expect(dialog.get_by_label("Plugin").locator("option")).to_have_text(
        ["Simulated", "MQTTDevices"]
    )
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
    dialog.get_by_label("Options as JSON").fill('{"speed": 10}')
    # No test waits for the minutes after which a login is no fresh proof any more.
    page.route(
        "**/devices/popper/plugin",
        lambda route: answer(
            route, {"error": {"code": "proofNeeded", "message": "Prove that it is you"}}, 403
        ),
        times=1,
    )
    page.keyboard.press("Enter")
    page.get_by_role("dialog", name="Is it still you?").get_by_label("Password", exact=True).fill(
        PASSWORD
    )
    page.keyboard.press("Enter")
    expect(page.get_by_text("Simulated drives Popcorn until the next start.").first).to_be_visible()
    theater.log_in("ann@example.org")
    theater.wait_for_plugin("popper", "Simulated")
    theater.send(
        "POST", "/devices/popper/plugin", {"plugin": "Simulated", "options": {"speed": 20}}
    )


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
