"""Figures of the control side: round trips, a film, start-up, memory."""

import json
import os
import statistics
import subprocess
import time

from . import processes
from .controller import PRODUCTS, Controller, instant_configuration, shipped_configuration

BENCH = PRODUCTS / "TheaterBenchmarks"


def _bench(*arguments, token=None, cores=None):
    environment = dict(os.environ)
    if token:
        environment["THEATER_TOKEN"] = token
    done = subprocess.run([BENCH, *map(str, arguments)], env=environment, check=True,
                          capture_output=True, text=True,
                          preexec_fn=cores and (lambda: os.sched_setaffinity(0, cores)))
    return json.loads(done.stdout.splitlines()[-1])


def round_trip():
    yield from _round_trip("plugin round trip", None)
    # On which core a reader wakes is the kernel's choice, for the floor and the trip each by itself;
    # waking another one can cost more than the trip. On one core both take the same way.
    yield from _round_trip("plugin round trip on one core", {min(os.sched_getaffinity(0))})


def _round_trip(title, cores):
    both = _bench("round-trip", PRODUCTS / "plugins", cores=cores)
    floor, trip = both["floor"], both["trip"]
    yield (f"{title}, p50", f"{trip['p50']:.0f} µs = {trip['p50'] / floor['p50']:.1f} × "
           f"the floor's {floor['p50']:.1f} µs", "≤ 6 ×", trip["p50"] <= 6 * floor["p50"])
    yield (f"{title}, p99", f"{trip['p99']:.0f} µs = {trip['p99'] / floor['p50']:.1f} × "
           f"the floor's p50", "≤ 15 ×", trip["p99"] <= 15 * floor["p50"])


def watch_film(count=2000):
    with Controller(instant_configuration()) as controller:
        controller.log_in()
        controller.wait_for(controller.plugins_are_up)
        film = controller.request("GET", "/api/v1/films")
        film = (film.get("films") or film.get("items") if isinstance(film, dict) else film)[0]
        pids = [pid for _, pid in controller.processes()]
        before = sum(processes.cpu_nanoseconds(pid) for pid in pids)
        messages = _messages(controller)
        figures = _bench("watch-film", controller.port, count, "/api/v1/watch", film["title"],
                         token=controller.token)
        cpu = sum(processes.cpu_nanoseconds(pid) for pid in pids) - before
        messages = _messages(controller) - messages
        again = _bench("watch-again", controller.port, count // 2, "/api/v1/watch", film["title"],
                       token=controller.token)
    runs = count + 50  # the first fifty warm up
    per_run = cpu / 1e6 / runs
    yield ("watch-film over HTTP, p50", f"{figures['p50'] / 1000:.2f} ms", "≤ 1.2 ms (aim 0.9)",
           figures["p50"] <= 1200)
    yield ("watch-film over HTTP, p99", f"{figures['p99'] / 1000:.2f} ms", "≤ 5 ms",
           figures["p99"] <= 5000)
    for name, factor in ("p50", 1.5), ("p90", 2):
        first, repeated = again["first"][name], again["again"][name]
        yield (f"watch-film again while it plays, {name}", f"{repeated / 1000:.2f} ms = "
               f"{repeated / first:.2f} × the first {first / 1000:.2f} ms", f"≤ {factor} ×",
               repeated <= factor * first)
    yield ("messages to and from plugins for one film begun and ended", f"{messages / runs:.1f}",
           "reported", True)
    yield ("CPU of one film begun and ended, all processes", f"{per_run:.2f} ms", "reported", True)


def _messages(controller):
    plugins = controller.request("GET", "/api/v1/plugins")
    plugins = plugins["plugins"] if isinstance(plugins, dict) else plugins
    counts = [plugin["messages"] for plugin in plugins if "messages" in plugin]
    return sum(count["sent"] + count["received"] for count in counts)


def start_up(runs=9):
    times = []
    with Controller(shipped_configuration()) as controller:
        controller.log_in()  # the session outlives the controller, so later starts need no login
        controller.wait_for(controller.plugins_are_up)
        for _ in range(runs):
            controller.stop()
            controller.start()
            controller.wait_for(controller.plugins_are_up)
            times.append(time.monotonic() - controller.started)
    median = statistics.median(times)
    yield ("start to the first answer with all plugins up", f"{median * 1000:.0f} ms (median of "
           f"{runs}, {min(times) * 1000:.0f}–{max(times) * 1000:.0f})", "≤ 150 ms",
           median <= 0.150)


def memory(idle_seconds=30):
    with Controller(shipped_configuration()) as controller:
        controller.log_in()
        controller.wait_for(controller.plugins_are_up)
        time.sleep(3)  # what start-up left to do is not idling
        found = controller.processes()
        before = {pid: processes.cpu_nanoseconds(pid) for _, pid in found}
        time.sleep(idle_seconds)
        used = sum(processes.cpu_nanoseconds(pid) - before[pid] for _, pid in found)
        sizes = [(name, processes.pss_megabytes(pid)) for name, pid in found]
    total = sum(size for _, size in sizes)
    each = ", ".join(f"{name} {size:.1f}" for name, size in sizes)
    share = used / 1e9 / idle_seconds * 100
    yield ("memory, idle (PSS)", f"{total:.1f} MB ({each})", "≤ 65 MB", total <= 65)
    yield ("CPU, idle", f"{share:.3f} % of a core", "≤ 0.1 %", share <= 0.1)
