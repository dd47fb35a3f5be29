#!/usr/bin/env python3
"""A plugin for lights that uses the standard library alone.

It shows that the contract of docs/plugin-protocol.md needs no Swift: lines of JSON on stdin and
stdout, and nothing else on stdout. A real one would send DMX or Zigbee where this one remembers a
number.
"""

import contextlib
import json
import sys

LONGEST_LINE = 1 << 20
DEEPEST = 64
VERSION = "1.0"

PARSE_ERROR, INVALID_REQUEST, UNKNOWN_METHOD = -32700, -32600, -32601
INVALID_PARAMS, DEVICE_ERROR, VERSION_ERROR = -32602, -32000, -32001


class Refusal(Exception):
    """An answer that says no."""

    def __init__(self, code, message, **data):
        super().__init__(message)
        self.code, self.message, self.data = code, message, data


def invalid(message, hint):
    """The argument of a command is wrong."""
    return Refusal(DEVICE_ERROR, message, kind="invalid", hint=hint)


def send(message):
    """Writes one line; whole lines only, at once."""
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def text(params, key):
    """The text under `key`, which must be there."""
    value = params.get(key) if isinstance(params, dict) else None
    if not isinstance(value, str):
        raise Refusal(INVALID_PARAMS, f'the param "{key}" is missing or not a text')
    return value


class Lights:
    """One device of the role `lights`."""

    def __init__(self, name, options):
        start = options.get("start", 0)
        if not is_percent(start):
            raise invalid(f'the option "start" is {start!r}', "It takes 0 to 100.")
        self.name, self.brightness = name, int(start)

    def report(self):
        power = "on" if self.brightness else "off"
        state = {"power": power, "brightness": self.brightness}
        send({"method": "state", "params": {"device": self.name, "state": state}})

    def perform(self, command):
        """Carries out `"on"`, `"off"` or `{"dim": 10}`. What becomes true is told first."""
        if command == "on":
            self.brightness = 100
        elif command == "off":
            self.brightness = 0
        elif isinstance(command, dict) and list(command) == ["dim"]:
            if not is_percent(command["dim"]):
                raise invalid(
                    f'"dim" takes a whole number from 0 to 100 (%), not {command["dim"]!r:.60}',
                    'Write {"dim": 10}.',
                )
            self.brightness = int(command["dim"])
        else:
            raise invalid("lights have no such command", "They know: on, off, dim.")
        self.report()


def is_percent(value):
    """Whether a JSON value is a whole number from 0 to 100; `True` is not, though it is an int."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return is_number and 0 <= value <= 100 and value == int(value)


def refuse_constant(word):
    """JSON knows no NaN and no infinity; Python's reader would take them."""
    raise ValueError(f"unexpected {word}")


def depth(line):
    """How deeply brackets nest outside strings: the parser would recurse as deeply."""
    level = deepest = 0
    in_string = escaped = False
    for character in line:
        if in_string:
            if escaped:
                escaped = False
            elif character == "\\":
                escaped = True
            elif character == '"':
                in_string = False
        elif character == '"':
            in_string = True
        elif character in "[{":
            level += 1
            deepest = max(deepest, level)
        elif character in "]}":
            level -= 1
    return deepest


class Plugin:
    """Answers requests until the controller is gone."""

    def __init__(self):
        self.devices = {}
        self.is_done = False
        self.methods = {
            "initialize": self.initialize,
            "open": self.open,
            "close": self.close,
            "perform": self.perform,
            "scan": self.scan,
            "openSocket": self.no_cable,
            "plug": self.no_cable,
            "ping": lambda params: {},
            "shutdown": self.shutdown,
        }

    def initialize(self, params):
        theirs = text(params, "protocol")
        if theirs.split(".")[0] != VERSION.split(".")[0]:
            raise Refusal(VERSION_ERROR, f"the controller speaks {theirs}, this plugin {VERSION}")
        return {"protocol": VERSION, "plugin": "PythonLights", "version": "1.0.0"}

    def open(self, params):
        name = text(params, "device")
        role = text(params, "role")
        # An open of a name that is open replaces it; a refused one leaves nothing open.
        self.devices.pop(name, None)
        if role != "lights":
            raise Refusal(DEVICE_ERROR, f"this plugin has no {role:.60}", kind="unsupported")
        options = params.get("options")
        device = Lights(name, options if isinstance(options, dict) else {})
        device.report()
        self.devices[name] = device
        return {"capabilities": [], "reportsState": True, "cables": []}

    def device(self, params):
        name = text(params, "device")
        if name not in self.devices:
            raise Refusal(INVALID_PARAMS, "this device is not open")
        return self.devices[name]

    def close(self, params):
        del self.devices[self.device(params).name]
        return {}

    def perform(self, params):
        device = self.device(params)
        if "command" not in params:
            raise Refusal(INVALID_PARAMS, 'the param "command" is missing')
        device.perform(params["command"])
        return {}

    def scan(self, params):
        self.device(params)
        return {"items": []}

    def no_cable(self, params):
        self.device(params)
        text(params, "path")
        text(params, "token")
        raise Refusal(DEVICE_ERROR, "lights take no cable", kind="unsupported")

    def shutdown(self, params):
        self.is_done = True
        return {}

    def receive(self, line):
        """Answers one line."""
        identifier = None
        try:
            message = self.parse(line)
            method, identifier = message.get("method"), message.get("id")
            if not isinstance(method, str):
                return  # An answer; this plugin asks nothing.
            if "id" not in message:
                return  # A notification: `cancel`, or one that is not known. Nothing here waits.
            if not isinstance(identifier, int) or isinstance(identifier, bool):
                identifier = None
                raise Refusal(INVALID_REQUEST, '"id" must be a whole number')
            if method not in self.methods:
                raise Refusal(UNKNOWN_METHOD, f'unknown method "{method:.60}"')
            send({"id": identifier, "result": self.methods[method](message.get("params", {}))})
        except Refusal as refusal:
            error = {"code": refusal.code, "message": refusal.message}
            if refusal.data:
                error["data"] = refusal.data
            send({"id": identifier, "error": error})

    @staticmethod
    def parse(line):
        try:
            content = line.decode("utf-8")
            if depth(content) > DEEPEST:
                raise ValueError(f"values nest deeper than {DEEPEST} levels")
            message = json.loads(content, parse_constant=refuse_constant)
        except ValueError as error:
            raise Refusal(PARSE_ERROR, f"not JSON: {error}") from None
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            raise Refusal(INVALID_REQUEST, '"jsonrpc": "2.0" is missing')
        if not any(key in message for key in ("method", "result", "error")):
            raise Refusal(INVALID_REQUEST, "neither a request nor a notification nor a response")
        return message

    def run(self):
        while not self.is_done:
            line = sys.stdin.buffer.readline(LONGEST_LINE + 2)
            if not line:
                return
            if len(line.rstrip(b"\n")) > LONGEST_LINE:
                while line and not line.endswith(b"\n"):
                    line = sys.stdin.buffer.readline(LONGEST_LINE)
                message = f"a line is too long; the limit is {LONGEST_LINE} bytes"
                send({"id": None, "error": {"code": INVALID_REQUEST, "message": message}})
            elif line != b"\n":
                self.receive(line)


if __name__ == "__main__":
    if "--self-check" in sys.argv[1:]:
        print(json.dumps({"ok": True}))
    else:
        # These come when the controller is gone.
        with contextlib.suppress(BrokenPipeError, KeyboardInterrupt):
            Plugin().run()
