# make demo       build a sample, run it on the host, natively and on a device, and say what was done to its loop
# make test-quick a minute's worth of the most telling tests
# make test       what to run before sending a change
# make test-ci    what CI runs: the thorough tests too
# make test-slow  the thorough tests and the long sweeps (docs/testing.md)
# make lint       ruff and mypy
# make golden     what a change does to everything that is generated here: nothing, if it only tidies up
# make share      man pages and shells' completion, after options were changed
PYTHON ?= python3
JOBS ?= 2
BIN := .venv/bin
SOURCES := pyproject.toml $(wildcard runtime/CMakeLists.txt runtime/src/* runtime/include/* share/*/* share/*/*/*)

demo: .venv/for-run
	@sh samples/demo.sh $(BIN)

PYTEST = $(BIN)/python -m pytest -n $(JOBS) --dist worksteal

test-quick: .venv/for-test needs
	$(PYTEST) -m quick

test: .venv/for-test needs
	$(PYTEST) -m "not thorough and not slow"

test-ci: .venv/for-test needs
	$(PYTEST) -m "not slow"

test-slow: .venv/for-test needs
	$(PYTEST) -m "thorough or slow"

lint: .venv/for-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# man pages and shells' completion, from the tables of options
share: .venv/for-test
	$(BIN)/python -m accshare.manual share

# what the compiler generates for every program here, compared with what it generated at revision BASE
golden: .venv/for-test
	$(BIN)/python tests/golden.py --base $(or $(BASE),HEAD) --jobs $(JOBS)

needs:
	@sh tests/needs.sh

.venv/bin/python:
	@$(PYTHON) -m venv .venv || { \
	  rm -rf .venv; echo "make: no virtual environment; on Debian: apt-get install python3-venv" >&2; exit 1; }

# The C runtime is built at installation, so a change of its sources installs again.
.venv/for-run: .venv/bin/python $(SOURCES)
	$(BIN)/python -m pip install --quiet --editable '.[run]'
	@touch $@

.venv/for-test: .venv/bin/python $(SOURCES)
	$(BIN)/python -m pip install --quiet --editable '.[test]'
	@touch $@ .venv/for-run

clean:
	rm -rf .venv build dist

.PHONY: demo test test-quick test-ci test-slow lint share golden needs clean
