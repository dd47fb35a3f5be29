"""What moves, and what does not move where the person wants no motion."""

import json
import re

import pytest
from conftest import proves
from playwright.sync_api import expect
from test_entrance import fill_login

FADES = """(selector) => [...document.querySelectorAll(selector)].flatMap((node) => node.getAnimations())
  .map(({ effect }) => effect.getTiming()).map(({ duration, iterations }) => ({ duration, iterations }))"""


@proves(
    "A6 A6a · the error of the login fades in twice, 0.3 s each; not at all with reduced motion"
)
@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_error(visit, motion):
    one = visit()
    one.expected = {401}
    one.page.emulate_media(reduced_motion=motion)
    page = one.open("/login")
    page.evaluate("""globalThis.seen = []; document.addEventListener('animationstart', ({ target, animationName }) => {
      if (target.matches('.form-error')) globalThis.seen.push({ animationName, ...target.getAnimations()[0]?.effect.getTiming() });
    }, true)""")
    fill_login(page, password="a wrong one, surely")
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("alert")).to_contain_text("wrong")
    page.wait_for_function("() => globalThis.seen.length > 0")
    [seen] = page.evaluate(
        "globalThis.seen.map(({ animationName, duration, iterations }) => ({ animationName, duration, iterations }))"
    )
    assert seen["animationName"] == "fade-in"
    if motion == "reduce":
        assert seen["duration"] in (1, None) and seen["iterations"] in (1, None)
    else:
        assert seen["duration"] == 300 and seen["iterations"] == 2


@proves(
    "E6 E6a · a step of the registration is there at once and fades in; not with reduced motion"
)
@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_wizard(visit, theater, motion):
    one = visit()
    one.page.emulate_media(reduced_motion=motion)
    page = one.open(f"/register#{theater.invitation()}")
    name = page.get_by_role("textbox", name="Name", exact=True)
    name.fill("Zoe")
    page.evaluate("""() => {
      globalThis.faded = [];
      document.addEventListener('animationstart', ({ target }) => {
        if (!target.closest('.wiz-body')) return;
        globalThis.faded.push(target.getAnimations()[0]?.effect.getTiming().duration);
      }, true);
    }""")
    step = page.get_by_role("button", name="Next").evaluate(
        """(button) => {
          button.click();
          return [document.querySelector('h1').textContent, document.activeElement.name];
        }"""
    )
    assert step == ["Enter your e-mail", "email"]
    page.wait_for_function("() => globalThis.faded.length > 0")
    faded = page.evaluate("globalThis.faded")
    if motion == "reduce":
        assert all(duration in (1, None) for duration in faded), faded
    else:
        assert 300 in faded, faded


@proves(
    "A6 E9 · the setting of this device to reduce motion ends what the system's own setting ends"
)
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
    endless = """() => getComputedStyle(document.querySelector('.bone'), '::after').animationIterationCount === 'infinite'"""
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


@proves("A6 A9 · the wait after too many logins counts down, and says when it is over")
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
