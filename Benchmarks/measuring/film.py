"""Figures of films: picture against sound, CPU beside mpv alone, and how soon the picture is seen.

The picture is that of Xvfb, the sound that of a PulseAudio null sink. THEATER_BENCH_SECONDS (60) is
how long the CPU is counted, and twice as long as the flashes are; THEATER_BENCH_REPEATS (20) is how
often the first picture is measured.
"""

import array
import contextlib
import mmap
import os
import re
import signal
import statistics
import struct
import subprocess
import time

from controller import Controller, instant_configuration

from . import processes
from .audio import REPEATS, SECONDS, scratch
from .continuity import Sink
from .plugins import Playing

WIDTH, HEIGHT = 640, 360
# Grabs of the screen a second: a flash is seen up to one of them late.
GRABS = 100
FLASH = 0.1  # s
ALONE = [
    "mpv",
    "--no-config",
    "--no-terminal",
    "--vo=x11",
    "--fullscreen",
    "--hwdec=no",
    "--osc=no",
    "--osd-level=0",
    "--ao=alsa",
    "--audio-device=alsa/kept",
]
# The buffers of the sound that MpvPlayer asks for.
BUFFERS = ["--alsa-buffer-time=400000", "--alsa-periods=8", "--audio-buffer=0.4"]


