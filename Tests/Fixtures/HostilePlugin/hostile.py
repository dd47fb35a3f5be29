#!/usr/bin/env python3
"""A plugin that misbehaves, for the tests and for `Benchmarks/run.py hostile-household`.

It serves a CD player or an amplifier. The option `kind` of the device selects the misbehaviour;
`none` behaves well. `hostile.py --kinds` prints all kinds with the device that plays each one, the
words that the controller shows of it, whether that takes longer than a few seconds, and the item
whose picture provokes it.
"""

import base64
import collections
import itertools
import json
import os
import subprocess
import sys
import threading
import time

Kind = collections.namedtuple("Kind", "run shown device isSlow", defaults=("", "cd", False))
BAD_LINES = "lines that are no messages"
REPORTS = "its plugin reports"
WRITING = threading.Lock()
STATES = {
    "cdPlayer": {"power": "off", "playback": {"state": "stopped"}, "tray": "closed"},
    "amplifier": {"power": "off", "input": None, "mode": "stereo", "volume": 20, "muted": False},
}


def write(data):
    """Writes whole lines; ends the process when nobody reads them."""
    with WRITING:
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(1, view) :]
        except OSError:
            os._exit(1)


def line(**message):
    return json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"


def notification(method, **params):
    return line(method=method, params=params)


def flood(make, pause=0.0005, batch=64):
    """Writes `make(0)`, `make(1)`, … as fast as the controller reads, with room for answers."""
    for start in itertools.count(0, batch):
        write(b"".join(make(number) for number in range(start, start + batch)))
        time.sleep(pause)


def reports(make):
    """A flood of state notifications."""
    return lambda device: flood(lambda number: notification("state", device=device, **make(number)))


def lines(make):
    """A flood of lines that name no device."""
    return lambda device: flood(make)


# MARK: Kinds


def attribute(value, **more):
    return {"value": value, **more}


def new_names(number):
    return {"attributes": {f"name {number}": attribute(number, label="x" * 128)}}


def longest_attributes(number):
    return {
        "attributes": {
            f"{name} {'n' * 50}": attribute(f"{number} " + "v" * 1000, unit="u" * 32)
            for name in range(12)
        }
    }


def new_items(number):
    return {
        "state": {
            "playback": {
                "state": "playing",
                "item": f"{number} " + "i" * 400,
                "position": number % 100,
                "duration": 100,
                "rate": 1,
            }
        }
    }


def progress(number):
    return {
        "state": {"tray": "moving"},
        "attributes": {
            "takes": attribute(number + 0.5, unit="s"),
            "remaining": attribute(number % 7, unit="s"),
            "from": attribute(number % 100, unit="%"),
            "towards": attribute(100, unit="%"),
        },
    }


NUMBERS = [
    "1e308",
    "-1e308",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775809",
    "1" * 300,
    "5e-324",
    "-0",
    "1e-400",
]


def numbers(device):
    def make(number):
        value = NUMBERS[number % len(NUMBERS)]
        return (
            f'{{"jsonrpc":"2.0","method":"state","params":{{"device":"{device}","state":{{'
            f'"volume":{value},"playback":{{"state":"playing","position":{value},'
            f'"duration":{value},"rate":{value}}}}},"attributes":{{"remaining":{{"value":{value}}}}}}}}}\n'
        ).encode()

    flood(make)


def not_numbers(device):
    values = ["NaN", "Infinity", "-Infinity", "1e999", "0x10", "01", "1" * 5000]
    flood(
        lambda number: (
            f'{{"jsonrpc":"2.0","method":"state","params":{{"device":"{device}","state":'
            f'{{"volume":{values[number % len(values)]}}}}}}}\n'
        ).encode()
    )


def standard_error(device):
    for number in itertools.count():
        os.write(2, b"noise %d " % number + b"e" * 3000 + (b"\n" if number % 10 else b""))
        if number % 64 == 0:
            time.sleep(0.0005)


def endless_line(device):
    """Lines of 100 MB, the last of which never ends."""
    part = b"x" * (1 << 20)
    for megabyte in itertools.count(1):
        write(part + (b"\n" if megabyte % 100 == 0 and megabyte <= 300 else b""))


def many_keys(device):
    """Reports as long as a line may be, of keys that no version knows."""
    keys = ",".join(f'"k{number}":{number}' for number in range(60_000))
    params = f'{{"device":"{device}","state":{{{keys}}}}}'
    report = f'{{"jsonrpc":"2.0","method":"state","params":{params}}}\n'
    flood(lambda number: report.encode(), batch=1)


def foreign_states(number):
    return {
        "state": {
            "brightness": number % 100,
            "power": "exploded",
            "band": "fm",
            "position": "up",
            "popping": "popping",
            "picture": "tv",
            "nonsense": number,
        }
    }


