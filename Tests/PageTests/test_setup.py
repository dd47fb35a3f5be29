"""The screen that leads from simulated to real devices.

It has a controller, a projector and folders of its own.
"""

import http.client
import json
import pathlib
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import urllib.error
import urllib.parse

import pytest
from conftest import (
    ROOT,
    SIZES,
    TheaterClient,
    Visit,
    configuration,
    hold,
    proves,
    wait_held,
    with_modules,
)
from controller import Controller
from playwright.sync_api import expect
from test_screens import (
    FIND_OVERFLOW,
    FIND_SMALL_TARGETS,
    WAIT_FOR_TRANSITIONS,
    check,
    faults,
    tab_to,
)
from test_texts import COLLECT_TEXTS, english_pattern

SONG = ROOT / "Samples/Music/Demo Disc/01 Morning Stairs.flac"
SUMMARY = "Real devices: {} of 9"


@pytest.fixture(scope="module")
def home():
    """A home with a song in its folder for music."""
    with tempfile.TemporaryDirectory(prefix="th-home-") as folder:
        music = pathlib.Path(folder) / "Music"
        music.mkdir()
        shutil.copy(SONG, music)
        yield music


@pytest.fixture(scope="module")
def own_theater(home):
    with Controller(configuration(), {"HOME": str(home.parent)}) as controller:
        controller.wait_for(controller.answers)
        made = TheaterClient(controller)
        controller.wait_for(controller.plugins_are_up)
        made.member("Ben", "ben@example.org")
        made.log_in("ben@example.org")
        yield made


