"""A virtual sound card, which is paced by the clock and logs when sound began and ended."""

import pathlib
import subprocess

from controller import ROOT

FIXTURE = ROOT / "Tests" / "Fixtures" / "VirtualCard"


class Card:
    """A card of its own in `folder`; its log tells when sound began and ended.

    `silent` omits the log, which would cost CPU.
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
            f"pcm.card {{\n  type virtualcard{lines}\n}}\n"
        )
        self.environment = {"ALSA_CONFIG_PATH": str(configuration)}

    def events(self):
        """The events so far, as (monotonic ns, event)."""
        if not self.log.exists():
            return []
        lines = self.log.read_text().splitlines()
        return [(int(time), event) for time, event in (line.split(" ", 1) for line in lines)]

    def first(self, event, after):
        """The time of the first `event` at or after `after`, monotonic ns; `None` without one."""
        return next((time for time, what in self.events() if what == event and time >= after), None)

    def count(self, event):
        return sum(what == event for _, what in self.events())


def build(folder):
    """Builds the card's library into `folder`, once."""
    library = pathlib.Path(folder) / "libvirtualcard.so"
    if not library.exists():
        subprocess.run(["make", "-s", "-C", FIXTURE, f"OUT={folder}"], check=True)
    return library
