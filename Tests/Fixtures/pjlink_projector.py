#!/usr/bin/env python3
"""Projectors that speak PJLink (class 1 and 2) on ports of this machine. Standard library only.

    pjlink_projector.py [--projectors N] [--address IP] [--port N]
                        [--authentication none|md5|sha256] …

They listen at 127.0.0.1, on free ports, unless given. The options beside these are the first values
of the keys below. The first line on standard output is the list of the ports, one for each
projector. Each further line is a JSON object: {"port": PORT, "event": "connected"},
{"port": PORT, "event": "closed"} or {"port": PORT, "got": TEXT}.

Each line on standard input is a JSON object and changes the projector at "port", or all without it.
Its keys:
    password, authentication (none, md5, sha256), class (1, 2)
    warmUp, coolDown         seconds, or "manual": until "finish"
    challenge                the 16 bytes, in hexadecimal, of every "PJLINK 2"; random without it
    power, input, mute, errors   sets what it reports: "0", "32", "31", "020000"
    odd                      the odd behaviours: ["silent"]
    press                    turns it off ("0") or on ("1") as its own remote control does
    finish                   ends warming or cooling
    greet                    lets it greet, with "held-greeting"
    drop                     closes every connection
    restart                  closes every connection and the listening socket, and listens again
    stop                     closes every connection and the listening socket
    search                   answers to the search of class 2 over UDP, at the same port; "garbage":
                             with datagrams without a meaning before the answer
It answers each with the line {"done": ID}, where ID is its key "id". The end of standard input ends
the program.

Odd behaviours:
    silent           takes commands and does not answer
    half-open        accepts connections and sends nothing
    refusing         greets with PJLINK ERRA
    slow             sends one byte at a time
    merged           sends junk, the reply and more junk in one piece
    split            sends each reply in two pieces
    garbage          sends a line without a meaning before each reply
    endless          answers with a line that never ends
    flood            sends lines without a meaning, without an end
    close            closes the connection after each reply
    not-now          answers ERR3 to every command that sets something
    late             obeys, but reports its old power once more
    mute-warming     does not answer while it warms
    ignore-cooling   answers OK to POWR 0 and POWR 1 while it cools, and does nothing
    one-class        does not answer to commands of class 2
    held-greeting    greets only after "greet"
    hide-standby     answers ERR3 to POWR ? and POWR 0 while it is off
    blanks           sends blanks behind the greeting and behind each value
    line-feeds       ends each line with a line feed alone
"""

import argparse
import asyncio
import contextlib
import functools
import hashlib
import json
import os
import secrets
import sys

OFF, ON, COOLING, WARMING = "0", "1", "2", "3"
CLASS_TWO = {"FILT", "FREZ", "INNM", "IRES", "MVOL", "RFIL", "RLMP", "RRES", "SNUM", "SVER", "SVOL"}
# What never changes of a projector.
CONSTANTS = {
    "FILT": "120",
    "IRES": "1920x1080",
    "RFIL": "TP-FILTER",
    "RLMP": "TP-LAMP",
    "RRES": "3840x2160",
    "SNUM": "TP-0001",
    "SVER": "1.0",
    "NAME": "Rück-Projektor",
    "INF1": "Test Works",
    "INF2": "TP-1",
    "INFO": "a test",
}


