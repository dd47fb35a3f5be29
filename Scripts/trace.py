"""Lists each requirement beside the tests that prove it, by front end; fails where one has no test.

Requirements: docs/requirements.md, lines "- **A1** (library, terminal, page) …".
Front ends of requirements that are not built yet: docs/not-built-yet.txt, lines "A1 page".
Tests carry IDs at the beginning of their display names: @Test("E12 E17 · a failed step is
reported"). Each test is a proof for one front end:
- the page: the tests in PageTests, which are written in Python: @proves("E8 E9 · watches a film");
- the terminal: the tests in TheaterTests that drive a screen, and those in EndToEndTests that run
  `theater` itself or type at a terminal;
- the library: all other tests, and the checks of Scripts/test-examples, which carry IDs in their
  docstrings.
Each promise of docs/security.md stands beside the name of its test in “quotation marks”, without
IDs; each such test must exist.
"""

import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
all_front_ends = ("library", "terminal", "page")
# A line that is no requirement of this version.
later = "later"
runs_theater = re.compile(
    r"\b(?!Self\b)\w+\.(?:theater|expect|json|atTerminal|serveAgain)\("
    r"|\bTerminal\(|elsewhere\.run\("
)
drives_screen = re.compile(
    r"\bViewHarness\b|\bvar harness = |Program\.products\.append\w*\((?:path: )?\"theater\"\)"
)
# Folders of TheaterTests that test parts of the controller.
controller_folders = ("Backups", "Serve")

# `N-` stands before a fault that must be absent.
identifier_pattern = r"(?:N-)?[A-F]\d+[a-z]?"
requirement = re.compile(rf"^- \*\*({identifier_pattern})\*\* \(([a-z, ]+)\) (.+)$", re.MULTILINE)
any_requirement = re.compile(rf"^- \*\*({identifier_pattern})\*\*", re.MULTILINE)
test_name = re.compile(
    rf'@(?:Test|proves)\(\s*"(?:((?:{identifier_pattern} )+)· )?((?:[^"\\\n]|\\.)+)"'
)
example_check = re.compile(rf'^    """((?:{identifier_pattern} )+)· (.+)"""$', re.MULTILINE)


def read(path):
    return (root / path).read_text()


def front_end_of(file, body):
    """Returns the front end for which a test with this body is a proof."""
    target, folder = file.parts[1:3]
    if target == "PageTests":
        return "page"
    if target == "TheaterTests" and folder in controller_folders:
        return "library"
    signs = {"TheaterTests": drives_screen, "EndToEndTests": runs_theater}.get(target)
    return "terminal" if signs and signs.search(body) else "library"


def tests():
    """Yields the IDs, the name, the front end and the file of each test."""
    folder = root / "Tests"
    for path in sorted([*folder.rglob("*.swift"), *folder.glob("PageTests/test_*.py")]):
        file = path.relative_to(root)
        text = path.read_text()
        if path.suffix == ".py":
            # Literals that follow each other are one text in Python.
            text = re.sub(r'"\s*\n\s*"', "", text)
        matches = list(test_name.finditer(text))
        ends = [match.start() for match in matches[1:]] + [len(text)]
        # A file without a test has an end all the same.
        for match, end in zip(matches, ends, strict=False):
            body = text[match.end() : end]
            # Without the helpers that follow the function.
            if path.suffix == ".swift" and (closing := re.search(r"^  \}$", body, re.MULTILINE)):
                body = body[: closing.start()]
            front_end = front_end_of(file, body)
            yield match[1].split() if match[1] else [], match[2], front_end, file
    for identifiers, name in example_check.findall(read("Scripts/test-examples")):
        yield identifiers.split(), name, "library", pathlib.Path("Scripts/test-examples")


def not_built_yet():
    """Returns the pairs of ID and front end in docs/not-built-yet.txt."""
    lines = (line.split("#")[0].split() for line in read("docs/not-built-yet.txt").splitlines())
    return {(words[0], " ".join(words[1:])) for words in lines if words}


def main():
    text = read("docs/requirements.md")
    requirements = {
        identifier: (named.split(", "), line)
        for identifier, named, line in requirement.findall(text)
    }
    pending = not_built_yet()
    proofs, names = {}, set()
    for identifiers, name, front_end, file in tests():
        names.add(name)
        for identifier in identifiers:
            proofs.setdefault((identifier, front_end), []).append(f"{name} ({file})")

    problems = [
        f"docs/requirements.md: {identifier} names no front ends in parentheses"
        for identifier in any_requirement.findall(text)
        if identifier not in requirements
    ]
    wanted = set()
    for identifier, (named, line) in requirements.items():
        print(f"{identifier}  {line}")
        for front_end in named:
            if front_end == later:
                continue
            if front_end not in all_front_ends:
                problems.append(
                    f'docs/requirements.md: {identifier}: there is no front end "{front_end}"'
                )
            wanted.add((identifier, front_end))
            found = proofs.get((identifier, front_end), [])
            state = " (not built yet)" if (identifier, front_end) in pending else ""
            print(f"  {front_end}{state}")
            for proof in found:
                print(f"    {proof}")
            if not found and not state:
                problems.append(f"{identifier} has no test of the {front_end}")
            if found and state:
                problems.append(
                    f"{identifier} is proven for the {front_end} "
                    "but stands in docs/not-built-yet.txt"
                )
    problems += [
        f"tests name {identifier}, which docs/requirements.md does not contain"
        for identifier in sorted({i for i, _ in proofs} - requirements.keys())
    ]
    problems += [
        f'docs/not-built-yet.txt: no requirement names "{identifier} {front_end}"'
        for identifier, front_end in sorted(pending - wanted)
    ]
    promised = re.findall(r"“([^”]+)”", " ".join(read("docs/security.md").split()))
    problems += [
        f"docs/security.md: there is no test “{name}”"
        for name in promised
        if name not in names and name != "quotation marks"
    ]

    for problem in problems:
        print(f"trace: {problem}", file=sys.stderr)
    for front_end in all_front_ends:
        total = sum(1 for _, each in wanted if each == front_end)
        proven = sum(1 for pair in wanted if pair[1] == front_end and pair in proofs)
        print(f"trace: {front_end}: {proven} of {total} requirements proven")
    return 1 if problems else 0


sys.exit(main())
