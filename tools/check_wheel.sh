#!/bin/sh
# Build the wheel, install it into an empty environment with core dependencies only, smoke-test it
# there, and check the types that a user sees.
set -eu
python=$1
case $python in /*) ;; *) python=$PWD/$python ;; esac
here=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$python" -m build --wheel --outdir "$work/dist" . >"$work/build.log" 2>&1 || { cat "$work/build.log"; exit 1; }
"$python" -m venv "$work/venv"
"$work/venv/bin/python" -m pip install --quiet --disable-pip-version-check \
  --constraint constraints.txt "$work"/dist/*.whl
cp tests/smoke.py tests/typed_user.py "$work/"
cd "$work" && venv/bin/python -W error smoke.py
# What a user's type checkers see of the installed wheel; figures have types where matplotlib is.
"$work/venv/bin/python" -m pip install --quiet --disable-pip-version-check \
  --constraint "$here/constraints.txt" "$(ls "$work"/dist/*.whl)[show]"
"$python" "$here/tools/reveal_types.py" "$work/typed_user.py" "$work/venv/bin/python"
