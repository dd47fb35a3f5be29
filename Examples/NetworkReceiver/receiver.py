#!/usr/bin/env python3
"""The receiver of this example, for trying and for its test: python3 receiver.py 2323

It takes one connection. A second one gets `BUSY`, and is closed.
"""

import collections
import contextlib
import socket
import sys
import threading

from line_protocol import LOUDEST, LineSplitter, read_volume, write_volume

INPUTS = ("HDMI1", "HDMI2", "HDMI3", "TUNER", "PHONO")
MODES = ("STEREO", "SURROUND", "MOVIE")


class Receiver:
    """A receiver that listens on a port of this machine, with its state and its front panel."""

    def __init__(self, port=0, host="127.0.0.1"):
        self.is_on, self.input, self.volume = False, "HDMI1", 30.0
        self.is_muted, self.mode = False, "STEREO"
        # Its own limit of the volume, and the inputs that its menu hides.
        self.limit, self.hidden_inputs = LOUDEST, set()
        # It answers each line after so many seconds, or no line.
        self.delay, self.is_silent = 0, False
        # The last lines that it was sent.
        self.received = collections.deque(maxlen=1000)
        self.connection_count = 0
        self._closing = threading.Event()
        # Guards the state, and is notified of each line.
        self._lock = threading.Condition()
        self._connection = None
        self._server = socket.create_server((host, port))
        self.port = self._server.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    # The front panel.

    def press_power(self):
        """Turns the receiver on or off."""
        self._change("PW", not self.is_on)

    def turn_knob(self, volume):
        """Sets the volume, on the receiver's own scale."""
        self._change("MV", volume)

    def press_input(self, name):
        self._change("SI", name)

    def press_mute(self):
        self._change("MU", not self.is_muted)

    def press_mode(self, name):
        self._change("MS", name)

    # The connection.

    def say(self, data):
        """Sends bytes of any kind."""
        with self._lock:
            if self._connection is not None:
                # The plugin may have ended the connection.
                with contextlib.suppress(OSError):
                    self._connection.sendall(data)

    def wait_for_lines(self, line, count, seconds):
        """Waits until it was sent a line so many times. Returns whether it was."""
        with self._lock:
            return self._lock.wait_for(lambda: self.received.count(line) >= count, seconds)

    def drop(self):
        """Ends the connection, as a receiver that starts again."""
        with self._lock:
            connection, self._connection = self._connection, None
            if connection is not None:
                # Also ends the thread that reads it.
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)

    def close(self):
        """Unplugs the receiver: nothing listens on its port any more."""
        self._closing.set()
        # The end of `accept` needs the shutdown; a second `close` finds the socket closed.
        with contextlib.suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        self.drop()

    def _accept(self):
        while True:
            try:
                connection, _ = self._server.accept()
            except OSError:
                return
            with self._lock:
                is_first = self._connection is None
                if is_first:
                    self._connection = connection
                    self.connection_count += 1
            if is_first:
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()
            else:
                self._refuse(connection)

    @staticmethod
    def _refuse(connection):
        # It may have gone already.
        with contextlib.suppress(OSError):
            connection.sendall(b"BUSY\r")
        connection.close()

    def _serve(self, connection):
        # Two reports in a row do not wait for each other.
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        splitter = LineSplitter()
        with contextlib.suppress(OSError):
            while received := connection.recv(4096):
                for line in splitter.split(received):
                    # A pause that `close` ends at once.
                    self._closing.wait(self.delay)
                    self._carry_out(line.decode("ascii", "replace"))
        with self._lock:
            if self._connection is connection:
                self._connection = None
        connection.close()

    # The lines.

    def _carry_out(self, line):
        with self._lock:
            self.received.append(line)
            self._lock.notify_all()
            command, value = line[:2], line[2:]
            # In standby it knows its power alone. It answers no line that it does not know.
            if self.is_silent or (command != "PW" and not self.is_on):
                return
            if value == "?":
                self._report(command)
                return
            wanted = self._read(command, value)
            if wanted is not None:
                self._change(command, wanted)

    def _read(self, command, value):
        """Returns the wanted value of a line; None if the receiver does not know it."""
        if command == "SI":
            return value if value in INPUTS and value not in self.hidden_inputs else None
        if command == "MV":
            return read_volume(value)
        if command == "MS":
            return value if value in MODES else None
        words = {"PW": {"ON": True, "STANDBY": False}, "MU": {"ON": True, "OFF": False}}
        return words.get(command, {}).get(value)

    def _change(self, command, value):
        """Changes a value, and reports it if it is another one than before."""
        with self._lock:
            before = self._written(command)
            if command == "PW":
                self.is_on = value
            elif command == "SI":
                self.input = value
            elif command == "MV":
                self.volume = min(value, self.limit)
            elif command == "MU":
                self.is_muted = value
            else:
                self.mode = value
            if self._written(command) != before:
                self._report(command)

    def _written(self, command):
        """Returns the report of a value; None for a command that the receiver does not have."""
        values = {
            "PW": "ON" if self.is_on else "STANDBY",
            "SI": self.input,
            "MV": write_volume(self.volume),
            "MU": "ON" if self.is_muted else "OFF",
            "MS": self.mode,
        }
        return f"{command}{values[command]}" if command in values else None

    def _report(self, command):
        report = self._written(command)
        if report is not None and not self.is_silent:
            self.say(f"{report}\r".encode())


HELP = """Its front panel:
  power            turns it on or off
  volume 45.5      turns the knob, from 0 to 98
  input HDMI2      selects an input: {inputs}
  mute             mutes it, or ends the mute
  mode SURROUND    selects a sound mode: {modes}
  silent           answers nothing any more, or answers again
  late 2           answers each line after 2 s
  drop             ends the connection"""


def press(receiver, word, value):
    """Carries out a line that was typed."""
    if word == "power":
        receiver.press_power()
    elif word == "volume":
        receiver.turn_knob(max(0.0, min(float(LOUDEST), float(value))))
    elif word == "input" and value in INPUTS:
        receiver.press_input(value)
    elif word == "mute":
        receiver.press_mute()
    elif word == "mode" and value in MODES:
        receiver.press_mode(value)
    elif word == "silent":
        receiver.is_silent = not receiver.is_silent
    elif word == "late":
        receiver.delay = max(0.0, float(value))
    elif word == "drop":
        receiver.drop()
    else:
        raise ValueError(f"there is no {word} {value}")


def main():
    receiver = Receiver(int(sys.argv[1]) if len(sys.argv) > 1 else 2323)
    print(f"The receiver listens on 127.0.0.1:{receiver.port}.")
    print(HELP.format(inputs=", ".join(INPUTS), modes=", ".join(MODES)))
    for line in sys.stdin:
        word, _, value = line.strip().partition(" ")
        try:
            press(receiver, word, value)
        except ValueError as error:
            print(error)


if __name__ == "__main__":
    main()
