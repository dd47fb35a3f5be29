#!/usr/bin/env python3
"""Runs a command in a network of its own, in which a projector at 192.0.2.1 answers to broadcasts.

    unshare -rn broadcast_network.py COMMAND …

Without a command it only makes the network, to see whether this machine lets it. Standard library
only.
"""

import fcntl
import os
import pathlib
import socket
import struct
import subprocess
import sys

# linux/if_tun.h, linux/sockios.h, linux/if.h
TUNSETIFF, IFF_TAP_WITHOUT_HEADER = 0x400454CA, 0x1002
SIOCSIFADDR, SIOCSIFNETMASK, SIOCSIFBRDADDR, SIOCSIFFLAGS = 0x8916, 0x891C, 0x891A, 0x8914
IFF_UP, IFF_UP_AND_BROADCAST = 0x1, 0x3
NAME = b"projectors".ljust(16, b"\0")


def make_network():
    """A network whose only machine is this one; returns the descriptor that keeps it."""
    device = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(device, TUNSETIFF, NAME + struct.pack("H22x", IFF_TAP_WITHOUT_HEADER))
    with socket.socket() as control:
        for request, address in [
            (SIOCSIFADDR, "192.0.2.1"),
            (SIOCSIFNETMASK, "255.255.255.0"),
            (SIOCSIFBRDADDR, "192.0.2.255"),
        ]:
            fcntl.ioctl(
                control,
                request,
                NAME + struct.pack("HH4s8x", socket.AF_INET, 0, socket.inet_aton(address)),
            )
        # What this machine sends to its own address goes through the loopback interface.
        for name, flags in [(NAME, IFF_UP_AND_BROADCAST), (b"lo".ljust(16, b"\0"), IFF_UP)]:
            fcntl.ioctl(control, SIOCSIFFLAGS, name + struct.pack("H22x", flags))
    return device


def main():
    make_network()
    if len(sys.argv) == 1:
        return 0
    script = pathlib.Path(__file__).with_name("pjlink_projector.py")
    projector = subprocess.Popen(
        [sys.executable, script, "--address", "0.0.0.0", "--port", "4352"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        projector.stdout.readline()
        projector.stdin.write('{"id": 1, "search": true}\n')
        projector.stdin.flush()
        projector.stdout.readline()
        return subprocess.run(sys.argv[1:]).returncode
    finally:
        projector.stdin.close()
        projector.wait(10)


sys.exit(main())
