"""Many pages that follow the theater at once: the memory of each, and the delay of an event."""

import selectors
import socket
import statistics
import time

from controller import Controller, small_configuration

from . import processes
from .accounts.comparing import quantile

STREAMS = 500
EVENTS = 100
RUNS = 5
# The first streams also pay for what all share.
FIRST = 20
OF_ONE_SESSION = 4
OF_ONE_PASS = 8


class Pages:
    """Open event streams, read by one thread."""

    def __init__(self, controller):
        self._controller = controller
        self._selector = selectors.DefaultSelector()
        self._buffers = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for page in self._buffers:
            page.close()
        self._selector.close()

    def open(self, tokens):
        """Opens a stream with each token, and waits for the snapshot of each."""
        pages = [self._connect(token) for token in tokens]
        self.wait_for(b"event: snapshot", pages)

    def _connect(self, token):
        port = self._controller.port
        page = socket.create_connection(("127.0.0.1", port))
        page.sendall(
            f"GET /api/v1/events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
            f"Authorization: Bearer {token}\r\n\r\n".encode()
        )
        page.setblocking(False)
        self._selector.register(page, selectors.EVENT_READ)
        self._buffers[page] = b""
        return page

    def wait_for(self, text, pages=None, seconds=60):
        """Waits until every page got `text`; the time at which each got it."""
        waiting = set(self._buffers if pages is None else pages)
        times = []
        deadline = time.perf_counter() + seconds
        while waiting:
            if time.perf_counter() > deadline:
                raise SystemExit(f"{len(waiting)} pages did not get {text!r}")
            for key, _ in self._selector.select(1):
                page = key.fileobj
                data = page.recv(65_536)
                if not data:
                    raise SystemExit("the controller ended a stream")
                self._buffers[page] = (self._buffers[page] + data)[-4096:]
                if page in waiting and text in self._buffers[page]:
                    waiting.remove(page)
                    times.append(time.perf_counter())
        return times


def tokens(controller, count):
    """A token for each of `count` streams, of as many guests as their limits want."""
    found = []
    while len(found) < count:
        guest = controller.request("POST", "/api/v1/guests", {"activities": ["film"]})
        for _ in range(OF_ONE_PASS // OF_ONE_SESSION):
            session = controller.request(
                "POST", "/api/v1/guests/sessions", {"pass": guest["code"]}, anonymous=True
            )
            found += [session["token"]] * OF_ONE_SESSION
    return found[:count]


def configuration():
    """One lamp that takes no time, an activity for the guests, and room for the streams."""
    made = small_configuration()
    made["devices"]["lights"]["options"] = {"speed": 0}
    made["scenes"] = {"none": {"steps": [{"lights": "on"}]}}
    made["activities"] = {"film": {"start": "none", "end": "none"}}
    made["web"] = {"eventStreams": STREAMS + 8}
    return made


def measure():
    """KiB a stream of one controller when all are open, and after the events; the delay of an
    event, in ms."""
    with Controller(configuration()) as controller:
        controller.log_in()
        controller.wait_for(controller.plugins_are_up)
        keys = tokens(controller, STREAMS)

        def memory():
            return processes.pss_megabytes(controller.process.pid) * 1024

        with Pages(controller) as pages:
            pages.open(keys[:FIRST])
            before = memory()
            pages.open(keys[FIRST:])
            opened = memory()
            late = []
            for number in range(EVENTS):
                brightness = number % 99 + 1
                start = time.perf_counter()
                controller.request(
                    "POST",
                    "/api/v1/devices/lights/commands",
                    {"dim": brightness},
                    headers={"Prefer": "respond-async"},
                )
                text = f'"brightness":{{"value":{brightness},'.encode()
                late += [(moment - start) * 1000 for moment in pages.wait_for(text)]
            each, after = ((amount - before) / (STREAMS - FIRST) for amount in (opened, memory()))
            return each, after, late


def event_streams():
    # The allocator keeps a different share of pages in each process.
    runs = [measure() for _ in range(RUNS)]
    each, after = (statistics.median(run[part] for run in runs) for part in (0, 1))
    late = [moment for run in runs for moment in run[2]]
    yield (
        f"memory of an event stream, {STREAMS} open (median of {RUNS})",
        f"{each:.1f} KiB",
        "≤ 20 KiB",
        each <= 20,
    )
    yield (f"memory of an event stream after {EVENTS} events", f"{after:.1f} KiB", "reported", True)
    p50, p99 = quantile(late, 0.5), quantile(late, 0.99)
    yield (
        f"a command until each of {STREAMS} pages has its event, p99",
        f"{p99:.1f} ms (p50 {p50:.1f} ms)",
        "≤ 100 ms",
        p99 <= 100,
    )
