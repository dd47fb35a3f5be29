"""Figures of the sound: CPU beside MPD, latency of start and stop, dropouts under load.

THEATER_BENCH_SECONDS (60) is the duration of the CPU measurement, THEATER_BENCH_MINUTES (10) that
of the load, THEATER_BENCH_REPEATS (20) the number of measurements of each latency.
"""

import contextlib
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from . import processes
from .card import Card
from .evening import Evening
from .mpd import Daemon
from .plugins import Listening

BUFFER = 200  # ms, the amplifier's own default
MPD_BUFFER = 500  # ms, MPD's own
SECONDS = float(os.environ.get("THEATER_BENCH_SECONDS", 60))
MINUTES = float(os.environ.get("THEATER_BENCH_MINUTES", 10))
REPEATS = int(os.environ.get("THEATER_BENCH_REPEATS", 20))


@contextlib.contextmanager
def scratch():
    with tempfile.TemporaryDirectory(prefix="th-") as folder:
        (pathlib.Path(folder) / "music").mkdir()
        yield pathlib.Path(folder)


def make_music(path, seconds, *sources):
    """Writes sound of 44.1 kHz, 16 bit, two channels; the extension of `path` selects the codec."""
    inputs = [argument for source in sources for argument in ("-f", "lavfi", "-i", source)]
    subprocess.run(
        [
            "ffmpeg",
            "-v",
            "error",
            *inputs,
            "-filter_complex",
            f"amix=inputs={len(sources)}:normalize=0",
            "-t",
            str(seconds),
            "-ac",
            "2",
            "-ar",
            "44100",
            "-sample_fmt",
            "s16",
            path,
        ],
        check=True,
    )


def make_song(path, seconds):
    """Writes chords over some noise, which FLAC compresses like music (about 800 kbit/s)."""
    make_music(
        path,
        seconds,
        "aevalsrc='0.2*sin(2*PI*220*t)*exp(-mod(t,0.5)*4)+0.2*sin(2*PI*277*t)|"
        "0.2*sin(2*PI*330*t)*exp(-mod(t,0.4)*3)+0.2*sin(2*PI*440*t)':s=44100",
        "anoisesrc=c=pink:a=0.05:r=44100",
    )


# CPU


def cpu():
    with scratch() as folder:
        song = folder / "music" / "song.flac"
        make_song(song, SECONDS + 30)
        (folder / "long").mkdir()
        os.link(song, folder / "long" / song.name)
        wav = folder / "song.wav"
        subprocess.run(["ffmpeg", "-v", "error", "-i", song, wav], check=True)
        for volume in (100, 50):
            yield from _cpu(folder, song, wav, volume)


def _cpu(folder, song, wav, volume):
    """All players run at the same time, each on its own instance of the card, so that a disturbance
    affects all of them."""
    card = Card(folder, silent=True)
    with contextlib.ExitStack() as stack:
        ours = stack.enter_context(Listening(folder / "music", card, BUFFER, volume))
        long = stack.enter_context(Listening(folder / "long", card, MPD_BUFFER, volume))
        equal = stack.enter_context(Daemon(folder, card, BUFFER, volume, f"equal{volume}"))
        alone = stack.enter_context(Daemon(folder, card, None, volume, f"alone{volume}"))
        ours.listen(song.name)
        long.listen(song.name)
        equal.listen(song)
        alone.listen(song)
        baseline = subprocess.Popen(
            ["aplay", "-q", "-D", card.pcm, wav],
            stderr=subprocess.DEVNULL,
            env=dict(os.environ, **card.environment),
        )
        stack.callback(baseline.kill)
        groups = {
            "ours": [pid for _, pid in ours.processes],
            "equal": [equal.pid],
            "long": [pid for _, pid in long.processes],
            "alone": [alone.pid],
            "baseline": [baseline.pid],
        }
        groups |= {name: [pid] for name, pid in ours.processes}
        time.sleep(5)  # excludes the cost of opening
        used = processes.cpu_a_minute(groups, SECONDS)
    at = "bit-exact" if volume == 100 else f"volume {volume}"
    parts = ", ".join(f"{name} {used[name]:.3f}" for name, _ in ours.processes)
    yield (
        f"CPU a minute of FLAC, {at}, buffers of {BUFFER} ms",
        f"{used['ours']:.3f} s ({parts}) = {used['ours'] / used['equal']:.2f} × "
        f"MPD's {used['equal']:.3f} s",
        "≤ 1.25 ×",
        used["ours"] <= 1.25 * used["equal"],
    )
    yield (
        f"the same, buffers of MPD's own {MPD_BUFFER} ms, {at}",
        f"{used['long']:.3f} s = {used['long'] / used['alone']:.2f} × MPD's {used['alone']:.3f} s",
        "≤ 1.25 ×",
        used["long"] <= 1.25 * used["alone"],
    )
    yield (
        f"ours with {BUFFER} ms beside MPD with {MPD_BUFFER} ms, {at}",
        f"{used['ours'] / used['alone']:.2f} ×; aplay of a WAV {used['baseline']:.3f} s",
        "reported",
        True,
    )


