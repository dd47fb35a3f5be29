"""Where a person stopped: the offer of Home, the lists, and the choice of where to begin."""

import re

from conftest import TheaterClient, Visit, configuration, proves
from controller import Controller
from playwright.sync_api import expect


def leave(theater, route, item, at):
    """Plays an item and ends it at a position."""
    theater.run(route, {"item": item, "fromStart": True})
    player = "cd" if route == "/listen" else "dvd"
    theater.send("POST", "/seek", {"to": at})
    theater.wait_for(
        player,
        "playback",
        lambda playback: playback["item"] == item and playback["position"] >= at - 1,
    )
    theater.send("POST", "/pause")
    theater.wait_for(player, "playback", lambda playback: playback["state"] == "paused")
    theater.run("/end")


@proves(
    "E10 · a film that a test starts begins at its start, also if an earlier test left it in the "
    "middle"
)
def test_start(theater):
    theater.turn_off()
    leave(theater, "/watch", "night-ferry", 200)
    theater.watch(fromStart=False)
    resumed = [theater.send("GET", "/status")["activity"].get("resumedAt", 0)]
    leave(theater, "/watch", "night-ferry", 200)
    theater.watch()
    resumed.append(theater.send("GET", "/status")["activity"].get("resumedAt", 0))
    assert resumed[0] >= 199 and resumed[1] == 0, resumed


@proves(
    "E10 E10a · Home offers to go on with what was stopped last, or from the start, and lists what "
    "was stopped before"
)
def test_offer(owner, theater):
    leave(theater, "/watch", "paper-moons", 30)
    leave(theater, "/watch", "night-ferry", 200)
    page = owner.open("/")
    hero = page.get_by_role("region", name="Night Ferry")
    expect(hero).to_contain_text(re.compile(r"[67] min left"))
    expect(hero.get_by_role("button", name="From the start")).to_be_visible()
    shelf = page.get_by_role("region", name="Where you stopped")
    first = shelf.get_by_role("button").first
    expect(first).to_have_accessible_name(re.compile("^Paper Moons, .* left$"))
    hero.get_by_role("button", name=re.compile(r"^Continue at 3:[2-3]\d$")).click()
    page.get_by_role("button", name="Pause").wait_for()
    theater.wait_for(
        "dvd",
        "playback",
        lambda playback: playback["item"] == "night-ferry" and 199 <= playback["position"] <= 260,
    )
    page.get_by_role("link", name="Close the player").click()
    # What is on is not offered; what was stopped before is.
    expect(shelf.get_by_role("button", name=re.compile("^Night Ferry"))).to_have_count(0)
    first.click()
    page.get_by_role("dialog", name="Paper Moons").get_by_role(
        "button", name="From the start"
    ).click()
    theater.wait_for(
        "dvd",
        "playback",
        lambda playback: playback["item"] == "paper-moons" and playback["position"] < 25,
    )


@proves("E10 E10a · a song that was stopped asks where to go on; another begins at once")
def test_song(owner, theater):
    songs = theater.send("GET", "/songs")["songs"]
    song = songs[-1]
    other = songs[0]
    leave(theater, "/listen", song["id"], 300)
    page = owner.open("/library?kind=music")
    row = page.get_by_role("button", name=re.compile(f"^{re.escape(song['title'])},.* left$"))
    row.click()
    page.get_by_role("dialog", name=song["title"]).get_by_role(
        "button", name=re.compile(r"^Continue at [56]:\d\d$")
    ).click()
    theater.wait_for(
        "cd",
        "playback",
        lambda playback: playback["item"] == song["id"] and playback["position"] >= 299,
    )
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.get_by_role("button", name=re.compile(f"^{re.escape(other['title'])}")).click()
    theater.wait_for("cd", "playback", lambda playback: playback["item"] == other["id"])


