"""The editor of devices.json, and the doctor."""

import json
import re

import pytest
from conftest import PASSWORD, hold, proves, wait_held
from playwright.sync_api import expect
from test_entrance import fill_login
from test_screens import FIND_OVERFLOW, WAIT_FOR_TRANSITIONS, check, faults

CHECKS = [
    {"name": "library", "status": "ok", "message": "11 films"},
    {
        "name": "audio",
        "status": "warning",
        "message": "the card is in use",
        "hint": "Close the other program.",
    },
    {"name": "plugin Broken", "status": "failed", "message": "it does not answer"},
]


def answer(route, body, status=200):
    route.fulfill(status=status, content_type="application/json", body=json.dumps(body))


class File:
    """Answers `GET` and `PUT /configuration`; the controller checks and compares the text."""

    def __init__(self, page, theater):
        self.text = (theater.controller.folder / "devices.json").read_text()
        self.hash = "0" * 64
        self.refusal = None
        page.route("**/api/v1/configuration", self.serve)

    def serve(self, route):
        request = route.request
        if request.method == "GET":
            answer(route, {"text": self.text, "hash": self.hash})
        elif self.refusal:
            answer(route, {"error": self.refusal[1]}, self.refusal[0])
        else:
            if request.headers["if-match"] != f'"{self.hash}"':
                answer(
                    route,
                    {"error": {"code": "notNow", "message": "the file has changed meanwhile"}},
                    409,
                )
                return
            self.text = request.post_data
            self.hash = "1" * 64
            answer(
                route,
                {
                    "hash": self.hash,
                    "problems": [],
                    "changes": [
                        {
                            "kind": "changed",
                            "section": "devices",
                            "name": "lights",
                            "keys": ["options.speed"],
                            "live": True,
                        }
                    ],
                },
            )


@proves(
    "F6 F5 · checks devices.json at each pause of typing, leads to a mistake, shows the "
    "difference, then saves"
)
def test_editor(owner, theater):
    owner.expected = {409}
    page = owner.page
    file = File(page, theater)
    owner.open("/configuration")
    text = page.get_by_role("textbox", name="Text of devices.json")
    status = page.get_by_role("status").first
    save = page.get_by_role("button", name="Save")
    expect(status).to_have_text("No mistakes.")
    expect(save).to_have_attribute("aria-disabled", "true")
    assert page.locator(".numbers span").count() == file.text.count("\n") + 1
    edited = file.text.replace('"popper": {', '"popper": {\n      "rule": 1,', 1)
    line = edited[: edited.index('"rule"')].count("\n") + 1
    text.fill(edited)
    expect(status).to_contain_text("mistake")
    expect(save).to_have_attribute("aria-disabled", "true")
    expect(page.locator(".numbers [data-bad=error]").first).to_have_text(str(line))
    assert not faults(page)
    page.get_by_role("button", name=re.compile(f"^Line {line}:")).first.press("Enter")
    expect(text).to_be_focused()
    assert "rule" in text.evaluate(
        "(node) => node.value.slice(node.selectionStart, node.selectionEnd)"
    )
    # A text that is not saved is there after a look at another screen.
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Plugins").click()
    page.get_by_role("heading", name="Plugins", level=1).wait_for()
    page.go_back()
    expect(text).to_have_value(edited)
    # Without an answer to a check, no mistakes stay; it is asked again.
    row = page.get_by_role("button", name=re.compile(f"^Line {line}:"))
    row.first.wait_for()
    page.route("**/configuration/check", lambda route: route.abort())
    owner.expected.add("network")
    text.fill(edited + " ")
    expect(row).to_have_count(0)
    page.unroute("**/configuration/check")
    theater.send("POST", "/devices/lights/commands", {"dim": 31})
    row.first.wait_for()
    # A draft is saved to the version from which it was made, not to one of another person.
    draft = file.text.replace('"speed": 20', '"speed": 22', 1)
    text.fill(draft)
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Plugins").click()
    page.get_by_role("heading", name="Plugins", level=1).wait_for()
    made_from = file.hash
    file.hash = "2" * 64
    page.go_back()
    expect(text).to_have_value(draft)
    save.click()
    dialog = page.get_by_role("dialog", name="What changes")
    with page.expect_request(lambda request: request.method == "PUT") as put:
        dialog.get_by_role("button", name="Save").click()
    assert put.value.headers["if-match"] == f'"{made_from}"'
    expect(dialog.get_by_role("alert")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Load again").click()
    expect(text).to_have_value(file.text)
    text.fill(file.text.replace('"speed": 20', '"speed": 21', 1))
    expect(save).to_have_attribute("aria-disabled", "false")
    save.click()
    dialog = page.get_by_role("dialog", name="What changes")
    expect(dialog).to_contain_text("devices.amp changes")
    expect(dialog).to_contain_text("at once")
    page.evaluate(WAIT_FOR_TRANSITIONS)
    assert not faults(page)
    file.refusal = (
        409,
        {"code": "notNow", "message": "the file has changed meanwhile", "hint": "Load it again."},
    )
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.get_by_role("alert")).to_contain_text("Load it again.")
    file.refusal = None
    dialog.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", name="Saved")).to_be_visible()
    expect(page.get_by_role("region", name="Checks").locator(".changes")).to_contain_text(
        "devices.lights changes"
    )
    assert '"speed": 21' in file.text
    expect(save).to_have_attribute("aria-disabled", "true")
    # The controller itself takes over a file that has changed.
    real = theater.controller.folder / "devices.json"
    before = real.read_text()
    try:
        real.write_text(file.text)
        expect(page.get_by_text("The theater runs with it now.")).to_be_visible()
    finally:
        real.write_text(before)
        theater.controller.wait_for(
            lambda: not theater.send("GET", "/configuration/difference")["changes"]
        )


