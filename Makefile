# The same targets serve a person, the hooks and CI. `make demo` and `make test` need nothing but
# Python 3.11 or newer: they set up an environment of their own in .venv.
PYTHON ?= python3
VENV ?= .venv
# Environments on Windows have another layout.
SCRIPTS = $(if $(filter Windows_NT,$(OS)),Scripts,bin)
BIN = $(VENV)/$(SCRIPTS)
# Options of pip, such as --pre for the next releases of what the package needs.
PRE ?=
# Small fits are up to ten times faster on one BLAS thread, and tests run side by side.
export OMP_NUM_THREADS ?= 1

.PHONY: help demo test coverage test-core test-kernels test-variants test-sanitize test-slow test-oldest test-spark test-browser lint docs picture wheels dist clean

help:  ## show the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 16

# Installing compiles the kernel of the neighbour search, if there is a compiler.
KERNEL = src/icost/_neighbors/kernel.c
INSTALLED = pyproject.toml reproduction/pyproject.toml hatch_build.py $(KERNEL)
# The library and the paper's studies, which need exactly this version of it.
BOTH = --editable ".[all]" --editable ./reproduction
# All that is checked, whichever of the two it belongs to.
CODE = src tests reproduction benchmarks examples docs .ci hatch_build.py

$(VENV)/.ready: $(INSTALLED)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/pip install --quiet $(PRE) $(BOTH) --group test --group lint
	touch $@

# As a user has it: the library and its command, nothing for developers and none of the studies.
.venv-demo/.ready: $(INSTALLED)
	$(PYTHON) -m venv .venv-demo
	.venv-demo/$(SCRIPTS)/pip install --quiet --editable ".[cli]"
	touch $@

demo: .venv-demo/.ready  ## fit the best model for a real table, say what to expect, find its alerts and hard rows
	mkdir -p demo
	.venv-demo/$(SCRIPTS)/icost fit yeast4 -o demo/yeast4.skops --wide
	.venv-demo/$(SCRIPTS)/icost predict demo/yeast4.skops yeast4 --proba --top 5
	.venv-demo/$(SCRIPTS)/icost analyze yeast4 --top 5 --report demo/yeast4.html

# CI sets CI, and prints which tests take longest.
SLOWEST = $(if $(CI),--durations=25)

test: $(VENV)/.ready  ## run the tests
	$(BIN)/python -m pytest -n 2 $(SLOWEST)

coverage: $(VENV)/.ready  ## run the tests and write which lines they reach to coverage.xml
	$(BIN)/python -m pip install --quiet --group coverage
	$(BIN)/python -m pytest -n 2 --cov=icost --cov=icost_reproduction --cov-report=xml --cov-report=term:skip-covered

# For interpreters for which not every extra has wheels.
CORE_TESTS = tests/neighbors tests/test_metrics.py tests/test_penalties.py tests/weights/test_problems.py

test-core: $(INSTALLED)  ## run tests of weights and metrics with no extra installed
	$(PYTHON) -m venv .venv-core
	.venv-core/$(SCRIPTS)/pip install --quiet --editable . pytest pytest-xdist hypothesis
	.venv-core/$(SCRIPTS)/python -m pytest -n 2 --ignore-glob="*keel*" $(CORE_TESTS)

# OpenBLAS picks its kernels by the CPU, and their sums differ in the last bit.
KERNELS = Haswell Prescott $(if $(shell grep -sm1 avx512f /proc/cpuinfo),SkylakeX)

test-kernels: $(VENV)/.ready  ## run the tests that claim equality on each kernel of the linear algebra
	for kernel in $(KERNELS); do \
		echo "OPENBLAS_CORETYPE=$$kernel"; \
		OPENBLAS_CORETYPE=$$kernel $(BIN)/python -m pytest -q -n 2 -m "equality and not slow" tests reproduction || exit 1; \
	done

PRESENT = from icost._neighbors.kernel import present_variants; print(*present_variants(), "off")

test-variants: $(VENV)/.ready  ## run the neighbours' tests on each variant of the kernel, and without
	for variant in $$($(BIN)/python -c '$(PRESENT)'); do \
		echo "ICOST_KERNEL=$$variant"; \
		ICOST_KERNEL=$$variant $(BIN)/python -m pytest -q -n 2 tests/neighbors || exit 1; \
	done

