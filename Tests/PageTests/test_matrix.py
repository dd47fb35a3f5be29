"""Every screen in every state.

It waits, fails, is empty, lies in a sheet, moves, and is reached by the keyboard.
"""

import json
import re

import pytest
from conftest import SIZES, eventually, proves
from playwright.sync_api import expect
from test_entrance import fill_login
from test_screens import (
    FIND_OVERFLOW,
    FIND_SMALL_TARGETS,
    FINISH_TRANSITIONS,
    WAIT_FOR_TRANSITIONS,
    faults,
    tab_to,
)

# The request that a screen waits for, and an answer with nothing in it.
READS = {
    "/": ("/scenes", {"scenes": []}),
    "/library": ("/films?**", {"films": [], "total": 0}),
    "/library?kind=music": ("/songs?**", {"songs": [], "total": 0}),
    "/radio": ("/stations?**", {"stations": [], "total": 0}),
    "/scenes": ("/scenes", None),
    "/people": ("/guests", {"guests": []}),
    "/plugins": ("/plugins", {"plugins": []}),
    "/account": ("/account", None),
    "/configuration": ("/configuration", None),
    "/doctor": ("/doctor", {"checks": []}),
    "/setup": ("/configuration", None),
}
BROKEN = {
    "error": {
        "code": "diskFailed",
        "message": "The disk does not answer.",
        "hint": "Look at the disk.",
    }
}


class HeldRequests:
    """Holds what a page asks for until the test answers it."""

    def __init__(self, page, address):
        self.page = page
        self.held = []
        self.address = f"**/api/v1{address}"
        self.answer = None
        page.route(self.address, self.handle)

    def handle(self, route):
        if self.answer:
            route.fulfill(**self.answer)
        else:
            self.held.append(route)

    def wait_for_request(self):
        eventually(self.page, lambda: self.held)

    def respond(self, status, value):
        """Answers all that was asked and will be."""
        self.answer = {
            "status": status,
            "content_type": "application/json",
            "body": json.dumps(value),
        }
        for route in self.held:
            route.fulfill(**self.answer)

    def release(self):
        self.page.unroute(self.address)


@proves(
    "F8 · a screen that waits says so, one that cannot read says why, one without "
    "entries says that, each accessibly"
)
def test_states(visit, theater):
    theater.turn_off()
    one = visit(size="phone").with_session(theater.people["ann@example.org"])
    one.expected = {503}
    page = one.page
    wrong = []

    def check(path, state):
        page.evaluate(WAIT_FOR_TRANSITIONS)
        wrong.extend(
            f"{path} {state}: {fault}"
            for fault in faults(page)
            + page.evaluate(FIND_OVERFLOW)
            + page.evaluate(FIND_SMALL_TARGETS)
        )

    for path, (address, empty) in READS.items():
        held = HeldRequests(page, address)
        page.goto(path)
        held.wait_for_request()
        # It comes when the wait is felt.
        page.get_by_role("heading", level=1).filter(visible=True).first.wait_for()
        page.get_by_role("status").filter(visible=True).first.wait_for()
        check(path, "loading")
        held.respond(503, BROKEN)
        one.wait_ready()
        failed = page.get_by_text("The disk does not answer").filter(visible=True)
        check(path, "failed")
        if not failed.count():
            wrong.append(f"{path} failed: does not say why")
        held.release()
        again = page.get_by_role("button", name="Try again").filter(visible=True)
        if path not in ("/", "/doctor"):
            again.first.click()
            expect(failed).to_have_count(0)
        if empty is None:
            continue
        held = HeldRequests(page, address)
        page.goto(path)
        held.wait_for_request()
        held.respond(200, empty)
        one.wait_ready()
        check(path, "empty")
        held.release()
    assert not wrong, "\n".join(wrong)


