"""Runs an evening without a person: an account, a film, a song, the radio, popcorn.

    python3 Scripts/demo.py [FOLDER]

Everything runs as it would in a living room, but the amplifier plays into a file. The recording is
FOLDER/evening.wav; by default FOLDER is a new folder below the system's temporary one.
"""

import array
import json
import pathlib
import secrets
import subprocess
import sys
import tempfile
import time
import wave

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Tests/Support"))

from controller import PRODUCTS, Controller, shipped_configuration

THEATER = PRODUCTS / "theater"


def sound_configuration(folder):
    """Writes an ALSA configuration with the PCM `evening`, which plays into a file.

    ALSA makes a new file each time the PCM is opened.
    """
    path = folder / "alsa.conf"
    path.write_text(
        "</usr/share/alsa/alsa.conf>\n"
        "pcm.evening {\n"
        "  type file\n  slave.pcm null\n"
        f'  file "{folder}/part.wav"\n  format wav\n  truncate false\n'
        "}\n"
    )
    return path


def theater_configuration():
    configuration = shipped_configuration()
    for device in configuration["devices"].values():
        options = device.setdefault("options", {})
        if device["plugin"] == "ALSAAmplifier":
            options["device"] = "evening"
        if device["plugin"] == "Simulated":
            options["speed"] = 20
    return configuration


class Evening:
    def __init__(self, folder):
        self.controller = Controller(
            theater_configuration(),
            environment={
                "ALSA_CONFIG_PATH": str(sound_configuration(folder)),
                "NO_COLOR": "1",
            },
            folder=folder,
            on_line=lambda line: print(f"  | {line}"),
        )
        self.environment = self.controller.environment
        self.code = None

    def start(self):
        self.controller.start()
        self.code = self.controller.setup_code()

    def run(self, *words, secret=None):
        """Runs a command, prints it and its output as a terminal shows them, returns the output."""
        shown = ["theater", *("CODE" if word == self.code else word for word in words)]
        quoted = [word if word.isascii() and " " not in word else repr(word) for word in shown]
        print(f"\n$ {' '.join(quoted)}")
        done = subprocess.run(
            [THEATER, *words], env=self.environment, text=True, input=secret, capture_output=True
        )
        print(done.stdout + done.stderr, end="")
        if done.returncode != 0:
            raise RuntimeError(f"theater {words[0]} ended with exit code {done.returncode}")
        return done.stdout

    def listed(self, command):
        listing = json.loads(
            subprocess.run(
                [THEATER, command, "--json"],
                env=self.environment,
                text=True,
                check=True,
                capture_output=True,
            ).stdout
        )
        if isinstance(listing, list):
            return listing
        return next(value for value in listing.values() if isinstance(value, list))

    def play(self):
        password = secrets.token_urlsafe(18)
        self.run(
            "register",
            "--setup-code",
            self.code,
            "--name",
            "Demo",
            "--email",
            "demo@example.org",
            "--password-stdin",
            secret=password + "\n",
        )
        self.run("login", "--email", "demo@example.org", "--password-stdin", secret=password + "\n")
        self.run("popcorn")
        self.run("watch", self.listed("films")[0]["title"])
        self.watch_progress(4)
        self.run("listen", self.listed("songs")[0]["title"])
        self.watch_progress(4)
        self.run("radio", self.listed("stations")[0]["title"])
        self.watch_progress(3)
        self.run("off")

    def watch_progress(self, seconds):
        for _ in range(2):
            time.sleep(seconds / 2)  # the point is to listen for a while
            self.run("status")


RATE = 48000


def read_stereo(part):
    """Returns the sample rate and the two channels of a recording.

    ALSA's 5.1 (FL FR RL RR FC LFE) is mixed down as ITU-R BS.775 says, at a level that cannot clip.
    """
    with wave.open(str(part), "rb") as recorded:
        if recorded.getsampwidth() != 2:
            return 0, [], []
        count = recorded.getnchannels()
        samples = array.array("h", recorded.readframes(recorded.getnframes()))
        rate = recorded.getframerate()
    columns = [samples[channel::count] for channel in range(count)]
    if count < 2:
        return rate, columns[0], columns[0]
    if count < 6:
        return rate, columns[0], columns[1]
    left, right, rear_left, rear_right, centre = columns[:5]
    return rate, *(
        [
            (front + 0.7071 * (middle + rear)) / 2.4142
            for front, middle, rear in zip(*side, strict=False)
        ]
        for side in ((left, centre, rear_left), (right, centre, rear_right))
    )


def at_common_rate(samples, rate):
    """Converts samples to `RATE` Hz. Linear interpolation needs no further package."""
    if rate == RATE:
        return [int(sample) for sample in samples]
    step = rate / RATE
    out = []
    for index in range(int((len(samples) - 1) / step)):
        place = index * step
        whole = int(place)
        slope = samples[whole + 1] - samples[whole]
        out.append(int(samples[whole] + slope * (place - whole)))
    return out


def join(folder):
    """Joins the parts into one stereo recording. ALSA begins a part whenever the format changes."""
    target = folder / "evening.wav"
    with wave.open(str(target), "wb") as out:
        out.setparams((2, 2, RATE, 0, "NONE", ""))
        for part in sorted(folder.glob("part.wav*")):
            rate, left, right = read_stereo(part)
            if len(left) < 2:
                continue
            both = array.array("h", bytes(0))
            for pair in zip(at_common_rate(left, rate), at_common_rate(right, rate), strict=True):
                both.extend(pair)
            out.writeframes(both.tobytes())
    return target


def main():
    if len(sys.argv) > 1:
        folder = pathlib.Path(sys.argv[1]).resolve()
        try:
            folder.mkdir(mode=0o700, parents=True)
        except FileExistsError:
            sys.exit(
                f"The folder {folder} exists already."
                " Name one that does not exist: the demo makes it."
            )
    else:
        folder = pathlib.Path(tempfile.mkdtemp(prefix="evening-"))
    evening = Evening(folder)
    evening.start()
    try:
        evening.play()
    finally:
        evening.controller.stop()
    recording = join(folder)
    with wave.open(str(recording), "rb") as sound:
        length = sound.getnframes() / sound.getframerate()
    print(f"\nThe evening is over. The recording of its sound ({length:.1f} s): {recording}")


main()