# Python has no sanitizer of its own, so that the library's is loaded first; and Python, not the
# kernel, keeps memory until the end. SciPy throws C++ exceptions, which must be found by then.
SANITIZED = $(VENV)/_kernel_sanitized.so
PRELOADED = $$($(CC) -print-file-name=libasan.so) $$($(CC) -print-file-name=libstdc++.so)

test-sanitize: $(VENV)/.ready  ## run the kernel's tests under the sanitizers of addresses and undefined behaviour
	@if ! command -v $(CC) > /dev/null; then echo "No C compiler: nothing to sanitize."; exit 0; fi; \
	set -ex; \
	$(CC) -std=gnu11 -O1 -g -Wall -Wextra -fsanitize=address,undefined -fno-sanitize-recover=all \
		-shared -fPIC -o $(SANITIZED) $(KERNEL) -lm; \
	LD_PRELOAD="$(PRELOADED)" ASAN_OPTIONS=detect_leaks=0 ICOST_KERNEL_LIBRARY=$(SANITIZED) \
		$(BIN)/python -m pytest -q tests/neighbors/test_kernel.py

test-slow: $(VENV)/.ready  ## run the tests that take minutes
	$(BIN)/python -m pytest -m slow

# Spark runs on Java: the package openjdk-17-jre-headless of Debian, or any other Java 17.
test-spark: $(VENV)/.ready  ## run the tests on Spark in local mode
	command -v java || (apt-get update && apt-get install --yes openjdk-17-jre-headless)
	$(BIN)/python -m pip install --quiet --editable ".[spark]"
	$(BIN)/python -m pytest -m spark tests/batches

test-browser: $(VENV)/.ready  ## open the report page and what notebooks show in headless Chromium
	$(BIN)/python -m pip install --quiet --group browser
	command -v chromium || (apt-get update && apt-get install --yes chromium) || true
	$(BIN)/python -m pytest -m browser tests/browser

lint: $(VENV)/.ready  ## check style, types and spelling
	$(BIN)/ruff check $(CODE)
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/python .ci/check_words.py
	$(BIN)/python .ci/check_complexity.py
	$(BIN)/codespell src reproduction/src docs examples benchmarks *.md

# The lower bounds in both pyproject.toml are the only place where the oldest versions are written.
OLDEST = import re, tomllib; p = tomllib.load(open("pyproject.toml", "rb")); \
	second = tomllib.load(open("reproduction/pyproject.toml", "rb")); \
	groups = [p["project"]["dependencies"], p["dependency-groups"]["test"]]; \
	groups += p["project"]["optional-dependencies"].values(); \
	groups += [second["project"]["dependencies"]]; \
	print(*{re.sub(r"\[.*\]", "", d).replace(">=", "==") for g in groups for d in g if ">=" in d}, sep="\n")

.venv-oldest/.ready: $(INSTALLED)
	$(PYTHON) -m venv .venv-oldest
	.venv-oldest/$(SCRIPTS)/python -m pip install --quiet --upgrade pip
	$(PYTHON) -c '$(OLDEST)' > .venv-oldest/oldest.txt
	.venv-oldest/$(SCRIPTS)/pip install --quiet $(BOTH) --group test -c .venv-oldest/oldest.txt
	touch $@

test-oldest: .venv-oldest/.ready  ## run the tests on the oldest supported dependencies
	.venv-oldest/$(SCRIPTS)/python -m pytest -n 2

$(VENV)/.docs-ready: $(VENV)/.ready
	$(BIN)/python -m pip install --quiet --group docs
	touch $@

docs: $(VENV)/.docs-ready  ## build the documentation into docs/_build/html, warnings are errors
	$(BIN)/python -m sphinx -b html -W --keep-going -q docs docs/_build/html

picture: $(VENV)/.ready  ## draw the README's picture of the report page anew
	$(BIN)/python -m pip install --quiet --group browser
	$(BIN)/python docs/report_picture.py

$(VENV)/.dist-ready: $(VENV)/.ready
	$(BIN)/python -m pip install --quiet --group dist
	touch $@

wheels: $(VENV)/.dist-ready  ## build wheels and sdists and try them in empty environments
	$(BIN)/python .ci/build_dist.py dist
	$(BIN)/python -m twine check --strict dist/*
	$(BIN)/python .ci/check_dist.py dist

dist: wheels  ## the same, then every extra alone
	$(BIN)/python .ci/check_extras.py dist

clean:  ## remove environments and build products
	rm -rf .venv .venv-core .venv-demo .venv-oldest build dist docs/_build docs/gallery docs/generated docs/sg_execution_times.rst
