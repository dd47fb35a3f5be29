"""What stays open in a program after many openings of the PCM `theater`, and in MpvPlayer after
crashes of mpv.

THEATER_OPENINGS (10000) and THEATER_MPV_KILLS (500) are how many.
"""

import contextlib
import ctypes
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

from controller import PRODUCTS, ROOT

from . import processes
from .audio import make_music, scratch
from .plugins import Plugin

OPENINGS = int(os.environ.get("THEATER_OPENINGS", 10_000))
KILLS = int(os.environ.get("THEATER_MPV_KILLS", 500))
MODULE = PRODUCTS / "alsa/libasound_module_pcm_theater.so"
# Messages of the cable protocol (docs/cable-protocol.md): kind, flags, zero, length, epoch.
HEADER = struct.Struct("<BBHII")
CREDIT, HEARD = 17, 1
WARM_UP = 100


def open_things(pid):
    """The open files, the memory (MB) and the threads of a process."""
    return (
        processes.descriptors(pid),
        processes.pss_megabytes(pid),
        len(os.listdir(f"/proc/{pid}/task")),
    )


def listen(path):
    """An amplifier that takes every program and plays what comes at once."""
    server = socket.socket(socket.AF_UNIX)
    server.bind(path)
    server.listen(1024)

    def serve():
        while True:
            program, _ = server.accept()
            # A program closes at any time.
            with program, contextlib.suppress(OSError):
                # Credit for the program, then for its first format.
                for epoch, frames in ((0, 0), (1, 1 << 40)):
                    program.recv(65_536)
                    program.sendall(
                        HEADER.pack(CREDIT, HEARD, 0, 8, epoch) + struct.pack("<Q", frames)
                    )
                while program.recv(65_536):
                    pass

    threading.Thread(target=serve, daemon=True).start()


def play(count):
    """Opens the PCM, plays 10 ms and closes it, as a program does that plays short sounds."""
    alsa = ctypes.CDLL("libasound.so.2")
    sound, frames = bytes(4 * 441), ctypes.c_ulong(441)
    for number in range(count + 1):
        if number in (WARM_UP, count):
            print(json.dumps(open_things(os.getpid())), flush=True)
        pcm = ctypes.c_void_p()
        codes = [alsa.snd_pcm_open(ctypes.byref(pcm), b"opened", 0, 0)]
        if codes[0] == 0:
            codes += [
                alsa.snd_pcm_set_params(pcm, 2, 3, 2, 44_100, 0, 100_000),
                alsa.snd_pcm_writei(pcm, sound, frames),
                alsa.snd_pcm_close(pcm),
            ]
        if min(codes) < 0:
            raise SystemExit(f"opening {number}: {codes}")


def pcm():
    with scratch() as folder:
        listen(str(folder / "socket"))
        (folder / "cable").write_text(f"{folder}/socket\n{'0' * 64}\n")
        (folder / "asound.conf").write_text(
            f'</usr/share/alsa/alsa.conf>\npcm_type.theater {{ lib "{MODULE}" }}\n'
            f'pcm.opened {{ type theater cable "{folder}/cable" }}\n'
        )
        began = time.monotonic()
        lines = subprocess.run(
            [sys.executable, "-m", f"{__package__}.openings", str(OPENINGS)],
            check=True,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT / "Benchmarks",
            env=dict(os.environ, ALSA_CONFIG_PATH=str(folder / "asound.conf")),
        ).stdout.splitlines()
        before, after = map(json.loads, lines)
        seconds = time.monotonic() - began
    yield from compare(f"{OPENINGS} openings of the PCM theater ({seconds:.0f} s)", before, after)


def mpv():
    with scratch() as folder, Plugin("MpvPlayer") as plugin:
        make_music(folder / "music" / "tone.flac", 600, "sine=440")
        plugin.open("cdPlayer", {"folders": [str(folder / "music")], "drive": ""})
        plugin.perform("cdPlayer", "on")
        plays = threading.Event()
        plugin.on_state = lambda params: (
            plays.set()
            if params.get("state", {}).get("playback", {}).get("state") == "playing"
            else None
        )
        began = time.monotonic()
        for number in range(KILLS + 1):
            # A play of its own, because the player gives up after three crashes in a row.
            plugin.perform("cdPlayer", {"play": {"item": "music/tone.flac"}})
            if number == WARM_UP:
                before = open_things(plugin.pid)
            if number == KILLS:
                found = open_things(plugin.pid)
            old = processes.children(plugin.pid)
            plays.clear()
            for child in old:
                os.kill(child, signal.SIGKILL)
            if not plays.wait(10):
                raise SystemExit(f"crash {number}: the song does not go on")
        seconds = time.monotonic() - began
    yield from compare(f"{KILLS} crashes of mpv ({seconds:.0f} s)", before, found)


def compare(title, before, after):
    """Files, memory and threads of a process, before and after."""
    yield (
        f"descriptors after {title}",
        f"{after[0]}, before {before[0]}",
        "no more",
        after[0] <= before[0],
    )
    # Swift starts worker threads as it needs them.
    yield (
        f"threads after {title}",
        f"{after[2]}, before {before[2]}",
        "≤ 4 more",
        after[2] <= before[2] + 4,
    )
    yield (
        f"PSS after {title}",
        f"{after[1]:.1f} MB, before {before[1]:.1f} MB",
        "≤ 3 MB more",
        after[1] - before[1] <= 3,
    )


if __name__ == "__main__":
    play(int(sys.argv[1]))
