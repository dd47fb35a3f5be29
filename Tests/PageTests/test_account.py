"""One's own account: name, contacts, password, second factor, sessions, its end."""

import base64
import hashlib
import hmac
import json
import re
import time

import pytest
from conftest import PASSWORD, proves, with_modules
from playwright.sync_api import expect
from test_entrance import fill_login
from test_screens import faults


def app_code(secret):
    """The six digits of an authenticator app at this moment (RFC 6238)."""
    key = base64.b32decode(secret + "=" * (-len(secret) % 8))
    digest = hmac.new(key, int(time.time() // 30).to_bytes(8, "big"), hashlib.sha1).digest()
    at = digest[-1] & 15
    return f"{(int.from_bytes(digest[at : at + 4], 'big') & 0x7FFFFFFF) % 1_000_000:06}"


@pytest.fixture
def member(visit, theater, request):
    """A visit with the session of a member of its own."""
    email = f"{request.node.originalname.removeprefix('test_').replace('_', '-')}@example.org"
    theater.member("Gita", email)
    theater.log_in(email)
    one = visit().with_session(theater.people[email])
    one.email = email
    return one


def account(theater, one):
    return theater.send("GET", "/account", token=theater.people[one.email])["user"]


@proves("B1 B7 F5 · changes the name, verifies the address, and the phone alone, by their codes")
def test_contacts(member, theater):
    member.expected = {403}
    page = member.open("/account")
    page.get_by_role("button", name="Change the name").press("Enter")
    page.get_by_role("dialog").get_by_label("Name", exact=True).fill("Gitanjali")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Your name is changed.").first).to_be_visible()
    count = theater.codes_sent()
    page.get_by_role("button", name="Verify the e-mail address").click()
    page.get_by_role("dialog").get_by_label("Code of 6 digits").fill(theater.mailed_code(count + 1))
    expect(page.get_by_text("The address is verified.").first).to_be_visible()
    page.get_by_role("button", name="Add a phone number").click()
    dialog = page.get_by_role("dialog")
    phone = dialog.get_by_label("Phone number")
    phone.fill("12")
    phone.blur()
    expect(dialog.get_by_text("Type the phone number with its country code")).to_be_visible()
    # The phone alone enables its code; the other button needs the password, too.
    send = dialog.get_by_role("button", name="Send a code")
    register = dialog.get_by_role("button", name="Register both")
    expect(send).to_have_attribute("aria-disabled", "true")
    phone.fill("+380 67 123 4567")
    expect(send).to_have_attribute("aria-disabled", "false")
    expect(register).to_have_attribute("aria-disabled", "true")
    assert not faults(page)
    send.click()
    code = page.get_by_role("dialog").get_by_label("Code of 6 digits")
    code.wait_for()
    right = theater.mailed_code(count + 2)
    code.fill("000000" if right != "000000" else "111111")
    expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text("Tries left: 4")
    assert not faults(page)
    code.fill(right)
    expect(page.get_by_text("Your phone number is set.").first).to_be_visible()
    user = account(theater, member)
    assert (user["name"], user["emailVerified"], user["phone"]) == (
        "Gitanjali",
        True,
        "+380671234567",
    )


@proves("B7 · address, password and phone enable one button, which verifies both by their codes")
def test_register_contacts(member, theater):
    member.expected = {401, 403}
    page = member.open("/account")
    page.get_by_role("button", name="Add a phone number").click()
    dialog = page.get_by_role("dialog")
    register = dialog.get_by_role("button", name="Register both")
    dialog.get_by_label("E-mail address").fill("gita-new@example.org")
    dialog.get_by_label("Phone number").fill("+380 67 123 4568")
    expect(register).to_have_attribute("aria-disabled", "true")
    register.press("Enter")
    password = dialog.get_by_label("Password", exact=True)
    expect(password).to_be_focused()
    password.fill("not this one")
    expect(register).to_have_attribute("aria-disabled", "false")
    register.click()
    expect(dialog.get_by_role("alert")).to_be_visible()
    expect(password).to_have_value("")
    password.fill(PASSWORD)
    count = theater.codes_sent()
    register.click()
    code = dialog.get_by_label("Code of 6 digits")
    code.wait_for()
    expect(dialog).to_contain_text("gita-new@example.org")
    code.fill(theater.mailed_code(count + 1))
    expect(dialog).to_contain_text("+380 67 123 4568")
    code.fill(theater.mailed_code(count + 2))
    expect(page.get_by_role("dialog")).to_have_count(0)
    member.email = "gita-new@example.org"
    theater.log_in(member.email)
    user = account(theater, member)
    assert (user["email"], user["phone"]) == ("gita-new@example.org", "+380671234568")


@proves(
    "F5 · asks for the password again before the address changes, and keeps the old one until the "
    "code is in"
)
def test_proof(member, theater):
    member.expected = {401, 403}
    page = member.open("/account")
    page.route(
        "**/account/email",
        lambda route: route.fulfill(
            status=403,
            content_type="application/json",
            body=json.dumps(
                {"error": {"code": "proofNeeded", "message": "Prove first that it is you"}}
            ),
        ),
        times=1,
    )
    page.get_by_role("button", name="Change the e-mail address").click()
    page.get_by_role("dialog").get_by_label("E-mail address").fill("gita2@example.org")
    count = theater.codes_sent()
    page.keyboard.press("Enter")
    proof = page.get_by_role("dialog", name="Is it still you?")
    proof.get_by_label("Password", exact=True).fill("not this one")
    page.keyboard.press("Enter")
    expect(proof.get_by_role("alert")).to_be_visible()
    assert not faults(page)
    proof.get_by_label("Password", exact=True).fill(PASSWORD)
    page.keyboard.press("Enter")
    code = page.get_by_role("dialog").get_by_label("Code of 6 digits")
    code.wait_for()
    theater.log_in(member.email)
    assert account(theater, member)["email"] == member.email
    code.fill(theater.mailed_code(count + 1))
    expect(page.get_by_text("Your e-mail address is changed.").first).to_be_visible()
    assert account(theater, member)["email"] == "gita2@example.org"


@proves("F5 · the repeated proof leads to the code of the second factor where it is needed")
def test_proof_code(member):
    member.expected = {403}
    page = member.open("/account")

    def refuse(code, field=None):
        return lambda route: route.fulfill(
            status=403,
            content_type="application/json",
            body=json.dumps(
                {"error": {"code": code, "field": field, "message": "Prove that it is you"}}
            ),
        )

    page.route("**/account/email", refuse("proofNeeded"))
    page.route("**/sessions/current/proof", refuse("secondFactorNeeded"))
    page.get_by_role("button", name="Change the e-mail address").click()
    page.get_by_role("dialog").get_by_label("E-mail address").fill("gita3@example.org")
    page.keyboard.press("Enter")
    proof = page.get_by_role("dialog", name="Is it still you?")
    proof.get_by_label("Password", exact=True).fill(PASSWORD)
    page.keyboard.press("Enter")
    code = proof.get_by_label("Code from your authenticator app")
    expect(code).to_be_focused()
    # A wrong code is refused with another reason.
    page.route("**/sessions/current/proof", refuse("wrongCredentials", "code"))
    page.keyboard.type("123456")
    page.keyboard.press("Enter")
    expect(proof.get_by_role("alert")).to_have_text("The code is wrong or was used already.")
    expect(code).to_be_focused()


@proves("C7 F5 · changes the password by the rules")
def test_password(member, theater):
    member.expected = {401}
    page = member.open("/account")
    page.get_by_role("button", name="Change the password").click()
    dialog = page.get_by_role("dialog")
    present = dialog.get_by_label("Password", exact=True)
    dialog.get_by_role("textbox", name="New password").fill("the projector hums at night")
    dialog.get_by_label("Repeat the password").fill("the projector hums at night")
    page.keyboard.press("Enter")
    expect(present).to_be_focused()
    # Of a wrong current password the form says so, and keeps the new one.
    change = dialog.get_by_role("button", name="Set the password")
    present.fill("not this one")
    change.click()
    expect(dialog.get_by_role("alert")).to_have_text("The current password is wrong.")
    expect(present).to_be_focused()
    present.fill(PASSWORD)
    change.click()
    expect(page.get_by_text("The password is changed.").first).to_be_visible()
    theater.send(
        "POST",
        "/sessions",
        {"email": member.email, "password": "the projector hums at night"},
        token="",
    )


@proves(
    "F5 · sets up the second factor by QR code, logs in with it and with a recovery code, and "
    "removes it"
)
def test_second_factor(member, visit, theater):
    member.expected = {403}
    member.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = member.open("/account")
    page.get_by_role("button", name="Set up an app").click()
    dialog = page.get_by_role("dialog", name="Set up an app")
    picture = dialog.get_by_role("img", name="QR code of the secret")
    # 45 modules of a side and the quiet zone, in some of them a dark line.
    assert int(picture.get_attribute("viewBox").split()[2]) >= 33
    assert picture.locator("path").get_attribute("d").count("M") > 200
    assert not faults(page)
    secret = dialog.locator(".secret").inner_text().replace(" ", "")
    code = dialog.get_by_label("Code from your authenticator app")
    code.fill("000000" if app_code(secret) != "000000" else "111111")
    expect(dialog.get_by_role("alert")).to_be_visible()
    code.fill(app_code(secret))
    codes = page.get_by_role("dialog", name="Recovery codes")
    expect(codes.get_by_role("listitem")).to_have_count(10)
    listed = codes.get_by_role("listitem").all_inner_texts()
    assert len(set(listed)) == 10
    codes.get_by_role("button", name="Copy the codes").click()
    expect(page.get_by_text("The recovery codes are copied.").first).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()").split("\n") == listed
    codes.get_by_role("button", name="I have kept them").click()
    expect(page.get_by_text("Codes left: 10")).to_be_visible()
    other = visit(size="phone")
    other.expected = {401, 403}
    login = other.open("/login")
    fill_login(login, member.email)
    login.keyboard.press("Enter")
    expect(login.get_by_label("Code from your authenticator app")).to_be_focused()
    login.keyboard.type(listed[0])
    assert not faults(login)
    login.keyboard.press("Enter")
    login.get_by_role("heading", name="What would you like?").wait_for()
    member.open("/account")
    expect(page.get_by_text("Codes left: 9")).to_be_visible()
    page.get_by_role("button", name="Renew the recovery codes").click()
    expect(codes.get_by_role("listitem")).to_have_count(10)
    assert not set(codes.get_by_role("listitem").all_inner_texts()) & set(listed)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Remove the second factor").click()
    page.get_by_role("dialog").get_by_label("Password", exact=True).fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_text("The second factor is removed.").first).to_be_visible()
    expect(page.get_by_role("button", name="Set up an app")).to_be_visible()


@proves("F5 · a list of sessions that cannot be read leaves the rest of the account")
def test_unread_sessions(member):
    page = member.page
    member.expected = {500}
    page.route(
        "**/api/v1/sessions",
        lambda route: route.fulfill(
            status=500,
            content_type="application/json",
            body=json.dumps({"error": {"code": "internal", "message": "the disk is full"}}),
        ),
        times=1,
    )
    member.open("/account")
    page.get_by_role("button", name="Change the password").wait_for()
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("listitem").filter(has_text="this one")).to_be_visible()


