"""The stream of events, cut between the page and the controller."""

import contextlib
import json
import re
import socket
import threading
import urllib.request

import pytest
from conftest import Visit, eventually, proves, with_modules
from playwright.sync_api import expect

# What the page has got: the leading tab passes each event on.
SEEN = """
  globalThis.seen = [];
  new BroadcastChannel('theater').onmessage = ({ data }) => {
    if (data.id) globalThis.seen.push([data.type, data.id]);
  };
"""
# Notes the brightness at each redraw, and opens the stream again.
WATCH_REDRAWS = with_modules(
    "model/store.js",
    """(store) => {
      globalThis.drawn = [];
      store.watch(() => drawn.push(store.device('lights').state.brightness.value));
      store.lose();
    }""",
)


class CuttingProxy:
    """Passes connections on to a controller, keeps the heads of requests for events, cuts these."""

    def __init__(self, port):
        self.target = port
        self.heads = []
        self.refuses = False
        self.streams = []
        self.sockets = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.host = f"127.0.0.1:{self.listener.getsockname()[1]}".encode()
        self.base = f"http://{self.host.decode()}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self.target))
            self.sockets += [client, server]
            for pair in ((client, server), (server, client)):
                threading.Thread(
                    target=self.copy, args=(*pair, pair[0] is client), daemon=True
                ).start()

    def copy(self, source, target, is_request):
        try:
            while data := source.recv(65536):
                if is_request:
                    # A controller refuses the host of another port.
                    data = data.replace(self.host, f"127.0.0.1:{self.target}".encode())
                if is_request and data.startswith(b"GET /api/v1/events"):
                    self.heads.append(data.decode(errors="replace"))
                    if self.refuses:
                        break
                    self.streams.append(source)
                target.sendall(data)
        except OSError:
            pass
        for each in (source, target):
            self.end(each)

    @staticmethod
    def end(each):
        with contextlib.suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)

    def cut(self):
        """Cuts the streams, and refuses others from now on."""
        self.refuses = True
        for each in self.streams:
            self.end(each)
        self.streams.clear()

    def close(self):
        self.listener.close()
        for each in self.sockets:
            self.end(each)
            each.close()


def record(theater, ids):
    """Keeps the ids of all events in a thread of its own."""
    asked = urllib.request.Request(
        f"{theater.base}/api/v1/events",
        headers={"Authorization": f"Bearer {theater.people['ann@example.org']}"},
    )
    answer = urllib.request.urlopen(asked, timeout=60)

    def read():
        try:
            for line in answer:
                if line.startswith(b"id: "):
                    ids.append(line.decode().strip()[4:])
        except (OSError, ValueError, AttributeError):
            pass  # it was closed meanwhile

    threading.Thread(target=read, daemon=True).start()
    return answer


@proves("a stream that is cut is resumed after its last event, and none is lost or comes twice")
def test_resume(browser, theater):
    theater.turn_off()
    proxy = CuttingProxy(theater.controller.port)
    ids = []
    one = Visit(browser, proxy.base).with_session(theater.people["ann@example.org"])
    one.expected = {"network"}
    one.page.add_init_script(SEEN)
    recorded = record(theater, ids)
    page = one.open("/devices")
    lights = page.get_by_role("button", name=re.compile("^Lights")).first

    def seen():
        return page.evaluate("seen.map(([, id]) => id)")

    theater.send("POST", "/devices/lights/commands", {"dim": 31})
    expect(lights).to_contain_text("31 %")
    eventually(page, lambda: seen()[-1] == ids[-1])
    last = seen()[-1]
    proxy.cut()
    # Both changes are over before the stream is back.
    for percent in (32, 33, 34):
        theater.send("POST", "/devices/lights/commands", {"dim": percent})
        theater.wait_for("lights", "brightness", percent)
    eventually(page, lambda: len(proxy.heads) >= 2)
    proxy.refuses = False
    expect(lights).to_contain_text("34 %")
    eventually(page, lambda: seen()[-1] == ids[-1])
    resumed = [re.search(r"(?im)^last-event-id: (\S+)", head) for head in proxy.heads[1:]]
    assert all(found and found.group(1) == last for found in resumed), proxy.heads
    got = seen()
    assert got[got.index(last) :] == ids[ids.index(last) :], (got, ids)
    assert [kind for kind, _ in page.evaluate("seen")].count("snapshot") == 1
    recorded.close()
    one.close()
    proxy.close()


def send_together(page, status, events):
    """Opens the stream again, which answers with all events in one part."""
    body = "".join(
        f"event: {kind}\nid: {status['event']}\ndata: {json.dumps(value)}\n\n"
        for kind, value in events
    )
    page.route(
        "**/api/v1/events*",
        lambda route: route.fulfill(status=200, content_type="text/event-stream", body=body),
        times=1,
    )
    page.evaluate(WATCH_REDRAWS)


@proves("events that arrive together are drawn once, as the last of them says")
def test_burst(owner):
    page = owner.open("/devices")
    status = page.evaluate("fetch('/api/v1/status').then((answer) => answer.json())")
    lights = next(device for device in status["devices"] if device["id"] == "lights")
    dimmed = [
        {
            **lights,
            "state": {
                **lights["state"],
                "brightness": {"value": percent, "provenance": "reported", "age": 0},
            },
        }
        for percent in range(31, 36)
    ]
    send_together(page, status, [("snapshot", status), *(("device", device) for device in dimmed)])
    expect(page.get_by_role("button", name=re.compile("^Lights")).first).to_contain_text("35 %")
    assert not {31, 32, 33, 34} & set(page.evaluate("drawn"))


@proves(
    "a device that follows others goes to the room also if what they start runs before "
    "the page is drawn, but not for what a snapshot brings"
)
@pytest.mark.parametrize("in_snapshot", [False, True], ids=["event", "snapshot"])
def test_short_start(owner, in_snapshot):
    page = owner.open("/settings")
    page.get_by_role("switch", name="Follow what others start").click()
    status = page.evaluate("fetch('/api/v1/status').then((answer) => answer.json())")
    film = {
        "activity": "film",
        "title": "Watch a film",
        "item": "night-ferry",
        "itemTitle": "Night Ferry",
        "player": "dvd",
        "run": "elsewhere",
    }
    if in_snapshot:
        send_together(
            page, status, [("snapshot", {**status, "activity": {**film, "status": "running"}})]
        )
        expect(page.get_by_role("region", name="What plays")).to_be_visible()
        assert page.url.endswith("/settings")
    else:
        send_together(
            page,
            status,
            [("activity", {**film, "status": kind}) for kind in ("starting", "running")],
        )
        page.wait_for_url("**/room")


@proves(
    "the plan of a scene is no start, so that what others start meanwhile is followed; "
    "its run is one"
)
def test_plan(owner):
    page = owner.open("/scenes?scene=together")
    is_starting_here = with_modules("base/api.js", "(api) => api.isStartingHere()")
    assert not page.evaluate(is_starting_here)
    page.get_by_role("button", name="Run").click()
    page.wait_for_function(is_starting_here)
