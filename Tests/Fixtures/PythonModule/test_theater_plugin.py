"""Tests of Templates/python/theater_plugin.py with devices that hang, fail and print.

Run with the folder of a plugin that `theater plugin new` has made in PYTHONPATH.
"""

import json
import subprocess
import sys
import textwrap
import threading
import time
import unittest

HEAD = """
import os, subprocess, sys, threading, time
from theater_plugin import Device, DeviceError, Plugin
"""


class Peer:
    """A plugin whose devices have these methods, with the controller's end of its lines."""

    def __init__(self, methods, role="lights"):
        code = HEAD + "class D(Device):\n" + textwrap.indent(textwrap.dedent(methods), "    ")
        code += f"\nPlugin('P', '1.0.0', {{'{role}': D}}).run()\n"
        self.role, self.number = role, 0
        self.process = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        # Ends a plugin that does not answer, so that the test fails instead of waiting.
        self.watchdog = threading.Timer(30, self.process.kill)
        self.watchdog.start()

    def post(self, method, **params):
        self.number += 1
        self.write({"id": self.number, "method": method, "params": params})
        return self.number

    def notify(self, method, **params):
        self.write({"method": method, "params": params})

    def write(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError("the plugin has ended: " + self.process.stderr.read())
        return json.loads(line)

    def answer(self, identifier):
        """Returns the answer to a request, and the messages before it."""
        before = []
        while (message := self.read()).get("id") != identifier:
            before.append(message)
        return message, before

    def open(self, name="a", **options):
        return self.answer(self.post("open", device=name, role=self.role, options=options))

    def end(self):
        """Ends the input; returns the rest of the output, the log and the duration of the end."""
        start = time.monotonic()
        output, log = self.process.communicate(timeout=30)
        return [json.loads(line) for line in output.splitlines()], log, time.monotonic() - start

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()
        self.watchdog.cancel()


def kind(answer):
    return answer["error"]["data"]["kind"]


class ModuleTest(unittest.TestCase):
    def test_a_hanging_command_delays_no_ping_no_other_device_and_no_close(self):
        with Peer("""
            def perform(self, name, argument):
                if self.name == "a": threading.Event().wait()
            def close(self): print("closed", self.name)
            """) as peer:
            peer.open("a")
            peer.open("b")
            hanging = peer.post("perform", device="a", command="on")
            waiting = peer.post("perform", device="a", command="off")
            for request in peer.post("ping"), peer.post("perform", device="b", command="on"):
                self.assertIn("result", peer.answer(request)[0])
            closed, before = peer.answer(peer.post("close", device="a"))
            self.assertEqual(closed["result"], {})
            self.assertEqual(sorted(m["id"] for m in before), [hanging, waiting])
            self.assertEqual({kind(m) for m in before}, {"cancelled"})
            rest, log, _ = peer.end()
            self.assertEqual((rest, log.split()), ([], ["closed", "a", "closed", "b"]))

    def test_a_hanging_device_does_not_hold_the_process(self):
        with Peer("""
            def perform(self, name, argument): threading.Event().wait()
            def close(self): threading.Event().wait()
            """) as peer:
            peer.open()
            peer.post("perform", device="a", command="on")
            self.assertIn("result", peer.answer(peer.post("ping"))[0])
            _, _, seconds = peer.end()
            self.assertEqual(peer.process.returncode, 0)
            # The protocol allows 2 s; a busy machine gets more.
            self.assertLess(seconds, 4)

    def test_a_cancelled_command_that_sleeps_is_answered_at_once(self):
        with Peer("""
            def perform(self, name, argument):
                self.report({"power": "on"})
                if name == "on": self.sleep(1000)
            """) as peer:
            peer.open()
            running = peer.post("perform", device="a", command="on")
            self.assertEqual(peer.read()["method"], "state")
            waiting = peer.post("perform", device="a", command="on")
            peer.notify("cancel", id=waiting)
            self.assertEqual(kind(peer.answer(waiting)[0]), "cancelled")
            peer.notify("cancel", id=running)
            self.assertEqual(kind(peer.answer(running)[0]), "cancelled")
            self.assertIn("result", peer.answer(peer.post("perform", device="a", command="off"))[0])

    def test_a_device_that_does_not_open_is_closed_and_is_not_open(self):
        with Peer("""
            def open(self): raise DeviceError("unavailable", "no lamp", "Connect it.")
            def close(self): print("closed")
            """) as peer:
            refusal, _ = peer.open()
            self.assertEqual(kind(refusal), "unavailable")
            self.assertEqual(refusal["error"]["data"]["hint"], "Connect it.")
            performed, _ = peer.answer(peer.post("perform", device="a", command="on"))
            self.assertEqual(performed["error"]["code"], -32602)
            self.assertEqual(peer.end()[1], "closed\n")

    def test_opening_a_name_again_closes_the_old_device_first(self):
        with Peer("""
            def open(self): print("opened", self.options["number"])
            def close(self): print("closed", self.options["number"])
            """) as peer:
            peer.open(number=1)
            peer.open(number=2)
            self.assertEqual(peer.end()[1].split("\n")[:3], ["opened 1", "closed 1", "opened 2"])

    def test_a_refused_role_or_faulty_constructor_closes_the_old_device(self):
        with Peer("""
            def __init__(self, name, options, connection):
                super().__init__(name, options, connection)
                options["fault"]
            def close(self): print("closed")
            """) as peer:
            peer.open(fault=1)
            self.assertEqual(peer.open()[0]["error"]["code"], -32603)
            peer.open(fault=1)
            other = peer.post("open", device="a", role="screen", options={})
            self.assertEqual(kind(peer.answer(other)[0]), "unsupported")
            self.assertEqual(peer.end()[1].count("closed\n"), 2)

    def test_a_fault_of_the_plugin_is_an_answer_with_its_place_in_the_log(self):
        with Peer("""
            def perform(self, name, argument): {}["lamp"]
            """) as peer:
            peer.open()
            answer, _ = peer.answer(peer.post("perform", device="a", command="on"))
            self.assertEqual(answer["error"]["code"], -32603)
            self.assertIn("'lamp'", answer["error"]["message"])
            self.assertIn("result", peer.answer(peer.post("ping"))[0])
            self.assertIn("KeyError", peer.end()[1])

    def test_print_and_children_write_to_the_log_and_read_nothing(self):
        with Peer("""
            def open(self):
                print("printed")
                subprocess.run(["cat"], check=True)
                subprocess.run(["echo", "child"], check=True)
            """) as peer:
            self.assertIn("result", peer.open()[0])
            rest, log, _ = peer.end()
            self.assertEqual((rest, log), ([], "printed\nchild\n"))

    def test_a_lost_device_reports_its_values_as_unknown_and_its_problem(self):
        with Peer("""
            def open(self): self.report({"power": "on", "brightness": 7})
            def perform(self, name, argument):
                if name == "off": self.report_lost("the lamp is gone\\n" + "x" * 2000)
                else: self.report_problem(None)
            """) as peer:
            peer.open()
            _, [lost] = peer.answer(peer.post("perform", device="a", command="off"))
            self.assertEqual(lost["params"]["state"], {"power": "on", "brightness": 7})
            self.assertEqual(lost["params"]["provenance"], "unknown")
            problem = lost["params"]["attributes"]["problem"]
            self.assertTrue(problem["value"].startswith("the lamp is gone x"))
            self.assertLessEqual(len(problem["value"].encode()), 1000)
            _, [found] = peer.answer(peer.post("perform", device="a", command="on"))
            self.assertEqual(
                found["params"]["attributes"], {"problem": {"value": None, "label": "Problem"}}
            )

    def test_no_report_follows_the_close_of_its_device(self):
        with Peer("""
            def close(self): self.report({"power": "off"})
            """) as peer:
            peer.open()
            self.assertEqual(peer.answer(peer.post("close", device="a"))[1], [])

    def test_commands_are_checked_against_the_table_of_the_role(self):
        with Peer(
            """
            def perform(self, name, argument): self.log(f"{name} {argument!r}")
            """,
            role="screen",
        ) as peer:
            peer.open()
            _, [log] = peer.answer(peer.post("perform", device="a", command="down"))
            self.assertEqual(log["params"]["message"], "down None")
            for command in "dim", {"dim": 3}, {"up": 1}, [], None, 3, {"up": None, "down": None}:
                answer, before = peer.answer(peer.post("perform", device="a", command=command))
                self.assertEqual((kind(answer), before), ("invalid", []))
            stop, _ = peer.answer(peer.post("perform", device="a", command="stop"))
            self.assertEqual(kind(stop), "unsupported")

    def test_a_whole_number_is_given_as_one(self):
        with Peer("""
            def perform(self, name, argument): self.log(repr(argument))
            """) as peer:
            peer.open()
            _, [log] = peer.answer(peer.post("perform", device="a", command={"dim": 40.0}))
            self.assertEqual(log["params"]["message"], "40")
            for wrong in 101, -1, 1.5, True, "3", 10**400, 1e300, [1], None:
                request = peer.post("perform", device="a", command={"dim": wrong})
                self.assertEqual(kind(peer.answer(request)[0]), "invalid", wrong)

    def test_an_optional_command_needs_its_capability(self):
        with Peer(
            """
            def open(self): return ["stop"]
            def perform(self, name, argument): pass
            """,
            role="screen",
        ) as peer:
            self.assertEqual(peer.open()[0]["result"]["capabilities"], ["stop"])
            self.assertIn(
                "result", peer.answer(peer.post("perform", device="a", command="stop"))[0]
            )

    def test_a_device_names_the_kinds_of_its_cables(self):
        with Peer("cables = ('wired',)", role="amplifier") as peer:
            self.assertEqual(peer.open()[0]["result"]["cables"], ["wired"])
        with Peer("cables = ()", role="amplifier") as peer:
            self.assertEqual(peer.open()[0]["result"]["cables"], [])

    def test_commands_that_wait_for_the_device_are_bounded(self):
        with Peer("""
            def perform(self, name, argument): self.sleep(1000)
            """) as peer:
            peer.open()
            # One is under way, 256 wait, and one of the last two does not fit.
            posted = [peer.post("perform", device="a", command="on") for _ in range(258)]
            refusal = peer.read()
            self.assertIn(refusal["id"], posted[-2:])
            self.assertEqual(kind(refusal), "notNow")

    def test_a_long_catalogue_comes_in_pages(self):
        with Peer(
            """
            def scan(self, folder):
                return [{"id": str(n), "title": "x" * 1000} for n in range(2000)]
            """,
            role="cdPlayer",
        ) as peer:
            peer.open()
            items, cursor = [], ""
            while cursor is not None:
                request = peer.post("scan", device="a", cursor=cursor)
                page = peer.answer(request)[0]["result"]
                self.assertLess(len(json.dumps(page)), 1 << 20)
                items += page["items"]
                cursor = page.get("next")
            self.assertEqual([item["id"] for item in items], [str(n) for n in range(2000)])
            for stale in "9", "-1", "x", "²":
                answer, _ = peer.answer(peer.post("scan", device="a", cursor=stale))
                self.assertEqual(kind(answer), "notNow")

    def test_a_scan_delays_no_command(self):
        with Peer(
            """
            def open(self): self.go_on = threading.Event()
            def scan(self, folder):
                self.go_on.wait()
                return []
            def perform(self, name, argument): self.go_on.set()
            """,
            role="cdPlayer",
        ) as peer:
            peer.open()
            scan = peer.post("scan", device="a")
            performed = peer.post("perform", device="a", command="on")
            answers = [peer.read(), peer.read()]
            self.assertEqual(sorted(m["id"] for m in answers), [scan, performed])

    def test_a_self_check_that_fails_names_the_problem(self):
        code = HEAD + "Plugin('P', '1', {}, self_check=lambda: ('no lamp', 'Buy one.')).run()"
        ended = subprocess.run(
            [sys.executable, "-c", code, "--self-check"], stdout=subprocess.PIPE, text=True
        )
        self.assertEqual(
            json.loads(ended.stdout), {"ok": False, "message": "no lamp", "hint": "Buy one."}
        )
        self.assertEqual(ended.returncode, 1)


if __name__ == "__main__":
    unittest.main()
