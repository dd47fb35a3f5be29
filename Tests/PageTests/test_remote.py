"""The page as a remote: the volume, everything off, a phone on its side, and legibility."""

import base64
import re

import pytest
from conftest import eventually, proves, with_modules
from playwright.sync_api import expect
from test_configuration import answer
from test_room import PUBLISH_EVENTS, failed, open_following_tab

SIDE = {"width": 844, "height": 390}
# The screens that everybody has, and those of an owner.
ADDRESSES = [
    *("/", "/room", "/library", "/player", "/radio", "/devices"),
    *("/scenes", "/settings", "/people", "/plugins"),
]
# In pixels: the least target of a press.
LEAST_TARGET = 44
# The least contrast of a text (WCAG 2.2, 1.4.3).
LEAST_CONTRAST = 4.5
# The contrast of the text of a node with the picture behind it, of which `png` is a picture without
# the text. The lightest or darkest hundredth of the points is left out: grain and edges.
CONTRAST = """async (node, [png, color]) => {
  const bytes = Uint8Array.from(atob(png), (letter) => letter.charCodeAt(0));
  const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
  const context = canvas.getContext('2d');
  context.drawImage(bitmap, 0, 0);
  const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
  const linear = (share) => share <= .04045 ? share / 12.92 : ((share + .055) / 1.055) ** 2.4;
  const luminance = ([red, green, blue]) =>
    .2126 * linear(red / 255) + .7152 * linear(green / 255) + .0722 * linear(blue / 255);
  const behind = [];
  for (let i = 0; i < data.length; i += 4) behind.push(luminance(data.subarray(i, i + 3)));
  behind.sort((a, b) => a - b);
  const text = luminance(color.match(/[\\d.]+/g).map(Number));
  const margin = Math.floor(behind.length / 100);
  const worst = [behind[margin], behind[behind.length - 1 - margin]];
  return Math.min(...worst.map((other) =>
    (Math.max(text, other) + .05) / (Math.min(text, other) + .05)));
}"""
# The system's color of what is selected.
HIGHLIGHT = """() => {
  const probe = document.createElement('i');
  document.body.append(probe);
  probe.style.color = 'Highlight';
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}"""
# The colors of a slider's track near its ends, in a picture of the slider.
TRACK_COLORS = """async (png) => {
  const bytes = Uint8Array.from(atob(png), (letter) => letter.charCodeAt(0));
  const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
  const context = new OffscreenCanvas(bitmap.width, bitmap.height)
    .getContext('2d', { willReadFrequently: true });
  context.drawImage(bitmap, 0, 0);
  return [.1, .9].map((share) => {
    const [x, y] = [bitmap.width * share, bitmap.height / 2].map(Math.round);
    return `rgb(${[...context.getImageData(x, y, 1, 1).data].slice(0, 3).join(', ')})`;
  });
}"""
# Settled means that no transition of the room goes on.
SETTLED = """() => document.getAnimations().every((one) =>
  !(one instanceof CSSTransition) || one.playState === 'finished')"""


def contrast(page, text):
    """Measures the contrast of a text in the picture of the page."""
    color = text.evaluate("(node) => getComputedStyle(node).color")
    text.evaluate("(node) => node.style.setProperty('color', 'transparent', 'important')")
    picture = text.screenshot()
    text.evaluate("(node) => node.style.removeProperty('color')")
    return text.evaluate(CONTRAST, [base64.b64encode(picture).decode(), color])


def volume_group(page):
    return page.get_by_role("group", name="Volume").filter(visible=True)


def volume(theater):
    return theater.state("amp", "volume")


def as_owner(visit, theater, **options):
    return visit(**options).with_session(theater.people["ann@example.org"])


@pytest.mark.parametrize("size", ["phone", "tablet", "desktop"])
@pytest.mark.parametrize("address", ADDRESSES)
@proves("quieter, louder and mute are on every screen of every size, and show one number")
def test_volume_everywhere(visit, theater, size, address):
    theater.turn_off()
    theater.watch()
    page = as_owner(visit, theater, size=size).open(address)
    group = volume_group(page)
    expect(group).to_have_count(1)
    before = volume(theater)
    for name, change in (("Louder", 2), ("Quieter", 0)):
        key = group.get_by_role("button", name=name)
        box = key.bounding_box()
        assert min(box["width"], box["height"]) >= LEAST_TARGET
        key.click()
        expect(group).to_contain_text(f"{before + change} %")
        theater.wait_for("amp", "volume", before + change)
    slider = group.get_by_role("slider", name="Volume")
    expect(slider).to_have_value(str(before))
    mute = group.get_by_role("button", name="Mute")
    mute.click()
    theater.wait_for("amp", "muted", True)
    expect(mute).to_have_attribute("aria-pressed", "true")
    expect(group).to_contain_text("muted")
    mute.click()
    theater.wait_for("amp", "muted", False)
    expect(mute).to_have_attribute("aria-pressed", "false")


