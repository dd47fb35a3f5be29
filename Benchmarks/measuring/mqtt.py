"""Figures of the plugin MQTTDevices, behind a real broker with the devices of the tests."""

import json
import queue
import socket
import statistics
import subprocess
import sys
import threading
import time

from . import processes
from .controller import ROOT
from .plugins import Plugin, Refused

SCRIPT = ROOT / "Tests/Fixtures/mqtt_devices.py"
sys.path.insert(0, str(SCRIPT.parent))
from mqtt_devices import packet, text  # noqa: E402


class World:
    """The brokers and devices of the tests; `with` ends them."""

    def __enter__(self):
        self.process = subprocess.Popen([sys.executable, SCRIPT], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        self.last = 0
        self.answers = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(20)

    def do(self, verb, **request):
        self.last += 1
        line = {"id": self.last, "do": verb, **request}
        self.process.stdin.write(json.dumps(line).encode() + b"\n")
        self.process.stdin.flush()
        answer = self.answers.get(timeout=60)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer

    def read(self):
        for line in self.process.stdout:
            message = json.loads(line)
            if "id" in message:
                self.answers.put(message)


def _options(port, topic):
    return {"broker": {"host": "127.0.0.1", "port": port}, "profile": "tasmota", "topic": topic}


def _open(plugin, name, port, topic):
    plugin.request("open", {"device": name, "role": "lights", "options": _options(port, topic)})


def memory(count=200):
    with World() as world, Plugin("MQTTDevices") as plugin:
        port = world.do("broker")["port"]
        for number in range(count):
            topic = world.do("device", broker=port, family="tasmota", kind="dimmer")["topic"]
            _open(plugin, f"lamp{number}", port, topic)
        for number in range(count):
            plugin.request("perform", {"device": f"lamp{number}", "command": {"dim": 30}})
        megabytes = processes.pss_megabytes(plugin.pid)
    yield (f"{count} MQTT devices on one plugin, PSS", f"{megabytes:.1f} MB", "≤ 15 MB",
           megabytes <= 15)


def latency(count=300):
    """From the arrival of a state at a subscriber of the broker to the plugin's report of it."""
    with World() as world, Plugin("MQTTDevices") as plugin:
        port = world.do("broker")["port"]
        topic = world.do("device", broker=port, family="tasmota", kind="dimmer")["topic"]
        _open(plugin, "lamp", port, topic)
        reports = queue.Queue()
        plugin.on_state = lambda _: reports.put(time.monotonic_ns())
        late, trips = [], []
        with socket.create_connection(("127.0.0.1", port)) as client:
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            state = f"stat/{topic}/POWER"
            client.sendall(packet(0x10, text("MQTT") + b"\4\2\0\0" + text("bench"))
                           + packet(0x82, b"\0\1" + text(state) + b"\0"))
            time.sleep(0.3)
            client.recv(4096)
            echoes = queue.Queue()

            def listen():
                while client.recv(4096):
                    echoes.put(time.monotonic_ns())

            threading.Thread(target=listen, daemon=True).start()
            for number in range(count):
                sent = time.monotonic_ns()
                client.sendall(packet(0x30, text(state) + (b"ON" if number % 2 == 0 else b"OFF")))
                echo, report = echoes.get(timeout=10), reports.get(timeout=10)
                trips.append((echo - sent) / 1e6)
                late.append((report - sent) / 1e6)
                time.sleep(0.025)
            client.shutdown(socket.SHUT_RDWR)
    trip, whole = statistics.median(trips), sorted(late)
    for name, value in ("p50", whole[count // 2]), ("p99", whole[count * 99 // 100]):
        yield (f"MQTT state to report, {name}", f"{value:.2f} ms; the broker's round trip "
               f"{trip:.2f} ms", "≤ 5 ms over it", value - trip <= 5)


def reconnects(count=10_000):
    """Connections that are made, broken and refused, and what they leave behind."""
    with World() as world, Plugin("MQTTDevices") as plugin:
        broker = world.do("broker")["port"]
        good = world.do("proxy", to=broker)["port"]
        bad = world.do("proxy", to=broker, mode="refuse")["port"]
        topic = world.do("device", broker=broker, family="tasmota", kind="dimmer")["topic"]
        before = None
        for number in range(count // 2):
            _open(plugin, "lamp", good, topic)
            plugin.request("close", {"device": "lamp"})
            try:
                _open(plugin, "lamp", bad, topic)
            except Refused:
                pass
            if number == 100:
                before = processes.descriptors(plugin.pid), processes.pss_megabytes(plugin.pid)
        time.sleep(1)
        after = processes.descriptors(plugin.pid), processes.pss_megabytes(plugin.pid)
    yield (f"descriptors after {count} MQTT connections", f"{after[0]}, before {before[0]}",
           "no more", after[0] <= before[0])
    yield (f"PSS after {count} MQTT connections", f"{after[1]:.1f} MB, before {before[1]:.1f} MB",
           "≤ 3 MB more", after[1] - before[1] <= 3)


def half_open():
    """The time until a connection that is open without an answer is noticed."""
    with World() as world, Plugin("MQTTDevices") as plugin:
        broker = world.do("broker")["port"]
        proxy = world.do("proxy", to=broker)["port"]
        topic = world.do("device", broker=broker, family="tasmota", kind="dimmer")["topic"]
        _open(plugin, "lamp", proxy, topic)
        noticed = threading.Event()
        plugin.on_state = lambda params: (
            noticed.set() if params.get("provenance") == "unknown" else None)
        world.do("proxy", port=proxy, to=broker, mode="hold")
        began = time.monotonic()
        noticed.wait(90)
        seconds = time.monotonic() - began
    yield ("half-open MQTT connection noticed after", f"{seconds:.0f} s", "≤ 40 s", seconds <= 40)
