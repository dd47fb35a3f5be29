"""The editor of devices.json, and the doctor."""

import json
import re
import urllib.request

import pytest
from conftest import Visit, hold, proves, wait_held
from playwright.sync_api import expect
from test_entrance import fill_login
from test_screens import FIND_OVERFLOW, WAIT_FOR_TRANSITIONS, check, faults


def answer(route, body, status=200):
    route.fulfill(status=status, content_type="application/json", body=json.dumps(body))


def saved_by_another(theater, text):
    """Saves a text as another person would, to the present version."""
    present = theater.send("GET", "/configuration")["hash"]
    request = urllib.request.Request(
        f"{theater.base}/api/v1/configuration",
        data=text.encode(),
        method="PUT",
        headers={
            "Authorization": f"Bearer {theater.people['ann@example.org']}",
            "If-Match": f'"{present}"',
            "Content-Type": "application/json",
        },
    )
    with urllib.request.urlopen(request, timeout=60) as response:
        return json.loads(response.read())["hash"]


@proves(
    "F6 F5 · checks devices.json at each pause of typing, leads to a mistake, shows the "
    "difference, then saves"
)
def test_editor(browser, editable):
    theater = editable
    one = Visit(browser, theater.base).with_session(theater.people["ann@example.org"])
    one.expected = {409}
    page = one.page
    first = theater.send("GET", "/configuration")
    one.open("/configuration")
    text = page.get_by_role("textbox", name="Text of devices.json")
    status = page.get_by_role("status").first
    save = page.get_by_role("button", name="Save")
    expect(status).to_have_text("No mistakes.")
    expect(save).to_have_attribute("aria-disabled", "true")
    assert page.locator(".numbers span").count() == first["text"].count("\n") + 1
    edited = first["text"].replace('"popper": {', '"popper": {\n      "rule": 1,', 1)
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
    one.expected.add("network")
    text.fill(edited + " ")
    expect(row).to_have_count(0)
    page.unroute("**/configuration/check")
    theater.send("POST", "/devices/lights/commands", {"dim": 31})
    row.first.wait_for()
    # A draft is saved to the version from which it was made, not to one of another person.
    draft = first["text"].replace('"speed": 20', '"speed": 22', 1)
    text.fill(draft)
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Plugins").click()
    page.get_by_role("heading", name="Plugins", level=1).wait_for()
    saved_by_another(theater, first["text"].replace('"speed": 20', '"speed": 19', 1))
    page.go_back()
    expect(text).to_have_value(draft)
    save.click()
    dialog = page.get_by_role("dialog", name="What changes")
    with page.expect_request(lambda request: request.method == "PUT") as put:
        dialog.get_by_role("button", name="Save").click()
    assert put.value.headers["if-match"] == f'"{first["hash"]}"'
    expect(dialog.get_by_role("alert")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Load again").click()
    second = theater.send("GET", "/configuration")
    assert '"speed": 19' in second["text"]
    expect(text).to_have_value(second["text"])
    text.fill(second["text"].replace('"speed": 19', '"speed": 21', 1))
    expect(save).to_have_attribute("aria-disabled", "false")
    save.click()
    dialog = page.get_by_role("dialog", name="What changes")
    expect(dialog).to_contain_text("devices.amp changes")
    expect(dialog).to_contain_text("at once")
    page.evaluate(WAIT_FOR_TRANSITIONS)
    assert not faults(page)
    # Another person saves while the difference is shown, and puts the text back.
    saved_by_another(theater, first["text"])
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.get_by_role("alert")).to_contain_text("was edited meanwhile")
    saved_by_another(theater, second["text"])
    dialog.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", name="Saved")).to_be_visible()
    changes = page.get_by_role("region", name="Checks").locator(".changes")
    expect(changes).to_contain_text("devices.amp changes")
    assert '"speed": 21' in theater.controller.configuration.read_text()
    expect(save).to_have_attribute("aria-disabled", "true")
    expect(page.get_by_text("The theater runs with it now.").first).to_be_visible()
    theater.controller.wait_for(
        lambda: not theater.send("GET", "/configuration/difference")["changes"]
    )
    one.close()


