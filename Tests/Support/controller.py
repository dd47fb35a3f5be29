"""A controller of its own in a scratch folder, for tests, benchmarks and the demo.

The controller is that of the build: THEATER_PRODUCTS names the folder, .build/release by default.
"""

import http.client
import json
import os
import pathlib
import re
import secrets
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
PRODUCTS = pathlib.Path(os.environ.get("THEATER_PRODUCTS", ROOT / ".build/release")).absolute()
UNVERIFIED = ssl._create_unverified_context()
ROLES = {
    "amp": "amplifier",
    "tuner": "tuner",
    "dvd": "dvdPlayer",
    "cd": "cdPlayer",
    "projector": "projector",
    "lights": "lights",
    "screen": "screen",
    "popper": "popcornPopper",
}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def shipped_configuration():
    """Returns devices.json with paths that hold from any folder."""
    configuration = json.loads((ROOT / "devices.json").read_text())
    configuration["$schema"] = str(ROOT / "devices.schema.json")
    configuration["library"]["folders"] = [
        str(ROOT / folder) for folder in configuration["library"].get("folders", [])
    ]
    for device in configuration["devices"].values():
        options = device.get("options", {})
        for key in ("folders", "discs"):
            if key in options:
                options[key] = [
                    str(ROOT / entry) if isinstance(entry, str) else entry for entry in options[key]
                ]
    return configuration


def instant_configuration():
    """Returns the shipped one with every device simulated and nothing taking time."""
    configuration = shipped_configuration()
    for name, device in configuration["devices"].items():
        configuration["devices"][name] = {
            "role": device["role"],
            "plugin": "Simulated",
            "options": {"speed": 0},
        }
    return configuration


def small_configuration():
    """Returns one simulated lamp, for figures of accounts and requests alone."""
    return {"devices": {"lights": {"role": "lights", "plugin": "Simulated"}}}


class Controller:
    """A process of `theater serve` with all its files in one folder.

    `plugins` is a folder of plugins in place of those of the build. `folder` is an empty folder in
    place of a temporary one. `on_line` is called with each line that the controller prints.
    """

    def __init__(
        self, configuration, environment=None, plugins=None, folder=None, on_line=lambda line: None
    ):
        self.folder = pathlib.Path(folder or tempfile.mkdtemp(prefix="th-"))
        self.on_line = on_line
        self.port = free_port()
        # With TLS its certificate is self-signed.
        scheme = "https" if configuration.get("web", {}).get("tls") else "http"
        self.base = f"{scheme}://127.0.0.1:{self.port}"
        self.plugins = ["--plugins", plugins] if plugins else []
        self.configuration = self.folder / "devices.json"
        self.configuration.write_text(json.dumps(configuration, indent=2))
        self.environment = dict(os.environ, **(environment or {}))
        for name in ("STATE", "DATA", "RUNTIME", "CONFIG", "CACHE"):
            place = self.folder / name.lower()
            place.mkdir(mode=0o700)
            self.environment[f"XDG_{name}_{'DIR' if name == 'RUNTIME' else 'HOME'}"] = str(place)
        self.lines = []
        self.process = None

    def __enter__(self):
        self.start()
        return self

    def start(self):
        self.lines.clear()
        self.started = time.monotonic()
        serve = ["serve", "--config", self.configuration, "--port", str(self.port)]
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                [PRODUCTS / "theater", *serve, *self.plugins],
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env=self.environment,
                cwd=self.folder,
            )
        threading.Thread(target=self._read, args=(self.process,), daemon=True).start()

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def kill(self):
        """Ends it as a power cut would; its plugins end by themselves."""
        self.process.kill()
        self.process.wait()

    def __exit__(self, *_):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _read(self, process):
        for line in process.stdout:
            self.lines.append(line.rstrip("\n"))
            self.on_line(self.lines[-1])

    def wait_for(self, what, seconds=30):
        """Returns the first true value of `what()`; fails with the log if there is none in time."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            value = what()
            if value:
                return value
            if self.process.poll() is not None:
                break
            time.sleep(0.002)
        log = (self.folder / "log").read_text(errors="replace")
        raise SystemExit("the controller did not get there:\n" + "\n".join(self.lines) + log)

    def caller(self):
        """Returns a function that sends a command to a device over one open connection.

        Without a command it reads the device. It returns when it sent, in nanoseconds of the
        monotonic clock, and the answer of the controller.
        """
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self.token}"}

        def call(device, command=None):
            path = f"/api/v1/devices/{device}"
            body = None
            if command is not None:
                path = f"{path}/commands"
                body = json.dumps(command)
            sent = time.monotonic_ns()
            connection.request("POST" if body else "GET", path, body, headers)
            answer = connection.getresponse()
            return sent, json.loads(answer.read())

        return call

    def setup_code(self):
        """Returns the code for the first owner, once the devices have answered too."""

        def find():
            code = None
            for line in self.lines:
                match = re.search(r"setup code: (\S+)", line)
                if match:
                    code = match.group(1)
                if line.startswith("device "):
                    return code

        return self.wait_for(find)

    def request(self, method, path, body=None, headers=None, anonymous=False):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            f"{self.base}{path}",
            data=data,
            method=method,
            headers={"Content-Type": "application/json", **(headers or {})},
        )
        if not anonymous and getattr(self, "token", None):
            request.add_header("Authorization", f"Bearer {self.token}")
        with urllib.request.urlopen(request, timeout=60, context=UNVERIFIED) as answer:
            text = answer.read()
            return json.loads(text) if text else None

    def log_in(self):
        """Registers the owner; `token` is that of a session, `device` makes this a known one."""
        self.email = "bench@example.org"
        self.password = secrets.token_urlsafe(18)
        self.request(
            "POST",
            "/api/v1/accounts",
            {
                "name": "Bench",
                "email": self.email,
                "password": self.password,
                "setupCode": self.setup_code(),
            },
        )
        session = self.request(
            "POST", "/api/v1/sessions", {"email": self.email, "password": self.password}
        )
        self.token = session["token"]
        self.device = session["device"]

    def invite(self):
        """Returns a new invitation: its `id` and its `code`."""
        return self.request("POST", "/api/v1/invitations", {})

    def accounts(self):
        return self.request("GET", "/api/v1/accounts")["accounts"]

    def answers(self):
        try:
            return self.request("GET", "/api/v1/health") is not None
        except (urllib.error.URLError, ConnectionError):
            return False

    def plugins_are_up(self):
        try:
            plugins = self.request("GET", "/api/v1/plugins")
        except (urllib.error.URLError, ConnectionError):
            return False
        listed = plugins.get("plugins", plugins) if isinstance(plugins, dict) else plugins
        return all(plugin["status"] in ("running", "disabled") for plugin in listed) and listed

    def has_backup(self):
        """Returns whether the backup of the day is made, some seconds after the first start."""
        return any((self.folder / "state").glob("theater/backups/*/theater.sqlite"))

    def processes(self):
        """Returns the controller and its children: (name, pid)."""
        found = [("theater", self.process.pid)]
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)
                parent = int(fields[1].split()[1])
            except (OSError, IndexError):
                continue
            if parent == self.process.pid:
                found.append((fields[0].split("(", 1)[1], int(entry.name)))
        return found
