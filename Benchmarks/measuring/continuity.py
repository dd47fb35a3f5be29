"""What is heard where sound begins, breaks off and goes on: silence that does not belong there, and
frames that are missing.

Tones of two files go through player, cable and amplifier to a card, a file and a PulseAudio sink,
and are looked at there, in every format, at the default buffer and at 500 ms. THEATER_BENCH_TRIES
(20) is how often each start, skip, seek, pause and resume is tried; THEATER_BENCH_ONLY leaves all
cases out but those whose names hold one of its words. Needs numpy.
"""

import contextlib
import os
import subprocess
import time

from .card import build
from .plugins import Listening, Refused

TRIES = int(os.environ.get("THEATER_BENCH_TRIES", 20))
ONLY = os.environ.get("THEATER_BENCH_ONLY", "").split()
TONES = (440.7, 617.3)  # Hz, left and right: a frame more or less shows in their phases
FORMATS = {
    "44.1/16": (44100, "pcm_s16le", 2),
    "96/24": (96000, "pcm_s24le", 2),
    "192/24": (192000, "pcm_s24le", 2),
    "5.1": (48000, "pcm_s16le", 6),
    "mono 22.05": (22050, "pcm_s16le", 1),
}
SECONDS = 30


class Sink:
    """A PCM whose sound is kept: `card`, `file` or `pulse`."""

    def __init__(self, folder, kind):
        self.kind = kind
        self.pcm = "kept"
        self.take_back = "always" if kind == "card" else "auto"
        self.sound = folder / "heard.raw"
        self.log = folder / "card.log"
        self.started = []
        configuration = folder / "asound.conf"
        definition = {
            "card": f'pcm_type.virtualcard {{ lib "{build(folder)}" }}\n'
            f'pcm.kept {{ type virtualcard file "{self.sound}" log "{self.log}" }}',
            "file": f'pcm.kept {{ type file slave.pcm "null" file "{self.sound}" format "raw" }}',
            "pulse": f'pcm.kept {{ type pulse server "unix:{folder}/native" device "test" }}',
        }[kind]
        configuration.write_text(f"</usr/share/alsa/alsa.conf>\n{definition}\n")
        self.environment = {"ALSA_CONFIG_PATH": str(configuration)}
        if kind == "pulse":
            self._start_server(folder)

    def _start_server(self, folder):
        environment = {
            "HOME": str(folder),
            "XDG_RUNTIME_DIR": str(folder),
            "PULSE_RUNTIME_PATH": str(folder),
            "PATH": "/usr/bin:/bin",
        }
        self._run(
            environment,
            "pulseaudio",
            "-n",
            "--daemonize=no",
            "--exit-idle-time=-1",
            "--use-pid-file=no",
            "--realtime=no",
            "--high-priority=no",
            "-L",
            "module-null-sink sink_name=test rate=48000 channels=2 norewinds=1",
            "-L",
            f"module-native-protocol-unix socket={folder}/native auth-anonymous=1",
        )
        while not (folder / "native").exists():
            time.sleep(0.01)
        self._run(
            environment,
            "parec",
            "-s",
            f"unix:{folder}/native",
            "-d",
            "test.monitor",
            "--latency-msec=20",
            "--rate=48000",
            "--channels=2",
            "--format=s16le",
            "--raw",
            self.sound,
        )
        while not self.sound.exists() or self.sound.stat().st_size == 0:
            time.sleep(0.01)

    def _run(self, environment, *words):
        self.started.append(
            subprocess.Popen(
                words, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
        )

    def close(self):
        for process in reversed(self.started):
            process.kill()
            process.wait()

    def format(self, rate, sample):
        """Rate, bytes of a sample and channels of what is kept."""
        if self.kind == "pulse":
            return 48000, 2, 2
        return rate, 2 if sample == "pcm_s16le" else 4, 2


def make_tone(path, rate, sample, channels):
    tones = [f"0.5*sin(2*PI*{tone}*t)" for tone in TONES][:channels] + ["0"] * (channels - 2)
    subprocess.run(
        [
            "ffmpeg",
            "-v",
            "error",
            "-f",
            "lavfi",
            "-i",
            f"aevalsrc={'|'.join(tones)}:s={rate}:d={SECONDS}",
            "-c:a",
            sample,
            path,
        ],
        check=True,
    )


class SinkRecording:
    """Stretches of unbroken tone in what a sink kept."""

    def __init__(self, path, rate, width, channels):
        import numpy

        self.numpy = numpy
        self.rate = rate
        data = numpy.fromfile(path, dtype="<i2" if width == 2 else "<i4")
        data = data[: len(data) // channels * channels].reshape(-1, channels)
        largest = numpy.abs(data.astype(numpy.int64)).max()
        full = 32768 if width == 2 else 2**31 if largest > 2**24 else 2**23
        self.frames = data / full
        self.found = {}

    def phases(self, channel, tone):
        """Every 0.5 ms, the tone's amplitude and the lead of its phase on its frequency."""
        numpy = self.numpy
        step = self.rate // 2000
        samples = self.frames[:, channel]
        time = numpy.arange(len(samples)) / self.rate
        spun = samples * numpy.exp(-2j * numpy.pi * tone * time)
        length = round(2 * self.rate / tone)
        sums = numpy.concatenate([[0], numpy.cumsum(spun)])
        middles = numpy.arange(length, len(samples) - length, step)
        mean = (sums[middles + length // 2] - sums[middles - length // 2]) / (length // 2 * 2) * 2
        return middles, numpy.abs(mean), numpy.angle(mean)

    def stretches(self, tone_channel=0):
        """(first, last, phase) of each stretch of unbroken tone, in frames and radians."""
        numpy = self.numpy
        if tone_channel in self.found:
            return self.found[tone_channel]
        middles, level, phase = self.phases(tone_channel, TONES[tone_channel])
        usual = numpy.median(level[level > 0.05]) if (level > 0.05).any() else 1
        steady = (numpy.abs(level / usual - 1) < 0.1).astype(int)
        # The phase may not move within 2 ms.
        turn = numpy.angle(numpy.exp(1j * (phase[4:] - phase[:-4])))
        steady[2:-2] &= numpy.abs(turn) < 0.1
        edges = numpy.flatnonzero(numpy.diff(numpy.concatenate([[0], steady, [0]])))
        found = []
        for first, end in zip(edges[::2], edges[1::2], strict=True):
            if end - first > 10:
                middle = phase[first:end]
                found.append(
                    (middles[first], middles[end - 1], numpy.angle(numpy.exp(1j * middle).mean()))
                )
        self.found[tone_channel] = found
        return found

    def lost(self, before, after, tones):
        """Milliseconds of the source that are missing between two stretches, negative where some
        are heard twice. They are good to 0.3 ms, and known up to multiples of 11.3 ms, with one
        tone of 2.3 ms."""
        numpy = self.numpy
        between = numpy.abs(self.frames[before[1] : after[0], 0])
        silent = (between < 2.5 / 32768).sum() / self.rate
        largest = 0.005 if tones == 2 else 0.0011
        offsets = numpy.arange(-largest, largest, 0.00005)
        error = 0
        for channel, tone in enumerate(TONES[:tones]):
            stretches = self.stretches(channel)
            ends = [
                min(stretches, key=lambda one: abs(one[0] - place[0])) for place in (before, after)
            ]
            turned = ends[1][2] - ends[0][2] + 2 * numpy.pi * tone * (silent - offsets)
            error = error + numpy.angle(numpy.exp(1j * turned)) ** 2
        return offsets[numpy.argmin(error)] * 1000


def sound_continuity():
    from .audio import scratch

    for name, (rate, sample, channels) in FORMATS.items():
        for kind in ("card", "file", "pulse"):
            for buffer in (200, 500):
                title = f"{name} on {kind}, {buffer} ms"
                if ONLY and not any(word in title for word in ONLY):
                    continue
                with scratch() as folder, contextlib.ExitStack() as stack:
                    for file in ("one.wav", "two.wav"):
                        make_tone(folder / "music" / file, rate, sample, channels)
                    sink = Sink(folder, kind)
                    stack.callback(sink.close)
                    yield from _tries(
                        folder, sink, buffer, title, sink.format(rate, sample), min(channels, 2)
                    )


def _tries(folder, sink, buffer, title, layout, tones):
    """Every way to begin, a few times; a stretch of tone each is expected."""
    marks = []
    with Listening(folder / "music", sink, buffer) as listening:

        def player(command):
            return listening.player.perform("cdPlayer", command)

        for number in range(TRIES):
            for action in ("start", "seek", "resume", "skip"):
                if action == "start":
                    with contextlib.suppress(Refused):
                        player("stop")
                    time.sleep(0.05)
                    listening.listen("one.wav")
                elif action == "seek":
                    player({"seek": 3 + number})
                elif action == "resume":
                    player("pause")
                    time.sleep(0.05 + number * 0.01)
                    player("play")
                else:
                    player("next")
                marks.append(action)
                time.sleep(0.45 + (number * 7 % 20) / 1000)
        player("stop")
        time.sleep(0.6)
        counted = listening.amplifier.attribute("underruns")
    heard = SinkRecording(sink.sound, *layout)
    stretches = heard.stretches()
    extra = len(stretches) - len(marks)
    yield (
        f"{title}: breaks in the sound",
        f"{extra} in {len(marks)} tries; {counted} counted as underruns",
        "0",
        extra == 0,
    )
    if extra == 0:
        lost = [
            heard.lost(stretches[index - 1], stretches[index], tones)
            for index, action in enumerate(marks)
            if action == "resume"
        ]
        worst = max(lost, key=abs)
        yield (
            f"{title}: lost at a resume",
            f"{worst:.2f} ms (worst of {len(lost)})",
            "≤ 0.5 ms",
            abs(worst) <= 0.5,
        )
