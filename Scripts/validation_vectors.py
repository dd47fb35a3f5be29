"""Writes the golden vectors that every evaluator of rules must satisfy.

    python3 Scripts/validation_vectors.py > Tests/ValidationTests/validation-vectors.json

The evaluator here was written from docs/validation.md alone and uses Python's own Unicode data, so
that the vectors test the evaluators of the controller and of the page against the document, and not
against each other. docs/validation.md also describes the format of the file.
"""

import functools
import itertools
import json
import re
import sys
import unicodedata

import blocklist

FORMAT = 1
MOST_BYTES = 16_384
MOST_CODE_POINTS = 4_096
MARKS_IN_A_ROW = 30

# MARK: Unicode

# Default_Ignorable_Code_Point (DerivedCoreProperties.txt), which unicodedata lacks.
IGNORABLE = [
    (0xAD, 0xAD),
    (0x34F, 0x34F),
    (0x61C, 0x61C),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFF8),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
]


def category(c):
    return unicodedata.category(c)


# Their glyphs are empty, but no Unicode property says so.
BLANKS = "\u2800\U0001d159\U00013441\U00013442"


def is_visible(c):
    ignorable = any(low <= ord(c) <= high for low, high in IGNORABLE)
    return (
        category(c)[0] not in "ZM"
        and category(c) not in ("Cc", "Cf")
        and not ignorable
        and c not in BLANKS
    )


def nfkc(text):
    return unicodedata.normalize("NFKC", text)


def is_mark(c):
    return ord(c) >= 0x300 and (
        category(c)[0] == "M" or unicodedata.combining(c) != 0 or c in "\uff9e\uff9f"
    )


def is_overlong(typed):
    row = longest = 0
    for c in typed:
        row = row + 1 if is_mark(c) else 0
        longest = max(longest, row)
    return (
        len(typed.encode()) > MOST_BYTES
        or longest > MARKS_IN_A_ROW
        or len(nfkc(typed)) > MOST_CODE_POINTS
    )


def lower(text):
    return "".join(c.lower() for c in text)


# MARK: Patterns


@functools.cache
def category_class(name):
    """Returns the inside of a character class with every code point of a general category."""
    points = [
        p
        for p in range(0x110000)
        if not 0xD800 <= p <= 0xDFFF and category(chr(p)).startswith(name)
    ]
    ranges, start, last = [], None, None
    for point in points + [None]:
        if start is not None and point == last + 1:
            last = point
            continue
        if start is not None:
            ranges.append(f"\\U{start:08x}-\\U{last:08x}")
        start = last = point
    return "".join(ranges)


# What `\s` matches in ECMAScript, for a class.
SPACES = "\\t-\\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"


def pattern_matches(pattern, text):
    """Returns whether all of the text matches an ECMAScript pattern with the flag u.

    Python's `.` excludes fewer line ends, its `\\s` has fewer spaces, and it has no `\\p`.
    """
    out, in_class, i = [], False, 0
    while i < len(pattern):
        c = pattern[i]
        escape = re.match(r"\\([pP])\{(\w+)\}", pattern[i:])
        if escape:
            inside = category_class(escape.group(2))
            if in_class:
                assert escape.group(1) == "p", "an inverted category in a class"
                out.append(inside)
            else:
                out.append(f"[{'^' if escape.group(1) == 'P' else ''}{inside}]")
            i += escape.end()
            continue
        if c == "\\":
            pair = pattern[i : i + 2]
            if pair == r"\s":
                pair = SPACES if in_class else f"[{SPACES}]"
            elif pair == r"\S" and not in_class:
                pair = f"[^{SPACES}]"
            out.append(pair)
            i += 2
            continue
        if c == "[":
            in_class = True
        elif c == "]":
            in_class = False
        elif c == "." and not in_class:
            c = r"[^\n\r\u2028\u2029]"
        out.append(c)
        i += 1
    return re.fullmatch("".join(out), text, re.ASCII) is not None


# MARK: Forms of addresses

ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
EMAIL = re.compile(rf"(?=[^@]{{1,64}}@){ATOM}(?:\.{ATOM})*@{LABEL}(?:\.{LABEL})+", re.ASCII)


def is_email(typed):
    return len(typed.encode()) <= 254 and EMAIL.fullmatch(typed) is not None


def is_phone(typed):
    if len(typed.encode()) > 64 or "(0)" in typed or not typed.startswith("+"):
        return False
    digits = re.sub(r"[ .()-]", "", typed[1:])
    return re.fullmatch(r"[1-9][0-9]{6,14}", digits) is not None


# MARK: Passwords

ENTRIES = frozenset(blocklist.entries()[0])
WRITTEN_FOR = {
    "0": "o",
    "1": "i",
    "!": "i",
    "3": "e",
    "4": "a",
    "@": "a",
    "5": "s",
    "$": "s",
    "7": "t",
    "8": "b",
}