@proves(
    "B1 B8 F5 · creates an access token for a number of days and chosen things, shows it once, "
    "lists its use and revokes it"
)
def test_tokens(member, theater):
    member.expected = {409}
    member.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = member.open("/account")
    expect(page.get_by_text("No program has access.")).to_be_visible()
    page.get_by_role("button", name="Create an access token").click()
    dialog = page.get_by_role("dialog", name="Create an access token")
    dialog.get_by_label("Name of the token").fill("Doorbell")
    dialog.get_by_role("button", name="Create", exact=True).press("Enter")
    # Nothing is chosen: the form says so, and the focus is where it can be chosen.
    expect(dialog.get_by_role("alert")).to_contain_text("Choose what it may do.")
    expect(dialog.get_by_role("group", name="It may").get_by_role("button").first).to_be_focused()
    assert not faults(page)
    pause = dialog.get_by_role("button", name="Pause", exact=True)
    pause.press("Enter")
    expect(pause).to_have_attribute("aria-pressed", "true")
    seek = dialog.get_by_role("button", name="Jump within a title")
    seek.click()
    seek.click()
    expect(seek).to_have_attribute("aria-pressed", "false")
    days = dialog.get_by_label("Valid for how many days")
    expect(days).to_have_value("90")
    create = dialog.get_by_role("button", name="Create", exact=True)
    for wrong in ("0", "731", "12.5", "many", ""):
        days.fill(wrong)
        expect(create).to_have_attribute("aria-disabled", "true")
    create.press("Enter")
    expect(dialog.get_by_text("Give the number of days: 1 to 730.")).to_be_visible()
    expect(days).to_be_focused()
    days.fill("365")
    expect(create).to_have_attribute("aria-disabled", "false")
    create.click()
    shown = page.get_by_role("dialog", name="Doorbell")
    token = shown.get_by_label("Access token").input_value()
    assert re.fullmatch("theater_[0-9a-hjkmnp-tv-z]{59}", token)
    assert not faults(page)
    shown.get_by_role("button", name="Copy the token").click()
    expect(page.get_by_text("The token is copied.").first).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == token
    page.keyboard.press("Escape")
    row = page.get_by_role("listitem").filter(has_text="Doorbell")
    expect(row).to_contain_text("not used yet")
    made = theater.send("GET", "/account/tokens", token=theater.people[member.email])["tokens"]
    assert [one["may"] for one in made] == [["pause"]]
    assert made[0]["expires"][:4] == time.strftime("%Y", time.gmtime(time.time() + 365 * 86_400))
    assert token not in page.content()
    # A second one of this name is refused with a message of its own.
    page.get_by_role("button", name="Create an access token").click()
    dialog.get_by_label("Name of the token").fill("Doorbell")
    dialog.get_by_role("button", name="See what is on").click()
    dialog.get_by_role("button", name="Create", exact=True).click()
    expect(dialog.get_by_role("alert")).to_contain_text(
        "You have an access token of this name already."
    )
    dialog.get_by_label("Name of the token").fill("Panel")
    create.click()
    panel = page.get_by_role("dialog", name="Panel").get_by_label("Access token").input_value()
    page.keyboard.press("Escape")
    assert theater.send("GET", "/sessions/current", token=panel)["accessToken"]["name"] == "Panel"
    member.open("/account")
    expect(page.get_by_role("listitem").filter(has_text="Panel")).to_contain_text("from 127.0.0.1")
    row.get_by_role("button", name="Revoke the token Doorbell").click()
    question = page.get_by_role("dialog", name="Revoke the token Doorbell?")
    question.get_by_role("button", name="Revoke").click()
    expect(page.get_by_text("The token is revoked.").first).to_be_visible()
    expect(row).to_have_count(0)
    # Ending the other sessions says that a token is left, and revokes it if that is chosen.
    page.get_by_role("button", name="End others").click()
    question = page.get_by_role("dialog", name="End all other sessions?")
    expect(question).to_contain_text("1 token can still be used after this")
    question.get_by_role("switch", name="Revoke my access tokens, too").click()
    assert not faults(page)
    question.get_by_role("button", name="End them").click()
    expect(page.get_by_text("No program has access.")).to_be_visible()


