"""What a redraw leaves alone: the focus, typed text, the place on the page.

Late answers and late events.
"""

import json
import os
import re
import signal

import pytest
from conftest import Visit, eventually, hold, proves, wait_held, with_modules
from playwright.sync_api import expect
from test_room import PUBLISH_EVENTS, open_following_tab
from test_theater import LongList, heading


def open_songs(owner):
    """Opens the list of 50,000 songs."""
    served = LongList(owner.page)
    owner.open("/library?kind=music")
    song(owner.page, 0).wait_for()
    return served


def song(page, number):
    return page.locator(f'[data-item="s{number}"]')


def scan(page, theater):
    """Begins a scan, and waits until the page has read the list again."""
    with page.expect_response("**/api/v1/songs?*") as answer:
        theater.send("POST", "/library/scan")
    answer.value.finished()


# Makes the page wait for ever before it shows that it loads.
NEVER_LOADING = """() => {
  const LOADING_DELAY_MS = 300;
  const wait = setTimeout;
  globalThis.setTimeout = (run, delay) => delay === LOADING_DELAY_MS ? 0 : wait(run, delay);
}"""


@proves(
    "results that arrive while an item has the focus leave it there, or else in the search field"
)
@pytest.mark.parametrize("is_slow", [False, True], ids=["quick", "slow"])
@pytest.mark.parametrize(
    "query, focused",
    [("Song 0", "[data-item=s0]"), ("Song 4999", "#find")],
    ids=["found", "missing"],
)
def test_results(owner, query, focused, is_slow):
    page = owner.page
    served = open_songs(owner)
    if not is_slow:
        page.evaluate(NEVER_LOADING)
    song(page, 0).focus()
    served.held = query
    # The person has left the field before the page asks.
    page.locator("#find").evaluate(
        "(node, query) => { node.value = query; node.dispatchEvent(new Event('input')); }", query
    )
    eventually(page, lambda: not isinstance(served.held, str))
    if is_slow:
        expect(page.locator("#found")).to_have_text("Loading the songs…")
    else:
        expect(song(page, 0)).to_be_focused()
    served.fulfil(served.held, served.asked[-1])
    expect(page.locator("#found")).to_have_text(re.compile("of 50,000 songs"))
    expect(page.locator(focused)).to_be_focused()


@proves(
    "a scan that misses the focused item gives the focus to the item in its place, or else "
    "to the search field"
)
def test_missing_item(owner, theater):
    page = owner.page
    served = open_songs(owner)
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight / 2)")
    song(page, 25_000).focus()
    place = page.evaluate("scrollY")
    del served.songs[25_000]
    scan(page, theater)
    expect(page.locator("#found")).to_have_text("49,999 songs")
    expect(song(page, 25_001)).to_be_focused()
    assert page.evaluate("scrollY") == place
    page.evaluate("scrollTo(0, 0)")
    served.songs = served.songs[:5]
    scan(page, theater)
    song(page, 4).focus()
    del served.songs[0]
    scan(page, theater)
    expect(page.locator("#found")).to_have_text("4 songs")
    expect(song(page, 4)).to_be_focused()
    del served.songs[-1]
    scan(page, theater)
    expect(page.locator("#found")).to_have_text("3 songs")
    expect(song(page, 3)).to_be_focused()
    served.songs = []
    scan(page, theater)
    expect(page.get_by_text("Nothing here yet")).to_be_visible()
    expect(page.get_by_role("searchbox")).to_be_focused()


