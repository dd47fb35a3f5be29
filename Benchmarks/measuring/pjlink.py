"""Figures of the plugin PJLinkProjector, with the projector of the tests."""

import json
import queue
import subprocess
import sys
import threading
import time

from . import processes
from .accounts.comparing import quantile
from .controller import ROOT, Controller
from .plugins import Plugin

SCRIPT = ROOT / "Tests/Fixtures/pjlink_projector.py"


class Projector:
    """The projector of the tests; `with` ends it."""

    def __enter__(self):
        self.process = subprocess.Popen([sys.executable, SCRIPT], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        self.port = json.loads(self.process.stdout.readline())[0]
        self.connections = 0
        # The times at which commands that set something have arrived.
        self.arrivals = queue.Queue()
        self.done = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(20)

    def change(self, **changes):
        self.process.stdin.write(json.dumps({"id": 1, **changes}).encode() + b"\n")
        self.process.stdin.flush()
        self.done.get(timeout=60)

    def read(self):
        for line in self.process.stdout:
            message = json.loads(line)
            self.connections += message.get("event") == "connected"
            if message.get("got") in ("%1POWR 0", "%1POWR 1"):
                self.arrivals.put(message["at"])
            if "done" in message:
                self.done.put(message)


def _usage(pid):
    return processes.descriptors(pid), processes.threads(pid), processes.pss_megabytes(pid)


def reconnects(count=10_000):
    """Connections that the projector closes after each reply, and what they leave behind."""
    with Projector() as projector, Plugin("PJLinkProjector") as plugin:
        projector.change(odd=["close"])
        # No polling meanwhile: each connection is one of a command.
        plugin.open("projector", {"host": "127.0.0.1", "port": projector.port, "polling": 3600})
        # The heap grows most during the first thousand.
        while projector.connections < 1000:
            plugin.perform("projector", "on")
        time.sleep(1)
        first, before = projector.connections, _usage(plugin.pid)
        while projector.connections < first + count:
            plugin.perform("projector", "on")
        time.sleep(1)
        made, after = projector.connections - first, _usage(plugin.pid)
    title = f"after {made} PJLink connections"
    yield (f"descriptors {title}", f"{after[0]}, before {before[0]}", "no more",
           after[0] <= before[0])
    # The runtime starts and ends threads of its own.
    yield (f"threads {title}", f"{after[1]}, before {before[1]}", "≤ 2 more",
           after[1] - before[1] <= 2)
    yield (f"PSS {title}", f"{after[2]:.1f} MB, before {before[2]:.1f} MB", "≤ 3 MB more",
           after[2] - before[2] <= 3)


def command_latency(count=300):
    """From a command's request to the controller until the command arrives at the projector, after the query of the
    power that precedes each command."""
    with Projector() as projector:
        projector.change(warmUp=0, coolDown=0)
        options = {"host": "127.0.0.1", "port": projector.port, "polling": 3600}
        devices = {"projector": {"role": "projector", "plugin": "PJLinkProjector", "options": options}}
        with Controller({"devices": devices}) as controller:
            controller.log_in()
            controller.wait_for(controller.plugins_are_up)
            call = controller.caller()
            late = []
            for number in range(count):
                sent, answer = call("projector", "on" if number % 2 == 0 else "off")
                try:
                    late.append((projector.arrivals.get(timeout=10) - sent) / 1e6)
                except queue.Empty:
                    raise SystemExit(f"the command did not reach the projector: {answer}") from None
                time.sleep(0.025)
    p50, p99 = quantile(late, 0.5), quantile(late, 0.99)
    yield ("PJLink: request of a command to its bytes on the wire, p50",
           f"{p50:.2f} ms (p99 {p99:.2f} ms), with one query before it", "≤ 1 ms", p50 <= 1)