@pytest.fixture
def projector():
    """Starts a PJLink projector on loopback, and returns its port."""
    process = subprocess.Popen(
        [sys.executable, ROOT / "Tests/Fixtures/pjlink_projector.py"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    yield json.loads(process.stdout.readline())[0]
    process.stdin.close()
    process.wait(10)


@pytest.fixture
def file(own_theater):
    """Returns the path of the configuration, and restores the file after the test."""
    before = own_theater.controller.configuration.read_text()
    yield own_theater.controller.configuration
    own_theater.controller.configuration.write_text(before)
    # The difference is empty once the restored file is in force.
    own_theater.controller.wait_for(
        lambda: not own_theater.send("GET", "/configuration/difference")["changes"]
    )


@pytest.fixture
def guided(browser, own_theater):
    """Opens visits of the owner, or of another person."""
    made = []

    def open_visit(email="ann@example.org", **options):
        own_theater.log_in(email)  # for a proof of identity that is recent enough
        made.append(
            Visit(browser, own_theater.base, **options).with_session(own_theater.people[email])
        )
        return made[-1]

    yield open_visit
    for each in made:
        each.close()


def finding(kind, role, plugin, title, **options):
    return {
        "kind": kind,
        "id": f"{kind}:{title}",
        "title": title,
        "place": f"place of {title}",
        "plugin": plugin,
        "roles": [role],
        "notes": ["A note."],
        "entries": {role: {"role": role, "plugin": plugin, "options": options}},
    }


def stub_discovery(page, *findings, problems=()):
    """Answers searches in place of the controller.

    That one would also find devices of the machine that runs the tests.
    """
    page.route(
        "**/api/v1/discovery",
        lambda route: route.fulfill(
            status=200,
            content_type="application/json",
            body=json.dumps({"findings": findings, "problems": list(problems)}),
        ),
    )


def search(page):
    page.get_by_role("button", name="Search", exact=True).first.click()
    expect(page.get_by_text(re.compile(r"^Found: \d+\.$"))).to_be_visible()


def choose(page, title, name):
    """Chooses a finding, checks the dialog with the difference, and saves."""
    page.get_by_role("button", name=f"Use this: {title}").click()
    dialog = page.get_by_role("dialog", name="What changes")
    expect(dialog).to_contain_text(f"devices.{name} changes")
    expect(dialog.locator("ins")).to_contain_text('"options"')
    page.evaluate(WAIT_FOR_TRANSITIONS)
    assert not faults(page)
    dialog.get_by_role("button", name="Save").click()
    expect(dialog).to_be_hidden()


@proves(
    "F7 · a projector that was found is saved and tested, the user confirms the test, and the "
    "projector becomes simulated again"
)
def test_projector(guided, own_theater, projector, file):
    visit = guided()
    page = visit.page
    before = file.read_text()
    stub_discovery(
        page,
        finding(
            "projectors", "projector", "PJLinkProjector", "Attic", host="127.0.0.1", port=projector
        ),
        problems=["mqtt: no broker"],
    )
    visit.open("/devices").get_by_role("link", name="Set up devices").click()
    expect(page.get_by_text(SUMMARY.format(0))).to_be_visible()
    search(page)
    expect(page.get_by_text("mqtt: no broker")).to_be_visible()
    row = page.locator(".device-row[data-focus=projector]")
    row.click()
    expect(page.get_by_role("heading", name="Projector", exact=True)).to_be_focused()
    choose(page, "Attic", "projector")
    expect(page.get_by_text(SUMMARY.format(1))).to_be_visible()
    # Only the entry of the projector has changed.
    old = json.loads(before)
    new = json.loads(file.read_text())
    assert new["devices"].pop("projector") == {
        "role": "projector",
        "plugin": "PJLinkProjector",
        "options": {"host": "127.0.0.1", "port": projector},
    }
    old["devices"].pop("projector")
    assert new == old
    own_theater.wait_for_plugin("projector", "PJLinkProjector")
    test = page.get_by_role("button", name="Test it")
    expect(test).to_be_enabled()
    test.click()
    question = page.get_by_role("group", name="Is the projector going on?")
    expect(question).to_be_visible()
    own_theater.wait_for("projector", "power", "on")
    page.evaluate(WAIT_FOR_TRANSITIONS)
    assert not faults(page)
    question.get_by_role("button", name="No").click()
    expect(page.get_by_role("group", name="What to check")).to_be_visible()
    page.get_by_text("Log", exact=True).click()
    page.evaluate(WAIT_FOR_TRANSITIONS)
    assert not faults(page)
    test.click()
    question.get_by_role("button", name="Yes").click()
    expect(row).to_contain_text("works")
    page.reload()
    visit.wait_ready()
    expect(row).to_contain_text("works")
    page.get_by_role("button", name="Simulate it again").click()
    dialog = page.get_by_role("dialog", name="What changes")
    dialog.get_by_role("button", name="Save").click()
    expect(page.get_by_text(SUMMARY.format(0))).to_be_visible()
    assert json.loads(file.read_text())["devices"]["projector"] == {
        "role": "projector",
        "plugin": "Simulated",
    }


@proves(
    "F5 F7 · the password of a found projector is kept as a secret, and the page never shows it "
    "again"
)
def test_secret(guided, own_theater, file):
    process = subprocess.Popen(
        [sys.executable, ROOT / "Tests/Fixtures/pjlink_projector.py", "--authentication", "md5"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        [port] = json.loads(process.stdout.readline())
        process.stdin.write(json.dumps({"id": 1, "password": "caramel corn"}) + "\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline()) == {"done": 1}
        visit = guided()
        page = visit.page
        stub_discovery(
            page,
            finding(
                "projectors",
                "projector",
                "PJLinkProjector",
                "Attic",
                host="127.0.0.1",
                port=port,
                authentication="md5",
                password={"secret": "attic"},
            ),
        )
        visit.open("/setup?device=projector")
        search(page)
        secret = page.get_by_label("Password of the device", exact=True)
        expect(secret).to_have_attribute("type", "password")
        secret.fill("caramel corn")
        choose(page, "Attic", "projector")
        options = json.loads(file.read_text())["devices"]["projector"]["options"]
        assert options["password"] == {"secret": "attic"}
        kept = own_theater.controller.folder / "state/theater/secrets/attic"
        assert kept.read_text() == "caramel corn\n" and stat.S_IMODE(kept.stat().st_mode) == 0o600
        own_theater.wait_for_plugin("projector", "PJLinkProjector")
        test = page.get_by_role("button", name="Test it")
        expect(test).to_have_attribute("aria-disabled", "false", timeout=30_000)
        test.click()
        expect(page.get_by_role("heading", name="Is the projector going on?")).to_be_visible()
        own_theater.wait_for("projector", "power", "on")
        assert "caramel" not in page.content()
        assert "caramel" not in (own_theater.controller.folder / "log").read_text()
        assert "caramel" not in json.dumps(own_theater.send("GET", "/audit"))
    finally:
        process.stdin.close()
        process.wait(10)


@proves(
    "F7 · a role without a device gets a simulated one on the page, and nothing else in the file "
    "changes"
)
def test_add(guided, own_theater, file):
    before = json.loads(file.read_text())
    name = next(
        name for name, entry in before["devices"].items() if entry["role"] == "popcornPopper"
    )
    # Scenes and activities name the device, and would be invalid without it.
    edited = {**before, "scenes": {}, "activities": {}}
    edited["devices"] = {one: entry for one, entry in before["devices"].items() if one != name}
    file.write_text(json.dumps(edited, indent=2))
    own_theater.controller.wait_for(
        lambda: name not in {one["id"] for one in own_theater.send("GET", "/devices")["devices"]}
    )
    visit = guided()
    # A device that is just being opened has no log yet.
    visit.expected |= {404}
    page = visit.open("/setup")
    page.get_by_role("button", name="Add: ").click()
    dialog = page.get_by_role("dialog", name="What changes")
    expect(dialog).to_contain_text("devices.popcornPopper")
    page.evaluate(WAIT_FOR_TRANSITIONS)
    assert not faults(page)
    dialog.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", name="Popcorn", exact=True)).to_be_visible()
    expect(page.locator(".device-row[data-focus=popcornPopper]")).to_contain_text("simulation")
    edited["devices"]["popcornPopper"] = {"role": "popcornPopper", "plugin": "Simulated"}
    assert json.loads(file.read_text()) == edited
    assert list(json.loads(file.read_text())["devices"])[-1] == "popcornPopper"


@proves(
    "F7 · the tests of the amplifier and of the tuner play through the amplifier, and turn "
    "everything off at their end"
)
@pytest.mark.parametrize(
    "device, player, asked",
    [("amp", "cd", "Did you hear it?"), ("tuner", "tuner", "Did you hear the radio?")],
)
def test_sound(guided, own_theater, device, player, asked):
    own_theater.turn_off()
    visit = guided()
    sent = {name: commands(visit.page, name) for name in ("amp", player)}
    page = visit.open(f"/setup?device={device}")
    page.get_by_role("button", name="Test it").click()
    own_theater.wait_for("amp", "power", "on")
    own_theater.wait_for(player, "power", "on")
    own_theater.wait_for("amp", "input", player)
    page.get_by_role("heading", name=asked).wait_for(timeout=30_000)
    own_theater.wait_for(player, "power", "off")
    own_theater.wait_for("amp", "power", "off")
    assert (
        {"input": player} in sent["amp"] and sent["amp"][-1] == "off" and sent[player][-1] == "off"
    )


@proves(
    "F7 · the keyboard alone finds a folder on the controller's machine, and its player "
    "plays the first song"
)
def test_folder(guided, own_theater, home, file):
    visit = guided()
    page = visit.open("/setup")
    tab_to(page, "^Search")
    page.keyboard.press("Enter")
    expect(page.get_by_text(re.compile(r"^Found: \d+\.$"))).to_be_visible(timeout=60_000)
    tab_to(page, "^CD player")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="CD player")).to_be_focused()
    use = page.locator(".setup-findings li", has_text=str(home)).get_by_role("button")
    expect(use).to_have_accessible_name("Use this: Folder with 1 song")
    use.focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="What changes")
    expect(dialog).to_be_visible()
    tab_to(page, "^Save")
    page.keyboard.press("Enter")
    expect(dialog).to_be_hidden()
    assert json.loads(file.read_text())["devices"]["cd"]["options"]["folders"] == [str(home)]
    own_theater.wait_for_plugin("cd", "LibavPlayer")
    test = page.get_by_role("button", name="Test it")
    expect(test).to_be_focused()
    expect(test).to_have_attribute("aria-disabled", "false", timeout=30_000)
    page.keyboard.press("Enter")
    own_theater.wait_for("cd", "playback", lambda playback: playback["state"] == "playing")
    own_theater.wait_for("amp", "power", "on")
    own_theater.wait_for("amp", "input", "cd")
    expect(page.get_by_role("heading", name="Did you hear the song?")).to_be_focused(timeout=30_000)
    own_theater.wait_for("cd", "power", "off")
    own_theater.wait_for("amp", "power", "off")
    tab_to(page, "^Yes", 3)
    page.keyboard.press("Enter")
    expect(page.locator("[role=status]", has_text="CD player: it works.").first).to_be_attached()


@proves(
    "F7 · the tests of lights, screen and popper change the device for some seconds, then "
    "restore its state"
)
def test_appliances(guided, own_theater):
    own_theater.turn_off()
    visit = guided()
    page = visit.open("/setup?device=lights")
    for device, key, asked in [
        ("lights", "brightness", "Did the lights change?"),
        ("screen", "position", "Did the screen move?"),
        ("popper", "power", "Did the popper go on and off?"),
    ]:
        page.locator(f".device-row[data-focus={device}]").click()
        before = own_theater.state(device, key)
        page.get_by_role("button", name="Test it").click()
        own_theater.wait_for(device, key, lambda now, before=before: now != before)
        page.get_by_role("heading", name=asked).wait_for(timeout=30_000)
        own_theater.wait_for(device, key, before)


def commands(page, device):
    """The commands that the page sends to a device, oldest first."""
    sent = []

    def add(request):
        if (
            request.method == "POST"
            and urllib.parse.urlsplit(request.url).path == f"/api/v1/devices/{device}/commands"
        ):
            sent.append(request.post_data_json)

    page.on("request", add)
    return sent


@proves(
    "F7 · the test of a player plays its first item, also if hundreds of another player's come "
    "before it"
)
def test_later_item(guided, own_theater):
    own_theater.turn_off()
    film = next(
        film for film in own_theater.send("GET", "/films")["films"] if "dvd" in film["players"]
    )
    others = [
        {"id": f"other-{number}", "title": f"Other {number}", "players": ["other"]}
        for number in range(700)
    ]

    def answer(route):
        asked = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(route.request.url).query))
        start = int(asked.get("offset", 0))
        part = [*others, film][start : start + int(asked["limit"])]
        route.fulfill(
            status=200,
            content_type="application/json",
            body=json.dumps({"films": part, "total": len(others) + 1}),
        )

    visit = guided()
    page = visit.page
    page.route("**/api/v1/films?*", answer)
    sent = commands(page, "dvd")
    visit.open("/setup?device=dvd")
    page.get_by_role("button", name="Test it").click()
    page.get_by_role("heading", name="Did you see or hear the film?").wait_for(timeout=30_000)
    assert {"play": {"item": film["id"]}} in sent
    own_theater.wait_for("dvd", "power", "off")


