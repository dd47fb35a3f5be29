"""Every screen in both sizes and themes: accessibility, no sideways scrolling, targets."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from conftest import SIZES, proves

ENTRANCE = ["/login", "/register", "/code", "/reset", "/guest"]
SCREENS = ["/", "/room", "/library", "/library?kind=music", "/player", "/radio", "/scenes", "/devices", "/people", "/plugins", "/settings", "/account"]
axe = Axe()
# All that depends on the theme.
COLORS = {"runOnly": ["color-contrast"]}


def faults(page, **options):
    """The violations that axe finds, in words; the drawing of the room is hidden from everybody but the eye."""
    report = axe.run(page, context={"exclude": [[".room-svg"]]}, options={"resultTypes": ["violations"], **options})
    return [f"{one['id']}: {node['target']}: {[reason['message'] for reason in node['any'] + node['all'] + node['none']]}"
            for one in report.response["violations"] for node in one["nodes"][:3]]


# Colors are mixed until their transition is over.
PAINTED = """() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
  .then(() => Promise.all(document.getAnimations().filter((one) => one instanceof CSSTransition).map((one) => one.finished.catch(() => {}))))
  .then(() => undefined)"""
LAYOUT = """() => {
  const small = [...document.querySelectorAll('button, a[href], input:not([type=range]), select')].filter((node) => {
    const box = node.getBoundingClientRect(), style = getComputedStyle(node);
    return box.width && box.height && style.visibility !== 'hidden' && !node.closest('[hidden], p, .dialog-head') && (box.height < 43.5 || box.width < 43.5);
  }).map((node) => `${node.tagName} ${node.className} ${node.textContent.slice(0, 20)} ${Math.round(node.getBoundingClientRect().width)}×${Math.round(node.getBoundingClientRect().height)}`);
  return { sideways: document.documentElement.scrollWidth - innerWidth, small };
}"""


def check(visit, path, themes=("dark", "light")):
    """Runs axe and the checks of the layout; returns what is wrong."""
    wrong = []
    page = visit.open(path)
    for theme in themes:
        page.emulate_media(color_scheme=theme)
        page.evaluate(PAINTED)
        wrong += [f"{path} {theme}: {fault}" for fault in faults(page, **({} if theme == "dark" else COLORS))]
    layout = page.evaluate(LAYOUT)
    if layout["sideways"] > 0:
        wrong.append(f"{path}: {layout['sideways']} px too wide")
    return wrong + [f"{path}: small target {text}" for text in layout["small"]]


@proves("A1 E7 D1 · the entrance has no accessibility violation, in both sizes and themes")
@pytest.mark.parametrize("size", SIZES)
def test_entrance(visit, size):
    one = visit(size=size)
    wrong = [fault for path in ENTRANCE for fault in check(one, path)]
    assert not wrong, "\n".join(wrong)


@proves("E8 E9 E15 · the theater's screens have no accessibility violation, in both sizes and themes")
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("playing", [False, True], ids=["idle", "playing"])
def test_screens(visit, house, size, playing):
    house.off()
    if playing:
        house.watch()
    one = visit(size=size).use(house.people["ann@example.org"])
    # What plays changes these alone; their colors are those of the others.
    screens = SCREENS if not playing else ["/", "/room", "/player", "/devices"]
    wrong = [fault for path in screens for fault in check(one, path, ("dark",) if playing else ("dark", "light"))]
    assert not wrong, "\n".join(wrong)


@proves("E8 E9 E15 · nothing scrolls sideways at 320 pixels, and with text at 200 %")
@pytest.mark.parametrize("width, text", [(320, 100), (390, 200)])
def test_narrow(visit, house, width, text):
    one = visit(size="phone").use(house.people["ann@example.org"])
    one.page.set_viewport_size({"width": width, "height": 700})
    wide = {}
    for path in SCREENS:
        page = one.open(path)
        page.evaluate(f"document.documentElement.style.fontSize = '{text}%'")
        page.evaluate(PAINTED)
        wide[path] = page.evaluate(LAYOUT)["sideways"]
    assert not [f"{path}: {pixels} px" for path, pixels in wide.items() if pixels > 0]


@proves("E15 E17 · a failed device, an empty search and an open sheet have no accessibility violation")
def test_states(visit, house):
    house.off()
    one = visit(size="phone").use(house.people["ann@example.org"])
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
