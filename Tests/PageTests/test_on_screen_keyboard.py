"""Typing on a phone: the keyboard of each field, the Return key, and what stays in view."""

import re

import pytest
from conftest import PASSWORD, hold, proves, wait_held
from playwright.sync_api import expect
from test_entrance import ask_code, fill_login

# A small phone, and what an on-screen keyboard leaves of it, in pixels.
SMALL_PHONE = {"width": 360, "height": 640}
VISIBLE_HEIGHT = 300
# A keyboard that covers the page leaves its size alone, and makes the visual viewport smaller.
# Chromium without a keyboard has no such viewport, so this stands for it.
COVERING_KEYBOARD = """
  const real = visualViewport;
  const viewport = new EventTarget();
  let covered = 0;
  Object.defineProperties(viewport, {
    height: { get: () => real.height - covered },
    offsetTop: { get: () => real.offsetTop },
    scale: { get: () => real.scale },
  });
  Object.defineProperty(globalThis, 'visualViewport', { value: viewport });
  globalThis.openKeyboard = (height) => {
    covered = height;
    viewport.dispatchEvent(new Event('resize'));
  };
"""
# Whether the field that has the focus, its note and the failure of its form are visible.
IN_VIEW = """() => {
  const field = document.activeElement.closest('.field, .code');
  if (!field) return false;
  const failure = field.closest('form').querySelector('.form-error:not([hidden])');
  const end = visualViewport.offsetTop + visualViewport.height;
  return [field, failure].filter(Boolean).every((node) => {
    const { top, bottom } = node.getBoundingClientRect();
    return top >= visualViewport.offsetTop && bottom <= end;
  });
}"""


class Phone:
    """A phone whose on-screen keyboard makes the page smaller, or covers it."""

    def __init__(self, one, covers):
        self.page = one.page
        self.covers = covers
        self.page.set_viewport_size(SMALL_PHONE)
        if covers:
            self.page.add_init_script(COVERING_KEYBOARD)

    def open_keyboard(self):
        if self.covers:
            height = SMALL_PHONE["height"] - VISIBLE_HEIGHT
            self.page.evaluate("(height) => openKeyboard(height)", height)
        else:
            self.page.set_viewport_size({**SMALL_PHONE, "height": VISIBLE_HEIGHT})

    def shows_field(self):
        self.page.wait_for_function(IN_VIEW, timeout=10_000)
        assert self.page.evaluate("visualViewport.height") == VISIBLE_HEIGHT


@pytest.fixture(params=[False, True], ids=["keyboard resizes", "keyboard covers"])
def phone(visit, request):
    one = visit(size="phone")
    one.expected = {401, 403, 429}
    return one, Phone(one, request.param)


def hints(field):
    """Returns what a field tells the on-screen keyboard."""
    names = ("type", "inputmode", "autocapitalize", "autocomplete")
    return tuple(field.get_attribute(name) for name in names)


@proves(
    "A14 · each field of the entrances asks for its keyboard, for no capital letters, and for what "
    "the browser may fill in"
)
def test_keyboards(visit, theater):
    page = visit(size="phone").open("/login")
    email = page.get_by_role("textbox", name="E-mail address")
    assert hints(email) == ("email", "email", "none", "username")
    password = page.get_by_label("Password", exact=True)
    assert hints(password) == ("password", None, "none", "current-password")
    for address in ("/code", "/reset"):
        page.goto(address)
        contact = page.get_by_label("E-mail address or phone number")
        assert hints(contact) == ("text", "email", "none", "username"), address
    ask_code(page, "keyboards@example.org")
    assert hints(page.get_by_label("Code of 6 digits")) == (
        None,
        "numeric",
        "none",
        "one-time-code",
    )
    page.goto("/register")
    invitation = page.get_by_label("Code of the invitation")
    assert hints(invitation) == ("text", None, "none", "off")
    invitation.fill(theater.invitation())
    invitation.press("Enter")
    name = page.get_by_role("textbox", name="Name")
    # Names begin with a capital letter.
    assert hints(name) == ("text", None, "words", "name")
    name.fill("Vera")
    name.press("Enter")
    email = page.get_by_role("textbox", name="E-mail address")
    assert hints(email) == ("email", "email", "none", "email")
    email.fill("vera@example.org")
    email.press("Enter")
    for label in ("Password", "Repeat the password"):
        field = page.get_by_label(label, exact=True)
        assert hints(field) == ("password", None, "none", "new-password"), label


def record_blurs(page):
    """Returns a list of whether each field that lost the focus was disabled by then.

    A field that is disabled while it has the focus keeps the keyboard open.
    """
    return page.evaluate_handle(
        """() => {
          const blurs = [];
          document.addEventListener('blur', ({ target }) => blurs.push(target.disabled), true);
          return blurs;
        }"""
    )


