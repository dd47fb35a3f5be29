#!/usr/bin/env python3
"""A plugin for a home-cinema receiver that is controlled over one telnet connection.

README.md describes its line protocol. A thread reads the connection: it reports what the receiver
says, also after a turn of its knob, and connects again after a loss.
"""

import contextlib
import socket
import threading
import time

from line_protocol import (
    QUERIES,
    LineSplitter,
    percent_of_volume,
    read_report,
    volume_of_percent,
    write_volume,
)
from theater_plugin import Device, DeviceError, Plugin

# The pauses between attempts to connect, in seconds: each is twice the one before.
SHORTEST_PAUSE, LONGEST_PAUSE = 0.2, 30
# How long the receiver may take to turn on or off, in seconds: the protocol allows 30.
POWER_TIME = 20
# How often a command that waits looks whether it was cancelled, in seconds.
CANCELLATION_INTERVAL = 0.1

# The commands without an argument: the key and the value that show their effect, and their line.
COMMANDS = {
    "on": ("power", "on", "PWON"),
    "off": ("power", "off", "PWSTANDBY"),
    "stereo": ("mode", "stereo", "MSSTEREO"),
    "surround": ("mode", "surround", "MSSURROUND"),
    "mute": ("muted", True, "MUON"),
    "unmute": ("muted", False, "MUOFF"),
}


