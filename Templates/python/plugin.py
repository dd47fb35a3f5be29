#!/usr/bin/env python3
"""__TITLE__: a plugin for the home theater. The plugin protocol is its contract.

It needs only the standard library. Standard output carries the protocol, standard error is the log.
"""

import json
import sys

LONGEST_LINE = 1 << 20
DEEPEST = 64
PARSE_ERROR, INVALID_REQUEST, UNKNOWN_METHOD, INVALID_PARAMS = -32700, -32600, -32601, -32602
DEVICE_ERROR, VERSION_ERROR = -32000, -32001

# In a state, ARGUMENT is replaced by the argument, and SWITCH by "on" if it is above 0, else by "off".
ARGUMENT, SWITCH = object(), object()

# The commands of the role: the argument, whether it is required, and the state after the command.
COMMANDS = {
__COMMANDS__
}
FIRST_STATE = __STATE__


class Refusal(Exception):
    """An error answer."""

    def __init__(self, code, message, **data):
        super().__init__(message)
        self.code, self.message, self.data = code, message, data


def fits(shape, value):
    """Whether a value is a valid argument: of the right kind and in its range, or an object of such fields."""
    if isinstance(shape, dict):
        return isinstance(value, dict) and all(
            key in shape and fits(shape[key], field) for key, field in value.items())
    kind, least, most = shape
    if kind == "text":
        return isinstance(value, str) and least <= len(value) <= most
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return least <= value <= most and (kind == "number" or value == int(value))


class Device:
    """A device of the role. Replace the marked lines with calls to yours."""

    def __init__(self, name, options):
        self.name, self.logs = name, options.get("log") is True
        self.report(FIRST_STATE)  # Report the true state of your device here.

    def report(self, state):
        send({"method": "state", "params": {"device": self.name, "state": state}})

    def perform(self, command):
        name, argument = command, None
        if isinstance(command, dict) and len(command) == 1:
            [(name, argument)] = command.items()
        shape, is_required, state = COMMANDS.get(name if isinstance(name, str) else "", (None, True, {}))
        is_valid = not is_required if isinstance(command, str) else shape and fits(shape, argument)
        if not is_valid:
            raise Refusal(
                DEVICE_ERROR, "unknown command, or an argument outside its range", kind="invalid")
        if self.logs:
            print(f"{self.name}: {name}", file=sys.stderr, flush=True)
        values = {ARGUMENT: argument, SWITCH: "on" if argument else "off"}
        # Tell your device here, before the report.
        if state:
            self.report({key: values.get(value, value) if value in (ARGUMENT, SWITCH) else value
                         for key, value in state.items()})


class Plugin:
    def __init__(self):
        self.devices = {}
        self.is_over = False

    def initialize(self, params):
        version = text(params, "protocol")
        if version.partition(".")[0] != "1":
            raise Refusal(
                VERSION_ERROR, f"the controller speaks {version:.20}, this plugin 1.0")
        return {"protocol": "1.0", "plugin": "__ID__", "version": "1.0.0"}

    def open(self, params):
        name, role = text(params, "device"), text(params, "role")
        self.devices.pop(name, None)
        if role != "__ROLE__":
            raise Refusal(DEVICE_ERROR, "this plugin has no such role", kind="unsupported")
        options = params.get("options")
        self.devices[name] = Device(name, options if isinstance(options, dict) else {})
        return {"capabilities": [], "reportsState": True, "cables": []}

    def device(self, params):
        name = text(params, "device")
        if name not in self.devices:
            raise Refusal(INVALID_PARAMS, "this device is not open")
        return self.devices[name]

    def perform(self, params):
        device = self.device(params)
        if "command" not in params:
            raise Refusal(INVALID_PARAMS, 'the param "command" is missing')
        device.perform(params["command"])
        return {}

    def close(self, params):
        del self.devices[self.device(params).name]
        return {}

    def scan(self, params):
        self.device(params)
        return {"items": []}

    def ping(self, params):
        return {}

    def shutdown(self, params):
        self.is_over = True
        return {}

    def no_cable(self, params):
        self.device(params)
        raise Refusal(DEVICE_ERROR, "this device has no cables", kind="unsupported")

    def answer(self, method, params):
        methods = {
            "initialize": self.initialize, "open": self.open, "perform": self.perform,
            "close": self.close, "scan": self.scan, "ping": self.ping, "shutdown": self.shutdown,
            "openSocket": self.no_cable, "plug": self.no_cable, "lend": self.no_cable,
            "unplug": self.no_cable}
        if method not in methods:
            raise Refusal(UNKNOWN_METHOD, "unknown method")
        return methods[method](params)

    def receive(self, line):
        """Answers a line, if it is a request."""
        identifier = None
        try:
            message = parse(line)
            if "method" not in message or "id" not in message:
                return  # An answer or a notification: this plugin uses none.
            if type(message["id"]) is not int:
                raise Refusal(INVALID_REQUEST, '"id" must be a whole number')
            identifier = message["id"]
            result = self.answer(str(message["method"]), message.get("params"))
            send({"id": identifier, "result": result})
        except Refusal as refusal:
            error = {"code": refusal.code, "message": refusal.message}
            if refusal.data:
                error["data"] = refusal.data
            send({"id": identifier, "error": error})

    def run(self):
        while not self.is_over and (line := sys.stdin.buffer.readline(LONGEST_LINE + 2)):
            if len(line.rstrip(b"\n")) > LONGEST_LINE:
                while line and not line.endswith(b"\n"):
                    line = sys.stdin.buffer.readline(LONGEST_LINE)
                error = {"code": INVALID_REQUEST, "message": "a line is too long"}
                send({"id": None, "error": error})
            elif line != b"\n":
                self.receive(line)


def send(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def text(params, key):
    """Returns the text under a key. Refuses params without it."""
    value = params.get(key) if isinstance(params, dict) else None
    if not isinstance(value, str):
        raise Refusal(INVALID_PARAMS, f'the param "{key}" is missing or not a text')
    return value


def parse(line):
    """Returns the message of a line."""
    try:
        content = line.decode("utf-8")
        if depth(content) > DEEPEST:
            raise ValueError("nested too deep")
        message = json.loads(content, parse_constant=refuse_constant)
    except ValueError as error:
        raise Refusal(PARSE_ERROR, f"not JSON: {error}") from None
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0" or not any(
            key in message for key in ("method", "result", "error")):
        raise Refusal(INVALID_REQUEST, "not a message of JSON-RPC 2.0")
    return message


def depth(content):
    """Returns the depth of nesting of the brackets outside of texts."""
    deepest = level = 0
    is_text = is_escaped = False
    for character in content:
        if is_text:
            is_text = is_escaped or character != '"'
            is_escaped = character == "\\" and not is_escaped
        elif character in '"[]{}':
            is_text = character == '"'
            level += (character in "[{") - (character in "]}")
            deepest = max(deepest, level)
    return deepest


def refuse_constant(name):
    raise ValueError(f"{name} is no number")


if __name__ == "__main__":
    if "--self-check" in sys.argv[1:]:
        print(json.dumps({"ok": True}))
    else:
        try:
            Plugin().run()
        except (BrokenPipeError, KeyboardInterrupt):
            pass  # The controller has ended.
