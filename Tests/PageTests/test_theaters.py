"""The page on other theaters: two rooms, a lamp and a projector, and the shipped one renamed."""

import difflib
import json
import re
from contextlib import contextmanager

import pytest
from conftest import (
    SIZES,
    TheaterClient,
    Visit,
    configuration,
    eventually,
    proves,
    with_modules,
)
from controller import ROOT, Controller
from playwright.sync_api import expect
from test_screens import FIND_OVERFLOW, FIND_SMALL_TARGETS, faults
from theaters import Renaming, fixture_configuration

SCREENS = ["/", "/room", "/player", "/library", "/radio", "/scenes", "/devices", "/people"]
LOUNGE = ["Großes Kino", "4K night", "Put a record on", "Gaming", "Popcorn cart"]
KITCHEN = ["Kitchen radio", "Kitchen music"]


@contextmanager
def running(made):
    """A controller with a configuration, and its owner."""
    with Controller(made) as controller:
        controller.wait_for(controller.answers)
        client = TheaterClient(controller)
        controller.wait_for(controller.plugins_are_up)
        yield client


@pytest.fixture(scope="module")
def house():
    with running(fixture_configuration("house")) as client:
        yield client


@pytest.fixture(scope="module")
def minimal():
    with running(fixture_configuration("minimal")) as client:
        yield client


def crowded_configuration():
    """Returns the house with activities that share a player, a tuner in each room, and more.

    One activity is of lamps in two rooms, one fails in the kitchen; nobody names the player of one
    film.
    """
    made = fixture_configuration("house")
    made["devices"]["lounge-tuner"] = {
        "role": "tuner",
        "plugin": "Simulated",
        "title": "Lounge tuner",
        "options": {"speed": 0},
    }
    made["devices"]["stove-lamp"] = {
        "role": "lights",
        "plugin": "Simulated",
        "title": "Stove lamp",
        "options": {"speed": 0, "faults": {"refuses": ["on"]}},
    }
    made["rooms"]["lounge"]["devices"].append("lounge-tuner")
    made["rooms"]["kitchen"]["devices"].append("stove-lamp")
    play_film = {"bluray": ["on", {"play": {"item": "$film"}}]}
    play_station = {"lounge-tuner": ["on", {"station": "$station"}]}
    scenes = {
        "bright": {"parameters": {"film": "film"}, "steps": [{"ceiling": "on"}, play_film]},
        "bright-over": {"steps": [{"bluray": ["stop", "off"]}]},
        "waves": {"parameters": {"station": "station"}, "steps": [play_station]},
        "waves-over": {"steps": [{"lounge-tuner": "off"}]},
        "party": {"steps": [{"ceiling": "on"}, {"kitchen-light": "on"}]},
        "party-over": {"steps": [{"ceiling": "off"}, {"kitchen-light": "off"}]},
        "cook": {"steps": [{"stove-lamp": "on"}]},
        "cook-over": {"steps": [{"stove-lamp": "off"}]},
    }
    made["scenes"] |= scenes
    titles = {"bright": "Film with the lights on", "waves": "Lounge radio", "party": "Party"}
    players = {"bright": "bluray", "waves": "lounge-tuner"}
    for name in ("bright", "waves", "party", "cook"):
        made["activities"][name] = {
            "title": titles.get(name, "Cook"),
            "start": name,
            "end": f"{name}-over",
            **({"player": players[name]} if name in players else {}),
        }
    made["library"]["films"] = [{"id": "loose-reel", "title": "Loose Reel", "duration": 60}]
    made["library"]["stations"] += [
        {"title": "Night Wave", "fm": 101.1, "player": "lounge-tuner"},
        {"title": "Kitchen Wave", "fm": 104.3, "player": "kitchen-tuner"},
    ]
    return made


@pytest.fixture(scope="module")
def crowded():
    with running(crowded_configuration()) as client:
        yield client