def is_run(text):
    steps = [ord(b) - ord(a) for a, b in itertools.pairwise(text)]
    return bool(steps) and steps[0] in (1, -1) and set(steps) == {steps[0]}


def is_repetition(text):
    return any(
        text == (text[:p] * len(text))[: len(text)] for p in range(1, 15) if p * 2 <= len(text)
    )


def is_common(text):
    folded = "".join(WRITTEN_FOR.get(c, c) for c in text)
    return is_run(text) or is_repetition(text) or folded in ENTRIES


def in_blocklist(text):
    text = "".join(c for c in lower(text) if c not in " -_.,")
    letters = [i for i, c in enumerate(text) if category(c)[0] == "L"]
    core = text[letters[0] : letters[-1] + 1] if letters else ""
    if len(core) < 8 or len(core) * 2 < len(text):
        core = ""
    return text == "" or is_common(text) or is_common(core)


def is_word_character(c):
    return category(c)[0] in "LMN"


def holds_personal_words(text, personal):
    if is_overlong(personal):
        return False
    whole, text = lower(nfkc(personal)), lower(text)
    own = whole.split("@")[0]
    words, word = [], ""
    for c in own + " ":
        if is_word_character(c):
            word += c
        else:
            words.append(word)
            word = ""
    words.append(from_word_to_word(own))
    if len(from_word_to_word(whole)) >= 3 and from_word_to_word(whole) in text:
        return True
    return any(len(w) >= 4 and w in text for w in words)


def from_word_to_word(text):
    points = [i for i, c in enumerate(text) if is_word_character(c)]
    return text[points[0] : points[-1] + 1] if points else ""


# MARK: Rules

STATEMENTS = {
    "notEmpty": "not empty",
    "minLength": "at least {length} characters",
    "maxLength": "at most {length} characters",
    "symbol": "a symbol, such as ! or ?",
    "upperCase": "an upper-case letter",
    "digit": "a digit",
    "pattern": "in the form that is asked for",
    "email": "an address like anna@example.org",
    "phone": "a number with its country code, like +49 170 1234567",
    "notInBlocklist": "not easily guessed",
    "noPersonalWords": "without your name and address",
    "equals": "the same as the {other}",
    "asked": "not taken",
}

MESSAGES = {
    "notEmpty": "Type the {field}.",
    "minLength": "Make the {field} at least {length} characters long.",
    "maxLength": "Shorten the {field} to at most {length} characters.",
    "symbol": "Put a symbol into the {field}, such as ! or ?.",
    "upperCase": "Put an upper-case letter into the {field}.",
    "digit": "Put a digit into the {field}.",
    "pattern": "Type the {field} in the form that is asked for.",
    "email": "Type the {field} like anna@example.org.",
    "phone": "Type the {field} with its country code, like +49 170 1234567.",
    "notInBlocklist": "Choose a less common {field}: this one is easily guessed.",
    "noPersonalWords": "Leave your name and address out of the {field}.",
    "equals": "Type the {field} the same as the {other}.",
    "asked": "Choose another {field}: this one cannot be taken.",
}


def wanted_length(rule, second_factor):
    if second_factor and "withSecondFactor" in rule:
        return rule["withSecondFactor"]
    return rule.get("length")


def is_kept(rule, typed, values, second_factor):
    text, kind = nfkc(typed), rule["rule"]
    if kind == "notEmpty":
        return any(map(is_visible, typed))
    if kind == "minLength":
        return len(text) >= wanted_length(rule, second_factor)
    if kind == "maxLength":
        return len(text) <= rule["length"]
    if kind == "symbol":
        return any(category(c)[0] in "PS" for c in text)
    if kind == "upperCase":
        return any(category(c) in ("Lu", "Lt") for c in text)
    if kind == "digit":
        return any(category(c) == "Nd" for c in text)
    if kind == "pattern":
        return pattern_matches(rule["pattern"], text)
    if kind == "email":
        return is_email(typed)
    if kind == "phone":
        return is_phone(typed)
    if kind == "notInBlocklist":
        return not in_blocklist(text)
    if kind == "noPersonalWords":
        return not any(holds_personal_words(text, values[f]) for f in rule["fields"] if f in values)
    if kind == "equals":
        return nfkc(values[rule["field"]]) == text
    raise ValueError(kind)


def outcome(rule, typed, values, second_factor, answers):
    if typed == "":
        return "unsatisfied"
    if is_overlong(typed):
        return "satisfied" if rule["rule"] in ("notEmpty", "minLength") else "unsatisfied"
    if rule["rule"] == "asked":
        answer = answers.get(rule["question"])
        return "pending" if answer is None else "satisfied" if answer else "unsatisfied"
    return "satisfied" if is_kept(rule, typed, values, second_factor) else "unsatisfied"


def filled(text, rule, label, labels, second_factor):
    if "length" in rule:
        text = text.replace("{length}", str(wanted_length(rule, second_factor)))
    if "field" in rule:
        text = text.replace("{other}", labels.get(rule["field"], rule["field"]))
    return text.replace("{field}", label)


