"""The texts of the page in each language: none missing, none unused, alike in form."""

import json
import re

import pytest
from conftest import PASSWORD, ROOT, proves, with_modules
from playwright.sync_api import expect
from test_screens import ENTRANCE, FIND_OVERFLOW, SCREENS, WAIT_FOR_TRANSITIONS

SITE = ROOT / "Sources/WebServer/Site"
LANGUAGES = ("en", "uk", "ru")
# The categories of Intl.PluralRules for cardinal numbers.
FORMS = {
    "en": {"one", "other"},
    "uk": {"one", "few", "many", "other"},
    "ru": {"one", "few", "many", "other"},
}


def texts_of(name):
    """Returns the texts of a language by key. Its file groups them by the part before the dot."""
    groups = json.loads((SITE / f"text/{name}.json").read_text())
    return {
        f"{group}.{rest}": text
        for group, members in groups.items()
        for rest, text in members.items()
    }


TEXTS = {name: texts_of(name) for name in LANGUAGES}
CODE = "\n".join(path.read_text() for path in sorted((SITE / "js").rglob("*.js")))
# Every literal with the form of a key, the key in a call such as `t('home.title')`, and the fixed
# beginning of a key that is put together, as in `t(`role.${role}`)`.
LITERAL = re.compile(r"'([a-z][A-Za-z]*(?:\.[A-Za-z]+)+)'")
CALLED = re.compile(r"\b(?:t|textParts|hasText)\(\s*'([^']+)'")
BUILT = re.compile(r"`([a-z][A-Za-z]*\.(?:[A-Za-z]+\.)*)\$\{")


def forms(text):
    return text.values() if isinstance(text, dict) else [text]


def placeholders(text):
    """Returns the sorted placeholders of each form, without `field`.

    A language with grammatical cases may need a wording without the label of the field.
    """
    return [sorted(set(re.findall(r"\{(\w+)\}", form)) - {"field"}) for form in forms(text)]


@proves("each language has every text, and no text is unused")
def test_keys():
    wrong = []
    for name in LANGUAGES:
        wrong += [f"{name} lacks {key}" for key in TEXTS["en"].keys() - TEXTS[name].keys()]
        wrong += [f"{name} alone has {key}" for key in TEXTS[name].keys() - TEXTS["en"].keys()]
    keys = set(TEXTS["en"])
    built = tuple(set(BUILT.findall(CODE)))
    wrong += [f"no text has the key {key}" for key in set(CALLED.findall(CODE)) - keys]
    wrong += [
        f"no key begins with {prefix}"
        for prefix in built
        if not any(key.startswith(prefix) for key in keys)
    ]
    used = set(LITERAL.findall(CODE))
    wrong += [f"{key} is not used" for key in keys - used if not key.startswith(built)]
    assert not wrong, "\n".join(wrong)


@proves("F5 · each action of the activity log has a text")
def test_actions():
    source = (ROOT / "Sources/Accounts/Audit/AuditEntry.swift").read_text()
    body = source.partition("enum AuditAction")[2].partition("}")[0]
    actions = {
        name for line in re.findall(r"^  case (.+)$", body, re.M) for name in line.split(", ")
    }
    assert actions == {key.removeprefix("deed.") for key in TEXTS["en"] if key.startswith("deed.")}


@proves(
    "the texts of a key have the same placeholders in each language, and the plural forms of "
    "that language"
)
def test_forms():
    wrong = []
    for key, english in TEXTS["en"].items():
        wanted = placeholders(english)[0]
        for name in LANGUAGES:
            text = TEXTS[name].get(key, english)
            if isinstance(text, dict) != isinstance(english, dict):
                wrong.append(f"{name} {key}: plural forms in one language only")
            elif isinstance(text, dict) and text.keys() != FORMS[name]:
                wrong.append(f"{name} {key}: has the forms {sorted(text)}")
            wrong += [
                f"{name} {key}: has {found}, not {wanted}"
                for found in placeholders(text)
                if found != wanted
            ]
            wrong += [
                f"{name} {key}: empty or with outer spaces"
                for form in forms(text)
                if not form or form != form.strip()
            ]
    assert not wrong, "\n".join(wrong)


