"""Figures of the plugin MQTTDevices, behind a real broker with the devices of the tests."""

import contextlib
import json
import queue
import socket
import statistics
import subprocess
import sys
import threading
import time

from controller import ROOT, Controller

from . import processes
from .accounts.comparing import quantile
from .plugins import Plugin, Refused
from .streams import Pages
from .wire import Tap, read_time, wire_figures

SCRIPT = ROOT / "Tests/Fixtures/mqtt_devices.py"
sys.path.insert(0, str(SCRIPT.parent))
from mqtt_devices import packet, text


class World:
    """The brokers and devices of the tests; `with` ends them."""

    def __enter__(self):
        self.process = subprocess.Popen(
            [sys.executable, SCRIPT], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.last = 0
        self.answers = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(20)

    def request(self, verb, **request):
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
        port = world.request("broker")["port"]
        for number in range(count):
            topic = world.request("device", broker=port, family="tasmota", kind="dimmer")["topic"]
            _open(plugin, f"lamp{number}", port, topic)
        for number in range(count):
            plugin.request("perform", {"device": f"lamp{number}", "command": {"dim": 30}})
        megabytes = processes.pss_megabytes(plugin.pid)
    yield (
        f"{count} MQTT devices on one plugin, PSS",
        f"{megabytes:.1f} MB",
        "≤ 15 MB",
        megabytes <= 15,
    )


class Publisher:
    """A client of the broker that publishes a topic and receives it again; `with` ends it."""

    def __init__(self, port, topic):
        self.port, self.topic = port, topic

    def __enter__(self):
        self.client = socket.create_connection(("127.0.0.1", self.port))
        self.client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.client.sendall(
            packet(0x10, text("MQTT") + b"\4\2\0\0" + text("bench"))
            + packet(0x82, b"\0\1" + text(self.topic) + b"\0")
        )
        # CONNACK and SUBACK.
        waiting = 4 + 5
        while waiting > 0:
            waiting -= len(self.client.recv(waiting))
        return self

    def __exit__(self, *_):
        self.client.close()

    def publish(self, payload):
        """The times at which the message was sent and came back."""
        sent = time.monotonic_ns()
        self.client.sendall(packet(0x30, text(self.topic) + payload))
        self.client.recv(4096)
        return sent, time.monotonic_ns()


def latency(count=300):
    """From a state at the broker to the plugin's report of it."""
    with World() as world, Plugin("MQTTDevices") as plugin:
        port = world.request("broker")["port"]
        topic = world.request("device", broker=port, family="tasmota", kind="dimmer")["topic"]
        _open(plugin, "lamp", port, topic)
        reports = queue.Queue()
        plugin.on_state = lambda _: reports.put(time.monotonic_ns())
        late, trips = [], []
        with Publisher(port, f"stat/{topic}/POWER") as publisher:
            for number in range(count):
                sent, echo = publisher.publish(b"ON" if number % 2 == 0 else b"OFF")
                trips.append((echo - sent) / 1e6)
                late.append((reports.get(timeout=10) - sent) / 1e6)
                time.sleep(0.025)
    yield from _lateness("MQTT state to report", late, trips)


def event_latency(count=300):
    """From a state at the broker to the controller's event in an open stream of events."""
    with World() as world:
        port = world.request("broker")["port"]
        topic = world.request("device", broker=port, family="tasmota", kind="dimmer")["topic"]
        with Controller(_lamp(port, topic)) as controller:
            controller.log_in()
            controller.wait_for(controller.plugins_are_up)
            late, trips = [], []
            with Pages(controller) as pages, Publisher(port, f"stat/{topic}/RESULT") as publisher:
                pages.open([controller.token])
                for number in range(count):
                    brightness = number % 99 + 1
                    sent, echo = publisher.publish(
                        json.dumps({"POWER": "ON", "Dimmer": brightness}).encode()
                    )
                    trips.append((echo - sent) / 1e6)
                    event = pages.wait_for(f'"brightness":{{"value":{brightness},'.encode())[0]
                    late.append(event * 1e3 - sent / 1e6)
                    time.sleep(0.025)
    yield from _lateness("MQTT state to the controller's event", late, trips)


def command_latency(count=300):
    """From a command's request to the controller until the plugin sends its bytes to the broker."""
    with World() as world:
        broker = world.request("broker")["port"]
        topic = world.request("device", broker=broker, family="tasmota", kind="dimmer")["topic"]
        with Tap(broker) as tap, Controller(_lamp(tap.port, topic)) as controller:
            controller.log_in()
            controller.wait_for(controller.plugins_are_up)
            call = controller.caller()
            call("lights", "on")
            late, reads = [], []
            for number in range(count):
                time.sleep(0.025)
                # What arrived until now was a confirmation of an earlier message.
                tap.forget()
                sent, _ = call("lights", {"dim": number % 99 + 1})
                late.append((tap.wait_for() - sent) / 1e6)
                reads.append(read_time(call, "lights"))
    yield from wire_figures("MQTT", late, reads)


def _lamp(port, topic):
    return {
        "devices": {
            "lights": {"role": "lights", "plugin": "MQTTDevices", "options": _options(port, topic)}
        }
    }


def _lateness(title, late, trips):
    trip = statistics.median(trips)
    for name, share in ("p50", 0.5), ("p99", 0.99):
        value = quantile(late, share)
        yield (
            f"{title}, {name}",
            f"{value:.2f} ms; the broker's round trip {trip:.2f} ms",
            "≤ 5 ms over it",
            value - trip <= 5,
        )


def reconnects(count=10_000):
    """Connections that are made, broken and refused, and what they leave behind."""
    with World() as world, Plugin("MQTTDevices") as plugin:
        broker = world.request("broker")["port"]
        good = world.request("proxy", to=broker)["port"]
        bad = world.request("proxy", to=broker, mode="refuse")["port"]
        topic = world.request("device", broker=broker, family="tasmota", kind="dimmer")["topic"]
        before = None
        for number in range(count // 2):
            _open(plugin, "lamp", good, topic)
            plugin.request("close", {"device": "lamp"})
            with contextlib.suppress(Refused):
                _open(plugin, "lamp", bad, topic)
            if number == 100:
                before = processes.descriptors(plugin.pid), processes.pss_megabytes(plugin.pid)
        time.sleep(1)
        after = processes.descriptors(plugin.pid), processes.pss_megabytes(plugin.pid)
    yield (
        f"descriptors after {count} MQTT connections",
        f"{after[0]}, before {before[0]}",
        "no more",
        after[0] <= before[0],
    )
    yield (
        f"PSS after {count} MQTT connections",
        f"{after[1]:.1f} MB, before {before[1]:.1f} MB",
        "≤ 3 MB more",
        after[1] - before[1] <= 3,
    )


def half_open():
    """The time until a connection that is open without an answer is noticed."""
    with World() as world, Plugin("MQTTDevices") as plugin:
        broker = world.request("broker")["port"]
        proxy = world.request("proxy", to=broker)["port"]
        topic = world.request("device", broker=broker, family="tasmota", kind="dimmer")["topic"]
        _open(plugin, "lamp", proxy, topic)
        noticed = threading.Event()
        plugin.on_state = lambda params: (
            noticed.set() if params.get("provenance") == "unknown" else None
        )
        world.request("proxy", port=proxy, to=broker, mode="hold")
        began = time.monotonic()
        noticed.wait(90)
        seconds = time.monotonic() - began
    yield ("half-open MQTT connection noticed after", f"{seconds:.0f} s", "≤ 40 s", seconds <= 40)
