"""The plugin protocol of the home theater, for plugins in Python. Standard library only.

A plugin is a class of devices for each of its roles:

    from theater_plugin import Device, Plugin

    class Lamp(Device):
        def open(self): ...                     # connects, and reports the state
        def perform(self, name, argument): ...  # carries out a command, and reports the state
        def close(self): ...                    # releases everything that `open` has taken

    Plugin("Lamps", "1.0.0", {"lights": Lamp}).run()

This module reads and writes the lines, checks each command, gives each device a thread of its own,
answers pings while a device works, and closes the devices at the end. Keep a copy of it beside your
program.
"""

import collections
import functools
import json
import os
import sys
import threading
import traceback

PROTOCOL = "1.0"
LONGEST_LINE = 1 << 20
DEEPEST = 64
LONGEST_TEXT = 1000
LONGEST_LOG_MESSAGE = 2000
# The bytes of the items on one page of a catalogue.
LONGEST_PAGE = 900_000
# The requests of a device that wait for the one that is under way. The controller sends one at a
# time, and urgent ones such as `off` beside it.
MOST_WAITING = 256
# Seconds. A command that is under way may delay the close of its device for the first time; then it
# is interrupted, and may take the second one. Devices may delay the end of the process for the
# third: the protocol allows 2 s.
CLOSING_TIME, INTERRUPTION_TIME, ENDING_TIME = 1.0, 0.2, 1.5

PARSE_ERROR, INVALID_REQUEST, UNKNOWN_METHOD, INVALID_PARAMS = -32700, -32600, -32601, -32602
INTERNAL_ERROR, DEVICE_ERROR, VERSION_ERROR = -32603, -32000, -32001

# The commands of each role: the shape of the argument, whether it is required, and the capability
# that the command needs. A shape is a kind with its range, or an object of such shapes.
COMMANDS = {
    "amplifier": {
        "on": (None, False, None),
        "off": (None, False, None),
        "input": (("text", 1, 200), True, None),
        "stereo": (None, False, None),
        "surround": (None, False, None),
        "volume": (("integer", 0, 100), True, None),
        "mute": (None, False, None),
        "unmute": (None, False, None),
    },
    "tuner": {
        "on": (None, False, None),
        "off": (None, False, None),
        "am": (("number", 520, 1710), False, None),
        "fm": (("number", 76, 108), False, None),
        "frequency": (("number", 76, 1710), True, None),
        "station": (("text", 1, 200), True, None),
    },
    "dvdPlayer": {
        "on": (None, False, None),
        "off": (None, False, None),
        "play": ({"item": ("text", 1, 4096), "position": ("number", 0, 172800)}, False, None),
        "pause": (None, False, None),
        "stop": (None, False, None),
        "eject": (None, False, None),
        "seek": (("number", 0, 172800), True, "seek"),
        "next": (None, False, None),
        "previous": (None, False, None),
        "surroundAudio": (None, False, None),
        "twoChannelAudio": (None, False, None),
    },
    "cdPlayer": {
        "on": (None, False, None),
        "off": (None, False, None),
        "play": ({"item": ("text", 1, 4096), "position": ("number", 0, 172800)}, False, None),
        "pause": (None, False, None),
        "stop": (None, False, None),
        "eject": (None, False, None),
        "seek": (("number", 0, 172800), True, "seek"),
        "next": (None, False, None),
        "previous": (None, False, None),
    },
    "projector": {
        "on": (None, False, None),
        "off": (None, False, None),
        "tvMode": (None, False, None),
        "wideScreenMode": (None, False, None),
    },
    "lights": {
        "on": (None, False, None),
        "off": (None, False, None),
        "dim": (("integer", 0, 100), True, None),
    },
    "screen": {
        "up": (None, False, None),
        "down": (None, False, None),
        "stop": (None, False, "stop"),
    },
    "popcornPopper": {
        "on": (None, False, None),
        "off": (None, False, None),
        "pop": (None, False, None),
    },
}