def evaluate(rules, label, labels, typed, values, second_factor, answers):
    results = []
    for rule in rules:
        if rule["rule"] == "equals" and rule["field"] not in values:
            continue
        results.append(
            {
                "rule": rule["rule"],
                "advice": rule.get("advice", False),
                "outcome": outcome(rule, typed, values, second_factor, answers),
                "statement": filled(
                    rule.get("statement", STATEMENTS[rule["rule"]]),
                    rule,
                    label,
                    labels,
                    second_factor,
                ),
                "message": filled(
                    rule.get("message", MESSAGES[rule["rule"]]), rule, label, labels, second_factor
                ),
            }
        )
    counting = [r for r in results if not r["advice"]]
    kept = sum(r["outcome"] == "satisfied" for r in counting)
    state = "empty" if typed == "" else "valid" if kept == len(counting) else "invalid"
    return {"state": state, "satisfied": kept, "total": len(counting), "results": results}


# MARK: Presets


def rule(kind, **more):
    return {"rule": kind, **more}


PASSWORDS = {
    "standard": [
        rule("minLength", length=15, withSecondFactor=8),
        rule("maxLength", length=256),
        rule("notInBlocklist"),
        rule("noPersonalWords", fields=["name", "email"]),
        rule("upperCase", advice=True),
        rule("digit", advice=True),
        rule("symbol", advice=True),
    ],
    "seed-a": [rule("minLength", length=8), rule("digit"), rule("symbol")],
    "seed-c": [rule("notEmpty"), rule("minLength", length=4), rule("symbol"), rule("upperCase")],
    "seed-e": [rule("notEmpty")],
}


def preset(name):
    def field(name, label, rules, required=True, secret=False):
        rules = [
            {**r, "statement": STATEMENTS[r["rule"]], "message": MESSAGES[r["rule"]]} for r in rules
        ]
        return {
            "name": name,
            "label": label,
            "required": required,
            "secret": secret,
            "rules": rules,
        }

    return {
        "name": name,
        "version": 1,
        "fields": [
            field("name", "name", [rule("notEmpty"), rule("maxLength", length=100)]),
            field("email", "e-mail address", [rule("email")]),
            field("phone", "phone number", [rule("phone")], required=False),
            field("password", "password", PASSWORDS[name], secret=True),
            field("passwordAgain", "repetition", [rule("equals", field="password")], secret=True),
        ],
    }


PRESETS = [preset(name) for name in PASSWORDS]

# MARK: Vectors

VECTORS = []


def typed_text(value):
    if isinstance(value, list):
        return "".join(map(typed_text, value))
    return value if isinstance(value, str) else value["repeat"] * value["times"]


def add(
    about,
    value,
    rules=None,
    label="password",
    preset=None,
    field=None,
    values=None,
    second_factor=False,
    answers=None,
):
    vector = {"about": about}
    labels = {}
    if preset:
        rules_set = next(p for p in PRESETS if p["name"] == preset)
        labels = {f["name"]: f["label"] for f in rules_set["fields"]}
        declaration = next(f for f in rules_set["fields"] if f["name"] == field)
        rules, label = declaration["rules"], declaration["label"]
        vector |= {"preset": preset, "field": field}
    else:
        vector |= {"label": label, "rules": rules}
    vector["value"] = value
    if values is not None:
        vector["values"] = values
    if second_factor:
        vector["secondFactor"] = True
    if answers is not None:
        vector["answers"] = answers
    vector["expect"] = evaluate(
        rules, label, labels, typed_text(value), values or {}, second_factor, answers or {}
    )
    VECTORS.append(vector)


def each(about, rules, values, **more):
    for value in values:
        add(about, value, rules if isinstance(rules, list) else [rules], **more)


def repeat(text, times):
    return {"repeat": text, "times": times}


EVERY_LENGTH = [
    rule("notEmpty"),
    rule("minLength", length=15),
    rule("maxLength", length=4096),
    rule("symbol"),
    rule("pattern", pattern="x*"),
    rule("notInBlocklist"),
]