@proves(
    "an item that is scrolled out of view has the focus again when it comes back, and "
    "arrow keys go on from it"
)
def test_scrolled_away(owner):
    page = owner.page
    open_songs(owner)
    song(page, 3).focus()
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight / 2)")
    song(page, 25_000).wait_for()
    expect(page.get_by_role("list", name="Songs")).to_be_focused()
    page.evaluate("scrollTo(0, 0)")
    expect(song(page, 3)).to_be_focused()
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight / 2)")
    song(page, 25_000).wait_for()
    page.keyboard.press("ArrowRight")
    expect(song(page, 4)).to_be_focused()
    expect(song(page, 4)).to_be_in_viewport()
    page.keyboard.press("End")
    expect(song(page, 49_999)).to_be_focused()
    # A narrow window has fewer columns, and a longer list.
    height = page.evaluate("document.documentElement.scrollHeight")
    page.set_viewport_size({"width": 600, "height": 800})
    is_longer = "(height) => document.documentElement.scrollHeight > height * 1.5"
    page.wait_for_function(is_longer, arg=height)
    eventually(
        page,
        lambda: (
            page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
            or song(page, 49_999).count()
        ),
    )
    expect(song(page, 49_999)).to_be_focused()


@proves(
    "a part of the list that arrives late takes the focus from nothing that was focused meanwhile"
)
def test_late_part(owner):
    page = owner.page
    open_songs(owner)
    held = hold(page, "/songs?*offset=49800*")
    song(page, 0).focus()
    page.keyboard.press("End")
    route = wait_held(page, held)
    # The search field would scroll the page.
    link = page.get_by_role("link", name="Radio").first
    link.focus()
    route.fallback()
    song(page, 49_999).wait_for()
    expect(link).to_be_focused()


@proves("a sheet gives the focus back to its item, also if the list was read again meanwhile")
def test_sheet(owner, theater):
    page = owner.page
    served = LongList(owner.page)
    served.songs[3]["position"] = 10
    owner.open("/library?kind=music")
    song(page, 3).click()
    page.get_by_role("dialog", name="Song 3").wait_for()
    served.songs[3] = {**served.songs[3], "title": "Renamed"}
    scan(page, theater)
    expect(song(page, 3)).to_contain_text("Renamed")
    page.keyboard.press("Escape")
    expect(song(page, 3)).to_be_focused()


@proves("a film that begins late takes nobody to the player who has closed its sheet")
def test_late_begin(owner):
    page = owner.open("/library")
    page.get_by_role("button", name=re.compile("^Paper Moons")).click()
    held = hold(page, "/activities/film")
    page.get_by_role("dialog").get_by_role(
        "button", name=re.compile("^(Watch|From the start)$")
    ).click()
    route = wait_held(page, held)
    page.keyboard.press("Escape")
    page.get_by_role("searchbox").focus()
    route.continue_()
    # It is said after the answer, when the sheet has been closed.
    expect(page.locator("#say")).to_have_text("Paper Moons begins.")
    assert "/library" in page.url
    expect(page.get_by_role("searchbox")).to_be_focused()


@proves("a device that follows what others start takes nobody away from a search or a password")
@pytest.mark.parametrize("kind", ["search", "password"])
def test_follow_typing(owner, kind):
    owner.expected = {404}  # the run of the made events
    page = open_following_tab(owner, "/library")
    page.evaluate(
        with_modules(
            "base/preferences.js",
            "({ savePreferences }) => savePreferences({ follow: true })",
        )
    )
    field = page.get_by_role("searchbox")
    if kind == "password":
        field.evaluate("(node) => { node.type = 'password'; }")
        field = page.locator("#find")
    field.focus()
    page.keyboard.type("n")
    begun = {
        "status": "starting",
        "activity": "film",
        "run": "r-9",
        "item": "night-ferry",
        "itemTitle": "Night Ferry",
    }
    owner.page.evaluate(PUBLISH_EVENTS, [["activity", begun]])
    expect(page.get_by_role("region", name="What plays")).to_contain_text("Night Ferry")
    assert "/library" in page.url
    expect(page.locator("#find")).to_have_value("n")
    # Elsewhere it follows.
    page.locator("#find").blur()
    owner.page.evaluate(PUBLISH_EVENTS, [["activity", {**begun, "run": "r-10"}]])
    page.wait_for_url("**/room")


