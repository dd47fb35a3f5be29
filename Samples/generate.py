#!/usr/bin/env python3
"""Makes the demo disc: five short pieces of our own, played by small synthesisers.

    python3 Samples/generate.py [FOLDER]      (default: Music/Demo Disc beside this script)

Needs Python's standard library, and ffmpeg to encode; without ffmpeg the pieces stay WAV files.
The result is the same on every run, so the encoded files in the repository can be made again.
"""

import array
import math
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import wave

ARTIST = "The House Band"
ALBUM = "Demo Disc"
NOTES = {"c": 0, "d": 2, "e": 4, "f": 5, "g": 7, "a": 9, "b": 11}


def pitch(name):
    """Hertz of a note: "a4" is 440, "c#3", "eb5"."""
    step = NOTES[name[0]] + name.count("#") - name[1:].count("b")
    return 440.0 * 2 ** ((step + 12 * (int(name[-1]) - 4) - 9) / 12)


# Instruments: (rate, Hertz, seconds) → samples from −1 to 1


def pluck(rate, hertz, seconds):
    """A string: noise in a delay line that loses its edges (Karplus and Strong, 1983)."""
    noise = random.Random(int(hertz * 100))
    period = max(2, round(rate / hertz))
    line = [noise.uniform(-1, 1) for _ in range(period)]
    out = array.array("f", bytes(4 * int(rate * seconds)))
    previous = 0.0
    for index in range(len(out)):
        place = index % period
        value = line[place]
        out[index] = value
        line[place] = 0.4985 * (value + previous)
        previous = value
    return fade(rate, out, 0.001, 0.05)


def square(rate, hertz, seconds, duty=0.25):
    """The lead voice of a game console."""
    step = hertz / rate
    count = int(rate * seconds)
    out = array.array("f", (0.5 if (index * step) % 1 < duty else -0.5 for index in range(count)))
    return fade(rate, out, 0.002, seconds * 0.4)


def triangle(rate, hertz, seconds):
    """The bass of the same console."""
    step = hertz / rate
    count = int(rate * seconds)
    out = array.array("f", (4 * abs((index * step) % 1 - 0.5) - 1 for index in range(count)))
    return fade(rate, out, 0.003, 0.03)


def hiss(rate, hertz, seconds):
    """A drum made of noise; `hertz` is how dull it is."""
    noise = random.Random(int(hertz))
    keep = math.exp(-2 * math.pi * hertz / rate)
    out = array.array("f", bytes(4 * int(rate * seconds)))
    value = 0.0
    for index in range(len(out)):
        value = keep * value + (1 - keep) * noise.uniform(-1, 1)
        out[index] = value * 2 * math.exp(-index / rate * 18)
    return out


def bell(rate, hertz, seconds):
    """One sine that shakes another, both dying away."""
    out = array.array("f", bytes(4 * int(rate * seconds)))
    slow, fast = 2 * math.pi * hertz / rate, 2 * math.pi * hertz * 3.5 / rate
    for index in range(len(out)):
        time = index / rate
        shake = 2.2 * math.exp(-time * 5) * math.sin(fast * index)
        out[index] = math.exp(-time * 2.6) * math.sin(slow * index + shake)
    return fade(rate, out, 0.002, 0.05)


def additive(rate, hertz, seconds, partials, attack, release, wobble=0.0):
    """Sines on top of each other: organs and pads."""
    out = array.array("f", bytes(4 * int(rate * seconds)))
    total = sum(abs(level) for _, level in partials)
    for multiple, level in partials:
        if hertz * multiple * 2 > rate:
            continue
        step = 2 * math.pi * hertz * multiple / rate
        for index in range(len(out)):
            out[index] += level / total * math.sin(step * index)
    if wobble:
        for index in range(len(out)):
            out[index] *= 1 - 0.25 + 0.25 * math.sin(2 * math.pi * wobble * index / rate)
    return fade(rate, out, attack, release)


def pad(rate, hertz, seconds):
    """A soft chord voice; two of each partial, a little apart, so that it breathes."""
    partials = [(1, 1), (1.004, 0.8), (2, 0.4), (2.009, 0.3), (3, 0.15), (4, 0.08)]
    return additive(rate, hertz, seconds, partials, 0.5, 0.8)


def organ(rate, hertz, seconds):
    """A fairground organ."""
    partials = [(1, 1), (2, 0.7), (3, 0.3), (4, 0.45), (6, 0.15), (8, 0.2)]
    return additive(rate, hertz, seconds, partials, 0.02, 0.06, wobble=6.1)


def fade(rate, samples, attack, release):
    """Takes the clicks off both ends."""
    rise = min(len(samples), max(1, int(rate * attack)))
    fall = min(len(samples), max(1, int(rate * release)))
    for index in range(rise):
        samples[index] *= index / rise
    for index in range(fall):
        samples[-1 - index] *= index / fall
    return samples


