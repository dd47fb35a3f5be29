"""What a pause does to the sound: how late it is heard afterwards, and which frames are missing.

A film's flashes are compared with its beeps. Numbered frames of a song and of a program that plays
on the PCM `theater` go to a PulseAudio sink, which plays them unchanged; so do those of a station,
whose pause is that the tuner is off. THEATER_BENCH_PAUSES (0.4 1 3 8 20) are the lengths of the
pauses in seconds, THEATER_BENCH_BUFFERS (50 200 500) the amplifier's buffers in milliseconds;
THEATER_BENCH_CHANGES (50) is how often the channels of a film are changed. The songs and the
program need numpy.
"""

import array
import contextlib
import ctypes
import http.server
import itertools
import json
import os
import signal
import statistics
import subprocess
import sys
import threading
import time
import wave

from controller import PRODUCTS, ROOT

from . import film, processes
from .audio import scratch
from .continuity import Sink
from .plugins import Listening, Playing, Plugin

PAUSES = [float(word) for word in os.environ.get("THEATER_BENCH_PAUSES", "0.4 1 3 8 20").split()]
BUFFERS = [int(word) for word in os.environ.get("THEATER_BENCH_BUFFERS", "50 200 500").split()]
CHANGES = int(os.environ.get("THEATER_BENCH_CHANGES", 50))
RATE = 48000
LIMIT = 20  # ms
# A station is connected to anew after each pause, ms.
STATION_LIMIT = 60
# The least value of a sample of a numbered frame; each sample has 14 bits of the number.
FLOOR, BITS = 0x3000, 14


def watch_length(pause):
    """The seconds after a pause that are measured: an error may last as long as the pause did."""
    return min(pause, 8) + 3


# Films


class Capture:
    """The recorded screen and sound of a film that flashes and beeps once a second."""

    def __init__(self, path):
        self.path = path
        # (the moment of a flash by the system's clock, s; how much later its beep began, ms)
        self.late = []
        # The longest silence of a film with a tone, s.
        self.silence = None

    def read(self):
        flashes = list(film.rises(film.flash_levels(self.path)))
        beeps = list(film.rises(film.beep_levels(self.path)))
        for flash in flashes:
            flash -= 0.5 / film.GRABS
            beep = min(beeps, key=lambda beep: abs(beep - flash), default=None)
            if beep is not None and abs(beep - flash) < 0.45:
                self.late.append((flash, (beep - flash) * 1000))

    def during(self, spans):
        """How late the sound of each flash within these times was, ms."""
        return [
            late for moment, late in self.late if any(begin < moment < end for begin, end in spans)
        ]

    def longest_silence(self):
        """The longest time without sound after the first sound, s."""
        raw = subprocess.run(
            [
                "ffmpeg",
                "-v",
                "error",
                "-i",
                self.path,
                "-map",
                "0:a",
                "-c:a",
                "copy",
                "-f",
                "s16le",
                "-",
            ],
            check=True,
            capture_output=True,
        ).stdout
        longest, last = 0, None
        for place, sample in enumerate(array.array("h", raw)[::2]):
            if abs(sample) > 20:
                longest = max(longest, place - (place if last is None else last))
                last = place
        return longest / RATE


@contextlib.contextmanager
def flashing(seconds, buffer, channels=2, tone=0):
    """Plays a film that flashes and beeps, over a quiet tone; gives the player and the capture,
    which is read at the end."""
    with scratch() as folder, contextlib.ExitStack() as stack:
        path = folder / "music" / "flash.mkv"
        sound = f"{tone}*sin(2*PI*400*t)+0.5*sin(2*PI*1000*t)*lt(mod(t,1),{film.FLASH})"
        film.make_film(
            path,
            f"color=black:s={film.WIDTH}x{film.HEIGHT}:r=25,drawbox=color=white:t=fill:"
            f"enable='lt(mod(n,25),{25 * film.FLASH})'",
            f"aevalsrc='{'|'.join([sound] * channels)}':s={RATE}",
            seconds,
        )
        place = folder / "ours"
        place.mkdir()
        sink = Sink(place, "pulse")
        stack.callback(sink.close)
        screen = stack.enter_context(film.Screen(place / "screen"))
        capture = Capture(place / "capture.nut")
        recorder = film.record(capture.path, screen, place / "native")
        stack.callback(recorder.kill)
        with film.watching(path.parent, sink, screen, buffer) as ours:
            ours.play(path.name)
            yield ours, capture
            recorder.send_signal(signal.SIGINT)
            recorder.wait()
        capture.read()
        if tone:
            capture.silence = capture.longest_silence()