# Latency


def latency():
    with scratch() as folder:
        for name in ("one", "two"):
            make_music(folder / "music" / f"{name}.flac", 60, "sine=f=440:r=44100")
        card = Card(folder)
        with Evening(folder / "music", card, BUFFER) as evening:
            yield from _moments(evening, card)


def _moments(evening, card):
    """Times in ms from just before a request is sent to the event in the card's log."""
    times = {name: [] for name in ("off", "on", "pause", "resume", "seek silence", "seek", "end")}
    for _ in range(REPEATS):
        times["off"].append(_until(card, "sound", evening.listen("one")))
        time.sleep(0.5)
        times["on"].append(_until(card, "sound", evening.listen("two")))
        time.sleep(0.5)
        times["pause"].append(_until(card, "silence", evening.command("pause")))
        time.sleep(0.3)
        times["resume"].append(_until(card, "sound", evening.command("resume")))
        time.sleep(0.5)
        asked = evening.command("seek", {"to": 20.5})
        times["seek silence"].append(_until(card, "silence", asked))
        times["seek"].append(_until(card, "sound", asked))
        time.sleep(0.5)
        times["end"].append(_until(card, "silence", evening.command("end")))
        time.sleep(0.5)
    for title, name, limit in (
        ("listen to the first frame, amplifier on", "on", 60),
        ("listen to the first frame, everything off", "off", None),
        ("pause to silence at the card", "pause", 100),
        ("seek to silence at the card", "seek silence", 100),
        ("end to silence at the card", "end", 100),
        ("seek to the new sound at the card", "seek", None),
        ("resume to sound at the card", "resume", None),
    ):
        yield _moment(title, times[name], limit)


def _moment(title, times, limit):
    median, worst = statistics.median(times), max(times)
    return (
        title,
        f"{median:.1f} ms (median of {len(times)}; {min(times):.1f}–{worst:.1f})",
        f"≤ {limit} ms" if limit else "reported",
        limit is None or worst <= limit,
    )


def _until(card, event, asked, seconds=5):
    """Milliseconds from `asked` to the card's first `event` after it."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        happened = card.first(event, asked)
        if happened:
            return (happened - asked) / 1e6
        time.sleep(0.005)
    raise SystemExit(f"no {event} at the card; its log: {card.events()[-5:]}")


# Load


def load():
    seconds = MINUTES * 60
    with scratch() as folder:
        song = folder / "music" / "song.flac"
        make_song(song, seconds + 30)
        cards = {name: Card(folder, name=name) for name in ("ours", "mpd")}
        with contextlib.ExitStack() as stack:
            ours = stack.enter_context(Listening(folder / "music", cards["ours"], BUFFER))
            mpd = stack.enter_context(Daemon(folder, cards["mpd"], BUFFER))
            ours.listen(song.name)
            mpd.listen(song)
            time.sleep(2)
            for _ in range(os.cpu_count() or 1):
                busy = subprocess.Popen(
                    [
                        sys.executable,
                        "-c",
                        f"import time\nend = time.monotonic() + {seconds}\n"
                        "while time.monotonic() < end: pass",
                    ]
                )
                stack.callback(busy.kill)
            time.sleep(seconds)
            dropouts = {name: card.count("underrun") for name, card in cards.items()}
    yield (
        f"dropouts in {MINUTES:g} minutes, all cores loaded, {BUFFER} ms",
        f"{dropouts['ours']}, MPD {dropouts['mpd']}",
        "≤ MPD's",
        dropouts["ours"] <= dropouts["mpd"],
    )
