#!/usr/bin/env python3
"""A CD player that does not answer a scan, or does not end; an amplifier that refuses a volume.

The amplifier refuses it while it is off. The option `kind` selects the misbehaviour. The file
`scanned` in its folder shows that a scan was requested.
"""

import json
import os
import signal
import sys
import threading
import time

WRITING = threading.Lock()
LONG = "x" * (1 << 20)
REFUSED = {
    "invalid": '{"jsonrpc":"2.0","id":%d,"result":{"items":[nonsense}}',
    "deep": '{"jsonrpc":"2.0","id":%d,"result":' + "[" * 100 + "]" * 100 + "}",
    "long": '{"jsonrpc":"2.0","id":%d,"result":{"items":[],"padding":"' + LONG + '"}}',
    "late-id": '{"jsonrpc":"2.0","result":{"items":[],"padding":"' + LONG + '"},"id":%d}',
    "garbage": "the songs of request %d cannot be listed",
}


def write(text):
    with WRITING:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()


def send(**message):
    write(json.dumps({"jsonrpc": "2.0", **message}))


def report(device, **state):
    send(method="state", params={"device": device, "state": state})


def flood(device):
    while True:
        report(device, power="off")


class Plugin:
    def __init__(self):
        self.kind = "none"
        self.amplifier = {"power": "off", "mode": "stereo", "volume": 40, "muted": False}

    def answer(self, request):
        method, params = request["method"], request.get("params", {})
        if "id" not in request:
            return
        if method == "initialize":
            result = {"protocol": "1.4", "plugin": "Stubborn", "version": "1.0.0"}
        elif method == "open":
            result = self.open(params)
        elif method == "perform":
            return self.perform(request)
        elif method == "scan":
            return self.scan(request)
        else:
            result = {}
        send(id=request["id"], result=result)

    def open(self, params):
        device = params["device"]
        if params["role"] == "amplifier":
            report(device, **self.amplifier)
        else:
            self.kind = params["options"]["kind"]
            report(device, power="off", playback={"state": "stopped"}, tray="closed")
            if self.kind != "none":
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
            if self.kind == "flood":
                threading.Thread(target=flood, args=[device], daemon=True).start()
        return {"capabilities": [], "reportsState": True, "cables": ["pcm"]}

    def perform(self, request):
        device, command = request["params"]["device"], request["params"]["command"]
        name, argument = (
            next(iter(command.items())) if isinstance(command, dict) else (command, None)
        )
        if name == "volume" and self.amplifier["power"] == "off":
            return send(
                id=request["id"],
                error={"code": -32000, "message": "it is off", "data": {"kind": "notNow"}},
            )
        changes = {
            "on": {"power": "on"},
            "off": {"power": "off"},
            "volume": {"volume": argument},
            "mute": {"muted": True},
            "unmute": {"muted": False},
        }.get(name, {})
        self.amplifier.update(changes)
        report(device, **changes)
        send(id=request["id"], result={})

    def scan(self, request):
        with open("scanned", "a") as file:
            file.write(f"{os.getpid()}\n")
        if self.kind in REFUSED:
            return write(REFUSED[self.kind] % request["id"])
        if self.kind == "closed":
            os.close(0)
            os.close(1)
            time.sleep(1000)
        if self.kind == "stopped":
            os.kill(os.getpid(), signal.SIGSTOP)
        if self.kind == "none":
            send(id=request["id"], result={"items": []})


def main():
    if "--self-check" in sys.argv:
        print('{"ok": true}')
        return
    plugin = Plugin()
    for text in sys.stdin:
        plugin.answer(json.loads(text))
    while plugin.kind != "none":
        time.sleep(1000)


main()
