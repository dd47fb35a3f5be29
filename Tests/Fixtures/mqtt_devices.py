#!/usr/bin/env python3
"""Brokers, devices that speak MQTT, and faulty connections, on this machine.

The brokers are real ones (mosquitto). The devices speak as Tasmota, Zigbee2MQTT and Shelly do, and
two more with topics of their own, each over a connection of its own; they have a state, and odd
behaviours on request. A proxy in front of a broker splits, drops, floods or holds what passes.

Reads requests from standard input, a line of JSON each, with an "id"; answers each with a line that
has the same id. Other lines of its output are events: {"event": "got", "device": …, "topic": …,
"payload": …}. Ends, with all its brokers, at the end of its input.

    {"id": 1, "do": "broker"}   → "port"; with "user" and "password", "tls": true
    {"id": 2, "do": "end", "broker": PORT, "how": "kill" | "pause" | "resume" | "start"}
    {"id": 3, "do": "device", "broker": PORT, "family": …, "kind": …}   → "topic"
    {"id": 4, "do": "change", "device": TOPIC, …}   see Device.change
    {"id": 5, "do": "proxy", "to": PORT, "mode": …} → "port"; modes: see Proxy
    {"id": 6, "do": "count", "port": PROXY}         → "opened", "open"

The tests check the devices with mosquitto's own clients.
"""

import asyncio
import atexit
import contextlib
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="mqtt-"))
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)


def write_event(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


# MQTT 3.1.1


def text(value):
    data = value.encode() if isinstance(value, str) else value
    return len(data).to_bytes(2, "big") + data


def packet(first, body):
    size, length = len(body), b""
    while True:
        size, part = size // 128, size % 128
        length += bytes([part | (0x80 if size else 0)])
        if not size:
            return bytes([first]) + length + body


async def read_packet(reader):
    first = (await reader.readexactly(1))[0]
    size = shift = 0
    while True:
        byte = (await reader.readexactly(1))[0]
        size |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            return first, await reader.readexactly(size)


class Client:
    """A connection that is opened again until it is closed."""

    def __init__(self, port, name, topics, received, connected, will=None):
        self.port, self.name, self.topics, self.will = port, name, topics, will
        self.received, self.connected = received, connected
        self.writer = None
        self.ready = asyncio.Event()
        self.task = asyncio.ensure_future(self.run())

    async def run(self):
        while True:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError):
                await self.serve()
            self.writer = None
            await asyncio.sleep(0.05)

    async def serve(self):
        reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        flags, rest = 0x02, text(self.name)
        if self.will:
            flags |= 0x04 | 0x20
            rest += text(self.will[0]) + text(self.will[1])
        self.writer.write(packet(0x10, text("MQTT") + bytes([4, flags, 0, 60]) + rest))
        await read_packet(reader)
        for topic in self.topics:
            self.writer.write(packet(0x82, b"\0\1" + text(topic) + b"\1"))
            await read_packet(reader)
        self.connected()
        self.ready.set()
        while True:
            first, body = await read_packet(reader)
            if first >> 4 != 3:
                continue
            size = int.from_bytes(body[:2], "big")
            topic, payload = body[2 : 2 + size].decode(), body[2 + size :]
            if first & 0x06:
                self.writer.write(packet(0x40, payload[:2]))
                payload = payload[2:]
            self.received(topic, payload.decode())

    def publish(self, topic, payload, retain=False):
        if self.writer:
            payload = payload if isinstance(payload, (bytes, str)) else json.dumps(payload)
            data = payload.encode() if isinstance(payload, str) else payload
            self.writer.write(packet(0x31 if retain else 0x30, text(topic) + data))

    def abort_connection(self):
        """Ends the connection without a goodbye, so that the broker sends the will."""
        if self.writer:
            self.writer.transport.abort()

    def close(self):
        self.task.cancel()
        self.abort_connection()


# Devices


