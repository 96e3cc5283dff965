"""Check, build, install and tag a release: `make release VERSION=0.3.0`.

--prepare   write the version and today's date into _version.py, CITATION.cff and CHANGELOG.md, to
            be committed before the release
--dry-run   do everything but the tag; what would stop a release is told and does not stop this
--tagged    the tag is there already (the hosted release of a pushed tag)
--no-install  stop after `twine check`
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
SECTIONS = ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security")
UNRELEASED = "unreleased"
SHOW_MB = 120  # what figures, reports and the page may add to numpy and scipy


def section(changelog: str, version: str) -> tuple[str, str]:
    """Return the date and the text of a version in the changelog, empty if it is not there."""
    pattern = rf"^## {re.escape(version)} \((.*?)\)\n(.*?)(?=^## |\Z)"
    found = re.search(pattern, changelog, flags=re.M | re.S)
    return (found[1], found[2]) if found else ("", "")


def changelog_problems(changelog: str, version: str, date: str) -> list[str]:
    """Return what is wrong with the section of a version: its date, its headings, empty ones."""
    told, text = section(changelog, version)
    if not told:
        return [f"CHANGELOG.md has no section '## {version} (DATE)'"]
    problems = []
    if told != date:
        problems.append(f"CHANGELOG.md says {told} of {version}, CITATION.cff {date}")
    first, *parts = re.split(r"^### ", text, flags=re.M)
    if first.strip() or not parts:
        problems.append(f"CHANGELOG.md, {version}: every entry belongs under one of {SECTIONS}")
    names = [part.partition("\n")[0].strip() for part in parts]
    problems += [
        f"CHANGELOG.md, {version}: {n!r} is no section" for n in names if n not in SECTIONS
    ]
    if len(set(names)) < len(names):
        problems.append(f"CHANGELOG.md, {version}: a section is there twice")
    for name, part in zip(names, parts, strict=True):
        if not re.search(r"^- \S", part, flags=re.M):
            problems.append(f"CHANGELOG.md, {version}: {name} has no entry")
    return problems


def version_problems(root: Path, version: str) -> list[str]:
    """Return where the version, or its date, is told otherwise."""
    problems = []
    if not re.fullmatch(r"\d+\.\d+\.\d+((a|b|rc)\d+)?", version):
        problems.append(f"{version!r} is no version such as 0.3.0 or 0.3.0rc1")
    if f'__version__ = "{version}"' not in (root / "src/bestofk/_version.py").read_text("utf-8"):
        problems.append(f"src/bestofk/_version.py does not say {version}")
    citation = (root / "CITATION.cff").read_text("utf-8")
    if f"\nversion: {version}\n" not in citation:
        problems.append(f"CITATION.cff does not say {version}")
    date = re.search(r"^date-released: (\d{4}-\d\d-\d\d)$", citation, flags=re.M)
    if not date:
        return [*problems, "CITATION.cff has no date-released"]
    changelog = (root / "CHANGELOG.md").read_text("utf-8")
    return problems + changelog_problems(changelog, version, date[1])


def tree_problems(root: Path, version: str, *, tagged: bool) -> list[str]:
    """Return what git says against a release."""
    problems = []
    if git(root, "status", "--porcelain"):
        problems.append("the tree has changes that are not committed")
    tag = git(root, "tag", "--list", f"v{version}")
    if tagged:
        here = git(root, "tag", "--points-at", "HEAD").split()
        if f"v{version}" not in here:
            problems.append(f"the tag v{version} does not point here")
    elif tag:
        problems.append(f"there is a tag {tag} already")
    return problems


def git(root: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def prepare(root: Path, version: str, date: str) -> None:
    """Write the version and the date where they belong."""
    for name, pattern, new in (
        ("src/bestofk/_version.py", r'__version__ = ".*"', f'__version__ = "{version}"'),
        ("CITATION.cff", r"^version: .*$", f"version: {version}"),
        ("CITATION.cff", r"^date-released: .*$", f"date-released: {date}"),
        ("CHANGELOG.md", rf"^## {re.escape(version)} \(.*\)$", f"## {version} ({date})"),
    ):
        path = root / name
        text, count = re.subn(pattern, new, path.read_text("utf-8"), count=1, flags=re.M)
        if not count:
            raise SystemExit(f"{name} has no line like {pattern}")
        path.write_text(text, encoding="utf-8")


def copy(root: Path, to: Path) -> Path:
    """Copy the files that git knows, as a clone would have them: new times, another folder."""
    for name in git(root, "ls-files", "--cached", "--others", "--exclude-standard").splitlines():
        path = to / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes((root / name).read_bytes())
    return to


def build(root: Path, out: Path, epoch: str) -> dict[str, str]:
    """Build sdist and wheel, with the time of the commit and pinned tools; return their hashes."""
    pins = str(root / "constraints.txt")
    environment = {**os.environ, "SOURCE_DATE_EPOCH": epoch, "PIP_CONSTRAINT": pins}
    run([sys.executable, "-m", "build", "--outdir", out, "."], cwd=root, env=environment)
    return {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted(out.iterdir())}


def run(command: list[object], **options: object) -> str:
    """Run a command and return what it prints; if it fails, show that and end."""
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, check=False, **options)  # type: ignore[call-overload]
    if done.returncode:
        raise SystemExit(f"{' '.join(words)}\n{done.stdout}\n{done.stderr}")
    return str(done.stdout)


def megabytes(site: Path) -> float:
    """Return the size of installed files, without the bytecode that Python makes of them."""
    files = (p for p in site.rglob("*") if p.is_file() and "__pycache__" not in p.parts)
    return sum(p.stat().st_size for p in files) / 1e6


def try_out(root: Path, built: Path, extras: str, work: Path) -> None:
    """Install what was built into an empty environment, and run the demo there."""
    run([sys.executable, "-m", "venv", work])
    python = work / ("Scripts" if os.name == "nt" else "bin") / "python"
    site = Path(run([python, "-c", "import sysconfig as s; print(s.get_path('purelib'))"]).strip())
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    install += ["--constraint", root / "constraints.txt"]
    run([*install, "numpy", "scipy"])
    before = megabytes(site)
    run([*install, f"{built}{extras}"], env={**os.environ, "PIP_CONSTRAINT": ""})
    more = megabytes(site) - before
    place = work / "try"
    place.mkdir()
    if extras:
        assert more < SHOW_MB, f"{extras} adds {more:.0f} MB to numpy and scipy"
        run([*install, f"{built}[show,search]"])
    else:
        run([python, "-W", "error", root / "tests/smoke.py"], cwd=place)
    out = run([python, "-m", "bestofk", "demo", "-o", "demo"], cwd=place)
    assert "It depends on the budget: ridge is ahead from 1 to 2 trials" in out, out
    assert (place / "demo" / "bestofk.db").exists() is bool(extras)
    assert (place / "demo" / "comparison.png").exists() is bool(extras)
    print(f"{built.name}{extras}: {more:.0f} MB more than numpy and scipy, the demo runs")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("version")
    for flag in ("--prepare", "--dry-run", "--tagged", "--no-install"):
        parser.add_argument(flag, action="store_true")
    asked = parser.parse_args()
    if asked.prepare:
        today = datetime.datetime.now(datetime.UTC).date().isoformat()
        prepare(ROOT, asked.version, today)
        print(f"{asked.version} of {today}: look at the changes and commit them")
        return
    problems = version_problems(ROOT, asked.version)
    problems += tree_problems(ROOT, asked.version, tagged=asked.tagged)
    for problem in problems:
        print(("would stop a release: " if asked.dry_run else "") + problem)
    if problems and not asked.dry_run:
        raise SystemExit(1)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        epoch = git(ROOT, "log", "-1", "--format=%ct")
        first = build(ROOT, work / "first", epoch)
        second = build(copy(ROOT, work / "copy"), work / "second", epoch)
        assert first == second, f"two builds differ: {first} {second}"
        built = sorted((work / "first").iterdir())
        run([sys.executable, "-m", "twine", "check", "--strict", *built])
        for name, digest in first.items():
            print(f"{digest}  {name}")
        if not asked.no_install:
            for file in built:
                extras = "[show]" if file.suffix == ".whl" else ""
                try_out(ROOT, file, extras, work / file.suffix[1:])
        if not asked.dry_run:
            dist = ROOT / "dist"
            dist.mkdir(exist_ok=True)
            for file in built:
                (dist / file.name).write_bytes(file.read_bytes())
    if asked.dry_run:
        print(f"dry run: v{asked.version} is not tagged")
    elif not asked.tagged:
        git(ROOT, "tag", "--annotate", f"v{asked.version}", "--message", f"bestofk {asked.version}")
        print(f"tagged v{asked.version}; publish it with: git push origin v{asked.version}")


if __name__ == "__main__":
    main()