def hold_search(page):
    """Begins a search, and returns its request, which waits until the test answers it."""
    held = hold(page, "/discovery", times=1)
    page.get_by_role("button", name="Search", exact=True).first.click()
    return wait_held(page, held)


def end_search(page, route, *findings):
    route.fulfill(
        status=200,
        content_type="application/json",
        body=json.dumps({"findings": findings, "problems": []}),
    )
    expect(page.get_by_text(f"Found: {len(findings)}.")).to_be_visible()


@proves(
    "F7 · the end of a search leaves a password that is being typed, the cursor in it and the focus"
)
def test_search_while_typing(guided):
    def attic(**options):
        return finding(
            "projectors",
            "projector",
            "PJLinkProjector",
            "Attic",
            password={"secret": "attic"},
            **options,
        )

    cellar = finding(
        "projectors", "projector", "PJLinkProjector", "Cellar", password={"secret": "cellar"}
    )
    visit = guided()
    page = visit.page
    stub_discovery(page, attic())
    visit.open("/setup?device=projector")
    search(page)
    secret = page.locator(".setup-findings li", has_text="Attic").get_by_label(
        "Password of the device", exact=True
    )
    secret.focus()
    # The same place behind another, a new address, and no answer of the projector.
    for findings in ([cellar, attic()], [attic(host="192.0.2.9")], [cellar]):
        route = hold_search(page)
        secret.focus()
        page.keyboard.type("ab")
        page.keyboard.press("ArrowLeft")
        end_search(page, route, *findings)
        expect(page.locator(".setup-findings li", has_text="Cellar")).to_have_count(
            findings.count(cellar)
        )
        expect(secret).to_be_focused()
        page.keyboard.type("c")
    expect(secret).to_have_value("acacacbbb")
    page.get_by_role("button", name="Use this: Attic").click()
    page.get_by_role("dialog", name="Is it still you?").or_(
        page.get_by_role("dialog", name="What changes")
    ).wait_for()


