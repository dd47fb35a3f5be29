"""How long a command takes from the call of the facade to its bytes on the wire of a device."""

import contextlib
import queue
import socket
import struct
import threading
import time

from .accounts.comparing import quantile

# Linux: the wall clock's time at which the kernel received a segment. Python does not name it.
SO_TIMESTAMPNS = 35


class Tap:
    """Passes connections on to a device, and notes when a plugin's bytes arrive; `with` ends it.

    The kernel says when they arrived: this process may wake later.
    """

    def __init__(self, to):
        self.to = to
        # The wall clock's time at which the monotonic clock was 0. The least of several readings is
        # the one that was not interrupted between the two clocks.
        self.start_of_clock = min(-time.monotonic_ns() + time.time_ns() for _ in range(100))
        # The monotonic time in nanoseconds at which each piece has arrived, and its bytes.
        self.arrivals = queue.Queue()

    def __enter__(self):
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = self.server.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.close()

    def forget(self):
        """Drops what has arrived until now."""
        while not self.arrivals.empty():
            self.arrivals.get()

    def wait_for(self, text=b""):
        """Returns when a piece with the text has arrived, in nanoseconds of the monotonic clock."""
        while True:
            moment, piece = self.arrivals.get(timeout=10)
            if text in piece:
                return moment

    def accept(self):
        while True:
            try:
                plugin, _ = self.server.accept()
            except OSError:
                return
            try:
                device = socket.create_connection(("127.0.0.1", self.to))
            except OSError:
                plugin.close()
                continue
            for end in plugin, device:
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            plugin.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
            ways = (self.receive, plugin, device), (lambda end: end.recv(65536), device, plugin)
            for way in ways:
                threading.Thread(target=self.forward, args=way, daemon=True).start()

    @staticmethod
    def forward(receive, source, sink):
        # Either end may close its connection at any time.
        with contextlib.suppress(OSError):
            while piece := receive(source):
                sink.sendall(piece)
            sink.shutdown(socket.SHUT_WR)

    def receive(self, plugin):
        piece, notes, _, _ = plugin.recvmsg(65536, socket.CMSG_SPACE(16))
        # The kernel stamps no piece that was on its way when stamps were asked for.
        arrival = time.monotonic_ns()
        for level, kind, note in notes:
            if (level, kind) == (socket.SOL_SOCKET, SO_TIMESTAMPNS):
                seconds, nanoseconds = struct.unpack("qq", note)
                arrival = seconds * 10**9 + nanoseconds - self.start_of_clock
        self.arrivals.put((arrival, piece))
        return piece


def read_time(call, device):
    """Milliseconds for reading a device over HTTP, which commands nothing."""
    sent, _ = call(device)
    return (time.monotonic_ns() - sent) / 1e6


def wire_figures(name, late, reads):
    """The figures of `late`: milliseconds from a request over HTTP to its bytes on the wire.

    The facade is called when the request has been read and its session checked: after about half of
    the time that a request takes which commands nothing.
    """
    p50, p99, read = quantile(late, 0.5), quantile(late, 0.99), quantile(reads, 0.5)
    call = p50 - read / 2
    yield (
        f"{name}: the facade's call of a command to bytes on the wire, p50",
        f"{call:.2f} ms; from the request over HTTP {p50:.2f} ms (p99 {p99:.2f} ms), "
        f"where a read takes {read:.2f} ms",
        "≤ 1 ms",
        call <= 1,
    )
