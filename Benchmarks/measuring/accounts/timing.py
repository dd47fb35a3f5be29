"""Whether the time of an answer tells who has an account (A9, E7)."""

import os
import random
import statistics
import subprocess

from controller import PRODUCTS, Controller, small_configuration

from . import comparing
from .mailbox import Mailbox
from .people import register_guests, registration
from .visitors import Visitor

# The wrong passwords for one account, from all addresses, before the next attempt has to wait.
FREE = 10
# The number of attempts of a request that needs another account each time.
FEWER = 100
KNOWN, UNKNOWN = "known", "unknown"


def login_timing():
    tries = int(os.environ.get("THEATER_LOGIN_TRIES", 2000))
    with Mailbox() as mailbox:
        configuration = dict(small_configuration(), accounts=mailbox.settings)
        with Controller(configuration) as controller:
            controller.log_in()
            people = [person.email for person in register_guests(controller, FEWER, mailbox)]
            strangers = [f"nobody{n}@example.org" for n in range(FEWER)]
            yield from _logins(controller, people[0], strangers[0], tries)
            pairs = list(zip(people, strangers, strict=True))
            yield from _registrations(controller, pairs)
            yield from _resets(controller, pairs)


def _logins(controller, known, unknown, tries):
    def before(number):
        # Unlocks both addresses. An attacker would wait up to a minute for either.
        if number % FREE == 0:
            for email in (known, unknown):
                _unlock(controller, email)

    def request(email):
        return ("POST", "/api/v1/sessions", {"email": email, "password": "wrong, but long enough"})

    return _compared("login", 401, controller, [(known, unknown)] * tries, request, before)


def _registrations(controller, pairs):
    # Only the holder of a valid code learns that an address is taken. This invitation is revoked.
    issued = controller.invite()
    controller.request("DELETE", f"/api/v1/invitations/{issued['id']}")
    return _compared(
        "registration",
        403,
        controller,
        pairs,
        lambda email: registration(email, "long and hardly common", invitation=issued["code"]),
    )


def _resets(controller, pairs):
    # The controller delays a second code to the same address, so each address is used once.
    return _compared(
        "password reset",
        202,
        controller,
        pairs,
        lambda email: ("POST", "/api/v1/password-resets", {"email": email}),
    )


def _unlock(controller, email):
    subprocess.run(
        [PRODUCTS / "theater", "accounts", "unlock", email],
        check=True,
        env=controller.environment,
        stdout=subprocess.DEVNULL,
    )


def _compared(name, expected, controller, pairs, request, before=lambda number: None):
    """Sends a request for each address of a pair, in random order, each from a new IP address."""
    times, forms = {KNOWN: [], UNKNOWN: []}, {KNOWN: set(), UNKNOWN: set()}
    for number, pair in enumerate(pairs):
        before(number)
        for email, whose in random.sample(list(zip(pair, (KNOWN, UNKNOWN), strict=True)), 2):
            with Visitor(controller) as visitor:
                answer = visitor.request(*request(email))
            if answer.status != expected:
                raise SystemExit(f"{name}: {answer.status} for {whose}: {answer.json}")
            times[whose].append(answer.seconds * 1000)
            forms[whose].add((answer.status, answer.size))
    return _rows(name, times[KNOWN], times[UNKNOWN], forms)


def _rows(name, known, unknown, forms):
    apart = comparing.difference(known, unknown)
    low, high = comparing.interval(known, unknown)
    yield (
        f"{name}, known − unknown, medians of {len(known):,}",
        f"{statistics.median(known):.2f} − {statistics.median(unknown):.2f} = {apart:+.3f} ms "
        f"(95 %: {low:+.3f} to {high:+.3f})",
        "≤ 2 ms",
        abs(apart) <= 2,
    )
    share, chance = comparing.mann_whitney(known, unknown)
    tails = [comparing.quantile(times, 0.99) for times in (known, unknown)]
    yield (
        f"{name}, p99; which is slower",
        f"{tails[0]:.1f}, {tails[1]:.1f} ms; known in "
        f"{share:.1%} of pairs (Mann-Whitney p {chance:.2f})",
        "reported",
        True,
    )
    sizes = ", ".join(f"{status} with {size} bytes" for status, size in sorted(forms[KNOWN]))
    yield (f"{name}, the answers", sizes, "the same for both", forms[KNOWN] == forms[UNKNOWN])
