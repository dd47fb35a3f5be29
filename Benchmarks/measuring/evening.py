"""Plays songs through the whole theater, over the HTTP API of the controller."""

import time

from controller import Controller, shipped_configuration


class Evening:
    """The shipped theater with its amplifier on a virtual card and a folder of music of its own."""

    def __init__(self, folder, card, buffer):
        configuration = shipped_configuration()
        devices = configuration["devices"]
        devices["amp"]["options"] = {
            "device": card.pcm,
            "mixer": "software",
            "buffer": buffer,
            "takeBack": card.take_back,
        }
        devices["cd"]["options"] = {"folders": [str(folder)]}
        configuration["library"]["folders"] = [str(folder)]
        self.controller = Controller(configuration, card.environment)

    def __enter__(self):
        controller = self.controller.__enter__()
        controller.log_in()
        controller.wait_for(controller.plugins_are_up)
        self.songs = controller.wait_for(self._songs)
        return self

    def __exit__(self, *_):
        self.controller.__exit__()

    def _songs(self):
        songs = self.controller.request("GET", "/api/v1/songs")
        songs = songs.get("songs") or songs.get("items") if isinstance(songs, dict) else songs
        return {song["title"]: song["id"] for song in songs or []}

    def listen(self, title):
        """Plays a song; returns the monotonic time just before the request, in ns."""
        return self._ask("/api/v1/listen", {"item": self.songs[title], "fromStart": True})

    def command(self, word, body=None):
        return self._ask(f"/api/v1/{word}", body or {})

    def _ask(self, path, body):
        asked = time.monotonic_ns()
        self.controller.request("POST", path, body)
        return asked
