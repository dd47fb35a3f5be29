"""Drives plugins directly: the plugin protocol over pipes, with nothing of ours in between."""

import json
import os
import queue
import secrets
import subprocess
import threading
import time

from controller import PRODUCTS


class Refused(Exception):
    """A plugin answered with an error."""


class Plugin:
    """A plugin's process and its requests; `with` ends it."""

    def __init__(self, name, environment=None, log=None):
        self.name = name
        self.process = subprocess.Popen(
            [PRODUCTS / name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log or subprocess.DEVNULL,
            env=dict(os.environ, **(environment or {})),
        )
        self.pid = self.process.pid
        # The queue for the answer of each request that waits, by its id.
        self._waiting = {}
        self._sending = threading.Lock()
        self._attributes = {}
        self._last = 0
        # Called with the params of each report of state, on the reader's thread.
        self.on_state = None
        # Called on a thread of its own when the player needs another token for its cable.
        self.on_plug_again = None
        threading.Thread(target=self._read, daemon=True).start()
        self.request("initialize", {"protocol": "1.0", "controller": "benchmark"})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def _read(self):
        for line in self.process.stdout:
            message = json.loads(line)
            if "id" in message:
                # An earlier request may have been given up.
                if waiting := self._waiting.pop(message["id"], None):
                    waiting.put(message)
            elif message["method"] == "plugAgain" and self.on_plug_again:
                threading.Thread(target=self.on_plug_again, daemon=True).start()
            elif isinstance(message.get("params"), dict):
                self._attributes |= message["params"].get("attributes", {})
                if self.on_state and message["method"] == "state":
                    self.on_state(message["params"])

    def attribute(self, name):
        """What a device of the plugin reported last for an attribute; `None` before that."""
        return self._attributes.get(name, {}).get("value")

    def request(self, method, params, seconds=30):
        """Sends one request and waits for its answer. Any thread may call it."""
        waiting = queue.Queue()
        with self._sending:
            self._last += 1
            line = {"jsonrpc": "2.0", "id": self._last, "method": method, "params": params}
            self._waiting[self._last] = waiting
            self.process.stdin.write(json.dumps(line).encode() + b"\n")
            self.process.stdin.flush()
        answer = waiting.get(timeout=seconds)
        if "error" in answer:
            raise Refused(f"{self.name}: {method}: {answer['error']['message']}")
        return answer["result"]

    def open(self, role, options):
        return self.request("open", {"device": role, "role": role, "options": options})

    def perform(self, role, command):
        """Carries out a command; returns the monotonic time at which it was sent, ns."""
        sent = time.monotonic_ns()
        self.request("perform", {"device": role, "command": command})
        return sent


class Playing:
    """A player, a cable and an amplifier that plays on a PCM, both on; `with` ends them."""

    def __init__(self, player, role, options, folder, card, buffer=100, volume=100):
        """`folder` holds the media and the cable's socket; `card` has a PCM, as `card.Card`."""
        self.folder, self.role = folder, role
        self.player = Plugin(player, card.environment)
        self.amplifier = Plugin("ALSAAmplifier", card.environment)
        self.player.open(role, {"folders": [str(folder)], **options})
        self.amplifier.open(
            "amplifier",
            {
                "device": card.pcm,
                "mixer": "software",
                "buffer": buffer,
                "startupVolume": 100,
                "takeBack": card.take_back,
            },
        )
        self.amplifier.perform("amplifier", "on")
        self.amplifier.perform("amplifier", {"volume": volume})
        self.source = role.removesuffix("Player")
        self._plug()
        self.player.on_plug_again = self._plug
        self.amplifier.perform("amplifier", {"input": self.source})
        self.player.perform(role, "on")
        self.processes = [("player", self.player.pid), ("amplifier", self.amplifier.pid)]

    def _plug(self):
        """Gives both ends of the cable a new token."""
        socket = {"path": str(self.folder / "cable"), "token": secrets.token_hex(32)}
        self.amplifier.request(
            "openSocket", {"device": "amplifier", "input": self.source, **socket}
        )
        self.player.request("plug", {"device": self.role, **socket})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.player.on_plug_again = None
        self.player.__exit__()
        self.amplifier.__exit__()

    def play(self, file):
        return self.player.perform(self.role, {"play": {"item": f"{self.folder.name}/{file}"}})


class Listening(Playing):
    """Songs that LibavPlayer plays."""

    def __init__(self, folder, card, buffer=100, volume=100):
        super().__init__("LibavPlayer", "cdPlayer", {}, folder, card, buffer, volume)

    def listen(self, file):
        return self.play(file)