@proves(
    "F6 F5 · a text that is not saved outlasts a session that was ended elsewhere, for its author "
    "alone"
)
@pytest.mark.parametrize("name", ["ann", "wilma"])
def test_draft(visit, theater, name):
    if name == "wilma":
        theater.member("Wilma", "wilma@example.org")
    one = visit().with_session(
        theater.send(
            "POST", "/sessions", {"email": "ann@example.org", "password": PASSWORD}, token=""
        )["token"]
    )
    one.expected = {401, 403}
    page = one.page
    file = File(one.page, theater)

    def as_owner(route):
        answer = route.fetch()
        session = answer.json()
        session["user"]["role"] = "owner"
        route.fulfill(response=answer, json=session)

    one.open("/configuration")
    text = page.get_by_role("textbox", name="Text of devices.json")
    draft = file.text.replace('"speed": 20', '"speed": 22', 1)
    text.fill(draft)
    token = next(cookie["value"] for cookie in one.context.cookies() if cookie["name"] == "theater")
    theater.send("DELETE", "/sessions/current", token=token)
    page.get_by_role("button", name="Log in", exact=True).wait_for()
    if name == "wilma":
        page.route("**/api/v1/sessions/current", as_owner)
    fill_login(page, email=f"{name}@example.org")
    page.keyboard.press("Enter")
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Settings").click()
    page.get_by_role("link", name="Configuration").click()
    expect(text).to_have_value(draft if name == "ann" else file.text)


@proves("F6 · nobody types into a text that is still being read and would replace what they typed")
def test_read_first(owner, theater):
    page = owner.page
    file = File(page, theater)
    held = hold(page, "/configuration")
    page.goto("/configuration")
    reading = wait_held(page, held)
    text = page.get_by_role("textbox", name="Text of devices.json")
    expect(text).not_to_be_editable()
    file.serve(reading)
    expect(text).to_have_value(file.text)
    expect(text).to_be_editable()


@proves("F6 · works on a phone and a tablet, too")
def test_sizes(visit, theater):
    wrong = []
    for (width, height), paths, themes in (
        ((390, 844), ["/configuration", "/doctor"], ("dark", "light")),
        ((820, 1180), ["/configuration", "/account"], ("dark",)),
    ):
        one = visit(size="phone").with_session(theater.people["ann@example.org"])
        one.page.set_viewport_size({"width": width, "height": height})
        one.page.route("**/api/v1/doctor", lambda route: answer(route, {"checks": CHECKS}))
        File(one.page, theater)
        wrong += [fault for path in paths for fault in check(one, path, themes)]
        if width == 390:
            one.open("/configuration").evaluate("document.documentElement.style.fontSize = '200%'")
            wrong += [f"{fault} at 200 %" for fault in one.page.evaluate(FIND_OVERFLOW)]
    assert not wrong, "\n".join(wrong)


@proves("F6 · lists what the doctor finds, what failed first, and looks again")
def test_doctor(owner):
    page = owner.page
    page.route("**/api/v1/doctor", lambda route: answer(route, {"checks": CHECKS}))
    owner.open("/doctor")
    expect(page.get_by_role("status").first).to_have_text("Findings: 2.")
    rows = page.locator(".checks li")
    assert [row.split("\n")[0] for row in rows.all_inner_texts()] == ["failed", "warning", "fine"]
    expect(rows.nth(1)).to_contain_text("Close the other program.")
    page.unroute("**/api/v1/doctor")
    page.route("**/api/v1/doctor", lambda route: answer(route, {"checks": CHECKS[:1]}))
    page.get_by_role("button", name="Check again").click()
    expect(page.get_by_role("status").first).to_have_text("All is well. Checks: 1.")
