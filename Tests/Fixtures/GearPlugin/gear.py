#!/usr/bin/env python3
"""An amplifier and a CD player on the network, as a file: they go on when their plugin ends.

The file holds the state and every command that the gear got.
"""

import json
import pathlib
import sys
import time

SONGS = [
    {"id": "night-bus", "title": "Night Bus", "duration": 3600},
    {"id": "last-light", "title": "Last Light", "duration": 3600},
]
AMPLIFIER = {"power": "off", "input": None, "mode": "stereo", "volume": 40, "muted": False}
PLAYER = {"power": "off", "tray": "closed", "playback": {"state": "stopped"}}


def send(**message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


class Gear:
    def __init__(self, name, role, options):
        self.name = name
        self.file = pathlib.Path(options["gear"])
        self.state = dict(AMPLIFIER if role == "amplifier" else PLAYER)
        self.commands = []
        if self.file.exists():
            stored = json.loads(self.file.read_text())
            self.state, self.commands = stored["state"], stored["commands"]
            self.move(time.time() - stored["at"])
        self.store()

    def move(self, seconds):
        """The playback goes on while no plugin looks."""
        playback = self.state.get("playback", {})
        playback["position"] = playback.get("position", 0) + seconds * playback.get("rate", 0)
        if "playback" in self.state:
            self.state["playback"] = playback

    def store(self):
        stored = {"state": self.state, "commands": self.commands, "at": time.time()}
        self.file.write_text(json.dumps(stored))
        send(method="state", params={"device": self.name, "state": self.state})

    def perform(self, command):
        self.commands.append(command)
        self.move(time.time() - json.loads(self.file.read_text())["at"])
        name, argument = (
            next(iter(command.items())) if isinstance(command, dict) else (command, None)
        )
        if name in ("on", "off"):
            self.state["power"] = name
        elif name in ("stereo", "surround"):
            self.state["mode"] = name
        elif name in ("mute", "unmute"):
            self.state["muted"] = name == "mute"
        elif name in ("input", "volume"):
            self.state[name] = argument
        else:
            self.play(name, argument)
        if name == "off" and "playback" in self.state:
            self.state["playback"] = {"state": "stopped"}
        self.store()

    def play(self, name, argument):
        playback = self.state["playback"]
        if name == "play":
            playback = {"position": 0, "item": SONGS[0]["id"], **playback, **(argument or {})}
            playback.update(state="playing", rate=1, duration=3600)
            self.state["power"] = "on"
        elif name == "pause":
            playback.update(state="paused", rate=0)
        elif name == "stop":
            playback = {"state": "stopped"}
        self.state["playback"] = playback


def answer(devices, method, params):
    if method == "initialize":
        return {"protocol": "1.0", "plugin": "Gear", "version": "1.0.0"}
    if method == "open":
        name = params["device"]
        devices[name] = Gear(name, params["role"], params["options"])
        return {"capabilities": [], "reportsState": True, "cables": ["wired"]}
    if method == "scan":
        return {"items": SONGS}
    if method == "perform":
        devices[params["device"]].perform(params["command"])
    return {}


def main():
    devices = {}
    for line in sys.stdin:
        request = json.loads(line)
        if "id" in request:
            result = answer(devices, request["method"], request.get("params", {}))
            send(id=request["id"], result=result)
        if request["method"] == "shutdown":
            return


if __name__ == "__main__":
    if "--self-check" in sys.argv:
        print('{"ok": true}')
    else:
        main()