# The buttons that open a sheet, by screen.
SHEETS = {
    "/room": [
        "^Amplifier:",
        "^Tuner:",
        "^DVD player:",
        "^CD player:",
        "^Projector:",
        "^Lights:",
        "^Screen:",
        "^Popcorn:",
    ],
    "/library": ["^Night Ferry"],
    "/people": ["^Invite$", "^A ?Ann|Ann"],
    "/account": [
        "Change the name",
        "Change the e-mail address",
        "Add a phone number|Change the phone number",
        "Change the password",
    ],
    "/": ["^More$"],
}


@proves(
    "F5 F8 · every sheet is accessible, has targets for a finger, is closed by Esc, and "
    "gives the focus back"
)
def test_sheets(visit, theater):
    theater.turn_off()
    one = visit(size="phone").with_session(theater.people["ann@example.org"])
    wrong = []
    for path, openers in SHEETS.items():
        page = one.open(path)
        for name in openers:
            opener = page.get_by_role("button", name=re.compile(name)).first
            opener.focus()
            page.keyboard.press("Enter")
            page.get_by_role("dialog").wait_for()
            page.evaluate(WAIT_FOR_TRANSITIONS)
            found = faults(page)
            found += page.evaluate(FIND_SMALL_TARGETS, True)
            found += page.evaluate(FIND_OVERFLOW)
            wrong += [f"{path} {name}: {fault}" for fault in found]
            page.keyboard.press("Escape")
            expect(page.get_by_role("dialog")).to_have_count(0)
            if not opener.evaluate("(node) => node === document.activeElement"):
                wrong.append(f"{path} {name}: the focus is lost")
    assert not wrong, "\n".join(wrong)


CODE_SENT = {"request": "abcdef", "digits": 6, "validFor": 600, "resendAfter": 30}


def entrance_steps(one, theater):
    """Leads through the steps behind the first screen of each entrance; yields after each."""
    page = one.page

    def answer(path, status, value):
        page.route(f"**/api/v1{path}", lambda route: route.fulfill(status=status, json=value))

    answer("/login-codes", 202, CODE_SENT)
    answer("/password-resets", 202, CODE_SENT)
    needed = {"code": "secondFactorNeeded", "message": "A code is needed.", "hint": "Type it."}
    answer("/sessions", 401, {"error": needed})
    one.open(f"/register#{theater.invitation()}")
    page.get_by_role("heading", name="What is your name?").wait_for()
    yield "register 1"
    page.get_by_label("Name", exact=True).fill("Olena")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Enter your e-mail").wait_for()
    yield "register 2"
    page.get_by_role("textbox", name="E-mail address").fill("olena@example.org")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name=re.compile("password", re.IGNORECASE)).wait_for()
    page.keyboard.type("a b c")
    yield "register 3"
    one.open("/code")
    page.get_by_role("textbox", name="E-mail address").fill("ann@example.org")
    page.keyboard.press("Enter")
    page.get_by_label("Code of 6 digits").wait_for()
    yield "code 2"
    one.open("/reset")
    page.get_by_role("textbox", name="E-mail address").fill("ann@example.org")
    page.keyboard.press("Enter")
    page.get_by_label("Code of 6 digits").wait_for()
    yield "reset 2"
    one.open("/login")
    fill_login(page)
    page.keyboard.press("Enter")
    page.get_by_label(re.compile("Code")).first.wait_for()
    yield "second factor"


@proves(
    "D1 E7 F8 · the steps of registration, codes, reset and second factor are accessible "
    "in all sizes and themes"
)
@pytest.mark.parametrize("size", SIZES)
def test_entrance_steps(visit, theater, size):
    one = visit(size=size)
    wrong = []
    one.expected = {401}
    page = one.page
    for step in entrance_steps(one, theater):
        for theme in ("dark", "light"):
            page.emulate_media(color_scheme=theme)
            page.evaluate(FINISH_TRANSITIONS)
            wrong += [f"{step} {theme}: {fault}" for fault in faults(page)]
        wrong += [
            f"{step}: {fault}"
            for fault in page.evaluate(FIND_OVERFLOW) + page.evaluate(FIND_SMALL_TARGETS)
        ]
    assert not wrong, "\n".join(wrong)


