#!/usr/bin/env python3
"""A program that plays through ALSA: libasound through ctypes, nothing of the theater.

    alsa_player.py PCM FRAMES [pause AT | drop AT]

Plays FRAMES numbered CD frames; a numbered frame holds its own number, 32 bits. After AT frames it
pauses and resumes, or drops the unheard frames and goes on with the next unwritten one. Prints one
line of JSON, with the duration in seconds and the longest delay in frames.
"""

import ctypes
import json
import struct
import sys
import time

RATE = 44_100
PLAYBACK, RW_INTERLEAVED, S16_LE = 0, 3, 2
CHUNK = 1_024
PAUSE = 0.05

alsa = ctypes.CDLL("libasound.so.2")
alsa.snd_pcm_writei.restype = ctypes.c_long
alsa.snd_pcm_writei.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_ulong]


def check(code, what):
    if code < 0:
        alsa.snd_strerror.restype = ctypes.c_char_p
        raise SystemExit(f"{what}: {alsa.snd_strerror(code).decode()}")
    return code


def play(name, frames, word=None, at=0):
    pcm = ctypes.c_void_p()
    check(alsa.snd_pcm_open(ctypes.byref(pcm), name.encode(), PLAYBACK, 0), "open")
    # Latency in µs; no resampling.
    check(alsa.snd_pcm_set_params(pcm, S16_LE, RW_INTERLEAVED, 2, RATE, 0, 100_000), "set_params")
    longest = 0
    begun = time.monotonic()
    done = 0
    while done < frames:
        count = min(CHUNK, frames - done)
        data = struct.pack(f"<{count}I", *range(done, done + count))
        done += check(alsa.snd_pcm_writei(pcm, data, count), "writei")
        delay = ctypes.c_long()
        check(alsa.snd_pcm_delay(pcm, ctypes.byref(delay)), "delay")
        longest = max(longest, delay.value)
        if word and done >= at:
            if word == "pause":
                check(alsa.snd_pcm_pause(pcm, 1), "pause")
                time.sleep(PAUSE)
                check(alsa.snd_pcm_pause(pcm, 0), "resume")
            else:
                check(alsa.snd_pcm_drop(pcm), "drop")
                check(alsa.snd_pcm_prepare(pcm), "prepare")
            word = None
    check(alsa.snd_pcm_drain(pcm), "drain")
    seconds = time.monotonic() - begun
    check(alsa.snd_pcm_close(pcm), "close")
    print(json.dumps({"seconds": seconds, "longestDelay": longest}))


if __name__ == "__main__":
    name, frames, *rest = sys.argv[1:]
    play(name, int(frames), *(rest[:1] + [int(number) for number in rest[1:]]))
