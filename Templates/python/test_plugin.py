"""Opens a device of the plugin, gives it a command, and checks the answers: python3 -m unittest"""

import json
import pathlib
import subprocess
import sys
import unittest

PROGRAM = pathlib.Path(__file__).with_name("plugin.py")


def run(*requests):
    """Sends requests with the ids 1, 2, 3 and so on. Returns the plugin's messages, and its log."""
    lines = "".join(
        json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n"
        for number, (method, params) in enumerate(requests, 1)
    )
    ended = subprocess.run(
        [sys.executable, PROGRAM],
        input=lines,
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    )
    return [json.loads(line) for line in ended.stdout.splitlines()], ended.stderr


OPEN = ("open", {"device": "a", "role": "__ROLE__", "options": {"log": True}})


class PluginTest(unittest.TestCase):
    def test_introduces_itself(self):
        [answer], _ = run(("initialize", {"protocol": "1.0", "controller": "test"}))
        self.assertEqual(answer["result"]["plugin"], "__ID__")

    def test_performs_a_command(self):
        perform = ("perform", {"device": "a", "command": "__FIRST_COMMAND__"})
        (state, opened, changed, accepted), _ = run(OPEN, perform)
        self.assertEqual(state["params"]["device"], "a")
        self.assertEqual((opened["id"], accepted["id"]), (1, 2))
        self.assertEqual(changed["params"]["state"], {__FIRST_STATE__})

    def test_refuses_unknown_commands(self):
        (*_, refusal), _ = run(OPEN, ("perform", {"device": "a", "command": "levitate"}))
        self.assertEqual(refusal["error"]["data"]["kind"], "invalid")

    def test_closes_what_it_has_opened(self):
        for end in [("close", {"device": "a"})], [("shutdown", {})], []:
            _, log = run(OPEN, *end)
            self.assertEqual(log.splitlines(), ["a: opened", "a: closed"])


if __name__ == "__main__":
    unittest.main()
