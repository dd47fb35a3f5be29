#!/usr/bin/env python3
"""Writes the page's binary files: the icon of an installed page, and ten seconds of silence.

    Scripts/page_assets.py

The icon shows the drawing of icon.svg on a full square, small enough for every mask. The page plays
the silence (js/parts/media-keys.js), because browsers show media keys only for a page that plays
sound itself.
"""

import math
import pathlib
import struct
import zlib

SITE = pathlib.Path(__file__).resolve().parents[1] / "Sources/WebServer/Site"
BACKGROUND, LAMP = (0x15, 0x10, 0x0F), (0xFF, 0xC5, 0x80)
SHADES = 64
# The side of the drawing as a fraction of the icon's side. The drawing then lies in the safe zone,
# which no mask cuts off (W3C, Web Application Manifest, section 8.5.1).
SAFE = 0.78


def distance_to_segment(x, y, x1, y1, x2, y2):
    """Returns the distance of the point (x, y) to the segment from (x1, y1) to (x2, y2)."""
    along = ((x - x1) * (x2 - x1) + (y - y1) * (y2 - y1)) / ((x2 - x1) ** 2 + (y2 - y1) ** 2)
    along = min(1, max(0, along))
    return math.hypot(x - x1 - along * (x2 - x1), y - y1 - along * (y2 - y1))


def shine(x, y, pixel):
    """Returns how much light of the lamp's colour a point of the 40 × 40 drawing has, 0 to 1.

    The drawing shows the screen with its cord, and the light below it. `pixel` is a pixel's side.
    """
    lines = [(8, 11, 32, 11), (32, 11, 32, 24), (32, 24, 8, 24), (8, 24, 8, 11), (20, 6, 20, 11)]
    line = min(distance_to_segment(x, y, *each) for each in lines) - 1.2
    cover = min(1, max(0, 0.5 - line / pixel))
    side = 4 * (y - 25) / 9
    inside = min(y - 25, 34 - y, (x - 10 + side) * 0.91, (30 + side - x) * 0.91)
    return max(cover, 0.4 * min(1, max(0, 0.5 + inside / pixel)))


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def icon(side):
    """A PNG with one palette from the background to the lamp's color."""
    pixel = 40 / side / SAFE

    def place(i):
        return ((i + 0.5) / side - 0.5) * 40 / SAFE + 20

    rows = b"".join(
        b"\0" + bytes(round(shine(place(x), place(y), pixel) * (SHADES - 1)) for x in range(side))
        for y in range(side)
    )
    palette = bytes(
        round(dark + (light - dark) * shade / (SHADES - 1))
        for shade in range(SHADES)
        for dark, light in zip(BACKGROUND, LAMP, strict=True)
    )
    header = struct.pack(">IIBBBBB", side, side, 8, 3, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"PLTE", palette)
        + chunk(b"IDAT", zlib.compress(rows, 9))
        + chunk(b"IEND", b"")
    )


def crc(data, width, polynomial):
    value = 0
    for byte in data:
        value ^= byte << (width - 8)
        for _ in range(8):
            value = ((value << 1) ^ polynomial if value >> (width - 1) else value << 1) & (
                (1 << width) - 1
            )
    return value


def silence(seconds=10, rate=8000, block=8000):
    """A FLAC of constant subframes (RFC 9639): one second a frame, one channel, 8 bits."""
    info = (
        struct.pack(">HH", block, block)
        + bytes(6)
        + struct.pack(">Q", rate << 44 | 0 << 41 | 7 << 36 | seconds * rate)
        + bytes(16)
    )
    frames = b""
    for number in range(seconds):
        # Fixed blocks; a block size of 16 bits; 8 kHz; mono; 8 bits a sample; then number and size.
        header = bytes([0xFF, 0xF8, 0x74, 0x02, number]) + struct.pack(">H", block - 1)
        header += bytes([crc(header, 8, 0x07)])
        frame = header + bytes([0, 0])
        frames += frame + struct.pack(">H", crc(frame, 16, 0x8005))
    return b"fLaC" + bytes([0x80]) + struct.pack(">I", len(info))[1:] + info + frames


if __name__ == "__main__":
    (SITE / "icon-192.png").write_bytes(icon(192))
    (SITE / "silence.flac").write_bytes(silence())