@proves(
    "F7 · the end of a search leaves the question of a test, and the focus and a press in the "
    "list of devices"
)
def test_search_meanwhile(guided, own_theater):
    visit = guided()
    page = visit.open("/setup?device=projector")
    route = hold_search(page)
    page.get_by_role("button", name="Test it").click()
    question = page.get_by_role("heading", name="Is the projector going on?")
    expect(question).to_be_focused()
    end_search(
        page,
        route,
        finding("projectors", "projector", "PJLinkProjector", "Attic", host="192.0.2.9"),
    )
    expect(page.get_by_role("button", name="Use this: Attic")).to_be_visible()
    expect(question).to_be_focused()
    screen = page.locator(".device-row[data-focus=screen]")
    route = hold_search(page)
    screen.focus()
    end_search(page, route)
    expect(screen).to_be_focused()
    route = hold_search(page)
    screen.hover()
    page.mouse.down()
    end_search(
        page, route, finding("projectors", "screen", "PJLinkProjector", "Attic", host="192.0.2.9")
    )
    page.mouse.up()
    expect(page.get_by_role("heading", name="Screen", exact=True)).to_be_focused()
    expect(screen).to_contain_text("1")
    own_theater.turn_off()


@proves("F7 · a device that is saved late leaves the password that is typed for another")
def test_late_save(guided, file):
    visit = guided()
    page = visit.page
    stub_discovery(
        page,
        finding("projectors", "projector", "PJLinkProjector", "Attic", host="127.0.0.1", port=9),
        finding("sound", "amplifier", "ALSAAmplifier", "Card", device={"secret": "card"}),
    )
    visit.open("/setup?device=projector")
    search(page)
    page.get_by_role("button", name="Use this: Attic").click()
    held = hold(page, "/configuration", times=1)
    page.get_by_role("dialog", name="What changes").get_by_role("button", name="Save").click()
    route = wait_held(page, held)
    page.keyboard.press("Escape")
    page.locator(".device-row[data-focus=amp]").click()
    secret = page.get_by_label("Password of the device", exact=True)
    secret.focus()
    page.keyboard.type("caramel")
    route.continue_()
    expect(page.get_by_text(SUMMARY.format(1))).to_be_visible()
    expect(secret).to_be_focused()
    expect(secret).to_have_value("caramel")


