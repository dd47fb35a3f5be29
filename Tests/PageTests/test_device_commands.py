"""Every command of every role: given in its sheet, seen in what the device reports."""

import re

import pytest
from conftest import configuration, proves
from playwright.sync_api import expect


def button(name):
    return lambda sheet: sheet.get_by_role("button", name=name, exact=True).click()


def radio(group, name):
    return lambda sheet: (
        sheet.get_by_role("radiogroup", name=group).get_by_role("radio", name=name).click()
    )


def switch(name):
    return lambda sheet: sheet.get_by_role("switch", name=name).click()


def listed(command, argument=None):
    """Sends a command from the list of all commands, for those without a control of their own."""

    def send(sheet):
        if argument:
            sheet.get_by_label(f"Value of {command}", exact=True).fill(argument)
        sheet.get_by_role("button", name=f"Send {command}", exact=True).click()

    return send


def playing(item):
    return lambda playback: playback["state"] == "playing" and playback["item"] == item


def paused(item):
    return lambda playback: playback["state"] == "paused" and playback["item"] == item


def paused_at(position):
    return lambda playback: playback["state"] == "paused" and playback["position"] == position


def stopped(playback):
    return playback["state"] == "stopped"


def popping(value):
    # The popper of the tests pops a load in a second.
    return value in ("popping", "done")


# Of each device: what it is told first, then each command with its control, the key of the state
# that it changes, the value or what holds of it, and the sentence of the sheet.
COMMANDS = {
    "popper": (
        ["off"],
        [
            ("on", button("Turn on"), "power", "on", "On"),
            ("pop", button("Pop one batch"), "popping", popping, "Popping|Ready"),
            ("off", button("Turn off"), "power", "off", "Off"),
        ],
    ),
    "lights": (
        ["off"],
        [
            ("on", button("Full"), "brightness", 100, "Fully on"),
            ("dim", listed("dim", "25"), "brightness", 25, "Dimmed to 25 %"),
            ("off", button("Off"), "brightness", 0, "Off"),
        ],
    ),
    "dvd": (
        ["on", "surroundAudio", {"play": {"item": "night-ferry"}}, "stop", "off"],
        [
            ("on", button("Turn on"), "power", "on", "On, stopped"),
            ("play", listed("play", "night-ferry"), "playback", playing("night-ferry"), "Playing"),
            ("pause", button("Pause"), "playback", paused("night-ferry"), "Paused"),
            ("seek", listed("seek", "300"), "playback", paused_at(300), "Paused"),
            ("next", button("Next"), "playback", paused_at(450), "Paused"),
            ("previous", button("Previous"), "playback", paused_at(300), "Paused"),
            ("play", button("Play"), "playback", playing("night-ferry"), "Playing"),
            ("twoChannelAudio", radio("Audio", "Two channels"), "audio", "twoChannel", "Playing"),
            ("surroundAudio", radio("Audio", "Every channel"), "audio", "surround", "Playing"),
            ("stop", button("Stop"), "playback", stopped, "On, stopped"),
            ("eject", button("Eject"), "tray", "open", "Tray open"),
            ("off", button("Turn off"), "power", "off", "Off"),
        ],
    ),
    "projector": (
        ["on", "wideScreenMode", "off"],
        [
            ("on", button("Turn on"), "power", "on", "On"),
            ("tvMode", radio("Picture", "TV"), "picture", "tv", "On"),
            ("wideScreenMode", radio("Picture", "Wide screen"), "picture", "wideScreen", "On"),
            ("off", button("Turn off"), "power", "off", "Off"),
        ],
    ),
    "cd": (
        ["on", {"play": {"item": "first-bus"}}, "stop", "off"],
        [
            ("on", button("Turn on"), "power", "on", "On, stopped"),
            ("play", listed("play", "last-light"), "playback", playing("last-light"), "Playing"),
            ("next", button("Next"), "playback", playing("concert"), "Playing concert"),
            ("pause", button("Pause"), "playback", paused("concert"), "Paused concert"),
            ("play", button("Play"), "playback", playing("concert"), "Playing concert"),
            ("pause", button("Pause"), "playback", paused("concert"), "Paused concert"),
            ("seek", listed("seek", "300"), "playback", paused_at(300), "Paused concert"),
            # The player goes to the start of a song that it has played for some seconds.
            ("previous", button("Previous"), "playback", paused_at(0), "Paused concert"),
            ("previous", button("Previous"), "playback", playing("last-light"), "Playing"),
            ("stop", button("Stop"), "playback", stopped, "On, stopped"),
            ("eject", button("Eject"), "tray", "open", "Tray open"),
            ("off", button("Turn off"), "power", "off", "Off"),
        ],
    ),
    "amp": (
        ["on", {"input": "tuner"}, "stereo", {"volume": 40}, "unmute", "off"],
        [
            ("on", button("Turn on"), "power", "on", "Tuner, stereo, volume 40 %"),
            ("input", radio("Input", "CD player"), "input", "cd", "CD player, stereo, volume 40 %"),
            ("surround", radio("Sound", "Surround"), "mode", "surround", "CD player, surround"),
            ("stereo", radio("Sound", "Stereo"), "mode", "stereo", "CD player, stereo"),
            ("volume", listed("volume", "33"), "volume", 33, "CD player, stereo, volume 33 %"),
            ("mute", switch("Mute"), "muted", True, "CD player, stereo, muted"),
            ("unmute", switch("Mute"), "muted", False, "CD player, stereo, volume 33 %"),
            ("off", button("Turn off"), "power", "off", "Off"),
        ],
    ),
    "screen": (
        ["up"],
        [
            ("down", button("Down"), "position", "moving", "Moving"),
            ("stop", button("Stop"), "position", "stopped", "Stopped at"),
            ("down", button("Down"), "position", "down", "Down"),
            ("up", button("Up"), "position", "up", "Up"),
        ],
    ),
    "tuner": (
        ["on", {"fm": 98.5}, "off"],
        [
            ("on", button("Turn on"), "power", "on", "98.5 MHz"),
            ("am", listed("am", "810"), "band", "am", "810 kHz"),
            ("frequency", listed("frequency", "900"), "frequency", 900, "900 kHz"),
            ("fm", listed("fm", "98.8"), "frequency", 98.8, "98.8 MHz"),
            ("station", listed("station", "Harbour Jazz"), "station", "Harbour Jazz", "91.2 MHz"),
            ("off", button("Turn off"), "power", "off", "Off"),
        ],
    ),
}


