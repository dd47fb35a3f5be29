"""The page after a restart, a refused command, a failed request or a late answer."""

import json
import re

import pytest
from conftest import PASSWORD, TheaterClient, Visit, configuration, hold, proves, wait_held
from controller import Controller
from playwright.sync_api import expect
from test_configuration import answer
from test_room import PUBLISH_EVENTS, failed, open_following_tab
from test_screens import WAIT_FOR_TRANSITIONS

REFUSAL = {"error": {"code": "notNow", "message": "the amplifier is busy"}}


def refuse(page, path):
    """Refuses the requests to a path with 409."""
    page.route(f"**/api/v1{path}", lambda route: answer(route, REFUSAL, 409))


def refusal(page):
    """Waits for the message of a refusal, and removes it: the next one is not mistaken for it."""
    message = page.locator(".toast", has_text="amplifier is busy")
    message.wait_for()
    message.evaluate("(node) => node.remove()")


@pytest.fixture
def restarted(browser):
    """A visit with a controller of its own.

    `restart` stops it, changes its configuration, and starts it again.
    """
    made = configuration()
    made["scenes"]["slow"] = {"title": "A slow evening", "steps": [{"wait": "10 min"}]}
    # The first step takes 20 s, so that the page shows the start of the film.
    made["scenes"]["watch-film"]["steps"].insert(0, {"wait": "20 s"})
    with Controller(made) as controller:
        controller.wait_for(controller.answers)
        theater = TheaterClient(controller)
        controller.wait_for(controller.plugins_are_up)
        one = Visit(browser, theater.base).with_session(theater.people["ann@example.org"])
        one.expected = {"network"}

        def restart(change=lambda made: None):
            controller.stop()
            one.page.get_by_text("No connection to the theater.").wait_for()
            change(made)
            controller.configuration.write_text(json.dumps(made))
            controller.start()
            controller.wait_for(controller.answers)
            controller.wait_for(controller.plugins_are_up)
            expect(one.page.get_by_text("No connection to the theater.")).to_have_count(
                0, timeout=60_000
            )

        one.restart = restart
        one.theater = theater
        yield one
        one.close()


@proves(
    "after a restart of the controller the page shows no run of the start before, "
    "although new runs have the same ids"
)
def test_runs_of_restart(restarted):
    page = restarted.open("/scenes?scene=broken")
    page.get_by_role("region", name="A broken evening").get_by_role(
        "button", name="Run", exact=True
    ).click()
    expect(page.locator(".error-card")).to_contain_text("Step 2 of 3")
    page.get_by_role("button", name=re.compile("^A slow evening")).click()
    pane = page.get_by_role("region", name="A slow evening")
    pane.get_by_role("button", name="Run", exact=True).click()
    expect(pane.get_by_role("button", name="Cancel the run")).to_be_visible()
    restarted.restart()
    expect(pane.get_by_role("button", name="Run", exact=True)).to_be_visible()
    expect(pane).to_contain_text("Nothing has been sent yet.")
    page.get_by_role("button", name=re.compile("^Together")).click()
    pane = page.get_by_role("region", name="Together")
    with page.expect_response("**/scenes/together/runs") as begun:
        pane.get_by_role("button", name="Run", exact=True).click()
    assert begun.value.json()["run"]["id"] == "run-1"
    expect(pane.get_by_role("status")).to_have_text("Done.")
    expect(pane.locator(".steps li")).to_have_count(7)


@proves(
    "after a restart of the controller the page reads the steps of a run whose id it knew before"
)
def test_progress_after_restart(restarted):
    theater = restarted.theater
    page = restarted.open("/player")
    theater.send("POST", "/watch", {"item": "night-ferry"})
    expect(page.get_by_text(re.compile("^Step 1 of "))).to_be_visible()

    def break_player(made):
        made["devices"]["cd"]["options"]["faults"] = {"refuses": ["play"]}

    restarted.restart(break_player)
    song = theater.send("GET", "/songs")["songs"][0]["id"]
    assert theater.run("/listen", {"item": song})["id"] == "run-1"
    expect(page.locator(".error-card")).to_contain_text("Step 5 of 5")


