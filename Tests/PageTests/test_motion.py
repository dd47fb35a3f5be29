"""What moves, and what does not move where the person wants no motion."""

import json
import re

import pytest
from conftest import proves
from playwright.sync_api import expect
from test_entrance import fill_login
from test_screens import ENTRANCE, SCREENS, WAIT_FOR_TRANSITIONS

# What goes on moving, or moves longer than an eye would notice.
MOVING = """() => {
  const NOTICED_MS = 50;
  const isSeen = ({ effect, playState }) =>
    playState === 'running' && effect.getComputedTiming().endTime > NOTICED_MS;
  const name = (animation) =>
    `${animation.animationName ?? animation.transitionProperty} of ` +
    animation.effect.target.getAttribute('class');
  return document.getAnimations().filter(isSeen).map(name);
}"""
# Whether something is drawn on the canvas, which shows moving dust and sparks.
HAS_DRAWING = """() => {
  const canvas = document.querySelector('canvas');
  if (!canvas) return false;
  return canvas.getContext('2d').getImageData(0, 0, 300, 300).data.some(Boolean);
}"""
# Keeps the controls that get the focus, and the keys of those that a redraw replaces.
KEEP_FOCUSED = """() => {
  globalThis.focused = new Set([document.activeElement]);
  const keep = ({ target }) => {
    globalThis.focused.add(target);
    if (target.dataset.focus) globalThis.focused.add(target.dataset.focus);
  };
  document.addEventListener('focusin', keep, true);
}"""
# The controls that the Tab key should reach and that never had the focus.
UNREACHED = """() => {
  const isReachable = (node) =>
    node.tabIndex >= 0 && !node.disabled && node.checkVisibility({ visibilityProperty: true });
  const wasFocused = (node) =>
    globalThis.focused.has(node) || globalThis.focused.has(node.dataset.focus);
  const name = (node) => node.ariaLabel ?? node.textContent.trim();
  return [...document.querySelectorAll('a[href], button, input, select, textarea')]
    .filter((node) => isReachable(node) && !wasFocused(node))
    .map((node) => `${node.tagName} ${node.className} ${name(node)}`);
}"""
# Keeps the animations that begin within an element with the selector, with the duration and the
# number of times that its style says: on a slow machine the animation itself may be over.
KEEP_ANIMATIONS = """(selector) => {
  globalThis.begun = [];
  const keep = ({ target, animationName: name }) => {
    if (!target.closest(selector)) return;
    const { animationDuration, animationIterationCount } = getComputedStyle(target);
    globalThis.begun.push([name, animationDuration, animationIterationCount]);
  };
  document.addEventListener('animationstart', keep, true);
}"""
HAS_BEGUN = "() => globalThis.begun.length > 0"
# Presses a button, and returns what is shown and focused before anything else happens.
PRESS_NEXT = """(button) => {
  button.click();
  return [document.querySelector('h1').textContent, document.activeElement.name];
}"""


def press_tab_through(page, most=400):
    """Presses Tab until the focus leaves the page or begins again, at most `most` times."""
    page.evaluate(KEEP_FOCUSED)
    before = 0
    for _ in range(most):
        page.keyboard.press("Tab")
        count, is_outside = page.evaluate(
            "[globalThis.focused.size, document.activeElement === document.body]"
        )
        if is_outside or count == before:
            return
        before = count


def motion_faults(one, path):
    """Returns what moves on a screen, and the controls that the Tab key does not reach."""
    page = one.open(path)
    page.evaluate(WAIT_FOR_TRANSITIONS)
    wrong = [f"{path}: {moving} moves" for moving in page.evaluate(MOVING)]
    if page.evaluate(HAS_DRAWING):
        wrong.append(f"{path}: the canvas moves")
    press_tab_through(page)
    return wrong + [f"{path}: {control} is not reached" for control in page.evaluate(UNREACHED)]


@proves("F8 · with reduced motion nothing moves before the login, and every control is reached")
def test_still_entrance(visit):
    one = visit(reduced_motion="reduce")
    wrong = [fault for path in ENTRANCE for fault in motion_faults(one, path)]
    assert not wrong, "\n".join(wrong)