@pytest.fixture
def open_visit(browser):
    """Opens visits of a theater's owner, with nothing on."""
    made = []

    def open_visit(client, **options):
        for room in client.send("GET", "/rooms")["rooms"]:
            if room["activity"]["status"] != "idle":
                client.run(f"/rooms/{room['name']}/end")
        client.run("/off")
        visit = Visit(browser, client.base, **options)
        made.append(visit)
        return visit.with_session(client.people["ann@example.org"])

    yield open_visit
    for each in made:
        each.close()


def names_of(locator):
    return [re.sub(r"\s+", " ", text).strip() for text in locator.all_inner_texts()]


def tiles(page):
    return names_of(page.locator(".tile .name"))


def places(page):
    """Returns the screens of the navigation."""
    return names_of(page.locator(".rail [data-place]"))


def choose_room(page, name):
    choice = page.get_by_role("radio", name=re.compile(f"^{name}"))
    choice.click()
    expect(choice).to_be_checked()


# ---- what the theater has ----
@proves(
    "E22 · Home offers every activity of the file with its drawing or icon, the other room's "
    "below its title, and scenes that are no start or end of one"
)
def test_home(house, open_visit):
    page = open_visit(house).open("/")
    expect(page.locator(".tile")).to_have_count(len(LOUNGE + KITCHEN))
    assert tiles(page) == LOUNGE + KITCHEN
    assert page.locator(".tile .art").evaluate_all(
        "(all) => all.map(({ dataset }) => dataset.tile)"
    ) == ["film", "film", "music", "plain", "popcorn", "radio", "music"]
    expect(page.get_by_role("heading", name="Kitchen", level=3)).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("^Gaming"))).to_contain_text(
        "Big screen, Beamer"
    )
    scenes = names_of(page.locator(".scene-tile .name"))
    assert scenes == [f"Mood {number}" for number in range(1, 9)]
    expect(page.get_by_role("link", name="All scenes: 25")).to_be_visible()
    assert {"Library", "Radio"} <= set(places(page))
    choose_room(page, "Kitchen")
    expect(page.locator(".tile").first).to_contain_text("Kitchen radio")
    assert tiles(page) == KITCHEN + LOUNGE[:-1]
    expect(page.locator(".scene-tile")).to_have_count(0)


@proves(
    "E22 · a theater without players has no Library and no Radio; its activity begins, is on and "
    "ends from Home"
)
@pytest.mark.parametrize("size", SIZES)
def test_minimal(minimal, open_visit, size):
    page = open_visit(minimal, size=size).open("/")
    assert places(page) == ["Home", "Room", "Scenes", "Devices", "People", "Plugins", "Settings"]
    if size == "phone":
        assert names_of(page.locator(".tabs [data-place]")) == ["Home", "Room", "Scenes", "Devices"]
    expect(page.get_by_role("radiogroup")).to_have_count(0)
    page.get_by_role("button", name=re.compile("^Slides")).click()
    hero = page.locator(".hero")
    expect(hero).to_contain_text("On now")
    expect(hero.get_by_role("heading", name="Slides")).to_be_visible()
    minimal.wait_for("lamp", "brightness", 20)
    minimal.wait_for("beamer", "power", "on")
    expect(page.locator(".tile[data-on]")).to_contain_text("On now")
    expect(page.locator(".room-card ~ .chips")).to_contain_text("Lamp: dimmed to 20 %")
    hero.get_by_role("button", name="End").click()
    expect(page.get_by_role("heading", name="Nothing is on")).to_be_visible()
    minimal.wait_for("beamer", "power", "off")


@proves(
    "E22 · scenes are tiles with icons in the order of the file, found by a search; ends of "
    "activities stand apart"
)
def test_scenes(house, open_visit):
    page = open_visit(house).open("/scenes")
    lists = page.locator(".scene-tiles")
    shown = [scene["title"] for scene in house.send("GET", "/scenes")["scenes"]]
    ends = [
        "Kino aus",
        "4K off",
        "Record off",
        "Stop gaming",
        "Kitchen quiet",
        "Kitchen music off",
    ]
    assert names_of(lists.first.locator(".name")) == [one for one in shown if one not in ends]
    assert names_of(lists.last.locator(".name")) == ends
    expect(page.locator(".scene-tile svg")).to_have_count(len(shown))
    search = page.get_by_role("searchbox", name="Search")
    search.fill("xyzzy")
    expect(page.get_by_role("status").first).to_contain_text("Nothing matches")
    for text in ("grosses", "GROßES"):
        search.fill(text)
        expect(page.locator(".scene-tile .name")).to_have_text(["Großes Kino"])
    search.fill("MOOD 2")
    expect(page.locator(".scene-tile")).to_have_count(5)
    page.get_by_role("button", name="Mood 21").click()
    pane = page.get_by_role("region", name="Mood 21")
    pane.get_by_role("button", name="Run").click()
    expect(pane.get_by_role("status")).to_have_text("Done.")
    house.wait_for("cove", "brightness", 63)