class DeviceError(Exception):
    """Why a device does not do what it was asked, for the user.

    The kind is unsupported, invalid, notNow, refused, failed, unavailable, timeout or cancelled.
    With notNow, `retry_after` (seconds) makes the controller wait and try again.
    """

    def __init__(self, kind, message, hint=None, retry_after=None):
        super().__init__(message)
        self.kind, self.message, self.hint, self.retry_after = kind, message, hint, retry_after


class Device:
    """A device of a role. Subclasses have `open`, `perform` and `close`.

    These are called one after the other; only a `perform` that hangs for more than a second is
    still under way during `close`. The methods `report…` and `log` may be called on any thread.
    """

    # False for a device that cannot report its state, such as one behind infrared.
    reports_state = True
    # The kinds of its cables: ("wired",) for an amplifier or player that is connected by a real
    # wire. The manifest names them too.
    cables = ()

    def __init__(self, name, options, connection):
        """Keeps the name and the options. Take sockets, files and threads in `open`, not here."""
        self.name, self.options = name, options
        self._connection = connection
        self._lock = threading.Lock()
        self._state = {}
        self._is_closed = False
        # Set while the command that is under way is cancelled, and when the device is being closed.
        self._interruption = threading.Event()

    def open(self):
        """Makes the device ready and reports its state. Returns its capabilities, if it has any.

        A DeviceError says why it cannot be used; the controller tries again later. `close` follows
        in any case.
        """

    def perform(self, name, argument):
        """Carries out a command.

        Its name and argument fit the role; an argument that was left out is None. Returns when
        the device has accepted the command. Changed values are reported before.
        """
        raise NotImplementedError

    def close(self):
        """Releases all that `open` has taken. It is called once, also if the controller is gone."""

    def scan(self, folder):
        """Returns the items that a player can play, in a folder or in the player itself.

        It runs beside commands.
        """
        return []

    def report(self, state, provenance="reported"):
        """Reports values of the state. Keys that are left out are unchanged."""
        self._send(state=state, provenance=provenance)

    def report_attributes(self, **attributes):
        """Reports values beyond the keys of the role.

        Such as `lampHours={"value": 412, "unit": "h", "label": "Lamp"}`.
        """
        self._send(attributes=attributes)

    def report_problem(self, problem):
        """Reports what is wrong with the device, or None when it is over.

        The user reads it beside the state.
        """
        self._send(attributes={"problem": _problem(problem)})

    def report_lost(self, problem):
        """Reports that the device is out of reach. Its values are unknown until a `report`."""
        with self._lock:
            state = dict(self._state)
        self._send(state=state, provenance="unknown", attributes={"problem": _problem(problem)})

    def log(self, message, level="info"):
        """Writes to the controller's log. The level is debug, info, warning or error."""
        self._connection.notify(
            "log",
            {
                "level": level,
                "message": _bounded(message, LONGEST_LOG_MESSAGE),
                "device": self.name,
            },
        )

    def sleep(self, seconds):
        """Waits. Raises DeviceError at once if the command is cancelled or the device is closed."""
        if self._interruption.wait(seconds):
            raise _cancelled()

    def _send(self, state=None, provenance="reported", attributes=None):
        params = {"device": self.name}
        if attributes:
            params["attributes"] = attributes
        # The lock keeps the order of reports, and keeps those of a closed device from a later
        # device of its name.
        with self._lock:
            if self._is_closed:
                return
            if state:
                self._state.update(state)
                params["state"] = state
                if provenance != "reported":
                    params["provenance"] = provenance
            self._connection.notify("state", params)

    def _end_reports(self):
        with self._lock:
            self._is_closed = True


