"""The page as an installed app: its service worker, media keys, and leaving the player."""

import re
import struct

from browser import launch
from conftest import TheaterClient, Visit, configuration, proves
from controller import Controller
from playwright.sync_api import expect
from test_entrance import fill_login
from test_room import PUBLISH_EVENTS, open_following_tab
from test_screens import WAIT_FOR_TRANSITIONS, faults


def until(page, condition):
    """Waits until an expression holds.

    `wait_for_function` would compile the text of the expression in the page again and again, which
    the page's content security policy forbids. A function is compiled once.
    """
    page.wait_for_function(f"() => ({condition})")


# Waits until the service worker is active and has cached the texts; returns its caches' names.
WORKER_IS_ACTIVE = """async () => {
  const POLLING_MS = 20;
  const { active } = await navigator.serviceWorker.ready;
  while (active.state !== 'activated') {
    await new Promise((done) => active.addEventListener('statechange', done, { once: true }));
  }
  const names = await caches.keys();
  const cache = await caches.open(names[0]);
  const hasTexts = async () => (await cache.keys()).some(({ url }) => url.includes('/text/'));
  while (!(await hasTexts())) await new Promise((done) => setTimeout(done, POLLING_MS));
  return names;
}"""


@proves("F8 · can be installed: a manifest with icons of the sizes that it names")
def test_manifest(visit):
    page = visit().open("/login")
    manifest = page.evaluate(
        "fetch(document.querySelector('link[rel=manifest]').href).then((answer) => answer.json())"
    )
    assert (manifest["display"], manifest["start_url"]) == ("standalone", "/")
    for icon in manifest["icons"]:
        answer = page.request.get(icon["src"])
        assert answer.headers["content-type"] == icon["type"]
        if icon["type"] == "image/png":
            assert "{}x{}".format(*struct.unpack(">II", answer.body()[16:24])) == icon["sizes"]


@proves(
    "F5 · the service worker caches the page's files: without the controller the page opens and "
    "says so; caches of other versions are deleted"
)
def test_worker(browser):
    with Controller(configuration()) as controller:
        controller.wait_for(controller.answers)
        theater = TheaterClient(controller)
        one = Visit(browser, theater.base, service_workers="allow").with_session(
            theater.people["ann@example.org"]
        )
        one.expected = {"network"}
        page = one.open("/")
        names = page.evaluate(WORKER_IS_ACTIVE)
        folder = re.search(
            r"/page/\w+/", page.locator("script[type=module]").get_attribute("src")
        ).group()
        assert names == [f"theater{folder}"]
        # As if a service worker of another version had left a cache behind.
        page.evaluate(
            """async () => {
              await caches.open('theater-before');
              const worker = await navigator.serviceWorker.ready;
              await worker.unregister();
            }"""
        )
        one.open("/room")
        assert page.evaluate(WORKER_IS_ACTIVE) == names
        controller.stop()
        page.reload()
        expect(page.get_by_role("alert")).to_contain_text("The theater does not answer")
        controller.start()
        controller.wait_for(controller.answers)
        page.get_by_role("button", name="Try again").click()
        page.get_by_role("heading", name="Nothing is on").wait_for()
        one.close()


@proves(
    "F5 · works wholly over https with the self-signed certificate, and shows the "
    "fingerprint that the controller printed"
)
def test_https(browser):
    made = configuration()
    made["web"] = {"tls": True}
    # Accepts the certificate, as a person would. A service worker needs this for the whole
    # browser, not for one context.
    trusting = launch(browser.browser_type, "--ignore-certificate-errors")
    with Controller(made) as controller:
        controller.wait_for(controller.answers)
        theater = TheaterClient(controller)
        printed = re.search(
            r"SHA-256 ((?:[0-9A-F]{2}:){31}[0-9A-F]{2})$", "\n".join(controller.lines), re.MULTILINE
        ).group(1)
        one = Visit(trusting, theater.base, service_workers="allow")
        page = one.open("/login")
        assert page.evaluate("[location.protocol, isSecureContext]") == ["https:", True]
        fill_login(page)
        page.get_by_role("button", name="Log in").click()
        page.get_by_role("heading", name="Nothing is on").wait_for()
        cookies = {each["name"]: each for each in one.context.cookies()}
        assert set(cookies) == {"__Host-theater", "__Host-theater-device"}
        for each in cookies.values():
            assert (each["secure"], each["httpOnly"], each["sameSite"], each["path"]) == (
                True,
                True,
                "Strict",
                "/",
            )
        assert page.evaluate(WORKER_IS_ACTIVE)
        # Events arrive.
        theater.watch()
        page.get_by_role("heading", name="Night Ferry", level=1).wait_for()
        one.open("/settings")
        expect(page.get_by_text(f"Certificate {printed}", exact=True)).to_be_visible()
        expect(page.get_by_text(f"https://127.0.0.1:{controller.port}")).to_be_visible()
        page.get_by_role("button", name="Log out").click()
        page.get_by_role("button", name="Log in").wait_for()
        assert "__Host-theater" not in {each["name"] for each in one.context.cookies()}
        one.close()
    trusting.close()