@proves(
    "E22 · titles are those of the file in every language, also one that the shipped file has for "
    "another scene; the words of the page and of the shipped file are translated"
)
def test_titles(house, open_visit):
    page = open_visit(house, locale="uk-UA").open("/")
    assert tiles(page) == LOUNGE + KITCHEN
    expect(page.get_by_role("button", name=re.compile("^Popcorn cart"))).to_contain_text(
        "Приготувати порцію"
    )
    shipped = configuration()
    shipped["scenes"]["own"] = {"title": "End the film", "steps": [{"lights": "on"}]}
    with running(shipped) as client:
        page = open_visit(client, locale="uk-UA").open("/scenes")
        expect(page.get_by_role("button", name="End the film")).to_be_visible()
        expect(page.get_by_role("button", name="Завершити фільм")).to_be_visible()


@proves("E22 · each icon that a configuration may name has a drawing")
def test_icons(minimal, open_visit):
    page = open_visit(minimal).open("/")
    schema = json.loads((ROOT / "devices.schema.json").read_text())
    names = schema["$defs"]["icon"]["enum"]
    drawn = page.evaluate(
        with_modules(
            "base/icons.js",
            "({ icon }, names) => names.map((name) => icon(name).innerHTML)",
        ),
        [*names, "info"],
    )
    assert len(names) > 20 and len(set(drawn)) == len(names) + 1


# ---- the devices of the activity ----
def watch_film(page, house):
    """Begins the film of the lounge on Home, and leads to the player."""
    choose_room(page, "Lounge")
    page.get_by_role("button", name=re.compile("^Großes Kino")).click()
    page.get_by_role("button", name=re.compile("^Harbour Lights")).click()
    page.get_by_role("dialog").get_by_role(
        "button", name=re.compile("^(Watch|From the start)$")
    ).click()
    expect(page.get_by_role("heading", name="Harbour Lights")).to_be_visible()
    expect(page.get_by_role("button", name="Pause")).to_be_enabled()
    house.wait_for("lounge-amp", "volume", 45)


@proves(
    "E27 · two rooms play at once, each at its own volume with its own mute, and end apart; the "
    "player, the bar and the keys are those of the shown room"
)
def test_two_rooms(house, open_visit):
    visit = open_visit(house)
    page = visit.open("/")
    watch_film(page, house)
    volume = page.get_by_role("slider", name="Volume").first
    expect(volume).to_have_value("45")
    visit.open("/")
    page.get_by_role("button", name=re.compile("^Kitchen radio")).click()
    page.get_by_role("button", name=re.compile("Lantern Radio")).click()
    house.wait_for("kitchen-tuner", "power", "on")
    bar = page.get_by_role("region", name="What plays")
    expect(bar).to_contain_text("Kitchen")
    expect(volume).to_have_value("40")
    bar.get_by_role("link").click()
    expect(page.get_by_role("heading", name="Lantern Radio")).to_be_visible()
    volume.focus()
    page.keyboard.press("ArrowRight")
    house.wait_for("kitchen-amp", "volume", 41)
    assert house.state("lounge-amp", "volume") == 45
    mute = page.get_by_role("button", name="Mute")
    mute.click()
    house.wait_for("kitchen-amp", "muted", True)
    expect(mute).to_have_attribute("aria-pressed", "true")
    mute.click()
    house.wait_for("kitchen-amp", "muted", False)
    assert house.state("lounge-amp", "muted") is False
    page.get_by_role("link", name="Close the player").click()
    choose_room(page, "Lounge")
    expect(page.locator(".hero").get_by_role("heading", name="Harbour Lights")).to_be_visible()
    expect(page.locator(".tile[data-on] .name")).to_have_text(["Großes Kino", "Kitchen radio"])
    choose_room(page, "Kitchen")
    page.locator(".hero").get_by_role("button", name="End").click()
    expect(page.locator(".hero[data-status=idle]")).to_be_visible()
    house.wait_for("kitchen-amp", "power", "off")
    choose_room(page, "Lounge")
    page.locator(".hero").get_by_role("link", name="Player").click()
    expect(page.get_by_role("button", name="Pause")).to_be_enabled()
    volume.focus()
    page.keyboard.press("ArrowRight")
    house.wait_for("lounge-amp", "volume", 46)
    page.reload()
    visit.wait_ready()
    expect(page.get_by_role("heading", name="Harbour Lights")).to_be_visible()
    page.get_by_role("button", name="End", exact=True).click()
    house.wait_for("lounge-amp", "power", "off")


