#!/usr/bin/env python3
"""The lamp of this example, for trying and for its test: python3 lamp.py 7777

It takes one connection. A second one gets `BUSY`, and is closed.
"""

import contextlib
import socket
import sys
import threading


class Lamp:
    """A lamp that listens on a port of this machine. `brightness` is its state."""

    def __init__(self, port=0):
        self.brightness = 0
        self.is_silent = False
        self._lock = threading.Lock()
        self._connection = None
        self._server = socket.create_server(("127.0.0.1", port))
        self.port = self._server.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def press(self, brightness):
        """Changes the brightness as the button on the lamp does."""
        self.brightness = brightness
        self._answer()

    def say(self, line):
        """Sends a line of any kind."""
        with self._lock:
            if self._connection is not None:
                self._connection.sendall(line + b"\n")

    def drop(self):
        """Ends the connection, as a lamp that starts again."""
        with self._lock:
            connection, self._connection = self._connection, None
        if connection is not None:
            # Also ends the thread that reads it.
            connection.shutdown(socket.SHUT_RDWR)

    def close(self):
        """Unplugs the lamp: nothing listens on its port any more."""
        # The end of `accept` needs the shutdown.
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
            if is_first:
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()
            else:
                self._refuse(connection)

    @staticmethod
    def _refuse(connection):
        # It may have gone already.
        with contextlib.suppress(OSError):
            connection.sendall(b"BUSY\n")
        connection.close()

    def _serve(self, connection):
        try:
            for line in connection.makefile("r", encoding="ascii", errors="replace"):
                word, _, number = line.strip().partition(" ")
                if word == "DIM" and number.isdecimal():
                    self.brightness = min(100, int(number))
                self._answer()
        except OSError:
            pass
        with self._lock:
            if self._connection is connection:
                self._connection = None
        connection.close()

    def _answer(self):
        with self._lock:
            if self._connection is not None and not self.is_silent:
                self._connection.sendall(f"DIM {self.brightness}\n".encode())


if __name__ == "__main__":
    lamp = Lamp(int(sys.argv[1]) if len(sys.argv) > 1 else 7777)
    print(f"The lamp listens on 127.0.0.1:{lamp.port}. Type a brightness to press its button.")
    for line in sys.stdin:
        lamp.press(max(0, min(100, int(line))))
