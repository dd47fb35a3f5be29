"""The screenshots of the page for the documentation."""

import os

import pytest
from conftest import ROOT, SIZES, proves

# `make pictures` sets it: the screenshots are written into the folder of the documentation.
IS_GENERATING = "THEATER_GENERATE" in os.environ
SIZES = {**SIZES, "picture": {"width": 1280, "height": 800}}


@proves(
    "home, the room and the player show the film that plays, as in the documentation's screenshots"
)
@pytest.mark.parametrize(
    "name, path, size",
    [("home", "/", "picture"), ("room", "/room", "picture"), ("phone", "/player", "phone")],
)
def test_picture(visit, theater, tmp_path, name, path, size):
    theater.turn_off()
    theater.watch()
    theater.send("POST", "/seek", {"to": 220})
    one = visit(
        size="phone" if size == "phone" else "desktop",
        device_scale_factor=2 if size == "phone" else 1,
    ).with_session(theater.people["ann@example.org"])
    one.page.set_viewport_size(SIZES[size])
    page = one.open(path)
    page.get_by_text("Night Ferry").first.wait_for()
    file = (ROOT / "docs" if IS_GENERATING else tmp_path) / f"page-{name}.jpg"
    page.screenshot(path=file, type="jpeg", quality=82, animations="disabled")
    # The file of a page without its drawing, in one flat colour, would be smaller.
    assert file.stat().st_size > 20_000
