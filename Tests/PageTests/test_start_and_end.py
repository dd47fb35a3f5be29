"""The start and the end of an activity step by step, a failed step, and who leaves the player."""

import re

import pytest
from conftest import (
    TheaterClient,
    Visit,
    configuration,
    eventually,
    proves,
)
from controller import Controller
from playwright.sync_api import expect
from test_entrance import fill_login

# Keeps each text of an element with one of the classes, in the order in which they appear.
KEEP_TEXTS = """
  globalThis.shownTexts = [];
  const SHOWN = '.player-top p, .player-words p, .hero-words p, .mini .sub, .room-head p';
  const keep = () => {
    for (const node of document.querySelectorAll(SHOWN)) {
      const text = node.textContent.trim();
      if (text && !shownTexts.includes(text)) shownTexts.push(text);
    }
  };
  new MutationObserver(keep).observe(document, {
    childList: true,
    subtree: true,
    characterData: true,
  });
"""
# What the page says in each language: of a start, of an end, when the film plays, and of some of
# the steps: two of the start, one of the end.
WORDS = {
    "en": {
        "starting": "Getting ready",
        "ending": "Shutting down",
        "running": "Watching now",
        "steps": [
            "Step 5 of 11: Projector: turn on",
            "Step 10 of 11: DVD player: turn on",
            "Step 7 of 8: DVD player: eject",
        ],
    },
    "uk": {
        "starting": "Підготовка",
        "ending": "Вимкнення",
        "running": "Зараз на екрані",
        "steps": [
            "Крок 5 із 11: Проєктор: увімкнути",
            "Крок 10 із 11: DVD-програвач: увімкнути",
            "Крок 7 із 8: DVD-програвач: витягти диск",
        ],
    },
    "ru": {
        "starting": "Подготовка",
        "ending": "Выключение",
        "running": "Сейчас на экране",
        "steps": [
            "Шаг 5 из 11: Проектор: включить",
            "Шаг 10 из 11: DVD-плеер: включить",
            "Шаг 7 из 8: DVD-плеер: извлечь диск",
        ],
    },
}


def with_one_projector():
    """Returns the configuration without the broken projector: names of devices stay short."""
    made = configuration()
    del made["devices"]["spare"], made["scenes"]["broken"]
    return made


def begin(controller):
    controller.wait_for(controller.answers)
    theater = TheaterClient(controller)
    controller.wait_for(controller.plugins_are_up)
    return theater


@pytest.fixture(scope="module")
def slow_theater():
    """A theater whose projector and player hold back each answer, so that steps can be seen."""
    made = with_one_projector()
    for device in ("projector", "dvd"):
        made["devices"][device]["options"]["faults"] = {"slow": 1}
    with Controller(made) as controller:
        yield begin(controller)


def activity(theater):
    return theater.send("GET", "/status")["activity"]["status"]


@proves(
    "E20 · a start says that the theater gets ready and an end that it shuts down, each with the "
    "device and the command of its step; the player opens early and says so"
)
@pytest.mark.parametrize("language", WORDS)
@pytest.mark.parametrize("size", ["phone", "desktop"])
def test_words(browser, slow_theater, language, size):
    words = WORDS[language]
    slow_theater.turn_off()
    one = Visit(browser, slow_theater.base, size=size, locale=language)
    one.with_session(slow_theater.people["ann@example.org"])
    one.page.add_init_script(KEEP_TEXTS)
    page = one.open("/library")
    page.get_by_role("button", name=re.compile("^Paper Moons")).click()
    page.get_by_role("dialog").locator(".btn.primary").click()
    page.wait_for_url("**/player")
    # The film is not there yet: the player says what it waits for.
    status = page.locator(".player-top p")
    expect(status).to_have_text(words["starting"])
    assert activity(slow_theater) == "starting"
    expect(status).to_have_text(words["running"])
    assert activity(slow_theater) == "running"
    slow_theater.wait_for("dvd", "playback", lambda playback: playback["state"] == "playing")
    # The other screens say the same of the end.
    page.locator(".player-actions button").last.click()
    expect(status).to_have_text(words["ending"])
    assert activity(slow_theater) == "ending"
    page.locator(".empty").wait_for()
    assert activity(slow_theater) == "idle"
    first, second, last = words["steps"]
    order = [words["starting"], first, second, words["running"], words["ending"], last]
    shown = page.evaluate("shownTexts")
    assert [text for text in shown if text in order] == order, shown
    one.close()


@proves(
    "E20 · Home, the room and the bar of the other screens say that the theater gets ready or "
    "shuts down, and the step"
)
@pytest.mark.parametrize(
    "path, place", [("/", ".hero-words"), ("/room", ".room-head"), ("/devices", ".mini .sub")]
)
def test_words_elsewhere(browser, slow_theater, path, place):
    slow_theater.turn_off()
    one = Visit(browser, slow_theater.base).with_session(slow_theater.people["ann@example.org"])
    page = one.open(path)
    words = page.locator(place)
    slow_theater.send("POST", "/watch", {"item": "night-ferry", "fromStart": True})
    expect(words).to_contain_text(re.compile("getting ready.*Projector: turn on", re.I | re.S))
    eventually(page, lambda: activity(slow_theater) == "running")
    slow_theater.send("POST", "/end")
    expect(words).to_contain_text(re.compile("shutting down.*DVD player: ", re.I | re.S))
    eventually(page, lambda: activity(slow_theater) == "idle")
    one.close()