@proves("F7 · a device can be tested as soon as the test of another has ended")
def test_next_test(guided, own_theater):
    own_theater.turn_off()
    visit = guided()
    held = []
    page = visit.page

    def answer(route):
        """Holds the answer to the command that restores the lights."""
        if len(sent) == 2:
            held.append((route, route.fetch()))
        else:
            route.continue_()

    page.route("**/api/v1/devices/lights/commands", answer)
    sent = commands(page, "lights")
    visit.open("/setup?device=lights")
    test = page.get_by_role("button", name="Test it")
    test.click()
    page.locator(".device-row[data-focus=screen]").click()
    expect(test).to_have_attribute("aria-disabled", "true")
    route, response = wait_held(page, held)
    page.wait_for_function(
        with_modules(
            "model/store.js",
            "({ device }) => device('lights').state.brightness.value === 100",
        )
    )
    route.fulfill(response=response)
    expect(test).to_have_attribute("aria-disabled", "false")


@proves("F7 · lights whose brightness is unknown are dimmed by their test, and stay on")
def test_unknown_brightness(guided, own_theater):
    own_theater.turn_off()
    visit = guided()
    page = visit.page

    def forget(route):
        response = route.fetch()
        lights = response.json()
        lights["state"]["brightness"]["provenance"] = "unknown"
        route.fulfill(response=response, body=json.dumps(lights))

    page.route("**/api/v1/devices/lights", forget)
    sent = commands(page, "lights")
    visit.open("/setup?device=lights")
    page.get_by_role("button", name="Test it").click()
    page.get_by_role("heading", name="Did the lights change?").wait_for(timeout=30_000)
    assert sent == [{"dim": 10}, "on"]


