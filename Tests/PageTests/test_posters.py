"""The pictures of films, over the covers that are drawn for them."""

import re
import struct
import zlib

from conftest import eventually, hold, proves, wait_held
from playwright.sync_api import expect
from test_room import PUBLISH_EVENTS, open_following_tab
from test_screens import WAIT_FOR_TRANSITIONS

HAS_LOADED_PICTURE = """() => {
  const loaded = performance.getEntriesByType('resource');
  return loaded.some(({ name }) => name.includes('library/picture'));
}"""


def png(red, green, blue):
    """Returns a PNG of one pixel."""

    def chunk(kind, data):
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
        + chunk(b"IDAT", zlib.compress(bytes([0, red, green, blue])))
        + chunk(b"IEND", b"")
    )


class Posters:
    """Answers in place of a player that has pictures of some films: the simulated one has none."""

    def __init__(self, page, items, status=200):
        self.items = items
        self.status = status
        self.asked = []
        page.route("**/api/v1/films?*", self.films)
        page.route("**/api/v1/library/picture?*", self.picture)

    def films(self, route):
        answer = route.fetch()
        body = answer.json()
        for film in body["films"]:
            if film["id"] in self.items:
                film["picture"] = True
        route.fulfill(response=answer, json=body)

    def picture(self, route):
        self.asked.append(re.search(r"item=([^&]*)", route.request.url).group(1))
        if self.status == 200:
            route.fulfill(content_type="image/png", body=png(200, 30, 30))
        else:
            route.fulfill(
                status=self.status, json={"error": {"code": "notFound", "message": "none"}}
            )


def photo(page, name):
    return page.get_by_role("button", name=re.compile(f"^{name}")).locator("img.photo")


@proves("E9 · the library, the player and the room show the pictures that films have")
def test_pictures(owner):
    posters = Posters(owner.page, ["night-ferry", "paper-moons"])
    page = owner.open("/library")
    for name in ["Night Ferry", "Paper Moons"]:
        expect(photo(page, name)).to_be_visible()
        expect(photo(page, name)).to_have_attribute("alt", "")
    # A film without a picture keeps its drawn cover, and the page requests no picture of it.
    expect(photo(page, "The Long Hall")).to_have_count(0)
    assert sorted(set(posters.asked)) == ["night-ferry", "paper-moons"], posters.asked
    box = photo(page, "Night Ferry").bounding_box()
    cover = (
        page.get_by_role("button", name=re.compile("^Night Ferry")).locator(".cover").bounding_box()
    )
    assert all(abs(box[key] - cover[key]) < 1 for key in box), (box, cover)
    page.get_by_role("button", name=re.compile("^Night Ferry")).click()
    sheet = page.get_by_role("dialog", name="Night Ferry")
    expect(sheet.locator("img.photo")).to_be_visible()
    sheet.get_by_role("button", name=re.compile("^(Watch|From the start)$")).click()
    expect(page.locator(".screen-frame img.photo")).to_be_visible()
    page.get_by_role("button", name="Room").click()
    expect(page.locator(".room-view image").first).to_have_attribute(
        "href", re.compile("picture.item=night-ferry")
    )


@proves("a film whose picture cannot be made keeps its cover")
def test_no_picture(owner):
    owner.expected = {404}
    posters = Posters(owner.page, ["night-ferry"], status=404)
    page = owner.open("/library")
    page.wait_for_function(HAS_LOADED_PICTURE)
    expect(
        page.get_by_role("button", name=re.compile("^Night Ferry")).locator(".cover svg")
    ).to_be_visible()
    expect(page.locator("img")).to_have_count(0)
    assert posters.asked == ["night-ferry"], posters.asked


@proves("at most two pictures load at a time, so that a command finds a free connection")
def test_at_once(owner):
    held = []
    films = ["night-ferry", "paper-moons", "the-long-hall", "long"]
    posters = Posters(owner.page, films)
    owner.page.unroute("**/api/v1/library/picture?*")
    owner.page.route("**/api/v1/library/picture?*", lambda route: held.append(route))
    page = owner.open("/library")
    for count in [2, 3, 4]:
        eventually(page, lambda count=count: len(held) >= count)
        # Another request would be sent with these frames.
        page.evaluate(WAIT_FOR_TRANSITIONS)
        assert len(held) == count
        posters.picture(held[count - 2])
    for route in held[3:]:
        posters.picture(route)
    expect(page.locator("img.photo")).to_have_count(4)


@proves("a picture that has loaded late is not laid over the next item in the bar")
def test_late(owner):
    page = open_following_tab(owner, "/settings")
    held = hold(page, "/library/picture?*")
    bar = page.get_by_role("region", name="What plays")

    def show(title, **more):
        owner.page.evaluate(
            PUBLISH_EVENTS,
            [
                [
                    "activity",
                    {
                        "status": "running",
                        "activity": "film",
                        "item": title,
                        "itemTitle": title,
                        "player": "dvd",
                        **more,
                    },
                ]
            ],
        )
        expect(bar).to_contain_text(title)
        return wait_held(page, held) if more else None

    picture = {"content_type": "image/png", "body": png(200, 30, 30)}
    first = show("First", itemPicture=True)
    show("Second")
    first.fulfill(**picture)
    page.wait_for_function(HAS_LOADED_PICTURE)
    page.evaluate(WAIT_FOR_TRANSITIONS)
    expect(bar.locator(".photo")).to_have_count(0)
    show("Third", itemPicture=True).fulfill(**picture)
    expect(bar.locator(".photo")).to_have_count(1)
