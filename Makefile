# Everything is set up in .venv from nothing but python3 with venv: `make run` plays, `make test` proves.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LOCKED := $(VENV)/.locked
READY := $(VENV)/.ready
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: setup run test browser torture check bench register lock clean

setup: $(READY)

$(LOCKED): requirements.lock
	$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Punto needs Python 3.11 or newer, this is " + sys.version)'
	$(PYTHON) -m venv --clear $(VENV)
	$(PIP) install --require-hashes --requirement requirements.lock
	touch $@

$(READY): $(LOCKED) pyproject.toml src/punto/__init__.py
	$(PIP) install --no-deps --no-build-isolation --editable .
	touch $@

run: setup  ## serve five tables on punto.db here; ARGS="--port 8080 --empty" for more, `punto serve --help` for all
	@$(BIN)/punto serve --log warning $(ARGS)

test: check  ## the checks, then every test, some at a time; WORKERS=1 for one after the other
	$(BIN)/pytest --numprocesses $(or $(WORKERS),3) --dist loadfile

browser: setup  ## fetch a Chromium for the tests if the machine has none; they would do it themselves
	$(BIN)/python -m tests.browser.chromium

torture: setup  ## kill a floor under load some hundred times on each database; KILLS=50 for fewer
	$(BIN)/python -m tests.floor.torture --kills $(or $(KILLS),300)

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

lock: setup  ## pin anew, with hashes and without a registry's address
	$(PIP) install uv
	$(BIN)/uv pip compile pyproject.toml --group dev --all-extras --universal --python-version 3.11 --upgrade \
	  --generate-hashes --no-emit-index-url --no-header --quiet --output-file requirements.lock

clean:
	rm -rf $(VENV) .chromium tests/browser/shots dist build .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