@proves("F6 · a device that was removed from devices.json goes, and the scenes are read again")
def test_removed_device(browser, editable):
    file = editable.controller.configuration
    good = file.read_text()

    def save(change):
        made = json.loads(good)
        change(made)
        file.write_text(json.dumps(made, indent=2))

    def add_device(made):
        made["devices"]["attic"] = {"role": "lights", "plugin": "Simulated"}

    def add_scene(made):
        made["scenes"]["new"] = {"title": "A new evening", "steps": [{"lights": "on"}]}

    def ids():
        return {device["id"] for device in editable.send("GET", "/devices")["devices"]}

    one = Visit(browser, editable.base).with_session(editable.people["ann@example.org"])
    page = one.open("/devices")
    try:
        save(add_device)
        attic = page.locator(".device-row[data-focus=attic]")
        expect(attic).to_be_visible()
        followers = []
        for path in ("/", "/scenes"):
            followers.append(one.context.new_page())
            followers[-1].goto(path)
            followers[-1].wait_for_selector("html[data-ready]")
        save(add_scene)
        expect(attic).to_have_count(0)
        expect(page.get_by_text("Popcorn").first).to_be_visible()
        assert "attic" not in ids()
        for follower in followers:
            expect(follower.get_by_role("button", name=re.compile("A new evening"))).to_be_visible()
    finally:
        file.write_text(good)
    for follower in followers:
        expect(follower.get_by_role("button", name=re.compile("A new evening"))).to_have_count(0)
    one.close()


@proves(
    "a button keeps the focus when it changes to its opposite, and the end of a film "
    "leaves it in the player"
)
def test_playing(owner, theater):
    theater.watch()
    page = owner.open("/")
    page.get_by_role("button", name="Pause").press("Enter")
    expect(page.get_by_role("button", name="Resume")).to_be_focused()
    song = theater.send("GET", "/songs")["songs"][0]
    theater.run("/listen", {"item": song["id"], "fromStart": True})
    owner.open("/player")
    following = page.get_by_role("button", name="Next song")
    expect(following).to_be_enabled()
    following.press("Enter")
    expect(heading(page, song["title"])).to_have_count(0)
    expect(following).to_be_enabled()
    expect(following).to_be_focused()
    page.get_by_role("button", name="End", exact=True).press("Enter")
    heading(page, "Nothing is on").wait_for()
    expect(page.get_by_role("main")).to_be_focused()


@proves("the films that were stopped keep the focus when another comes before them")
def test_shelf(owner, theater):
    page = owner.page
    titles = ["Night Ferry", "The Long Hall", "Paper Moons"]

    def items():
        return [
            {
                "id": title.lower().replace(" ", "-"),
                "title": title,
                "position": 20 + len(titles),
                "duration": 90,
                "players": ["dvd"],
            }
            for title in titles
        ]

    page.route(
        "**/library/stopped?*",
        lambda route: route.fulfill(
            status=200, content_type="application/json", body=json.dumps({"items": items()})
        ),
    )
    owner.open("/")
    shelf = page.get_by_role("region", name="Where you stopped").get_by_role("button")
    shelf.filter(has_text="Paper Moons").focus()
    titles.insert(1, "Another")
    theater.send("POST", "/library/scan")
    expect(shelf).to_have_count(3)
    expect(shelf.filter(has_text="Paper Moons")).to_be_focused()


@proves("the controls of a device keep the focus when a key changes its state")
def test_controls(owner, theater):
    theater.send("POST", "/devices/amp/commands", "on")
    page = owner.open("/devices")
    page.locator(".device-row[data-focus=amp]").click()
    pane = page.get_by_role("region", name="Amplifier")
    mute = pane.get_by_role("switch", name="Mute")
    before = theater.state("amp", "muted")
    mute.press("Space")
    theater.wait_for("amp", "muted", not before)
    expect(pane.get_by_role("row", name=re.compile("^Mute"))).to_contain_text(
        "no" if before else "yes"
    )
    expect(mute).to_be_focused()
    mode = pane.get_by_role("radiogroup", name="Sound").get_by_role("radio", checked=True)
    was = mode.inner_text()
    mode.press("ArrowRight")
    expect(mode).not_to_have_text(was)
    theater.wait_for("amp", "mode", mode.inner_text().split()[0].lower())
    expect(pane.get_by_role("row", name=re.compile("^Sound"))).to_contain_text(
        mode.inner_text().split()[0], ignore_case=True
    )
    expect(mode).to_be_focused()


