"""Chromium, and a person's session in it, for the tests and the benchmarks of the page."""

import os

# Tells the page that the browser has a session; about:blank has no storage.
SESSION_HINT = "try { localStorage.setItem('theater-session', '1') } catch {}"


def launch(chromium, *options):
    """Starts Chromium with these command-line options. CHROMIUM names the program."""
    program = os.environ.get("CHROMIUM", "/usr/bin/chromium-headless-shell")
    return chromium.launch(executable_path=program, args=["--no-sandbox", *options])


def add_session(context, base, token):
    """Gives a context the session of a token at the controller with the address `base`."""
    cookie = {"name": "theater", "value": token, "url": base, "httpOnly": True}
    context.add_cookies([{**cookie, "sameSite": "Strict"}])
    context.add_init_script(SESSION_HINT)
