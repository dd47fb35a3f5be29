#!/usr/bin/env python3
"""An amplifier that starts loud, answers late, and writes down what is heard.

It is at 90 % when it is turned on, whatever it was told before, refuses a volume while it is off,
and reports each effect 0.2 s after it has happened. Each command adds a line to the file of the
option `log`: the command and the volume that is heard after it, such as `on 90`. With the option
`exits`, the process ends once, before or after its answer to `on`; the amplifier stays on, as gear
does.
"""

import json
import pathlib
import sys
import time

START_VOLUME = 90
DELAY = 0.2
OFF = {"power": "off", "input": None, "mode": "stereo", "volume": START_VOLUME, "muted": False}


class Refusal(Exception):
    """A command that the amplifier does not carry out at present."""


def send(**message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


class Amplifier:
    """One device, whose state is in a file and outlives the process."""

    def __init__(self, name, options):
        self.name = name
        self.log = pathlib.Path(options["log"])
        self.gear = pathlib.Path(options["gear"])
        self.exits = options["exits"]
        self.state = dict(OFF)
        self.has_exited = False
        if self.gear.exists():
            self.state, self.has_exited = json.loads(self.gear.read_text())

    def report(self):
        send(method="state", params={"device": self.name, "state": self.state})

    def heard(self):
        is_heard = self.state["power"] == "on" and not self.state["muted"]
        return self.state["volume"] if is_heard else 0

    def perform(self, command):
        """Carries out a command; returns whether the process ends after its answer."""
        ends = self.exits != "never" and not self.has_exited and command == "on"
        try:
            self.change(command)
        finally:
            self.has_exited = self.has_exited or ends
            self.gear.write_text(json.dumps([self.state, self.has_exited]))
            words = command if isinstance(command, str) else json.dumps(command)
            with self.log.open("a") as log:
                log.write(f"{words} {self.heard()}\n")
        if ends and self.exits == "before":
            sys.exit(1)
        time.sleep(DELAY)
        self.report()
        return ends

    def change(self, command):
        name, argument = (
            next(iter(command.items())) if isinstance(command, dict) else (command, None)
        )
        if name == "on":
            if self.state["power"] == "off":
                self.state.update(power="on", volume=START_VOLUME)
        elif name == "off":
            self.state["power"] = "off"
        elif name in ("stereo", "surround"):
            self.state["mode"] = name
        elif name in ("mute", "unmute"):
            self.state["muted"] = name == "mute"
        elif name == "volume" and self.state["power"] == "off":
            raise Refusal("it is off")
        else:
            self.state[name] = argument


class Plugin:
    def __init__(self, identifier):
        self.identifier = identifier
        self.devices = {}
        self.is_done = False

    def answer(self, method, params):
        if method == "initialize":
            return {"protocol": "1.0", "plugin": self.identifier, "version": "1.0.0"}
        if method == "open":
            device = Amplifier(params["device"], params["options"])
            self.devices[device.name] = device
            device.report()
            return {"capabilities": [], "reportsState": True, "cables": []}
        if method == "perform":
            self.is_done = self.devices[params["device"]].perform(params["command"])
        if method == "close":
            del self.devices[params["device"]]
        if method == "shutdown":
            self.is_done = True
        return {}

    def run(self):
        for line in sys.stdin:
            request = json.loads(line)
            if "id" not in request:
                continue
            try:
                result = self.answer(request["method"], request.get("params", {}))
                send(id=request["id"], result=result)
            except Refusal as refusal:
                data = {"kind": "notNow"}
                error = {"code": -32000, "message": str(refusal), "data": data}
                send(id=request["id"], error=error)
            if self.is_done:
                return


if __name__ == "__main__":
    if "--self-check" in sys.argv:
        print('{"ok": true}')
    else:
        # A copy of the plugin has another id.
        manifest = pathlib.Path(__file__).with_name("manifest.json")
        Plugin(json.loads(manifest.read_text())["id"]).run()
