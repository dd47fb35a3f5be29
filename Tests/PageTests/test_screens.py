"""Every screen in all sizes and themes.

Accessibility, layout, forced colors, large text, texts of any length.
"""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from conftest import LONG, PASSWORD, RIGHT_TO_LEFT, SIZES, proves
from playwright.sync_api import expect
from test_resume import leave

ENTRANCE = ["/login", "/register", "/code", "/reset", "/guest"]
SCREENS = [
    "/",
    "/room",
    "/library",
    "/library?kind=music",
    "/player",
    "/radio",
    "/scenes",
    "/devices",
    "/people",
    "/plugins",
    "/settings",
    "/account",
    "/configuration",
    "/doctor",
    "/setup",
]
axe = Axe()


def faults(page, **options):
    """Returns the violations that axe finds once nothing moves, as texts.

    Leaves out the drawing of the room, which is hidden from screen readers.
    """
    page.evaluate(WAIT_FOR_TRANSITIONS)
    report = axe.run(
        page,
        context={"exclude": [[".room-svg"]]},
        options={"resultTypes": ["violations"], **options},
    )
    found = []
    for violation in report.response["violations"]:
        for node in violation["nodes"][:3]:
            checks = node["any"] + node["all"] + node["none"]
            messages = [check["message"] for check in checks]
            found.append(f"{violation['id']}: {node['target']}: {messages}")
    return found


# Waits until nothing fades or moves that ends by itself: until then a color is a mixture, a place
# is between two, and what leaves is still there. What begins again each second is waited for once.
WAIT_FOR_TRANSITIONS = """async () => {
  const ROUNDS = 3;
  const nextFrame = () => new Promise((done) => requestAnimationFrame(done));
  const ends = ({ effect, playState }) =>
    playState === 'running' && effect && effect.getComputedTiming().endTime !== Infinity;
  for (let round = 0; round < ROUNDS; round += 1) {
    await nextFrame();
    await nextFrame();
    const moving = document.getAnimations().filter(ends);
    if (!moving.length) return;
    await Promise.allSettled(moving.map((animation) => animation.finished));
  }
}"""
# Ends at once what fades because the test has changed the theme, the colors or the size of texts.
FINISH_TRANSITIONS = """async () => {
  const nextFrame = () => new Promise((done) => requestAnimationFrame(done));
  await nextFrame();
  await nextFrame();
  for (const animation of document.getAnimations()) {
    if (animation instanceof CSSTransition) animation.finish();
  }
  await nextFrame();
}"""
# Finds content that is too wide: a page wider than the window, a control beyond its edge, a text
# that is cut without an ellipsis.
FIND_OVERFLOW = """() => {
  const TEXTS = 'button, a[href], input, select, h1, h2, h3, p, .name, .sub, label';
  const wrong = [];
  const name = (node) =>
    `${node.tagName}.${node.className} "${node.textContent.trim().slice(0, 30)}"`;
  const sideways = document.documentElement.scrollWidth - innerWidth;
  if (sideways > 0) wrong.push(`${sideways} px too wide`);
  // A row that scrolls by itself may go on behind the edge.
  const scrolls = (node) => {
    if (!node) return false;
    const isScrolled = ['auto', 'scroll'].includes(getComputedStyle(node).overflowX);
    return (isScrolled && node !== document.body) || scrolls(node.parentElement);
  };
  const isSeen = (node) => {
    const box = node.getBoundingClientRect();
    const style = getComputedStyle(node);
    return box.width && box.height && style.visibility !== 'hidden' &&
      style.clipPath === 'none' && !node.closest('.sr, .skip, [hidden]');
  };
  for (const node of document.querySelectorAll(TEXTS)) {
    if (!isSeen(node)) continue;
    const box = node.getBoundingClientRect();
    const style = getComputedStyle(node);
    const isOutside = box.right > innerWidth + 1 || box.left < -1;
    if (isOutside && !node.matches('.hit') && !scrolls(node.parentElement)) {
      wrong.push(`outside: ${name(node)}`);
    }
    const isWider = node.scrollWidth > node.clientWidth + 1;
    const isCut = style.overflowX !== 'visible' && style.textOverflow !== 'ellipsis';
    if (node.tagName !== 'INPUT' && isWider && (isCut || node.matches('button, a.btn'))) {
      wrong.push(`cut: ${name(node)} ${node.scrollWidth} > ${node.clientWidth}`);
    }
  }
  return wrong;
}"""
# Finds controls that are too small for a finger, on the page or in its dialogs alone.
FIND_SMALL_TARGETS = """(inDialogs) => {
  const SMALLEST = 43.5;
  const scope = inDialogs ? 'dialog ' : '';
  const exempt = inDialogs ? '[hidden], p' : '[hidden], p, .dialog-head';
  const CONTROLS = ['button', 'a[href]', 'input:not([type=range])', 'select'];
  const wrong = [];
  for (const node of document.querySelectorAll(CONTROLS.map((tag) => scope + tag).join())) {
    // The label around a checkbox is pressed, too.
    const target = node.type === 'checkbox' ? node.closest('label') ?? node : node;
    const { width, height } = target.getBoundingClientRect();
    const isSeen = width && height && getComputedStyle(node).visibility !== 'hidden';
    if (!isSeen || node.closest(exempt)) continue;
    if (height >= SMALLEST && width >= SMALLEST) continue;
    const name = `${node.tagName} ${node.className} ${node.textContent.slice(0, 20)}`;
    wrong.push(`small target ${name} ${Math.round(width)}×${Math.round(height)}`);
  }
  return wrong;
}"""
# With forced colors, finds controls in the color of their background, and states that look like
# their opposite.
FIND_FORCED_COLOR_FAULTS = """() => {
  const PROPERTIES = [
    ...['color', 'backgroundColor', 'borderTopColor', 'borderTopWidth', 'boxShadow'],
    ...['outlineStyle', 'outlineColor', 'textDecorationLine', 'transform', 'translate', 'left'],
    ...['fill', 'stroke'],
  ];
  const wrong = [];
  const styleOf = (node) => {
    const styles = [];
    for (const each of [node, ...node.querySelectorAll('*')]) {
      for (const part of ['', '::before', '::after']) {
        const style = getComputedStyle(each, part);
        styles.push(PROPERTIES.map((property) => style[property]));
      }
    }
    return JSON.stringify(styles);
  };
  const name = (node) => `${node.className} ${node.textContent.slice(0, 20)}`;
  for (const node of document.querySelectorAll('button, a[href], select')) {
    const style = getComputedStyle(node);
    if (!node.getBoundingClientRect().width || style.visibility === 'hidden') continue;
    if (style.color === style.backgroundColor) wrong.push(`invisible: ${name(node)}`);
    for (const state of ['aria-checked', 'aria-pressed']) {
      const value = node.getAttribute(state);
      // The button in a field changes its icon.
      if (value === null || node.matches('.in-box')) continue;
      const before = styleOf(node);
      node.setAttribute(state, value === 'true' ? 'false' : 'true');
      for (const animation of node.getAnimations({ subtree: true })) animation.finish();
      if (styleOf(node) === before) wrong.push(`${state} is not seen: ${name(node)}`);
      node.setAttribute(state, value);
    }
  }
  return [...new Set(wrong)];
}"""
# The name of the focused control.
FOCUSED_NAME = """() => {
  const focused = document.activeElement;
  return (focused.getAttribute('aria-label') ?? focused.textContent).trim();
}"""