@proves("a list is read again after a restart of the controller")
def test_list_after_restart(restarted):
    page = restarted.open("/library")
    page.get_by_role("button", name=re.compile("^Night Ferry")).wait_for()

    def rename(made):
        made["library"]["films"][0]["title"] = "Morning Ferry"

    restarted.restart(rename)
    expect(page.get_by_role("button", name=re.compile("^Morning Ferry"))).to_be_visible()


def miss_the_end(owner, theater, status, body):
    """Starts a run of the scene "broken" whose end the page misses.

    The controller then answers with `body`.
    """
    steps = [
        {
            "id": "1",
            "kind": "command",
            "device": "lights",
            "command": {"dim": 20},
            "status": "running",
        }
    ]
    run = {"id": "r-1", "scene": "broken", "status": "running", "steps": steps}
    page = open_following_tab(owner, "/scenes?scene=broken")
    page.route(
        "**/scenes/broken/runs", lambda route: answer(route, {"run": run, "event": "1"}, 202)
    )
    page.route("**/runs/r-1", lambda route: answer(route, body(run), status))
    pane = page.get_by_role("region", name="A broken evening")
    pane.get_by_role("button", name="Run", exact=True).click()
    expect(pane.get_by_role("status")).to_have_text("Step 1 of 1")
    state = theater.send("GET", "/status")
    start = state["event"].split("-")[0]
    owner.page.evaluate(PUBLISH_EVENTS, [["snapshot", {**state, "event": f"{start}-999999"}]])
    return pane


@proves("a run that has ended while the page missed events is read again")
def test_missed_end(owner, theater):
    pane = miss_the_end(
        owner,
        theater,
        200,
        lambda run: {**run, "status": "done", "steps": [{**run["steps"][0], "status": "done"}]},
    )
    expect(pane.get_by_role("status")).to_have_text("Done.")


@proves("a run that the controller no longer knows gives way to the plan")
def test_forgotten_run(owner, theater):
    owner.expected = {404}
    pane = miss_the_end(
        owner, theater, 404, lambda run: {"error": {"code": "notFound", "message": "no such run"}}
    )
    expect(pane.get_by_role("button", name="Run", exact=True)).to_be_visible()


@proves("choices and switches of a device show the state in force after a refused command")
def test_refused_controls(owner, theater):
    for command in ("on", "stereo", "unmute"):
        theater.send("POST", "/devices/amp/commands", command)
    theater.wait_for("amp", "mode", "stereo")
    owner.expected = {409}
    page = owner.open("/devices")
    refuse(page, "/devices/amp/commands")
    page.locator(".device-row[data-focus=amp]").click()
    pane = page.get_by_role("region", name="Amplifier", exact=True)
    pane.get_by_role("radio", name="Surround").click()
    refusal(page)
    expect(pane.get_by_role("radio", name="Stereo")).to_be_checked()
    pane.get_by_role("radio", name="Stereo").press("ArrowRight")
    refusal(page)
    expect(pane.get_by_role("radio", name="Stereo")).to_be_checked()
    pane.get_by_role("switch", name="Mute").click()
    refusal(page)
    expect(pane.get_by_role("switch", name="Mute")).not_to_be_checked()


@proves("the sound of the player shows the state in force after a refused command")
def test_refused_sound(owner, theater):
    theater.watch()
    theater.send("POST", "/volume", {"mute": False})
    owner.expected = {409}
    page = owner.open("/player")
    for path in ("/devices/*/commands", "/volume"):
        refuse(page, path)
    page.get_by_role("button", name="Sound").click()
    dialog = page.get_by_role("dialog", name="Sound")
    speakers = dialog.get_by_role("radiogroup", name="Speakers")
    track = dialog.get_by_role("radiogroup", name="Track")
    kept = track.get_by_role("radio", checked=True).inner_text()
    for control in (
        speakers.get_by_role("radio", name="Stereo"),
        track.get_by_role("radio", checked=False),
        dialog.get_by_role("switch", name="Mute"),
    ):
        control.click()
        refusal(page)
    expect(speakers.get_by_role("radio", name="Surround")).to_be_checked()
    expect(track.get_by_role("radio", name=kept)).to_be_checked()
    expect(dialog.get_by_role("switch", name="Mute")).not_to_be_checked()