def film_pauses():
    for buffer in BUFFERS:
        resumed = []
        with flashing(10 + sum(map(watch_length, PAUSES)), buffer) as (ours, capture):
            time.sleep(4)
            for pause in PAUSES:
                ours.player.perform("dvdPlayer", "pause")
                time.sleep(pause)
                ours.player.perform("dvdPlayer", {"play": {}})
                resumed.append(time.time())
                time.sleep(watch_length(pause))
        for pause, begin in zip(PAUSES, resumed, strict=True):
            # An error lasts as long as the pause did.
            yield sync(
                f"film, {buffer} ms: sound after picture, pause of {pause:g} s",
                capture.during([(begin + 0.2, begin + min(pause, 8) + 1.2)]),
            )


def sync(title, late):
    middle = statistics.median(late) if late else float("nan")
    worst = max(late, key=abs, default=float("nan"))
    return (
        title,
        f"{middle:+.1f} ms (median of {len(late)}; worst {worst:+.1f})",
        f"within {LIMIT} ms",
        abs(middle) <= LIMIT,
    )


def film_channels():
    changed = []
    with flashing(10 + 4 * CHANGES, 200, channels=6, tone=0.01) as (ours, capture):
        before = processes.children(ours.player.pid)
        time.sleep(4)
        for number in range(CHANGES):
            changed.append(time.time())
            ours.player.perform("dvdPlayer", ("twoChannelAudio", "surroundAudio")[number % 2])
            time.sleep(3.5)
        survived = processes.children(ours.player.pid) == before
    mpv = "one mpv" if survived else "mpv was restarted"
    yield sync(
        f"sound after picture after {CHANGES} changes of the channels",
        capture.during([(begin + 1, begin + 3.4) for begin in changed]),
    )
    yield (
        f"silence at {CHANGES} changes of the channels",
        f"{1000 * capture.silence:.0f} ms (longest); {mpv}",
        "≤ 880 ms (mpv alone)",
        capture.silence <= 0.88 and survived,
    )


# Numbered frames


def numbered(count, first=0):
    import numpy

    numbers = numpy.arange(first, first + count)
    frames = numpy.empty((count, 2), dtype="<i2")
    frames[:, 0] = FLOOR + (numbers & (1 << BITS) - 1)
    frames[:, 1] = FLOOR + (numbers >> BITS)
    return frames.tobytes()