@proves(
    "E22 · an activity without a player is just on, with volume and mute of its amplifier; its "
    "amplifier offers its own inputs, and a slider in a device's sheet commands that device"
)
def test_gaming(house, open_visit):
    visit = open_visit(house)
    page = visit.open("/")
    choose_room(page, "Lounge")
    page.get_by_role("button", name=re.compile("^Gaming")).click()
    hero = page.locator(".hero[data-status=running]")
    expect(hero).to_contain_text("On now")
    expect(hero).not_to_contain_text("Listening")
    hero.get_by_role("link", name="Player").click()
    expect(page.get_by_role("heading", name="Gaming")).to_be_visible()
    expect(page.get_by_role("group", name="Playback")).to_have_count(0)
    before = house.state("lounge-amp", "volume")
    page.get_by_role("slider", name="Volume").first.focus()
    page.keyboard.press("ArrowRight")
    house.wait_for("lounge-amp", "volume", before + 1)
    for wanted in (True, False):
        page.get_by_role("button", name="Mute").click()
        house.wait_for("lounge-amp", "muted", wanted)
    visit.open("/devices")
    page.locator(".device-row", has_text="Lounge receiver").click()
    pane = page.get_by_role("region", name="Lounge receiver")
    inputs = pane.get_by_role("radiogroup", name="Input").get_by_role("radio")
    expect(inputs).to_have_text(
        ["Blu-ray", "4K player", "CD deck", "hdmi2", "turntable", "chromecast"]
    )
    expect(inputs.nth(3)).to_be_checked()
    inputs.nth(4).click()
    house.wait_for("lounge-amp", "input", "turntable")
    house.send("POST", "/devices/kitchen-amp/commands", "on")
    page.locator(".device-row", has_text="Kitchen speakers").click()
    pane = page.get_by_role("region", name="Kitchen speakers")
    pane.get_by_role("slider", name="Volume").fill("23")
    house.wait_for("kitchen-amp", "volume", 23)
    assert house.state("lounge-amp", "volume") == before + 1


@pytest.mark.parametrize("names", [["kitchen-radio"], ["kitchen-radio", "gaming"]], ids=len)
@proves("E27 · a guest ends what the pass includes with one press, whatever else is on")
def test_end_as_guest(house, open_visit, names):
    visit = open_visit(house)
    limits = {"activities": names, "volumeLimit": 60, "validFor": 3600, "name": "Ben"}
    code = house.send("POST", "/guests", limits)["code"]
    token = house.send("POST", "/guests/sessions", {"pass": code}, token="")["token"]
    house.run("/rooms/lounge/activities/cinema", {"item": "f1", "fromStart": True})
    house.run("/rooms/kitchen/activities/kitchen-radio", {"item": "Old Valley"})
    house.send("POST", "/devices/stairs/commands", "on")
    page = visit.with_session(token).open("/")
    section = page.get_by_role("region", name="Still on")
    expect(section).to_contain_text("Stairs: fully on")
    expect(section.get_by_role("button")).to_have_count(0)
    end = page.get_by_role("button", name="End what is on")
    end.click()
    expect(page.locator(".toast")).to_contain_text("is being ended")
    expect(end).to_have_count(0)
    rooms = {room["name"]: room["activity"] for room in house.send("GET", "/rooms")["rooms"]}
    assert rooms["kitchen"]["status"] == "idle"
    assert rooms["lounge"]["activity"] == "cinema"


