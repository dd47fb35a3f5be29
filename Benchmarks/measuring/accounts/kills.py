"""What is left of accounts after kill -9, again and again (E7, A10)."""

import contextlib
import http.client
import os
import random
import secrets
import shutil
import sqlite3
import statistics
import sys
import tempfile
import threading
import time

from controller import Controller, small_configuration

from .people import Person, login, new_password, registration
from .visitors import Visitor

# Of each kind, so many are kept; more are taken back, which is a write as well. Of sessions an
# account has 20, those that nobody got to know of included.
MOST = {"invitation": 40, "account": 40, "session": 10}


class Ledger:
    """What the controller has acknowledged: invitations, accounts and sessions that are there, or
    are gone. What was asked and not answered is not in it: either is right."""

    def __init__(self):
        self._lock = threading.Lock()
        self._is_there = {}
        self.acknowledged = 0

    def record(self, kind, name, is_there):
        with self._lock:
            self._is_there[kind, name] = is_there
            self.acknowledged += 1

    def pop_surplus(self, kind):
        """One that is there, no longer known to be; `None` while there are few."""
        with self._lock:
            there = [key for key, value in self._is_there.items() if key[0] == kind and value]
            if len(there) <= MOST[kind]:
                return None
            del self._is_there[there[0]]
            return there[0][1]

    def lost(self, controller):
        """How many writes were lost; what is gone is forgotten once that is seen."""
        facts = {
            "invitation": {
                each["id"]
                for each in controller.request("GET", "/api/v1/invitations")["invitations"]
            },
            "account": {each["email"] for each in controller.accounts()},
            "session": {
                token
                for kind, token in self._is_there
                if kind == "session" and _is_open(controller, token)
            },
        }
        wrong = [key for key, value in self._is_there.items() if (key[1] in facts[key[0]]) != value]
        self._is_there = {
            key: True for key, value in self._is_there.items() if value and key not in wrong
        }
        return len(wrong)


def _is_open(controller, token):
    with Visitor(controller, token) as visitor:
        return visitor.request("GET", "/api/v1/sessions/current").status == 200


# Each writes until the controller is gone.


def _write_invitations(controller, ledger):
    with Visitor(controller, controller.token) as owner:
        while True:
            answer = owner.request("POST", "/api/v1/invitations", {})
            if answer.status == 201:
                ledger.record("invitation", answer.json["id"], True)
            leaving = ledger.pop_surplus("invitation")
            if leaving:
                _revoke(owner, ledger, "invitation", leaving, f"/api/v1/invitations/{leaving}")


def _write_accounts(controller, ledger):
    with Visitor(controller, controller.token) as owner, Visitor(controller) as stranger:
        while True:
            code = owner.request("POST", "/api/v1/invitations", {}).json["code"]
            email = f"{secrets.token_hex(8)}@example.org"
            answer = stranger.request(*registration(email, new_password(), invitation=code))
            if answer.status == 201:
                ledger.record("account", email, True)
            leaving = ledger.pop_surplus("account")
            accounts = owner.request("GET", "/api/v1/accounts").json["accounts"] if leaving else []
            for account in (each for each in accounts if each["email"] == leaving):
                _revoke(owner, ledger, "account", leaving, f"/api/v1/accounts/{account['id']}")


def _write_sessions(controller, ledger):
    # A known device: killed logins count as wrong guesses, and a stranger would have to wait.
    person = Person(controller.email, controller.password)
    with Visitor(controller, device=controller.device) as visitor:
        while True:
            answer = visitor.request(*login(person))
            if answer.status == 201:
                ledger.record("session", answer.json["token"], True)
            else:
                time.sleep(0.05)
            token = ledger.pop_surplus("session")
            if token:
                with Visitor(controller, token) as leaving:
                    _revoke(leaving, ledger, "session", token, "/api/v1/sessions/current")


def _revoke(visitor, ledger, kind, name, path):
    if visitor.request("DELETE", path).status == 204:
        ledger.record(kind, name, False)


def _write_until_killed(controller, ledger, seconds):
    def run(writer):
        with contextlib.suppress(OSError, http.client.HTTPException):
            writer(controller, ledger)

    threads = [
        threading.Thread(target=run, args=(writer,))
        for writer in (_write_invitations, _write_invitations, _write_accounts, _write_sessions)
    ]
    for thread in threads:
        thread.start()
    time.sleep(seconds)
    controller.kill()
    for thread in threads:
        thread.join()


def _is_whole(controller):
    """Whether a copy of the files that the dead one left is a whole database."""
    state = controller.folder / "state" / "theater"
    with tempfile.TemporaryDirectory(prefix="th-") as folder:
        for name in ("theater.sqlite", "theater.sqlite-wal"):
            if (state / name).exists():
                shutil.copy(state / name, folder)
        with contextlib.closing(sqlite3.connect(f"{folder}/theater.sqlite")) as database:
            integrity = database.execute("PRAGMA integrity_check").fetchall()
            return (
                integrity == [("ok",)]
                and not database.execute("PRAGMA foreign_key_check").fetchall()
            )


def account_kills():
    rounds = int(os.environ.get("THEATER_KILL_ROUNDS", 1000))
    ledger, times, lost, damaged = Ledger(), [], 0, 0
    with Controller(small_configuration()) as controller:
        controller.log_in()
        for number in range(rounds):
            _write_until_killed(controller, ledger, random.uniform(0.02, 0.25))
            damaged += not _is_whole(controller)
            if number % 10 == 9:
                # Killed once more, at any moment of its start.
                controller.start()
                time.sleep(random.uniform(0, 0.06))
                controller.kill()
                damaged += not _is_whole(controller)
            controller.start()
            controller.wait_for(controller.answers)
            times.append((time.monotonic() - controller.started) * 1000)
            lost += ledger.lost(controller)
            if number % 50 == 49:
                print(f"  kills: {number + 1} of {rounds} rounds", file=sys.stderr, flush=True)
    yield (
        f"kill -9 under account writes, {rounds:,} rounds",
        f"{lost} lost of {ledger.acknowledged:,} acknowledged writes",
        "0",
        lost == 0,
    )
    yield ("database after it", f"{damaged} damaged", "0", damaged == 0)
    yield (
        "start to the first answer after it",
        f"{statistics.median(times):.0f} ms (median; worst {max(times):.0f})",
        "reported",
        True,
    )