class Tape:
    """What the instruments play into."""

    def __init__(self, rate, channels, seconds):
        self.rate = rate
        self.tracks = [array.array("f", bytes(4 * int(rate * seconds))) for _ in range(channels)]
        self.known = {}

    def play(self, instrument, name, start, seconds, level=0.3, side=0.0):
        """Adds a note; `side` from −1 (left) to 1 (right)."""
        key = (instrument, name, seconds)
        if key not in self.known:
            hertz = name if isinstance(name, (int, float)) else pitch(name)
            self.known[key] = instrument(self.rate, hertz, seconds)
        note = self.known[key]
        first = int(start * self.rate)
        gains = [1.0]
        if len(self.tracks) == 2:
            angle = (side + 1) * math.pi / 4
            gains = [math.cos(angle) * 1.2, math.sin(angle) * 1.2]
        for track, gain in zip(self.tracks, gains, strict=True):
            gain *= level
            for index in range(min(len(note), len(track) - first)):
                track[first + index] += note[index] * gain

    def write(self, path):
        """A 16-bit WAV file whose loudest sample is at −3 dB, with a second of fade at its end."""
        for track in self.tracks:
            fade(self.rate, track, 0.001, 1.0)
        scale = 32767 * 0.7 / max(max(map(abs, track)) for track in self.tracks)
        frames = array.array("h", bytes(2 * len(self.tracks) * len(self.tracks[0])))
        for number, track in enumerate(self.tracks):
            frames[number :: len(self.tracks)] = array.array(
                "h", (round(sample * scale) for sample in track)
            )
        if sys.byteorder == "big":
            frames.byteswap()
        with wave.open(str(path), "wb") as file:
            file.setnchannels(len(self.tracks))
            file.setsampwidth(2)
            file.setframerate(self.rate)
            file.writeframes(frames.tobytes())


# The pieces


def morning_stairs():
    """A guitar climbs, one chord a bar."""
    tape = Tape(22_050, 1, 21)
    chords = ["c3 g3 c4 e4 g4 e4", "a2 e3 a3 c4 e4 c4", "f2 c3 f3 a3 c4 a3", "g2 d3 g3 b3 d4 b3"]
    beat = 0.2
    for bar in range(16):
        notes = chords[bar % 4].split()
        if bar >= 8:
            notes = notes[:3] + notes[:2:-1]
        for step, note in enumerate(notes):
            tape.play(pluck, note, (bar * 6 + step) * beat, 1.4, 0.5 if step == 0 else 0.32)
    for step, note in enumerate("c3 e3 g3 c4".split()):
        tape.play(pluck, note, 16 * 6 * beat + step * 0.05, 1.7, 0.5)
    return tape


def night_bus():
    """Slow minor chords, a bass that waits, a bell like a distant sign."""
    tape = Tape(44_100, 2, 32)
    chords = [
        ("a3 c4 e4 b4", "a1"),
        ("f3 a3 c4 g4", "f1"),
        ("d3 f3 a3 e4", "d2"),
        ("e3 g#3 b3 d4", "e1"),
    ]
    for bar in range(8):
        voices, bass = chords[bar % 4]
        for number, note in enumerate(voices.split()):
            tape.play(pad, note, bar * 3.8, 4.4, 0.22, -0.7 + 0.45 * number)
        for offset in (0, 1.425, 2.85):
            tape.play(triangle, bass[:-1] + str(int(bass[-1]) + 1), bar * 3.8 + offset, 0.8, 0.3)
        for offset in (0.95, 2.85):
            tape.play(hiss, 5000, bar * 3.8 + offset, 0.25, 0.12, 0.4)
        if bar % 2:
            for step, note in enumerate("e5 d5 b4".split()):
                tape.play(bell, note, bar * 3.8 + 1.9 + step * 0.475, 1.6, 0.16, 0.6)
    return tape