@proves("the files of texts are sorted, one key a line, and hold no letters of another language")
def test_files():
    for name in LANGUAGES:
        text = (SITE / f"text/{name}.json").read_text()
        groups = {
            group: dict(sorted(members.items()))
            for group, members in sorted(json.loads(text).items())
        }
        ordered = json.dumps(groups, ensure_ascii=False, indent=2) + "\n"
        assert text == ordered, f"{name}: sort the keys, with one on each line"
    foreign_letters = {"en": r"[\u0400-\u04ff]", "uk": r"[ыэёъЫЭЁЪ]", "ru": r"[іїєґІЇЄҐ’]"}
    for name, foreign in foreign_letters.items():
        found = [
            f"{name} {key}: {form}"
            for key, text in TEXTS[name].items()
            for form in forms(text)
            if re.search(foreign, form)
        ]
        assert not found, found
    # A Latin letter inside a Cyrillic word looks right and reads wrong.
    mixed = [
        f"{key}: {form}"
        for name in ("uk", "ru")
        for key, text in TEXTS[name].items()
        for form in forms(text)
        if re.search(r"[\u0400-\u04ff][A-Za-z]|[A-Za-z][\u0400-\u04ff]", form)
    ]
    assert not mixed, mixed


# Returns all texts of the open screen that a person sees, or hears from a screen reader.
COLLECT_TEXTS = """() => {
  const SPOKEN = ['aria-label', 'placeholder', 'title', 'alt', 'aria-valuetext'];
  const NOT_TRANSLATED = 'script, noscript, .mono, option[lang]';
  const texts = new Set();
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const text = walk.currentNode.textContent.trim();
    if (text && !walk.currentNode.parentElement.closest(NOT_TRANSLATED)) texts.add(text);
  }
  for (const name of SPOKEN) {
    for (const node of document.querySelectorAll(`[${name}]`)) {
      texts.add(node.getAttribute(name).trim());
    }
  }
  texts.add(document.title.replace(/ · Home Theater$/, ''));
  return [...texts];
}"""
WITH_NUMBER = re.compile(r"\\\{(?:count|number|total|percent|age)\\\}")
WITH_VALUE = re.compile(r"\\\{\w+\\\}")


def english_pattern(name):
    """Returns a pattern of the English texts that the language words differently."""
    all_ = {
        form
        for key, text in TEXTS["en"].items()
        for form in forms(text)
        if form not in forms(TEXTS[name][key])
        and re.search("[A-Za-z]{3}", re.sub(r"\{\w+\}", "", form))
    }
    return re.compile(
        "|".join(
            WITH_VALUE.sub(".+", WITH_NUMBER.sub(r"[\\d.,]+", re.escape(form))) for form in all_
        ),
        re.IGNORECASE,
    )


@proves(
    "F8 · every screen has only Ukrainian or Russian texts when the browser asks for that "
    "language, and fits phone, tablet and desktop"
)
@pytest.mark.parametrize(
    "name, size", [("uk", "phone"), ("ru", "phone"), ("uk", "desktop"), ("ru", "tablet")]
)
def test_languages(visit, theater, name, size):
    theater.turn_off()
    stranger = visit(size=size, locale=f"{name}-{'UA' if name == 'uk' else 'RU'}")
    foreign = english_pattern(name)
    wrong = []

    def check(page, place):
        page.evaluate(WAIT_FOR_TRANSITIONS)
        wrong.extend(
            f"{place}: {text}" for text in page.evaluate(COLLECT_TEXTS) if foreign.fullmatch(text)
        )
        wrong.extend(f"{place} {fault}" for fault in page.evaluate(FIND_OVERFLOW))

    def open_and_check(one, path):
        page = one.open(path)
        assert page.evaluate("document.documentElement.lang") == name
        check(page, path)
        return page

    for path in ENTRANCE:
        open_and_check(stranger, path)
    one = visit(size=size, locale=name).with_session(theater.people["ann@example.org"])
    # The names of the checks come from the controller in English, so this test shows none.
    one.page.route(
        "**/api/v1/doctor",
        lambda route: route.fulfill(
            status=200, content_type="application/json", body='{"checks": []}'
        ),
    )
    for path in SCREENS:
        open_and_check(one, path)
    page = open_and_check(one, "/devices")
    for row in page.locator(".device-row").all():
        device = row.get_attribute("data-focus")
        row.click()
        page.locator(".device-sheet .state-table").wait_for(state="attached")
        check(page, f"/devices {device}")
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
    theater.watch()
    for path in ("/", "/room", "/player", "/devices"):
        open_and_check(one, path)
    assert not wrong, "\n".join(wrong)