@proves("A10 F5 · lists and ends sessions, and deletes the account after a question")
def test_end(member, theater):
    member.expected = {401}
    theater.log_in(member.email)
    page = member.open("/account")
    page.get_by_role("button", name=re.compile("^End the session of")).click()
    expect(page.get_by_role("button", name=re.compile("^End the session of"))).to_have_count(0)
    page.get_by_role("button", name="Delete my account").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("cannot be undone")
    expect(dialog.get_by_role("button", name="Cancel")).to_be_focused()
    dialog.get_by_role("button", name="Delete my account").click()
    page.get_by_role("button", name="Log in").wait_for()
    assert member.email not in {
        one["email"] for one in theater.send("GET", "/accounts")["accounts"]
    }


@proves("F5 · the next session in a tab does not know the titles of the one before")
def test_next_session(visit, theater):
    theater.turn_off()
    theater.member("Nora", "nora@example.org")
    one = visit()
    one.expected = {401}
    page = one.open("/login")
    known = with_modules("model/store.js", "({ knownTitles }) => Object.keys(knownTitles)")
    main = page.get_by_role("navigation", name="Main")
    fill_login(page)
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="What would you like?").wait_for()
    main.get_by_role("link", name="Library").click()
    page.get_by_role("button", name=re.compile("^Night Ferry")).wait_for()
    assert "night-ferry" in page.evaluate(known)
    main.get_by_role("link", name="Settings").click()
    page.get_by_role("button", name="Log out").click()
    page.get_by_role("button", name="Log in").wait_for()
    fill_login(page, "nora@example.org")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="What would you like?").wait_for()
    assert page.evaluate(known) == []
