"""Messages by sight: what is said lies above everything that is open."""

import json
import re
import urllib.request

import pytest
from conftest import TheaterClient, Visit, configuration, proves, with_modules
from controller import Controller
from playwright.sync_api import expect
from test_configuration import saved_by_another

# Whether what is seen at the middle of an element is the element.
IS_SEEN = """(node) => {
  const { left, top, width, height } = node.getBoundingClientRect();
  return node.contains(document.elementFromPoint(left + width / 2, top + height / 2));
}"""
SAY = with_modules("parts/toasts.js", "({ toast }, text) => toast(text, { label: 'Undo' })")
ASK = with_modules(
    "parts/dialogs.js", "({ askQuestion }) => askQuestion('Really?', 'It cannot be undone.')"
)
LOST = "No connection to the theater."


def is_seen(message):
    expect(message).to_be_visible()
    return message.evaluate(IS_SEEN)


def assert_toast_is_seen(page, text):
    page.evaluate(SAY, text)
    toast = page.locator(".toast").filter(has_text=text)
    assert is_seen(toast)
    # It can be pressed, too.
    toast.get_by_role("button", name="Undo").click()
    expect(toast).to_have_count(0)


def remove_film(theater, film):
    """Takes a film out of the library and of its player, as another owner does in the editor."""
    text = theater.send("GET", "/configuration")["text"]
    changed = json.loads(text)
    for films in (changed["library"], changed["devices"]["dvd"]["options"]):
        films["films"] = [one for one in films["films"] if one["id"] != film]
    saved_by_another(theater, json.dumps(changed))


@pytest.fixture
def own_theater():
    """A controller that the test may stop."""
    with Controller(configuration()) as controller:
        controller.wait_for(controller.answers)
        made = TheaterClient(controller)
        controller.wait_for(controller.plugins_are_up)
        yield made


@pytest.mark.parametrize("size", ["phone", "tablet", "desktop"])
@proves("a toast is seen and can be pressed over the page, the room, a sheet and a question")
def test_toast(visit, theater, size):
    theater.turn_off()
    one = visit(size=size).with_session(theater.people["ann@example.org"])
    page = one.open("/")
    assert_toast_is_seen(page, "Over the page.")
    one.open("/room")
    assert_toast_is_seen(page, "Over the room.")
    page.get_by_role("button", name=re.compile("^Amplifier")).click()
    expect(page.get_by_role("dialog", name="Amplifier")).to_be_visible()
    assert_toast_is_seen(page, "Over the sheet.")
    page.evaluate(ASK)
    question = page.get_by_role("dialog", name="Really?")
    expect(question).to_be_visible()
    assert_toast_is_seen(page, "Over the question.")
    page.evaluate(SAY, "It stays.")
    question.get_by_role("button", name="Cancel").click()
    expect(question).to_have_count(0)
    toast = page.locator(".toast")
    assert is_seen(toast)
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert is_seen(toast)


@proves("a refused start says so above the sheet in which it was pressed, and aloud within it")
def test_refusal(editable, browser):
    one = Visit(browser, editable.base).with_session(editable.people["ann@example.org"])
    one.expected = {404}
    page = one.open("/library")
    page.get_by_role("button", name=re.compile("^The Long Hall")).click()
    sheet = page.get_by_role("dialog")
    expect(sheet).to_be_visible()
    remove_film(editable, "the-long-hall")
    sheet.get_by_role("button", name=re.compile("^(Watch|From the start)$")).click()
    assert is_seen(page.locator(".toast"))
    said = page.locator("#say")
    expect(said).not_to_be_empty()
    assert said.evaluate("(node) => !!node.closest('dialog[open]')")
    one.close()


@pytest.mark.parametrize("size", ["phone", "tablet", "desktop"])
@proves("the offline notice is seen over the page, the room, a sheet and the resting room")
def test_offline(browser, own_theater, size):
    one = Visit(browser, own_theater.base, size=size)
    one.with_session(own_theater.people["ann@example.org"])
    one.expected = {"network"}
    page = one.page
    page.clock.install()
    one.open("/room")
    page.get_by_role("button", name=re.compile("^Amplifier")).click()
    sheet = page.get_by_role("dialog", name="Amplifier")
    expect(sheet).to_be_visible()
    own_theater.controller.stop()
    notice = page.locator(".offline")
    expect(notice).to_contain_text(LOST)
    assert is_seen(notice)
    close = sheet.get_by_role("button", name="Close")
    assert close.evaluate(IS_SEEN)
    close.click()
    expect(sheet).to_have_count(0)
    assert is_seen(notice)
    assert page.get_by_role("button", name="Show names").evaluate(IS_SEEN)
    page.clock.run_for(26_000)
    page.wait_for_function("() => document.body.classList.contains('resting')")
    assert is_seen(notice)
    least = 28 if size == "phone" else 48
    assert notice.evaluate("(node) => parseFloat(getComputedStyle(node).fontSize)") >= least
    one.close()


