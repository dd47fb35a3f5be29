"""Figures of a process, from the kernel."""

import os
import pathlib
import time

TICKS = os.sysconf("SC_CLK_TCK")


def cpu_seconds(pid):
    """User and system time of a process so far."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def cpu_nanoseconds(pid):
    """CPU time of a process and all its threads, also the ended ones (clock_getcpuclockid(3))."""
    return time.clock_gettime_ns((~pid << 3) | 2)


def cpu_a_minute(groups, seconds):
    """Measures for `seconds`; returns the CPU seconds a minute of each group of processes."""
    before = {pid: cpu_nanoseconds(pid) for pids in groups.values() for pid in pids}
    began = time.monotonic()
    time.sleep(seconds)
    after = {pid: cpu_nanoseconds(pid) for pid in before}
    per_minute = 60 / (time.monotonic() - began) / 1e9
    return {
        name: sum(after[pid] - before[pid] for pid in pids) * per_minute
        for name, pids in groups.items()
    }


def children(pid):
    """The processes that a process has started."""
    return [
        int(child)
        for file in pathlib.Path(f"/proc/{pid}/task").glob("*/children")
        for child in file.read_text().split()
    ]


def pss_megabytes(pid):
    """Proportional set size: shared pages are divided among the processes that share them."""
    for line in pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) / 1024
    raise ValueError("no Pss")


def own_megabytes(pid):
    """Memory that the process has written itself. The pages of a program are left out: how many
    processes share them changes when another process that runs it ends."""
    for line in pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Private_Dirty:"):
            return int(line.split()[1]) / 1024
    raise ValueError("no Private_Dirty")


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


def threads(pid):
    """How many threads are running."""
    return len(os.listdir(f"/proc/{pid}/task"))


def _status_megabytes(pid, field):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) / 1024
    raise ValueError(f"no {field}")
