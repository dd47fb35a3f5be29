"""Figures of the control side: round trips, a film, start-up, memory."""

import json
import os
import statistics
import subprocess
import time

from controller import PRODUCTS, Controller, instant_configuration, shipped_configuration

from . import processes

BENCH = PRODUCTS / "TheaterBenchmarks"


def _bench(*arguments, token=None, cores=None):
    environment = dict(os.environ)
    if token:
        environment["THEATER_TOKEN"] = token
    done = subprocess.run(
        [BENCH, *map(str, arguments)],
        env=environment,
        check=True,
        capture_output=True,
        text=True,
        preexec_fn=cores and (lambda: os.sched_setaffinity(0, cores)),
    )
    return json.loads(done.stdout.splitlines()[-1])


def round_trip():
    """A command to a plugin and its answer, against two processes that pass the same bytes."""
    # On which core a reader wakes is the kernel's choice, for the floor and the trip each by
    # itself, and waking another core can cost more than the trip. So both are measured in either
    # placement too.
    cores = sorted(os.sched_getaffinity(0))
    yield from _round_trip("plugin round trip on one core", cores[:1])
    if len(cores) > 1:
        yield from _round_trip("plugin round trip on two cores", cores[:1], cores[1])
    yield from _round_trip("plugin round trip where the kernel chooses", cores)


def _round_trip(title, cores, plugin_core=None):
    arguments = [PRODUCTS / "plugins"] + ([] if plugin_core is None else [plugin_core])
    figures = _bench("round-trip", *arguments, cores=cores)
    floor, trip = figures["floor"], figures["trip"]
    for name, factor in ("p50", 6), ("p99", 15):
        yield (
            f"{title}, {name}",
            f"{trip[name]:.0f} µs = {trip[name] / floor['p50']:.1f} × "
            f"the floor's p50 of {floor['p50']:.1f} µs",
            f"≤ {factor} ×",
            trip[name] <= factor * floor["p50"],
        )


def watch_film(count=2000):
    with Controller(instant_configuration()) as controller:
        controller.log_in()
        controller.wait_for(controller.plugins_are_up)
        film = controller.request("GET", "/api/v1/films")
        film = (film.get("films") or film.get("items") if isinstance(film, dict) else film)[0]
        pids = [pid for _, pid in controller.processes()]
        before = sum(processes.cpu_nanoseconds(pid) for pid in pids)
        messages = _messages(controller)
        figures = _bench(
            "watch-film",
            controller.port,
            count,
            "/api/v1/watch",
            film["title"],
            token=controller.token,
        )
        cpu = sum(processes.cpu_nanoseconds(pid) for pid in pids) - before
        messages = _messages(controller) - messages
        again = _bench(
            "watch-again",
            controller.port,
            count // 2,
            "/api/v1/watch",
            film["title"],
            token=controller.token,
        )
    runs = count + 50  # the first fifty warm up
    per_run = cpu / 1e6 / runs
    yield (
        "watch-film over HTTP, p50",
        f"{figures['p50'] / 1000:.2f} ms",
        "≤ 1.0 ms",
        figures["p50"] <= 1000,
    )
    yield (
        "watch-film over HTTP, p99",
        f"{figures['p99'] / 1000:.2f} ms",
        "≤ 5 ms",
        figures["p99"] <= 5000,
    )
    for name, factor in ("p50", 1.5), ("p90", 2):
        first, repeated = again["first"][name], again["again"][name]
        yield (
            f"watch-film again while it plays, {name}",
            f"{repeated / 1000:.2f} ms = {repeated / first:.2f} × the first {first / 1000:.2f} ms",
            f"≤ {factor} ×",
            repeated <= factor * first,
        )
    yield (
        "messages to and from plugins for one film begun and ended",
        f"{messages / runs:.1f}",
        "≤ 40",
        messages / runs <= 40,
    )
    yield ("CPU of one film begun and ended, all processes", f"{per_run:.2f} ms", "reported", True)


def light_command(count=5000):
    """One light command over HTTP, against the GET and the round trips that it consists of."""
    # The plugin sleeps when a request comes, as it does before a single round trip. Round trips in
    # a row are faster, because both sides poll for the next message.
    trip = _bench("round-trip", PRODUCTS / "plugins")["single"]["p50"]
    with Controller(instant_configuration()) as controller:
        controller.log_in()
        controller.wait_for(controller.plugins_are_up)
        figures = _bench("light", controller.port, count, token=controller.token)
    get, command = figures["get"]["p50"], figures["command"]["p50"]
    allowed = get + 3 * trip
    yield (
        "light command over HTTP, p50",
        f"{command / 1000:.2f} ms = {command / allowed:.2f} × "
        f"(GET {get / 1000:.2f} ms + 3 single round trips of {trip / 1000:.3f} ms)",
        "≤ 1 ×",
        command <= allowed,
    )
    yield (
        "light command over HTTP, p99",
        f"{figures['command']['p99'] / 1000:.2f} ms",
        "reported",
        True,
    )


def scene_runs(callers=32, seconds=10):
    """Runs of a small scene, asked for by many callers at once."""
    configuration = instant_configuration()
    configuration["scenes"]["bench"] = {
        "title": "Bench",
        "steps": [{"lights": {"dim": 10}}, {"lights": {"dim": 60}}],
    }
    with Controller(configuration) as controller:
        controller.log_in()
        controller.wait_for(controller.plugins_are_up)
        figures = _bench(
            "scene-runs",
            controller.port,
            "/api/v1/scenes/bench/runs",
            callers,
            seconds,
            token=controller.token,
        )
    run = figures["run"]
    yield (
        f"scene runs by {callers} callers",
        f"{figures['perSecond']} a second, each "
        f"{run['p50'] / 1000:.2f} ms (p99 {run['p99'] / 1000:.2f} ms)",
        "reported",
        True,
    )


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
    yield (
        "start to the first answer with all plugins up",
        f"{median * 1000:.0f} ms (median of "
        f"{runs}, {min(times) * 1000:.0f}–{max(times) * 1000:.0f})",
        "≤ 150 ms",
        median <= 0.150,
    )


def memory(idle_seconds=30):
    with Controller(shipped_configuration()) as controller:
        controller.log_in()
        controller.wait_for(controller.plugins_are_up)
        # What start-up leaves to do is not idling; the day's backup is the last of it.
        controller.wait_for(controller.has_backup)
        time.sleep(1)
        found = controller.processes()
        before = {pid: processes.cpu_nanoseconds(pid) for _, pid in found}
        time.sleep(idle_seconds)
        used = sum(processes.cpu_nanoseconds(pid) - before[pid] for _, pid in found)
        sizes = [(name, processes.pss_megabytes(pid)) for name, pid in found]
    total = sum(size for _, size in sizes)
    each = ", ".join(f"{name} {size:.1f}" for name, size in sizes)
    share = used / 1e9 / idle_seconds * 100
    yield ("memory, idle (PSS)", f"{total:.1f} MB ({each})", "≤ 65 MB", total <= 65)
    yield ("CPU, idle", f"{share:.3f} % of a core", "≤ 0.03 %", share <= 0.03)