def exit_leaving(script):
    """Leaves a child in a session of its own that holds all three pipes, and exits."""

    def run(device):
        subprocess.Popen(
            [sys.executable, "-IS", "-c", script], start_new_session=True, close_fds=False
        )
        os._exit(3)

    return run


# Each ends when the controller has closed its ends of the pipes, and after two minutes in any case.
WAITING_CHILD = """
import select, time
poll = select.poll()
poll.register(1, 0)
poll.register(2, 0)
poll.poll(120_000)
"""
WRITING_CHILD = """
import os, time
params = b'{"device":"cd","state":{"power":"on"}}'
report = b'{"jsonrpc":"2.0","method":"state","params":' + params + b'}\\n'
end = time.monotonic() + 120
while time.monotonic() < end:
    os.write(1, report * 100)
    os.write(2, b"noise of a child\\n" * 100)
"""


def close_output(device):
    with WRITING:
        os.close(1)
    time.sleep(1000)


def nothing(device):
    pass


# Misbehaviour that begins when the device is open, on a thread of its own.
FLOODS = {
    "none": Kind(nothing),
    "new-attributes": Kind(reports(new_names), REPORTS),
    # A busy machine reads fewer of these a second than the limit: then there is nothing to show.
    "longest-attributes": Kind(reports(longest_attributes)),
    "new-items": Kind(reports(new_items), REPORTS),
    "foreign-states": Kind(reports(foreign_states), REPORTS),
    "progress": Kind(reports(progress), REPORTS),
    "numbers": Kind(numbers, REPORTS),
    "not-numbers": Kind(not_numbers, BAD_LINES),
    "many-keys": Kind(many_keys),
    "logs": Kind(
        lines(lambda number: notification("log", message=f"{number} " + "l" * 3000, level="error")),
        "lines a second to the log",
    ),
    "standard-error": Kind(standard_error, "noise"),
    "levels": Kind(
        lambda device: flood(
            lambda number: notification(
                "levels", device=device, peak=[-number % 100 * -1.0] * 8, rms=[-20] * 8
            )
        ),
        "its plugin reports levels",
        device="headphones",
    ),
    "foreign-levels": Kind(
        lambda device: flood(
            lambda number: notification("levels", device=device, peak=[1e300] * 5000, rms=[None])
        )
    ),
    "plug-again": Kind(
        lambda device: flood(lambda number: notification("plugAgain", device=device)),
        "asks for a new cable",
    ),
    "garbage": Kind(lines(lambda number: b"nonsense %d\n" % number), BAD_LINES),
    "not-utf8": Kind(
        lines(
            lambda number: (
                b'{"jsonrpc":"2.0","method":"log","params":{"message":"'
                + bytes([0xC0 + number % 64, 0xFF, 0x80])
                + b'"}}\n'
            )
        ),
        BAD_LINES,
    ),
    "deep": Kind(lines(lambda number: b"[" * 100_000 + b"\n"), BAD_LINES),
    "marks": Kind(
        lambda device: flood(
            lambda number: notification(
                "state", device=device, state={"power": "e" + "\u0308" * 5000}
            ),
            batch=4,
        ),
        BAD_LINES,
    ),
    "endless-line": Kind(endless_line, "a line of", isSlow=True),
    "unknown-answers": Kind(lines(lambda number: line(id=number + 10_000, result={})), BAD_LINES),
    "requests": Kind(lines(lambda number: line(id=number, method="open", params={})), BAD_LINES),
    "other-devices": Kind(
        lines(
            lambda number: notification(
                "state", device="lights", state={"power": "off", "brightness": 0}
            )
        ),
        BAD_LINES,
    ),
    "unknown-notifications": Kind(lines(lambda number: notification("levitate", height=number))),
    "closes-output": Kind(close_output, "it ended"),
    "crash": Kind(lambda device: os._exit(7), "it ended (exit status 7)"),
    "leaves-child": Kind(exit_leaving(WAITING_CHILD), "it ended (exit status 3)"),
    "leaves-writing-child": Kind(exit_leaving(WRITING_CHILD), "it ended (exit status 3)"),
}
# Misbehaviour in answers.
PICTURE = "a picture of its plugin is dropped"
ITEM = "hostile-song"
# The answers to a request for a picture: the first is one byte too long for the controller.
PICTURES = {
    "picture-oversized": {
        "data": base64.b64encode(b"\xff\xd8\xff" + b"x" * (524_288 - 2)).decode()
    },
    "picture-of-other-type": {"data": base64.b64encode(b"GIF89a" + b"x" * 100_000).decode()},
    "picture-not-base64": {"data": [7, {"nested": "n" * 500_000}]},
    "picture-silent": None,
}
ANSWERS = {
    "twice": Kind(None, "which was not requested"),
    "silent": Kind(None, "did not answer", isSlow=True),
    "late": Kind(None, isSlow=True),
    "deaf": Kind(None, isSlow=True),
    "hangs-in-open": Kind(None, "open", isSlow=True),
    "long-errors": Kind(None),
    "endless-catalogue": Kind(None, "its catalogue is cut"),
    "picture-oversized": Kind(None, PICTURE),
    "picture-of-other-type": Kind(None, PICTURE),
    "picture-not-base64": Kind(None, PICTURE),
    "picture-silent": Kind(None, isSlow=True),
}
KINDS = {**FLOODS, **ANSWERS}