@proves(
    "F5 F6 F8 · the keyboard alone leads through room, radio, scenes, people, account and editor"
)
def test_keyboard(visit, theater):
    theater.turn_off()
    one = visit().with_session(theater.people["ann@example.org"])
    # The answer to a frequency that the next press of a key replaces.
    one.expected = {409}
    page = one.open("/room")
    tab_to(page, "^Lights:")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog", name="Lights")).to_be_visible()
    tab_to(page, "^40 %")
    page.keyboard.press("Enter")
    theater.wait_for("lights", "brightness", 40)
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name=re.compile("^Lights:"))).to_be_focused()
    one.open("/radio")
    tab_to(page, "Harbour Jazz")
    page.keyboard.press("Enter")
    theater.wait_for("tuner", "frequency", 91.2)
    tab_to(page, "^Frequency")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    # Within reach of a station the dial stays with it.
    theater.wait_for("tuner", "frequency", lambda frequency: frequency > 91.2)
    theater.turn_off()
    one.open("/scenes")
    tab_to(page, "Movie night")
    page.keyboard.press("Enter")
    page.get_by_role("region", name=re.compile("Movie night")).wait_for()
    tab_to(page, "^(Run|From the start)$")
    page.keyboard.press("Enter")
    expect(
        page.get_by_role("region", name=re.compile("Movie night")).get_by_role("status")
    ).to_have_text("Done.")
    one.open("/people")
    tab_to(page, "^Invite$")
    page.keyboard.press("Enter")
    page.get_by_role("dialog").wait_for()
    tab_to(page, "^Create the link")
    with page.expect_response("**/api/v1/audit?*"):
        page.keyboard.press("Enter")
    expect(page.get_by_role("textbox", name="Link")).to_be_visible()
    page.keyboard.press("Escape")
    tab_to(page, "^Revoke the invitation")
    page.keyboard.press("Enter")
    tab_to(page, "^Revoke$")
    page.keyboard.press("Enter")
    expect(page.get_by_text("The invitation is revoked.").first).to_be_visible()
    one.open("/account")
    tab_to(page, "^Change the name")
    page.keyboard.press("Enter")
    page.get_by_role("dialog").wait_for()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Change the name")).to_be_focused()
    one.open("/configuration")
    editor = page.get_by_role("textbox").first
    editor.wait_for()
    for _ in range(40):
        page.keyboard.press("Tab")
        if editor.evaluate("(node) => node === document.activeElement"):
            break
    page.keyboard.press("Control+Home")
    page.keyboard.type("x")
    expect(page.get_by_text(re.compile("line 1\\b", re.IGNORECASE)).first).to_be_visible()


@proves("D1 · the keyboard alone leads through registration, code and second factor")
def test_entrance_keyboard(visit, theater):
    one = visit()
    one.expected = {401}
    assert list(entrance_steps(one, theater))[-1] == "second factor"


@proves("F8 · with normal motion the room moves, and is as accessible")
def test_moving_room(visit, theater):
    theater.turn_off()
    theater.watch()
    one = visit().with_session(theater.people["ann@example.org"])
    page = one.open("/room")
    page.wait_for_function(
        "() => document.getAnimations().some(({ animationName }) => animationName === 'flow')"
    )
    page.evaluate(WAIT_FOR_TRANSITIONS)
    assert not faults(page)
    theater.turn_off()


@proves("no more than 0.02 of the layout shifts while an activity starts, pauses, goes on and ends")
def test_shifts(visit, theater):
    one = visit().with_session(theater.people["ann@example.org"])
    moved = {}
    for path in ("/", "/player", "/room", "/devices"):
        theater.turn_off()
        page = one.open(path)
        theater.watch()
        for command, state in (("/pause", "paused"), ("/resume", "playing")):
            theater.send("POST", command)
            theater.wait_for(
                "dvd", "playback", lambda playback, state=state: playback["state"] == state
            )
            page.evaluate(WAIT_FOR_TRANSITIONS)
        theater.run("/end")
        page.evaluate(WAIT_FOR_TRANSITIONS)
        moved[path] = page.evaluate("globalThis.shifts")
    assert all(shift <= 0.02 for shift in moved.values()), moved
