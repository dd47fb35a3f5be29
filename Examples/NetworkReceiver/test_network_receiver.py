"""Controls, loses and finds a receiver over TCP: python3 -m unittest"""

import itertools
import json
import pathlib
import subprocess
import sys
import threading
import unittest

from line_protocol import (
    LONGEST_LINE,
    LineSplitter,
    percent_of_volume,
    read_report,
    read_volume,
    volume_of_percent,
    write_volume,
)
from network_receiver import LONGEST_PAUSE, growing_pauses
from receiver import Receiver

PROGRAM = pathlib.Path(__file__).with_name("network_receiver.py")
INPUTS = {
    "inputs": ["console", "phono"],
    "inputNames": [{"name": "pc", "input": "HDMI1"}, {"name": "console", "input": "HDMI2"}],
}


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

    def open(self, receiver, **options):
        options = {
            "host": "127.0.0.1",
            "port": receiver.port,
            "patience": 5,
            "highestVolume": 98,
            **INPUTS,
            **options,
        }
        return self.ask("open", device="a", role="amplifier", options=options)

    def perform(self, command):
        return self.ask("perform", device="a", command=command)

    def ask(self, method, **params):
        """Sends a request. Returns its answer and the reports before it."""
        return self.answer(self.post(method, **params))

    def post(self, method, **params):
        self.number += 1
        self.write(id=self.number, method=method, params=params)
        return self.number

    def write(self, **message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def answer(self, number):
        before = []
        while (message := self.read()).get("id") != number:
            before.append(message["params"])
        return message, before

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError("the plugin has ended")
        return json.loads(line)

    def wait_for(self, condition):
        """Reads reports until one has what the test waits for. Returns it."""
        while True:
            report = self.read()["params"]
            if condition(report):
                return report

    def wait_for_state(self, **state):
        return self.wait_for(lambda report: report.get("state") == state and not is_lost(report))

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


def problem_of(report):
    return report["attributes"]["problem"]["value"]


def merged(reports):
    """Returns the state after several reports."""
    state = {}
    for report in reports:
        state.update(report.get("state", {}))
    return state


def kind(answer):
    return answer["error"]["data"]["kind"]


class LineProtocolTest(unittest.TestCase):
    def test_every_percentage_is_read_back_for_every_highest_volume(self):
        for halves, percent in itertools.product(range(120, 197), range(101)):
            highest = halves / 2
            volume = volume_of_percent(percent, highest)
            self.assertLessEqual(volume, highest)
            self.assertEqual(read_volume(write_volume(volume)), volume)
            self.assertEqual(percent_of_volume(volume, highest), percent)

    def test_a_volume_above_the_highest_one_is_100_percent(self):
        self.assertEqual(percent_of_volume(98, 80), 100)

    def test_reads_volumes_in_halves(self):
        read = {"45": 45, "455": 45.5, "450": 45, "05": 5, "005": 0.5, "00": 0, "98": 98}
        self.assertEqual({text: read_volume(text) for text in read}, read)
        for wrong in "", "4", "4555", "453", "985", "99", "-5", "4.5", "+45", "²²", "MAX 80", " 45":
            self.assertIsNone(read_volume(wrong), wrong)

    def test_skips_lines_that_report_nothing(self):
        for line in b"PW", b"PW?", b"PWOFF", b"MV?", b"MVMAX 80", b"MU", b"SI", b"SI?", b"XX1":
            self.assertIsNone(read_report(line), line)
        for line in b"SI\xff", b"MS\x00", b"SI\x1b[2J", b"\xff\xfd\x18PWON", b"pwon", b"BUSY":
            self.assertIsNone(read_report(line), line)

    def test_a_mode_that_is_not_stereo_counts_as_surround(self):
        self.assertEqual(read_report(b"MSSTEREO"), ("mode", "stereo"))
        self.assertEqual(read_report(b"MSMOVIE"), ("mode", "surround"))

    def test_lines_are_divided_wherever_their_bytes_are(self):
        data = b"PWON\rMV45\r\n\r\nSIHDMI1\r"
        for size in range(1, len(data) + 1):
            splitter, lines = LineSplitter(), []
            for start in range(0, len(data), size):
                lines += splitter.split(data[start : start + size])
            self.assertEqual(lines, [b"PWON", b"MV45", b"SIHDMI1"])

    def test_a_line_that_is_too_long_is_left_out_and_not_kept(self):
        longest = b"x" * LONGEST_LINE
        for size in (1, 7, 100, 4096):
            splitter, lines = LineSplitter(), []
            data = longest + b"\r" + b"y" * 10_000 + b"\rPWON\r"
            for start in range(0, len(data), size):
                lines += splitter.split(data[start : start + size])
                self.assertLessEqual(len(splitter._rest), LONGEST_LINE)
            self.assertEqual(lines, [longest, b"PWON"])

    def test_the_pauses_grow(self):
        pauses = list(itertools.islice(growing_pauses(), 12))
        self.assertEqual(pauses[:4], [0.2, 0.4, 0.8, 1.6])
        self.assertEqual(pauses[-1], LONGEST_PAUSE)


class NetworkReceiverTest(unittest.TestCase):
    def setUp(self):
        self.receiver = Receiver()
        self.addCleanup(lambda: self.receiver.close())

    def test_reports_every_value_before_it_is_open(self):
        self.receiver.is_on, self.receiver.volume, self.receiver.input = True, 49.0, "HDMI2"
        with Peer() as peer:
            opened, reports = peer.open(self.receiver)
            self.assertEqual(opened["result"]["cables"], ["wired"])
            self.assertTrue(opened["result"]["reportsState"])
            self.assertEqual(
                merged(reports),
                {
                    "power": "on",
                    "input": "console",
                    "volume": 50,
                    "muted": False,
                    "mode": "stereo",
                },
            )

    def test_in_standby_its_power_alone_is_known(self):
        with Peer() as peer:
            _, reports = peer.open(self.receiver)
            self.assertEqual(merged(reports), {"power": "off"})

    def test_reads_every_value_before_on_is_answered(self):
        self.receiver.volume, self.receiver.is_muted = 24.5, True
        with Peer() as peer:
            peer.open(self.receiver)
            turned_on, reports = peer.perform("on")
            self.assertIn("result", turned_on)
            self.assertTrue(self.receiver.is_on)
            self.assertEqual(
                merged(reports),
                {"power": "on", "input": "pc", "volume": 25, "muted": True, "mode": "stereo"},
            )
            turned_off, reports = peer.perform("off")
            self.assertIn("result", turned_off)
            self.assertEqual(merged(reports), {"power": "off"})
            self.assertFalse(self.receiver.is_on)

    def test_each_volume_is_read_back_as_it_was_set(self):
        self.receiver.is_on = True
        with Peer() as peer:
            peer.open(self.receiver, highestVolume=80)
            for percent in range(101):
                answer, reports = peer.perform({"volume": percent})
                self.assertIn("result", answer)
                self.assertEqual(reports[-1]["state"], {"volume": percent})
            self.assertEqual(self.receiver.volume, 80)

    def test_commands_change_input_mode_and_mute(self):
        self.receiver.is_on = True
        with Peer() as peer:
            peer.open(self.receiver)
            for command, state in (
                ({"input": "console"}, {"input": "console"}),
                ({"input": "phono"}, {"input": "phono"}),
                ("surround", {"mode": "surround"}),
                ("stereo", {"mode": "stereo"}),
                ("mute", {"muted": True}),
                ("unmute", {"muted": False}),
            ):
                answer, reports = peer.perform(command)
                self.assertIn("result", answer)
                self.assertEqual(reports[-1]["state"], state)
            self.assertEqual(self.receiver.input, "PHONO")

    def test_an_effect_that_is_already_there_is_reported_again(self):
        self.receiver.is_on, self.receiver.is_muted = True, True
        with Peer() as peer:
            peer.open(self.receiver)
            for command, state in (
                ("on", {"power": "on"}),
                ("mute", {"muted": True}),
                ({"input": "pc"}, {"input": "pc"}),
            ):
                answer, reports = peer.perform(command)
                self.assertIn("result", answer)
                self.assertEqual([report["state"] for report in reports], [state])

    def test_reports_what_happens_at_the_front_panel(self):
        self.receiver.is_on = True
        with Peer() as peer:
            peer.open(self.receiver)
            self.receiver.turn_knob(49.5)
            peer.wait_for_state(volume=51)
            self.receiver.press_input("HDMI2")
            peer.wait_for_state(input="console")
            # An input without a name of the theater.
            self.receiver.press_input("TUNER")
            peer.wait_for_state(input="TUNER")
            self.receiver.press_mute()
            peer.wait_for_state(muted=True)
            self.receiver.press_mode("MOVIE")
            peer.wait_for_state(mode="surround")
            self.receiver.press_power()
            peer.wait_for_state(power="off")
            self.receiver.volume = 98
            self.receiver.press_power()
            peer.wait_for_state(power="on")
            peer.wait_for_state(volume=100)

    def test_a_command_waits_for_the_report_of_its_effect(self):
        self.receiver.is_on = True
        with Peer() as peer:
            peer.open(self.receiver)
            self.receiver.delay = 0.2
            for command, state in (
                ({"volume": 80}, {"volume": 80}),
                ({"input": "console"}, {"input": "console"}),
            ):
                answer, reports = peer.perform(command)
                self.assertIn("result", answer)
                self.assertEqual(reports[-1]["state"], state)

    def test_a_command_that_is_not_confirmed_has_failed(self):
        self.receiver.is_on = True
        with Peer() as peer:
            peer.open(self.receiver, patience=1)
            self.receiver.is_silent = True
            refusal, _ = peer.perform("mute")
            # The receiver counts as lost at about the same time.
            self.assertIn(kind(refusal), ("timeout", "unavailable"))

    def test_a_change_that_the_receiver_leaves_out_is_refused(self):
        self.receiver.is_on = True
        self.receiver.hidden_inputs = {"HDMI2"}
        with Peer() as peer:
            peer.open(self.receiver, patience=1)
            refusal, _ = peer.perform({"input": "console"})
            self.assertEqual(kind(refusal), "refused")
            self.assertIn('input is "pc"', refusal["error"]["message"])

    def test_the_limit_of_the_receiver_itself_is_reported(self):
        self.receiver.is_on, self.receiver.limit = True, 70
        with Peer() as peer:
            peer.open(self.receiver, patience=1)
            for _ in range(2):
                answer, reports = peer.perform({"volume": 100})
                self.assertIn("result", answer)
                self.assertEqual(reports[-1]["state"], {"volume": 71})

    def test_refuses_all_but_power_while_it_is_off(self):
        with Peer() as peer:
            peer.open(self.receiver)
            for command in (
                {"volume": 10},
                {"input": "pc"},
                "mute",
                "unmute",
                "stereo",
                "surround",
            ):
                refusal, reports = peer.perform(command)
                self.assertEqual((kind(refusal), reports), ("notNow", []), command)
            self.assertIn("result", peer.perform("off")[0])
            self.assertEqual(set(self.receiver.received), {"PW?", "PWSTANDBY"})

    def test_a_receiver_that_is_turned_off_meanwhile_refuses_the_command(self):
        self.receiver.is_on = True
        self.receiver.hidden_inputs = {"HDMI2"}
        with Peer() as peer:
            peer.open(self.receiver)
            request = peer.post("perform", device="a", command={"input": "console"})
            # The answer to the query after the command.
            peer.wait_for_state(input="pc")
            self.receiver.press_power()
            refusal, reports = peer.answer(request)
            self.assertEqual((kind(refusal), merged(reports)), ("notNow", {"power": "off"}))

    def test_refuses_an_input_without_a_name(self):
        self.receiver.is_on = True
        with Peer() as peer:
            peer.open(self.receiver)
            for name in "dvd", "HDMI1", "pc\rPWSTANDBY":
                refusal, reports = peer.perform({"input": name})
                self.assertEqual((kind(refusal), reports), ("invalid", []))
            self.assertIn("console, phono, pc", refusal["error"]["data"]["hint"])
            self.assertTrue(self.receiver.is_on)

    def test_one_input_has_one_name(self):
        with Peer() as peer:
            refusal, _ = peer.open(
                self.receiver, inputNames=[{"name": "turntable", "input": "PHONO"}]
            )
            self.assertEqual(kind(refusal), "invalid")
            self.assertIn("PHONO", refusal["error"]["message"])

    def test_a_cancelled_command_is_answered_before_the_receiver_answers(self):
        self.receiver.is_on = True
        self.receiver.hidden_inputs = {"HDMI2"}
        with Peer() as peer:
            peer.open(self.receiver, patience=9)
            request = peer.post("perform", device="a", command={"input": "console"})
            peer.wait_for_state(input="pc")
            peer.write(method="cancel", params={"id": request})
            self.assertEqual(kind(peer.answer(request)[0]), "cancelled")
            self.assertIn("result", peer.perform("off")[0])

    def test_connects_again_after_the_receiver_has_ended_the_connection(self):
        self.receiver.is_on = True
        with Peer() as peer:
            peer.open(self.receiver)
            self.receiver.volume = 98
            self.receiver.drop()
            lost = peer.wait_for(is_lost)
            self.assertEqual(
                lost["state"],
                {"power": "on", "input": "pc", "volume": 31, "muted": False, "mode": "stereo"},
            )
            self.assertIn("is lost", problem_of(lost))
            peer.wait_for_state(power="on")
            self.assertTrue(is_found(peer.read()["params"]))
            peer.wait_for_state(volume=100)
            self.assertIn("result", peer.perform({"volume": 10})[0])

    def test_refuses_commands_while_it_is_unplugged_and_finds_it_again(self):
        with Peer() as peer:
            peer.open(self.receiver)
            self.receiver.close()
            peer.wait_for(is_lost)
            refusal, _ = peer.perform("on")
            self.assertEqual(kind(refusal), "unavailable")
            self.receiver = Receiver(self.receiver.port)
            peer.wait_for(is_found)
            self.assertIn("result", peer.perform("on")[0])
            self.assertTrue(self.receiver.is_on)

    def test_ends_a_command_when_the_receiver_is_lost(self):
        self.receiver.is_on = True
        self.receiver.hidden_inputs = {"HDMI2"}
        with Peer() as peer:
            peer.open(self.receiver, patience=9)
            request = peer.post("perform", device="a", command={"input": "console"})
            peer.wait_for_state(input="pc")
            self.receiver.close()
            refusal, _ = peer.answer(request)
            self.assertEqual(kind(refusal), "unavailable")

    def test_counts_a_silent_receiver_as_lost(self):
        with Peer() as peer:
            peer.open(self.receiver, patience=1)
            self.receiver.is_silent = True
            self.assertIn("not answered for 1 s", problem_of(peer.wait_for(is_lost)))
            self.receiver.is_silent = False
            peer.wait_for(is_found)

    def test_counts_a_receiver_that_sends_only_garbage_as_lost(self):
        with Peer() as peer:
            peer.open(self.receiver, patience=1)
            self.receiver.is_silent = True
            is_over = threading.Event()

            def chatter():
                while not is_over.wait(0.02):
                    self.receiver.say(b"\x00garbage\r" * 100)

            thread = threading.Thread(target=chatter)
            thread.start()
            self.assertIn("not answered", problem_of(peer.wait_for(is_lost)))
            is_over.set()
            thread.join()

    def test_a_quiet_receiver_that_answers_is_not_lost(self):
        self.receiver.is_on = True
        with Peer() as peer:
            peer.open(self.receiver, patience=1)
            # Three queries take more than the patience.
            self.assertTrue(self.receiver.wait_for_lines("PW?", 4, seconds=60))
            self.receiver.turn_knob(0)
            # No report comes between, and no loss.
            self.assertEqual(peer.read()["params"], {"device": "a", "state": {"volume": 0}})
            self.assertEqual(self.receiver.connection_count, 1)

    def test_skips_garbage_on_the_same_connection(self):
        self.receiver.is_on = True
        with Peer() as peer:
            peer.open(self.receiver)
            for line in b"\xff\xfe", b"MV", b"MV999", b"MVMAX 80", b"SI", b"PWMAYBE", b"x" * 50_000:
                self.receiver.say(line + b"\r")
            self.receiver.turn_knob(0)
            # The first report is that of the knob.
            self.assertEqual(peer.read()["params"]["state"], {"volume": 0})
            self.assertEqual(self.receiver.connection_count, 1)

    def test_a_receiver_that_is_not_there_does_not_open(self):
        self.receiver.close()
        with Peer() as peer:
            refusal, reports = peer.open(self.receiver, patience=1)
            self.assertEqual((kind(refusal), reports), ("unavailable", []))
            self.receiver = Receiver(self.receiver.port)
            self.assertIn("result", peer.open(self.receiver)[0])

    def test_a_receiver_that_does_not_answer_does_not_open(self):
        self.receiver.is_silent = True
        with Peer() as peer:
            refusal, reports = peer.open(self.receiver, patience=1)
            self.assertEqual((kind(refusal), reports), ("unavailable", []))

    def test_an_impossible_name_does_not_open(self):
        with Peer() as peer:
            refusal, _ = peer.open(self.receiver, host="receiver..example", patience=1)
            self.assertEqual(kind(refusal), "unavailable")

    def test_opening_it_again_needs_no_second_connection(self):
        with Peer() as peer:
            for _ in range(5):
                self.assertIn("result", peer.open(self.receiver)[0])
            self.assertIn("result", peer.perform("on")[0])

    def test_closes_the_connection_with_the_device(self):
        with Peer() as first, Peer() as second:
            first.open(self.receiver)
            self.assertIn("result", first.ask("close", device="a")[0])
            # The receiver may read the end of the first connection a moment later: `open` tries
            # again.
            self.assertIn("result", second.open(self.receiver)[0])
            self.assertIn("result", second.perform("on")[0])


if __name__ == "__main__":
    unittest.main()