class Projector:
    """The state of one projector."""

    def __init__(self, options):
        self.password = options.password
        self.authentication = options.authentication
        self.pjlink_class = options.pjlink_class
        self.challenge = None
        self.search = None
        self.warm_up = options.warm_up
        self.cool_down = options.cool_down
        self.odd = set()
        self.power = OFF
        self.input = "31"
        self.inputs = ["11", "31", "32"]
        self.mute = "30"
        self.errors = "000000"
        self.is_frozen = False
        self.late = None
        self.timer = None
        self.writers = set()
        self.greeting = asyncio.Event()
        self.server = None
        self.port = options.port

    def move(self, power, then, seconds):
        """Warms or cools: for some seconds, or until "finish"."""
        if seconds == 0:
            self.power = then
            return
        self.power = power
        self.then = then
        if seconds is not None:
            loop = asyncio.get_running_loop()
            self.timer = loop.call_later(seconds, self.finish)

    def finish(self):
        if self.timer:
            self.timer.cancel()
            self.timer = None
        if self.power in (WARMING, COOLING):
            self.power = self.then

    def answer(self, text):
        """The reply to a command, without the carriage return; None for none."""
        kind, command, parameter = text[1:2], text[2:6].upper(), text[7:]
        known = text[:1] == "%" and text[6:7] == " " and kind in ("1", "2")
        if not known or (kind == "2" and self.pjlink_class == 1):
            if "one-class" in self.odd:
                return None
            return f"%{kind}{command}=ERR1" if known else "%1ERR1=ERR1"
        handler = getattr(self, "on_" + command.lower(), None)
        is_known = handler is not None or command in CONSTANTS
        if not is_known or kind == "1" and command in CLASS_TWO:
            return f"%{kind}{command}=ERR1"
        if command in CONSTANTS:
            value = CONSTANTS[command] if parameter == "?" else "ERR2"
        else:
            value = handler(parameter)
        return f"%{kind}{command}={value}"

    def on_powr(self, parameter):
        if parameter == "?":
            if self.late is not None:
                power, self.late = self.late, None
                return power
            return "ERR3" if self.is_hidden() else self.power
        if parameter not in ("0", "1"):
            return "ERR2"
        if "not-now" in self.odd or (parameter == "0" and self.is_hidden()):
            return "ERR3"
        if self.power == COOLING and "ignore-cooling" in self.odd:
            return "OK"
        if self.power in (WARMING, COOLING):
            return "ERR3"
        if parameter != self.power:
            if "late" in self.odd:
                self.late = self.power
            if parameter == "1":
                self.move(WARMING, ON, self.warm_up)
            else:
                self.move(COOLING, OFF, self.cool_down)
        return "OK"

    def is_hidden(self):
        return "hide-standby" in self.odd and self.power == OFF

    def when_on(self, value):
        return value if self.power == ON else "ERR3"

    def on_inpt(self, parameter):
        if parameter == "?":
            return self.when_on(self.input)
        if parameter not in self.inputs:
            return "ERR2"
        if self.power != ON or "not-now" in self.odd:
            return "ERR3"
        self.input = parameter
        return "OK"

    def on_avmt(self, parameter):
        if parameter == "?":
            return self.when_on(self.mute)
        if self.power != ON:
            return "ERR3"
        if parameter not in ("10", "11", "20", "21", "30", "31"):
            return "ERR2"
        self.mute = parameter
        return "OK"

    def on_erst(self, parameter):
        return self.errors if parameter == "?" else "ERR2"

    def on_lamp(self, parameter):
        lit = "1" if self.power in (ON, WARMING) else "0"
        return f"412 {lit} 8 0" if parameter == "?" else "ERR2"

    def on_inst(self, parameter):
        return " ".join(self.inputs) if parameter == "?" else "ERR2"

    def on_clss(self, parameter):
        return str(self.pjlink_class) if parameter == "?" else "ERR2"

    def on_frez(self, parameter):
        if parameter == "?":
            return self.when_on("1" if self.is_frozen else "0")
        if parameter not in ("0", "1"):
            return "ERR2"
        if self.power == ON:
            self.is_frozen = parameter == "1"
        return self.when_on("OK")

    def on_svol(self, parameter):
        return self.when_on("OK") if parameter in ("0", "1") else "ERR2"

    on_mvol = on_svol

    def on_innm(self, parameter):
        return (
            "Input " + parameter[1:]
            if parameter[:1] == "?" and parameter[1:] in self.inputs
            else "ERR2"
        )