@proves("F7 · the page says that a device does not answer and what to check, and disables its test")
def test_silent(guided, own_theater, file):
    visit = guided()
    page = visit.page
    stub_discovery(
        page,
        finding("projectors", "projector", "PJLinkProjector", "Attic", host="127.0.0.1", port=1),
    )
    visit.open("/setup?device=projector")
    search(page)
    choose(page, "Attic", "projector")
    expect(page.get_by_role("group", name="What to check")).to_be_visible(timeout=30_000)
    expect(page.get_by_role("button", name="Test it")).to_have_attribute("aria-disabled", "true")
    assert not faults(page)


@proves("F7 · says that another search runs, and stops a search")
def test_busy(guided, own_theater):
    visit = guided()
    visit.expected = {409}
    page = visit.open("/setup")

    def is_busy():
        try:
            own_theater.send("POST", "/discovery", {"only": ["drives"]})
        except urllib.error.HTTPError as error:
            return error.code == 409
        return False

    def occupy():
        """Begins a long search; returns `None` if it was refused because another one came first."""
        other = http.client.HTTPConnection("127.0.0.1", own_theater.controller.port)
        other.request(
            "POST",
            "/api/v1/discovery",
            json.dumps({"only": ["projectors"], "timeout": 25}),
            {
                "Authorization": f"Bearer {own_theater.people['ann@example.org']}",
                "Content-Type": "application/json",
            },
        )
        return other if is_busy() else other.close()

    other = own_theater.controller.wait_for(occupy)
    start = page.get_by_role("button", name="Search", exact=True).first
    start.click()
    expect(page.get_by_role("alert").filter(has_text="another search")).to_be_visible()
    # The other search ends with its connection.
    other.close()
    own_theater.controller.wait_for(lambda: not is_busy())
    start.click()
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(page.get_by_text("The search was stopped.")).to_be_visible()
    expect(start).to_be_focused()


@proves("F5 F7 · members see no link to the setup of devices, and may not search")
def test_member(guided, own_theater):
    visit = guided("ben@example.org")
    visit.expected = {403}
    for path in ("/devices", "/settings"):
        page = visit.open(path)
        assert page.locator('a[href="/setup"]').count() == 0
    page = visit.open("/setup")
    page.get_by_role("heading", name="What would you like?").wait_for()
    status = page.evaluate(
        """async () => {
          const headers = { 'X-Theater': '1' };
          const answer = await fetch('/api/v1/discovery', { method: 'POST', headers });
          return answer.status;
        }"""
    )
    assert status == 403


