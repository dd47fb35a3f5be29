#!/usr/bin/env python3
"""Speaks the cable protocol (docs/cable-protocol.md) with the standard library alone.

    cable_peer.py source PATH TOKEN FRAMES [PAUSE_AT]
        Sends FRAMES numbered CD frames as credit comes. At PAUSE_AT frames sent it flushes, as a
        pause does, and goes on with the first frame that was not heard.
    cable_peer.py noise PATH TOKEN
        Takes one source, answers with credit, then with bytes that are no messages.
    cable_peer.py sink PATH TOKEN [UNHEARD_AT]
        Accepts one source and plays its frames at once. After UNHEARD_AT frames it tells the source
        that it is not heard, until standard input has a line.

One line of JSON tells what happened. A numbered frame holds its own number, 32 bits.
"""

import contextlib
import itertools
import json
import os
import select
import socket
import struct
import sys
import time

HELLO, FORMAT, DATA, FLUSH, END = 1, 2, 3, 4, 5
CREDIT, HEARD, FLUSHED, DRAINED, CLOSE = 17, 18, 19, 20, 31
HEARD_FLAG = 1
HEADER = struct.Struct("<BBHII")
RATE, CHANNELS, S16, FRONT = 44_100, 2, 1, 3
FRAME = 4


class Peer:
    """One end of a cable: whole messages in, whole messages out."""

    def __init__(self, connection):
        self.connection = connection
        self.buffer = b""

    def send(self, kind, epoch=0, payload=b"", flags=0):
        self.connection.sendall(HEADER.pack(kind, flags, 0, len(payload), epoch) + payload)

    def receive_exactly(self, count):
        while len(self.buffer) < count:
            more = self.connection.recv(65_536)
            if not more:
                raise EOFError("the other end closed")
            self.buffer += more
        received, self.buffer = self.buffer[:count], self.buffer[count:]
        return received

    def receive(self):
        kind, flags, zero, length, epoch = HEADER.unpack(self.receive_exactly(HEADER.size))
        assert zero == 0 and length <= 65_536
        payload = self.receive_exactly(length)
        if kind == CLOSE:
            raise EOFError(payload.decode())
        return kind, flags, epoch, payload


def source(path, token, frames, pause_at=0):
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.connect(path)
    peer = Peer(connection)
    peer.send(HELLO, payload=struct.pack("<I", 1) + token.encode())
    kind, flags, epoch, _ = peer.receive()
    assert kind == CREDIT and epoch == 0, "the first message of a sink is credit"

    epoch = 1
    peer.send(FORMAT, epoch, struct.pack("<IBBHI", RATE, CHANNELS, S16, 0, FRONT))
    start = sent = 0  # the number of the epoch's first frame, and of the next to send
    limit = 0
    ended = False
    resumed_from = None
    said = {"heard": 0, "drained": False}
    while not said["drained"]:
        if pause_at and sent >= pause_at and resumed_from is None:
            epoch += 1
            peer.send(FLUSH, epoch)
            resumed_from = -1  # no answer to the flush has come yet
            limit = 0
        count = min(start + limit, frames) - sent
        if resumed_from != -1 and count > 0:
            count = min(count, 16_384)
            numbers = range(sent, sent + count)
            peer.send(DATA, epoch, struct.pack(f"<{count}I", *numbers))
            sent += count
            continue
        if sent == frames and not ended and resumed_from != -1:
            peer.send(END, epoch)
            ended = True
        kind, flags, of, payload = peer.receive()
        if kind == CREDIT and of == epoch:
            limit = struct.unpack("<Q", payload)[0]
        elif kind == HEARD and of == epoch:
            received, moment, delay = struct.unpack("<QQI", payload)
            assert moment <= time.monotonic_ns()
            said["heard"] = start + received - delay
        elif kind == FLUSHED and of == epoch:
            heard, of = struct.unpack("<QI", payload)
            assert of in (0, epoch - 1)
            start = sent = resumed_from = heard
        elif kind == DRAINED and of == epoch:
            said["drained"] = True
    said.update(sent=sent, resumedFrom=resumed_from)
    print(json.dumps(said), flush=True)


def accept(path):
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    os.umask(0o177)
    listener.bind(path)
    listener.listen(1)
    print(json.dumps({"listening": True}), flush=True)
    return Peer(listener.accept()[0])


def noise(path, _):
    peer = accept(path)
    peer.receive()
    peer.send(CREDIT, flags=HEARD_FLAG, payload=struct.pack("<Q", 0))
    peer.receive()
    peer.send(CREDIT, 1, struct.pack("<Q", 1000), HEARD_FLAG)
    with contextlib.suppress(OSError):
        peer.connection.sendall(bytes(range(256)) * 1_000)


def sink(path, token, unheard_at=0):
    peer = accept(path)
    kind, _, _, payload = peer.receive()
    version = struct.unpack("<I", payload[:4])[0]
    if kind != HELLO or version != 1 or payload[4:] != token.encode():
        peer.send(CLOSE, payload=b"wrong token")
        return
    ring = RATE // 10
    heard = True
    peer.send(CREDIT, flags=HEARD_FLAG, payload=struct.pack("<Q", 0))
    numbers = []
    received = flushes = epoch = previous_epoch = 0
    try:
        while True:
            if not heard and select.select([sys.stdin, peer.connection], [], [])[0][0] is sys.stdin:
                sys.stdin.readline()
                heard = True
                peer.send(CREDIT, epoch, struct.pack("<Q", received + ring), HEARD_FLAG)
            kind, _, epoch, payload = peer.receive()
            if kind in (FORMAT, FLUSH):
                if kind == FORMAT:
                    assert struct.unpack("<IBBHI", payload) == (RATE, CHANNELS, S16, 0, FRONT)
                else:
                    flushes += 1
                    peer.send(FLUSHED, epoch, struct.pack("<QI", received, previous_epoch))
                received, previous_epoch = 0, epoch
            elif kind == DATA:
                count = len(payload) // FRAME
                received += count
                if heard:
                    numbers += struct.unpack(f"<{count}I", payload)
                if unheard_at and len(numbers) >= unheard_at:
                    unheard_at = 0
                    heard = False
                    peer.send(CREDIT, epoch, struct.pack("<Q", received))
                    print(json.dumps({"unheardAfter": len(numbers)}), flush=True)
                    continue
                peer.send(HEARD, epoch, struct.pack("<QQI", received, time.monotonic_ns(), 0))
            elif kind == END:
                peer.send(DRAINED, epoch)
            if heard:
                peer.send(CREDIT, epoch, struct.pack("<Q", received + ring), HEARD_FLAG)
    except (EOFError, OSError):
        pass
    rising = all(a < b for a, b in itertools.pairwise(numbers))
    whole = numbers == list(range(len(numbers)))
    print(
        json.dumps(
            {
                "frames": len(numbers),
                "last": numbers[-1] if numbers else None,
                "rising": rising,
                "whole": whole,
                "flushes": flushes,
            }
        ),
        flush=True,
    )


if __name__ == "__main__":
    role, path, token, *numbers = sys.argv[1:]
    {"source": source, "sink": sink, "noise": noise}[role](path, token, *map(int, numbers))
