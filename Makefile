# The same targets serve a person, the hooks and CI. `make demo` and `make test` need nothing but
# Python 3.11 or newer: they set up an environment of their own in .venv.
PYTHON ?= python3
VENV ?= .venv
# Environments on Windows have another layout.
SCRIPTS = $(if $(filter Windows_NT,$(OS)),Scripts,bin)
BIN = $(VENV)/$(SCRIPTS)
# Small fits are up to ten times faster on one BLAS thread, and tests run side by side.
export OMP_NUM_THREADS ?= 1

.PHONY: help demo test test-slow test-oldest test-browser lint docs dist clean

help:  ## show the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 16

$(VENV)/.ready: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/pip install --quiet --editable ".[all]" --group test --group lint
	touch $@

demo: $(VENV)/.ready  ## find the hard rows of a real set, compare strategies, write a report page
	mkdir -p demo
	$(BIN)/icost analyze yeast4 --top 5
	$(BIN)/icost compare yeast4 --report demo/yeast4.html

test: $(VENV)/.ready  ## run the tests
	$(BIN)/python -m pytest -n 2

test-slow: $(VENV)/.ready  ## run the tests that take minutes
	$(BIN)/python -m pytest -m slow

test-browser: $(VENV)/.ready  ## drive the report page in headless Chromium
	$(BIN)/python -m pip install --quiet --group browser
	command -v chromium || (apt-get update && apt-get install --yes chromium) || true
	$(BIN)/python -m pytest -m browser tests/browser

lint: $(VENV)/.ready  ## check style, types and spelling
	$(BIN)/ruff check src tests benchmarks examples docs .ci
	$(BIN)/ruff format --check src tests benchmarks examples docs .ci
	$(BIN)/mypy
	$(BIN)/codespell src docs examples benchmarks *.md

# The lower bounds in pyproject.toml are the only place where the oldest versions are written.
OLDEST = import re, tomllib; p = tomllib.load(open("pyproject.toml", "rb")); \
	groups = [p["project"]["dependencies"], p["dependency-groups"]["test"]]; \
	groups += p["project"]["optional-dependencies"].values(); \
	print(*{re.sub(r"\[.*\]", "", d).replace(">=", "==") for g in groups for d in g if ">=" in d}, sep="\n")

.venv-oldest/.ready: pyproject.toml
	$(PYTHON) -m venv .venv-oldest
	.venv-oldest/$(SCRIPTS)/python -m pip install --quiet --upgrade pip
	$(PYTHON) -c '$(OLDEST)' > .venv-oldest/oldest.txt
	.venv-oldest/$(SCRIPTS)/pip install --quiet --editable ".[all]" --group test -c .venv-oldest/oldest.txt
	touch $@

test-oldest: .venv-oldest/.ready  ## run the tests on the oldest supported dependencies
	.venv-oldest/$(SCRIPTS)/python -m pytest -n 2

$(VENV)/.docs-ready: $(VENV)/.ready
	$(BIN)/python -m pip install --quiet --group docs
	touch $@

docs: $(VENV)/.docs-ready  ## build the documentation into docs/_build/html, warnings are errors
	$(BIN)/python -m sphinx -b html -W --keep-going -q docs docs/_build/html

$(VENV)/.dist-ready: $(VENV)/.ready
	$(BIN)/python -m pip install --quiet --group dist
	touch $@

dist: $(VENV)/.dist-ready  ## build wheel and sdist and try them in empty environments
	rm -rf dist
	$(BIN)/python -m build
	$(BIN)/python -m twine check --strict dist/*
	$(BIN)/python .ci/check_dist.py dist

clean:  ## remove environments and build products
	rm -rf .venv .venv-oldest build dist docs/_build docs/gallery docs/generated docs/sg_execution_times.rst
