"""Many logins and registrations at the same moment (E7)."""

import collections
import math
import os
import statistics
import sys
import threading
import time

from controller import Controller, instant_configuration, small_configuration

from .. import processes
from .comparing import quantile
from .people import Person, login, new_password, register_guests, registration
from .visitors import Visitor, at_once, listed, outcomes

CROWD = 50
# Answers that say "not now" and mean it.
CLEAN = {"201", "429 tooManyTries", "503 busy"}


class Watching:
    """Somebody who is logged in and asks for the status all the time, every `pace` seconds.

    A request that is late because the one before was counts from when it was due.
    """

    def __init__(self, controller, pace=0.005):
        self.times = []
        self._visitor = Visitor(controller, controller.token)
        self._pace = pace
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        self._thread.join()
        self._visitor.__exit__()

    def _watch(self):
        due = time.perf_counter()
        while not self._over.is_set():
            answer = self._visitor.request("GET", "/api/v1/status")
            now = time.perf_counter()
            self.times.append((now - due) * 1000 if answer.status == 200 else math.inf)
            due += self._pace
            time.sleep(max(0, due - now))


def login_storm(storms=10):
    growth, left, times, longest = [], [], [], []
    with Controller(instant_configuration()) as controller:
        controller.log_in()
        people = register_guests(controller, CROWD)
        everybody, one = collections.Counter(), collections.Counter()
        for _ in range(storms):
            # What earlier storms have left in memory is not there to be used again.
            controller.stop()
            controller.start()
            controller.wait_for(controller.plugins_are_up)
            pid = controller.process.pid
            with Watching(controller) as watching:
                time.sleep(0.5)
                watching.times.clear()
                processes.forget_peak(pid)
                before = processes.resident_megabytes(pid)
                answers = at_once(controller, [login(person) for person in people])
                growth.append(processes.peak_megabytes(pid) - before)
                times += watching.times
            everybody += outcomes(answers)
            longest.append(max(answer.seconds for answer in answers))
            # Not the owner: an account has 20 sessions, and this run's own would be the oldest.
            one += outcomes(at_once(controller, [login(people[0])] * CROWD))
            time.sleep(1)
            left.append(processes.resident_megabytes(pid) - before)
    yield (
        f"memory for {CROWD} logins at once, {storms} storms",
        f"{max(growth):.1f} MiB at most; {statistics.median(left):.1f} MiB a second later (median)",
        "≤ 64 MiB",
        max(growth) <= 64,
    )
    p99 = quantile(times, 0.99)
    yield (
        "status meanwhile, p50 / p99 / worst",
        f"{statistics.median(times):.1f} / {p99:.1f} / "
        f"{max(times):.1f} ms, {len(times):,} requests",
        "p99 < 150 ms",
        p99 < 150,
    )
    yield (
        f"{CROWD} people log in at once",
        f"{listed(everybody)}; the last after {max(longest):.1f} s",
        "all 201",
        set(everybody) == {"201"},
    )
    yield (
        f"{CROWD} log in to one account at once",
        listed(one),
        "each 201, 429 or 503",
        set(one) <= CLEAN and one["201"] > 0,
    )


def account_storms():
    rounds = int(os.environ.get("THEATER_STORM_ROUNDS", 1000))
    yield _row(
        f"{CROWD} first owners at once, {rounds:,} rounds",
        "409 setupClosed",
        [_first_owners() for _ in _counted(rounds, "first owners")],
    )
    rounds = max(1, rounds // 10)
    with Controller(small_configuration()) as controller:
        controller.log_in()
        yield _row(
            f"{CROWD} registrations of one address, {rounds:,} rounds",
            "409 taken",
            [_one_address(controller, n) for n in _counted(rounds, "one address")],
        )


def _first_owners():
    """One round in a theater of its own: (outcomes, how many accounts there are)."""
    with Controller(small_configuration()) as controller:
        code = controller.setup_code()
        people = [Person(f"first{n}@example.org", new_password()) for n in range(CROWD)]
        controller.wait_for(controller.answers)
        answers = at_once(controller, [registration(*person, setupCode=code) for person in people])
        with Visitor(controller) as visitor:
            winners = [
                person
                for person, answer in zip(people, answers, strict=True)
                if answer.status == 201
            ]
            controller.token = (
                visitor.request(*login(winners[0])).json["token"] if winners else None
            )
        owners = [account for account in controller.accounts() if account["role"] == "owner"]
        return outcomes(answers), len(owners)


def _one_address(controller, number):
    email = f"wanted{number}@example.org"
    codes = [controller.invite()["code"] for _ in range(CROWD)]
    answers = at_once(
        controller, [registration(email, new_password(), invitation=code) for code in codes]
    )
    return outcomes(answers), sum(each["email"] == email for each in controller.accounts())


def _row(title, refusal, rounds):
    total = sum((answers for answers, _ in rounds), collections.Counter())
    right = sum(
        answers == {"201": 1, refusal: CROWD - 1} and accounts == 1 for answers, accounts in rounds
    )
    return (
        title,
        f"{right:,} with exactly one; {listed(total)}",
        "exactly one, every time",
        right == len(rounds),
    )


def _counted(rounds, what):
    """Says every now and then how far it is."""
    for number in range(rounds):
        if number % 50 == 0 and number:
            print(f"  {what}: {number} of {rounds} rounds", file=sys.stderr, flush=True)
        yield number