@proves("F8 · with reduced motion nothing moves on any screen, and every control is reached")
@pytest.mark.parametrize("size", ["phone", "desktop"])
def test_still_screens(visit, theater, size):
    theater.turn_off()
    theater.watch()
    one = visit(size=size, reduced_motion="reduce").with_session(theater.people["ann@example.org"])
    wrong = [fault for path in SCREENS for fault in motion_faults(one, path)]
    theater.turn_off()
    assert not wrong, "\n".join(wrong)


@proves(
    "A6 A6a · the error of the login fades in twice, 0.3 s each; not at all with reduced motion"
)
@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_error(visit, motion):
    one = visit()
    one.expected = {401}
    one.page.emulate_media(reduced_motion=motion)
    page = one.open("/login")
    page.evaluate(KEEP_ANIMATIONS, ".form-error")
    fill_login(page, password="a wrong one, surely")
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("alert")).to_contain_text("wrong")
    page.wait_for_function(HAS_BEGUN)
    fade = ["fade-in", "0.001s", "1"] if motion == "reduce" else ["fade-in", "0.3s", "2"]
    assert page.evaluate("globalThis.begun") == [fade]


@proves(
    "E6 E6a · a step of the registration is there at once and fades in; not with reduced motion"
)
@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_wizard(visit, theater, motion):
    page = visit(reduced_motion=motion).open(f"/register#{theater.invitation()}")
    page.get_by_role("textbox", name="Name", exact=True).fill("Zoe")
    page.evaluate(KEEP_ANIMATIONS, ".wiz-body")
    step = page.get_by_role("button", name="Next").evaluate(PRESS_NEXT)
    assert step == ["Enter your e-mail", "email"]
    page.wait_for_function(HAS_BEGUN)
    begun = page.evaluate("globalThis.begun")
    if motion == "reduce":
        assert {duration for _, duration, _ in begun} == {"0.001s"}
    else:
        assert ["fade-in", "0.3s", "1"] in begun


@proves("the setting of this device to reduce motion ends what the system's own setting ends")
@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_setting(owner, motion):
    page = owner.page
    page.emulate_media(reduced_motion=motion)
    owner.open("/settings")
    page.evaluate("""() => {
      const bone = document.createElement('div');
      bone.className = 'bone';
      document.querySelector('main').append(bone);
    }""")
    endless = """() => {
      const bone = document.querySelector('.bone');
      return getComputedStyle(bone, '::after').animationIterationCount === 'infinite';
    }"""
    assert page.evaluate(endless) == (motion == "no-preference")
    page.get_by_role("switch", name="Reduce motion").click()
    assert not page.evaluate(endless)
    owner.open("/settings")
    assert page.locator("html").get_attribute("data-motion") == "still"
    page.get_by_role("switch", name="Reduce motion").click()
    assert (page.locator("html").get_attribute("data-motion") == "still") == (motion == "reduce")


@proves("A12 A12a · the login shows the logo of the theater beside its name")
def test_logo(visit):
    page = visit().open("/login")
    brand = page.locator(".brand")
    expect(brand).to_have_text("Home Theater")
    expect(brand.locator("svg path").first).to_be_visible()
    box = brand.locator("svg").bounding_box()
    assert box["width"] >= 24 and box["height"] >= 24, box


@proves("the wait after too many logins counts down, and says when it is over")
def test_wait(visit):
    one = visit()
    one.expected = {429}
    page = one.page
    page.clock.install()
    error = {"error": {"code": "tooManyTries", "message": "Too many tries.", "retryAfter": 300}}
    page.route(
        "**/api/v1/sessions",
        lambda route: route.fulfill(
            status=429, content_type="application/json", body=json.dumps(error)
        ),
    )
    one.open("/login")
    fill_login(page)
    page.get_by_role("button", name="Log in").click()
    alert = page.get_by_role("alert")
    # The clock also goes on by itself.
    expect(alert).to_contain_text(re.compile(r"Try again in (300|2[5-9]\d) s\."))
    page.clock.run_for(200_000)
    expect(alert).to_contain_text(re.compile(r"Try again in (100|\d\d) s\."))
    page.clock.run_for(100_000)
    expect(alert).to_contain_text("You can try again now.")
