"""A mail server on loopback that takes everything and keeps the codes (RFC 5321, its least)."""

import collections
import itertools
import queue
import re
import socketserver
import threading


class Mailbox(socketserver.ThreadingTCPServer):
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Conversation)
        self._codes = collections.defaultdict(queue.Queue)
        self._lock = threading.Lock()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()

    @property
    def settings(self):
        """What `devices.json` says below `accounts`."""
        return {
            "delivery": {
                "email": {
                    "server": "127.0.0.1",
                    "port": self.server_address[1],
                    "security": "none",
                    "from": "theater@example.org",
                }
            }
        }

    def add_code(self, address, code):
        self._queue(address).put(code)

    def next_code(self, address):
        """The next code that came to `address`."""
        return self._queue(address).get(timeout=30)

    def _queue(self, address):
        with self._lock:
            return self._codes[address]


class _Conversation(socketserver.StreamRequestHandler):
    def handle(self):
        self._reply("220 mailbox")
        recipient = ""
        for line in self.rfile:
            word = line[:4].upper()
            if word == b"RCPT":
                recipient = re.search(rb"<(.*)>", line).group(1).decode()
            if word == b"DATA":
                self._reply("354 go on")
                lines = itertools.takewhile(lambda line: line != b".\r\n", self.rfile)
                text = b"".join(lines).decode()
                code = re.search(r"\b(\d{6}) is your code", text)
                if code:
                    self.server.add_code(recipient, code.group(1))
            self._reply("221 bye" if word == b"QUIT" else "250 ok")
            if word == b"QUIT":
                return

    def _reply(self, line):
        self.wfile.write(f"{line}\r\n".encode())