@proves("a time ago is rounded before its unit is chosen")
def test_time_ago(visit):
    page = visit().open("/login")
    said = page.evaluate(
        with_modules(
            "base/times.js",
            """({ relativeTime }, secondsAgo) =>
              secondsAgo.map((seconds) => relativeTime(0, seconds * 1000))""",
        ),
        [59.4, 59.6, 3569, 3580, 84_500, 84_700],
    )
    assert said == ["59 sec ago", "1 min ago", "59 min ago", "1 hr ago", "23 hr ago", "1 day ago"]


@proves("the screens of the next person in a tab have the titles of that person's language")
def test_next_language(visit, theater):
    one = visit()
    page = one.open("/login")
    for language, word in [("en", "Settings"), ("uk", TEXTS["uk"]["settings.title"])]:
        name = f"{language}@example.org"
        theater.member("Iryna", name)
        theater.log_in(name)
        theater.send(
            "POST", "/account/language", {"language": language}, token=theater.people[name]
        )
        page.get_by_role("textbox", name="E-mail address").fill(name)
        page.get_by_label("Password", exact=True).fill(PASSWORD)
        page.keyboard.press("Enter")
        page.locator('.rail [href="/settings"]').click()
        expect(page.get_by_role("heading", level=1)).to_have_text(word)
        expect(page).to_have_title(re.compile(f"^{word}"))
        if language == "en":
            page.get_by_role("button", name="Log out").click()
            page.get_by_role("textbox", name="E-mail address").wait_for()


@proves(
    "the language is chosen at the login and in the account; the first choice stays on the "
    "device, the second is stored with the account"
)
def test_choice(visit, theater):
    page = visit().open("/login")
    page.get_by_role("combobox", name="Language").select_option("uk")
    page.get_by_role("button", name="Увійти", exact=True).wait_for()
    assert page.evaluate("document.title") == "Вхід · Home Theater"
    page.reload()
    page.get_by_role("combobox", name="Мова").wait_for()
    one = visit().with_session(theater.people["ann@example.org"])
    kept = []
    one.page.route(
        "**/api/v1/account/language",
        lambda route: (kept.append(route.request.post_data_json), route.fulfill(status=204)),
    )
    expect(one.open("/settings").get_by_role("combobox", name="Language")).to_have_value("en")
    page = one.open("/account")
    page.get_by_role("combobox", name="Language").select_option("ru")
    page.get_by_role("heading", name="Учётная запись", level=1).wait_for()
    assert kept == [{"language": "ru"}]


@proves("the language that was chosen on this device counts before the account's")
def test_device_language(visit, theater):
    one = visit().with_session(theater.people["ann@example.org"])

    def with_language(route):
        answer = route.fetch()
        session = answer.json()
        session["user"]["language"] = "en"
        route.fulfill(response=answer, json=session)

    one.page.route("**/api/v1/sessions/current", with_language)
    expect(one.open("/settings").get_by_role("combobox", name="Language")).to_have_value("en")
    one.page.evaluate("""localStorage.setItem('theater-look', '{"language":"uk"}')""")
    expect(one.open("/settings").get_by_role("combobox", name="Мова")).to_have_value("uk")


@proves(
    "says in the reader's language what failed and where, with the controller's English "
    "in small print"
)
def test_failure(visit, theater):
    theater.turn_off()
    page = (
        visit(locale="uk")
        .with_session(theater.people["ann@example.org"])
        .open("/scenes?scene=broken")
    )
    page.locator(".run-keys .btn.primary").click()
    card = page.locator(".error-card")
    expect(card.get_by_role("heading")).to_have_text("Проєктор spare: Команду не виконано.")
    expect(card.locator(".where")).to_contain_text("Крок 2 із 3")
    expect(card.locator("[lang=en]")).to_contain_text("The device refuses")


@proves(
    "a form in a sheet says in the reader's language why it was refused, with the "
    "controller's English in small print"
)
def test_refused_form(visit, theater):
    one = visit(locale="uk").with_session(theater.people["ann@example.org"])
    one.expected = {409}
    one.page.route(
        "**/api/v1/account/name",
        lambda route: route.fulfill(
            status=409,
            content_type="application/json",
            body=json.dumps(
                {
                    "error": {
                        "code": "notNow",
                        "message": "the accounts are read anew",
                        "hint": "Wait a moment.",
                    }
                }
            ),
        ),
    )
    page = one.open("/account")
    page.get_by_role("button", name="Змінити ім’я").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Зберегти").click()
    expect(dialog.get_by_role("alert")).to_contain_text("Зараз це неможливо.")
    expect(dialog.get_by_role("alert").locator("[lang=en]")).to_have_text(
        "The accounts are read anew. Wait a moment."
    )