@proves(
    "F6 F5 · a text that is not saved outlasts a session that was ended elsewhere, for its author "
    "alone"
)
@pytest.mark.parametrize("name", ["ann", "wilma"])
def test_draft(browser, editable, name):
    theater = editable
    if name == "wilma":
        theater.member("Wilma", "wilma@example.org")
        theater.log_in("ann@example.org")
        accounts = theater.send("GET", "/accounts")["accounts"]
        wilma = next(one["id"] for one in accounts if one["email"] == "wilma@example.org")
        theater.send("POST", f"/accounts/{wilma}/role", {"role": "owner"})
    theater.log_in("ann@example.org")
    token = theater.people["ann@example.org"]
    one = Visit(browser, theater.base).with_session(token)
    one.expected = {401}
    page = one.open("/configuration")
    text = page.get_by_role("textbox", name="Text of devices.json")
    saved = theater.send("GET", "/configuration")["text"]
    draft = saved.replace('"amp"', '"amp" ', 1)
    text.fill(draft)
    theater.send("DELETE", "/sessions/current", token=token)
    page.get_by_role("button", name="Log in", exact=True).wait_for()
    fill_login(page, email=f"{name}@example.org")
    page.keyboard.press("Enter")
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Settings").click()
    page.get_by_role("link", name="Configuration").click()
    expect(text).to_have_value(draft if name == "ann" else saved)
    one.close()
    theater.log_in("ann@example.org")


@proves("F6 · nobody types into a text that is still being read and would replace what they typed")
def test_read_first(owner, theater):
    page = owner.page
    held = hold(page, "/configuration")
    page.goto("/configuration")
    reading = wait_held(page, held)
    text = page.get_by_role("textbox", name="Text of devices.json")
    expect(text).not_to_be_editable()
    reading.continue_()
    expect(text).to_have_value(theater.controller.configuration.read_text())
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
        wrong += [fault for path in paths for fault in check(one, path, themes)]
        if width == 390:
            one.open("/configuration").evaluate("document.documentElement.style.fontSize = '200%'")
            wrong += [f"{fault} at 200 %" for fault in one.page.evaluate(FIND_OVERFLOW)]
    assert not wrong, "\n".join(wrong)


@proves("F6 · lists what the doctor finds, what failed first, and looks again")
@pytest.mark.parametrize("size", ["phone", "desktop"])
def test_doctor(browser, editable, size):
    one = Visit(browser, editable.base, size=size)
    one.with_session(editable.people["ann@example.org"])
    page = one.page
    file = editable.controller.configuration
    good = file.read_text()
    summary = page.get_by_role("status").first
    rows = page.locator(".checks li")

    def expect_checks():
        """Expects what the controller says, with the worst first; returns the statuses."""
        checks = editable.send("GET", "/doctor")["checks"]
        statuses = {"failed": "failed", "warning": "warning", "ok": "fine"}
        wanted = [
            word for status, word in statuses.items() for one in checks if one["status"] == status
        ]
        findings = len([one for one in checks if one["status"] != "ok"])
        total = f"All is well. Checks: {len(checks)}."
        expect(summary).to_have_text(f"Findings: {findings}." if findings else total)
        assert [row.split("\n")[0] for row in rows.all_inner_texts()] == wanted
        # What names paths and programs is folded away.
        for one in checks:
            if one["status"] == "ok":
                continue
            detail = page.get_by_text(one["message"], exact=False).first
            expect(detail).to_be_attached()
            expect(detail).not_to_be_visible()
        assert "/" not in page.locator(".checks").inner_text()
        for fold in page.locator(".checks summary").all():
            fold.click()
        for hint in [one["hint"] for one in checks if "hint" in one]:
            expect(page.locator(".checks")).to_contain_text(hint.rstrip("."))
        return wanted

    try:
        file.write_text("{")
        one.open("/doctor")
        assert expect_checks()[0] == "failed"
        assert not faults(page)
    finally:
        file.write_text(good)
    page.get_by_role("button", name="Check again").click()
    expect(rows.filter(has_text="failed")).to_have_count(0)
    assert "failed" not in expect_checks()
    one.close()


@proves("says that all is well when the doctor finds nothing")
def test_healthy(owner):
    page = owner.page
    fine = []

    def leave_out_findings(route):
        # They depend on the machine: those of the tests have no sound card.
        checks = route.fetch().json()["checks"]
        fine[:] = [check for check in checks if check["status"] == "ok"]
        answer(route, {"checks": fine})

    page.route("**/api/v1/doctor", leave_out_findings)
    owner.open("/doctor")
    rows = page.locator(".checks li")
    expect(rows.first).to_be_visible()
    expect(page.get_by_role("status").first).to_have_text(f"All is well. Checks: {len(fine)}.")
    expect(rows).to_have_count(len(fine))
