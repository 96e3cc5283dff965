#!/bin/sh
# Build the wheel, install it into an empty environment with core dependencies only, smoke-test it.
set -eu
python=$1
checker=$(dirname "$python")/mypy
case $checker in /*) ;; *) checker=$PWD/$checker ;; esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$python" -m build --wheel --outdir "$work/dist" . >"$work/build.log" 2>&1 || { cat "$work/build.log"; exit 1; }
"$python" -m venv "$work/venv"
"$work/venv/bin/python" -m pip install --quiet --disable-pip-version-check \
  --constraint constraints.txt "$work"/dist/*.whl
cp tests/smoke.py tests/typed_user.py "$work/"
cd "$work" && venv/bin/python -W error smoke.py
# A user's script that touches every public name, checked against the installed wheel.
cd "$work" && "$checker" --strict --python-executable "$work/venv/bin/python" typed_user.py
