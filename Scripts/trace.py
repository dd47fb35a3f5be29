"""Lists each requirement beside the tests that prove it, by face; fails where a face has none.

Requirements: docs/requirements.md, lines "- **A1** (library, terminal, page) …".
Faces that are not built yet: docs/not-built-yet.txt, lines "A1 page".
Tests carry IDs at the beginning of their display names: @Test("E12 E17 · a failed step is
reported"). The tests of the page are Python's: @proves("E8 E9 · watches a film"). A test of the
command line, of a view or of the shell is of the terminal; a test that starts a whole controller is
so only where it runs `theater` itself or types at a terminal.
The checks of Scripts/test-examples carry IDs in their docstrings; they are of the library.
Each promise of docs/security.md stands beside the name of its test in “quotation marks”, without
IDs; each such test must exist.
"""

import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
all_faces = ("library", "terminal", "page")
# Parts of `theater` that have no face: they run in the controller.
controller_folders = ("Backups", "Serve")
runs_theater = re.compile(r"\.(?:theater|expect|json|titles|device|atTerminal|serveAgain)\(|Terminal\(|Program\.run\(")

requirement = re.compile(r"^- \*\*([A-F]\d+[a-z]?)\*\* \(([a-z, ]+)\) (.+)$", re.MULTILINE)
any_requirement = re.compile(r"^- \*\*([A-F]\d+[a-z]?)\*\*", re.MULTILINE)
test_name = re.compile(r'@(?:Test|proves)\(\s*"(?:((?:[A-F]\d+[a-z]? )+)· )?((?:[^"\\\n]|\\.)+)"')
example_check = re.compile(r'^    """((?:[A-F]\d+[a-z]? )+)· (.+)"""$', re.MULTILINE)


def read(path):
    return (root / path).read_text()


def face(file, body):
    """The face that a test with this body shows."""
    target, folder = file.parts[1:3]
    if target == "PageTests":
        return "page"
    if target == "TheaterTests" and folder not in controller_folders:
        return "terminal"
    return "terminal" if target == "EndToEndTests" and runs_theater.search(body) else "library"


def tests():
    """Each test's IDs, name, face and file."""
    folder = root / "Tests"
    for path in sorted([*folder.rglob("*.swift"), *folder.glob("PageTests/test_*.py")]):
        file = path.relative_to(root)
        text = path.read_text()
        matches = list(test_name.finditer(text))
        ends = [match.start() for match in matches[1:]] + [len(text)]
        for match, end in zip(matches, ends):
            yield match[1].split() if match[1] else [], match[2], face(file, text[match.end():end]), file
    for identifiers, name in example_check.findall(read("Scripts/test-examples")):
        yield identifiers.split(), name, "library", pathlib.Path("Scripts/test-examples")


def not_built_yet():
    """The pairs of ID and face in docs/not-built-yet.txt."""
    lines = (line.split("#")[0].split() for line in read("docs/not-built-yet.txt").splitlines())
    return {(words[0], " ".join(words[1:])) for words in lines if words}


def main():
    text = read("docs/requirements.md")
    requirements = {
        identifier: (named.split(", "), line) for identifier, named, line in requirement.findall(text)
    }
    pending = not_built_yet()
    proofs, names = {}, set()
    for identifiers, name, face, file in tests():
        names.add(name)
        for identifier in identifiers:
            proofs.setdefault((identifier, face), []).append(f"{name} ({file})")

    problems = [
        f"docs/requirements.md: {identifier} names no faces in parentheses"
        for identifier in any_requirement.findall(text) if identifier not in requirements
    ]
    wanted = set()
    for identifier, (named, line) in requirements.items():
        print(f"{identifier}  {line}")
        for face in named:
            if face not in all_faces:
                problems.append(f"docs/requirements.md: {identifier}: there is no face \"{face}\"")
            wanted.add((identifier, face))
            found = proofs.get((identifier, face), [])
            state = " (not built yet)" if (identifier, face) in pending else ""
            print(f"  {face}{state}")
            for proof in found:
                print(f"    {proof}")
            if not found and not state:
                problems.append(f"{identifier} has no test of the {face}")
            if found and state:
                problems.append(
                    f"{identifier} is proven for the {face} but stands in docs/not-built-yet.txt")
    problems += [
        f"{identifier} is proven but is no requirement"
        for identifier in sorted({i for i, _ in proofs} - requirements.keys())
    ]
    problems += [
        f"docs/not-built-yet.txt: no requirement is wanted as \"{identifier} {face}\""
        for identifier, face in sorted(pending - wanted)
    ]
    promised = re.findall(r"“([^”]+)”", " ".join(read("docs/security.md").split()))
    problems += [
        f"docs/security.md: there is no test “{name}”"
        for name in promised if name not in names and name != "quotation marks"
    ]

    for problem in problems:
        print(f"trace: {problem}", file=sys.stderr)
    for face in all_faces:
        total = sum(1 for _, wanted_face in wanted if wanted_face == face)
        open_count = sum(1 for _, open_face in pending if open_face == face)
        print(f"trace: {face}: {total - open_count} of {total} requirements proven")
    return 1 if problems else 0


sys.exit(main())