class NetworkReceiver(Device):
    cables = ("wired",)

    def open(self):
        self.patience = self.options["patience"]
        self.highest_volume = self.options["highestVolume"]
        # Guards the values below, and is notified when one of them changes.
        self.changed = threading.Condition()
        self.closing = threading.Event()
        self.reader = None
        self.socket = None
        # Why the receiver is lost, and why a line could not be sent.
        self.reason, self.sending_fault = None, None
        # A receiver is lost until it has said whether it is on.
        self.is_lost = True
        # What it has reported, and the keys that it was asked for and has not reported yet.
        self.values, self.unread = {}, set()
        # The key of the command that is under way, and whether it was reported since.
        self.awaited, self.is_answered = None, False
        self.receiver_inputs = self.map_inputs()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        # The state is reported before `open` is answered. A receiver that is not there refuses it:
        # the controller shows the reason, and tries again later.
        with self.changed:
            self.wait(lambda: not self.is_lost, self.patience)
            if self.is_lost:
                raise self.unavailable()
            self.wait_for_values(self.socket)

    def perform(self, name, argument):
        key, value, line = self.translate(name, argument)
        with self.changed:
            self.require(key)
            connection, before = self.socket, self.values.get(key)
            self.awaited, self.is_answered = key, False
            try:
                # The receiver reports changes only. The query makes it report in any case.
                self.send(line, QUERIES[key])
                self.wait(
                    lambda: (
                        self.socket is not connection
                        or self.is_off_for(key)
                        or self.is_done(key, value, before)
                    ),
                    POWER_TIME if key == "power" else self.patience,
                )
            except OSError:
                raise self.unavailable() from None
            finally:
                self.awaited = None
            if self.socket is not connection:
                raise self.unavailable()
            self.require(key)
            self.judge(key, value)
            if name == "on":
                # Nobody is shown the values from before it was off.
                self.wait_for_values(connection)

    def close(self):
        self.closing.set()
        with self.changed:
            self.disconnect()
        # An attempt to connect may take longer; its connection is closed then.
        if self.reader is not None:
            self.reader.join(1)

    # Commands. The caller holds `changed`, except for `translate`.

    def translate(self, name, argument):
        """Returns the key and the value that show the effect of a command, and its line."""
        if name == "volume":
            volume = volume_of_percent(argument, self.highest_volume)
            return "volume", argument, f"MV{write_volume(volume)}"
        if name == "input":
            if argument not in self.receiver_inputs:
                raise DeviceError(
                    "invalid",
                    f'the receiver has no input "{argument:.64}"',
                    f"It has: {', '.join(self.receiver_inputs) or 'none'}. "
                    'Name others in its option "inputNames".',
                )
            return "input", argument, f"SI{self.receiver_inputs[argument]}"
        return COMMANDS[name]

    def require(self, key):
        """Refuses a command that the receiver cannot carry out at present."""
        if self.is_lost:
            raise self.unavailable()
        if self.is_off_for(key):
            raise DeviceError("notNow", "the receiver is off", "Turn it on first.")

    def is_off_for(self, key):
        return key != "power" and self.values.get("power") == "off"

    def is_done(self, key, value, before):
        """Returns whether the receiver has reported the effect of the command that is under way."""
        if not self.is_answered:
            return False
        if key == "volume" and self.values[key] != before:
            # The receiver has a limit of its own, or someone turns its knob.
            return True
        return self.values[key] == value

    def judge(self, key, value):
        """Refuses a command whose effect the receiver has not reported in time."""
        if not self.is_answered:
            raise DeviceError("timeout", "the receiver did not confirm the command in time")
        # A volume that is already the receiver's own limit stays.
        if key != "volume" and self.values[key] != value:
            raise DeviceError(
                "refused",
                f'the receiver did not change to "{value}"; {key} is "{self.values[key]}"',
                "Look at its display: a menu may be open, or the input hidden.",
            )

    def wait(self, condition, seconds):
        """Waits for the reader. Raises DeviceError if the command is cancelled."""
        deadline = time.monotonic() + seconds
        while not condition() and (remaining := deadline - time.monotonic()) > 0:
            self.sleep(0)
            self.changed.wait(min(remaining, CANCELLATION_INTERVAL))

    def wait_for_values(self, connection):
        """Waits until a receiver that is on has reported its other values, or is lost."""
        self.wait(lambda: not self.unread or self.socket is not connection, self.patience)
        # A receiver without one of them, such as a sound mode, delays the next `on` no more.
        self.unread = set()

    def unavailable(self):
        return DeviceError(
            "unavailable",
            f"the receiver at {self.address} cannot be reached: "
            f"{self.reason or 'it does not answer'}",
            "Is its control over the network enabled, also in standby, "
            "and is no other program connected to it?",
        )

    @property
    def address(self):
        return f"{self.options['host']}:{self.options['port']}"

    # Inputs.

    def map_inputs(self):
        """Returns the receiver's names of the inputs, by the names of the theater."""
        names = {name: name.upper() for name in self.options["inputs"]}
        names.update((entry["name"], entry["input"]) for entry in self.options["inputNames"])
        used = {}
        for name, receiver_name in names.items():
            other = used.setdefault(receiver_name, name)
            if other != name:
                raise DeviceError(
                    "invalid",
                    f'"{other}" and "{name}" are the same input {receiver_name}',
                    "Give each input of the receiver one name.",
                )
        return names

    def name_of(self, receiver_name):
        """Returns the theater's name of an input.

        An input without one keeps the receiver's name, or is None if another input has that name.
        """
        for name, other in self.receiver_inputs.items():
            if other == receiver_name:
                return name
        return None if receiver_name in self.receiver_inputs else receiver_name

    # The reader's thread.

    def read(self):
        """Connects and reads until the device is closed. Tries again after a loss."""
        pauses = growing_pauses()
        while not self.closing.is_set():
            try:
                # An impossible name of a host is a UnicodeError.
                self.read_until_lost(self.connect())
            except (OSError, UnicodeError) as error:
                if self.lose(error):
                    pauses = growing_pauses()
            # A pause that `close` ends at once.
            self.closing.wait(next(pauses))

    def connect(self):
        connection = socket.create_connection(
            (self.options["host"], self.options["port"]), timeout=self.patience
        )
        # A command is a short line, which waits for no other one.
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # How often the reader looks at the clock, and how long the receiver may not read.
        connection.settimeout(self.patience / 4)
        with self.changed:
            self.socket = connection
            if self.closing.is_set():
                self.disconnect()
            self.send(QUERIES["power"])
        return connection

    def read_until_lost(self, connection):
        """Reads reports. Raises OSError when the receiver is lost.

        A receiver that has ended the connection is lost, and so is one that reports nothing though
        it was asked, whatever else it sends.
        """
        splitter = LineSplitter()
        last_report, is_asked = time.monotonic(), False
        while True:
            try:
                received = connection.recv(4096)
                if not received:
                    raise OSError("it has ended the connection")
            except TimeoutError:
                received = b""
            for line in splitter.split(received):
                if self.receive(line):
                    last_report, is_asked = time.monotonic(), False
            silence = time.monotonic() - last_report
            if silence > self.patience:
                raise OSError(f"it has not answered for {self.patience:g} s")
            if silence > self.patience / 2 and not is_asked:
                is_asked = True
                with self.changed:
                    self.send(QUERIES["power"])

    def receive(self, line):
        """Reports the value in a line. Returns whether it has one; other lines are skipped."""
        report = read_report(line)
        if report is None:
            return False
        key, value = report
        if key == "volume":
            value = percent_of_volume(value, self.highest_volume)
        elif key == "input":
            value = self.name_of(value)
        with self.changed:
            # The receiver is asked for the other values when it has said that it is on.
            if self.is_lost and key != "power":
                return True
            self.keep(key, value)
            self.changed.notify_all()
        return True

    def keep(self, key, value):
        """Keeps a value, and reports it if it is new or the answer to a command."""
        before = self.values.get(key)
        self.values[key] = value
        self.unread.discard(key)
        if key == self.awaited:
            self.is_answered = True
        if value != before or key == self.awaited:
            self.report({key: value})
        if self.is_lost:
            self.is_lost = False
            self.report_problem(None)
        if key == "power" and value != before:
            # In standby the receiver answers no other query.
            self.unread = set(QUERIES) - {"power"} if value == "on" else set()
            if self.unread:
                self.send(*(QUERIES[other] for other in QUERIES if other in self.unread))

    def lose(self, reason):
        """Reports that the receiver is lost. Returns whether it had answered."""
        with self.changed:
            had_answered = not self.is_lost
            # After a line that could not be sent, the reader sees just the end of the connection.
            self.reason, self.sending_fault = self.sending_fault or reason, None
            if self.socket is not None:
                self.disconnect()
                self.socket.close()
                self.socket = None
            self.is_lost, self.values, self.unread = True, {}, set()
            if had_answered and not self.closing.is_set():
                self.report_lost(f"the receiver at {self.address} is lost: {self.reason}")
            self.changed.notify_all()
        return had_answered

    # The socket. The caller holds `changed`.

    def send(self, *lines):
        if self.socket is None:
            raise OSError("there is no connection")
        try:
            self.socket.sendall("".join(f"{line}\r" for line in lines).encode("ascii"))
        except OSError as error:
            # A part of a line may have been sent, so the connection cannot be used any more.
            self.sending_fault = error
            self.disconnect()
            raise

    def disconnect(self):
        """Ends the connection, and with it the reader's `recv`. The reader closes the socket."""
        if self.socket is None:
            return
        # The receiver may have ended the connection already.
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)


def growing_pauses():
    """Yields the pauses between attempts to connect, in seconds."""
    pause = SHORTEST_PAUSE
    while True:
        yield pause
        pause = min(LONGEST_PAUSE, 2 * pause)


if __name__ == "__main__":
    Plugin("NetworkReceiver", "1.0.0", {"amplifier": NetworkReceiver}).run()