@proves("the keys of the keyboard and of the lock screen show and control what plays")
def test_media_keys(owner, theater):
    owner.context.add_init_script(
        """globalThis.keys = {};
        MediaSession.prototype.setActionHandler = (name, run) => {
          globalThis.keys[name] = run;
        };"""
    )
    theater.watch()
    page = owner.open("/settings")
    until(
        page,
        "navigator.mediaSession.metadata?.title === 'Night Ferry' &&"
        " navigator.mediaSession.playbackState === 'playing'",
    )
    page.get_by_role("switch", name="Media keys and lock screen").click()
    until(page, "document.querySelector('audio')?.currentTime > 0")
    page.evaluate("keys.pause()")
    theater.wait_for("dvd", "playback", lambda playback: playback["state"] == "paused")
    until(page, "navigator.mediaSession.playbackState === 'paused'")
    page.evaluate("keys.seekto({ seekTime: 300 })")
    theater.wait_for("dvd", "playback", lambda playback: playback["position"] >= 299)
    page.evaluate("keys.seekbackward({ seekOffset: 100 })")
    theater.wait_for("dvd", "playback", lambda playback: 199 <= playback["position"] < 299)
    theater.run("/end")
    until(page, "navigator.mediaSession.metadata === null && !document.querySelector('audio')")
    until(page, "Object.values(keys).every((run) => run === null)")


@proves(
    "E17 E17a · leaving the player ends the activity or lets it go on, as the person chose once"
)
def test_leaving(owner, theater):
    theater.watch()
    page = owner.open("/player")
    for name in ("Previous chapter", "Next chapter"):
        expect(page.get_by_role("button", name=name)).to_be_visible()
    page.get_by_role("link", name="Close the player").click()
    question = page.get_by_role("region", name=re.compile("Keep “Night Ferry” on"))
    question.get_by_role("button", name="Keep it on").wait_for()
    owner.wait_ready()  # the new screen takes the focus once
    page.evaluate(WAIT_FOR_TRANSITIONS)
    assert not faults(page)
    # Neither the player nor another film has the question.
    page.get_by_role("region", name="Night Ferry").get_by_role("link", name="Player").click()
    expect(question).to_have_count(0)
    page.get_by_role("link", name="Close the player").click()
    question.wait_for()
    theater.watch("paper-moons")
    expect(question).to_have_count(0)
    theater.watch()
    page.get_by_role("region", name="Night Ferry").get_by_role("link", name="Player").click()
    page.get_by_role("link", name="Close the player").click()
    question.get_by_role("button", name="Keep it on").press("Enter")
    expect(question).to_have_count(0)
    page.get_by_role("region", name="Night Ferry").get_by_role("link", name="Player").click()
    page.get_by_role("link", name="Close the player").click()
    page.get_by_role("heading", name="What would you like?").wait_for()
    expect(question).to_have_count(0)
    assert theater.send("GET", "/status")["activity"]["status"] == "running"
    owner.open("/settings")
    page.get_by_role("switch", name="Leaving the player ends what is on").click()
    owner.open("/player")
    # The room shows the same activity.
    page.get_by_role("main").get_by_role("button", name="Room").click()
    page.get_by_role("heading", name="Night Ferry").wait_for()
    assert theater.send("GET", "/status")["activity"]["status"] == "running"
    owner.open("/player")
    page.get_by_role("link", name="Close the player").click()
    page.locator('.hero[data-status="idle"]').wait_for()
    assert theater.send("GET", "/status")["activity"]["status"] == "idle"


@proves("the question about leaving the player goes on with the next song of an album")
def test_question_at_next_song(owner):
    page = open_following_tab(owner, "/player")

    def play(title):
        activity = {
            "status": "running",
            "activity": "music",
            "title": "Listen to music",
            "item": title.lower(),
            "itemTitle": title,
            "player": "cd",
            "run": "7",
        }
        owner.page.evaluate(PUBLISH_EVENTS, [["activity", activity]])

    play("First")
    expect(page.get_by_role("heading", name="First")).to_be_visible()
    page.get_by_role("link", name="Close the player").click()
    question = page.locator(".toast.ask")
    expect(question).to_have_accessible_name("Keep “First” on when you leave the player?")
    play("Second")
    expect(question).to_have_accessible_name("Keep “Second” on when you leave the player?")
    expect(question).to_contain_text("Keep “Second” on when you leave the player?")


@proves("a message stays when the question about leaving the player is answered")
def test_message_beside_question(owner, theater):
    theater.watch()
    page = owner.open("/player")
    page.get_by_role("link", name="Close the player").click()
    question = page.get_by_role("region", name=re.compile("Keep “Night Ferry” on"))
    question.wait_for()
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Settings").click()
    page.get_by_role("button", name="Read the library again").click()
    message = page.locator(".toast", has_text=re.compile(r"\d+ films"))
    message.hover()  # holds it beyond its time
    question.get_by_role("button", name="Keep it on").press("Enter")
    expect(question).to_have_count(0)
    expect(message).to_be_visible()
