"""Figures of the plugin PJLinkProjector, with the projector of the tests."""

import json
import queue
import subprocess
import sys
import threading
import time

from controller import ROOT, Controller

from . import processes
from .accounts.comparing import quantile
from .plugins import Plugin
from .wire import Tap, read_time, wire_figures

SCRIPT = ROOT / "Tests/Fixtures/pjlink_projector.py"


class Projector:
    """The projector of the tests; `with` ends it."""

    def __enter__(self):
        self.process = subprocess.Popen(
            [sys.executable, SCRIPT], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.port = json.loads(self.process.stdout.readline())[0]
        self.connections = 0
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
            if "done" in message:
                self.done.put(message)


def _usage(pid):
    return processes.descriptors(pid), processes.threads(pid), processes.pss_megabytes(pid)


def reconnects(count=10_000):
    """Descriptors, threads and memory after connections that a projector closes at each reply."""
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
    yield (
        f"descriptors {title}",
        f"{after[0]}, before {before[0]}",
        "no more",
        after[0] <= before[0],
    )
    # The runtime starts and ends threads of its own.
    yield (
        f"threads {title}",
        f"{after[1]}, before {before[1]}",
        "≤ 2 more",
        after[1] - before[1] <= 2,
    )
    yield (
        f"PSS {title}",
        f"{after[2]:.1f} MB, before {before[2]:.1f} MB",
        "≤ 3 MB more",
        after[2] - before[2] <= 3,
    )


def command_latency(count=300):
    """The times from a command's request to the controller until the projector receives the query
    of the power that precedes each command, and until it receives the command itself."""
    with Projector() as projector, Tap(projector.port) as tap:
        projector.change(warmUp=0, coolDown=0)
        options = {"host": "127.0.0.1", "port": tap.port, "polling": 3600}
        devices = {
            "projector": {"role": "projector", "plugin": "PJLinkProjector", "options": options}
        }
        with Controller({"devices": devices}) as controller:
            controller.log_in()
            controller.wait_for(controller.plugins_are_up)
            call = controller.caller()
            queries, commands, reads = [], [], []
            for number in range(count):
                on = number % 2 == 0
                tap.forget()
                sent, answer = call("projector", "on" if on else "off")
                try:
                    queries.append((tap.wait_for(b"%1POWR ?") - sent) / 1e6)
                    commands.append((tap.wait_for(b"%%1POWR %d" % on) - sent) / 1e6)
                except queue.Empty:
                    raise SystemExit(f"the command did not reach the projector: {answer}") from None
                reads.append(read_time(call, "projector"))
                time.sleep(0.025)
    yield from wire_figures("PJLink", queries, reads)
    p50, p99 = quantile(commands, 0.5), quantile(commands, 0.99)
    yield (
        "PJLink: request of a command to the command itself, after the reply to that query, p50",
        f"{p50:.2f} ms (p99 {p99:.2f} ms)",
        "reported",
        True,
    )
