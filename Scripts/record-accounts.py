#!/usr/bin/env python3
"""Records commands of an account at real terminals, for the end of docs/accounts.md.

    python3 Scripts/record-accounts.py PRODUCTS

The transcript leads from the registration to a session that is ended from another device. PRODUCTS
is the folder of the built programs. Codes go to the controller's log (demonstration mode). The
transcript leaves out secrets, although the theater is deleted when the recording ends.
"""

import base64
import hashlib
import hmac
import json
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
PASSWORD = "four friends at the movies"
LONGEST = 30


def totp(secret, now):
    """RFC 6238 with SHA-1, six digits and thirty seconds."""
    key = base64.b32decode(secret.replace(" ", "") + "=" * (-len(secret.replace(" ", "")) % 8))
    digest = hmac.new(key, struct.pack(">Q", int(now) // 30), hashlib.sha1).digest()
    start = digest[-1] & 15
    return f"{(struct.unpack('>I', digest[start : start + 4])[0] & 0x7FFFFFFF) % 10**6:06}"


class Recording:
    def __init__(self, products):
        self.theater = str(pathlib.Path(products).resolve() / "theater")
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="ta-"))
        configuration = json.loads((ROOT / "devices.json").read_text())
        del configuration["$schema"], configuration["library"]["folders"]
        configuration["devices"]["cd"]["options"] = {}
        configuration["accounts"] = {"demo": True, "delivery": {"email": "log"}}
        (self.folder / "devices.json").write_text(json.dumps(configuration))
        self.log = self.folder / "log"
        self.lines = []
        with open(self.folder / "console", "wb") as console, open(self.log, "wb") as log:
            self.controller = subprocess.Popen(
                [self.theater, "serve", "--config", self.folder / "devices.json", "--port", "0"],
                env=self.environment("box"),
                stdout=console,
                stderr=log,
            )

    def environment(self, device):
        places = {"XDG_RUNTIME_DIR": self.folder / "run"}
        for name in ("STATE", "DATA", "CONFIG", "CACHE"):
            places[f"XDG_{name}_HOME"] = self.folder / device / name.lower()
        for place in places.values():
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
        return dict(
            os.environ,
            TERM="dumb",
            COLUMNS="100",
            **{name: str(place) for name, place in places.items()},
        )

    def wait(self, file, pattern, after=0):
        ends = time.monotonic() + LONGEST
        while time.monotonic() < ends:
            found = re.findall(pattern, (self.folder / file).read_text())
            if len(found) > after:
                return found[-1]
            time.sleep(0.05)
        raise SystemExit(f"{file} does not contain {pattern} after {LONGEST} s")

    def codes(self):
        return len(re.findall(r"\b\d{6} is your code", self.log.read_text()))

    def run(self, device, *words, answers=()):
        """Runs a command at a terminal, adds it to the transcript and returns its output.

        Each answer is a pattern to wait for, and a function that returns the text to type.
        """
        child, terminal = pty.fork()
        if child == 0:
            os.execve(self.theater, [self.theater, *words], self.environment(device))
        raw, shown, answers, seen = b"", "", list(answers), 0
        ends = time.monotonic() + LONGEST
        while time.monotonic() < ends:
            if select.select([terminal], [], [], 0.1)[0]:
                try:
                    part = os.read(terminal, 65536)
                except OSError:
                    break
                if not part:
                    break
                raw += part
                shown = raw.decode(errors="ignore")
            if answers and (found := re.search(answers[0][0], shown[seen:])):
                seen += found.end()
                text = answers.pop(0)[1](found)
                if text == PASSWORD:
                    self.wait_until_hidden(terminal)
                os.write(terminal, (text + "\n").encode())
        else:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            waited = f"for {answers[0][0]} " if answers else ""
            raise SystemExit(f"theater {words[0]}: waited {waited}for {LONGEST} s after\n{shown}")
        os.close(terminal)
        os.waitpid(child, 0)
        command = " ".join("CODE" if word.count("-") == 4 else word for word in words)
        self.lines += [f"$ theater {command}", *self.fit_to_print(shown), ""]
        return shown

    @staticmethod
    def wait_until_hidden(terminal):
        ends = time.monotonic() + LONGEST
        while termios.tcgetattr(terminal)[3] & termios.ECHO and time.monotonic() < ends:
            time.sleep(0.01)

    def fit_to_print(self, shown):
        """Returns the lines without colours and secrets, and only the beginning of a QR code."""
        text = re.sub(
            r"\x1b\[[0-9;]*m", "", shown.replace("\r", "").replace(self.theater, "theater")
        )
        text = re.sub(r"((?:[ ▀▄█]{20,}\n){5})(?:[ ▀▄█]{20,}\n)+", r"\1    …\n", text)
        text = re.sub(r"(type into it: )\S+", r"\1…", text)
        text = re.sub(r"(  [A-Z0-9]{4})(?:-[A-Z0-9]{4}){4}", r"\1-…", text)
        return text.rstrip().split("\n")

    def add_heading(self, text):
        self.lines += [f"# {text}", ""]

    def close(self):
        self.controller.terminate()
        self.controller.wait(10)
        shutil.rmtree(self.folder)


def password(_):
    """The answer to a question for the password."""
    return PASSWORD


def play(recording):
    code = recording.wait("console", r"setup code: (\S+)")
    recording.run(
        "box",
        "register",
        "--setup-code",
        code,
        answers=[
            (r"name: ?$", lambda _: "Ann"),
            (r"address: ?$", lambda _: "ann@example.org"),
            (r"[Pp]assword.*: ?$", password),
            (r"again.*: ?$|: ?$", password),
        ],
    )
    recording.run(
        "box", "login", "--email", "ann@example.org", answers=[(r"assword: ?$", password)]
    )
    before = recording.codes()
    recording.run(
        "box",
        "verify",
        "email",
        answers=[(r"Code: ?$", lambda _: recording.wait("log", r"\b(\d{6}) is your code", before))],
    )
    kept = {}

    def enrolled(found):
        kept["secret"] = found.group(1)
        return totp(kept["secret"], time.time())

    recording.run(
        "box", "totp", "enrol", answers=[(r"type into it: (\S+)[\s\S]*now: ?$", enrolled)]
    )
    recording.add_heading("at a second device")
    recording.run(
        "tablet",
        "login",
        "--email",
        "ann@example.org",
        answers=[
            (r"assword: ?$", password),
            # The enrolment used up the code of this half minute; the next one is accepted too.
            (r"ode.*: ?$", lambda _: totp(kept["secret"], time.time() + 30)),
        ],
    )
    recording.add_heading("back at the first one")
    shown = recording.run("box", "sessions")
    other = next(line for line in shown.splitlines()[1:] if line.strip() and "this" not in line)
    recording.run("box", "sessions", "end", other.split()[0])
    recording.add_heading("at the second device")
    recording.run("tablet", "whoami")


def main():
    recording = Recording(sys.argv[1])
    try:
        play(recording)
    finally:
        recording.close()
    print("```\n" + "\n".join(recording.lines).rstrip() + "\n```")


main()
