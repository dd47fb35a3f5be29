"""Loses a lamp in each way, and finds it again: python3 -m unittest"""

import json
import pathlib
import subprocess
import sys
import threading
import unittest

from lamp import Lamp

PROGRAM = pathlib.Path(__file__).with_name("network_lamp.py")


class Peer:
    """The plugin, with the controller's end of its lines."""

    def __init__(self):
        self.number = 0
        self.process = subprocess.Popen(
            [sys.executable, PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        # Ends a plugin that does not answer, so that the test fails instead of waiting.
        self.watchdog = threading.Timer(60, self.process.kill)
        self.watchdog.start()

    def open(self, lamp, patience=5):
        options = {"host": "127.0.0.1", "port": lamp.port, "patience": patience}
        return self.ask("open", device="a", role="lights", options=options)

    def ask(self, method, **params):
        """Sends a request. Returns its answer and the reports before it."""
        self.number += 1
        request = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        before = []
        while (message := self.read()).get("id") != self.number:
            before.append(message["params"])
        return message, before

    def dim(self, brightness):
        return self.ask("perform", device="a", command={"dim": brightness})

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError("the plugin has ended")
        return json.loads(line)

    def wait_for(self, condition):
        """Reads reports until one has what the test waits for."""
        while True:
            report = self.read()["params"]
            if condition(report):
                return report

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(10)
        self.process.stdout.close()
        self.watchdog.cancel()


def is_lost(report):
    return report.get("provenance") == "unknown"


def is_found(report):
    return report.get("attributes", {}).get("problem", {}).get("value", "") is None


class NetworkLampTest(unittest.TestCase):
    def setUp(self):
        self.lamp = Lamp()
        self.addCleanup(lambda: self.lamp.close())

    def test_reports_the_brightness_before_the_answers(self):
        self.lamp.brightness = 30
        with Peer() as peer:
            opened, reports = peer.open(self.lamp)
            self.assertIn("result", opened)
            self.assertEqual(reports[-1]["state"], {"power": "on", "brightness": 30})
            dimmed, reports = peer.dim(40)
            self.assertIn("result", dimmed)
            self.assertEqual(reports[-1]["state"], {"power": "on", "brightness": 40})
            self.assertEqual(self.lamp.brightness, 40)

    def test_reports_the_button_on_the_lamp(self):
        with Peer() as peer:
            peer.open(self.lamp)
            self.lamp.press(70)
            report = peer.wait_for(lambda report: report["state"]["brightness"] == 70)
            self.assertEqual(report["state"]["power"], "on")

    def test_connects_again_after_the_lamp_has_dropped_it(self):
        with Peer() as peer:
            peer.open(self.lamp)
            self.lamp.brightness = 55
            self.lamp.drop()
            lost = peer.wait_for(is_lost)
            self.assertEqual(lost["state"], {"power": "off", "brightness": 0})
            self.assertIn("is lost", lost["attributes"]["problem"]["value"])
            peer.wait_for(is_found)
            self.assertEqual(peer.read()["params"]["state"], {"power": "on", "brightness": 55})
            self.assertIn("result", peer.dim(10)[0])

    def test_refuses_commands_while_the_lamp_is_unplugged_and_finds_it_again(self):
        with Peer() as peer:
            peer.open(self.lamp)
            self.lamp.close()
            peer.wait_for(is_lost)
            refusal, _ = peer.dim(10)
            self.assertEqual(refusal["error"]["data"]["kind"], "unavailable")
            self.lamp = Lamp(self.lamp.port)
            peer.wait_for(is_found)
            self.assertIn("result", peer.dim(20)[0])
            self.assertEqual(self.lamp.brightness, 20)

    def test_counts_a_silent_lamp_as_lost(self):
        with Peer() as peer:
            peer.open(self.lamp, patience=0.4)
            self.lamp.is_silent = True
            lost = peer.wait_for(is_lost)
            self.assertIn("silent", lost["attributes"]["problem"]["value"])
            self.lamp.is_silent = False
            peer.wait_for(is_found)

    def test_a_lamp_that_is_not_there_does_not_open(self):
        self.lamp.close()
        with Peer() as peer:
            refusal, _ = peer.open(self.lamp, patience=0.5)
            self.assertEqual(refusal["error"]["data"]["kind"], "unavailable")
            self.lamp = Lamp(self.lamp.port)
            self.assertIn("result", peer.open(self.lamp)[0])

    def test_a_lamp_with_another_connection_does_not_open(self):
        with Peer() as first, Peer() as second:
            first.open(self.lamp)
            refusal, _ = second.open(self.lamp, patience=0.5)
            self.assertEqual(refusal["error"]["data"]["kind"], "unavailable")

    def test_opening_it_again_needs_no_second_connection(self):
        with Peer() as peer:
            for _ in range(5):
                self.assertIn("result", peer.open(self.lamp)[0])
            self.assertIn("result", peer.dim(5)[0])

    def test_ignores_what_is_no_brightness(self):
        with Peer() as peer:
            peer.open(self.lamp)
            for line in b"\xff\xfe", b"DIM", b"DIM x", b"DIM 101", b"DIM -1", b"DIM " + b"9" * 200:
                self.lamp.say(line)
            self.lamp.press(3)
            # The first report is that of the button.
            self.assertEqual(peer.read()["params"]["state"]["brightness"], 3)
            self.lamp.say(b"x" * 5000)
            self.assertIn("lines", peer.wait_for(is_lost)["attributes"]["problem"]["value"])

    def test_closes_the_connection_with_the_device(self):
        with Peer() as first, Peer() as second:
            first.open(self.lamp)
            self.assertIn("result", first.ask("close", device="a")[0])
            # The lamp may read the end of the first connection a moment later: `open` tries again.
            self.assertIn("result", second.open(self.lamp)[0])
            self.assertIn("result", second.dim(5)[0])


if __name__ == "__main__":
    unittest.main()