@proves(
    "A14 · Return goes on to the next field of the login, and in the last one submits and closes "
    "the keyboard"
)
@pytest.mark.parametrize("size", ["phone", "desktop"])
def test_return_at_login(visit, theater, size):
    one = visit(size=size)
    one.expected = {401}
    page = one.open("/login")
    email = page.get_by_role("textbox", name="E-mail address")
    password = page.get_by_label("Password", exact=True)
    sent = hold(page, "/sessions")
    fill_login(page, password="wrong")
    email.focus()
    assert email.evaluate("(input) => input.enterKeyHint") == "next"
    page.keyboard.press("Enter")
    expect(password).to_be_focused()
    assert not sent, "Return in the first field submits nothing"
    assert password.evaluate("(input) => input.enterKeyHint") == "go"
    blurs = record_blurs(page)
    page.keyboard.press("Enter")
    route = wait_held(page, sent)
    assert blurs.json_value() == [False]
    expect(page.locator("body")).to_be_focused()
    route.continue_()
    expect(page.get_by_role("alert")).to_contain_text("wrong")
    page.unroute("**/api/v1/sessions")
    password.fill(PASSWORD)
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="What would you like?").wait_for()


@proves(
    "A14 · Return leads through the steps of the registration and through both passwords, and "
    "closes the keyboard in the last one"
)
def test_return_at_registration(visit, theater):
    page = visit(size="phone").open(f"/register#{theater.invitation()}")
    for label, text in (("Name", "Zoya"), ("E-mail address", "zoya@example.org")):
        field = page.get_by_role("textbox", name=label)
        expect(field).to_be_focused()
        assert field.evaluate("(input) => input.enterKeyHint") == "next"
        page.keyboard.type(text)
        page.keyboard.press("Enter")
    password = page.get_by_label("Password", exact=True)
    expect(password).to_be_focused()
    assert password.evaluate("(input) => input.enterKeyHint") == "next"
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    again = page.get_by_label("Repeat the password")
    expect(again).to_be_focused()
    assert again.evaluate("(input) => input.enterKeyHint") == "go"
    page.get_by_role("checkbox", name="I accept").check()
    again.focus()
    page.keyboard.type(PASSWORD)
    held = hold(page, "/accounts")
    blurs = record_blurs(page)
    page.keyboard.press("Enter")
    route = wait_held(page, held)
    assert blurs.json_value() == [False]
    expect(page.locator("body")).to_be_focused()
    route.continue_()
    page.get_by_role("heading", name="What would you like?").wait_for()


@proves("A14 · a whole code submits itself and closes the keyboard")
def test_code_closes_keyboard(visit, theater):
    one = visit(size="phone")
    one.expected = {403}
    page = one.open("/code")
    page.get_by_label("E-mail address or phone number").fill("closing@example.org")
    page.keyboard.press("Enter")
    code = page.get_by_label("Code of 6 digits")
    expect(code).to_be_focused()
    assert code.evaluate("(input) => input.enterKeyHint") == "go"
    held = hold(page, "/sessions")
    blurs = record_blurs(page)
    page.keyboard.type("000000")
    route = wait_held(page, held)
    assert blurs.json_value() == [False]
    expect(page.locator("body")).to_be_focused()
    route.continue_()
    expect(page.get_by_role("alert")).to_be_visible()
    expect(code).to_be_focused()


@proves(
    "A14 · with the keyboard open, the fields of the login stay visible with their messages, "
    "and so does a refusal"
)
def test_login_in_view(phone, theater):
    one, screen = phone
    page = one.open("/login")
    email = page.get_by_role("textbox", name="E-mail address")
    email.focus()
    screen.open_keyboard()
    screen.shows_field()
    page.keyboard.type("ann")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Password", exact=True)).to_be_focused()
    screen.shows_field()
    page.keyboard.press("Enter")
    # The first field that is wrong, with its message.
    expect(email).to_be_focused()
    expect(page.get_by_text("Write the address like")).to_be_visible()
    screen.shows_field()
    fill_login(page, password="wrong")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("wrong")
    expect(page.get_by_label("Password", exact=True)).to_be_focused()
    screen.shows_field()


@proves(
    "A14 · with the keyboard open, the field of each step of the registration stays visible with "
    "its message"
)
def test_registration_in_view(phone, theater):
    one, screen = phone
    page = one.open(f"/register#{theater.invitation()}")
    name = page.get_by_role("textbox", name="Name")
    name.focus()
    screen.open_keyboard()
    screen.shows_field()
    page.keyboard.press("Enter")
    expect(name).to_have_attribute("aria-invalid", "true")
    screen.shows_field()
    page.keyboard.type("Yana")
    page.keyboard.press("Enter")
    expect(page.get_by_role("textbox", name="E-mail address")).to_be_focused()
    screen.shows_field()
    page.keyboard.type("yana@example.org")
    page.keyboard.press("Enter")
    password = page.get_by_label("Password", exact=True)
    expect(password).to_be_focused()
    screen.shows_field()
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_label("Repeat the password")).to_be_focused()
    screen.shows_field()
    page.keyboard.type("another one")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("different")
    screen.shows_field()


@proves("A14 · with the keyboard open, the field for a code stays visible with its message")
def test_code_in_view(phone, theater):
    one, screen = phone
    page = one.open("/code")
    page.get_by_label("E-mail address or phone number").focus()
    screen.open_keyboard()
    screen.shows_field()
    page.keyboard.type("covering@example.org" if screen.covers else "resizing@example.org")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Code of 6 digits")).to_be_focused()
    screen.shows_field()
    page.keyboard.type("000000")
    expect(page.get_by_role("alert")).to_contain_text(re.compile("."))
    expect(page.get_by_label("Code of 6 digits")).to_be_focused()
    screen.shows_field()