@proves("E22 · an activity that uses no amplifier has no volume, though its room has one")
def test_no_amplifier(open_visit):
    made = fixture_configuration("minimal")
    made["devices"]["amp"] = {"role": "amplifier", "plugin": "Simulated", "options": {"speed": 0}}
    with running(made) as client:
        visit = open_visit(client)
        client.run("/activities/slides")
        for path in ("/player", "/scenes"):
            page = visit.open(path)
            expect(page.get_by_text("Slides").locator("visible=true").first).to_be_visible()
            expect(page.get_by_role("slider", name="Volume")).to_have_count(0)


@proves(
    "the volume is that of the amplifier that it changes; an activity that is heard at another one "
    "than the controller changes has none"
)
def test_commanded_amplifier(open_visit):
    made = fixture_configuration("minimal")
    for name in ("front", "back"):
        made["devices"][name] = {"role": "amplifier", "plugin": "Simulated", "title": name}
        made["devices"][name]["options"] = {"speed": 0}
        made["scenes"][name] = {"steps": [{name: ["on", {"volume": 30}]}]}
        made["scenes"][f"{name}-over"] = {"steps": [{name: "off"}]}
        made["activities"][name] = {"start": name, "end": f"{name}-over"}
    with running(made) as client:
        visit = open_visit(client)
        client.run("/activities/back")
        page = visit.open("/player")
        expect(page.get_by_role("heading", name="back", exact=True)).to_be_visible()
        expect(page.get_by_role("slider", name="Volume")).to_have_count(0)
        client.run("/activities/front")
        page = visit.open("/player")
        page.get_by_role("slider", name="Volume").first.fill("35")
        client.wait_for("front", "volume", 35)


@proves(
    "without anything on, the volume keys change and show the last amplifier of a chain, at which "
    "the room is heard"
)
def test_amplifier_chain(open_visit):
    made = fixture_configuration("minimal")
    for name in ("card", "receiver"):
        made["devices"][name] = {"role": "amplifier", "plugin": "Simulated", "title": name}
        made["devices"][name]["options"] = {"speed": 0}
    made["cables"] = [{"from": "card", "to": "receiver", "input": "pc"}]
    with running(made) as client:
        visit = open_visit(client)
        for name in ("card", "receiver"):
            client.send("POST", f"/devices/{name}/commands", "on")
        client.send("POST", "/devices/receiver/commands", {"volume": 20})
        page = visit.open("/")
        find = with_modules("parts/commands.js", "({ amplifier }) => amplifier()?.id")
        assert page.evaluate(find) == "receiver"
        with page.expect_response("**/api/v1/volume"):
            page.keyboard.press("+")
        client.wait_for("receiver", "volume", 22)


# ---- several activities ----
def on_in(client, room):
    places = client.send("GET", "/rooms")["rooms"]
    return next(place["activity"] for place in places if place["name"] == room)


@proves("an activity of no room has a tile in each room, and begins in the shown one")
def test_no_room(crowded, open_visit):
    page = open_visit(crowded).open("/")
    for name in ("Lounge", "Kitchen"):
        choose_room(page, name)
        expect(page.locator(".tile-group").first).to_contain_text("Party")
        expect(page.locator(".tile", has_text="Party")).to_have_count(1)
    page.locator(".tile", has_text="Party").click()
    expect(page.locator(".hero").get_by_role("heading", name="Party")).to_be_visible()
    expect(page.locator(".tile[data-on]")).to_contain_text("Party")
    assert on_in(crowded, "kitchen")["activity"] == "party"
    crowded.wait_for("ceiling", "brightness", 100)


