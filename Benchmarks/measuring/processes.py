"""What the kernel says of a process."""

import os
import pathlib

TICKS = os.sysconf("SC_CLK_TCK")


def cpu_seconds(pid):
    """User and system time of a process so far."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def cpu_nanoseconds(pid):
    """CPU time of all threads of a process, finer than the ticks of `stat`."""
    total = 0
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        try:
            total += int((task / "schedstat").read_text().split()[0])
        except (OSError, IndexError, ValueError):
            return int(cpu_seconds(pid) * 1e9)
    return total


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


def _status_megabytes(pid, field):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) / 1024
    raise ValueError(f"no {field}")