class Session:
    """One connection to a projector."""

    def __init__(self, projector, reader, writer, trace):
        self.projector = projector
        self.reader = reader
        self.writer = writer
        self.trace = trace
        self.salt = secrets.token_hex(4)
        self.challenge = None
        self.is_proved = projector.authentication == "none"

    async def run(self):
        odd = self.projector.odd
        if "half-open" in odd:
            await self.reader.read()
            return
        if "refusing" in odd:
            await self.send("PJLINK ERRA")
            return
        if "held-greeting" in odd:
            await self.projector.greeting.wait()
        await self.send("PJLINK 0" if self.is_proved else f"PJLINK 1 {self.salt}")
        while True:
            try:
                line = await self.reader.readuntil(b"\r")
            except (asyncio.IncompleteReadError, asyncio.LimitOverrunError):
                return
            text = line[:-1].decode("utf-8", "replace")
            if not await self.handle_line(text):
                return

    async def handle_line(self, text):
        """Handles a line; False when the connection ends."""
        projector = self.projector
        if text == "PJLINK 2" and projector.authentication == "sha256":
            self.trace(got=text)
            self.challenge = projector.challenge or secrets.token_bytes(16)
            await self.send("PJLINK 2 " + self.challenge.hex())
            return True
        if not self.is_proved:
            rest = self.proved(text)
            if rest is None:
                self.trace(got=text)
                # Projectors of class 1 say nothing to it, or ERRA to a command without its digest.
                if text != "PJLINK 2":
                    await self.send("PJLINK ERRA")
                return True
            self.is_proved = True
            text = rest
        self.trace(got=text)
        # The command that begins the warming is still answered.
        is_mute = "mute-warming" in projector.odd and projector.power == WARMING
        answer = projector.answer(text)
        return await self.reply(None if is_mute else answer)

    def proved(self, text):
        """The command behind a right digest; None if it is wrong."""
        password = self.projector.password
        right = hashlib.md5((self.salt + password).encode()).hexdigest()
        if text.startswith(right):
            return text[32:]
        if self.challenge and len(text) > 96:
            try:
                nonce = bytes.fromhex(text[:32])
            except ValueError:
                return None
            # A nonce with blanks is shorter; its digest is wrong then.
            mixed = bytes(a ^ b for a, b in zip(self.challenge, nonce, strict=False)).hex()
            if text[32:96] == hashlib.sha256((mixed + password).encode()).hexdigest():
                return text[96:]
        return None

    async def reply(self, text):
        odd = self.projector.odd
        if text is None or "silent" in odd:
            return True
        if "flood" in odd:
            while not self.writer.is_closing():
                self.writer.write(b"nonsense\r" * 100)
                await self.writer.drain()
            return False
        if "endless" in odd:
            self.writer.write(b"x" * 4000)
        elif "garbage" in odd:
            await self.send("nonsense")
            self.writer.write(b"\x00\xff\xfe\r\r\n%1XXXX=1\r" + b"y" * 300 + b"\r")
            await self.send(text)
        elif "merged" in odd:
            self.writer.write(f"nonsense\r{text}\r%1XXXX=1\r".encode())
        else:
            await self.send(text)
        await self.writer.drain()
        return "close" not in odd

    async def send(self, text):
        odd = self.projector.odd
        blanks = "  " if "blanks" in odd else ""
        data = (text + blanks).encode() + (b"\n" if "line-feeds" in odd else b"\r")
        pieces = [data]
        if "slow" in odd:
            pieces = [data[i : i + 1] for i in range(len(data))]
        elif "split" in odd:
            pieces = [data[:5], data[5:]]
        for piece in pieces:
            self.writer.write(piece)
            await self.writer.drain()
            if len(pieces) > 1:
                await asyncio.sleep(0.001)