@proves("a volume that was refused is not shown on Home for long")
def test_refused_volume(owner, theater):
    theater.watch()
    owner.expected = {409}
    page = owner.open("/")
    before = theater.state("amp", "volume")
    refuse(page, "/volume")
    group = page.locator(".hero").get_by_role("group", name="Volume")
    slider = group.get_by_role("slider", name="Volume")
    slider.fill("90")
    expect(group).to_contain_text("90 %")
    refusal(page)
    expect(group).to_contain_text(f"{before} %")
    expect(slider).to_have_value(str(before))


@proves("F5 · a role that the controller refuses to change is shown as before")
def test_refused_role(owner, theater):
    theater.member("Petro", "petro@example.org")
    theater.log_in("ann@example.org")  # for a proof of identity that is recent enough
    owner.with_session(theater.people["ann@example.org"])
    owner.expected = {409}
    page = owner.open("/people")
    refuse(page, "/accounts/*/role")
    page.get_by_role("button", name=re.compile("Petro")).click()
    page.get_by_role("dialog").get_by_role("radio", name="Owner").click()
    refusal(page)
    expect(page.get_by_role("dialog").get_by_role("radio", name="Member")).to_be_checked()
    page.unroute("**/api/v1/accounts/*/role")
    page.get_by_role("dialog").get_by_role("radio", name="Owner").click()
    expect(page.locator(".toast").filter(has_text="Petro")).to_be_visible()
    expect(page.get_by_role("dialog").get_by_role("radio", name="Owner")).to_be_checked()
    account = next(
        one for one in theater.send("GET", "/accounts")["accounts"] if one["name"] == "Petro"
    )
    theater.send("DELETE", f"/accounts/{account['id']}")


