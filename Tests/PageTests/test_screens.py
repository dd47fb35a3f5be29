"""Every screen in all sizes and themes: accessibility, layout, forced colors, large text, texts of any length."""

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
    """Returns the violations that axe finds, as texts. Leaves out the drawing of the room, which is hidden from
    screen readers."""
    report = axe.run(
        page,
        context={"exclude": [[".room-svg"]]},
        options={"resultTypes": ["violations"], **options},
    )
    return [
        f"{one['id']}: {node['target']}: {[reason['message'] for reason in node['any'] + node['all'] + node['none']]}"
        for one in report.response["violations"]
        for node in one["nodes"][:3]
    ]


# Waits for the end of all transitions: until then a color is a mixture of the old and the new one.
WAIT_FOR_TRANSITIONS = """() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
  .then(() => Promise.all(document.getAnimations().filter((one) => one instanceof CSSTransition).map((one) => one.finished.catch(() => {}))))
  .then(() => undefined)"""
# Finds content that is too wide: a page wider than the window, a control beyond its edge, a text that is cut
# without an ellipsis.
FIND_OVERFLOW = """() => {
  const name = (node) => `${node.tagName}.${node.className} "${node.textContent.trim().slice(0, 30)}"`, wrong = [];
  const sideways = document.documentElement.scrollWidth - innerWidth;
  if (sideways > 0) wrong.push(`${sideways} px too wide`);
  // A row that scrolls by itself may go on behind the edge.
  const scrolls = (node) => node && (['auto', 'scroll'].includes(getComputedStyle(node).overflowX) && node !== document.body || scrolls(node.parentElement));
  for (const node of document.querySelectorAll('button, a[href], input, select, h1, h2, h3, p, .name, .sub, label')) {
    const box = node.getBoundingClientRect(), style = getComputedStyle(node);
    if (!box.width || !box.height || style.visibility === 'hidden' || node.closest('.sr, .skip, [hidden]') || style.clipPath !== 'none') continue;
    if ((box.right > innerWidth + 1 || box.left < -1) && !node.matches('.hit') && !scrolls(node.parentElement)) wrong.push(`outside: ${name(node)}`);
    const isCut = style.overflowX !== 'visible' && node.scrollWidth > node.clientWidth + 1 && style.textOverflow !== 'ellipsis';
    const isOver = node.matches('button, a.btn') && node.scrollWidth > node.clientWidth + 1;
    if (node.tagName !== 'INPUT' && (isCut || isOver)) wrong.push(`cut: ${name(node)} ${node.scrollWidth} > ${node.clientWidth}`);
  }
  return wrong;
}"""
# Finds controls that are too small for a finger.
FIND_SMALL_TARGETS = """() => [...document.querySelectorAll('button, a[href], input:not([type=range]), select')].filter((node) => {
    const box = node.getBoundingClientRect(), style = getComputedStyle(node);
    return box.width && box.height && style.visibility !== 'hidden' && !node.closest('[hidden], p, .dialog-head') && (box.height < 43.5 || box.width < 43.5);
  }).map((node) => `small target ${node.tagName} ${node.className} ${node.textContent.slice(0, 20)} ${Math.round(node.getBoundingClientRect().width)}×${Math.round(node.getBoundingClientRect().height)}`)"""