class Device:
    """The state of a device, and what it does with a command. A family translates both."""

    will = None

    def __init__(self, port, topic, kind):
        self.topic, self.kind = topic, kind
        self.power, self.brightness, self.position, self.motion = False, 40, 0, "stop"
        self.travel = 0.1
        # The least brightness, in the scale of the family.
        self.least = 0
        self.odd = set()
        self.was_set = False
        self.moving = None
        self.client = Client(
            port, "device-" + topic, self.commands(), self.handle_message, self.announce, self.will
        )

    def handle_message(self, topic, payload):
        write_event({"event": "got", "device": self.topic, "topic": topic, "payload": payload})
        if "silent" in self.odd or ("deaf" in self.odd and not self.is_query(topic, payload)):
            return
        if "garbage" in self.odd:
            for garbage in (b"", b"\xff\xfe{", b"[" * 200, b"nonsense", b'{"POWER": {}}', b"7"):
                self.client.publish(self.state_topic(), garbage)
        if "late" in self.odd:
            asyncio.get_running_loop().call_later(0.2, self.execute, topic, payload)
        else:
            self.execute(topic, payload)

    def is_query(self, topic, payload):
        return False

    def turn(self, on, brightness=None):
        self.power = on
        if brightness is None:
            return self.report()
        goal = max(int(brightness), self.least)
        if "fade" not in self.odd:
            self.brightness = goal
            return self.report()
        if self.moving:
            self.moving.cancel()
        self.moving = asyncio.ensure_future(self.fade_to(goal))

    async def fade_to(self, goal):
        """Changes the brightness in four steps, and reports each."""
        start = self.brightness
        for step in range(1, 5):
            await asyncio.sleep(self.travel / 4)
            self.brightness = start + (goal - start) * step // 4
            self.report()

    def shown_position(self):
        """The reported position: the opposite with "inverted-position", -1 with "no-position"."""
        if "no-position" in self.odd:
            return -1
        return 100 - self.position if "inverted-position" in self.odd else self.position

    def move(self, target):
        """Moves a cover to 0 (closed), to 100 (open), or stops it (None)."""
        if self.moving:
            self.moving.cancel()
        self.moving = asyncio.ensure_future(self.travel_to(target))

    async def travel_to(self, target):
        if target is None or target == self.position:
            self.motion = "stop"
            return self.report()
        self.motion = "open" if target > self.position else "close"
        self.report()
        if "stuck" in self.odd:
            return
        start = self.position
        for step in range(1, 5):
            await asyncio.sleep(self.travel / 4)
            self.position = start + (target - start) * step // 4
            if step == 4:
                self.motion = "stop"
            self.report()

    def change(self, changes):
        """Sets members, then: "report" tells the state; "break" ends the connection without a
        goodbye; "leave" for good; "raw" publishes {topic, payload, retain}; "go" moves a cover."""
        for name in ("power", "brightness", "position", "travel", "least"):
            if name in changes:
                setattr(self, name, changes[name])
        if "odd" in changes:
            self.odd = set(changes["odd"])
        for raw in changes.get("raw", []):
            for _ in range(raw.get("times", 1)):
                self.client.publish(raw["topic"], raw["payload"], raw.get("retain", False))
        if changes.get("report"):
            self.report()
        if "go" in changes:
            self.move(changes["go"])
        if changes.get("break"):
            self.client.abort_connection()
        if changes.get("leave"):
            self.client.close()


class Tasmota(Device):
    def __init__(self, port, topic, kind):
        self.will = (f"tele/{topic}/LWT", "Offline")
        super().__init__(port, topic, kind)

    def commands(self):
        return [f"cmnd/{self.topic}/+"]

    def state_topic(self):
        return f"stat/{self.topic}/RESULT"

    def is_query(self, topic, payload):
        return topic.endswith("/STATE")

    def announce(self):
        self.client.publish(f"tele/{self.topic}/LWT", "Online", True)
        self.client.publish(f"tele/{self.topic}/STATE", self.state())

    def state(self):
        if self.kind == "cover":
            direction = {"open": 1, "close": -1, "stop": 0}[self.motion]
            return {
                "Shutter1": {
                    "Position": self.shown_position(),
                    "Direction": direction,
                    "Target": self.position,
                    "Tilt": 0,
                }
            }
        state = {"POWER": "ON" if self.power else "OFF"}
        if self.kind == "dimmer":
            state["Dimmer"] = self.brightness
        return {"Time": "2026-01-01T00:00:00", "Uptime": "0T00:00:10", **state}

    def report(self):
        if self.kind != "cover":
            self.client.publish(f"stat/{self.topic}/POWER", "ON" if self.power else "OFF")
        self.client.publish(self.state_topic(), self.state())

    def execute(self, topic, payload):
        verb = topic.split("/")[-1].upper()
        if verb.startswith("POWER"):
            self.turn(payload.upper() == "ON")
        elif verb == "DIMMER":
            self.turn(True, payload)
        elif verb.startswith("SHUTTEROPEN"):
            self.move(100)
        elif verb.startswith("SHUTTERCLOSE"):
            self.move(0)
        elif verb.startswith("SHUTTERSTOP"):
            self.move(None)
        else:
            self.report()


