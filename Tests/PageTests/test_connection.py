"""Tabs that share a stream, a lost connection, and following what others start."""

import json
import re

import pytest
from conftest import TheaterClient, Visit, configuration, proves
from controller import Controller
from playwright.sync_api import expect

HEADING = "() => !!document.querySelector('h1')?.textContent"
LOST = "No connection to the theater."
# A suspended tab: it keeps what it holds and says nothing.
SUSPEND = "BroadcastChannel.prototype.postMessage = () => {}"


@pytest.fixture
def own_visit(browser):
    """A visit with a controller that the test may stop."""
    with Controller(configuration()) as controller:
        controller.wait_for(controller.answers)
        theater = TheaterClient(controller)
        one = Visit(browser, theater.base).with_session(theater.people["ann@example.org"])
        one.expected = {"network"}
        one.theater = theater
        yield one
        one.close()


def status(page, wanted):
    expect(page.locator(".hero")).to_have_attribute("data-status", wanted)


@proves("a screen that was not loaded waits for the controller, and appears once it is back")
def test_absent_screen(own_visit):
    page = own_visit.open("/")
    own_visit.theater.controller.stop()
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Scenes").click()
    expect(page.get_by_role("heading", name="Scenes", level=1)).to_be_visible()
    expect(page.get_by_text(LOST)).to_be_visible()
    assert page.url.endswith("/scenes")
    own_visit.theater.controller.start()
    expect(page.get_by_role("region", name="Watch a film")).to_be_visible(timeout=60_000)
    expect(page.get_by_text(LOST)).to_have_count(0)


@proves(
    "without a connection no control can be pressed; the look of the device can still be changed"
)
def test_disabled(own_visit):
    page = own_visit.open("/settings")
    own_visit.theater.controller.stop()
    page.get_by_text(LOST).wait_for()
    expect(page.get_by_role("button", name="Turn everything off")).to_be_disabled()
    expect(page.get_by_role("radio", name="Night")).to_be_enabled()
    own_visit.theater.controller.start()
    expect(page.get_by_role("button", name="Turn everything off")).to_be_enabled(timeout=60_000)


@proves('A9 E9 · "Try now" tries at once, also in a tab that does not hold the stream')
def test_try_now(own_visit):
    page = own_visit.open("/")
    second = own_visit.context.new_page()
    second.goto("/")
    status(second, "idle")
    own_visit.theater.controller.stop()
    second.get_by_text(LOST).wait_for()
    # After one more try the tab that holds the stream waits for ever.
    page.evaluate("globalThis.setTimeout = () => 0")
    with page.expect_event("requestfailed"):
        pass
    own_visit.theater.controller.start()
    own_visit.theater.controller.wait_for(own_visit.theater.controller.answers)
    expect(second.get_by_text(LOST)).to_be_visible()
    second.get_by_role("button", name="Try now").click()
    expect(second.get_by_text(LOST)).to_have_count(0)
    expect(second.get_by_text(LOST)).to_have_count(0)


@proves("a tab takes the place of one that holds the stream and is suspended")
def test_suspended(owner, theater):
    first = owner.open("/")
    second = owner.context.new_page()
    second.clock.install()
    second.goto("/")
    status(second, "idle")
    first.evaluate(SUSPEND)
    theater.watch()
    status(first, "running")
    status(second, "idle")
    second.clock.run_for(45_000)
    # A stream that stalls is opened again after 40 s.
    expect(second.locator(".hero")).to_have_attribute("data-status", "running", timeout=60_000)
    # The first one follows now.
    theater.run("/end")
    status(first, "idle")
    status(second, "idle")


@proves("a new tab opens although the one that holds the stream is suspended")
def test_suspended_before(owner, theater):
    first = owner.open("/")
    first.evaluate(SUSPEND)
    second = owner.context.new_page()
    second.goto("/")
    status(second, "idle")


@proves("a tab that is opened while the one with the stream waits gets the state at once")
def test_new_tab(own_visit):
    page = own_visit.open("/")
    own_visit.theater.controller.stop()
    page.get_by_text(LOST).wait_for()
    page.evaluate("globalThis.setTimeout = () => 0")
    with page.expect_event("requestfailed"):
        pass
    own_visit.theater.controller.start()
    own_visit.theater.controller.wait_for(own_visit.theater.controller.answers)
    second = own_visit.context.new_page()
    second.goto("/")
    status(second, "idle")
    expect(page.get_by_text(LOST)).to_have_count(0)


@proves("says that too many pages are open, and not that there is no connection")
def test_too_many(owner):
    owner.expected = {429}
    error = {"error": {"code": "tooManyStreams", "message": "Too many streams."}}
    owner.page.route(
        "**/api/v1/events",
        lambda route: route.fulfill(
            status=429, content_type="application/json", body=json.dumps(error)
        ),
    )
    page = owner.open("/settings")
    expect(page.locator(".offline")).to_contain_text("Too many pages of the theater are open.")
    expect(page.get_by_text(LOST)).to_have_count(0)
    expect(page.get_by_role("button", name="Turn everything off")).to_be_enabled()


@proves("a device that chose to follows what another page starts, the others stay where they are")
def test_follow(owner, theater, visit):
    page = owner.open("/library")
    other = visit(size="tablet").with_session(theater.people["ann@example.org"])
    wall = other.open("/settings")
    wall.get_by_role("switch", name="Follow what others start").click()
    wall.get_by_role("link", name="Library").first.click()
    wall.get_by_role("heading", name="Library", level=1).wait_for()
    page.get_by_role("button", name=re.compile("^Paper Moons")).click()
    page.get_by_role("dialog").get_by_role(
        "button", name=re.compile("^(Watch|From the start)$")
    ).click()
    wall.wait_for_url("**/room")
    # What begins here leaves the person where they are.
    wall.go_back()
    wall.get_by_role("heading", name="Library", level=1).wait_for()
    theater.run("/end")
    wall.goto("/library?kind=music")
    wall.get_by_role("list", name="Songs").get_by_role("button").first.click()
    start = wall.get_by_role("dialog").get_by_role("button", name="From the start")
    expect(start.or_(wall.get_by_role("region", name="What plays"))).to_be_visible()
    if start.is_visible():
        start.click()
    expect(
        wall.get_by_role("region", name="What plays").get_by_role("button", name="Pause")
    ).to_be_visible()
    assert "/library" in wall.url and page.url.endswith("/player")
