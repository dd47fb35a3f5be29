"""Generated requests to every route, as each kind of user: which answers break the contract."""

import os
import re
import subprocess

from controller import PRODUCTS, ROOT

CASES = int(os.environ.get("THEATER_API_CASES", 10_000))


def generated_requests():
    run = subprocess.run(
        [ROOT / "Scripts/check-api", "--cases", str(CASES)],
        capture_output=True,
        text=True,
        env=dict(os.environ, THEATER_PRODUCTS=str(PRODUCTS)),
    )
    sent = re.search(r"^(\d+) requests in (\d+) s", run.stdout, re.MULTILINE)
    if not sent:
        raise SystemExit(f"Scripts/check-api sent nothing:\n{run.stderr}")
    problems = re.search(r"^(\d+) problems$", run.stderr, re.MULTILINE)
    count = int(problems[1]) if problems else 0
    yield (
        "generated requests, answers against openapi.json",
        f"{sent[1]} requests in {sent[2]} s, {count} problems",
        f"at least {CASES} requests, 0 problems",
        run.returncode == 0 and int(sent[1]) >= CASES and count == 0,
    )