@proves(
    "of activities with items of one category, each lists what its player has, and begins what is "
    "chosen for it"
)
def test_same_category(crowded, open_visit):
    page = open_visit(crowded).open("/")
    choose_room(page, "Lounge")
    page.locator(".tile", has_text="4K night").click()
    expect(page.get_by_role("heading", name="4K night")).to_be_visible()
    names = page.locator(".posters .name")
    expect(names).to_have_text(["Loose Reel", "Dunes"])
    page.get_by_role("searchbox", name="Search").fill("loose")
    expect(names).to_have_text(["Loose Reel"])
    page.go_back()
    page.locator(".tile", has_text="Film with the lights on").click()
    expect(page.get_by_role("heading", name="Film with the lights on")).to_be_visible()
    expect(names).to_have_text(["Loose Reel", "Harbour Lights", "A Ferry at Night"])
    expect(page).to_have_title(re.compile("^Film with the lights on"))
    page.get_by_role("button", name=re.compile("^Harbour Lights")).click()
    page.get_by_role("dialog").get_by_role("button", name="Watch").click()
    page.wait_for_url("**/player")
    expect(page.get_by_role("heading", name="Harbour Lights")).to_be_visible()
    assert on_in(crowded, "lounge")["activity"] == "bright"
    page.go_back()
    page.get_by_role("main").get_by_role("link", name="Library").click()
    expect(page.get_by_role("heading", name="Library")).to_be_visible()
    expect(names).to_have_count(4)


@proves("the radio shows the room of a tuner when a station begins there, not before")
def test_two_tuners(crowded, open_visit):
    visit = open_visit(crowded)
    page = visit.open("/")
    choose_room(page, "Lounge")
    page.locator(".tile", has_text="Kitchen radio").click()
    expect(page.get_by_role("heading", name="Kitchen radio")).to_be_visible()
    stations = page.get_by_role("region", name="Stations").get_by_role("button")
    names = stations.locator(".name")
    expect(names).to_have_text(["Lantern Radio", "Kitchen Wave"])
    visit.open("/")
    choose_room(page, "Lounge")
    page.get_by_role("link", name="Radio", exact=True).click()
    expect(names).to_have_text(["Lantern Radio", "Night Wave", "Kitchen Wave"])
    expect(page.get_by_role("heading", name="Radio", exact=True)).to_be_visible()
    stations.filter(has_text="Kitchen Wave").click()
    bar = page.get_by_role("region", name="What plays")
    expect(bar).to_contain_text("Kitchen")
    crowded.wait_for("kitchen-tuner", "power", "on")
    assert on_in(crowded, "kitchen")["activity"] == "kitchen-radio"
    page.get_by_role("button", name="Turn the radio off").click()
    crowded.wait_for("kitchen-tuner", "power", "off")


@proves("the radio of another room leaves the shown room as it is, and can be turned off")
def test_radio_of_other_room(house, open_visit):
    page = open_visit(house).open("/")
    choose_room(page, "Lounge")
    house.run("/rooms/kitchen/activities/kitchen-radio", {"item": "Old Valley"})
    page.get_by_role("link", name="Radio", exact=True).click()
    expect(page.get_by_role("heading", name="Radio", exact=True)).to_be_visible()
    page.get_by_role("button", name="Turn the radio off").click()
    house.wait_for("kitchen-tuner", "power", "off")
    page.get_by_role("link", name="Home", exact=True).click()
    expect(page.get_by_role("radio", name="Lounge")).to_be_checked()


@proves("a room offers to go on with what it plays, not with a film of another room")
def test_offer_of_room(crowded, open_visit):
    visit = open_visit(crowded)
    crowded.run("/rooms/lounge/activities/cinema", {"item": "f1", "fromStart": True})
    crowded.send("POST", "/rooms/lounge/seek", {"to": 60})
    crowded.wait_for("bluray", "playback", lambda playback: playback["position"] >= 59)
    crowded.run("/rooms/lounge/end")
    page = visit.open("/")
    choose_room(page, "Lounge")
    hero = page.locator(".hero")
    expect(hero.get_by_role("heading", name="Harbour Lights")).to_be_visible()
    choose_room(page, "Kitchen")
    expect(hero.get_by_role("heading", name="Nothing is on")).to_be_visible()
    expect(page.get_by_role("region", name="Where you stopped")).to_have_count(0)


