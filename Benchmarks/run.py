"""Measures how fast and how small the theater is, as ratios against a floor or a peer in one run.

    python3 Benchmarks/run.py [NAME …]      those of `make bench`, or those named

Needs the release build (`make bench` makes it). Prints a table; a missed target is marked, and the
exit status is 1 when there is one. For a quick look: THEATER_LOGIN_TRIES (2000),
THEATER_STORM_ROUNDS (1000), THEATER_KILL_ROUNDS (1000), THEATER_API_CASES (10000), for
hostile-household THEATER_HOSTILE_SECONDS (600) and THEATER_HOSTILE_KINDS (all, separated by
commas), and for fuzz THEATER_FUZZ_SECONDS (600) and THEATER_FUZZ_PARSERS (all, separated by
commas).
"""

import os
import pathlib
import platform
import sys

from measuring import (
    api,
    audio,
    continuity,
    control,
    film,
    fuzzing,
    household,
    mqtt,
    openings,
    page,
    page_load,
    pauses,
    pjlink,
    streams,
    worst,
)
from measuring.accounts import kills, storms, timing

FIGURES = {
    "round-trip": control.round_trip,
    "watch-film": control.watch_film,
    "light-command": control.light_command,
    "scene-runs": control.scene_runs,
    "start-up": control.start_up,
    "memory": control.memory,
    "sound-cpu": audio.cpu,
    "sound-latency": audio.latency,
    "sound-load": audio.load,
    "login-timing": timing.login_timing,
    "login-storm": storms.login_storm,
    "worst-request": worst.worst_request,
    "api-requests": api.generated_requests,
    "event-streams": streams.event_streams,
    "mqtt-memory": mqtt.memory,
    "mqtt-latency": mqtt.latency,
    "mqtt-event": mqtt.event_latency,
    "mqtt-command": mqtt.command_latency,
    "pjlink-command": pjlink.command_latency,
    "film-sync": film.sync,
    "film-cpu": film.cpu,
    "film-first-picture": film.first_picture,
}
# Long ones, run by name alone.
LONG = {
    "account-storms": storms.account_storms,
    "account-kills": kills.account_kills,
    "sound-continuity": continuity.sound_continuity,
    "film-pauses": pauses.film_pauses,
    "film-channels": pauses.film_channels,
    "song-pauses": pauses.song_pauses,
    "station-pauses": pauses.station_pauses,
    "program-pauses": pauses.program_pauses,
    "page": page.page,
    "page-load": page_load.page_load,
    "mqtt-reconnects": mqtt.reconnects,
    "mqtt-half-open": mqtt.half_open,
    "pjlink-reconnects": pjlink.reconnects,
    "pcm-openings": openings.pcm,
    "mpv-crashes": openings.mpv,
    "hostile-household": household.hostile_household,
    "fuzz": fuzzing.fuzz,
}


def machine():
    model = "unknown processor"
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
            break
    return f"{os.cpu_count()} × {model}, Linux {platform.release()}"


def main():
    names = sys.argv[1:] or list(FIGURES)
    there = {**FIGURES, **LONG}
    unknown = [name for name in names if name not in there]
    if unknown:
        print(f"unknown: {', '.join(unknown)}; there is: {', '.join(there)}", file=sys.stderr)
        return 2
    print(f"machine: {machine()}; load average {os.getloadavg()[0]:.2f}", flush=True)
    missed = 0
    for name in names:
        for title, measured, target, met in there[name]():
            missed += not met
            print(f"{'  ' if met else '✗ '}{title:<48} {measured:<60} {target}", flush=True)
    print(f"{missed} target{'s' if missed != 1 else ''} missed" if missed else "every target met")
    return 1 if missed else 0


sys.exit(main())
