"""What the kernel says of a process."""

import os
import pathlib
import time

TICKS = os.sysconf("SC_CLK_TCK")


def cpu_seconds(pid):
    """User and system time of a process so far."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def cpu_nanoseconds(pid):
    """CPU time of a process with all its threads, also those that have ended (clock_getcpuclockid(3))."""
    return time.clock_gettime_ns((~pid << 3) | 2)


def pss_megabytes(pid):
    """Proportional set size: memory with shared pages divided among those who share them."""
    for line in pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) / 1024
    raise ValueError("no Pss")


def resident_megabytes(pid):
    return _status_megabytes(pid, "VmRSS")


def peak_megabytes(pid):
    """The largest resident set since the start, or since `forget_peak`."""
    return _status_megabytes(pid, "VmHWM")


def forget_peak(pid):
    pathlib.Path(f"/proc/{pid}/clear_refs").write_text("5")


def descriptors(pid):
    """How many files are open."""
    return len(os.listdir(f"/proc/{pid}/fd"))


def _status_megabytes(pid, field):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) / 1024
    raise ValueError(f"no {field}")