class Screen:
    """An X server whose picture is in a file; `with` ends it."""

    def __init__(self, folder):
        folder.mkdir()
        self.process = subprocess.Popen(
            [
                "Xvfb",
                "-displayfd",
                "1",
                "-screen",
                "0",
                f"{WIDTH}x{HEIGHT}x24",
                "-nolisten",
                "tcp",
                "-noreset",
                "-fbdir",
                folder,
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.display = f":{int(self.process.stdout.readline())}"
        with open(folder / "Xvfb_screen0", "rb") as file:
            self.picture = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
        # The header of the format XWD.
        header = struct.unpack(">25I", self.picture[:100])
        self.middle = header[0] + header[19] * 12 + HEIGHT // 2 * header[12] + WIDTH // 2 * 4

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def color(self):
        """Red, green and blue of the pixel in the middle."""
        blue, green, red = self.picture[self.middle : self.middle + 3]
        return red, green, blue

    def wait_for(self, index, seconds=10):
        """Waits until the middle is red (0), green (1) or blue (2); the monotonic time, ns."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            color = self.color()
            if color[index] > 200 and sum(color) < 300:
                return time.monotonic_ns()
            time.sleep(0.0005)
        raise SystemExit(f"the screen shows {self.color()}")


def make_film(path, picture, sound, seconds):
    # FLAC has no delay of an encoder.
    subprocess.run(
        [
            "ffmpeg",
            "-v",
            "error",
            "-f",
            "lavfi",
            "-i",
            picture,
            "-f",
            "lavfi",
            "-i",
            sound,
            "-t",
            str(seconds),
            "-c:v",
            "libx264",
            "-preset",
            "ultrafast",
            "-pix_fmt",
            "yuv420p",
            "-g",
            "25",
            "-c:a",
            "flac",
            path,
        ],
        check=True,
    )


def watching(folder, sink, screen, buffer=200):
    return Playing(
        "MpvPlayer",
        "dvdPlayer",
        {"display": screen.display, "videoOutput": "x11", "hardwareDecoding": "no", "drive": ""},
        folder,
        sink,
        buffer,
    )


@contextlib.contextmanager
def alone(film, sink, screen, options=()):
    """mpv without the theater, on a display and PCM of the same kind."""
    process = subprocess.Popen(
        [*ALONE, *options, film], env=dict(os.environ, DISPLAY=screen.display, **sink.environment)
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


# Picture against sound


def sync():
    with scratch() as folder:
        film = folder / "music" / "flash.mkv"
        make_film(
            film,
            f"color=black:s={WIDTH}x{HEIGHT}:r=25,drawbox=color=white:t=fill:"
            f"enable='lt(mod(n,25),{25 * FLASH})'",
            f"aevalsrc='0.5*sin(2*PI*1000*t)*lt(mod(t,1),{FLASH})':s=48000",
            SECONDS / 2 + 5,
        )
        found = {}
        for name in ("ours", "alone"):
            place = folder / name
            place.mkdir()
            sink = Sink(place, "pulse")
            with contextlib.ExitStack() as stack:
                stack.callback(sink.close)
                screen = stack.enter_context(Screen(place / "screen"))
                capture = place / "capture.nut"
                recorder = record(capture, screen, place / "native")
                stack.callback(recorder.kill)
                if name == "ours":
                    ours = stack.enter_context(watching(film.parent, sink, screen))
                    ours.play(film.name)
                else:
                    stack.enter_context(alone(film, sink, screen))
                time.sleep(SECONDS / 2)
                recorder.send_signal(signal.SIGINT)
                recorder.wait()
            found[name] = differences(capture)
    for name, title in (
        ("ours", "sound after picture: mpv, PCM theater, amplifier"),
        ("alone", "the same, mpv alone"),
    ):
        late = found[name]
        middle = statistics.median(late)
        worst = max(late, key=abs)
        yield (
            title,
            f"{middle:+.1f} ms (median of {len(late)}; worst {worst:+.1f}; a flash is "
            f"seen to ± {500 / GRABS:.0f} ms)",
            "within 20 ms" if name == "ours" else "reported",
            name != "ours" or abs(middle) <= 20,
        )


def record(path, screen, socket):
    """Records screen and sink in one process, with the time of the system's clock."""
    recorder = subprocess.Popen(
        [
            "ffmpeg",
            "-v",
            "error",
            "-nostdin",
            "-thread_queue_size",
            "512",
            "-f",
            "x11grab",
            "-draw_mouse",
            "0",
            "-framerate",
            str(GRABS),
            "-video_size",
            "32x32",
            "-grab_x",
            str(WIDTH // 2),
            "-grab_y",
            str(HEIGHT // 2),
            "-i",
            screen.display,
            "-thread_queue_size",
            "512",
            "-f",
            "pulse",
            "-server",
            f"unix:{socket}",
            "-fragment_size",
            "960",
            "-i",
            "test.monitor",
            "-copyts",
            "-map",
            "0:v",
            "-map",
            "1:a",
            # An encoder would round the times of the grabs.
            "-c",
            "copy",
            path,
        ]
    )
    while not path.exists() or path.stat().st_size < 100_000:
        if recorder.poll() is not None:
            raise SystemExit("ffmpeg does not record")
        time.sleep(0.05)
    return recorder


def differences(capture):
    """How much later than its flash each beep begins, ms."""
    flashes, beeps = list(rises(flash_levels(capture))), list(rises(beep_levels(capture)))
    late = []
    for flash in flashes:
        # A flash is grabbed half an interval late on average.
        flash -= 0.5 / GRABS
        beep = min(beeps, key=lambda beep: abs(beep - flash), default=None)
        if beep is not None and abs(beep - flash) < 0.4:
            late.append((beep - flash) * 1000)
    if len(late) < 5:
        raise SystemExit(f"{len(flashes)} flashes and {len(beeps)} beeps were recorded")
    # The first ones belong to the start.
    return late[2:]


def rises(levels):
    """The times at which a level rises above a half after half a second below it."""
    last = None
    for moment, level in levels:
        if level > 0.5:
            if last is None or moment - last > 0.5:
                yield moment
            last = moment


def flash_levels(capture):
    done = subprocess.run(
        [
            "ffmpeg",
            "-v",
            "error",
            "-copyts",
            "-i",
            capture,
            "-map",
            "0:v",
            "-vf",
            "settb=1/1000000,signalstats,metadata=print:key=lavfi.signalstats.YAVG:file=-",
            "-vsync",
            "passthrough",
            "-f",
            "null",
            "-",
        ],
        check=True,
        capture_output=True,
        text=True,
    )
    for moment, level in re.findall(r"pts:(\d+) .*\n.*YAVG=(\S+)", done.stdout):
        yield int(moment) / 1e6, float(level) / 255


def beep_levels(capture):
    """The time of each loud sample, and 1."""
    done = subprocess.run(
        [
            "ffprobe",
            "-v",
            "error",
            "-select_streams",
            "a",
            "-show_entries",
            "packet=pts_time,size",
            "-of",
            "csv=p=0",
            capture,
        ],
        check=True,
        capture_output=True,
        text=True,
    )
    raw = subprocess.run(
        ["ffmpeg", "-v", "error", "-i", capture, "-map", "0:a", "-c:a", "copy", "-f", "s16le", "-"],
        check=True,
        capture_output=True,
    ).stdout
    samples = array.array("h", raw)[::2]
    loud = max(max(samples) / 10, 100)
    first = 0
    for line in done.stdout.split():
        moment, size = line.split(",")[:2]
        count = int(size) // 4
        for index, sample in enumerate(samples[first : first + count]):
            if abs(sample) > loud:
                yield float(moment) + index / 48000, 1
        first += count


# CPU


def cpu():
    """All play at the same time, each on a display and a sink of its own."""
    with scratch() as folder, contextlib.ExitStack() as stack:
        film = folder / "music" / "film.mkv"
        make_film(film, f"testsrc2=s={WIDTH}x{HEIGHT}:r=25", "sine=440:r=48000", SECONDS + 30)
        sinks, screens = {}, {}
        for name in ("ours", "alone", "equal"):
            place = folder / name
            place.mkdir()
            sinks[name] = Sink(place, "pulse")
            stack.callback(sinks[name].close)
            screens[name] = stack.enter_context(Screen(place / "screen"))
        ours = stack.enter_context(watching(film.parent, sinks["ours"], screens["ours"]))
        ours.play(film.name)
        groups = {name: [pid] for name, pid in ours.processes}
        groups["mpv"] = processes.children(ours.player.pid)
        peers = {"alone": (), "equal": BUFFERS}
        for name, options in peers.items():
            peer = stack.enter_context(alone(film, sinks[name], screens[name], options))
            groups[name] = [peer.pid]
        time.sleep(5)  # what opening costs is not playing
        used = processes.cpu_a_minute(groups, SECONDS)
    peers = {name: used.pop(name) for name in peers}
    total = sum(used.values())
    parts = ", ".join(f"{name} {seconds:.2f}" for name, seconds in used.items())
    for name, title in (("alone", "CPU a minute of a film"), ("equal", "the same, equal buffers")):
        ratio = total / peers[name]
        yield (
            title,
            f"{total:.2f} s ({parts}) = {ratio:.2f} × mpv alone, {peers[name]:.2f} s",
            "≤ 1.1 ×",
            ratio <= 1.1,
        )


# The first picture


def first_picture():
    with scratch() as folder, contextlib.ExitStack() as stack:
        films = folder / "music"
        for color in ("red", "blue"):
            make_film(
                films / f"{color}.mkv",
                f"color={color}:s={WIDTH}x{HEIGHT}:r=25",
                "sine=440:r=48000",
                60,
            )
        sink = Sink(folder, "pulse")
        stack.callback(sink.close)
        screen = stack.enter_context(Screen(folder / "screen"))
        configuration = instant_configuration()
        devices = configuration["devices"]
        devices["amp"] |= {"plugin": "ALSAAmplifier", "options": {"device": sink.pcm}}
        devices["dvd"] |= {
            "plugin": "MpvPlayer",
            "options": {
                "folders": [str(films)],
                "display": screen.display,
                "videoOutput": "x11",
                "drive": "",
            },
        }
        configuration["library"] |= {"folders": [str(films)], "films": []}
        controller = stack.enter_context(Controller(configuration, sink.environment))
        controller.log_in()
        controller.wait_for(controller.plugins_are_up)

        def listed():
            found = controller.request("GET", "/api/v1/films")["films"]
            return {film["title"]: film["id"] for film in found if film["title"] in ("red", "blue")}

        items = controller.wait_for(lambda: len(listed()) == 2 and listed())
        times = []
        for number in range(REPEATS + 1):
            title, index = (("red", 0), ("blue", 2))[number % 2]
            asked = time.monotonic_ns()
            controller.request(
                "POST",
                "/api/v1/watch",
                {"item": items[title], "fromStart": True},
                headers={"Prefer": "respond-async"},
            )
            times.append((screen.wait_for(index) - asked) / 1e6)
            time.sleep(1)
    cold, times = times[0], times[1:]
    median = statistics.median(times)
    yield (
        "watch to the first picture, devices on",
        f"{median:.0f} ms (median of {len(times)}; {min(times):.0f}–{max(times):.0f})",
        "≤ 300 ms",
        median <= 300,
    )
    yield ("watch to the first picture, devices off", f"{cold:.0f} ms", "reported", True)