@proves("louder repeats while it is held, and ends when it is let go")
def test_hold(owner, theater):
    theater.watch()
    page = owner.open("/room")
    group = volume_group(page)
    before = volume(theater)
    group.get_by_role("button", name="Louder").hover()
    page.mouse.down()
    eventually(page, lambda: volume(theater) >= before + 8)
    page.mouse.up()
    said = page.locator("#say")
    expect(said).to_have_text(re.compile(r"volume \d+ %"))
    number = int(re.search(r"\d+", said.text_content()).group())
    theater.wait_for("amp", "volume", number)
    expect(group).to_contain_text(f"{number} %")


@pytest.mark.parametrize("status", ["starting", "ending", "failed"])
@proves("the volume is on Home also while an activity begins or ends, and when it has failed")
def test_volume_meanwhile(owner, theater, status):
    theater.watch()
    page = open_following_tab(owner, "/")
    before = volume(theater)
    failure = failed("projector", "the lamp does not strike", "Let it cool.", status=status)
    owner.page.evaluate(PUBLISH_EVENTS, [failure])
    hero = page.locator(f".hero[data-status={status}]")
    group = hero.get_by_role("group", name="Volume")
    group.get_by_role("button", name="Louder").click()
    expect(group).to_contain_text(f"{before + 2} %")
    theater.wait_for("amp", "volume", before + 2)


@proves("a held key ends with the first finger, and when its screen is left")
def test_hold_ends(owner, theater):
    theater.watch()
    theater.send("POST", "/volume", {"to": 20})
    owner.page.clock.install()
    page = owner.open("/")
    group = volume_group(page)
    expect(group).to_contain_text("20 %")
    louder = group.get_by_role("button", name="Louder")
    for kind, finger in (("down", 1), ("down", 2), ("up", 2), ("up", 1)):
        louder.dispatch_event(f"pointer{kind}", {"pointerId": finger, "isPrimary": finger == 1})
    page.clock.run_for(5_000)
    expect(group).to_contain_text("22 %")
    theater.wait_for("amp", "volume", 22)
    louder.hover()
    page.mouse.down()
    page.evaluate(with_modules("main.js", "({ go }) => go('/library')"))
    output = page.locator(".mini .volume-out")
    shown = output.text_content()
    page.clock.run_for(5_000)
    assert output.text_content() == shown
    page.mouse.up()


@proves("the keyboard changes the volume on every screen; a guest stays within the limit")
def test_volume_keys(visit, theater, owner):
    theater.watch()
    made = theater.send(
        "POST",
        "/guests",
        {"activities": ["film"], "volumeLimit": 52, "validFor": 3600, "name": "Ben"},
    )
    token = theater.send("POST", "/guests/sessions", {"pass": made["code"]}, token="")["token"]
    theater.send("POST", "/volume", {"to": 50})
    page = visit().with_session(token).open("/")
    group = volume_group(page)
    expect(group).to_contain_text("50 %")
    for _ in range(3):
        page.keyboard.press("+")
    expect(group).to_contain_text("52 %")
    theater.wait_for("amp", "volume", 52)
    page.keyboard.press("-")
    theater.wait_for("amp", "volume", 50)
    page.keyboard.press("m")
    expect(group).to_contain_text("muted")
    page.keyboard.press("m")
    theater.wait_for("amp", "muted", False)
    # The group keeps the keys of the keyboard: Enter presses the focused one.
    group.get_by_role("button", name="Louder").focus()
    page.keyboard.press("Enter")
    theater.wait_for("amp", "volume", 52)
    slider = group.get_by_role("slider", name="Volume")
    slider.fill("100")
    expect(slider).to_have_value("52")
    expect(page.locator(".toast")).to_have_count(0)