def check(visit, path, themes=("dark", "light"), whole=True):
    """Runs all checks of a screen in one visit, and returns the faults."""
    page = visit.open(path)
    page.evaluate(WAIT_FOR_TRANSITIONS)
    wrong = []
    shift = page.evaluate("globalThis.shifts")
    if shift > 0.02:
        wrong.append(f"the layout shifts by {shift:.3f}")
    for theme in themes:
        page.emulate_media(color_scheme=theme)
        page.evaluate(FINISH_TRANSITIONS)
        wrong += [f"{theme}: {fault}" for fault in faults(page)]
    wrong += page.evaluate(FIND_OVERFLOW) + page.evaluate(FIND_SMALL_TARGETS)
    if whole:
        page.emulate_media(color_scheme="dark", forced_colors="active")
        page.evaluate(FINISH_TRANSITIONS)
        wrong += [f"forced colors: {fault}" for fault in page.evaluate(FIND_FORCED_COLOR_FAULTS)]
        page.emulate_media(forced_colors="none")
        page.evaluate("document.documentElement.style.fontSize = '200%'; void 0")
        page.evaluate(FINISH_TRANSITIONS)
        wrong += [f"text at 200 %: {fault}" for fault in page.evaluate(FIND_OVERFLOW)]
    return [f"{path} {fault}" for fault in wrong]


@proves(
    "D1 F8 · the entrance is accessible in all sizes and themes, with forced colors and text "
    "at 200 %"
)
@pytest.mark.parametrize("size", SIZES)
def test_entrance(visit, size):
    one = visit(size=size)
    wrong = [fault for path in ENTRANCE for fault in check(one, path)]
    assert not wrong, "\n".join(wrong)


@proves(
    "F8 · the theater's screens are accessible in all sizes and themes, with forced "
    "colors and text at 200 %"
)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("playing", [False, True], ids=["idle", "playing"])
def test_screens(visit, theater, size, playing):
    theater.turn_off()
    if playing:
        theater.watch()
    one = visit(size=size).with_session(theater.people["ann@example.org"])
    # The bar with the current item has the same colors in every size.
    themes = ("dark",) if playing and size != "phone" else ("dark", "light")
    wrong = [fault for path in SCREENS for fault in check(one, path, themes, whole=not playing)]
    assert not wrong, "\n".join(wrong)


