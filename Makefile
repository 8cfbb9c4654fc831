# Everything is set up in .venv from nothing but python3 with venv. `make run` installs what serving needs; the other
# targets add the tools of development to the same .venv. Both locks pin the same versions, and a change to either one
# starts .venv anew, so it does not matter which target came first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SERVING := $(VENV)/.serving
READY := $(VENV)/.ready
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
PYTEST := $(BIN)/pytest --dist loadfile --no-loadscope-reorder --numprocesses
COMPILE := $(BIN)/uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes \
  --no-emit-index-url --no-header --quiet

# Without bytecode every process that a test starts would compile all of Punto anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: setup run quick test nightly browser check bench register lock clean

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

run: $(SERVING)  ## serve five tables on punto.db here; ARGS="--port 8080 --empty" for more, `punto serve --help` for all
	@PYTHONPATH=src $(BIN)/python -m punto serve --log warning $(ARGS)

quick: setup  ## the tests that take no time: no browser, no crash, no sweep
	$(PYTEST) $(or $(WORKERS),2) --hypothesis-profile quick -m 'not (browser or crash or sweep or slow or nightly)' $(ARGS)

test: check  ## the checks, then everything that must hold at each change; ARGS=--durations=30 says where the time goes
	$(PYTEST) $(or $(WORKERS),4) -m 'not nightly' $(ARGS)

nightly: check  ## everything, at length: more examples, matrices, and a floor killed KILLS times on each database (300)
	$(PYTEST) $(or $(WORKERS),4) --hypothesis-profile nightly $(ARGS)
	$(BIN)/python -m tests.floor.crashes.torture --kills $(or $(KILLS),300)

browser: setup  ## fetch a Chromium for the tests if the machine has none; they would do it themselves
	$(BIN)/python -m tests.browser.chromium

check: setup  ## lint, format, types, layers
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: setup  ## every benchmark, one after the other
	@for file in bench/[!_]*.py; do echo "== $$file"; $(BIN)/python $$file || exit 1; done

register: setup  ## write anew what is made from the books and the tests
	$(BIN)/pytest --collect-only --quiet --shown-by=src/punto/rules/shown_by.jsonl
	$(BIN)/python -m punto rules --readings > docs/readings.md
	$(BIN)/python -m tests.cases.page > docs/irregularities.md

lock: setup  ## pin anew, with hashes and without a registry's address: all versions, then those of them that serving needs
	$(PIP) install uv
	$(COMPILE) --group dev --all-extras --upgrade --output-file requirements.lock
	$(COMPILE) --extra serve --constraint requirements.lock --output-file requirements-serve.lock

clean:
	rm -rf $(VENV) .chromium tests/browser/shots dist build .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .grimp_cache