class Search(asyncio.DatagramProtocol):
    """Answers to the search of class 2."""

    def __init__(self, projector):
        self.projector = projector

    def connection_made(self, transport):
        self.transport = transport

    def datagram_received(self, data, address):
        mode = self.projector.search
        if data != b"%2SRCH\r" or not mode:
            return
        if mode == "garbage":
            for junk in (
                b"",
                b"\xff" * 120,
                b"%2ACKN=",
                b"%2ACKN=zz:zz:zz:zz:zz:zz\r",
                b"x" * 1200,
            ):
                self.transport.sendto(junk, address)
        if mode != "silent":
            self.transport.sendto(b"%2ACKN=00:1a:2B:3c:4D:5e\r", address)


class Fixture:
    """All projectors of this program."""

    def __init__(self, options):
        self.options = options
        self.projectors = [Projector(options) for _ in range(options.projectors)]

    def trace(self, projector, **event):
        print(json.dumps({"port": projector.port, **event}), flush=True)

    async def listen(self, projector):
        async def serve(reader, writer):
            projector.writers.add(writer)
            self.trace(projector, event="connected")
            try:
                trace = functools.partial(self.trace, projector)
                await Session(projector, reader, writer, trace).run()
            except ConnectionError:
                pass
            finally:
                projector.writers.discard(writer)
                writer.close()
                self.trace(projector, event="closed")

        projector.server = await asyncio.start_server(
            serve, self.options.address, projector.port, reuse_address=True
        )
        projector.port = projector.server.sockets[0].getsockname()[1]

    async def listen_for_searches(self, projector):
        """Listens on the UDP port with the TCP port's number; on other ports if it is taken."""
        for _ in range(100):
            await self.listen(projector)
            try:
                await asyncio.get_running_loop().create_datagram_endpoint(
                    lambda: Search(projector), local_addr=(self.options.address, projector.port)
                )
                return
            except OSError:
                projector.server.close()
                projector.port = 0
        raise SystemExit("no port is free for TCP and UDP")

    def drop(self, projector):
        for writer in list(projector.writers):
            writer.transport.abort()

    async def change(self, projector, changes):
        for name in ("power", "input", "mute", "errors", "password", "authentication"):
            if name in changes:
                setattr(projector, name, changes[name])
        projector.pjlink_class = changes.get("class", projector.pjlink_class)
        if "warmUp" in changes:
            projector.warm_up = seconds(changes["warmUp"])
        if "coolDown" in changes:
            projector.cool_down = seconds(changes["coolDown"])
        if "challenge" in changes:
            projector.challenge = bytes.fromhex(changes["challenge"])
        if "odd" in changes:
            projector.odd = set(changes["odd"])
        if "press" in changes:
            projector.on_powr(changes["press"])
        if changes.get("finish"):
            projector.finish()
        if changes.get("greet"):
            projector.greeting.set()
        projector.search = changes.get("search", projector.search)
        if changes.get("restart") or changes.get("stop"):
            projector.server.close()
        if changes.keys() & {"drop", "restart", "stop"}:
            self.drop(projector)
        if changes.get("restart"):
            await self.listen(projector)

    async def run(self):
        for projector in self.projectors:
            await self.listen_for_searches(projector)
        print(json.dumps([projector.port for projector in self.projectors]), flush=True)
        loop = asyncio.get_running_loop()
        commands = asyncio.StreamReader()
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(commands), sys.stdin)
        while line := await commands.readline():
            changes = json.loads(line)
            for projector in self.projectors:
                if changes.get("port", projector.port) == projector.port:
                    await self.change(projector, changes)
            print(json.dumps({"done": changes.get("id")}), flush=True)
        # Open connections end with the process.
        os._exit(0)


def seconds(text):
    return None if text == "manual" else float(text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--projectors", type=int, default=1)
    parser.add_argument("--password", default="JBMIAProjectorLink")
    parser.add_argument("--address", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--authentication", choices=["none", "md5", "sha256"], default="none")
    parser.add_argument("--class", dest="pjlink_class", type=int, choices=[1, 2], default=2)
    parser.add_argument("--warm-up", type=seconds, default=0.0)
    parser.add_argument("--cool-down", type=seconds, default=0.0)
    fixture = Fixture(parser.parse_args())
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(fixture.run())


if __name__ == "__main__":
    main()
