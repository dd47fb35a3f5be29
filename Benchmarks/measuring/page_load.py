"""How long a reader waits for the page over a slow connection, and how many bytes it transfers.

Chromium emulates the connection. Each load has a fresh context, so nothing comes from a cache. The
same page without gzip, in the same run, is the comparison. THEATER_PAGE_LOADS (3) is how often each
is loaded; the figures are medians. Needs what `Benchmarks/run.py page` needs.
"""

import os
import statistics

from .page import Browser, evening

LOADS = int(os.environ.get("THEATER_PAGE_LOADS", 3))
# A mobile connection with weak reception; throughput in bytes a second, latency in ms.
CONNECTION = {
    "offline": False,
    "downloadThroughput": 1.6e6 / 8,
    "uploadThroughput": 0.75e6 / 8,
    "latency": 150,
}
LANGUAGES = {"en": "English", "uk": "Ukrainian"}
LONGEST_MS = 60_000
# Of each screen: its address, whether a session opens it, when it is there, and the most kB (1000
# bytes) that may be transferred until then.
SCREENS = {
    "login, until its fields can be used": (
        "/login",
        False,
        "document.querySelector('input[type=password]:enabled')"
        " && document.querySelector('input[type=email]:enabled')",
        60,
    ),
    "Home, until it is shown": (
        "/",
        True,
        "document.documentElement?.dataset.ready === 'home'",
        250,
    ),
}
# A promise of the time of day, in ms, at which the frame that follows the condition is painted.
PAINTED = """
globalThis.painted = new Promise((resolve, reject) => {
  const note = () => resolve(performance.timeOrigin + performance.now());
  const look = () => requestAnimationFrame(() => {
    if (%s) requestAnimationFrame(() => setTimeout(note));
    else look();
  });
  look();
  setTimeout(() => reject(new Error('the screen has not appeared')), %d);
});
"""


class Transfer:
    """The bytes of a page's responses with their headers, as they arrive over time."""

    def __init__(self, session):
        self.arrivals = []
        self.addresses = {}
        self.received = {}
        # The same moment in the clock of the network events and in that of the day, in s.
        self.begun = None
        session.on("Network.requestWillBeSent", self._send)
        session.on("Network.responseReceived", self._respond)
        session.on("Network.dataReceived", self._receive)
        session.on("Network.loadingFinished", self._finish)

    def _send(self, event):
        self.addresses[event["requestId"]] = event["request"]["url"]
        self.begun = self.begun or (event["timestamp"], event["wallTime"])

    def _add(self, event, size):
        identifier = event["requestId"]
        self.received[identifier] = self.received.get(identifier, 0) + size
        self.arrivals.append((event["timestamp"], identifier, size))

    def _respond(self, event):
        self._add(event, event["response"]["encodedDataLength"])

    def _receive(self, event):
        # An unfinished response, such as the stream of events, counts too.
        self._add(event, event["encodedDataLength"])

    def _finish(self, event):
        # This total includes the headers; parts of it may have come without an event.
        self._add(event, event["encodedDataLength"] - self.received.get(event["requestId"], 0))

    def sizes(self, until):
        """The bytes of each address until a time of day, in s."""
        monotonic, wall = self.begun
        sizes = {}
        for timestamp, identifier, size in self.arrivals:
            if timestamp - monotonic + wall <= until:
                address = self.addresses.get(identifier, "")
                sizes[address] = sizes.get(address, 0) + size
        return sizes


def load(browser, language, screen, is_compressed=True):
    """Loads a screen in a fresh context; returns the seconds, and the bytes of each address."""
    address, has_session, condition, _ = screen
    context = browser.chromium.new_context(
        base_url=browser.base,
        locale=language,
        viewport={"width": 390, "height": 844},
        # The worker of the installed page would load its own copies after the screen is there.
        service_workers="block",
    )
    if has_session:
        browser.add_session(context)
    context.add_init_script(PAINTED % (condition, LONGEST_MS))
    page = context.new_page()
    session = context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", CONNECTION)
    if not is_compressed:
        session.send("Network.setExtraHTTPHeaders", {"headers": {"Accept-Encoding": "identity"}})
    transfer = Transfer(session)
    page.goto(address, wait_until="commit", timeout=LONGEST_MS)
    painted = page.evaluate("painted") / 1000
    begun = page.evaluate("performance.timeOrigin") / 1000
    context.close()
    return painted - begun, transfer.sizes(painted)


def median_load(*arguments):
    """The medians of several loads: seconds and kB."""
    loads = [load(*arguments) for _ in range(LOADS)]
    return (
        statistics.median(seconds for seconds, _ in loads),
        statistics.median(sum(sizes.values()) for _, sizes in loads) / 1000,
    )


def page_load():
    with Browser(evening()) as browser:
        for language, name in LANGUAGES.items():
            browser.send("/account/language", {"language": language})
            for title, screen in SCREENS.items():
                most = screen[-1]
                seconds, size = median_load(browser, language, screen)
                plain_seconds, plain_size = median_load(browser, language, screen, False)
                yield (
                    f"{title}, {name}: transferred",
                    f"{size:.1f} kB with headers; {plain_size:.1f} kB without gzip",
                    f"<= {most} kB",
                    size <= most,
                )
                yield (
                    f"{title}, {name}: time",
                    f"{seconds:.2f} s, {seconds / plain_seconds:.2f} of {plain_seconds:.2f} s "
                    "without gzip",
                    "faster than without gzip",
                    seconds < plain_seconds,
                )