# MARK: The plugin


class Hostile:
    def __init__(self):
        self.kind = "none"
        self.states = {}
        self.page = json.dumps(
            [{"id": f"/{number}", "title": "t" * 20} for number in range(15_000)]
        )

    def answer(self, request):
        method, params = request["method"], request.get("params", {})
        if "id" not in request:
            return
        if method == "initialize":
            result = {"protocol": "1.4", "plugin": "Hostile", "version": "1.0.0"}
        elif method == "open":
            result = self.open(params)
        elif method == "perform":
            result = self.perform(request)
        elif method == "scan":
            return self.scan(request)
        elif method == "picture":
            result = PICTURES.get(self.kind, {})
        else:
            result = {}
        if result is not None:
            self.reply(request, result)

    def reply(self, request, result):
        answer = line(id=request["id"], result=result)
        if self.kind == "twice" and request["method"] == "perform":
            answer *= 2
        if self.kind == "late" and request["method"] == "perform":
            threading.Timer(15, write, [answer]).start()
        elif self.kind != "silent" or request["method"] in (
            "initialize",
            "open",
            "close",
            "shutdown",
        ):
            write(answer)

    def open(self, params):
        device, role = params["device"], params["role"]
        self.kind = params["options"].get("kind", "none")
        if self.kind == "hangs-in-open":
            return None
        self.states[device] = dict(STATES[role])
        write(notification("state", device=device, state=self.states[device]))
        kind = FLOODS.get(self.kind)
        if kind:
            # After the answer to `open`.
            threading.Timer(0.02, kind.run, [device]).start()
        return {
            "capabilities": ["levels"] if role == "amplifier" else ["seek"],
            "reportsState": True,
            "cables": ["pcm"],
        }

    def perform(self, request):
        device, command = request["params"]["device"], request["params"]["command"]
        if self.kind == "deaf":
            # Reads nothing any more, and proves with reports that it lives.
            flood(
                lambda number: notification("state", device=device, state={"power": "on"}),
                pause=0.1,
                batch=1,
            )
        if self.kind == "long-errors":
            write(
                line(
                    id=request["id"],
                    error={
                        "code": -32000,
                        "message": "no " * 100_000,
                        "data": {"kind": "refused", "hint": "why " * 100_000, "retryAfter": 1e300},
                    },
                )
            )
            return None
        state = self.states[device]
        name, argument = (
            next(iter(command.items())) if isinstance(command, dict) else (command, None)
        )
        changes = {
            "on": {"power": "on"},
            "off": {"power": "off"},
            "input": {"input": argument},
            "stereo": {"mode": "stereo"},
            "surround": {"mode": "surround"},
            "volume": {"volume": argument},
            "mute": {"muted": True},
            "unmute": {"muted": False},
            "eject": {"tray": "open"},
            "stop": {"playback": {"state": "stopped"}},
            "pause": {"playback": {"state": "stopped"}},
        }.get(name, {})
        state.update(changes)
        write(notification("state", device=device, state=changes))
        return {}

    def scan(self, request):
        if self.kind in PICTURES:
            return self.reply(
                request, {"items": [{"id": ITEM, "title": "Hostile", "picture": True}]}
            )
        if self.kind != "endless-catalogue":
            return self.reply(request, {"items": []})
        result = f'{{"next":"on","items":{self.page}}}'
        write(f'{{"jsonrpc":"2.0","id":{request["id"]},"result":{result}}}\n'.encode())


def main():
    if "--kinds" in sys.argv:
        print(
            json.dumps(
                [
                    {
                        "kind": name,
                        "device": kind.device,
                        "shown": kind.shown,
                        "isSlow": kind.isSlow,
                        "picture": ITEM if name in PICTURES else None,
                    }
                    for name, kind in KINDS.items()
                    if name != "none"
                ]
            )
        )
        return
    if "--self-check" in sys.argv:
        print('{"ok": true}')
        return
    plugin = Hostile()
    for text in sys.stdin:
        request = json.loads(text)
        plugin.answer(request)
        if request["method"] == "shutdown":
            break
    os._exit(0)


main()