@proves("a held key mutes once; behind the sheet of a device no key changes the volume")
def test_volume_keys_elsewhere(owner, theater):
    theater.watch()
    page = owner.open("/room")
    group = volume_group(page)
    before = volume(theater)
    page.keyboard.down("m")
    expect(group).to_contain_text("muted")
    sent = len(owner.requests)
    page.keyboard.down("m")
    page.keyboard.down("m")
    page.keyboard.up("m")
    page.keyboard.press("m")
    expect(group).to_contain_text(f"{before} %")
    assert sum(address.endswith("/volume") for address in owner.requests[sent:]) == 1
    page.get_by_role("button", name=re.compile("^Lights")).click()
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("+")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.press("+")
    expect(group).to_contain_text(f"{before + 2} %")
    theater.wait_for("amp", "volume", before + 2)


@pytest.mark.parametrize("address", ["/", "/room", "/player", "/library"])
@proves("a phone on its side has the rail at its side, and its controls within the screen")
def test_on_its_side(visit, theater, address):
    theater.turn_off()
    theater.watch()
    one = as_owner(visit, theater, size="phone")
    one.page.set_viewport_size(SIDE)
    page = one.open(address)
    rail = page.get_by_role("navigation", name="Main").filter(visible=True)
    expect(rail).to_have_count(1)
    assert rail.bounding_box()["width"] < 100
    for name in ("Pause", "Louder", "Quieter", "Mute"):
        key = page.get_by_role("button", name=name, exact=True).filter(visible=True).first
        box = key.bounding_box()
        assert box["y"] >= 0 and box["y"] + box["height"] <= SIDE["height"], (name, box)
        assert box["x"] + box["width"] <= SIDE["width"], (name, box)
        assert key.evaluate(
            """(node) => {
              const { left, top, width, height } = node.getBoundingClientRect();
              return node.contains(document.elementFromPoint(left + width / 2, top + height / 2));
            }"""
        ), name
    assert page.evaluate("document.documentElement.scrollWidth") <= SIDE["width"]


@pytest.mark.parametrize("address", ["/", "/room"])
@proves("everything is turned off with one press from Home and from the room")
def test_everything_off(owner, theater, address):
    theater.watch()
    page = owner.open(address)
    page.get_by_role("button", name="Everything off").press("Enter")
    theater.wait_for("amp", "power", "off")
    theater.wait_for("lights", "brightness", 0)
    theater.wait_for("projector", "power", lambda power: power in ("cooling", "off"))
    expect(page.get_by_role("button", name="Everything off")).to_have_count(0, timeout=60_000)
    # The button is gone; the screen has the focus.
    expect(page.locator("#main")).to_be_focused()


@proves("the wall tablet and a guest end what is on with one press, as far as they may")
def test_end_as_guest(visit, theater):
    theater.turn_off()
    theater.watch()
    made = theater.send("POST", "/guests", {"wallTablet": True, "name": "Wall"})
    token = theater.send("POST", "/guests/sessions", {"pass": made["code"]}, token="")["token"]
    page = visit(size="tablet").with_session(token).open("/room")
    page.get_by_role("button", name="End what is on").click()
    eventually(page, lambda: theater.send("GET", "/status")["activity"]["status"] == "idle")
    expect(page.get_by_role("button", name="End what is on")).to_have_count(0)
    expect(page.locator(".toast")).to_contain_text("is being ended")


@proves("after a scene without an activity Home names what is on, and turns it off")
def test_what_is_on(owner, theater):
    page = owner.open("/")
    section = page.get_by_role("region", name="Still on")
    expect(section).to_have_count(0)
    theater.run("/scenes/together/runs", {})
    expect(section).to_contain_text("Amplifier: ")
    expect(section).to_contain_text("Lights: dimmed to 40 %")
    page.get_by_role("button", name="Everything off").click()
    theater.wait_for("lights", "brightness", 0)
    expect(section).to_have_count(0)


@proves("what is still on is marked as assumed where it is not reported")
def test_assumed_on(owner, theater):
    page = open_following_tab(owner, "/")
    devices = theater.send("GET", "/devices")["devices"]
    lamp = next(device for device in devices if device["id"] == "lights")
    lamp["state"]["brightness"].update(value=40, provenance="assumed")
    owner.page.evaluate(PUBLISH_EVENTS, [["device", lamp]])
    chip = page.get_by_role("region", name="Still on").locator(".chip")
    expect(chip).to_have_text("Lights: dimmed to 40 %")
    expect(chip).to_have_attribute("data-known", "assumed")


