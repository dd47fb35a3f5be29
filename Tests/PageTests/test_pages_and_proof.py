"""Lists of several pages, and the proof of identity that a search at a broker needs."""

import re
from urllib.parse import parse_qs, urlsplit

from conftest import PASSWORD, proves
from playwright.sync_api import expect
from test_configuration import answer


@proves("F5 · asks for the password before a search at a broker, and goes on with the search")
def test_search(owner, theater):
    owner.expected = {403}
    page = owner.page
    sent = []

    def respond(route):
        sent.append(route.request.post_data_json)
        if len(sent) == 1:
            answer(
                route, {"error": {"code": "proofNeeded", "message": "Prove that it is you"}}, 403
            )
        else:
            answer(route, {"findings": [], "problems": []})

    page.route("**/api/v1/discovery", respond)
    owner.open("/setup")
    page.get_by_text("MQTT broker elsewhere").click()
    page.get_by_label("Address of the broker").fill("broker.lan")
    page.get_by_role("button", name="Search", exact=True).first.click()
    page.get_by_role("dialog", name="Is it still you?").get_by_label("Password", exact=True).fill(
        PASSWORD
    )
    page.keyboard.press("Enter")
    expect(page.get_by_text("Found: 0.")).to_be_visible()
    assert sent == [{"broker": "broker.lan"}] * 2
    theater.log_in("ann@example.org")  # The proof has replaced the session's token.


@proves("the radio shows every station, however many pages the list has")
def test_stations(owner):
    stations = [
        {"id": f"s{i}", "title": f"Station {i}", "fm": 88 + i // 60, "players": ["tuner"]}
        for i in range(1200)
    ]
    page = owner.page
    asked = []

    def respond(route):
        query = parse_qs(urlsplit(route.request.url).query)
        offset = int(query.get("offset", ["0"])[0])
        asked.append(offset)
        answer(route, {"stations": stations[offset : offset + 1000], "total": len(stations)})

    page.route("**/api/v1/stations?**", respond)
    owner.open("/radio")
    expect(page.get_by_role("button", name=re.compile("Station 1199"))).to_be_attached()
    assert asked == [0, 1000]