def lengths():
    for count in (1, 7, 8, 14, 15, 16):
        add("letters", "abcdefghijklmnop"[:count], [rule("minLength", length=15)])
    for count in (7, 8, 14, 15):
        add(
            "with a second factor",
            "abcdefghijklmnop"[:count],
            [rule("minLength", length=15, withSecondFactor=8)],
            second_factor=True,
        )
        add(
            "no second factor",
            "abcdefghijklmnop"[:count],
            [rule("minLength", length=15, withSecondFactor=8)],
        )
    add(
        "a second factor changes only a rule with withSecondFactor",
        "abcdefgh",
        [rule("minLength", length=15)],
        second_factor=True,
    )
    samples = {
        "decomposed é counts as one": "e\u0301",
        "film clapper counts as one": "🎬",
        "a family counts as five": "👨\u200d👩\u200d👧",
        "a ligature counts as two": "\ufb01",
        "one sign of blessing counts as eighteen": "\ufdfa",
        "a flag counts as two": "🇩🇪",
        "three jamo count as one": "\u1112\u1161\u11ab",
        "a syllable counts as one": "한",
        "full-width letters count as one": "ａ",
        "a half-width kana with its mark counts as one": "ｶ\uff9e",
        "a space counts": " ",
        "a zero-width space counts": "\u200b",
        "a right-to-left letter counts": "ש",
        "a right-to-left mark counts": "\u202e",
        "NUL counts": "\0",
        "a mark that does not compose counts": "q\u0323\u0301",
        "the ohm sign counts as one": "\u2126",
        "a skin tone counts": "👍🏽",
        "an ellipsis counts as three": "…",
        "a keycap counts as three": "1\ufe0f\u20e3",
        "a letter beyond the first plane counts as one": "𝔉",
        "a fraction counts as three": "½",
        "an ideograph that normalises counts as one": "\uf900",
        "an emoji counts as one": "🥨",
        "dotted capital I": "İ",
        "marks are put in order": "a\u0323\u0307",
        "marks in the other order": "a\u0307\u0323",
        "marks on a letter beyond the first plane": "\U00010041\u0323\u0307",
        "a digraph with marks": "\u01c4\u0323\u0307",
        "kana, accent and mark": "ｶ\u00b4\uff9e",
    }
    for about, text in samples.items():
        for count in (3, 4):
            add(about, text * count, [rule("minLength", length=4), rule("maxLength", length=4)])
        add(about + ", alone", text, [rule("minLength", length=2), rule("maxLength", length=3)])
    for count in (255, 256, 257):
        for text in ("x", "é", "e\u0301", "🎬", "\ufb01"):
            add("at the maximum length", repeat(text, count), [rule("maxLength", length=256)])
    for text, count in (
        ("x", 4_096),
        ("x", 4_097),
        ("x", 16_385),
        ("🎬", 4_096),
        ("🎬", 4_097),
        ("é", 8_193),
        ("\ufdfa", 227),
        ("\ufdfa", 228),
        ("e\u0301", 4_096),
        ("e\u0301", 4_097),
        ("q\u0323\u0301", 1_365),
        ("x" + "\u0301" * 30, 3),
        ("👩\u200d" * 40, 1),
    ):
        add("at the limits of every evaluation", repeat(text, count), EVERY_LENGTH)
    for marks in (
        ["x", repeat("\u0301", 31)],
        ["x", repeat("\u0301", 16), repeat("\u0323", 14)],
        ["x", repeat("\u0301", 16), repeat("\u0323", 15)],
        ["\u0e01", repeat("\u0e34", 31)],
        [repeat("x" + "\u0301" * 30, 9), "\u0301"],
        [repeat("\ufe0f", 31)],
        ["ｶ", repeat("\uff9e", 30)],
        ["ｶ", repeat("\uff9e", 31)],
        [repeat("x", 20), repeat("\u0301\u0323", 16)],
    ):
        add("at the maximum of marks in a row", marks, EVERY_LENGTH)
        add(
            "a name with many marks",
            "x\u0301\u0301\u0301 is here",
            [rule("noPersonalWords", fields=["name"])],
            values={"name": typed_text(marks)[:30]},
        )