@proves("Home offers what may be chosen by the configuration in force")
def test_choices_of_configuration(owner):
    no_items = {"items": []}
    owner.context.route("**/library/stopped?*", lambda route: answer(route, no_items))
    page = open_following_tab(owner, "/")
    choices = page.locator(".hero-keys button")
    expect(choices).to_have_text(["Choose a film", "Music"])

    def permit_songs(route):
        body = route.fetch().json()
        for activity in body["activities"]:
            activity["permitted"] = activity.get("category") == "songs"
        answer(route, body)

    page.route("**/api/v1/activities", permit_songs)
    owner.page.evaluate(PUBLISH_EVENTS, [["configuration", {"status": "applied"}]])
    expect(choices).to_have_text(["Music"])


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", ["phone", "tablet", "desktop"])
@proves("the words over the room are legible with all lights on, awake and at rest")
def test_contrast_of_room(visit, theater, size, theme):
    theater.turn_off()
    theater.send("POST", "/devices/lights/commands", "on")
    theater.wait_for("lights", "brightness", 100)
    page = as_owner(visit, theater, size=size, theme=theme).open("/room")
    expect(page.locator(".room-head p")).to_have_text("Lights fully on")
    page.wait_for_function(SETTLED)
    for text in (".room-head h1", ".room-head p"):
        assert contrast(page, page.locator(text)) >= LEAST_CONTRAST, text
    page.evaluate("document.body.classList.add('resting')")
    page.wait_for_function(SETTLED)
    for text in (".room-head h1", ".room-head p", ".rest-clock > :first-child"):
        node = page.locator(text)
        assert contrast(page, node) >= LEAST_CONTRAST, text
        if size != "phone":
            assert node.evaluate("(one) => parseFloat(getComputedStyle(one).fontSize)") >= 48


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", ["phone", "tablet", "desktop"])
@proves("the words over pictures on Home are legible")
def test_contrast_of_home(visit, theater, size, theme):
    theater.turn_off()
    theater.watch()
    page = as_owner(visit, theater, size=size, theme=theme).open("/")
    expect(page.locator(".hero")).to_have_attribute("data-status", "running")
    page.wait_for_function(SETTLED)
    texts = page.locator(".hero :is(h1, p, .times .num, .volume-out), .tile-words > *")
    for text in texts.all():
        assert contrast(page, text) >= LEAST_CONTRAST, text.inner_text()


@pytest.mark.parametrize("size", ["tablet", "desktop"])
@proves("the player's title and the time left are legible from across the room")
def test_player_from_afar(visit, theater, size):
    theater.turn_off()
    theater.watch()
    page = as_owner(visit, theater, size=size).open("/player")
    for text in (page.get_by_role("heading", level=1), page.locator(".player-seek .times b")):
        assert text.evaluate("(node) => parseFloat(getComputedStyle(node).fontSize)") >= 48


@proves("in forced colors the slider's value and what is selected can be seen")
def test_forced_colors(visit, theater):
    theater.turn_off()
    theater.watch()
    page = as_owner(visit, theater, forced_colors="active").open("/room")
    page.get_by_role("button", name=re.compile("^Amplifier")).click()
    sheet = page.get_by_role("dialog", name="Amplifier")
    slider = sheet.get_by_role("slider", name="Volume")
    picture = base64.b64encode(slider.screenshot()).decode()
    left, right = page.evaluate(TRACK_COLORS, picture)
    assert left != right
    highlight = page.evaluate(HIGHLIGHT)
    chosen = sheet.get_by_role("radio", checked=True).first
    style = "(node) => getComputedStyle(node).backgroundColor"
    assert chosen.evaluate(style) == highlight
    toggle = sheet.get_by_role("switch", name="Mute")
    toggle.click()
    expect(toggle).to_have_attribute("aria-checked", "true")
    # The controls are built anew when the amplifier reports it.
    eventually(page, lambda: toggle.locator(".knobway").evaluate(style) == highlight)
    theater.send("POST", "/volume", {"mute": False})


@pytest.mark.parametrize("theme", ["dark", "light"])
@proves("a toast is dark, also in the dark")
def test_dark_toast(visit, theater, theme):
    page = as_owner(visit, theater, theme=theme).open("/settings")
    page.evaluate(with_modules("parts/toasts.js", "({ toast }) => toast('Done.')"))
    toast = page.locator(".toast")
    page.wait_for_function(
        "() => document.querySelector('.toast').getAnimations()"
        ".every((one) => one.playState === 'finished')"
    )
    assert contrast(page, toast.locator("p")) >= 7
    red, green, blue = toast.evaluate(
        "(node) => getComputedStyle(node).backgroundColor.match(/[\\d.]+/g).map(Number)"
    )[:3]
    assert max(red, green, blue) / 255 < 0.3