# Shows or hides what lies over the drawing and tells the age of what is shown.
SET_WORDS = """(visibility) => {
  for (const node of document.querySelectorAll('.messages, .room-head')) {
    node.style.visibility = visibility;
  }
}"""
# Sessions have six streams, accounts eight.
MOST_STREAMS = 6
# In this time the room has faded, and a picture that moves is another one.
FADE_MS = 2500


def drawing(page):
    """Takes a picture of the room without the words over it."""
    page.evaluate(SET_WORDS, "hidden")
    picture = page.locator(".room-view").screenshot()
    page.evaluate(SET_WORDS, "")
    return picture


def positions(page):
    return page.evaluate(
        with_modules(
            "model/store.js",
            """({ playback }) => {
              const wire = getComputedStyle(document.querySelector('.mini-wire'));
              return [playback().position, wire.getPropertyValue('--at')];
            }""",
        )
    )


@proves("without a connection nothing moves on: the picture of the room and the film's progress")
def test_nothing_moves_on(browser, own_theater):
    one = Visit(browser, own_theater.base, size="tablet")
    one.with_session(own_theater.people["ann@example.org"])
    one.expected = {"network"}
    own_theater.watch()
    page = one.open("/room")
    page.locator(".disc.spin, .wire-on").first.wait_for(state="attached")
    first = drawing(page)
    page.wait_for_timeout(FADE_MS)
    assert drawing(page) != first
    own_theater.controller.stop()
    expect(page.locator(".offline")).to_contain_text(LOST)
    page.wait_for_timeout(FADE_MS)
    last, at = drawing(page), positions(page)
    page.wait_for_timeout(FADE_MS)
    assert positions(page) == at
    assert drawing(page) == last
    one.close()


@proves("without a connection the player's position stops, and no end is foretold")
def test_position_stops(browser, own_theater):
    one = Visit(browser, own_theater.base)
    one.with_session(own_theater.people["ann@example.org"])
    one.expected = {"network"}
    own_theater.watch()
    page = one.page
    page.clock.install()
    one.open("/player")
    expect(page.locator(".ends")).to_contain_text("Ends at")
    own_theater.controller.stop()
    expect(page.locator(".offline")).to_contain_text(LOST)
    elapsed = page.locator(".player-seek .times .num").first
    shown = elapsed.text_content()
    page.clock.run_for(60_000)
    assert elapsed.text_content() == shown
    expect(page.locator(".ends")).to_have_text("")
    one.close()


def open_streams(theater, token, count):
    """Holds streams of events, as other devices of the account do."""
    request = urllib.request.Request(
        f"{theater.base}/api/v1/events", headers={"Authorization": f"Bearer {token}"}
    )
    return [urllib.request.urlopen(request, timeout=60) for _ in range(count)]


@pytest.mark.parametrize("address", ["/room", "/", "/player", "/devices"])
@proves("a page that gets no stream shows a sentence and its dark drawing, and goes on by itself")
def test_no_stream(visit, theater, address):
    theater.turn_off()
    token = theater.people["ann@example.org"]
    one = visit().with_session(token)
    one.expected = {429}
    streams = open_streams(theater, token, MOST_STREAMS)
    page = one.page
    page.goto(address)
    notice = page.locator(".offline")
    expect(notice).to_contain_text("Too many pages of the theater are open.")
    assert is_seen(notice)
    expect(page.get_by_text("Waiting for the theater").first).to_be_visible()
    expect(page.get_by_text("Nothing is on")).to_have_count(0)
    if address == "/room":
        expect(page.locator(".room-view svg .l-body > *").first).to_be_attached()
    for each in streams:
        each.close()
    expect(notice).to_have_count(0, timeout=60_000)
    expect(page.get_by_text("Waiting for the theater")).to_have_count(0)