@proves("F5 · the role of owner, and an invitation to it, ask for the password once more")
def test_owner_proof(owner, theater):
    theater.member("Petra", "petra@example.org")
    owner.expected = {403}
    page = owner.open("/people")

    def press_and_prove(path, button):
        page.route(
            f"**/api/v1{path}",
            lambda route: answer(
                route, {"error": {"code": "proofNeeded", "message": "Prove that it is you"}}, 403
            ),
            times=1,
        )
        button.click()
        page.get_by_role("dialog", name="Is it still you?").get_by_label(
            "Password", exact=True
        ).fill(PASSWORD)
        page.keyboard.press("Enter")

    page.get_by_role("button", name=re.compile("Petra")).click()
    press_and_prove(
        "/accounts/*/role", page.get_by_role("dialog").get_by_role("radio", name="Owner")
    )
    expect(page.locator(".toast").filter(has_text="Petra")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Invite").click()
    page.get_by_role("radio", name="Owner").click()
    press_and_prove("/invitations", page.get_by_role("button", name="Create the link"))
    expect(page.get_by_role("textbox", name="Link")).to_be_visible()
    theater.log_in("ann@example.org")
    account = next(
        one for one in theater.send("GET", "/accounts")["accounts"] if one["name"] == "Petra"
    )
    assert account["role"] == "owner"
    theater.send("DELETE", f"/accounts/{account['id']}")


@proves("F5 · an age limit that the controller refuses is shown as before")
def test_refused_age_limit(owner, theater):
    theater.member("Nadia", "nadia@example.org")
    owner.expected = {409}
    page = owner.open("/people")
    page.get_by_role("button", name=re.compile("Nadia")).click()
    limit = page.get_by_role("dialog").get_by_role("slider", name="Titles up to")
    refuse(page, "/accounts/*/age-limit")
    limit.fill("16")
    refusal(page)
    expect(limit).to_have_attribute("aria-valuetext", "no limit")
    page.unroute("**/api/v1/accounts/*/age-limit")
    limit.fill("12")
    expect(
        page.locator(".toast").filter(has_text="Nadia sees titles up to age 12.")
    ).to_be_visible()
    refuse(page, "/accounts/*/age-limit")
    limit.fill("16")
    refusal(page)
    expect(limit).to_have_attribute("aria-valuetext", "age 12")
    account = next(
        one for one in theater.send("GET", "/accounts")["accounts"] if one["name"] == "Nadia"
    )
    assert account["ageLimit"] == 12
    theater.send("DELETE", f"/accounts/{account['id']}")


@proves("a failed scene is begun again with its item, and leads to its screen without one")
@pytest.mark.parametrize(
    "scene, item, parameters",
    [
        ("movie-night", "night-ferry", {"film": "night-ferry"}),
        ("together", None, {}),
        ("movie-night", None, None),
    ],
)
def test_failed_scene(owner, scene, item, parameters):
    page = open_following_tab(owner, "/player")
    page.route(
        "**/scenes/*/runs",
        lambda route: answer(
            route,
            {"run": {"id": "r-2", "scene": scene, "status": "done", "steps": []}, "event": "1"},
            202,
        ),
    )
    fault = failed("projector", "the lamp does not strike", "Let it cool.", scene=scene)[1]
    del fault["activity"]
    if not item:
        del fault["item"]
    owner.page.evaluate(PUBLISH_EVENTS, [["activity", fault]])
    again = page.locator(".error-card").get_by_role("button", name="Try again")
    if parameters is None:
        again.click()
        expect(page.get_by_role("region", name=re.compile("^Movie night"))).to_be_visible()
        return
    with page.expect_request(f"**/scenes/{scene}/runs") as sent:
        again.click()
    assert sent.value.post_data_json.get("parameters") == parameters
    sent.value.response().finished()


@proves("a film that has broken off says why, and goes on where it stopped")
@pytest.mark.parametrize("address", ["/", "/player"])
def test_broken_film(owner, address):
    page = open_following_tab(owner, address)
    page.route("**/api/v1/resume", lambda route: answer(route, {"confirmation": "observed"}))
    fault = failed(
        "dvd", "the server closed the connection", "Wait.", status="running", retryAt=125
    )
    owner.page.evaluate(PUBLISH_EVENTS, [fault])
    card = page.locator(".error-card")
    expect(card).to_contain_text("The server closed the connection")
    expect(page.locator("#main")).to_contain_text("Stopped")
    with page.expect_request("**/api/v1/resume") as sent:
        card.get_by_role("button", name="Try again").click()
    sent.value.response().finished()
    playing = failed("dvd", "", "", status="running")
    del playing[1]["error"]
    owner.page.evaluate(PUBLISH_EVENTS, [playing])
    expect(card).to_have_count(0)


@proves("F5 · a guest pass is made for the activities that the controller offers")
def test_offered_activities(owner):
    owner.expected = {409}
    page = owner.open("/people")
    offered = [
        {"name": "film", "title": "Watch a film", "category": "films"},
        {"name": "karaoke", "title": "Sing along", "category": "songs"},
    ]
    page.route("**/api/v1/activities", lambda route: answer(route, {"activities": offered}))
    refuse(page, "/guests")
    page.get_by_role("button", name="Invite").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("radio", name="Guest").click()
    choices = dialog.locator("[aria-pressed]")
    expect(choices).to_have_text(["Watch a film", "Sing along"])
    for wanted in (["film", "karaoke"], ["karaoke"]):
        with page.expect_request(
            lambda request: request.method == "POST" and request.url.endswith("/guests")
        ) as sent:
            dialog.get_by_role("button", name="Create the link").click()
        assert sent.value.post_data_json["activities"] == wanted
        expect(dialog.get_by_role("button", name="Create the link")).to_have_attribute(
            "aria-busy", "false"
        )
        choices.first.click()


@pytest.fixture
def passes(theater):
    """Revokes the guest passes that a test has made."""
    yield
    for one in theater.send("GET", "/guests")["guests"]:
        theater.send("DELETE", f"/guests/{one['id']}")


def become_wall_tablet(page):
    """Asks to make the device a wall tablet, and returns the held request for its session."""
    held = hold(page, "/guests/sessions", times=1)
    page.get_by_role("button", name="Make this device a wall tablet").click()
    page.get_by_role("dialog").get_by_role("button", name="Begin").click()
    return wait_held(page, held)


@proves(
    "F5 · a device becomes a wall tablet although its owner's session ends before the answer comes"
)
def test_late_wall_session(visit, theater, passes):
    theater.turn_off()
    token = theater.send(
        "POST", "/sessions", {"email": "ann@example.org", "password": PASSWORD}, token=""
    )["token"]
    one = visit().with_session(token)
    one.expected = {401}
    page = one.page
    page.clock.install()
    one.open("/settings")
    route = become_wall_tablet(page)
    theater.send("DELETE", "/sessions/current", token=token)
    # A stream that has ended would be opened again after half a second.
    page.clock.run_for(1500)
    assert page.url.endswith("/settings")
    code = theater.send("POST", "/guests", {"wallTablet": True, "name": "Late tablet"})["code"]
    session = theater.send("POST", "/guests/sessions", {"pass": code}, token="")
    one.with_session(session["token"])
    answer(route, {"user": session["user"]})
    page.wait_for_url("**/room")
    expect(page.get_by_role("heading", name="Nothing is on")).to_be_visible()


@proves("F5 · a page that does not become a wall tablet says so and follows the theater again")
def test_refused_wall_session(owner, passes):
    owner.expected = {409}
    page = owner.open("/settings")
    route = become_wall_tablet(page)
    with page.expect_request("**/api/v1/events"):
        answer(route, REFUSAL, 409)
    refusal(page)
    expect(page.get_by_role("button", name="Make this device a wall tablet")).to_be_enabled()
    assert page.url.endswith("/settings")


@proves("the list of commands is read again after a failure")
def test_commands_again(owner):
    owner.expected = {"network"}
    page = owner.open("/devices")
    page.route("**/api/v1/openapi.json", lambda route: route.abort(), times=1)
    page.locator(".device-row[data-focus=amp]").click()
    pane = page.get_by_role("region", name="Amplifier", exact=True)
    pane.get_by_text("All commands").click()
    expect(page.locator(".toast")).to_be_visible()
    pane.get_by_text("All commands").click()
    pane.get_by_text("All commands").click()
    expect(pane.locator(".command").first).to_be_visible()


@proves("the drawing of the room is read again after a failure")
def test_drawing_again(owner):
    owner.expected = {"network"}
    page = owner.open("/settings")
    page.route("**/room.svg", lambda route: route.abort(), times=1)
    with page.expect_event("pageerror"):
        page.get_by_role("link", name="Room").first.click()
    owner.complaints.clear()
    page.get_by_role("link", name="Settings").first.click()
    page.get_by_role("heading", name="Settings", level=1).wait_for()
    page.get_by_role("link", name="Room").first.click()
    expect(page.locator("svg.room-svg")).to_be_visible()


@proves("a run that begins after another scene was chosen is not shown under that scene")
def test_late_run(owner, theater):
    page = owner.open("/scenes?scene=broken")
    held = hold(page, "/scenes/broken/runs")
    page.get_by_role("region", name="A broken evening").get_by_role(
        "button", name="Run", exact=True
    ).click()
    begin = wait_held(page, held)
    page.get_by_role("button", name=re.compile("^Together")).click()
    pane = page.get_by_role("region", name="Together")
    expect(pane.locator(".steps li")).to_have_count(7)
    with page.expect_response("**/scenes/broken/runs") as begun:
        begin.continue_()
    begun.value.finished()
    page.evaluate(WAIT_FOR_TRANSITIONS)
    expect(pane.get_by_role("button", name="Run", exact=True)).to_be_visible()
    expect(pane.locator(".steps li")).to_have_count(7)
    expect(pane.locator(".error-card")).to_have_count(0)
