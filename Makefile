# Everything is installed into .venv; only python3 with venv is needed. `make run` installs what serving needs; the other
# targets add the development tools to the same .venv. Both locks pin the same versions, and a change to either one
# recreates .venv, so it does not matter which target runs first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SERVING := $(VENV)/.serving
READY := $(VENV)/.ready
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
PYTEST := $(BIN)/pytest --dist loadfile --no-loadscope-reorder --numprocesses
COMPILE := $(BIN)/uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes \
  --no-emit-index-url --no-header --quiet

# Without bytecode, every process that a test starts would compile all of Punto again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: setup run demo quick test suite nightly browser check release bench register lock clean

setup: $(READY)

$(SERVING): requirements-serve.lock requirements.lock
	$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Punto needs Python 3.11 or newer, this is " + sys.version)'
	$(PYTHON) -m venv --clear $(VENV)
	$(PIP) install --no-compile --require-hashes --requirement requirements-serve.lock
	touch $@

$(READY): $(SERVING) pyproject.toml src/punto/__init__.py
	$(PIP) install --require-hashes --requirement requirements.lock
	$(PIP) install --no-deps --no-build-isolation --editable .
	touch $@

run: $(SERVING)  ## serve five tables from punto.db in this folder; options: ARGS="--port 8080 --empty", see `punto serve --help`
	@PYTHONPATH=src $(BIN)/python -m punto serve --log warning $(ARGS)

demo: setup  ## three minutes to watch in a browser: a misdeal, from the deal to the verified journal
	@$(BIN)/python -m tests.demo

quick: setup  ## the fast tests: no browser, crash, sweep or slow ones
	$(PYTEST) $(or $(WORKERS),4) --hypothesis-profile quick -m 'not (browser or crash or sweep or slow or nightly)' $(ARGS)

test: setup  ## the checks beside every test but the nightly ones; ARGS=--durations=30 shows the slowest
	@$(MAKE) --no-print-directory --jobs 2 suite check

suite: setup
	$(PYTEST) $(or $(WORKERS),4) -m 'not nightly' $(ARGS)

nightly: check  ## everything with more examples, faults put into the core, and a floor killed KILLS times on each database (300)
	TMPDIR=$(or $(TMPDIR),/tmp) PUNTO_SHOTS=1 $(PYTEST) $(or $(WORKERS),4) --hypothesis-profile nightly $(ARGS)
	$(BIN)/python -m tests.mutants
	$(BIN)/python -m tests.floor.crashes.torture --kills $(or $(KILLS),300)

browser: setup  ## download a Chromium for the tests if the machine has none; the tests do it too when needed
	$(BIN)/python -m tests.browser.chromium

check: setup  ## lint, format, types, layers, and known vulnerabilities if a database of them can be reached
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m tests.release.vulnerabilities

release: check  ## build the wheel into dist/, with the list of its parts (CycloneDX) and the hashes of both
	$(BIN)/python -m tests.release dist

bench: setup  ## every benchmark, one at a time
	@for file in bench/[!_]*.py; do echo "== $$file"; $(BIN)/python $$file || exit 1; done

register: setup  ## write the files that are made from the books and the tests
	$(BIN)/pytest --collect-only --quiet --shown-by=src/punto/rules/shown_by.jsonl
	$(BIN)/python -m punto rules --readings > docs/readings.md
	$(BIN)/python -m punto rules --games > docs/games.md
	$(BIN)/python -m tests.cases.page > docs/irregularities.md

lock: setup  ## pin all versions with hashes, then those that serving needs; no registry's address
	$(PIP) install uv
	$(COMPILE) --group dev --all-extras --upgrade --output-file requirements.lock
	$(COMPILE) --extra serve --constraint requirements.lock --output-file requirements-serve.lock

clean:
	rm -rf $(VENV) .chromium tests/browser/shots dist build .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .grimp_cache