def eight_bit_errand():
    """Fast, square and cheerful."""
    tape = Tape(44_100, 2, 22)
    tune = (
        "e5 - e5 g5 a5 - g5 e5 d5 - d5 e5 g5 - - - c5 - c5 e5 g5 - e5 c5 d5 e5 d5 b4 c5 - - -"
    ).split()
    bass = "c3 c3 a2 a2 f2 f2 g2 c3".split()
    step = 0.15
    for turn in range(4):
        start = turn * len(tune) * step
        for index, note in enumerate(tune):
            if note != "-":
                tape.play(square, note, start + index * step, step * 1.4, 0.22, -0.25)
                if turn % 2:
                    low = note[:-1] + str(int(note[-1]) - 1)
                    tape.play(square, low, start + (index + 1.5) * step, step, 0.1, 0.7)
            if index % 2 == 0:
                tape.play(
                    triangle, bass[index // 4 % 8], start + index * step, step * 1.6, 0.34, 0.1
                )
            if index % 4 == 2:
                tape.play(hiss, 6000, start + index * step, 0.12, 0.3)
            if index % 8 == 0:
                tape.play(hiss, 300, start + index * step, 0.2, 0.9)
    tape.play(square, "c5", 4 * len(tune) * step, 1.2, 0.22)
    return tape


def glass_canon():
    """One tune, three bells, each two bars behind the other, left to right."""
    tape = Tape(48_000, 2, 26)
    tune = [
        ("d5", 2),
        ("a4", 2),
        ("b4", 2),
        ("f#4", 2),
        ("g4", 2),
        ("d4", 2),
        ("g4", 2),
        ("a4", 2),
        ("f#5", 1),
        ("e5", 1),
        ("d5", 1),
        ("c#5", 1),
        ("b4", 1),
        ("a4", 1),
        ("b4", 1),
        ("c#5", 1),
        ("d5", 1),
        ("f#5", 1),
        ("a5", 1),
        ("g5", 1),
        ("f#5", 1),
        ("d5", 1),
        ("e5", 1),
        ("c#5", 1),
        ("d5", 4),
    ]
    beat = 0.42
    for voice, side in enumerate((-0.8, 0.0, 0.8)):
        place = voice * 8
        for note, beats in tune:
            if place * beat < 24:
                tape.play(bell, note, place * beat, 2.0, 0.3, side)
            place += beats
    return tape


def waltz_for_gears():
    """An organ in three-four time, with clockwork."""
    tape = Tape(44_100, 2, 25)
    bars = [
        ("f2", "a3 c4"),
        ("c3", "bb3 e4"),
        ("c3", "g3 bb3"),
        ("f2", "a3 c4"),
        ("bb2", "d4 f4"),
        ("f2", "c4 f4"),
        ("g2", "b3 f4"),
        ("c3", "bb3 e4"),
    ]
    tune = [
        "c5 f5 a5",
        "g5 - e5",
        "bb5 a5 g5",
        "a5 - -",
        "d5 f5 bb5",
        "a5 g5 f5",
        "d5 e5 f5",
        "e5 g5 -",
    ]
    beat = 0.34
    for bar in range(22):
        low, chord = bars[bar % 8] if bar < 21 else ("f2", "a3 c4")
        start = bar * 3 * beat
        tape.play(organ, low, start, beat * 0.9, 0.4, -0.3)
        for offset in (1, 2):
            for note in chord.split():
                tape.play(organ, note, start + offset * beat, beat * 0.6, 0.16, 0.35)
            tape.play(hiss, 9000, start + offset * beat, 0.06, 0.12, 0.8)
        if 4 <= bar < 21:
            for step, note in enumerate(tune[(bar - 4) % 8].split()):
                if note != "-":
                    tape.play(organ, note, start + step * beat, beat * 0.95, 0.26, 0.0)
    tape.play(organ, "f4", 22 * 3 * beat, 1.2, 0.3)
    return tape


PIECES = [
    ("Morning Stairs", morning_stairs, "flac", ["-compression_level", "12"]),
    ("Night Bus", night_bus, "ogg", ["-c:a", "libvorbis", "-q:a", "2"]),
    ("Eight-Bit Errand", eight_bit_errand, "mp3", ["-b:a", "96k", "-id3v2_version", "3"]),
    ("Glass Canon", glass_canon, "opus", ["-c:a", "libopus", "-b:a", "40k"]),
    ("Waltz for Gears", waltz_for_gears, "m4a", ["-c:a", "aac", "-b:a", "72k"]),
]


def encode(source, target, options, tags):
    """Encodes with ffmpeg, the same bytes each time."""
    metadata = [part for key, value in tags.items() for part in ("-metadata", f"{key}={value}")]
    subprocess.run(
        [
            "ffmpeg",
            "-v",
            "error",
            "-y",
            "-i",
            str(source),
            "-map_metadata",
            "-1",
            *metadata,
            *options,
            "-fflags",
            "+bitexact",
            "-flags:a",
            "+bitexact",
            str(target),
        ],
        check=True,
    )


def main():
    here = pathlib.Path(__file__).resolve().parent
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else here / "Music" / ALBUM
    folder.mkdir(parents=True, exist_ok=True)
    encoder = shutil.which("ffmpeg")
    if not encoder:
        print("ffmpeg is not installed: the pieces stay WAV files", file=sys.stderr)
    with tempfile.TemporaryDirectory() as scratch:
        for number, (title, piece, kind, options) in enumerate(PIECES, 1):
            source = pathlib.Path(scratch) / "piece.wav"
            target = folder / f"{number:02} {title}.{kind if encoder else 'wav'}"
            piece().write(source)
            if encoder:
                tags = {
                    "title": title,
                    "artist": ARTIST,
                    "album": ALBUM,
                    "track": f"{number}/{len(PIECES)}",
                }
                encode(source, target, options, tags)
            else:
                shutil.copyfile(source, target)
            print(f"{target.name}: {target.stat().st_size // 1024} KiB")


if __name__ == "__main__":
    main()
