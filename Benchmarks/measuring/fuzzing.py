"""Generated input for the parsers of data from outside, with libFuzzer."""

import os
import re
import subprocess

from controller import ROOT

SECONDS = int(os.environ.get("THEATER_FUZZ_SECONDS", 600))
PARSERS = ("mqtt", "pjlink", "mpv", "cable", "protocol", "discovery", "pcm")


def fuzz():
    """Each parser for ten minutes, from its corpus. An input that fails stays in TMPDIR."""
    wanted = os.environ.get("THEATER_FUZZ_PARSERS", ",".join(PARSERS)).split(",")
    for name in wanted:
        done = subprocess.run(
            [ROOT / "Scripts/fuzz", name, str(SECONDS)], capture_output=True, text=True
        )
        runs = re.search(r"number_of_executed_units: (\d+)", done.stdout)
        inputs = f"{int(runs.group(1)):,} inputs" if runs else "not built: " + done.stderr[-300:]
        fault = (
            "" if done.returncode == 0 else "; a fault: " + done.stdout.strip().rpartition("\n")[2]
        )
        yield (
            f"{name}, {SECONDS} s of generated input",
            inputs + fault,
            "no fault",
            done.returncode == 0 and runs is not None,
        )
