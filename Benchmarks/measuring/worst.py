"""The requests that cost the controller most: every route with the worst texts in its limits."""

import http.client
import json
import re
import statistics
import sys

from controller import ROOT, Controller, instant_configuration

from . import processes

LARGEST = 64 * 1024
TARGET = 50
TRIES = 3

# Texts that cost far more to compare, or to normalise, than their length tells.
MARKS = "a" + "\u0308" * 15_900 + "\u0323" * 15_900
IN_TURN = "a" + "\u0308\u0323" * 15_900
SOUND_MARKS = "ｶ" + ("\u0308" * 30 + "\uff9e") * 1_000
# Texts within the limits, near to them.
WITHIN = {
    "30 marks on each letter": ("a" + "\u0323\u0308" * 15) * 1_000,
    "signs that become eighteen": "\ufdfa" * 5_400,
    "letters that decompose": "\ufb2c" * 5_400,
    "one family": "👩\u200d" * 2_300,
    "flags": "🇩" * 4_000,
    "Hangul in jamo": "\u1112\u1161\u11ab" * 1_800,
    "one letter": "a" * 16_000,
    "spaces": " " * 16_000,
}


USUAL = {"name": "Ann", "email": "ann@example.org", "phone": "+491701234567"}


def routes():
    """Method, path and the names of the first body's members, as docs/openapi.json has them."""
    document = json.loads((ROOT / "docs/openapi.json").read_text())
    found = []
    for path, item in document["paths"].items():
        for method, operation in item.items():
            content = operation.get("requestBody", {}).get("content", {})
            schema = content.get("application/json", {}).get("schema", {})
            schema = next(iter(schema.get("oneOf", [schema])))
            members = [
                name
                for name, member in schema.get("properties", {}).items()
                if member.get("type") != "null"
            ]
            path_of_film = re.sub(r"\{\w+\}", "film", document["servers"][0]["url"] + path)
            found.append((method.upper(), path_of_film, members))
    return found


def filled(head, tail, part, most=LARGEST):
    """`head`, as many parts as fit, `tail`."""
    parts, size = [], len(head.encode()) + len(tail.encode())
    while True:
        text = part(len(parts))
        size += len(text.encode()) + 1
        if size > most:
            return head + ",".join(parts) + tail
        parts.append(text)


def hostile_bodies():
    deep = '{"k":' * 60
    return {
        "a key of marks": json.dumps({MARKS: 1}, ensure_ascii=False),
        "a text of marks": json.dumps({"name": MARKS}, ensure_ascii=False),
        "marks in turn": json.dumps({"item": IN_TURN}, ensure_ascii=False),
        "sound marks": json.dumps({"pass": SOUND_MARKS}, ensure_ascii=False),
        "30 marks on each of many keys": filled(
            "{", "}", lambda n: f'"{n}a' + "\u0323\u0308" * 15 + '":0'
        ),
        "a long key": json.dumps({"a" * 65_000: 1}),
        "a list": filled('{"activities":[', "]}", lambda n: '"film"'),
        "zeros": filled("[", "]", lambda n: "0"),
        "parameters": filled('{"parameters":{', "}}", lambda n: f'"k{n}":"x"'),
        "keys given twice": filled("{", "}", lambda n: '"k":0'),
        "keys given twice, deep within": filled(deep + "{", "}" * 61, lambda n: '"k":0'),
        "escapes": json.dumps("\n" * 32_000),
        "a long number": "1" * 65_000,
    }


def configurations():
    """What `/api/v1/configuration/check` has most work with."""
    devices = (
        '"devices":{"amp":{"role":"amplifier","plugin":"Simulated"},'
        '"lights":{"role":"lights","plugin":"Simulated"}}'
    )
    name = "n" * 58
    scenes = ",".join(f'"{name}{n}":{{"steps":[]}}' for n in range(400))
    return {
        "unknown keys": filled("{", "}", lambda n: f'"k{n}":0'),
        "devices that are none": filled('{"devices":{', "}}", lambda n: f'"d{n}":0'),
        "devices": filled(
            '{"devices":{', "}}", lambda n: f'"d{n}":{{"role":"lights","plugin":"Simulated"}}'
        ),
        "steps": filled(
            f'{{{devices},"scenes":{{"s":{{"steps":[', "]}}}", lambda n: '{"lights":{"dim":1}}'
        ),
        "parameters that no step uses": filled(
            f'{{{devices},"scenes":{{"s":{{"steps":[],"parameters":{{',
            "}}}}",
            lambda n: f'"p{n}":"text"',
        ),
        "activities without scenes": filled(
            f'{{{devices},"activities":{{', "}}", lambda n: f'"a{n}":{{"start":"s{n}","end":"t"}}'
        ),
        "names that are nearly right": filled(
            f'{{{devices},"scenes":{{{scenes}}},"activities":{{',
            "}}",
            lambda n: f'"a{n}":{{"start":"{name}x{n}","end":"e"}}',
        ),
        "songs": filled(
            f'{{{devices},"library":{{"songs":[', "]}}", lambda n: f'{{"id":"{n}","title":"t"}}'
        ),
        "headers with secrets": filled(
            f'{{{devices},"accounts":{{"delivery":{{"sms":{{"url":"https://a.b/{{phone}}{{text}}",'
            '"headers":{',
            "}}}}}",
            lambda n: f'"X{n}":{{"secret":"a"}}',
        ),
        "rules": filled(
            f'{{{devices},"accounts":{{"rules":{{"fields":{{"name":{{"rules":[',
            "]}}}}}",
            lambda n: '{"rule":"pattern","pattern":"(a{20}){45}"}',
        ),
    }