class Zigbee(Device):
    def commands(self):
        return [f"zigbee2mqtt/{self.topic}/set", f"zigbee2mqtt/{self.topic}/get"]

    def state_topic(self):
        return f"zigbee2mqtt/{self.topic}"

    def is_query(self, topic, payload):
        return topic.endswith("/get")

    def announce(self):
        self.client.publish("zigbee2mqtt/bridge/state", {"state": "online"}, True)
        self.client.publish(self.state_topic() + "/availability", {"state": "online"}, True)
        self.report()

    def report(self):
        # A group has no state before its first command.
        if "group" in self.odd and not self.was_set:
            return
        if self.kind == "cover":
            state = {
                "position": self.shown_position(),
                "state": "CLOSE" if self.position == 0 else "OPEN",
            }
        else:
            state = {"state": "ON" if self.power else "OFF"}
            if self.kind == "dimmer":
                state["brightness"] = self.brightness
        self.client.publish(
            self.state_topic(), {"linkquality": 120, **state}, "group" not in self.odd
        )

    def execute(self, topic, payload):
        if topic.endswith("/get"):
            return self.report()
        self.was_set = True
        wish = json.loads(payload)
        state = wish.get("state")
        if self.kind == "cover":
            self.move({"OPEN": 100, "CLOSE": 0, "STOP": None}[state])
        else:
            self.turn(state == "ON", wish.get("brightness"))


class Shelly(Device):
    def __init__(self, port, topic, kind):
        self.will = (f"{topic}/online", "false")
        self.part = {"plug": "Switch", "dimmer": "Light", "cover": "Cover"}[kind]
        super().__init__(port, topic, kind)

    def commands(self):
        return [f"{self.topic}/rpc"]

    def state_topic(self):
        return f"{self.topic}/events/rpc"

    def is_query(self, topic, payload):
        return "GetStatus" in payload

    def announce(self):
        self.client.publish(f"{self.topic}/online", "true", True)

    def status(self):
        if self.kind == "cover":
            state = {"open": "opening", "close": "closing"}.get(
                self.motion, {0: "closed", 100: "open"}.get(self.position, "stopped")
            )
            return {"id": 0, "state": state, "current_pos": self.shown_position(), "apower": 0.0}
        status = {"id": 0, "source": "MQTT", "output": self.power}
        if self.kind == "dimmer":
            status["brightness"] = self.brightness
        return status

    def report(self):
        self.client.publish(
            self.state_topic(),
            {
                "src": self.topic,
                "dst": f"{self.topic}/events",
                "method": "NotifyStatus",
                "params": {"ts": 1700000000.1, f"{self.part.lower()}:0": self.status()},
            },
        )

    def execute(self, topic, payload):
        call = json.loads(payload)
        method, params = call["method"].split(".")[1], call["params"]
        answer = {"id": call["id"], "src": self.topic, "dst": call["src"]}
        if "refuse" in self.odd and method != "GetStatus":
            answer["error"] = {"code": -109, "message": "Overtemperature"}
        else:
            answer["result"] = {"was_on": self.power}
        if method == "GetStatus":
            answer["result"] = self.status()
        self.client.publish(call["src"] + "/rpc", answer)
        if "error" in answer or method == "GetStatus":
            return
        if method == "Set":
            # Like the real ones it tells only changes.
            before = self.status()
            self.power = params["on"]
            self.brightness = params.get("brightness", self.brightness)
            if self.status() != before:
                self.report()
        else:
            self.move({"Open": 100, "Close": 0, "Stop": None}[method])


class Shelly1(Device):
    def __init__(self, port, topic, kind):
        name = {"plug": "relay", "dimmer": "light", "cover": "roller"}[kind]
        self.base = f"shellies/{topic}/{name}/0"
        self.will = (f"shellies/{topic}/online", "false")
        super().__init__(port, topic, kind)

    def commands(self):
        return [f"{self.base}/command", f"{self.base}/set", f"shellies/{self.topic}/command"]

    def state_topic(self):
        return self.base

    def is_query(self, topic, payload):
        return payload == "update"

    def announce(self):
        self.client.publish(f"shellies/{self.topic}/online", "true", True)
        self.report()

    def report(self):
        if self.kind == "cover":
            self.client.publish(self.base + "/pos", str(self.shown_position()), True)
            self.client.publish(self.base, self.motion, True)
            return
        self.client.publish(self.base, "on" if self.power else "off", True)
        if self.kind == "dimmer":
            self.client.publish(
                self.base + "/status", {"ison": self.power, "brightness": self.brightness}, True
            )

    def execute(self, topic, payload):
        if payload == "update":
            self.report()
        elif self.kind == "cover":
            self.move({"open": 100, "close": 0, "stop": None}[payload])
        elif topic.endswith("/set"):
            wish = json.loads(payload)
            self.turn(wish["turn"] == "on", wish.get("brightness"))
        else:
            self.turn(payload == "on")