@proves("F7 · searches at a broker with TLS, and with a file of authorities")
def test_tls(guided):
    page = guided().open("/setup")
    sent = []
    page.route(
        "**/api/v1/discovery",
        lambda route: (
            sent.append(route.request.post_data_json),
            route.fulfill(
                status=200, content_type="application/json", body='{"findings": [], "problems": []}'
            ),
        ),
    )
    page.get_by_text("MQTT broker elsewhere").click()
    page.get_by_label("Address of the broker").fill("broker.lan")
    authorities = page.get_by_label("File of authorities")
    expect(authorities).to_be_hidden()
    search(page)
    page.get_by_role("switch", name="TLS").click()
    authorities.fill("/etc/ssl/home.pem")
    search(page)
    page.get_by_role("switch", name="TLS").click()
    search(page)
    plain = {"broker": "broker.lan"}
    assert sent == [plain, {**plain, "tls": True, "caFile": "/etc/ssl/home.pem"}, plain], sent


@proves(
    "F7 · setting up devices is accessible in all sizes and themes, with forced colors and text "
    "at 200 %"
)
@pytest.mark.parametrize("size", SIZES)
def test_sizes(guided, own_theater, size):
    visit = guided(size=size)
    page = visit.page
    stub_discovery(
        page,
        finding(
            "sound", "amplifier", "ALSAAmplifier", "Sound card PCH " + "Analog " * 12, device="hw:0"
        ),
        problems=["mqtt: no broker " * 8],
    )
    wrong = [fault for path in ("/setup", "/setup?device=amp") for fault in check(visit, path)]
    visit.open("/setup")
    search(page)
    # `check` has judged the loading. A late answer to the search counts as a shift without an
    # input.
    page.evaluate("globalThis.shifts = 0; void 0")
    page.get_by_text("MQTT broker elsewhere").click()
    page.get_by_role("button", name=re.compile("^Amplifier")).scroll_into_view_if_needed()
    page.evaluate(WAIT_FOR_TRANSITIONS)
    wrong += faults(page) + page.evaluate(FIND_OVERFLOW) + page.evaluate(FIND_SMALL_TARGETS)
    page.get_by_role("button", name=re.compile("^Amplifier")).click()
    page.evaluate(WAIT_FOR_TRANSITIONS)
    wrong += faults(page) + page.evaluate(FIND_OVERFLOW) + page.evaluate(FIND_SMALL_TARGETS)
    page.get_by_role("button", name=re.compile("^Use this")).click()
    page.get_by_role("dialog").wait_for()
    page.evaluate(WAIT_FOR_TRANSITIONS)
    wrong += faults(page) + page.evaluate(FIND_OVERFLOW) + page.evaluate(FIND_SMALL_TARGETS)
    shift = page.evaluate("globalThis.shifts")
    assert shift <= 0.02, f"the layout shifts by {shift:.3f}"
    assert not wrong, "\n".join(wrong)


@proves(
    "F7 · the setup of devices has only Ukrainian or Russian texts, apart from the controller's "
    "findings"
)
@pytest.mark.parametrize("name", ["uk", "ru"])
def test_languages(guided, own_theater, name):
    visit = guided(locale=name, size="phone")
    foreign = english_pattern(name)
    page = visit.page
    stub_discovery(page, finding("sound", "amplifier", "ALSAAmplifier", "PCH", device="hw:0"))
    wrong = []
    for device in ("", "amp", "cd", "dvd", "tuner", "lights", "screen", "projector", "popper"):
        visit.open(f"/setup?device={device}")
        wrong += [
            text for text in page.evaluate(COLLECT_TEXTS) if foreign.fullmatch(text)
        ] + page.evaluate(FIND_OVERFLOW)
    visit.open("/setup")
    page.locator(".setup-search .btn").first.click()
    page.locator(".device-row[data-focus=amp] .chip").wait_for()
    wrong += [
        text for text in page.evaluate(COLLECT_TEXTS) if foreign.fullmatch(text)
    ] + page.evaluate(FIND_OVERFLOW)
    assert not wrong, wrong


