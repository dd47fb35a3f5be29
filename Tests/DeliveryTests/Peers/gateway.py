"""An SMS gateway over HTTP for tests.

Prints its port, then each request as one line of JSON.

  gateway.py [--status 200] [--behaviour answer|flood|drop|hang]
"""

import argparse
import contextlib
import http.server
import json
import os
import sys
import threading
import time

parser = argparse.ArgumentParser()
parser.add_argument("--status", type=int, default=200)
parser.add_argument("--behaviour", default="answer")
options = parser.parse_args()
# Exits when the test closes stdin or ends.
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()


def say(line):
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


class Gateway(http.server.BaseHTTPRequestHandler):
    def answer(self):
        length = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(length).decode()
        say(
            json.dumps(
                {
                    "method": self.command,
                    "path": self.path,
                    "headers": dict(self.headers.items()),
                    "body": body,
                }
            )
        )
        if options.behaviour == "hang":
            time.sleep(3600)
        if options.behaviour == "drop":
            self.close_connection = True
            return
        self.send_response(options.status)
        if 300 <= options.status < 400:
            self.send_header("Location", "/elsewhere")
        answer = b"x" * (1 << 22) if options.behaviour == "flood" else b"{}"
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        with contextlib.suppress(OSError):
            self.wfile.write(answer)

    do_GET = do_POST = do_PUT = answer

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Gateway)
say(str(server.server_port))
server.serve_forever()