def characters():
    each(
        "visible characters",
        rule("notEmpty"),
        [
            "",
            " ",
            "\t",
            "\n",
            "\r\n",
            "\u00a0",
            "\u3000",
            "\u2003",
            "\u2028",
            "\u2029",
            "\u200b",
            "\u200d",
            "\ufeff",
            "\u00ad",
            "\u034f",
            "\u115f",
            "\u3164",
            "\uffa0",
            "\ufe0f",
            "\u180e",
            "\u2060",
            "\u202e",
            "\0",
            "\x1b",
            "\x7f",
            "\x85",
            "\U000e0061",
            "\U0001d173",
            "\u2800",
            "\u0301",
            " \u0301",
            "a",
            " a ",
            ".",
            "0",
            "ש",
            "语",
            "👩\u200d🚀",
            "\U0001f3fd",
            "\u00b4",
            "\u2061\u2062",
            "\u061c",
            "\u17b4",
            "\ue000",
            "\ufffd",
            "\u1160",
            "\u115f\u1160",
            "\U0001d159",
            "\u2800 \u2800",
            "\u2801",
            "\ufe00\U000e0100",
            "\u180b",
            "\u0301\u0308",
            "\u0e31",
            "\u093e",
            "\u20e3",
            "\u20dd",
            "\u2d7f",
            "\U00016fe4",
            "\u200d\u0301",
            "\u2800\u0301",
            "e\u0301",
            "\u0301e",
            "\u00a8",
            "\u00b8",
            "\u203e",
            "\uff9e",
            "\u309b",
            "\u3164a",
            "नि",
            "1\ufe0f\u20e3",
        ],
    )
    each(
        "symbols are P and S",
        rule("symbol"),
        [
            "a!",
            "a?",
            "a_",
            "a-",
            "a(",
            "a]",
            "a«",
            "a»",
            "a+",
            "a<",
            "a$",
            "a€",
            "a^",
            "a`",
            "a©",
            "a🎬",
            "a→",
            "a·",
            "a、",
            "a؟",
            "a՚",
            "a‰",
            "a•",
            "a§",
            "a¿",
            "a\u2044b",
            "a½",
            "a＄",
            "a﹏",
            "a‼",
            "a℃",
            "a☃",
            "a𝄞",
            "a\u20dd",
            "a™",
            "a²",
            "a①",
            "a´",
            "a¨",
            "aª",
            "a…",
            "a ",
            "a\u3000",
            "ab",
            "é",
            "e\u0301",
            "a1",
            "ש",
            "あ",
            "\u200d",
            "a\u202e",
            "a\0",
            "aⅣ",
            "a〇",
            "a々",
            "aー",
            "a゛",
            "a\u0e3f",
            "a\u1f3fd",
            "a\u02c2",
            "a\u0375",
        ],
    )
    each(
        "upper case is Lu and Lt",
        rule("upperCase"),
        [
            "aB",
            "ab",
            "É",
            "E\u0301",
            "é",
            "Ж",
            "ж",
            "Σ",
            "ς",
            "ǅ",
            "ǆ",
            "ᾈ",
            "ᾀ",
            "Ⅳ",
            "ⅳ",
            "Ａ",
            "ａ",
            "ℝ",
            "ℓ",
            "ª",
            "ß",
            "ẞ",
            "一",
            "ა",
            "Ა",
            "𝐀",
            "𝐚",
            "𐐀",
            "𐐨",
            "🅰",
            "Ⓐ",
            "ⓐ",
            "İ",
            "ı",
            "ש",
            "ا",
            "1",
            "!",
            "™",
            "℠",
            "㎒",
            "ﬁ",
            "Ꙋ",
            "Ա",
            "ա",
            "Ꭰ",
            "🇩🇪",
        ],
    )
    each(
        "digits are Nd",
        rule("digit"),
        [
            "a1",
            "a0",
            "a9",
            "a٣",
            "a۴",
            "a३",
            "a௧",
            "a๓",
            "a１",
            "a²",
            "a₂",
            "a½",
            "a①",
            "a⑩",
            "aⅣ",
            "a〇",
            "a一",
            "a𝟙",
            "a𝟿",
            "a፩",
            "a௰",
            "a①②",
            "a㊿",
            "a🄂",
            "a0\ufe0f\u20e3",
            "a",
            "é",
            "!",
            "a٪",
            "a\u0be6",
            "a𞥐",
            "a½x",
        ],
    )


def patterns():
    cases = [
        (r"[a-z]+", ["film", "film1", "1film", "Film", "film\n", "\nfilm", "ﬁlm", "ｆｉｌｍ"]),
        (r"\d{3}-\d{2,4}", ["123-45", "123-4567", "123-4", "12-45", "123-45678", "１２３-４５"]),
        (r"a|ab|abc", ["a", "ab", "abc", "abcd"]),
        (r"(?:ab)*c?", ["c", "abab", "ababc", "abb"]),
        (r"[^\d\-]+", ["film", "fi1m", "fi-m", "fi\nm"]),
        (r"a{2,3}", ["a", "aa", "aaa", "aaaa"]),
        (r"\p{Lu}\p{Ll}*", ["Ärger", "A\u0308rger", "Жизнь", "ärger", "Ä1", "𐐀𐐨"]),
        (r"[\p{L}\p{M} ]+", ["Анна Мария", "يوسف", "q\u0323", "Anna1", "李 小龍"]),
        (r".\..", ["a.b", "🎬.🎬", "a-b", "\n.a", "\u2028.a", "\u0085.a"]),
        (r"\w+|\(\)", ["a_1", "()", "ä", "(", "a-b"]),
        (r"(|a)(b|)", ["a", "b", "ab", "ba"]),
        (r"(a+)+b", ["aaab", "aaaa", "b"]),
        (r"[-a]+[b-]", ["-a-", "ab", "b"]),
        (r"\P{N}+", ["film", "film1", "film²"]),
        (r"[+*?.(){}|^$\\]+", ["+*?", "(){}|^$\\", "a"]),
        (r".{4}", ["🎬🎥🍿🎞", "👨\u200d👩\u200d", "abc", "e\u0301abc"]),
        (r"[À-ÿ]+", ["éà", "e\u0301", "ea"]),
        (r"\p{Sc}\d+", ["€5", "$10", "5€", "＄５"]),
        (r"\p{P}", ["!", "_", "+", "…"]),
        (r"\S+\s\S+", ["a b", "a\tb", "a\u2003b", "ab", "a  b"]),
        (r"[\s\S]*\n\W\D", ["\n-a", "a\n-a", "\n-1", "\naa"]),
        (r"a\tb\r", ["a\tb\r", "atbr"]),
        (r"[🎬-🎭]+", ["🎬🎭", "🎮", "🎬a"]),
    ]
    for pattern, values in cases:
        each("like " + pattern, rule("pattern", pattern=pattern), values)
    add(
        "a pattern that makes a backtracking engine slow",
        repeat("a", 60),
        [rule("pattern", pattern="[ab]*a[ab]{9}c?")],
    )


