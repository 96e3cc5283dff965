"""Print the lowest versions that pyproject.toml allows, as pip constraints.

`make test-lowest` installs them and runs the fast suite, so that the lower bounds are true.  What
bestofk needs and offers is pinned to its lower bound; the tools of the tests are pinned as in
constraints.txt; what others need is left to them (lowest-direct, as uv calls it).
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
TOOLS = ("dev", "dev-heavy", "docs")  # extras for working on bestofk itself
REQUIREMENT = re.compile(r"([\w.-]+)(?:\[[\w,.-]*\])?(?:>=([\w.]+))?(?:\s*;.*)?")


def bounds(requirements: list[str]) -> dict[str, str]:
    """Return the lower bound of each requirement by its normalised name."""
    found = {}
    for text in requirements:
        match = REQUIREMENT.fullmatch(text)
        assert match, f"{text!r} must be a name and a lower bound"
        name = re.sub(r"[-_.]+", "-", match[1]).lower()
        if name != "bestofk":
            assert match[2], f"{text!r} needs a lower bound"
            found[name] = match[2]
    return found


def lowest(project: dict, pinned: str) -> dict[str, str]:
    """Return the version of each direct dependency, its lowest where users install it."""
    extras = project["optional-dependencies"]
    tools = bounds([text for name in TOOLS for text in extras.get(name, [])])
    offered = [text for name, texts in extras.items() if name not in TOOLS for text in texts]
    versions = dict(re.findall(r"^([\w.-]+)==(\S+)$", pinned, flags=re.M))
    versions = {re.sub(r"[-_.]+", "-", name).lower(): v for name, v in versions.items()}
    return {
        **{name: versions.get(name, bound) for name, bound in tools.items()},
        **bounds([*project["dependencies"], *offered]),
    }


def main() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    pins = lowest(project, (ROOT / "constraints.txt").read_text())
    for name, version in sorted(pins.items()):
        print(f"{name}=={version}")


if __name__ == "__main__":
    main()