@proves(
    "F7 · saving keeps edits that were made meanwhile, and the page reports a device that is gone"
)
def test_meanwhile(guided, own_theater, file):
    visit = guided()
    page = visit.page
    stub_discovery(
        page,
        finding("projectors", "projector", "PJLinkProjector", "Attic", host="127.0.0.1", port=9),
    )
    visit.open("/setup?device=projector")
    search(page)
    edited = json.loads(file.read_text())
    edited["devices"]["projector"]["process"] = "attic"
    file.write_text(json.dumps(edited))
    choose(page, "Attic", "projector")
    assert json.loads(file.read_text())["devices"]["projector"] == {
        "role": "projector",
        "plugin": "PJLinkProjector",
        "options": {"host": "127.0.0.1", "port": 9},
        "process": "attic",
    }
    back = page.get_by_role("button", name="Simulate it again").first
    # The page has read the file again.
    expect(back).to_be_visible()
    del edited["devices"]["projector"]
    file.write_text(json.dumps(edited))
    back.click()
    expect(
        page.get_by_role("log").get_by_text(
            "This device is no longer in devices.json, or has another role."
        )
    ).to_be_visible()
    assert json.loads(file.read_text()) == edited


# A text of devices.json with names and signs that a simple search would take for others.
ENTRIES_BEFORE = (
    r'{ "a": [{"devices": {"x": "}"}}, "\"]"],'
    + "\n"
    + ' "devices" : {"y":{"o":[1,{"x":2}]} , "x" :'
)
ENTRY_X = "\t" + r'{"role": "screen", "options": {"k": "\\"}}'
ENTRIES_AFTER = ' },"z":-1.5e3}'
# Changes texts and entries of devices.json, and returns what came out by the name of the case.
CHANGE_ENTRIES = r"""({ secretsIn, merged, simulated }, { withEntry, withNewEntry }, text) => {
  const oneEntry = '{\n  "devices": {\n    "x": {"role": "r"}\n  }\n}\n';
  const texts = [text, '{"devices": {}}', oneEntry];
  const errorOf = (action) => {
    try {
      return action();
    } catch (failure) {
      return failure.message;
    }
  };
  return {
    text: withEntry(text, 'x', { role: 'screen', list: [1, 'a, b'], none: {} }),
    added: texts.map((each) => withNewEntry(each, 'n', { role: 'r' })),
    secrets: secretsIn({
      a: { secret: 'one' },
      b: [{ c: { secret: 'two' } }, { secret: 'one' }],
      d: { secret: 'no', more: 1 },
      e: null,
    }),
    same: merged(
      { role: 'r', plugin: 'P', options: { folders: ['/a'], volume: 3 } },
      { plugin: 'P', options: { folders: ['/b', '/a'] } },
    ),
    missing: errorOf(() => withEntry(text, 'w', {})),
    other: merged(
      { role: 'r', plugin: 'Simulated', options: { speed: 2 }, process: 'p' },
      { plugin: 'P', options: { host: 'h' } },
    ),
    back: simulated({ role: 'r', plugin: 'P', options: { host: 'h' }, process: 'p' }),
  };
}"""


@proves("F7 · an entry is put into any text of devices.json, and every other byte stays")
def test_entries(guided, own_theater):
    page = guided().open("/setup")
    made = page.evaluate(
        with_modules(["parts/configuration.js", "parts/configuration-text.js"], CHANGE_ENTRIES),
        ENTRIES_BEFORE + ENTRY_X + ENTRIES_AFTER,
    )
    assert made == {
        "text": (
            ENTRIES_BEFORE + '\t{"role": "screen", "list": [1, "a, b"], "none": {}}' + ENTRIES_AFTER
        ),
        "added": [
            ENTRIES_BEFORE + ENTRY_X + ',\n    "n": {"role": "r"}' + ENTRIES_AFTER,
            '{"devices": {\n    "n": {"role": "r"}}}',
            '{\n  "devices": {\n    "x": {"role": "r"},\n    "n": {"role": "r"}\n  }\n}\n',
        ],
        "secrets": ["one", "two"],
        "missing": "no w in the text",
        "same": {"role": "r", "plugin": "P", "options": {"folders": ["/a", "/b"], "volume": 3}},
        "other": {"role": "r", "plugin": "P", "options": {"host": "h"}, "process": "p"},
        "back": {"role": "r", "plugin": "Simulated", "process": "p"},
    }