def addresses():
    each(
        "e-mail",
        rule("email"),
        [
            "anna@example.org",
            "a@b.co",
            "Anna.Maria+film@mail.example.co.uk",
            "o'hara@example.org",
            "x_y-z@xn--bcher-kva.example",
            "1@2.3x",
            "a" * 64 + "@example.org",
            "a" * 65 + "@example.org",
            "anna@" + "b" * 63 + ".org",
            "anna@" + "b" * 64 + ".org",
            "a@" + "abc." * 60 + "example.org",
            "a@" + "abc." * 61 + "example.org",
            "!#$%&'*+/=?^_`{|}~-@a.b",
            "anna",
            "anna@",
            "@example.org",
            "anna@example",
            "anna@@example.org",
            "anna@exa mple.org",
            " anna@example.org",
            "anna@example.org ",
            "anna@example.org\n",
            "\nanna@example.org",
            "x anna@example.org y",
            "anna@example.org\0",
            ".anna@example.org",
            "anna.@example.org",
            "an..na@example.org",
            "anna@.example.org",
            "anna@example..org",
            "anna@example.org.",
            "anna@-example.org",
            "anna@example-.org",
            "anna@exa--mple.org",
            "änna@example.org",
            "anna@exämple.org",
            "ａnna@example.org",
            "anna＠example.org",
            "anna@example．org",
            "anna@example.org,ben@example.org",
            '"anna"@example.org',
            "<anna@example.org>",
            "anna@[127.0.0.1]",
            "anna@127.0.0.1",
            "anna\u202e@example.org",
            "anna\u200b@example.org",
            "anna@example.org'; DROP TABLE account;--",
            "anna@e_xample.org",
            "ſ@example.org",
            "anna@example.ﬁ",
            "שלום@example.org",
        ],
        label="e-mail address",
    )
    each(
        "phone",
        rule("phone"),
        [
            "+491701234567",
            "+49 170 1234567",
            "+1 (555) 123-4567",
            "+1.555.123.4567",
            "+1234567",
            "+123456",
            "+123456789012345",
            "+1234567890123456",
            "491701234567",
            "0170 1234567",
            "00491701234567",
            "+0491701234567",
            "+49 (0)170 1234567",
            "+49 (0) 170 1234567",
            "+",
            "++491701234567",
            "+49170+1234567",
            "+49 170 123456x",
            " +491701234567",
            "+491701234567 ",
            "+491701234567\n",
            "＋491701234567",
            "+４９1701234567",
            "+٤٩1701234567",
            "+49/1701234567",
            "+ 491701234567",
            "(+49)1701234567",
            "+49--170..1234567",
            "+49\u00a01701234567",
            "+49 170 1234567" + " " * 60,
            "+" + "(" * 10 + "1234567",
        ],
        label="phone number",
    )