@proves("E17 · Home calls the start of a film that a person cancelled cancelled, not failed")
def test_cancelled_start(browser, slow_theater):
    slow_theater.turn_off()
    one = Visit(browser, slow_theater.base).with_session(slow_theater.people["ann@example.org"])
    page = one.open("/")
    run = slow_theater.send("POST", "/watch", {"item": "night-ferry", "fromStart": True})["run"]
    expect(page.locator(".hero")).to_have_attribute("data-status", "starting")
    slow_theater.send("POST", f"/runs/{run['id']}/cancellation", {})
    hero = page.locator('.hero[data-status="failed"]')
    expect(hero).to_contain_text("Cancelled. What was done stays as it is.")
    assert slow_theater.ended_run(run["id"])["status"] == "cancelled"
    one.close()


@proves(
    "E17 E17c · a failed step is shown with its device, its position and what was done before it, "
    "which stays as it is"
)
@pytest.mark.parametrize("path", ["/", "/player"])
@pytest.mark.parametrize("size", ["phone", "desktop"])
def test_failed_step(browser, failing_theater, path, size):
    theater = failing_theater
    theater.turn_off()
    one = Visit(browser, theater.base, size=size)
    page = one.with_session(theater.people["ann@example.org"]).open(path)
    assert theater.run("/watch", {"item": "night-ferry"})["status"] == "failed"
    card = page.locator("main .error-card")
    expect(card).to_contain_text(re.compile("^Projector: "))
    expect(card).to_contain_text("Step 5 of 11.")
    expect(card).to_contain_text(
        "Already done, and kept: Popcorn: turn on; Popcorn: pop one batch; "
        "Lights: dim to 10 %; Screen: down."
    )
    # The devices report it, and the steps behind the failed one were not begun.
    assert theater.state("lights", "brightness") == 10
    assert theater.state("screen", "position") in ("moving", "down")
    assert theater.state("amp", "power") == "off"
    card.get_by_role("button", name="End").click()
    expect(card).to_have_count(0)
    eventually(page, lambda: activity(theater) == "idle")
    one.close()


@pytest.fixture(scope="module")
def failing_theater():
    """A theater whose projector refuses to turn on."""
    made = with_one_projector()
    made["devices"]["projector"]["options"]["faults"] = {"refuses": ["on"]}
    made["scenes"]["at-once"] = {"title": "At once", "steps": [{"projector": "on"}]}
    with Controller(made) as controller:
        yield begin(controller)


@proves("E17 E17c · where the first step fails, nothing is said to be kept")
def test_first_step_fails(browser, failing_theater):
    theater = failing_theater
    theater.turn_off()
    one = Visit(browser, theater.base).with_session(theater.people["ann@example.org"])
    page = one.open("/scenes?scene=at-once")
    pane = page.get_by_role("region", name="At once")
    pane.get_by_role("button", name="Run").click()
    card = pane.locator(".error-card")
    expect(card).to_contain_text(re.compile("^Projector: .*Step 1 of 1. Nothing was done before"))
    one.close()


def log_in(one, email):
    page = one.page
    fill_login(page, email=email)
    page.keyboard.press("Enter")
    page.get_by_role("main").get_by_role("button", name="Log out").wait_for()


def leave_player(one):
    """Opens the player by its address, and closes it; returns the question, if it is asked."""
    page = one.open("/player")
    page.get_by_role("link", name="Close the player").click()
    page.get_by_role("heading", name="What would you like?").wait_for()
    return page.get_by_role("region", name=re.compile("Keep “Night Ferry” on"))


@proves(
    "E17 E17a · each person of a device chooses apart whether leaving the player ends the activity "
    "or lets it go on"
)
@pytest.mark.parametrize("size", ["phone", "desktop"])
def test_leaving_by_person(visit, theater, size):
    theater.turn_off()
    other = f"rita-{size}@example.org"
    theater.member("Rita", other)
    one = visit(size=size)
    one.expected = {401}
    page = one.open("/login")
    log_out = page.get_by_role("main").get_by_role("button", name="Log out")

    theater.watch()
    log_in(one, "ann@example.org")
    leave_player(one).get_by_role("button", name="End it").click()
    eventually(page, lambda: activity(theater) == "idle")
    page.locator('.hero[data-status="idle"]').wait_for()
    log_out.click()
    page.get_by_role("button", name="Log in").wait_for()

    # The choice of one person is not that of the next.
    theater.watch()
    log_in(one, other)
    question = leave_player(one)
    question.get_by_role("button", name="Keep it on").click()
    expect(question).to_have_count(0)
    expect(leave_player(one)).to_have_count(0)
    assert activity(theater) == "running"
    log_out.click()
    page.get_by_role("button", name="Log in").wait_for()

    log_in(one, "ann@example.org")
    expect(leave_player(one)).to_have_count(0)
    eventually(page, lambda: activity(theater) == "idle")


@proves(
    "E17 E17a · leaving the player while a film is made ready ends the start or lets it go on, as "
    "the person chose"
)
@pytest.mark.parametrize("ends", [True, False], ids=["ends", "goes on"])
def test_leaving_early(browser, slow_theater, ends):
    theater = slow_theater
    theater.turn_off()
    one = Visit(browser, theater.base).with_session(theater.people["ann@example.org"])
    page = one.open("/settings")
    choice = page.get_by_role("switch", name="Leaving the player ends what is on")
    choice.click()
    if not ends:
        choice.click()
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Home", exact=True).click()
    run = theater.send("POST", "/watch", {"item": "night-ferry", "fromStart": True})["run"]
    one.open("/player")
    expect(page.locator(".player-top p")).to_have_text("Getting ready")
    page.get_by_role("link", name="Close the player").click()
    if ends:
        page.locator('.hero[data-status="idle"]').wait_for()
        assert theater.ended_run(run["id"])["status"] == "cancelled"
    else:
        assert theater.ended_run(run["id"])["status"] == "done"
        expect(page.locator(".hero")).to_have_attribute("data-status", "running")
    one.close()