class Own(Device):
    """A device with topics of its own: state as JSON on own/TOPIC/state, commands as words."""

    def commands(self):
        return [f"own/{self.topic}/+/set"]

    def state_topic(self):
        return f"own/{self.topic}/state"

    def announce(self):
        self.client.publish(f"own/{self.topic}/alive", "yes", True)
        self.report()

    def report(self):
        lamp = {"lamps": [{"on": self.power, "level": self.brightness}], "at": self.position}
        self.client.publish(self.state_topic(), lamp, True)

    def execute(self, topic, payload):
        if topic.endswith("/level/set"):
            self.turn(True, json.loads(payload)["level"])
        elif topic.endswith("/screen/set"):
            self.move({"roll": 100, "unroll": 0, "halt": None}[payload])
        else:
            self.turn(payload == "1")


FAMILIES = {
    "tasmota": Tasmota,
    "zigbee2mqtt": Zigbee,
    "shelly": Shelly,
    "shelly1": Shelly1,
    "own": Own,
}


# Faulty connections


class Proxy:
    """Passes connections on to a broker. Modes: pass; split (a byte at a time), merge (what comes
    within 50 ms at once), hold (nothing passes, the connections stay), refuse (closes each at
    once), drop (closes those that are open, then passes), garbage (answers with bytes that are no
    MQTT), huge (an endless message), flood (the message "topic" with payloads of 60 KiB, without an
    end), close (after the broker's first packet)."""

    def __init__(self, to):
        self.to, self.mode, self.topic = to, "pass", ""
        self.opened, self.writers = 0, set()

    async def start(self):
        self.server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        self.port = self.server.sockets[0].getsockname()[1]

    def set(self, mode, topic):
        self.mode, self.topic = mode, topic
        if mode in ("drop", "refuse"):
            for writer in list(self.writers):
                writer.transport.abort()
        if mode == "drop":
            self.mode = "pass"

    async def serve(self, reader, writer):
        self.opened += 1
        self.writers.add(writer)
        try:
            await self.handle_connection(reader, writer)
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            self.writers.discard(writer)
            writer.transport.abort()

    async def handle_connection(self, reader, writer):
        if self.mode == "refuse":
            return
        if self.mode == "garbage":
            writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n" + bytes(range(128, 256)))
            await asyncio.sleep(0.02)
            return
        if self.mode in ("huge", "flood"):
            return await self.attack(reader, writer)
        if self.mode == "hold":
            return await asyncio.sleep(3600)
        from_broker, to_broker = await asyncio.open_connection("127.0.0.1", self.to)
        self.writers.add(to_broker)
        ways = [
            asyncio.ensure_future(self.forward(reader, to_broker)),
            asyncio.ensure_future(self.forward(from_broker, writer)),
        ]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            self.writers.discard(to_broker)
            to_broker.transport.abort()

    async def forward(self, reader, writer):
        while data := await reader.read(65536):
            while self.mode == "hold":
                await asyncio.sleep(0.02)
            if self.mode == "split":
                for index in range(len(data)):
                    writer.write(data[index : index + 1])
                    await writer.drain()
                    if index % 8 == 0:
                        await asyncio.sleep(0.0005)
                continue
            if self.mode == "merge":
                await asyncio.sleep(0.05)
            writer.write(data)
            await writer.drain()
            if self.mode == "close":
                return

    async def attack(self, reader, writer):
        await read_packet(reader)
        writer.write(packet(0x20, b"\0\0"))
        if self.mode == "huge":
            writer.write(b"\x30\xff\xff\xff\x7f" + text(self.topic))
            piece = b"x" * 65536
        else:
            piece = packet(0x30, text(self.topic) + b"x" * 61440)
        while True:
            writer.write(piece)
            await writer.drain()


# Brokers