@proves("the name of each control of the settings and the account has the text that is seen")
@pytest.mark.parametrize("language", ["en", "uk", "ru"])
def test_names(visit, theater, language):
    one = visit(locale=language).with_session(theater.people["ann@example.org"])
    for path in ("/settings", "/account"):
        page = one.open(path)
        named = page.locator("main :is(a, button)[aria-label]").evaluate_all(
            "(all) => all.map((one) => [one.innerText.trim(), one.ariaLabel])"
        )
        assert named
        assert all(text.lower() in label.lower() for text, label in named), named


@proves("a plan says what a device reports already: on, off or a word, never a bare value")
def test_reported(visit, theater):
    one = visit().with_session(theater.people["ann@example.org"])
    steps = [
        {
            "id": str(i),
            "kind": "command",
            "device": "amp",
            "command": "on",
            "action": "skip",
            "reported": reported,
        }
        for i, reported in enumerate(
            [
                {"muted": True},
                {"muted": False},
                {"input": "dvd"},
                {"playback": {"state": "stopped"}},
            ]
        )
    ]
    one.page.route(
        "**/api/v1/scenes/together/plan",
        lambda route: route.fulfill(json={"scene": "together", "steps": steps}),
    )
    page = one.open("/scenes?scene=together")
    why = page.locator(".why").all_inner_texts()
    words = ["muted", "with sound", "DVD player", "stopped"]
    assert why == [f"Already {word}." for word in words]


COUNTS = [0, 1, 2, 5, 11, 21, 1.5]
# The plural form of each of the counts, by the rules of CLDR.
PLURALS = {
    "en": ["other", "one", "other", "other", "other", "other", "other"],
    "uk": ["many", "one", "few", "many", "many", "one", "other"],
    "ru": ["many", "one", "few", "many", "many", "one", "other"],
}
FILMS = {
    "en": ["0 films", "1 film", "2 films", "5 films", "11 films", "21 films"],
    "uk": ["0 фільмів", "1 фільм", "2 фільми", "5 фільмів", "11 фільмів", "21 фільм"],
    "ru": ["0 фильмов", "1 фильм", "2 фильма", "5 фильмов", "11 фильмов", "21 фильм"],
}


@proves("counts have the plural forms of the language, on the screen too")
@pytest.mark.parametrize("name", LANGUAGES)
def test_plurals(visit, theater, name):
    one = visit(locale=name).with_session(theater.people["ann@example.org"])
    page = one.page
    films = []
    page.route(
        "**/api/v1/films?**",
        lambda route: route.fulfill(
            status=200,
            content_type="application/json",
            body=json.dumps({"films": films, "total": len(films)}),
        ),
    )
    for count, text in zip(COUNTS, FILMS[name], strict=False):
        films[:] = [
            {"id": f"f{i}", "title": f"Film {i}", "duration": 60, "players": ["dvd"]}
            for i in range(count)
        ]
        one.open("/library")
        expect(page.locator("#found")).to_have_text(text)
    keys = [key for key, text in TEXTS[name].items() if isinstance(text, dict)]
    assert len(keys) > 5
    shown_texts = page.evaluate(
        with_modules(
            "base/text.js",
            """({ t }, [keys, counts]) => {
              const textsOf = (key) => counts.map((count) => t(key, { count }));
              return Object.fromEntries(keys.map((key) => [key, textsOf(key)]));
            }""",
        ),
        [keys, COUNTS],
    )
    for key in keys:
        numbers = [str(count).replace(".", "." if name == "en" else ",") for count in COUNTS]
        forms_ = [TEXTS[name][key][form] for form in PLURALS[name]]
        shown = [re.sub(r"[\u2068\u2069]", "", text) for text in shown_texts[key]]
        wanted = [
            re.sub(r"\\\{\w+\\\}", ".*", re.escape(form.replace("{count}", number)))
            for form, number in zip(forms_, numbers, strict=True)
        ]
        assert all(
            re.fullmatch(pattern, text) for pattern, text in zip(wanted, shown, strict=True)
        ), (
            key,
            shown,
            wanted,
        )
