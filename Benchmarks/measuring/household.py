"""A household of nine devices: one misbehaves in every known way while films are watched."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import urllib.error

from controller import PRODUCTS, ROOT, Controller, instant_configuration

from . import processes

HOSTILE = ROOT / "Tests/Fixtures/HostilePlugin"
SECONDS = float(os.environ.get("THEATER_HOSTILE_SECONDS", 600))
TARGET = 10


class Household:
    """The simulated household with the hostile plugin installed; `with` ends it."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="th-")
        plugins = pathlib.Path(self.folder.name) / "plugins"
        simulated = plugins / "Simulated"
        simulated.mkdir(parents=True)
        (simulated / "manifest.json").symlink_to(ROOT / "Plugins/Simulated/manifest.json")
        (simulated / "Simulated").symlink_to(PRODUCTS / "Simulated")
        (plugins / "Hostile").symlink_to(HOSTILE)
        configuration = instant_configuration()
        configuration["library"]["folders"] = []
        # An amplifier of its own, because a film is heard through the other one.
        configuration["devices"]["headphones"] = {
            "role": "amplifier",
            "plugin": "Simulated",
            "options": {"speed": 0},
        }
        self.controller = Controller(configuration, plugins=plugins).__enter__()
        self.controller.log_in()
        self.controller.wait_for(lambda: self.are_available(self.devices()))
        return self

    def __exit__(self, *_):
        self.controller.__exit__()
        self.folder.cleanup()

    @property
    def pid(self):
        return self.controller.process.pid

    def request(self, method, path, body=None):
        return self.controller.request(method, f"/api/v1/{path}", body)

    def devices(self):
        return {device["id"]: device for device in self.request("GET", "devices")["devices"]}

    @staticmethod
    def are_available(devices):
        return all(device["availability"] == "available" for device in devices.values())

    def value(self, device, key):
        return self.request("GET", f"devices/{device}")["state"].get(key, {}).get("value")

    def swap(self, device, plugin, **options):
        if plugin != "Simulated":
            # The last proof may be older than five minutes.
            proof = self.request(
                "POST", "sessions/current/proof", {"password": self.controller.password}
            )
            self.controller.token = proof["token"]
        self.request("POST", f"devices/{device}/plugin", {"plugin": plugin, "options": options})

    def provoke(self, device, picture):
        """Gives the device a command, or asks for the picture of its item; ignores the answer."""
        try:
            if not picture:
                return self.request("POST", f"devices/{device}/commands", "on")
            self.request("POST", "library/scan", {})
            self.request("GET", f"library/picture?item={picture}")
        except (urllib.error.HTTPError, TimeoutError):
            pass

    def evening(self):
        """Watches a film with popcorn and ends it; returns the seconds that it took."""
        began = time.monotonic()
        self.request("POST", "watch", {"item": "night-ferry", "fromStart": True})
        self.controller.wait_for(
            lambda: (self.value("dvd", "playback") or {}).get("state") == "playing"
        )
        for expected in [
            ("lights", "brightness", 10),
            ("projector", "power", "on"),
            ("screen", "position", "down"),
            ("amp", "input", "dvd"),
        ]:
            self.wait_for_value(*expected)
        self.controller.wait_for(lambda: self.value("popper", "popping") in ("popping", "done"))
        self.request("POST", "end", {})
        for expected in [
            ("lights", "brightness", 100),
            ("projector", "power", "off"),
            ("dvd", "power", "off"),
            ("amp", "power", "off"),
        ]:
            self.wait_for_value(*expected)
        return time.monotonic() - began

    def wait_for_value(self, device, key, expected):
        self.controller.wait_for(lambda: self.value(device, key) == expected)

    def shown(self):
        """The status of the hostile plugin in the list of plugins, as text."""
        plugins = self.request("GET", "plugins")["plugins"]
        return " ".join(str(plugin) for plugin in plugins if plugin["id"] == "Hostile")


def slope(samples):
    """The slope, in megabytes a minute, of the least-squares line through (seconds, megabytes)."""
    if len(samples) < 2:
        return 0.0
    middle = sum(t for t, _ in samples) / len(samples), sum(m for _, m in samples) / len(samples)
    spread = sum((t - middle[0]) ** 2 for t, _ in samples) or 1
    return 60 * sum((t - middle[0]) * (m - middle[1]) for t, m in samples) / spread


def misbehave(household, kind, device, shown, picture):
    """Lets a device misbehave during several evenings. Returns own memory and descriptors before
    and after, samples of the memory, the durations of the evenings, and whether `shown` was
    found."""
    before = processes.own_megabytes(household.pid), processes.descriptors(household.pid)
    household.swap(device, "Hostile", kind=kind)
    began = time.monotonic()
    evenings, samples, found = [], [], False
    while not samples or time.monotonic() - began < SECONDS:
        household.provoke(device, picture)
        evenings.append(household.evening())
        found = found or shown in household.shown()
        samples.append((time.monotonic() - began, processes.own_megabytes(household.pid)))
        # An evening every few seconds; without a pause the evenings alone would keep a core busy.
        time.sleep(min(2, SECONDS / 10))
    household.swap(device, "Simulated", speed=0)
    household.controller.wait_for(lambda: household.are_available(household.devices()))
    household.evening()
    after = processes.own_megabytes(household.pid), processes.descriptors(household.pid)
    return before, after, samples, evenings, found


def hostile_household():
    kinds = json.loads(subprocess.check_output([sys.executable, HOSTILE / "hostile.py", "--kinds"]))
    wanted = os.environ.get("THEATER_HOSTILE_KINDS", "").split(",")
    with Household() as household:
        for _ in range(3):
            household.evening()
        for entry in kinds:
            if wanted != [""] and entry["kind"] not in wanted:
                continue
            before, after, samples, evenings, found = misbehave(
                household, entry["kind"], entry["device"], entry["shown"], entry["picture"]
            )
            more, files = after[0] - before[0], after[1] - before[1]
            yield (
                f"{entry['kind']}, {SECONDS:.0f} s: own memory of the controller",
                f"{before[0]:.1f} MB, peak {max(m for _, m in samples):.1f}, after {after[0]:.1f}, "
                f"{slope(samples[len(samples) // 2 :]):+.2f} MB/min; files {files:+d}; "
                f"{len(evenings)} evenings, longest {max(evenings):.1f} s"
                f"{'' if found else '; NOT SHOWN: ' + entry['shown']}",
                f"≤ {TARGET} MB more",
                more <= TARGET and files <= 3 and found,
            )