class Broker:
    def __init__(self, user=None, password=None, tls=False):
        self.user, self.password, self.tls = user, password, tls

    def configure(self):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        lines = [
            f"listener {self.port} 127.0.0.1",
            "persistence false",
            "log_dest none",
            "set_tcp_nodelay true",
            f"allow_anonymous {'false' if self.user else 'true'}",
        ]
        if os.getuid() == 0:
            lines.append("user root")
        if self.user:
            file = FOLDER / f"users-{self.port}"
            subprocess.run(
                ["mosquitto_passwd", "-b", "-c", file, self.user, self.password],
                check=True,
                capture_output=True,
            )
            lines.append(f"password_file {file}")
        if self.tls:
            make_certificates()
            lines += [f"certfile {FOLDER}/broker.pem", f"keyfile {FOLDER}/broker.key"]
        self.file = FOLDER / f"broker-{self.port}.conf"
        self.file.write_text("\n".join(lines) + "\n")

    async def start(self):
        program = shutil.which("mosquitto") or "/usr/sbin/mosquitto"
        self.process = subprocess.Popen(
            [program, "-c", self.file], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        while self.process.poll() is None:
            try:
                (await asyncio.open_connection("127.0.0.1", self.port))[1].transport.abort()
                return True
            except OSError:
                await asyncio.sleep(0.005)
        return False

    def stop(self, kind=signal.SIGKILL):
        self.process.send_signal(kind)
        if kind == signal.SIGKILL:
            self.process.wait()


def make_certificates():
    """The authority and the broker's certificate, and another authority that has signed nothing."""
    if (FOLDER / "broker.pem").exists():
        return

    def run(*words):
        command = ["openssl", *map(str, words)]
        subprocess.run(command, check=True, capture_output=True, cwd=FOLDER)

    new = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    for name in ("ca", "other"):
        run(
            "req",
            "-x509",
            *new,
            "-keyout",
            f"{name}.key",
            "-out",
            f"{name}.pem",
            "-days",
            2,
            "-subj",
            f"/CN=Test {name}",
        )
    run("req", *new, "-keyout", "broker.key", "-out", "broker.csr", "-subj", "/CN=localhost")
    (FOLDER / "names").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
    run(
        "x509",
        "-req",
        "-in",
        "broker.csr",
        "-CA",
        "ca.pem",
        "-CAkey",
        "ca.key",
        "-CAcreateserial",
        "-days",
        2,
        "-extfile",
        "names",
        "-out",
        "broker.pem.new",
    )
    (FOLDER / "broker.pem.new").rename(FOLDER / "broker.pem")


class World:
    def __init__(self):
        self.brokers, self.devices, self.proxies = {}, {}, {}

    async def do(self, request):
        verb = request["do"]
        if verb == "broker":
            for _ in range(20):
                broker = Broker(request.get("user"), request.get("password"), request.get("tls"))
                broker.configure()
                if await broker.start():
                    self.brokers[broker.port] = broker
                    return {"port": broker.port, "folder": str(FOLDER)}
            return {"error": "mosquitto does not start"}
        if verb == "end":
            broker = self.brokers[request["broker"]]
            how = request["how"]
            if how == "start":
                await broker.start()
            else:
                broker.stop(
                    {"kill": signal.SIGKILL, "pause": signal.SIGSTOP, "resume": signal.SIGCONT}[how]
                )
        elif verb == "device":
            topic = request.get("topic") or f"{request['family']}-{len(self.devices)}"
            device = FAMILIES[request["family"]](request["broker"], topic, request["kind"])
            self.devices[topic] = device
            device.change(request)
            await device.client.ready.wait()
            return {"topic": topic}
        elif verb == "change":
            self.devices[request["device"]].change(request)
        elif verb == "proxy":
            proxy = self.proxies.get(request.get("port"))
            if not proxy:
                proxy = Proxy(request["to"])
                await proxy.start()
                self.proxies[proxy.port] = proxy
            proxy.set(request.get("mode", "pass"), request.get("topic", ""))
            return {"port": proxy.port}
        elif verb == "count":
            proxy = self.proxies[request["port"]]
            return {"opened": proxy.opened, "open": len(proxy.writers)}
        return {}

    async def answer(self, request):
        try:
            result = await self.do(request)
        except Exception as error:
            result = {"error": repr(error)}
        write_event({"id": request["id"], **result})


async def main():
    world = World()
    reader = asyncio.StreamReader(limit=1 << 22)
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), sys.stdin
    )
    try:
        while line := await reader.readline():
            asyncio.ensure_future(world.answer(json.loads(line)))
    finally:
        # A connection that is accepted later would begin a task that nothing ends.
        for proxy in world.proxies.values():
            proxy.server.close()
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for broker in world.brokers.values():
            broker.stop()


if __name__ == "__main__":
    # mosquitto_passwd and mosquitto lie where root's path leads.
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    asyncio.run(main())