def common():
    each(
        "the blocklist",
        rule("notInBlocklist"),
        [
            "passwordpassword",
            "Password Password",
            "PASSWORD-PASSWORD",
            "p@ssw0rdp@ssw0rd",
            "password12345678",
            "password1",
            "password",
            "P@$$w0rd-20242024!",
            "passw0rd!!!!!!!!",
            "correct horse battery staple",
            "Correct-Horse-Battery-Staple",
            "correcthorsebattery",
            "qwertyuiopasdfghjkl",
            "qwertyuiopasdfg",
            "1qaz2wsx3edc4rfv",
            "1q2w3e4r5t6y7u8i",
            "123456789012345",
            "1234567890123456",
            "98765432109876543",
            "aaaaaaaaaaaaaaaa",
            "aa",
            "a",
            "abcdefghijklmnop",
            "zyxwvutsrqponmlk",
            "ab",
            "ba",
            "ace",
            "filmfilmfilmfilm",
            "filmfilmfi",
            "film film fi",
            "фильмфильмфильм",
            "абвгдежзийклмно",
            "窓窓窓窓窓窓窓窓",
            "🎬🎬🎬🎬🎬🎬",
            "iloveyouforever",
            "I Love You Forever!",
            "ＰＡＳＳＷＯＲＤｐａｓｓｗｏｒｄ",
            "passwordpasswor\u212a",
            "My password is password",
            "maytheforcebewithyou1977",
            "may the force be with you",
            "!!!passwordpassword!!!",
            "1234passwordpassword5678",
            "123456789passwort123456789",
            "password of the lighthouse keeper",
            "a quiet evening with films",
            "four friends at the movies",
            "k84h2m9qw7r5t1x",
            "Der Fluss fließt nach Norden",
            "窓の外に雨が降っている静かな夜",
            "abcdefghijklmnoq",
            "aaaaaaaaaaaaaaab",
            "abcdefghijklmnoabcdefghijklmno",
            "abcdefghijklmnabcdefghijklmn",
            "ÄÄÄÄÄÄÄÄ",
            "a\u0308äa\u0308ä",
            "20202021202220232020",
            "20242025202620272028",
            "qwertzuiopasdfghj",
            "azertyuiopqsdfg",
            "____----....,,,,",
            "  ",
            ".",
            " " * 15,
            "\u00a0" * 15,
            "-" * 15,
            "." * 15,
            "._-, " * 3,
            "\u2003 \uff3f\uff0e\u00a0",
            "-a-",
            "- -\t- -",
            "pa.ss wo-rd_pass,word",
            "pass/word/pass/word",
            "0123456789012345",
            "ichliebedich1984",
            "ich liebe dich 1984",
            "letmeinpassword1!",
            "monkeydragon1234567",
            "ςσσσσσσσ",
            "ΣΣΣσσσσσ",
            "İİİİİİİİ",
            "i\u0307i\u0307i\u0307i\u0307",
        ],
    )
    people = {"name": "Anna-Maria Weiß", "email": "film.freak+tv@example.org"}
    cases = [
        "four friends of anna here",
        "four friends of ANNA here",
        "four friends of Ａｎｎａ here",
        "a n n a is not found apart",
        "mariachi all night long",
        "weiss is not weiß",
        "WEIẞ ist hier",
        "weiße segel am morgen",
        "the filmy freak tvs",
        "film.freak+tv is me",
        "filmfreak and more",
        "example.org is no secret",
        "tv",
        "+tv",
        "an na ma ri a",
        "Ann and Mari",
        "ANNAMARIA",
        "anna-maria",
        "quiet evening",
    ]
    for value in cases:
        add(
            "words of Anna-Maria Weiß, film.freak+tv",
            value,
            [rule("noPersonalWords", fields=["name", "email"])],
            values=people,
        )
        add("the name alone", value, [rule("noPersonalWords", fields=["name"])], values=people)
    for name, value in [
        ("Bo", "bo is too short"),
        ("Ben", "ben is a name"),
        ("Ben", "benches"),
        ("Бен", "бен бен бен"),
        ("Юлия", "привет ЮЛИЯ привет"),
        ("李小龍", "李小龍 李小龍"),
        ("李 小龍 先生", "李 小龍 先生 です"),
        ("José", "jose\u0301 of the sea"),
        ("Jose\u0301", "JOSÉ of the sea"),
        ("Jose", "josé of the sea"),
        ("A.B", "a.b is whole"),
        ("A.BC", "my a.bc is it"),
        ("", "nothing is found"),
        ("    ", "    nothing"),
        ("@anna", "anna is behind the sign"),
        ("\u202eanna\u202c", "anna again"),
        ("ﬁlm", "a FILM a day"),
        ("Σίσυφος", "ΣΊΣΥΦΟΣ"),
        ("İpek", "i\u0307pek is here"),
        ("o'hara", "o'hara"),
        ("o'h", "o'hara"),
        ("R2-D2", "r2-d2!"),
        ("नमिता", "नमिता है"),
        ("1984", "born 1984 here"),
        ("Anna Anna", "anna"),
    ]:
        add(
            f"words of {name}",
            value,
            [rule("noPersonalWords", fields=["name"])],
            values={"name": name},
        )
    eve = {"name": "Eve", "email": "eve@example.org"}
    for value in (
        "eve@example.org",
        "EVE@Example.org and more",
        "\uff45ve\uff20example.org",
        "eve at example",
        "the film is for Eve",
        "example.org alone",
        "eve example.org",
        "eve@example",
        "ev e@example.org",
    ):
        for field in eve:
            add(
                f"the whole {field} of Eve",
                value,
                [rule("noPersonalWords", fields=[field])],
                values=eve,
            )
    for email, value in [
        ("e@x.y", "my e@x.y it is"),
        ("@@a@@", "a@@a"),
        ("a@", "a@ and a"),
        ("+e@x.y+", "e@x.y"),
    ]:
        add(
            f"the whole of {email}",
            value,
            [rule("noPersonalWords", fields=["email"])],
            values={"email": email},
        )
    add(
        "no words of a field that the form lacks",
        "anna is here",
        [rule("noPersonalWords", fields=["name"])],
        values={},
    )


