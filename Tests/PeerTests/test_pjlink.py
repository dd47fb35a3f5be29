"""Checks Tests/Fixtures/pjlink_projector.py with two independent clients of PJLink."""

import asyncio
import contextlib
import json
import pathlib
import socket
import subprocess
import sys

import aiopjlink
import pypjlink
import pytest
from pypjlink.projector import ProjectorError

FIXTURE = pathlib.Path(__file__).parents[1] / "Fixtures/pjlink_projector.py"
PASSWORD = "JBMIAProjectorLink"
KINDS = [(authentication, number) for authentication in ("none", "md5") for number in (1, 2)]


@contextlib.contextmanager
def projector(authentication, number, **more):
    """Starts a projector that warms and cools until it is told to finish.

    Yields its port, and a function that changes its properties.
    """
    process = subprocess.Popen(
        [
            sys.executable,
            FIXTURE,
            "--authentication",
            authentication,
            "--class",
            str(number),
            "--warm-up",
            "manual",
            "--cool-down",
            "manual",
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        [port] = json.loads(process.stdout.readline())

        def change(**changes):
            process.stdin.write(json.dumps({"id": "change", **changes}) + "\n")
            process.stdin.flush()
            while json.loads(process.stdout.readline()).get("done") != "change":
                pass

        change(password=PASSWORD, **more)
        yield port, change
    finally:
        process.stdin.close()
        process.wait(10)
        process.stdout.close()


def password(authentication):
    return None if authentication == "none" else PASSWORD


@pytest.mark.parametrize("authentication, number", KINDS)
def test_pypjlink_controls_the_projector(authentication, number):
    with (
        projector(authentication, number, errors="010002") as (port, change),
        pypjlink.Projector.from_address("127.0.0.1", port) as link,
    ):
        assert link.authenticate(password(authentication)) == (
            None if authentication == "none" else True
        )
        assert link.get_power() == "off"
        with pytest.raises(ProjectorError, match="unavailable time"):
            link.get_input()
        link.set_power("on")
        assert link.get_power() == "warm-up"
        with pytest.raises(ProjectorError, match="unavailable time"):
            link.set_power("off")
        change(finish=True)
        assert link.get_power() == "on"
        assert ("DIGITAL", 2) in link.get_inputs()
        link.set_input("DIGITAL", 2)
        assert link.get_input() == ("DIGITAL", 2)
        with pytest.raises(ProjectorError, match="out of parameter"):
            link.set_input("NETWORK", 9)
        link.set_mute(pypjlink.MUTE_VIDEO | pypjlink.MUTE_AUDIO, True)
        assert link.get_mute() == (True, True)
        assert link.get_errors() == {
            "fan": "ok",
            "lamp": "warning",
            "temperature": "ok",
            "cover": "ok",
            "filter": "ok",
            "other": "error",
        }
        assert link.get_lamps() == [(412, True), (8, False)]
        assert [
            link.get_name(),
            link.get_manufacturer(),
            link.get_product_name(),
            link.get_other_info(),
        ] == ["Rück-Projektor", "Test Works", "TP-1", "a test"]
        link.set_power("off")
        assert link.get_power() == "cooling"
        change(finish=True)
        assert link.get_power() == "off"


@pytest.mark.parametrize("authentication, number", KINDS)
def test_aiopjlink_controls_the_projector(authentication, number):
    async def control(port, change):
        async with aiopjlink.PJLink("127.0.0.1", port, password(authentication)) as link:
            power = aiopjlink.Power.State
            assert await link.power.get() is power.OFF
            await link.power.turn_on()
            assert await link.power.get() is power.WARMING
            with pytest.raises(aiopjlink.PJLinkERR3):
                await link.power.turn_off()
            change(finish=True)
            assert await link.power.get() is power.ON
            digital = aiopjlink.Sources.Mode.DIGITAL
            assert (digital, "2") in await link.sources.available()
            await link.sources.set(digital, 2)
            assert await link.sources.get() == (digital, "2")
            with pytest.raises(aiopjlink.PJLinkERR2):
                await link.sources.set(digital, 9)
            await link.mute.both(True)
            assert await link.mute.status() == (True, True)
            assert await link.lamps.hours() == 412
            errors = await link.errors.query()
            assert set(errors.values()) == {aiopjlink.Errors.Level.OK}
            assert await link.info.projector_name() == "Rück-Projektor"
            assert await link.info.pjlink_class() is aiopjlink.PJClass(str(number))
            await class_two(link)
            await link.power.turn_off()
            assert await link.power.get() is power.COOLING

    async def class_two(link):
        if number == 1:
            with pytest.raises(aiopjlink.PJLinkERR1):
                await link.filter.hours()
            return
        assert await link.filter.hours() == 120
        names = await link.sources.available_with_names()
        assert [name for _, _, name in names] == ["Input 11", "Input 31", "Input 32"]
        assert await link.sources.resolution() == (1920, 1080)
        assert await link.sources.recommended_resolution() == (3840, 2160)
        assert await link.info.serial_number() == "TP-0001"
        assert await link.info.software_version() == "1.0"
        assert await link.lamps.replacement_models() == ["TP-LAMP"]
        await link.freeze.set(True)
        assert await link.freeze.get() is True
        await link.speaker.turn_up()
        await link.microphone.turn_down()

    with projector(authentication, number) as (port, change):
        asyncio.run(control(port, change))


def test_both_clients_are_refused_with_a_wrong_password():
    async def connect(port):
        async with aiopjlink.PJLink("127.0.0.1", port, "wrong"):
            pass

    with projector("md5", 1) as (port, _):
        with pypjlink.Projector.from_address("127.0.0.1", port) as link:
            assert link.authenticate("wrong") is False
        with pytest.raises(aiopjlink.PJLinkPassword):
            asyncio.run(connect(port))


# The example of authentication with SHA-256 in the specification of PJLink class 2.
CHALLENGE = "3db25e10f69c47a85adb24cf361897e0"
NONCE = "c14b279e603d8a5f17e849ba360f2dc5"
DIGEST = "70ab129eac6924d4c129c9c4fcf45be42e1e776325a66db67e5b6eee50f2a692"


@pytest.mark.parametrize(
    "digest, answer",
    [(DIGEST, "%1POWR=0"), (DIGEST[:-1] + "3", "PJLINK ERRA"), ("0" * 64, "PJLINK ERRA")],
)
def test_the_projector_takes_the_digest_of_the_specification_and_no_other(digest, answer):
    with (
        projector("sha256", 2, challenge=CHALLENGE) as (port, _),
        socket.create_connection(("127.0.0.1", port), timeout=10) as link,
    ):
        lines = link.makefile("rw", newline="\r")

        def ask(text):
            lines.write(text + "\r")
            lines.flush()
            return lines.readline().rstrip("\r")

        assert lines.readline().startswith("PJLINK 1 ")
        assert ask("PJLINK 2") == "PJLINK 2 " + CHALLENGE
        assert ask(NONCE + digest + "%1POWR ?") == answer
