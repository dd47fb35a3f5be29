"""A real SMTP server (aiosmtpd) for tests.

Prints its port, then each message that it accepted as one line of JSON.

  mail_server.py [--security starttls|tls|none] [--certificate PEM] [--login USER:PASSWORD]
                 [--behaviour take|refuse|drop|hang]
"""

import argparse
import asyncio
import email
import email.policy
import json
import os
import ssl
import sys
import threading

from aiosmtpd.smtp import SMTP, AuthResult

parser = argparse.ArgumentParser()
parser.add_argument("--security", default="none")
parser.add_argument("--certificate")
parser.add_argument("--login")
parser.add_argument("--behaviour", default="take")
options = parser.parse_args()
# Exits when the test closes stdin or ends.
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()


def say(line):
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


# The number of login attempts so far.
logins = 0


class Handler:
    async def handle_RCPT(self, server, session, envelope, address, rcpt_options):
        if options.behaviour == "refuse":
            return "550 5.1.1 nobody of that name"
        if options.behaviour == "drop":
            server.transport.abort()
            return "421 gone"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        message = email.message_from_bytes(envelope.content, policy=email.policy.default)
        body = message.get_body(("plain",))
        say(
            json.dumps(
                {
                    "from": envelope.mail_from,
                    "to": envelope.rcpt_tos,
                    "headers": [[name, str(value)] for name, value in message.items()],
                    "type": body.get_content_type(),
                    "charset": body.get_content_charset(),
                    "text": body.get_content().rstrip("\r\n"),
                    "tls": session.ssl is not None or options.security == "tls",
                    "user": getattr(session.auth_data, "login", b"").decode()
                    if session.auth_data
                    else None,
                    "logins": logins,
                }
            )
        )
        return "250 taken"


def authenticate(server, session, envelope, mechanism, data):
    global logins
    logins += 1
    user, _, password = options.login.partition(":")
    good = data.login.decode() == user and data.password.decode() == password
    return AuthResult(success=good, handled=False, auth_data=data if good else None)


def tls():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(options.certificate)
    return context


async def hang(reader, writer):
    await asyncio.sleep(3600)


def protocol():
    further = {}
    if options.security == "starttls":
        further = {"tls_context": tls(), "require_starttls": True}
    if options.login:
        further.update(
            authenticator=authenticate,
            auth_required=True,
            auth_require_tls=options.security == "starttls",
        )
    return SMTP(Handler(), hostname="localhost", enable_SMTPUTF8=False, **further)


async def main():
    loop = asyncio.get_running_loop()
    if options.behaviour == "hang":
        server = await asyncio.start_server(hang, "127.0.0.1", 0)
    else:
        server = await loop.create_server(
            protocol, "127.0.0.1", 0, ssl=tls() if options.security == "tls" else None
        )
    say(str(server.sockets[0].getsockname()[1]))
    await server.serve_forever()


asyncio.run(main())
