"""Creates accounts as people do: by invitation, with a code from their mailbox."""

import collections
import concurrent.futures
import secrets

from .visitors import Visitor

Person = collections.namedtuple("Person", "email password")


def registration(email, password, **admission):
    """The request that registers an account; `admission` is `setupCode` or `invitation`."""
    body = {"name": "Bench", "email": email, "password": password, **admission}
    return ("POST", "/api/v1/accounts", body)


def login(person):
    return ("POST", "/api/v1/sessions", {"email": person.email, "password": person.password})


def new_password():
    return secrets.token_urlsafe(18)


def register_guests(controller, count, mailbox=None):
    """Registers `count` guests and returns them; with `mailbox`, their addresses are verified."""
    people = [Person(f"guest{n}@example.org", new_password()) for n in range(count)]

    def register(person):
        code = controller.invite()["code"]
        with Visitor(controller) as visitor:
            _expect(201, visitor.request(*registration(*person, invitation=code)))
            if mailbox:
                _verify(controller, visitor, person, mailbox)

    # The controller hashes two passwords at a time.
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(register, people))
    return people


def _verify(controller, visitor, person, mailbox):
    token = _expect(201, visitor.request(*login(person)))["token"]
    with Visitor(controller, token) as owner:
        request = _expect(202, owner.request("POST", "/api/v1/account/email", {}))["request"]
        body = {"request": request, "code": mailbox.next_code(person.email)}
        _expect(200, owner.request("POST", "/api/v1/account/email/confirmation", body))


def _expect(status, answer):
    if answer.status != status:
        raise SystemExit(f"expected {status}, got {answer.status}: {answer.json}")
    return answer.json
