#!/usr/bin/env python3
"""Speaks mpv's JSON IPC on descriptor 0, with the fault that the variable FAULT names.

crash: ends at loadfile; close: closes the connection there and stays; garbage: sends what is no
message; deaf: reads and answers nothing, and does not end; odd: sends messages that are out of
range or of unknown kinds, and plays; over: plays sound that ends before the question for its
output, and tells the end only with the question after that; refuses: plays, and refuses to pause
and to change its channels, and does not answer a stop; held: plays, and after its restart withholds
its first answer until it has to stop; leaves: ends after it has told the facts of a film; hangs:
reads each film but b.mkv, at which it hangs; late: tells that a film failed only when it loads the
next one. The file of the variable TRACE gets the name of each command.
"""

import json
import os
import socket
import sys
import time

fault = os.environ.get("FAULT", "")
if fault == "deaf":
    time.sleep(60)
peer = socket.socket(fileno=0)
odd = {
    "duration": "long",
    "seekable": 7,
    "track-list": [{"type": 5}, 3, {"type": "audio", "codec": None}],
    "chapter-list": [{"time": "x"}, {"time": 1e300}, {"time": -1}],
    "time-pos": 1e308,
    "current-ao": "alsa",
    "metadata/by-key/title": ["a"],
}
films = 0


def send(**message):
    peer.sendall(json.dumps(message).encode() + b"\n")


def load(number, address):
    global films
    films += 1
    if fault == "late":
        send(request_id=number, error="success", data={"playlist_entry_id": films})
        send(
            event="end-file",
            reason="error",
            playlist_entry_id=films - 1,
            file_error="loading failed",
        )
        send(event="file-loaded")
        return
    if fault == "hangs":
        send(request_id=number, error="success", data={"playlist_entry_id": films})
        send(event="start-file", playlist_entry_id=films)
        if address.endswith("/b.mkv"):
            time.sleep(60)
        send(event="file-loaded")
        return
    if fault == "crash":
        sys.exit(3)
    if fault == "close":
        peer.shutdown(socket.SHUT_RDWR)
        time.sleep(60)
    if fault == "garbage":
        peer.sendall(b"\xff\xfe not JSON {\n" * 20 + b"[" * 200 + b"\n")
        time.sleep(60)
    if fault == "over":
        send(request_id=number, error="success", data={"playlist_entry_id": 1})
        send(event="file-loaded")
        send(event="playback-restart")
        return
    for line in (
        b"\n\n",
        b"{}\n",
        b'{"event": 5}\n',
        b'{"request_id": 99999, "error": "success"}\n',
    ):
        peer.sendall(line)
    send(event="no-such-event", data=[1, 2])
    send(event="property-change", id=1)
    send(event="property-change", name="paused-for-cache", data="yes")
    send(event="end-file", reason="eof", playlist_entry_id=-4)
    send(event="end-file", reason="nonsense", playlist_entry_id=1)
    send(request_id=number, error="success", data={"playlist_entry_id": 1})
    send(event="file-loaded")
    # In two pieces.
    peer.sendall(b'{"event": "playback-')
    time.sleep(0.02)
    peer.sendall(b'restart"}\n')


def answer(number, command, sound):
    """Answers a command that has no other effect. Returns whether mpv goes on."""
    if command[0] == "loadfile":
        load(number, command[1])
    elif command[0] == "get_property" and fault == "over":
        value = sound.get(command[1])
        send(
            request_id=number,
            error="property unavailable" if value is None else "success",
            data=value,
        )
    elif command[0] == "get_property":
        send(request_id=number, error="success", data=odd.get(command[1]))
        return fault != "leaves" or command[1] != "hwdec-current"
    elif command[0] == "observe_property" and command[2] == "current-ao":
        send(request_id=number, error="success")
        send(event="property-change", id=command[1], name="current-ao", data="alsa")
    elif command[0] == "quit":
        return False
    else:
        send(request_id=number, error="success")
    return True


def serve(trace):
    """Reads commands until the connection ends, and writes the name of each to the file."""
    is_held = fault == "held" and trace.tell() > 0
    held = []
    # The values of "over" until its sound has ended.
    sound = {}
    if fault == "over":
        sound = {"duration": 2, "track-list": [{"type": "audio", "codec": "opus"}]}
    asked_for_output = False
    for line in peer.makefile("rb"):
        request = json.loads(line)
        command, number = request["command"], request["request_id"]
        trace.write(f"{command[0]}\n")
        if is_held and command[0] == "stop":
            is_held = False
            for first in held:
                send(request_id=first, error="success")
        if is_held and command[:2] == ["set_property", "pause"]:
            held.append(number)
            continue
        if fault == "refuses" and command[0] == "stop":
            continue
        if fault == "refuses" and command in (
            ["set_property", "pause", True],
            ["set_property", "audio-channels", "stereo"],
        ):
            send(request_id=number, error="error accessing property")
            continue
        if asked_for_output and sound:
            sound = {}
            send(event="end-file", reason="eof", playlist_entry_id=1)
        if command == ["get_property", "current-ao"]:
            asked_for_output = True
        if not answer(number, command, sound):
            break


# Each line is in the file before its command is answered.
with open(os.environ.get("TRACE", os.devnull), "a", buffering=1) as trace:
    serve(trace)
