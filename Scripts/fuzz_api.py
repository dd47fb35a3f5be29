"""Sends generated requests to every route of a live controller, as owner, member and guest.

    Scripts/check-api [--cases N] [--seed N]

The requests come from docs/openapi.json: half of them fit it, half break it (schemathesis). Each
answer must have a declared status, content type and body; a request that breaks the document must
be refused; no answer may be a server error, unless a device failed or the disk is full. The
controller listens on loopback with simulated devices, in a scratch folder.
"""

import argparse
import collections
import contextlib
import json
import math
import os
import pathlib
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "Tests/Support"))
os.environ.setdefault("THEATER_PRODUCTS", str(ROOT / ".build/debug"))

import hypothesis
import requests
import schemathesis
from controller import Controller, instant_configuration
from openapi_spec_validator import validate
from schemathesis import GenerationMode
from schemathesis.core.failures import FailureGroup
from schemathesis.specs.openapi.checks import (
    AcceptedNegativeData,
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

CHECKS = [
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
]
PASSWORD = "a long evening at the movies"
# A device that fails and a full disk are no faults of the server.
ALLOWED_SERVER_ERRORS = {503, 507}
# A request that is too large is refused before it is checked against the document.
TOO_LARGE = {413, 431}
# The answer of "events" does not end. "discovery" would search the network for a minute, at
# generated broker addresses.
LEFT_OUT = {"events", "discovery"}


class SourceAdapter(requests.adapters.HTTPAdapter):
    """Sends from its own address: refused logins of generated requests delay only their source."""

    def __init__(self, address):
        self.address = address
        super().__init__()

    def init_poolmanager(self, *arguments, **options):
        super().init_poolmanager(*arguments, source_address=(self.address, 0), **options)


class People:
    """Sessions of an owner, a member and a guest; a session that a case has ended is renewed."""

    def __init__(self, controller):
        self.base = f"http://127.0.0.1:{controller.port}/api/v1"
        self.http = requests.Session()
        self.http.mount("http://", SourceAdapter("127.0.0.77"))
        self.tokens = {}
        self.devices = {}
        self.members = 0
        self.register("owner@example.org", setupCode=controller.setup_code())
        self.tokens["owner"] = self.log_in("owner@example.org")

    def register(self, email, **code):
        self.send(
            "POST", "/accounts", {"name": "Person", "email": email, "password": PASSWORD, **code}
        )

    def log_in(self, email):
        headers = {"Theater-Device": self.devices[email]} if email in self.devices else {}
        session = self.send(
            "POST", "/sessions", {"email": email, "password": PASSWORD}, headers=headers
        )
        self.devices[email] = session.get("device", self.devices.get(email))
        return session["token"]

    def send(self, method, path, body=None, role=None, headers=None):
        headers = dict(headers or {})
        if role:
            headers["Authorization"] = f"Bearer {self.token(role)}"
        while True:
            answer = self.http.request(method, self.base + path, json=body, headers=headers)
            if answer.status_code != 429:
                break
            time.sleep(int(answer.headers.get("Retry-After", "1")))
        answer.raise_for_status()
        return answer.json() if answer.content else None

    def is_open(self, role):
        token = self.tokens.get(role)
        return (
            token is not None
            and self.http.get(
                self.base + "/sessions/current", headers={"Authorization": f"Bearer {token}"}
            ).status_code
            == 200
        )

    def token(self, role):
        if not self.is_open(role):
            self.tokens[role] = getattr(self, f"new_{role}")()
        return self.tokens[role]

    def new_owner(self):
        return self.log_in("owner@example.org")

    def new_member(self):
        # The account may be gone as well, so the member is a new one.
        self.members += 1
        email = f"member{self.members}@example.org"
        self.register(email, invitation=self.send("POST", "/invitations", {}, "owner")["code"])
        return self.log_in(email)

    def new_guest(self):
        guest_pass = self.send(
            "POST", "/guests", {"activities": ["film"], "volumeLimit": 60}, "owner"
        )
        return self.send("POST", "/guests/sessions", {"pass": guest_pass["code"]})["token"]


class Fuzzer:
    def __init__(self, controller, seed):
        self.people = People(controller)
        self.seed = seed
        self.statuses = collections.Counter()
        self.cases = 0
        self.problems = {}
        schema = schemathesis.openapi.from_path(ROOT / "docs/openapi.json")
        schema.config.update(base_url=self.people.base)
        self.operations = [
            result.ok()
            for result in schema.get_all_operations()
            if result.ok().definition.raw["operationId"] not in LEFT_OUT
        ]

    def run(self, cases):
        """Sends at least `cases` requests: the same number for each operation, role and kind.

        An operation without parameters has few different requests; further rounds send the missing
        requests to the other operations.
        """
        combinations = [
            (operation, role, kind)
            for operation in self.operations
            for role in ("owner", "member", "guest")
            for kind in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)
        ]
        while self.cases < cases and combinations:
            share = math.ceil((cases - self.cases) / len(combinations))
            combinations = [each for each in combinations if self.fuzz(*each, share) >= share]
            self.seed += 1

    def fuzz(self, operation, role, kind, count):
        """Sends up to `count` requests, and returns their number."""
        before = self.cases
        session = requests.Session()

        @hypothesis.seed(self.seed)
        @hypothesis.settings(
            max_examples=count,
            deadline=None,
            database=None,
            phases=[hypothesis.Phase.generate],
            suppress_health_check=list(hypothesis.HealthCheck),
        )
        @hypothesis.given(case=operation.as_strategy(generation_mode=kind))
        def check(case):
            self.cases += 1
            headers = {"Authorization": f"Bearer {self.people.token(role)}"}
            answer = case.call(session=session, headers=headers, timeout=30)
            self.statuses[answer.status_code] += 1
            if answer.status_code >= 500 and answer.status_code not in ALLOWED_SERVER_ERRORS:
                self.record_problem(operation, role, case, answer, "a server error")
            try:
                case.validate_response(answer, checks=CHECKS, headers=headers)
            except (FailureGroup, AssertionError) as failure:
                failures = getattr(failure, "exceptions", [failure])
                for failure in failures:
                    if (
                        isinstance(failure, AcceptedNegativeData)
                        and answer.status_code in TOO_LARGE
                    ):
                        continue
                    self.record_problem(
                        operation, role, case, answer, f"{type(failure).__name__}: {failure}"
                    )

        # No request can break an operation that takes nothing.
        with contextlib.suppress(hypothesis.errors.Unsatisfiable):
            check()
        return self.cases - before

    def record_problem(self, operation, role, case, answer, problem):
        """Keeps one example of each kind of problem of an operation."""
        key = (operation.label, answer.status_code, problem.split("\n")[0])
        self.problems.setdefault(
            key,
            f"{operation.label} as {role}: {problem}\n  {case.as_curl_command()}\n"
            f"  {answer.status_code} {answer.text[:300]}",
        )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=3_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    validate(json.loads((ROOT / "docs/openapi.json").read_text()))
    print("docs/openapi.json is an OpenAPI 3.1 document")
    started = time.monotonic()
    with Controller(instant_configuration()) as controller:
        fuzzer = Fuzzer(controller, options.seed)
        fuzzer.run(options.cases)
    statuses = ", ".join(f"{status}: {count}" for status, count in sorted(fuzzer.statuses.items()))
    print(f"{fuzzer.cases} requests in {time.monotonic() - started:.0f} s ({statuses})")
    for problem in fuzzer.problems.values():
        print(problem, file=sys.stderr)
    if fuzzer.problems:
        print(f"{len(fuzzer.problems)} problems", file=sys.stderr)
    if fuzzer.cases < options.cases:
        print(
            f"only {fuzzer.cases} of {options.cases} requests were sent: no operation has further "
            "different requests",
            file=sys.stderr,
        )
    return 1 if fuzzer.problems or fuzzer.cases < options.cases else 0


if __name__ == "__main__":
    sys.exit(main())
