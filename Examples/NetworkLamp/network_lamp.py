#!/usr/bin/env python3
"""A plugin for a lamp in the network: a socket, its reading thread, a new connection after a loss.

The lamp takes one connection. It answers each line `DIM 40` and each `?` with its brightness,
`DIM 40`. When its button is pressed, it sends its new brightness in the same form.
"""

import contextlib
import socket
import threading

from theater_plugin import Device, DeviceError, Plugin

LONGEST_LINE = 256
# The pauses between attempts to connect, in seconds: each is twice the one before.
SHORTEST_PAUSE, LONGEST_PAUSE = 0.2, 30
# How long `open` waits for the lamp, in seconds: the protocol allows 20.
OPENING_TIME = 10


class NetworkLamp(Device):
    def open(self):
        self.patience = self.options["patience"]
        # Guards the values below, and is notified when one of them changes.
        self.changed = threading.Condition()
        self.socket, self.answers, self.brightness = None, 0, None
        # A lamp is lost until it has sent its brightness.
        self.is_lost, self.reason = True, "it does not answer"
        self.closing = threading.Event()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        # The state is reported before `open` is answered. A lamp that is not there refuses it: the
        # controller shows the reason, and tries again later.
        with self.changed:
            if not self.changed.wait_for(
                lambda: not self.is_lost, min(self.patience, OPENING_TIME)
            ):
                raise self.unavailable()

    def perform(self, name, argument):
        brightness = {"on": 100, "off": 0}.get(name, argument)
        with self.changed:
            connection, before = self.socket, self.answers
            if self.is_lost:
                raise self.unavailable()
            try:
                self.send(f"DIM {brightness}")
            except OSError as error:
                self.reason = error
                raise self.unavailable() from None
            # The reader reports the answer, so the report comes before the end of this method.
            self.changed.wait_for(
                lambda: (
                    self.socket is not connection
                    or self.answers > before
                    and self.brightness == brightness
                ),
                self.patience,
            )
            if self.socket is not connection:
                raise self.unavailable()
            if self.answers == before:
                raise DeviceError("timeout", f"the lamp did not answer within {self.patience:g} s")
            if self.brightness != brightness:
                raise DeviceError("failed", f"the lamp went to {self.brightness} %")

    def close(self):
        self.closing.set()
        with self.changed:
            self.disconnect()
        # An attempt to connect may take longer; its connection is closed then.
        self.reader.join(1)

    def unavailable(self):
        return DeviceError(
            "unavailable",
            f"the lamp at {self.address} cannot be reached: {self.reason}",
            "Is it on, and is no other program connected to it?",
        )

    @property
    def address(self):
        return f"{self.options['host']}:{self.options['port']}"

    # The reader's thread.

    def read(self):
        """Connects and reads until the device is closed. Tries again after a loss."""
        pause = SHORTEST_PAUSE
        while not self.closing.is_set():
            try:
                self.connect()
                for line in self.lines():
                    if self.receive(line):
                        pause = SHORTEST_PAUSE
            except OSError as error:
                self.lose(error)
            # A pause that `close` ends at once.
            self.closing.wait(pause)
            pause = min(LONGEST_PAUSE, 2 * pause)

    def connect(self):
        connection = socket.create_connection(
            (self.options["host"], self.options["port"]), timeout=self.patience
        )
        # A lamp that is silent for so long is asked; see `lines`.
        connection.settimeout(self.patience / 2)
        with self.changed:
            self.socket = connection
            if self.closing.is_set():
                self.disconnect()
            self.send("?")

    def lines(self):
        """Yields the lamp's lines.

        A lamp that ends the connection, or is silent though it was asked, is lost.
        """
        rest, is_asked = b"", False
        while True:
            with self.changed:
                connection = self.socket
            if connection is None:
                raise OSError("the connection was closed")
            try:
                received = connection.recv(4096)
            except TimeoutError:
                if is_asked:
                    raise OSError(f"it has been silent for {self.patience:g} s") from None
                is_asked = True
                with self.changed:
                    self.send("?")
                continue
            if not received:
                raise OSError("it has ended the connection")
            is_asked = False
            *lines, rest = (rest + received).split(b"\n")
            if len(rest) > LONGEST_LINE:
                raise OSError("it sends something else than lines")
            yield from lines

    def receive(self, line):
        """Reports the brightness of a line. Returns whether it has one; other lines are ignored."""
        word, _, number = line.decode("ascii", "replace").strip().partition(" ")
        # The line comes from outside: a number may be long, or outside its range.
        if word != "DIM" or not number.isdecimal() or len(number) > 3 or int(number) > 100:
            return False
        with self.changed:
            if self.is_lost:
                self.report_problem(None)
            self.is_lost, self.brightness = False, int(number)
            self.report(
                {"power": "on" if self.brightness else "off", "brightness": self.brightness}
            )
            self.answers += 1
            self.changed.notify_all()
        return True

    def lose(self, reason):
        with self.changed:
            self.disconnect()
            self.reason = reason
            if not self.is_lost and not self.closing.is_set():
                self.is_lost = True
                self.report_lost(f"the lamp at {self.address} is lost: {reason}")

    # The socket. The caller holds `changed`.

    def send(self, line):
        if self.socket is None:
            raise OSError("there is no connection")
        self.socket.sendall(line.encode() + b"\n")

    def disconnect(self):
        """Ends the connection, and with it the reader's `recv`."""
        if self.socket is None:
            return
        # The lamp may have ended the connection already.
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
        self.socket = None
        self.changed.notify_all()


if __name__ == "__main__":
    Plugin("NetworkLamp", "1.0.0", {"lights": NetworkLamp}).run()