class Plugin:
    """A plugin: its id and version as in the manifest, and the class of its devices for each role.

    `self_check` returns None, or why the plugin cannot work on this machine: a message and a hint.
    """

    def __init__(self, id, version, devices, self_check=lambda: None):
        self.id, self.version, self.classes, self.self_check = id, version, devices, self_check

    def run(self):
        """Serves the controller on standard input and output until it is gone; ends the process."""
        if "--self-check" in sys.argv[1:]:
            problem = self.self_check()
            print(
                json.dumps(
                    {"ok": True}
                    if problem is None
                    else {
                        "ok": False,
                        "message": _bounded(problem[0]),
                        "hint": _bounded(problem[1]),
                    }
                )
            )
            sys.exit(0 if problem is None else 1)
        reading, writing = os.dup(0), os.dup(1)
        # The lines belong to the controller: a child reads nothing, and print() writes to the log.
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)
        sys.stdout = sys.stderr
        _Server(self, os.fdopen(reading, "rb"), writing).run()
        sys.stderr.flush()
        # Threads that a device has left behind do not delay the end.
        os._exit(0)


# MARK: Lines


class _Refusal(Exception):
    """An error answer that is no device's own."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code, self.message = code, message


class _Connection:
    """Writes whole lines, from any thread."""

    def __init__(self, descriptor):
        self._descriptor = descriptor
        self._lock = threading.Lock()

    def notify(self, method, params):
        self._write({"method": method, "params": params})

    def succeed(self, identifier, result):
        self._write({"id": identifier, "result": result})

    def fail(self, identifier, error):
        if isinstance(error, DeviceError):
            data = {"kind": error.kind}
            if error.hint:
                data["hint"] = _bounded(error.hint)
            if error.retry_after is not None:
                data["retryAfter"] = error.retry_after
            answer = {"code": DEVICE_ERROR, "message": _bounded(error.message), "data": data}
        else:
            answer = {"code": error.code, "message": _bounded(error.message)}
        self._write({"id": identifier, "error": answer})

    def _write(self, message):
        line = json.dumps({"jsonrpc": "2.0", **message}, allow_nan=False).encode() + b"\n"
        with self._lock:
            try:
                while line:
                    line = line[os.write(self._descriptor, line) :]
            except BrokenPipeError:
                pass  # The controller is gone; the end of the input follows.


def _parse(line):
    """Returns the message of a line."""
    try:
        content = line.decode("utf-8")
        if _depth(content) > DEEPEST:
            raise ValueError(f"nested deeper than {DEEPEST} levels")
        message = json.loads(content, parse_constant=_refuse_constant)
    except ValueError as error:
        raise _Refusal(PARSE_ERROR, f"not JSON: {error}") from None
    if (
        not isinstance(message, dict)
        or message.get("jsonrpc") != "2.0"
        or not any(key in message for key in ("method", "result", "error"))
    ):
        raise _Refusal(INVALID_REQUEST, "not a message of JSON-RPC 2.0")
    return message


def _depth(content):
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


def _refuse_constant(name):
    raise ValueError(f"{name} is no number")


def _bounded(text, longest=LONGEST_TEXT):
    """Returns a text as one line of at most so many bytes, as the protocol requires."""
    line = " ".join("".join(c if c.isprintable() else " " for c in str(text)).split())
    if len(line.encode("utf-8", "replace")) <= longest:
        return line
    return line.encode("utf-8", "replace")[: longest - 3].decode("utf-8", "ignore") + "…"


def _problem(text):
    value = None if text is None else _bounded(text, LONGEST_TEXT // 2)
    return {"value": value, "label": "Problem"}


# MARK: Commands


def _fits(shape, value):
    """Whether a value is a valid argument: of its kind and range, or an object of such members."""
    if isinstance(shape, dict):
        return isinstance(value, dict) and all(
            key in shape and _fits(shape[key], member) for key, member in value.items()
        )
    kind, least, most = shape
    if kind == "text":
        return isinstance(value, str) and least <= len(value) <= most
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return least <= value <= most and (kind == "number" or value == int(value))


def _read_command(role, command):
    """Returns name, argument and capability of a command of a role. Refuses all else."""
    table = COMMANDS[role]
    if isinstance(command, str) and command in table:
        shape, is_required, capability = table[command]
        if not is_required:
            return command, None, capability
        raise DeviceError("invalid", f'"{command}" needs an argument')
    if isinstance(command, dict) and len(command) == 1:
        [(name, argument)] = command.items()
        shape, is_required, capability = table.get(name, (None, False, None))
        if shape is not None:
            if not _fits(shape, argument):
                raise DeviceError("invalid", f'the argument of "{name}" is outside its range')
            if isinstance(shape, tuple) and shape[0] == "integer":
                argument = int(argument)
            return name, argument, capability
    raise DeviceError("invalid", f"{role} has no such command", f"It has: {', '.join(table)}.")


def _cancelled():
    return DeviceError("cancelled", "a newer command took its place, or the device was closed")


def _not_open():
    return _Refusal(INVALID_PARAMS, "this device is not open")


# MARK: Devices


class _OpenDevice:
    """A device with its queue and the thread that carries out its requests one after the other."""

    def __init__(self, device, role, connection):
        self.device, self.role, self.connection = device, role, connection
        self.capabilities = []
        self.closed = threading.Event()
        self._changed = threading.Condition()
        self._waiting = collections.deque()
        self._running = None
        # The requests that have no answer yet.
        self._unanswered = set()
        self._is_closing = False
        self._pages = []
        self._worker = threading.Thread(target=self._work, daemon=True)

    def start(self, identifier, predecessor, refused):
        """Opens the device, once the earlier one of its name is closed.

        Calls `refused` if it does not open.
        """
        self.enqueue(identifier, lambda: self._open(predecessor, refused))
        self._worker.start()

    def enqueue(self, identifier, job):
        """Adds a request to the queue. Refuses it if the queue is full."""
        if not self._accept(identifier):
            return
        with self._changed:
            is_full = len(self._waiting) >= MOST_WAITING
            if not is_full:
                self._waiting.append((identifier, job))
                self._changed.notify()
        if is_full:
            self._fail(identifier, DeviceError("notNow", "too many commands wait for the device"))

    def scan(self, identifier, folder, cursor):
        """Scans on a thread of its own, because commands are carried out meanwhile."""
        if self._accept(identifier):
            job = functools.partial(self._page, folder, cursor)
            threading.Thread(target=self._run, args=(identifier, job), daemon=True).start()

    def perform(self, command):
        name, argument, capability = _read_command(self.role, command)
        if capability is not None and capability not in self.capabilities:
            raise DeviceError("unsupported", f"this device cannot {name}")
        self.device.perform(name, argument)
        return {}

    def cancel(self, identifier):
        """Ends a request that waits, and tells the device if it is under way."""
        with self._changed:
            dropped = [job for job in self._waiting if job[0] == identifier]
            for job in dropped:
                self._waiting.remove(job)
            if self._running == identifier:
                self.device._interruption.set()
        for identifier, _ in dropped:
            self._fail(identifier, _cancelled())

    def begin_close(self, identifier=None):
        """Closes the device on a thread of its own, because a device may hang.

        Answers the request at the end.
        """
        with self._changed:
            is_closing, self._is_closing = self._is_closing, True
            self._changed.notify()
        if not is_closing:
            threading.Thread(target=self._close, args=(identifier,), daemon=True).start()
        elif identifier is not None:
            self.connection.fail(identifier, _not_open())

    # On the device's thread.

    def _work(self):
        while True:
            with self._changed:
                while not self._waiting and not self._is_closing:
                    self._changed.wait()
                if not self._waiting:
                    return
                identifier, job = self._waiting.popleft()
                self._running = identifier
                if not self._is_closing:
                    self.device._interruption.clear()
            self._run(identifier, job)
            with self._changed:
                self._running = None

    def _open(self, predecessor, refused):
        if predecessor is not None:
            predecessor.begin_close()
            predecessor.closed.wait()
        try:
            self.capabilities = list(self.device.open() or [])
        except BaseException:
            refused(self)
            self._drop_waiting(_not_open())
            self.begin_close()
            raise
        return {
            "capabilities": self.capabilities,
            "reportsState": self.device.reports_state,
            "cables": list(self.device.cables),
        }

    def _page(self, folder, cursor):
        if not cursor:
            pages, number = _divide(self.device.scan(folder)), 0
            self._pages = pages
        else:
            pages = self._pages
            number = int(cursor) if cursor.isascii() and cursor.isdigit() and len(cursor) < 6 else 0
            if not 0 < number < len(pages):
                raise DeviceError("notNow", "this page is not kept any more", "Scan again.")
        page = {"items": pages[number]}
        if cursor is not None and number + 1 < len(pages):
            page["next"] = str(number + 1)
        return page

    def _run(self, identifier, job):
        try:
            result = job()
        except (DeviceError, _Refusal) as error:
            self._fail(identifier, error)
        except Exception as error:
            # A fault of the plugin. The log has the place.
            traceback.print_exc()
            self._fail(identifier, _Refusal(INTERNAL_ERROR, f"{type(error).__name__}: {error}"))
        else:
            if self._settle(identifier):
                self.connection.succeed(identifier, result)

    # Answers.

    def _accept(self, identifier):
        """Whether the device takes a request; otherwise it is answered."""
        with self._changed:
            if not self._is_closing:
                self._unanswered.add(identifier)
                return True
        self.connection.fail(identifier, _not_open())
        return False

    def _settle(self, identifier):
        """Whether a request still needs its answer. It gets one only, even if its device hangs."""
        with self._changed:
            is_open = identifier in self._unanswered
            self._unanswered.discard(identifier)
        return is_open

    def _fail(self, identifier, error):
        if self._settle(identifier):
            self.connection.fail(identifier, error)

    # Closing.

    def _drop_waiting(self, error):
        with self._changed:
            dropped = list(self._waiting)
            self._waiting.clear()
        for identifier, _ in dropped:
            self._fail(identifier, error)

    def _close(self, identifier):
        self._worker.join(CLOSING_TIME)
        self._drop_waiting(_cancelled())
        self.device._interruption.set()
        self._worker.join(INTERRUPTION_TIME)
        with self._changed:
            hanging = list(self._unanswered)
        for request in hanging:
            self._fail(request, _cancelled())
        self.device._end_reports()
        try:
            # A call that hangs ends when its socket is closed here.
            self.device.close()
        except Exception:
            traceback.print_exc()
        self.closed.set()
        if identifier is not None:
            self.connection.succeed(identifier, {})


def _divide(items):
    """Divides a catalogue into pages, each shorter than a line."""
    pages, size = [[]], 0
    for item in items:
        length = len(json.dumps(item)) + 2
        if pages[-1] and size + length > LONGEST_PAGE:
            pages.append([])
            size = 0
        pages[-1].append(item)
        size += length
    return pages


# MARK: Requests


class _Server:
    """Reads requests, answers those about the plugin itself, and hands the others to a device."""

    def __init__(self, plugin, reading, writing):
        self.plugin, self.reading = plugin, reading
        self.connection = _Connection(writing)
        # The devices that are open, by name, and all that are not closed yet.
        self.devices, self._opened = {}, []
        self._lock = threading.Lock()
        self._is_over = False
        self._methods = {
            "initialize": self._initialize,
            "ping": lambda params: {},
            "shutdown": self._shut_down,
        }
        self._device_methods = {
            "perform": self._perform,
            "scan": self._scan,
            "close": self._close,
            "picture": self._refuse("this device has no pictures"),
            "openSocket": self._refuse("this device takes no cable"),
            "plug": self._refuse("this device takes no cable"),
            "lend": self._refuse("this device takes no cable"),
            "unplug": self._refuse("this device takes no cable"),
        }

    def run(self):
        try:
            while not self._is_over and (line := self.reading.readline(LONGEST_LINE + 2)):
                self._read(line)
        except KeyboardInterrupt:
            pass
        timer = threading.Timer(ENDING_TIME, os._exit, args=(0,))
        timer.daemon = True
        timer.start()
        for device in self._opened:
            device.begin_close()
        for device in self._opened:
            device.closed.wait()

    def _read(self, line):
        if len(line.rstrip(b"\n")) > LONGEST_LINE:
            while line and not line.endswith(b"\n"):
                line = self.reading.readline(LONGEST_LINE)
            self.connection.fail(None, _Refusal(INVALID_REQUEST, "a line is too long"))
        elif line != b"\n":
            self._receive(line)

    def _receive(self, line):
        identifier = None
        try:
            message = _parse(line)
            if "method" not in message:
                return  # An answer; this plugin asks nothing.
            method, params = str(message["method"]), message.get("params")
            if "id" not in message:
                return self._take_notice(method, params)
            if type(message["id"]) is not int:
                raise _Refusal(INVALID_REQUEST, '"id" must be a whole number')
            identifier = message["id"]
            if method == "open":
                self._open(identifier, params)
            elif method in self._methods:
                self.connection.succeed(identifier, self._methods[method](params))
            elif method in self._device_methods:
                self._device_methods[method](identifier, self._device(params), params)
            else:
                raise _Refusal(UNKNOWN_METHOD, "unknown method")
        except (DeviceError, _Refusal) as refusal:
            self.connection.fail(identifier, refusal)

    def _device(self, params):
        with self._lock:
            device = self.devices.get(_text(params, "device"))
        if device is None:
            raise _not_open()
        return device

    def _take_notice(self, method, params):
        identifier = params.get("id") if isinstance(params, dict) else None
        if method == "cancel" and type(identifier) is int:
            with self._lock:
                devices = list(self.devices.values())
            for device in devices:
                device.cancel(identifier)

    def _initialize(self, params):
        version = _text(params, "protocol")
        if version.partition(".")[0] != PROTOCOL.partition(".")[0]:
            raise _Refusal(
                VERSION_ERROR, f"the controller speaks {version:.20}, this plugin {PROTOCOL}"
            )
        return {"protocol": PROTOCOL, "plugin": self.plugin.id, "version": self.plugin.version}

    def _shut_down(self, params):
        self._is_over = True
        return {}

    def _open(self, identifier, params):
        name, role, options = _text(params, "device"), _text(params, "role"), params.get("options")
        with self._lock:
            predecessor = self.devices.pop(name, None)
        try:
            if role not in self.plugin.classes:
                raise DeviceError("unsupported", "this plugin has no such role")
            device = self._make(role, name, options if isinstance(options, dict) else {})
        except BaseException:
            if predecessor is not None:
                predecessor.begin_close()
            raise
        opened = _OpenDevice(device, role, self.connection)
        with self._lock:
            self.devices[name] = opened
        self._opened = [device for device in self._opened if not device.closed.is_set()] + [opened]
        opened.start(identifier, predecessor, self._forget)

    def _make(self, role, name, options):
        try:
            return self.plugin.classes[role](name, options, self.connection)
        except DeviceError:
            raise
        except Exception as error:
            traceback.print_exc()
            raise _Refusal(INTERNAL_ERROR, f"{type(error).__name__}: {error}") from None

    def _forget(self, device):
        """Removes a device that did not open."""
        with self._lock:
            for name, opened in list(self.devices.items()):
                if opened is device:
                    del self.devices[name]

    def _perform(self, identifier, device, params):
        if "command" not in params:
            raise _Refusal(INVALID_PARAMS, 'the param "command" is missing')
        device.enqueue(identifier, lambda: device.perform(params["command"]))

    def _scan(self, identifier, device, params):
        folder, cursor = params.get("folder"), params.get("cursor")
        for value in (folder, cursor):
            if value is not None and not isinstance(value, str):
                raise _Refusal(INVALID_PARAMS, '"folder" and "cursor" are texts')
        device.scan(identifier, folder, cursor)

    def _close(self, identifier, device, params):
        with self._lock:
            self.devices.pop(device.device.name, None)
        device.begin_close(identifier)

    @staticmethod
    def _refuse(message):
        def refuse(identifier, device, params):
            raise DeviceError("unsupported", message)

        return refuse


def _text(params, key):
    """Returns the text under a key. Refuses params without it."""
    value = params.get(key) if isinstance(params, dict) else None
    if not isinstance(value, str):
        raise _Refusal(INVALID_PARAMS, f'the param "{key}" is missing or not a text')
    return value