class Costs:
    """What single requests cost the controller's process."""

    def __init__(self, controller):
        self._controller = controller

    def of(self, method, path, body=None, headers=None):
        """CPU time of one request in milliseconds: the least of some, since whatever else the
        controller does meanwhile only adds to it."""
        return min(self._once(method, path, body, headers or {}) for _ in range(TRIES))

    def _once(self, method, path, body, headers):
        pid = self._controller.process.pid
        before = processes.cpu_nanoseconds(pid)
        connection = http.client.HTTPConnection("127.0.0.1", self._controller.port, timeout=120)
        connection.putrequest(method, path)
        connection.putheader("Authorization", f"Bearer {self._controller.token}")
        # A known device does not wait after wrong guesses, and so reaches what they cost.
        connection.putheader("Theater-Device", self._controller.device)
        for name, value in headers.items():
            connection.putheader(name, value)
        if body is not None:
            data = body.encode()
            assert len(data) <= LARGEST, len(data)
            connection.putheader("Content-Type", "application/json")
            connection.putheader("Content-Length", str(len(data)))
            connection.endheaders(data)
        else:
            connection.endheaders()
        answer = connection.getresponse()
        answer.read()
        connection.close()
        if answer.status >= 500 and answer.status not in (503, 507):
            raise SystemExit(f"{method} {path}: {answer.status}")
        return (processes.cpu_nanoseconds(pid) - before) / 1e6


def worst_request():
    """The dearest request over all routes, and what texts within the limits add to a plain one."""
    hostile, floors, added = [], [], []
    with Controller(instant_configuration()) as controller:
        controller.log_in()
        controller.wait_for(controller.plugins_are_up)
        costs = Costs(controller)
        found = routes()
        # An unknown member changes nothing on any route.
        plain = json.dumps({"x": "a" * 60_000})
        for method, path, members in found:
            marks = "%CC%88" * 600 + "%CC%A3" * 600
            # Both are refused before any route is looked for.
            hostile.append((costs.of(method, f"{path}?x={marks}"), f"{method} {path}", "a query"))
            header = {"User-Agent": ("theater/1 (a" + "\u0308" * 1_500 + "\u0323" * 1_500).encode()}
            hostile.append((costs.of(method, path, headers=header), f"{method} {path}", "a header"))
            if method != "POST":
                continue
            floors.append(costs.of(method, path, plain))
            bodies = hostile_bodies()
            if path == "/api/v1/configuration/check":
                bodies |= configurations()
            for kind, body in bodies.items():
                hostile.append((costs.of(method, path, body), f"POST {path}", kind))
            usual = {**dict.fromkeys(members, "a"), **USUAL}
            usual = {name: usual[name] for name in members}
            if path == "/api/v1/accounts":
                del usual["setupCode"]
                usual["invitation"] = controller.invite()["code"]
            # A password costs a hash, whatever it holds.
            short = costs.of(
                method,
                path,
                json.dumps({**usual, "password": "short"} if "password" in members else usual),
            )
            for member in members:
                for kind, text in WITHIN.items():
                    body = json.dumps({**usual, member: text}, ensure_ascii=False)
                    cost = costs.of(method, path, body) - short
                    added.append((cost, f"POST {path}", f"{member}: {kind}"))
            print(f"  {path}", file=sys.stderr, flush=True)
    cost, place, kind = max(hostile)
    times = cost / statistics.median(floors)
    yield (
        f"worst request over {len(found)} routes, CPU",
        f"{cost:.1f} ms ({place}, {kind}); {times:.0f} times a plain one",
        f"≤ {TARGET} ms",
        cost <= TARGET,
    )
    cost, place, kind = max(added)
    yield (
        "worst text within the limits, added CPU",
        f"{cost:.1f} ms ({place}, {kind})",
        f"≤ {TARGET} ms",
        cost <= TARGET,
    )
