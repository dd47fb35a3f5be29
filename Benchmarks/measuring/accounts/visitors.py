"""People who ask the controller over TCP, each from an address of their own."""

import collections
import http.client
import ipaddress
import itertools
import json
import threading
import time

_FIRST = ipaddress.IPv4Address("127.1.0.0")
_numbers = itertools.count(1)

# `size` counts body and headers, in bytes; `seconds` are from the request to the whole answer.
Answer = collections.namedtuple("Answer", "status json size seconds")


class Visitor:
    """A connection from an address of this machine that nobody else has: to the controller, a
    stranger. `token` is a session's, `device` that of a known device."""

    def __init__(self, controller, token=None, device=None):
        self._headers = {"Content-Type": "application/json"}
        if token:
            self._headers["Authorization"] = f"Bearer {token}"
        if device:
            self._headers["Theater-Device"] = device
        self._connection = http.client.HTTPConnection(
            "127.0.0.1",
            controller.port,
            timeout=120,
            source_address=(str(_FIRST + next(_numbers)), 0),
        )
        self._connection.connect()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._connection.close()

    def request(self, method, path, body=None):
        data = None if body is None else json.dumps(body)
        asked = time.perf_counter()
        self._connection.request(method, path, data, self._headers)
        answer = self._connection.getresponse()
        text = answer.read()
        seconds = time.perf_counter() - asked
        size = len(text) + sum(len(name) + len(value) for name, value in answer.getheaders())
        return Answer(answer.status, json.loads(text) if text else None, size, seconds)


def at_once(controller, requests):
    """Strangers who are all connected and then ask in the same moment.

    `requests` are (method, path, body); returns their answers in the same order. An answer that
    does not come is an error.
    """
    barrier = threading.Barrier(len(requests))
    answers = [None] * len(requests)

    def ask(index, request):
        with Visitor(controller) as visitor:
            barrier.wait()
            answers[index] = visitor.request(*request)

    threads = [threading.Thread(target=ask, args=each) for each in enumerate(requests)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if None in answers:
        raise SystemExit(f"{answers.count(None)} of {len(answers)} requests got no answer")
    return answers


def outcomes(answers):
    """How many of each kind: {"201": 1, "409 taken": 49}."""

    def kind(answer):
        error = (answer.json or {}).get("error", {})
        return " ".join([str(answer.status), *filter(None, [error.get("code")])])

    return collections.Counter(map(kind, answers))


def listed(counts):
    return ", ".join(f"{count:,} × {kind}" for kind, count in counts.most_common())