def others():
    same = [rule("equals", field="password")]
    for value, other in [
        ("film", "film"),
        ("film", "Film"),
        ("film", "film "),
        ("caf\u00e9", "cafe\u0301"),
        ("ﬁlm", "film"),
        ("ＡＢ", "AB"),
        ("\u212b", "\u00c5"),
        ("film\0", "film"),
        ("", ""),
        ("film", ""),
        ("", "film"),
        ("한", "\u1112\u1161\u11ab"),
        ("שלום", "שלום"),
        ("a\u0323\u0307", "a\u0307\u0323"),
        ("👍🏽", "👍"),
        ("ß", "ss"),
        ("①", "1"),
        ("a\U00010041\u0323", "a\U00010041"),
        ("a\U00010041\u0323", "\u1ea0a"),
        ("\u200bfilm", "film"),
    ]:
        add("typed twice", value, same, label="repetition", values={"password": other})
    add("a form without the other field", "film", same, values={})
    add("a form without the other field, empty", "", same, values={})
    asked = [rule("email"), rule("asked", question="free")]
    for value in ("anna@example.org", "anna", ""):
        for answers in ({}, {"free": True}, {"free": False}, {"other": True}):
            add("the answer of a question", value, asked, label="e-mail address", answers=answers)
    own = [
        rule("minLength", length=4, message="{field}, {length}, {field}"),
        rule("equals", field="email", message="{other} = {field}"),
        rule("digit", message="{length} {other} {unknown}", advice=True),
    ]
    stated = [
        rule("maxLength", length=9, statement="{length} or fewer in the {field}"),
        rule("equals", field="email", statement="{other}, once more"),
        rule("pattern", pattern="[A-Z]{2}", statement="two letters", message="Type two."),
    ]
    for label in ("password", "{length}", "пароль", "{field}"):
        add("custom messages", "abc", own, label=label, values={"email": "x"})
        add("custom statements", "AB", stated, label=label, values={"email": "AB"})
    for value in ("", "a", "a1", "a1!", "A1!", "    "):
        add(
            "advice does not count",
            value,
            [rule("digit"), rule("symbol", advice=True), rule("upperCase", advice=True)],
        )
        add("advice alone", value, [rule("digit", advice=True)])
        add("no rules at all", value, [])
    for value in ("abc", "abcdefgh1", "ABCDEFGH1!", "ÀÉÎÕÜ١٢٣!?"):
        add(
            "many rules",
            value,
            [
                rule("notEmpty"),
                rule("minLength", length=8),
                rule("maxLength", length=12),
                rule("symbol"),
                rule("upperCase"),
                rule("digit"),
                rule("pattern", pattern=r"[\p{L}\p{N}!?]+"),
            ],
        )


def presets():
    people = {"name": "Anna", "email": "anna.k@example.org"}
    passwords = [
        "",
        "x",
        "abc",
        "Abc!",
        "Ab!",
        "abc!",
        "ABCD",
        "abcdef1!",
        "abcdefg1",
        "abcdefg!",
        "1234567!",
        "short enough",
        "fourteen chars",
        "fifteen  chars!",
        "a quiet evening with films",
        "Ein Abend, 3 Filme!",
        "anna at the movies",
        "my anna.k password here",
        "passwordpassword",
        "correct horse battery staple",
        "🎬🎥🍿🎞📽🎭🎼🎹🥁🎷🎺🎸🎻🎤🎧",
        "👨\u200d👩\u200d👧👨\u200d👩\u200d👦👩\u200d👩\u200d👧",
        "               ",
        "ﬁlmabend im cafe\u0301",
        "１２３４５６７８!",
        "пароль для вечера кино",
    ]
    for name in PASSWORDS:
        for value in passwords:
            add(f"passwords of {name}", value, preset=name, field="password", values=people)
    for value in ("k84h2m9", "k84h2m9q", "password", "p@ssw0rd", "aaaaaaaa"):
        add(
            "standard with a second factor",
            value,
            preset="standard",
            field="password",
            values=people,
            second_factor=True,
        )
    for count in (256, 257):
        add(
            "standard at the maximum length",
            repeat("é☃", count // 2) if count == 256 else repeat("x", count),
            preset="standard",
            field="password",
            values=people,
        )
    for field, values in {
        "name": [
            "",
            "Anna",
            " ",
            "\u200b",
            "\u2800",
            "\u3164",
            "\u0301",
            "李",
            "x" * 100,
            "x" * 101,
        ],
        "email": ["", "anna@example.org", "anna", "anna@example.org "],
        "phone": ["", "+491701234567", "0170 1234567"],
    }.items():
        for value in values:
            add(f"{field} of standard", value, preset="standard", field=field)
    for name in PASSWORDS:
        for value in ("", "film", "films"):
            add(
                f"repetition of {name}",
                value,
                preset=name,
                field="passwordAgain",
                values={"password": "film"},
            )


def main():
    for part in (lengths, characters, patterns, addresses, common, others, presets):
        part()
    print(f"{len(VECTORS)} vectors", file=sys.stderr)
    print(f'{{"format": {FORMAT},')
    print('"presets": [')
    print(",\n".join(json.dumps(p) for p in PRESETS))
    print('],\n"vectors": [')
    print(",\n".join(json.dumps(v) for v in VECTORS))
    print("]}")


main()