class Numbers:
    """The stretches of unchanged numbered frames in a recording."""

    def __init__(self, path):
        import numpy

        frames = numpy.fromfile(path, dtype="<i2")
        frames = frames[: len(frames) // 2 * 2].reshape(-1, 2).astype(numpy.int64)
        numbers = (frames[:, 0] - FLOOR) + ((frames[:, 1] - FLOOR) << BITS)
        steady = numpy.concatenate(
            [[0], (numpy.diff(numbers) == 1) & (frames[1:] >= FLOOR).all(1), [0]]
        )
        edges = numpy.flatnonzero(numpy.diff(steady))
        # (place, first number, count); shorter ones are accidents of a fade.
        self.runs = [
            (begin, int(numbers[begin]), end - begin + 1)
            for begin, end in zip(edges[::2], edges[1::2], strict=True)
            if end - begin > RATE // 100
        ]
        audible = numpy.concatenate([[0], numpy.cumsum(frames.any(1))])
        # Frames that are missing between each run and the next; those of a fade are there.
        self.lost = [
            int(
                after[1]
                - before[1]
                - before[2]
                - (audible[after[0]] - audible[before[0] + before[2]])
            )
            for before, after in itertools.pairwise(self.runs)
        ]

    def time(self, number):
        """When a frame was heard, in seconds of the recording; None for one that was not."""
        return next(
            (
                (place + number - first) / RATE
                for place, first, count in self.runs
                if first <= number < first + count
            ),
            None,
        )


def song_pauses():
    for buffer in BUFFERS:
        with scratch() as folder, contextlib.ExitStack() as stack:
            with wave.open(str(folder / "music" / "numbers.wav"), "wb") as file:
                file.setparams((2, 2, RATE, 0, "NONE", ""))
                file.writeframes(numbered(RATE * (10 + 3 * len(PAUSES))))
            sink = Sink(folder, "pulse")
            stack.callback(sink.close)
            with Listening(folder / "music", sink, buffer) as listening:
                listening.listen("numbers.wav")
                time.sleep(1.5)
                # The second pause comes before the first one is as long ago as it lasted.
                for pause in itertools.chain.from_iterable((length, 0.3) for length in PAUSES):
                    listening.player.perform("cdPlayer", "pause")
                    time.sleep(pause)
                    listening.player.perform("cdPlayer", {"play": {}})
                    time.sleep(0.6)
                listening.player.perform("cdPlayer", "stop")
                time.sleep(0.8)
            heard = Numbers(sink.sound)
        yield from lost(f"song, {buffer} ms", heard, 2 * len(PAUSES))


def lost(title, heard, pauses):
    """Fades begin and end with frames of which hardly one is audible."""
    found = max(map(abs, heard.lost), default=0)
    yield (
        f"{title}: frames lost at {pauses} pauses",
        f"{found} (worst); {len(heard.runs) - 1} breaks",
        "≤ 4 frames",
        found <= 4 and len(heard.runs) == pauses + 1,
    )


class NumbersStation(http.server.BaseHTTPRequestHandler):
    """A station of numbered frames as FLAC: the last second at once, then each as it comes due."""

    start = time.monotonic()
    # When the first sound of each connection was sent.
    begins = []

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "audio/flac")
        self.end_headers()
        encoder = subprocess.Popen(
            [
                "ffmpeg",
                "-v",
                "error",
                "-f",
                "s16le",
                "-ar",
                str(RATE),
                "-ac",
                "2",
                "-i",
                "-",
                "-frame_size",
                "1152",
                "-f",
                "flac",
                "-flush_packets",
                "1",
                "-",
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        threading.Thread(target=self.encode, args=(encoder.stdin,), daemon=True).start()
        sent = 0
        # Until the listener hangs up.
        with contextlib.suppress(ConnectionError):
            while data := encoder.stdout.read1(65536):
                # The header is shorter.
                if sent < 10_000 <= sent + len(data):
                    self.begins.append(time.monotonic())
                sent += len(data)
                self.wfile.write(data)
        encoder.kill()
        encoder.wait()

    def encode(self, encoder):
        sent = self.due() - RATE
        with contextlib.suppress(BrokenPipeError):
            while True:
                count = self.due() - sent
                encoder.write(numbered(count, sent))
                encoder.flush()
                sent += count
                time.sleep(0.02)

    def due(self):
        return int((time.monotonic() - self.start) * RATE) + RATE

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def numbers_station():
    """Gives the address of a station of numbered frames."""
    NumbersStation.begins.clear()
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), NumbersStation) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/numbers"
        server.shutdown()


def station_pauses():
    for buffer in BUFFERS:
        with scratch() as folder, contextlib.ExitStack() as stack:
            sink = Sink(folder, "pulse")
            stack.callback(sink.close)
            station = {"name": "Numbers", "url": stack.enter_context(numbers_station()), "fm": 98}
            options = {"stations": [station], "static": False}
            with Playing("LibavPlayer", "tuner", options, folder, sink, buffer) as radio:
                radio.player.perform("tuner", {"fm": 98})
                for pause in PAUSES:
                    time.sleep(3)
                    radio.player.perform("tuner", "off")
                    time.sleep(pause)
                    radio.player.perform("tuner", "on")
                time.sleep(3)
                radio.player.perform("tuner", "off")
                time.sleep(0.8)
            heard, begins = Numbers(sink.sound), list(NumbersStation.begins)
        breaks = len(heard.runs) - len(PAUSES) - 1
        yield (
            f"station, {buffer} ms: breaks between {len(PAUSES)} pauses",
            f"{breaks}",
            "0",
            breaks == 0,
        )
        # The recording has a zero of its own: what counts is that the difference stays the same.
        offsets = [
            (place / RATE - begin) * 1000
            # A break gives one run more than the station has begins.
            for (place, _, _), begin in zip(heard.runs, begins, strict=False)
        ]
        spread = max(offsets) - min(offsets) if offsets else float("nan")
        yield (
            f"station, {buffer} ms: from its sound to ours, {len(PAUSES)} pauses",
            f"{spread:.1f} ms between {len(offsets)} starts",
            f"within {STATION_LIMIT} ms",
            spread <= STATION_LIMIT,
        )