@proves("F8 · in Ukrainian and Russian, too, text at 200 % fits each screen")
@pytest.mark.parametrize("language", ["uk", "ru"])
def test_large_texts(visit, theater, language):
    leave(theater, "/watch", "night-ferry", 61)  # home offers to go on
    wrong = []
    for size in ("phone", "desktop"):
        one = visit(size=size, locale=language).with_session(theater.people["ann@example.org"])
        one.context.add_init_script(
            """addEventListener('DOMContentLoaded', () => {
              document.documentElement.style.fontSize = '200%';
            });"""
        )
        for path in SCREENS:
            page = one.open(path)
            page.evaluate(WAIT_FOR_TRANSITIONS)
            wrong += [f"{size} {path}: {fault}" for fault in page.evaluate(FIND_OVERFLOW)]
    assert not wrong, "\n".join(wrong)


@proves(
    "F8 · at 320 pixels nothing scrolls sideways and all is accessible, also with long "
    "texts and with texts from right to left"
)
def test_narrow(visit, theater):
    for name, email in [
        ("א" * 90, "right@example.org"),
        ("Unabbreviatable" * 6, "l" * 60 + "@example.org"),
    ]:
        theater.member(name, email)
    one = visit(size="phone").with_session(theater.people["ann@example.org"])
    one.page.set_viewport_size({"width": 320, "height": 700})
    wrong = []
    for film, title in [("long", LONG), ("right-to-left", RIGHT_TO_LEFT)]:
        theater.watch(film)
        for path in SCREENS if film == "long" else ["/", "/room", "/player", "/library"]:
            page = one.open(path)
            page.evaluate(WAIT_FOR_TRANSITIONS)
            wrong += [
                f"{path} {film}: {fault}" for fault in page.evaluate(FIND_OVERFLOW) + faults(page)
            ]
            if path == "/player":
                assert page.get_by_role("heading", level=1).inner_text().strip() == title.strip()
    theater.turn_off()
    for email in ("right@example.org", "l" * 60 + "@example.org"):
        account = next(
            each for each in theater.send("GET", "/accounts")["accounts"] if each["email"] == email
        )
        theater.send("DELETE", f"/accounts/{account['id']}")
    assert not wrong, "\n".join(wrong)


@proves("a failed device, an empty search and an open sheet have no accessibility violation")
def test_states(visit, theater):
    theater.turn_off()
    one = visit(size="phone").with_session(theater.people["ann@example.org"])
    page = one.open("/library")
    page.get_by_role("searchbox").fill("xyz")
    page.get_by_role("button", name="Show all").wait_for()
    wrong = faults(page)
    one.open("/devices")
    page.get_by_role("button", name="Amplifier").first.click()
    page.get_by_role("dialog").get_by_text("All commands").click()
    page.locator(".command").first.wait_for()
    wrong += faults(page)
    one.open("/scenes?scene=broken")
    page.get_by_role("button", name="Run").click()
    page.locator(".error-card").wait_for()
    wrong += faults(page)
    assert not wrong, wrong


def tab_to(page, name, most=60):
    """Presses Tab, at most `most` times, until the name of the focused control matches `name`."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if re.search(name, page.evaluate(FOCUSED_NAME)):
            return
    raise AssertionError(f"{name} is not reached")


@proves("F8 · the keyboard alone leads through login, home, library, player and a device")
def test_keyboard_alone(visit, theater):
    theater.turn_off()
    page = visit().open("/login")
    page.keyboard.press("Tab")
    page.keyboard.type("ann@example.org")
    page.keyboard.press("Tab")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="What would you like?").wait_for()
    page.wait_for_selector("html[data-ready=home]")
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Log out")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.locator(".hero-keys button").first).to_be_focused()
    tab_to(page, "^Watch a film")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Library", level=1).wait_for()
    page.get_by_role("list", name="Films").wait_for()
    page.keyboard.press("/")
    page.keyboard.type("night fer")
    expect(page.locator("#found")).to_have_text(re.compile("^1 of "))
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name=re.compile("^Night Ferry"))).to_be_focused()
    page.keyboard.press("Enter")
    tab_to(page, "^(From the start|Watch)", 5)
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Night Ferry", level=1).wait_for()
    expect(page.get_by_role("button", name="Pause")).to_be_enabled()
    tab_to(page, "^Pause")
    page.keyboard.press("Space")
    theater.wait_for("dvd", "playback", lambda playback: playback["state"] == "paused")
    page.keyboard.press("Control+Home")
    tab_to(page, "^Devices")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Devices", level=1).wait_for()
    tab_to(page, "^Lights")
    page.keyboard.press("Enter")
    page.get_by_role("region", name="Lights").wait_for()
    tab_to(page, "^40 %")
    page.keyboard.press("Enter")
    theater.wait_for("lights", "brightness", 40)
