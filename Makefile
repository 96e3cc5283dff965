# Two commands do all the set-up: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
WORKERS ?= 2

.PHONY: demo test test-slow test-wide test-reproduction test-lowest test-python lint types docs docs-check bench shots \
	wheel-check workflows-check licences release-check release release-prepare clean

demo: $(VENV)/.demo
	$(BIN)/bestofk demo

test: $(VENV)/.dev
	$(BIN)/python -m pytest --numprocesses $(WORKERS)

test-slow: $(VENV)/.heavy
	$(BIN)/python -m pytest --numprocesses $(WORKERS) -m slow

# The largest simulations, by hand: half an hour to hours. Figures and seeds go to bench/results.
test-wide: $(VENV)/.heavy
	$(BIN)/python -m pytest --numprocesses $(WORKERS) -m wide

test-reproduction: $(VENV)/.heavy
	$(BIN)/python -m pytest --numprocesses $(WORKERS) reproduction/tests
	$(BIN)/python -m pytest --numprocesses $(WORKERS) -m slow reproduction/tests

# The fast suite with the lowest versions that pyproject.toml allows, which are those of Python 3.11.
# What these old packages say about the newer ones that they need in turn is not our matter.
LOWEST := .venvs/lowest
LOWEST_PYTHON ?= python3.11
test-lowest:
	@if $(LOWEST_PYTHON) -c '' 2>/dev/null; then $(MAKE) $(LOWEST)/.done && \
	CI= $(LOWEST)/bin/python -m pytest --numprocesses $(WORKERS) -W ignore::DeprecationWarning; \
	else echo "test-lowest: there is no $(LOWEST_PYTHON) here: skipped"; fi

# The fast suite with another Python: make test-python PY=python3.13
PY ?= python3.13
test-python:
	@if $(PY) -c '' 2>/dev/null; then $(MAKE) test PYTHON=$(PY) VENV=.venvs/$(notdir $(PY)); \
	else echo "test-python: there is no $(PY) here: skipped"; fi

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev
	$(BIN)/mypy
	$(BIN)/mypy --strict tests/typed_user.py

# The generated pages and figures anew, then the site: open build/docs/index.html.
SITE := $(BIN)/python -m sphinx --fail-on-warning --nitpicky --keep-going --quiet --jobs auto --doctree-dir build/doctrees
docs: $(VENV)/.dev
	$(BIN)/python tools/make_docs.py
	$(SITE) docs build/docs
	$(BIN)/python tools/check_site.py build/docs

# The same from nothing, without writing into docs: generated pages are up to date, every notebook runs.
docs-check: $(VENV)/.dev
	$(BIN)/python tools/make_docs.py --check
	rm -rf build/docs build/doctrees
	$(SITE) docs build/docs
	$(BIN)/python tools/check_site.py build/docs

bench: $(VENV)/.dev
	$(BIN)/python bench/estimators.py
	$(BIN)/python bench/bands.py
	$(BIN)/python bench/noisy_quadratic.py
	$(BIN)/python bench/headline.py
	$(BIN)/python bench/comparison.py
	$(BIN)/python bench/monitor.py
	$(BIN)/python bench/jkfold.py
	$(BIN)/python bench/lab.py
	$(BIN)/python bench/race.py
	$(BIN)/python bench/read_attempts.py
	$(BIN)/python bench/runner.py
	$(BIN)/python bench/startup.py
	$(BIN)/python bench/sources.py
	$(BIN)/python bench/stopping.py
	$(BIN)/python bench/two_sample.py
	$(BIN)/python bench/web.py

# Screenshots of every page, report, notebook and figure to build/shots; those of the documentation
# with SHOTS=--docs, some only with words of their names (SHOTS="report figure-band").
shots: $(VENV)/.dev
	$(BIN)/python tools/make_screenshots.py $(SHOTS)

# The built wheel, in an empty environment with the core dependencies only.
wheel-check: $(VENV)/.dev
	sh tools/check_wheel.sh $(BIN)/python

# Hosted CI, templates and CITATION.cff against their schemas, which come with the package: no network.
workflows-check: $(VENV)/.dev
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-issue-forms .github/ISSUE_TEMPLATE/bug.yml .github/ISSUE_TEMPLATE/question.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.citation-file-format CITATION.cff
	$(BIN)/hadolint Dockerfile

# docs/licences.md: what the packages are licensed under that an install brings.
licences: $(VENV)/.dev
	$(BIN)/python tools/licences.py

# What `make release` would find, without installing and without a tag.
VERSION ?= $(shell sed -n 's/^__version__ = "\(.*\)"/\1/p' src/bestofk/_version.py)
release-check: workflows-check
	$(BIN)/python tools/licences.py --check
	$(BIN)/python tools/release.py $(VERSION) --dry-run --no-install

# make release-prepare VERSION=0.3.0, commit, make release VERSION=0.3.0, push the tag.
release-prepare: $(VENV)/.dev
	$(BIN)/python tools/release.py $(VERSION) --prepare

release: workflows-check
	$(BIN)/python tools/licences.py --check
	$(BIN)/python tools/release.py $(VERSION) $(RELEASE)

$(VENV)/.python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "bestofk needs Python 3.11 or newer, this is %d.%d: make PYTHON=python3.12 ..." % sys.version_info[:2])'
	$(PYTHON) -m venv $(VENV)
	touch $@

$(VENV)/.demo: $(VENV)/.python pyproject.toml constraints.txt
	$(PIP) --editable ".[show,search]"
	touch $@

$(VENV)/.dev: $(VENV)/.python pyproject.toml reproduction/pyproject.toml constraints.txt
	$(PIP) --editable ".[all,dev]" --editable ./reproduction
	touch $@ $(VENV)/.demo

# Ray Tune and MLflow, for the tests that run them for real.
$(VENV)/.heavy: $(VENV)/.dev
	$(PIP) --editable ".[all,dev,dev-heavy]" --editable ./reproduction
	touch $@

$(LOWEST)/.done: pyproject.toml constraints.txt reproduction/pyproject.toml tools/lowest.py
	$(LOWEST_PYTHON) -m venv --clear $(LOWEST)
	$(LOWEST_PYTHON) tools/lowest.py > $(LOWEST)/lowest.txt
	$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check --constraint $(LOWEST)/lowest.txt \
		--editable ".[all,dev]" --editable ./reproduction
	touch $@

clean:
	rm -rf $(VENV) .venvs build dist bestofk-demo docs/api