@proves("a scene offers an item that names no player")
def test_item_without_player(crowded, open_visit):
    page = open_visit(crowded).open("/scenes?scene=uhd")
    choices = page.get_by_role("combobox", name="Film").locator("option")
    expect(choices).to_have_text(["Loose Reel", "Dunes"])


@proves("a device that fails in another room says so, and is tried again there")
def test_failure_elsewhere(crowded, open_visit):
    visit = open_visit(crowded)
    page = visit.open("/")
    choose_room(page, "Lounge")
    crowded.run("/rooms/kitchen/activities/cook")
    visit.open("/devices")
    page.locator(".device-row[data-focus=stove-lamp]").click()
    card = page.get_by_role("region", name="Stove lamp").locator(".error-card")
    expect(card).to_be_visible()
    with page.expect_request("**/api/v1/rooms/kitchen/activities/cook"):
        card.get_by_role("button", name="Try again").click()


@proves("an older answer about the rooms leaves what is on meanwhile")
def test_older_rooms(crowded, open_visit):
    visit = open_visit(crowded)
    page = visit.open("/")
    choose_room(page, "Lounge")
    answers = []
    page.route("**/api/v1/rooms", lambda route: answers.append((route, route.fetch())), times=1)
    file = crowded.controller.configuration
    good = file.read_text()
    try:
        made = json.loads(good)
        made["rooms"]["lounge"]["title"] = "Big lounge"
        file.write_text(json.dumps(made))
        eventually(page, lambda: answers)
        crowded.run("/rooms/lounge/activities/gaming")
        hero = page.locator(".hero[data-status=running]")
        expect(hero).to_contain_text("Gaming")
        [(route, answer)] = answers
        route.fulfill(response=answer)
        expect(page.get_by_role("radio", name=re.compile("^Big lounge"))).to_be_visible()
        expect(hero).to_contain_text("Gaming")
    finally:
        file.write_text(good)


# ---- the room ----
def drawn(page):
    """Returns the visible buttons over the drawing, by their place."""
    return dict(
        page.locator(".hit:visible").evaluate_all(
            "(all) => all.map((one) => [one.dataset.device, one.ariaLabel])"
        )
    )


@proves(
    "E22 · the room draws the devices of what is on, other ones as labelled chips, all lamps of "
    "the area together, and the signal along the cable"
)
def test_room(house, open_visit):
    visit = open_visit(house)
    page = visit.open("/room")
    choose_room(page, "Lounge")
    assert drawn(page)["lights"] == "Lights · Lounge: off"
    assert drawn(page)["dvd"].startswith("Blu-ray")
    house.run("/rooms/lounge/activities/uhd", {"item": "u1", "fromStart": True})
    expect(page.get_by_role("button", name="4K player: playing Dunes")).to_be_visible()
    expect(
        page.get_by_role("button", name=re.compile("^Lounge receiver: 4K player"))
    ).to_be_visible()
    expect(page.locator(".room-chip b")).to_have_text(["Blu-ray", "Lights · Hall", "Balcony"])
    expect(page.locator("svg.room-svg .wire-on")).to_have_count(6)
    house.send("POST", "/devices/cove/commands", {"dim": 50})
    house.send("POST", "/devices/stars/commands", "on")
    lights = page.get_by_role("button", name="Lights · Lounge: 2 of 7 on")
    expect(lights).to_be_visible()
    lights.click()
    sheet = page.get_by_role("dialog", name="Lights · Lounge")
    expect(sheet.get_by_role("slider")).to_have_count(7)
    sheet.get_by_role("slider", name="Aquarium").fill("30")
    house.wait_for("aquarium", "brightness", 30)
    sheet.get_by_role("button", name="Off").click()
    for lamp in ("cove", "stars", "aquarium"):
        house.wait_for(lamp, "brightness", 0)
    page.keyboard.press("Escape")
    page.get_by_role("button", name=re.compile("^Blu-ray")).click()
    expect(page.get_by_role("dialog", name="Blu-ray")).to_be_visible()
    page.keyboard.press("Escape")
    choose_room(page, "Kitchen")
    eventually(page, lambda: set(drawn(page)) == {"lights", "cd", "amp", "tuner"})
    expect(page.locator("svg.room-svg .wire-on")).to_have_count(0)


