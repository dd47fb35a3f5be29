"""Lists each requirement beside the tests that prove it; fails where one has none.

Requirements: docs/requirements.md, lines "- **A1** …". Parts that are not built yet:
docs/not-built-yet.txt, an ID a line. Tests carry IDs at the beginning of their display names:
@Test("E12 E17 · a failed step is reported"). What docs/security.md promises stands beside names of
tests in “quotation marks”, without their IDs; each must be there.
"""

import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
requirement = re.compile(r"^- \*\*([A-F]\d+)\*\* (.+)$", re.MULTILINE)
test_name = re.compile(r'@Test\(\s*"((?:[A-F]\d+ )+)· ([^"\n]+)', re.MULTILINE)

any_test_name = re.compile(r'@Test\(\s*"(?:(?:[A-F]\d+ )+· )?((?:[^"\\\n]|\\.)+)"')


def promises_without_test():
    """The names of tests in docs/security.md that no test has."""
    names = {name for path in (root / "Tests").rglob("*.swift")
             for name in any_test_name.findall(path.read_text())}
    text = " ".join((root / "docs/security.md").read_text().split())
    return [name for name in re.findall(r"“([^”]+)”", text)
            if name not in names and name != "quotation marks"]


def proofs():
    found = {}
    for path in sorted((root / "Tests").rglob("*.swift")):
        for match in test_name.finditer(path.read_text()):
            for identifier in match.group(1).split():
                found.setdefault(identifier, []).append(
                    f"{match.group(2)} ({path.relative_to(root)})")
    return found


def main():
    requirements = dict(requirement.findall((root / "docs/requirements.md").read_text()))
    pending = {
        line.split("#")[0].strip()
        for line in (root / "docs/not-built-yet.txt").read_text().splitlines()
    } - {""}
    proven = proofs()
    for identifier, text in requirements.items():
        state = " (not built yet)" if identifier in pending else ""
        print(f"{identifier}{state}  {text}")
        for proof in proven.get(identifier, []):
            print(f"    {proof}")
    problems = [f"{i} has no test" for i in requirements if i not in proven and i not in pending]
    problems += [f"{i} is proven but stands in docs/not-built-yet.txt"
                 for i in sorted(pending) if i in proven]
    problems += [f"{i} is proven but is no requirement" for i in proven if i not in requirements]
    problems += [f"docs/not-built-yet.txt: {i} is no requirement"
                 for i in sorted(pending) if i not in requirements]
    problems += [f"docs/security.md: there is no test “{name}”"
                 for name in promises_without_test()]
    for problem in problems:
        print(f"trace: {problem}", file=sys.stderr)
    count = len(requirements) - len(pending)
    print(f"trace: {count} requirements proven, {len(pending)} not built yet")
    return 1 if problems else 0


sys.exit(main())