# Of the devices whose options in the other tests do not let each command have an effect.
OPTIONS = {
    # A film with chapters.
    "dvd": {
        "speed": 20,
        "films": [{"id": "night-ferry", "title": "Night Ferry", "duration": 600, "chapters": 4}],
    },
    # Slow enough to be stopped on its way.
    "screen": {"speed": 1},
}


@pytest.fixture
def prepared(theater):
    """Returns a function that gives a device the state in which its commands begin."""
    swapped = []

    def swap(device, options):
        body = {"plugin": "Simulated", "options": options}
        theater.send("POST", f"/devices/{device}/plugin", body)
        theater.wait_for_plugin(device, "Simulated")

    def prepare(device, commands):
        theater.turn_off()
        if device in OPTIONS:
            swapped.append(device)
            swap(device, OPTIONS[device])
        for command in commands:
            theater.send("POST", f"/devices/{device}/commands", command)

    yield prepare
    for device in swapped:
        swap(device, configuration()["devices"][device]["options"])


@proves(
    "E15 · the sheet of a device gives each of its commands, and shows what the device reports then"
)
@pytest.mark.parametrize("device", COMMANDS)
def test_every_command(visit, theater, prepared, device):
    first, steps = COMMANDS[device]
    prepared(device, first)
    one = visit(size="phone").with_session(theater.people["ann@example.org"])
    # The command that another one stops on its way is answered with it.
    one.expected = {409} if device == "screen" else set()
    page = one.open("/devices")
    page.locator(f".device-row[data-focus={device}]").click()
    sheet = page.get_by_role("dialog")
    sheet.get_by_text("All commands", exact=True).click()
    names = sheet.locator(".command .name")
    names.first.wait_for()
    # No command of the device is left out.
    assert {command for command, *_ in steps} == set(names.all_inner_texts())
    for command, give, key, wanted, sentence in steps:
        before = theater.send("GET", f"/devices/{device}")["state"].get(key, {}).get("value")
        holds = wanted if callable(wanted) else lambda value, wanted=wanted: value == wanted
        assert before is None or not holds(before), f"{key} is {before} before {command}"
        with page.expect_request(f"**/devices/{device}/commands") as sent:
            give(sheet)
        body = sent.value.post_data_json
        assert (body if isinstance(body, str) else next(iter(body))) == command
        theater.wait_for(device, key, wanted)
        reported = theater.send("GET", f"/devices/{device}")["state"][key]
        assert reported["provenance"] == "reported", reported
        expect(sheet.locator(".device-sheet > p").first).to_have_text(
            re.compile(f"^(?:.*)(?:{sentence})", re.I)
        )
