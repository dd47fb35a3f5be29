"""The virtual sound card: paced by the clock, and a witness of what was heard and when."""

import pathlib
import subprocess

from .controller import ROOT

FIXTURE = ROOT / "Tests" / "Fixtures" / "VirtualCard"


class Card:
    """A card of its own in `folder`; its log tells when sound began and ended.

    `silent` leaves log and capture away, so that they cost no one CPU.
    """

    pcm = "card"
    take_back = "always"  # it gives back what it has not played, as a kernel's driver does

    def __init__(self, folder, silent=False, name="card"):
        library = build(folder)
        self.log = folder / f"{name}.log"
        lines = "" if silent else f'\n  log "{self.log}"'
        configuration = folder / f"{name}.conf"
        configuration.write_text(
            f'</usr/share/alsa/alsa.conf>\npcm_type.virtualcard {{ lib "{library}" }}\n'
            f"pcm.card {{\n  type virtualcard{lines}\n}}\n")
        self.environment = {"ALSA_CONFIG_PATH": str(configuration)}

    def events(self):
        """What happened so far: (monotonic ns, event)."""
        if not self.log.exists():
            return []
        lines = self.log.read_text().splitlines()
        return [(int(time), event) for time, event in (line.split(" ", 1) for line in lines)]

    def first(self, event, after):
        """When `event` first happened at or after a time, ns; `None` when it did not."""
        return next((time for time, what in self.events() if what == event and time >= after), None)

    def count(self, event):
        return sum(what == event for _, what in self.events())


def build(folder):
    """Builds the card's library into `folder`, once."""
    library = pathlib.Path(folder) / "libvirtualcard.so"
    if not library.exists():
        subprocess.run(["make", "-s", "-C", FIXTURE, f"OUT={folder}"], check=True)
    return library
