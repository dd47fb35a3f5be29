"""The page with the ALSA amplifier; libasound writes the sound into a file."""

import array
import re
import wave

from conftest import TheaterClient, Visit, configuration, eventually, proves
from controller import Controller, shipped_configuration
from test_theater import heading

# In degrees.
NEEDLE_AT_REST = -46


def sound_card(folder):
    """Writes a configuration of ALSA with the PCM `evening`.

    The PCM writes a new file each time it is opened.
    """
    path = folder / "alsa.conf"
    path.write_text(
        "</usr/share/alsa/alsa.conf>\n"
        "pcm.evening {\n  type file\n  slave.pcm null\n"
        f'  file "{folder}/heard.wav"\n  format wav\n  truncate false\n}}\n'
    )
    return path


def loudest(folder):
    """Returns the largest sample in all files; full scale is 32,767."""
    most = 0
    for part in folder.glob("heard.wav*"):
        with wave.open(str(part), "rb") as recorded:
            assert recorded.getsampwidth() == 2
            samples = array.array("h", recorded.readframes(recorded.getnframes()))
            most = max(most, max(samples, default=0))
    return most


@proves(
    "E11 · plays a film from the page: the page sets the volume, the sound is heard, and "
    "it moves the needles in the room"
)
def test_sound(browser, tmp_path):
    made = configuration()
    amp = shipped_configuration()["devices"]["amp"]
    made["devices"]["amp"] = {**amp, "options": {"device": "evening"}}
    with Controller(made, {"ALSA_CONFIG_PATH": str(sound_card(tmp_path))}) as controller:
        controller.wait_for(controller.answers)
        theater = TheaterClient(controller)
        controller.wait_for(controller.plugins_are_up)
        one = Visit(browser, theater.base).with_session(theater.people["ann@example.org"])
        page = one.open("/library")
        page.get_by_role("button", name=re.compile("^Night Ferry")).click()
        page.get_by_role("dialog").get_by_role(
            "button", name=re.compile("^(From the start|Watch)$")
        ).click()
        heading(page, "Night Ferry").wait_for()
        page.get_by_role("button", name="Pause").wait_for()
        # The scene sets a volume before the film plays.
        theater.wait_for("dvd", "playback", lambda playback: playback["state"] == "playing")
        volume = page.get_by_role("slider", name="Volume").first
        volume.fill("80")
        theater.wait_for("amp", "volume", 80)
        room = one.context.new_page()
        room.goto("/room")

        def needle():
            """Returns the angle of the left needle in degrees."""
            turned = room.evaluate("document.querySelector('[data-k=vu-l]')?.style.transform ?? ''")
            found = re.search(r"-?[\d.]+", turned)
            return float(found.group()) if found else NEEDLE_AT_REST

        eventually(room, lambda: needle() > NEEDLE_AT_REST + 16)
        page.get_by_role("button", name="Pause").click()
        page.get_by_role("button", name="Resume").wait_for()
        eventually(room, lambda: needle() == NEEDLE_AT_REST)
        page.get_by_role("button", name="End", exact=True).click()
        heading(page, "Nothing is on").wait_for()
        one.close()
        controller.stop()
        assert loudest(tmp_path) > 1000