def program_pauses():
    for buffer in BUFFERS:
        with scratch() as folder, contextlib.ExitStack() as stack:
            sink = Sink(folder, "pulse")
            stack.callback(sink.close)
            (folder / "program.conf").write_text(
                f"<{folder}/asound.conf>\n<{PRODUCTS}/alsa/theater.conf>\n"
            )
            environment = {**sink.environment, "XDG_RUNTIME_DIR": str(folder)}
            with Plugin("ALSAAmplifier", environment) as amplifier:
                amplifier.open(
                    "amplifier",
                    {
                        "device": sink.pcm,
                        "mixer": "software",
                        "buffer": buffer,
                        "startupVolume": 100,
                        "inputs": ["programs"],
                    },
                )
                for command in ("on", {"volume": 100}, {"input": "programs"}):
                    amplifier.perform("amplifier", command)
                told = json.loads(
                    subprocess.run(
                        [sys.executable, "-m", f"{__package__}.pauses", *map(str, PAUSES)],
                        check=True,
                        stdout=subprocess.PIPE,
                        text=True,
                        cwd=ROOT / "Benchmarks",
                        env={
                            **os.environ,
                            **environment,
                            "ALSA_CONFIG_PATH": str(folder / "program.conf"),
                        },
                    ).stdout
                )
                time.sleep(0.5)
            heard = Numbers(sink.sound)
        # The recording has a zero of its own: what counts is that the difference stays the same.
        offsets = [
            (heard.time(frame) - moment) * 1000
            for moment, frame in told
            if heard.time(frame) is not None
        ]
        spread = max(offsets) - min(offsets)
        yield (
            f"program, {buffer} ms: error of the delay, {len(PAUSES)} pauses",
            f"{spread:.1f} ms between {len(offsets)} answers",
            f"within {LIMIT} ms",
            spread <= LIMIT,
        )
        yield from lost(f"program, {buffer} ms", heard, len(PAUSES))


def play(pauses):
    """Plays numbered frames on the PCM `theater`, with pauses. Prints which frame it takes for the
    audible one, and when."""
    alsa = ctypes.CDLL("libasound.so.2")
    pcm, delay = ctypes.c_void_p(), ctypes.c_long()
    if alsa.snd_pcm_open(ctypes.byref(pcm), b"theater", 0, 0) < 0:
        raise SystemExit("the PCM theater cannot be opened")
    # S16_LE, interleaved.
    alsa.snd_pcm_set_params(pcm, 2, 3, 2, RATE, 0, 200_000)
    chunk, written, told = RATE // 100, 0, []
    sound = numbered(RATE * 3 * (len(pauses) + 2))

    def play_for(seconds):
        nonlocal written
        for turn in range(int(seconds * 100)):
            data = sound[written * 4 : (written + chunk) * 4]
            if alsa.snd_pcm_writei(pcm, data, ctypes.c_ulong(chunk)) != chunk:
                raise SystemExit("the PCM theater does not take its frames")
            written += chunk
            # Until the first report of the amplifier, and from then on exactly.
            if turn > 60 and alsa.snd_pcm_delay(pcm, ctypes.byref(delay)) == 0:
                told.append((time.monotonic(), written - delay.value))

    play_for(2)
    for pause in pauses:
        alsa.snd_pcm_pause(pcm, 1)
        time.sleep(pause)
        alsa.snd_pcm_pause(pcm, 0)
        play_for(2)
    alsa.snd_pcm_drain(pcm)
    alsa.snd_pcm_close(pcm)
    print(json.dumps(told))


if __name__ == "__main__":
    play([float(word) for word in sys.argv[1:]])
