#!/usr/bin/env python3
"""A CD player that plays on an ALSA PCM which the amplifier lends to it (a cable of kind `alsa`).

Its only disc is a tone of 440 Hz that never ends, played by the program `aplay`. What it has in
common with other plugins in Python stands in ../PythonLights/lights.py.
"""

import array
import contextlib
import json
import math
import pathlib
import subprocess
import sys
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "PythonLights"))

import lights
from lights import DEVICE_ERROR, Refusal, invalid, text

RATE = 44100
LONGEST = 172800
ANCHOR = 5
BUSY_PAUSE = 0.05


def a_tenth_of_a_second():
    """Whole periods of the tone: 440 Hz, both channels, signed 16 bit, half of full scale."""
    samples = array.array("h")
    for frame in range(RATE // 10):
        value = int(16384 * math.sin(2 * math.pi * 440 * frame / RATE))
        samples.extend((value, value))
    if sys.byteorder == "big":
        samples.byteswap()
    return samples.tobytes()


TONE = a_tenth_of_a_second()
sending = threading.Lock()
send_alone = lights.send


def send(message):
    """Writes one line; two threads do."""
    with sending:
        send_alone(message)


lights.send = send


class Output:
    """The tone on one PCM, from now until `close`."""

    def __init__(self, pcm):
        self.command = [
            "aplay",
            "-q",
            "-D",
            pcm,
            "-t",
            "raw",
            "-f",
            "S16_LE",
            "-c",
            "2",
            "-r",
            str(RATE),
        ]
        self.process = None
        self.closing = threading.Event()
        self.thread = threading.Thread(target=self.write_tone, daemon=True)
        self.thread.start()

    def write_tone(self):
        """Writes to `aplay`, whose input ends with this process. One that fails is started again:
        the PCM may be in other hands for a moment longer."""
        while not self.closing.is_set():
            with subprocess.Popen(
                self.command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, bufsize=0
            ) as process:
                self.process = process
                try:
                    while not self.closing.is_set():
                        process.stdin.write(TONE)
                except BrokenPipeError:
                    pass
                process.kill()
            self.closing.wait(BUSY_PAUSE)

    def close(self):
        """Ends the sound and lets go of the PCM."""
        self.closing.set()
        while self.thread.is_alive():
            if self.process:
                self.process.kill()
            self.thread.join(0.01)


class Player:
    """One device of the role `cdPlayer`."""

    def __init__(self, name):
        self.name, self.power, self.status, self.tray = name, "off", "stopped", "closed"
        self.position, self.since = 0.0, 0.0
        self.pcm, self.output = None, None

    def current_position(self):
        """The position in seconds."""
        running = time.monotonic() - self.since if self.status == "playing" else 0
        return self.position + running

    def report(self):
        playback = {
            "state": self.status,
            "item": "tone",
            "position": round(self.current_position(), 3),
            "rate": 1 if self.status == "playing" else 0,
        }
        state = {"power": self.power, "playback": playback, "tray": self.tray}
        send({"method": "state", "params": {"device": self.name, "state": state}})

    def set_status(self, status, position=None):
        """Sets the status, and plays the tone on the PCM if there is one."""
        self.position = self.current_position() if position is None else position
        self.status, self.since = status, time.monotonic()
        self.update_output()

    def update_output(self):
        """Begins or ends the tone, as the status and the PCM demand."""
        should = self.pcm is not None and self.status == "playing"
        if self.output and not should:
            self.output.close()
            self.output = None
        elif should and not self.output:
            self.output = Output(self.pcm)

    def plug(self, pcm):
        self.unplug()
        self.pcm = pcm
        self.update_output()

    def unplug(self):
        self.pcm = None
        self.update_output()

    def perform(self, command):
        """Carries out a command, and reports the new state before the answer."""
        if command == "on":
            self.power = "on"
        elif command == "off":
            self.power = "off"
            self.set_status("stopped", 0)
        elif command == "play" or isinstance(command, dict) and list(command) == ["play"]:
            self.play({} if command == "play" else command["play"])
        elif command == "pause":
            if self.status == "playing":
                self.set_status("paused")
        elif command in ("stop", "eject"):
            self.set_status("stopped", 0)
            self.tray = "open" if command == "eject" else self.tray
        elif command in ("next", "previous"):
            self.set_status(self.status, 0)
        else:
            raise invalid(
                "this player has no such command, or not with this argument",
                "It knows: on, off, play, pause, stop, eject, next, previous.",
            )
        self.report()

    def play(self, what):
        if not isinstance(what, dict) or not set(what) <= {"item", "position"}:
            raise invalid('"play" takes "item" and "position"', 'Write "play" alone.')
        if what.get("item", "tone") != "tone":
            raise invalid("there is no such item on the disc", "There is: tone.")
        position = what.get("position", 0 if self.status == "stopped" else self.current_position())
        is_number = isinstance(position, (int, float)) and not isinstance(position, bool)
        if not is_number or not 0 <= position <= LONGEST:
            raise invalid(f'"position" takes 0 to {LONGEST} (s)', "Leave it out for the beginning.")
        self.power, self.tray = "on", "closed"
        self.set_status("playing", position)


class AlsaPlugin(lights.Plugin):
    """Answers requests until the controller is gone."""

    def __init__(self):
        super().__init__()
        self.methods.update(plug=self.plug, unplug=self.unplug)

    def initialize(self, params):
        return {**super().initialize(params), "plugin": "PythonAlsaPlayer"}

    def open(self, params):
        name, role = text(params, "device"), text(params, "role")
        if name in self.devices:
            self.close(params)
        if role != "cdPlayer":
            raise Refusal(DEVICE_ERROR, f"this plugin has no {role:.60}", kind="unsupported")
        device = Player(name)
        device.report()
        self.devices = {**self.devices, name: device}
        return {"capabilities": [], "reportsState": True, "cables": ["alsa"]}

    def close(self, params):
        device = self.device(params)
        self.devices = {key: one for key, one in self.devices.items() if one is not device}
        device.unplug()
        return {}

    def scan(self, params):
        self.device(params)
        return {"items": [{"id": "tone", "title": "Tone", "format": "synthesised", "channels": 2}]}

    def plug(self, params):
        device = self.device(params)
        if "pcm" not in params:
            return self.no_cable(params)
        device.plug(text(params, "pcm"))
        return {}

    def no_cable(self, params):
        self.device(params)
        text(params, "path")
        text(params, "token")
        raise Refusal(DEVICE_ERROR, "this player has no pcm cable", kind="unsupported")

    def unplug(self, params):
        self.device(params).unplug()
        return {}

    def report_positions(self):
        """Reports the positions of the players that play, every `ANCHOR` seconds."""
        while not self.is_done:
            time.sleep(ANCHOR)
            for device in self.devices.values():
                if device.status == "playing":
                    device.report()

    def run(self):
        threading.Thread(target=self.report_positions, daemon=True).start()
        try:
            super().run()
        finally:
            for device in self.devices.values():
                device.unplug()


if __name__ == "__main__":
    if "--self-check" in sys.argv[1:]:
        print(json.dumps({"ok": True}))
    else:
        # These come when the controller is gone.
        with contextlib.suppress(BrokenPipeError, KeyboardInterrupt):
            AlsaPlugin().run()