# With forced colors, finds controls in the color of their background, and states that look like their opposite.
FIND_FORCED_COLOR_FAULTS = """() => {
  const wrong = [], KEYS = ['color', 'backgroundColor', 'borderTopColor', 'borderTopWidth', 'outlineStyle', 'outlineColor', 'textDecorationLine', 'transform', 'translate', 'left', 'boxShadow', 'fill', 'stroke'];
  const styleOf = (node) => JSON.stringify([node, ...node.querySelectorAll('*')].flatMap((one) => ['', '::before', '::after'].map((part) => { const style = getComputedStyle(one, part); return KEYS.map((key) => style[key]); })));
  for (const node of document.querySelectorAll('button, a[href], select')) {
    const box = node.getBoundingClientRect(), style = getComputedStyle(node);
    if (!box.width || style.visibility === 'hidden') continue;
    if (style.color === style.backgroundColor) wrong.push(`invisible: ${node.className} ${node.textContent.slice(0, 20)}`);
    for (const state of ['aria-checked', 'aria-pressed']) {
      const is = node.getAttribute(state);
      if (is === null || node.matches('.in-box')) continue; // that one changes its icon
      const one = styleOf(node);
      node.setAttribute(state, is === 'true' ? 'false' : 'true');
      for (const moving of node.getAnimations({ subtree: true })) moving.finish();
      if (styleOf(node) === one) wrong.push(`${state} is not seen: ${node.className} ${node.textContent.slice(0, 20)}`);
      node.setAttribute(state, is);
    }
  }
  return [...new Set(wrong)];
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
        page.evaluate(WAIT_FOR_TRANSITIONS)
        wrong += [f"{theme}: {fault}" for fault in faults(page)]
    wrong += page.evaluate(FIND_OVERFLOW) + page.evaluate(FIND_SMALL_TARGETS)
    if whole:
        page.emulate_media(color_scheme="dark", forced_colors="active")
        page.evaluate(WAIT_FOR_TRANSITIONS)
        wrong += [f"forced colors: {fault}" for fault in page.evaluate(FIND_FORCED_COLOR_FAULTS)]
        page.emulate_media(forced_colors="none")
        page.evaluate("document.documentElement.style.fontSize = '200%'; void 0")
        page.evaluate(WAIT_FOR_TRANSITIONS)
        wrong += [f"text at 200 %: {fault}" for fault in page.evaluate(FIND_OVERFLOW)]
    return [f"{path} {fault}" for fault in wrong]


@proves(
    "A1 E7 D1 F8 · the entrance is accessible in all sizes and themes, with forced colors and text at 200 %"
)
@pytest.mark.parametrize("size", SIZES)
def test_entrance(visit, size):
    one = visit(size=size)
    wrong = [fault for path in ENTRANCE for fault in check(one, path)]
    assert not wrong, "\n".join(wrong)


@proves(
    "E8 E9 E15 F8 · the theater's screens are accessible in all sizes and themes, with forced colors and text at 200 %"
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


@proves("E8 E9 F8 · in Ukrainian and Russian, too, text at 200 % fits each screen")
@pytest.mark.parametrize("language", ["uk", "ru"])
def test_large_texts(visit, theater, language):
    leave(theater, "/watch", "night-ferry", 61)  # home offers to go on
    wrong = []
    for size in ("phone", "desktop"):
        one = visit(size=size, locale=language).with_session(theater.people["ann@example.org"])
        one.context.add_init_script(
            "addEventListener('DOMContentLoaded', () => { document.documentElement.style.fontSize = '200%'; })"
        )
        for path in SCREENS:
            page = one.open(path)
            page.evaluate(WAIT_FOR_TRANSITIONS)
            wrong += [f"{size} {path}: {fault}" for fault in page.evaluate(FIND_OVERFLOW)]
    assert not wrong, "\n".join(wrong)


@proves(
    "E8 E9 E15 F8 · at 320 pixels nothing scrolls sideways and all is accessible, also with long texts and with texts from right to left"
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
            a for a in theater.send("GET", "/accounts")["accounts"] if a["email"] == email
        )
        theater.send("DELETE", f"/accounts/{account['id']}")
    assert not wrong, "\n".join(wrong)


@proves(
    "E15 E17 · a failed device, an empty search and an open sheet have no accessibility violation"
)
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
    """Presses Tab until the label or text of the focused control matches `name`, at most `most` times."""
    for _ in range(most):
        page.keyboard.press("Tab")
        focused = page.evaluate(
            "(document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent).trim()"
        )
        if re.search(name, focused):
            return
    raise AssertionError(f"{name} is not reached")


@proves(
    "A5 E8 E9 E15 F8 · the keyboard alone leads through login, home, library, player and a device"
)
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
