"""The texts of the page in each language: none missing, none unused, alike in form."""

import json
import re

from conftest import ROOT, proves

SITE = ROOT / "Sources/WebServer/Site"
LANGUAGES = ("en", "uk", "ru")
# What Intl.PluralRules distinguishes for cardinal numbers.
FORMS = {"en": {"one", "other"}, "uk": {"one", "few", "many", "other"}, "ru": {"one", "few", "many", "other"}}
TEXTS = {name: json.loads((SITE / f"text/{name}.json").read_text()) for name in LANGUAGES}
CODE = "\n".join(path.read_text() for path in sorted((SITE / "js").glob("*.js")))
# `t('home.title')`, a key in a table or choice, and `t(`role.${role}`)`.
LITERAL = re.compile(r"'([a-z][A-Za-z]*(?:\.[A-Za-z]+)+)'")
CALLED = re.compile(r"\b(?:t|parts|has)\('([^']+)'")
BUILT = re.compile(r"`([a-z][A-Za-z]*\.(?:[A-Za-z]+\.)*)\$\{")


def forms(text):
    return text.values() if isinstance(text, dict) else [text]


def placeholders(text):
    """The names in each form. The label of a field may be left out: a language with cases words around it."""
    return [sorted(set(re.findall(r"\{(\w+)\}", form)) - {"field"}) for form in forms(text)]


@proves("E9 · each language has every text, and no text is unused")
def test_keys():
    wrong = []
    for name in LANGUAGES:
        wrong += [f"{name} lacks {key}" for key in TEXTS["en"].keys() - TEXTS[name].keys()]
        wrong += [f"{name} alone has {key}" for key in TEXTS[name].keys() - TEXTS["en"].keys()]
    keys, built = set(TEXTS["en"]), tuple(set(BUILT.findall(CODE)))
    wrong += [f"nothing is called {key}" for key in set(CALLED.findall(CODE)) - keys]
    wrong += [f"nothing begins with {prefix}" for prefix in built if not any(key.startswith(prefix) for key in keys)]
    used = set(LITERAL.findall(CODE))
    wrong += [f"{key} is not used" for key in keys - used if not key.startswith(built)]
    assert not wrong, "\n".join(wrong)


@proves("E9 · the texts of a key have the same placeholders in each language, and the plural forms of that language")
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
            wrong += [f"{name} {key}: has {found}, not {wanted}" for found in placeholders(text) if found != wanted]
            wrong += [f"{name} {key}: empty or with outer spaces" for form in forms(text) if not form or form != form.strip()]
    assert not wrong, "\n".join(wrong)


@proves("E9 · the files of texts are sorted, one key a line, and hold no other alphabet than their own")
def test_files():
    for name in LANGUAGES:
        lines = (SITE / f"text/{name}.json").read_text().splitlines()
        keys = [re.match(r'"([^"]+)": ', line).group(1) for line in lines[1:-1]]
        assert keys == sorted(TEXTS[name]), f"{name}: sort the keys"
    alike = {
        "en": r"[\u0400-\u04ff]", "uk": r"[ыэёъЫЭЁЪ]", "ru": r"[іїєґІЇЄҐ’]"}
    for name, foreign in alike.items():
        found = [f"{name} {key}: {form}" for key, text in TEXTS[name].items() for form in forms(text) if re.search(foreign, form)]
        assert not found, found
    # A Latin letter inside a Cyrillic word looks right and reads wrong.
    mixed = [f"{key}: {form}" for name in ("uk", "ru") for key, text in TEXTS[name].items() for form in forms(text)
             if re.search(r"[\u0400-\u04ff][A-Za-z]|[A-Za-z][\u0400-\u04ff]", form)]
    assert not mixed, mixed
