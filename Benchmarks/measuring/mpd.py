"""A private Music Player Daemon, the peer that our sound is compared with."""

import os
import socket
import subprocess
import time


class Daemon:
    """MPD on a PCM, with nothing else of a real one: no database, no network, no state."""

    def __init__(self, folder, card, buffer=None, volume=100, name="mpd"):
        """`buffer` is the PCM's, ms; without one MPD decides (500 ms). A period is a quarter."""
        place = folder / name
        place.mkdir()
        self.path = place / "socket"
        times = (
            ""
            if buffer is None
            else (f'  buffer_time "{buffer * 1000}"\n  period_time "{buffer * 250}"\n')
        )
        (place / "mpd.conf").write_text(
            f'music_directory "{folder}"\nbind_to_address "{self.path}"\nlog_file "{place}/log"\n'
            f'zeroconf_enabled "no"\nauto_update "no"\nreplaygain "off"\n'
            f'audio_output {{\n  type "alsa"\n  name "card"\n  device "{card.pcm}"\n'
            f'  mixer_type "{"none" if volume == 100 else "software"}"\n{times}'
            f'  auto_resample "no"\n  auto_format "no"\n  auto_channels "no"\n}}\n'
        )
        self.process = subprocess.Popen(
            ["mpd", "--no-daemon", place / "mpd.conf"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=dict(os.environ, **card.environment),
        )
        self.pid = self.process.pid
        self.connection = self._connect()
        if volume != 100:
            self.command(f"setvol {volume}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()
        self.process.terminate()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def _connect(self):
        for _ in range(500):
            try:
                connection = socket.socket(socket.AF_UNIX)
                connection.connect(str(self.path))
                self.lines = connection.makefile("rw", encoding="utf-8", newline="\n")
                self.lines.readline()
                return connection
            except OSError:
                connection.close()
                time.sleep(0.02)
        raise SystemExit("mpd does not answer")

    def command(self, line):
        """Sends one command; returns the monotonic time at which it was sent, ns."""
        sent = time.monotonic_ns()
        self.lines.write(line + "\n")
        self.lines.flush()
        while not (answer := self.lines.readline()).startswith("OK"):
            if not answer or answer.startswith("ACK"):
                raise SystemExit(f"mpd: {line}: {answer.strip() or 'gone'}")
        return sent

    def listen(self, path):
        self.command("clear")
        self.command(f'add "file://{path}"')
        return self.command("play")
