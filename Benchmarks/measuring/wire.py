"""How long a command takes from the call of the facade to its bytes on the wire of a device."""

import time

from .accounts.comparing import quantile


def read_time(call, device):
    """Milliseconds for reading a device over HTTP, which commands nothing."""
    sent, _ = call(device)
    return (time.monotonic_ns() - sent) / 1e6


def wire_figures(name, late, reads):
    """The figures of `late`, the times from a request over HTTP to its bytes on the wire, in milliseconds.

    The facade is called when the request has been read and its session checked: after about half of the time that
    a request takes which commands nothing.
    """
    p50, p99, read = quantile(late, 0.5), quantile(late, 0.99), quantile(reads, 0.5)
    call = p50 - read / 2
    yield (f"{name}: the facade's call of a command to bytes on the wire, p50",
           f"{call:.2f} ms; from the request over HTTP {p50:.2f} ms (p99 {p99:.2f} ms), where a read takes {read:.2f} ms",
           "≤ 1 ms", call <= 1)
