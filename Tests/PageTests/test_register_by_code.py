"""Registration that begins with a code instead of a name."""

import pytest
from conftest import PASSWORD, proves
from playwright.sync_api import expect
from test_screens import faults


@proves(
    "D10 · registers by a code sent to an e-mail address or a phone number, asks for the rest, and "
    "is in"
)
@pytest.mark.parametrize(
    "contact, rest",
    [("emma@example.org", {}), ("+49 170 7654321", {"E-mail address": "fred@example.org"})],
    ids=["email", "phone"],
)
def test_begin_by_code(visit, theater, contact, rest):
    one = visit(size="phone")
    one.expected = {403, 409, 422}
    page = one.open(f"/register#{theater.invitation()}")
    page.get_by_role("button", name="Begin with a code").press("Enter")
    field = page.get_by_label("E-mail address or phone number")
    field.fill("ann@example.org")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("already")
    count = theater.codes_sent()
    field.fill(contact)
    page.keyboard.press("Enter")
    code = page.get_by_label("Code of 6 digits")
    code.wait_for()
    right = theater.mailed_code(count + 1)
    code.fill("000000" if right != "000000" else "111111")
    expect(page.get_by_role("alert")).to_contain_text("Tries left: 4")
    code.fill(right)
    page.get_by_role("heading", name="Now your account").wait_for()
    expect(page.get_by_role("textbox", name="Name")).to_be_focused()
    assert page.get_by_role("textbox", name="E-mail address").count() == len(rest)
    assert not faults(page)
    button = page.get_by_role("button", name="Register", exact=True)
    expect(button).to_have_attribute("aria-disabled", "true")
    page.get_by_role("textbox", name="Name").fill("Emma")
    for label, text in rest.items():
        page.get_by_role("textbox", name=label).fill(text)
    page.get_by_label("New password", exact=True).fill(PASSWORD)
    page.get_by_label("Repeat the password").fill(PASSWORD)
    expect(button).to_have_attribute("aria-disabled", "true")
    page.get_by_role("checkbox", name="I accept").check()
    expect(button).to_have_attribute("aria-disabled", "false")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="What would you like?").wait_for()
    assert rest.get("E-mail address", contact) in {
        account["email"] for account in theater.send("GET", "/accounts")["accounts"]
    }


@proves(
    "D10 E6 · the way back from the code leads to the registration by name, with the invitation "
    "kept"
)
def test_back_to_name(visit, theater):
    page = visit().open(f"/register#{theater.invitation()}")
    page.get_by_role("button", name="Begin with a code").click()
    page.get_by_role("button", name="Register by name").click()
    page.get_by_role("textbox", name="Name").fill("Ida")
    page.keyboard.press("Enter")
    page.get_by_role("textbox", name="E-mail address").wait_for()