# The parts of the drawing that can be seen: each has a body in the dark of the room.
DRAWN_PARTS = """(all) => all.filter((part) => part.style.display !== 'none').length"""


@proves("E22 · the room draws no device that nobody owns")
def test_no_ghosts(minimal, open_visit):
    page = open_visit(minimal).open("/room")
    assert drawn(page) == {"lights": "Lamp: off", "projector": "Projector: off"}
    expect(page.locator(".room-chip")).to_have_count(0)
    bodies = page.locator(".room-svg .l-body > g:has(> .body)")
    # The lamps, the projector, the sofa and the cat; no speaker, player or screen.
    assert bodies.evaluate_all(DRAWN_PARTS) == 6
    assert page.locator(".room-svg .cable").evaluate_all(DRAWN_PARTS) == 0
    expect(page.locator(".room-svg g.screen")).to_be_hidden()


# ---- accessibility ----
@proves("E22 · screens of other theaters have no accessibility faults, small targets or cut texts")
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", ["house", "minimal"])
def test_faults(request, open_visit, name, size):
    client = request.getfixturevalue(name)
    visit = open_visit(client, size=size)
    if name == "house":
        client.run("/rooms/lounge/activities/gaming")
        client.run("/rooms/kitchen/activities/kitchen-radio", {"item": "Old Valley"})
    else:
        client.run("/activities/slides")
    for theme in ("dark", "light"):
        visit.page.emulate_media(color_scheme=theme)
        for path in ("/", "/room", "/scenes", "/player"):
            page = visit.open(path)
            found = (
                faults(page)
                + page.evaluate(FIND_OVERFLOW)
                + page.evaluate(FIND_SMALL_TARGETS, False)
            )
            assert not found, (path, theme, found)


# ---- renamed ----
# What differs between two looks at the same page: times that pass.
PASSING = re.compile(
    r"\d+:\d\d(:\d\d)?|\d+ (seconds?|minutes?|min|s)\b|just now|\d+ \w+ ago|(?<=slider \"Place).*"
)
ICONS = """() => [...document.querySelectorAll('main svg[viewBox="0 0 24 24"] path')]
  .map((path) => path.getAttribute('d'))"""


def looks(client, open_visit):
    """Returns what each screen is for people and programs, idle and with a film."""
    visit = open_visit(client)
    seen = {}

    def look(state):
        for path in SCREENS:
            page = visit.open(path)
            expect(page.locator(".loading")).to_have_count(0)
            seen[state, path] = (
                PASSING.sub("…", page.locator("body").aria_snapshot()),
                page.evaluate(ICONS),
                page.locator("[data-tile]").evaluate_all(
                    "(all) => all.map(({ dataset }) => dataset.tile)"
                ),
            )

    look("idle")
    client.watch()
    client.send("POST", "/pause")
    devices = client.send("GET", "/devices")["devices"]
    popper = next(device["id"] for device in devices if device["role"] == "popcornPopper")
    client.wait_for(popper, "popping", "done")
    look("film")
    return seen


def difference(wanted, found):
    lines = difflib.unified_diff(wanted.splitlines(), found.splitlines(), n=0, lineterm="")
    return "\n".join(lines)


@proves("E22 · the page is the same with every device, input, scene and activity renamed")
@pytest.mark.parametrize("seed", [33, 2026])
def test_renamed(open_visit, seed):
    renaming = Renaming(configuration(), seed)
    with running(configuration()) as shipped, running(renaming.configuration) as renamed:
        wanted = looks(shipped, open_visit)
        found = looks(renamed, open_visit)
    for key, (text, *drawings) in found.items():
        wanted_text, *wanted_drawings = wanted[key]
        assert not difference(wanted_text, renaming.original(text)), key
        assert drawings == wanted_drawings, key
