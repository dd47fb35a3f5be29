#!/usr/bin/env python3
"""A program that sets the speakers of its channels with libasound (ctypes), without the theater.

    alsa_channels.py PCM CHANNELS [MAP]

Plays 0.2 s in which each sample of channel N is 1000 x (N + 1), with the map MAP, such as
"FL FR FC", or without setting one. One line of JSON has the offered maps, and the map with which
it played.
"""

import ctypes
import json
import struct
import sys

RATE = 48_000
PLAYBACK, RW_INTERLEAVED, S16_LE = 0, 3, 2

alsa = ctypes.CDLL("libasound.so.2")
for name in ("snd_pcm_query_chmaps", "snd_pcm_get_chmap", "snd_pcm_chmap_parse_string"):
    getattr(alsa, name).restype = ctypes.c_void_p
alsa.snd_strerror.restype = ctypes.c_char_p
alsa.snd_pcm_writei.restype = ctypes.c_long


def check(code, what):
    if code < 0:
        raise SystemExit(f"{what}: {alsa.snd_strerror(code).decode()}")


def text(chmap):
    buffer = ctypes.create_string_buffer(200)
    check(alsa.snd_pcm_chmap_print(ctypes.c_void_p(chmap), len(buffer), buffer), "print")
    return buffer.value.decode()


def offered(pcm):
    """The maps of the list, each of which lies behind its type."""
    first = alsa.snd_pcm_query_chmaps(pcm)
    found = []
    entry = ctypes.cast(first, ctypes.POINTER(ctypes.c_void_p))
    while first and entry[len(found)]:
        found.append(text(entry[len(found)] + ctypes.sizeof(ctypes.c_int)))
    alsa.snd_pcm_free_chmaps(ctypes.c_void_p(first))
    return found


name, channels, *wanted = sys.argv[1:]
channels = int(channels)
pcm = ctypes.c_void_p()
check(alsa.snd_pcm_open(ctypes.byref(pcm), name.encode(), PLAYBACK, 0), "open")
check(
    alsa.snd_pcm_set_params(pcm, S16_LE, RW_INTERLEAVED, channels, RATE, 0, 100_000), "set_params"
)
maps = offered(pcm)
if wanted:
    chmap = ctypes.c_void_p(alsa.snd_pcm_chmap_parse_string(wanted[0].encode()))
    check(alsa.snd_pcm_set_chmap(pcm, chmap), "set_chmap")
used = text(alsa.snd_pcm_get_chmap(pcm))
frame = struct.pack(f"<{channels}h", *(1000 * (index + 1) for index in range(channels)))
check(alsa.snd_pcm_writei(pcm, frame * (RATE // 5), ctypes.c_ulong(RATE // 5)), "writei")
check(alsa.snd_pcm_drain(pcm), "drain")
check(alsa.snd_pcm_close(pcm), "close")
print(json.dumps({"maps": maps, "used": used}))