@proves("a page that was opened while the controller was off goes on by itself")
def test_opened_while_off(browser, own_theater):
    one = Visit(browser, own_theater.base, service_workers="allow")
    one.with_session(own_theater.people["ann@example.org"])
    one.expected = {"network"}
    page = one.open("/")
    page.wait_for_function("() => navigator.serviceWorker.controller")
    keys = "async () => (await Promise.all((await caches.keys()).map(async (key) =>"
    keys += " (await (await caches.open(key)).keys()).length))).some((count) => count > 10)"
    page.wait_for_function(keys)
    own_theater.controller.stop()
    page.reload()
    expect(page.get_by_text("It goes on by itself once the theater answers.")).to_be_visible()
    own_theater.controller.start()
    expect(page.locator(".hero")).to_have_attribute("data-status", "idle", timeout=60_000)
    one.close()


@proves("a session that was ended elsewhere leads to the login, which says why")
def test_ended_elsewhere(visit, theater):
    theater.member("Bob", "bob@example.org")
    theater.log_in("bob@example.org")
    token = theater.people["bob@example.org"]
    one = visit().with_session(token)
    one.expected = {401}
    page = one.open("/")
    theater.send("DELETE", "/sessions/current", token=token)
    page.wait_for_url("**/login")
    note = page.get_by_role("status").filter(has_text="this session has ended")
    expect(note).to_be_visible()
    # It is said once.
    page.reload()
    expect(page.get_by_role("button", name="Log in")).to_be_visible()
    expect(note).to_have_count(0)


@proves("who logs out is not told that the session has ended")
def test_logged_out(visit, theater):
    theater.log_in("ann@example.org")
    page = visit().with_session(theater.people["ann@example.org"]).open("/")
    page.get_by_role("button", name="Log out").click()
    page.wait_for_url("**/login")
    expect(page.get_by_role("button", name="Log in")).to_be_visible()
    expect(page.get_by_text("this session has ended")).to_have_count(0)
    theater.log_in("ann@example.org")


@proves("a link that works on one machine alone has no QR code, and offers to answer the network")
def test_network_offer(browser, editable):
    one = Visit(browser, editable.base).with_session(editable.people["ann@example.org"])
    page = one.open("/people")
    page.get_by_role("button", name="Invite", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Create the link").click()
    link = page.get_by_role("dialog", name="The invitation’s link")
    expect(link).to_contain_text("Only this computer can open the address")
    expect(link.get_by_role("img", name="QR code of the link")).to_have_count(0)
    link.get_by_role("button", name="Answer on this network").click()
    difference = page.get_by_role("dialog", name="What changes")
    expect(difference).to_contain_text("web")
    expect(difference).to_contain_text("at next start")
    difference.get_by_role("button", name="Save").click()
    steps = page.get_by_role("dialog", name="Three more steps")
    expect(steps.get_by_role("listitem")).to_have_count(3)
    expect(steps).to_contain_text("Restart the theater")
    expect(steps).to_contain_text("fingerprint")
    saved = json.loads(editable.send("GET", "/configuration")["text"])
    assert saved["web"]["host"] == "0.0.0.0"
    one.close()


@proves("a theater without an owner says so, and where its setup code stands; its log is not red")
def test_no_owner(browser):
    with Controller(configuration()) as controller:
        controller.wait_for(controller.answers)
        code = controller.setup_code()
        one = Visit(browser, controller.base)
        page = one.page
        one.open("/")
        card = page.get_by_role("region", name="This theater has no owner yet.")
        expect(card).to_contain_text("in the terminal, or in the log of the controller")
        card.get_by_role("link", name="Set up the theater").click()
        page.get_by_label("Code of the invitation").fill(code)
        page.get_by_role("button", name="Next").click()
        expect(page.get_by_role("heading", name="What is your name?")).to_be_visible()
        # A visit fails if its log is red.
        one.close()


@proves("an invited person is not asked with a wrong code; their log is not red")
def test_invited(visit, theater):
    page = visit().open(f"/register#{theater.invitation()}")
    expect(page.get_by_role("heading", name="What is your name?")).to_be_visible()


@proves("a login without delivery offers no codes")
def test_no_delivery(browser, visit):
    page = visit().open("/login")
    expect(page.get_by_role("link", name="Log in with a code")).to_be_visible()
    made = configuration()
    del made["accounts"]
    with Controller(made) as controller:
        controller.wait_for(controller.answers)
        TheaterClient(controller)
        one = Visit(browser, controller.base)
        page = one.open("/login")
        expect(page.get_by_role("button", name="Log in")).to_be_visible()
        expect(page.get_by_role("link", name="Log in with a code")).to_have_count(0)
        expect(page.get_by_role("link", name="Forgot your password?")).to_have_count(0)
        one.close()