@proves("E10 E10a E9 · the library shows how far a film was watched, as soon as it was left")
def test_library(owner, theater):
    theater.watch()
    page = owner.open("/library")
    film = page.get_by_role("button", name=re.compile("^Night Ferry"))
    theater.send("POST", "/seek", {"to": 300})
    theater.wait_for("dvd", "playback", lambda playback: playback["position"] >= 299)
    theater.run("/end")
    expect(film).to_have_accessible_name(re.compile("^Night Ferry, [45] min left"))
    share = (
        page.locator(".poster-item", has=film)
        .locator(".seen")
        .evaluate("(node) => Number(getComputedStyle(node).getPropertyValue('--at'))")
    )
    assert 0.49 < share < 0.6, share


def starts_run(page, scene):
    return page.expect_response(f"**/api/v1/scenes/{scene}/runs")


@proves(
    "E23 · a scene that is run by hand asks where its film goes on, first in its plan, then when "
    "it is run again"
)
def test_scene(owner, theater):
    leave(theater, "/watch", "night-ferry", 200)
    page = owner.open("/scenes?scene=watch-film&item=night-ferry")
    pane = page.get_by_role("region", name="Watch a film")
    go_on = pane.get_by_role("button", name=re.compile(r"^Continue at 3:[2-3]\d$"))
    expect(go_on).to_be_visible()
    expect(pane.get_by_role("button", name="From the start")).to_be_visible()
    expect(pane.get_by_role("button", name="Run", exact=True)).to_have_count(0)
    with starts_run(page, "watch-film") as begun:
        go_on.click()
    assert begun.value.json()["resumedAt"] >= 199
    expect(pane.get_by_role("status")).to_have_text("Done.")
    theater.wait_for("dvd", "playback", lambda playback: 199 <= playback["position"] <= 260)
    assert theater.send("GET", "/status")["activity"]["resumedAt"] >= 199
    leave(theater, "/watch", "night-ferry", 300)
    pane.get_by_role("button", name="Run again").click()
    dialog = page.get_by_role("dialog", name="Watch a film")
    expect(dialog.get_by_role("button", name=re.compile(r"^Continue at 5:0\d$"))).to_be_visible()
    with starts_run(page, "watch-film") as begun:
        dialog.get_by_role("button", name="From the start").click()
    assert begun.value.request.post_data_json["fromStart"] is True
    assert "resumedAt" not in begun.value.json()
    expect(dialog).to_have_count(0)
    expect(pane.get_by_role("status")).to_have_text("Done.")
    theater.wait_for(
        "dvd",
        "playback",
        lambda playback: playback["item"] == "night-ferry" and playback["position"] < 60,
    )


@proves("E23 · from its plan a scene begins its film at the start if the person chooses that")
def test_scene_from_start(owner, theater):
    leave(theater, "/watch", "night-ferry", 200)
    page = owner.open("/scenes?scene=movie-night&item=night-ferry")
    pane = page.get_by_role("region", name="Movie night")
    with starts_run(page, "movie-night") as begun:
        pane.get_by_role("button", name="From the start").click()
    assert begun.value.request.post_data_json["fromStart"] is True
    assert "resumedAt" not in begun.value.json()
    expect(pane.get_by_role("status")).to_have_text("Done.")
    theater.wait_for("dvd", "playback", lambda playback: playback["position"] < 60)


@proves("E23 · a scene of Home whose film was stopped asks first; without a position it begins")
def test_scene_of_home(browser):
    made = configuration()
    steps = [{"dvd": ["on", {"play": {"item": "night-ferry"}}]}]
    made["scenes"]["ferry"] = {"title": "The ferry again", "steps": steps}
    with Controller(made) as controller:
        controller.wait_for(controller.answers)
        theater = TheaterClient(controller)
        controller.wait_for(controller.plugins_are_up)
        one = Visit(browser, theater.base).with_session(theater.people["ann@example.org"])
        page = one.open("/")
        with starts_run(page, "ferry"):
            page.get_by_role("button", name="The ferry again").click()
        pane = page.get_by_role("region", name="The ferry again")
        expect(pane.get_by_role("status")).to_have_text("Done.")
        leave(theater, "/watch", "night-ferry", 200)
        page = one.open("/")
        page.get_by_role("button", name="The ferry again").click()
        with starts_run(page, "ferry") as begun:
            pane.get_by_role("button", name=re.compile(r"^Continue at 3:[2-3]\d$")).click()
        assert begun.value.json()["resumedAt"] >= 199
        one.close()