@proves("the player of a song names its artist and album, and plays another song of the album")
def test_album(owner, theater):
    run = theater.run("/listen", {"item": "stairwell", "fromStart": True})
    assert run["status"] == "done"
    page = owner.open("/player")
    expect(page.get_by_role("heading", level=1)).to_have_text("Stairwell")
    words = page.locator(".player-words")
    expect(words).to_contain_text("The Sine Waves · Plain Tones · Song 2 of 4")
    album = page.get_by_role("region", name="Plain Tones")
    expect(album.get_by_role("listitem")).to_have_count(4)
    expect(album.locator("[aria-current=true]")).to_contain_text("Stairwell")
    # The lock screen has the album, too.
    page.wait_for_function("() => navigator.mediaSession.metadata?.album === 'Plain Tones'")
    # The cover is the one of the list of songs, but for the ids of its parts.
    drawing = "(node) => node.querySelector('svg').outerHTML.replace(/\\bc-\\d+-/g, '')"
    art = page.locator(".player-art .screen-frame").evaluate(drawing)
    album.get_by_role("button", name="Last Light").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Last Light")
    expect(words).to_contain_text("Song 3 of 4")
    # The list stays meanwhile.
    expect(album.get_by_role("button", name="Last Light")).to_be_focused()
    page.goto("/library?kind=music")
    cover = page.get_by_role("button", name=re.compile("^Stairwell")).locator(".cover")
    expect(cover.locator("svg")).to_be_visible()
    assert cover.evaluate(drawing) == art
    bar = page.get_by_role("region", name="What plays")
    expect(bar).to_contain_text("The Sine Waves · ")


@proves("the room and Home light nothing that is off: lamps of devices, sliders, the radio")
def test_unlit(owner, theater):
    page = owner.open("/room")
    expect(page.locator(".hit").first).to_be_visible()
    unlit = "rgb(91, 52, 32)"
    page.wait_for_function(SETTLED)
    lamps = page.locator("[data-k=led]")
    fills = lamps.evaluate_all("(nodes) => nodes.map((node) => getComputedStyle(node).fill)")
    assert set(fills) == {unlit}
    page.get_by_role("button", name=re.compile("^Amplifier")).click()
    sheet = page.get_by_role("dialog", name="Amplifier")
    track = "(node) => getComputedStyle(node).getPropertyValue('--track-on')"
    slider = sheet.get_by_role("slider", name="Volume")
    plain = "getComputedStyle(document.documentElement).getPropertyValue('--line-strong')"
    assert slider.evaluate(track) == page.evaluate(plain)
    owner.open("/radio")
    expect(page.get_by_text("The radio is off.")).to_be_visible()
    assert page.locator(".freq").evaluate("(node) => getComputedStyle(node).textShadow") == "none"


# Keeps the handlers of the keys of the lock screen, which a test cannot press.
KEEP_KEYS = """
  globalThis.keys = {};
  const set = MediaSession.prototype.setActionHandler;
  MediaSession.prototype.setActionHandler = function (name, run) {
    globalThis.keys[name] = run;
    return set.call(this, name, run);
  };
"""


@proves("the keys of the lock screen change the volume: of the radio always, else where chosen")
def test_lock_screen(owner, theater):
    page = owner.page
    page.add_init_script(KEEP_KEYS)
    theater.run("/radio", {"item": "lantern-radio"})
    owner.open("/room")
    before = volume(theater)
    page.wait_for_function("() => keys.seekforward && keys.pause")
    page.evaluate("keys.seekforward({})")
    theater.wait_for("amp", "volume", before + 4)
    page.evaluate("keys.pause()")
    theater.wait_for("amp", "muted", True)
    page.wait_for_function("() => navigator.mediaSession.playbackState === 'paused'")
    page.evaluate("keys.play()")
    theater.wait_for("amp", "muted", False)
    theater.run("/end")
    theater.watch()
    owner.open("/settings")
    page.get_by_role("switch", name="The lock screen’s arrows change the volume").click()
    owner.open("/room")
    page.wait_for_function("() => keys.seekbackward")
    before = volume(theater)
    page.evaluate("keys.seekbackward({})")
    theater.wait_for("amp", "volume", before - 4)