@proves("a list that is drawn again leaves the page where it was scrolled to")
def test_scrolled_list(visit, theater):
    theater.turn_off()
    one = visit(size="phone").with_session(theater.people["ann@example.org"])
    page = one.open("/devices")
    page.set_viewport_size({"width": 390, "height": 300})
    row = page.locator(".device-row[data-focus=amp]")
    row.focus()
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    place = page.evaluate("scrollY")
    expect(row).not_to_be_in_viewport()
    before = row.element_handle()
    theater.send("POST", "/devices/amp/commands", "on")
    eventually(page, lambda: not before.evaluate("(node) => node.isConnected"))
    expect(row).to_be_focused()
    assert page.evaluate("scrollY") == place


@proves("the focus stays with the buttons of a scene when it runs")
def test_scene(owner):
    page = owner.open("/scenes?scene=together")
    page.get_by_role("button", name="Run", exact=True).press("Enter")
    page.get_by_role("button", name="Run again").wait_for()
    expect(page.locator(".run-keys")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Run again")).to_be_focused()


@proves("F5 · a change of the account leaves the focus on the button that began it")
def test_account(owner):
    page = owner.open("/account")
    page.get_by_role("button", name="Change the name").press("Enter")
    with page.expect_response("**/api/v1/account"):
        page.get_by_role("dialog").get_by_role("button", name="Save").press("Enter")
    page.get_by_text("this one").wait_for()
    expect(page.get_by_role("button", name="Change the name")).to_be_focused()


@proves("a search goes on after a lost connection, in the same field")
def test_lost(owner):
    owner.expected = {"network"}
    page = owner.open("/library")
    search = page.get_by_role("searchbox")
    search.focus()
    page.keyboard.type("nig")
    page.route("**/api/v1/events", lambda route: route.abort())
    page.evaluate(with_modules("model/store.js", "(store) => store.lose()"))
    expect(search).to_be_disabled()
    page.unroute("**/api/v1/events")
    expect(search).to_be_enabled()
    expect(search).to_be_focused()
    page.keyboard.type("ht")
    expect(search).to_have_value("night")


@proves("F6 · the plugins show the newest of two answers, also if it arrives first")
def test_plugins(browser, editable):
    one = Visit(browser, editable.base).with_session(editable.people["ann@example.org"])
    page = one.open("/plugins")
    card = page.locator(".plugin", has_text="Simulated")
    expect(card.locator(".chip")).to_have_text("running")
    held = []
    waits = [True]

    def handle(route):
        # The controller answers at once; its answers wait.
        if waits:
            held.append((route, route.fetch()))
        else:
            route.continue_()

    def status(answer):
        plugins = answer.json()["plugins"]
        return next(plugin["status"] for plugin in plugins if plugin["id"] == "Simulated")

    page.route("**/api/v1/plugins", handle)
    process = next(pid for name, pid in editable.controller.processes() if name == "Simulated")
    os.kill(process, signal.SIGKILL)
    # Its devices go, and come back with its next process.
    eventually(page, lambda: len(held) > 1 and status(held[-1][1]) == "running")
    assert status(held[0][1]) != "running"
    waits.clear()
    for route, answer in reversed(held):
        with page.expect_event("requestfinished", lambda request: request.url.endswith("/plugins")):
            route.fulfill(response=answer)
    expect(card.locator(".chip")).to_have_text("running")
    expect(card).not_to_contain_text(str(process))
    editable.controller.wait_for(editable.controller.plugins_are_up)
    one.close()
