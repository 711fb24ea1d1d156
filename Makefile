# Two commands: `make demo` and `make test`. Each makes its own environment from locked requirements.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/pip install --quiet --disable-pip-version-check
# torch is installed by version alone: its builds differ by machine, so no one hash fits all.
TORCH := torch==2.13.0

.PHONY: demo reader test test-local lint types unit clean lock

demo: $(VENV)/reader  ## the four attacks at the three doors of an embedded pipeline, then on a small language model
	$(BIN)/saferag run
	$(BIN)/saferag run --generator reader --stage retrieved_context --limit 2

reader: $(VENV)/local  ## train the adapter of the reader anew (training/README.md)
	$(BIN)/python training/train.py --cache training/.cache --out training/reader.gguf

test: lint types unit  ## lint, types and all tests that need no torch

lint: $(VENV)/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/dev
	$(BIN)/mypy

unit: $(VENV)/dev
	$(BIN)/pytest -n 2 -m "not local"

test-local: $(VENV)/local  ## what needs the extras: sentence-transformers, transformers, gguf
	$(BIN)/pytest -m local

lock:  ## compile requirements/ anew (needs uv)
	tools/lock

clean:
	rm -rf $(VENV)

$(VENV)/base: requirements/build.txt
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "saferag needs Python 3.11 or newer: make PYTHON=python3.11 $(MAKECMDGOALS)")'
	$(PYTHON) -m venv $(VENV)
	$(PIP) --require-hashes -r requirements/build.txt
	@touch $@

$(VENV)/core: $(VENV)/base requirements/core.txt pyproject.toml
	$(PIP) --require-hashes -r requirements/core.txt
	$(PIP) --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/reader: $(VENV)/core requirements/reader.txt
	$(PIP) --require-hashes -r requirements/reader.txt
	@touch $@

$(VENV)/dev: $(VENV)/core requirements/dev.txt
	$(PIP) --require-hashes -r requirements/dev.txt
	@touch $@

$(VENV)/local: $(VENV)/dev requirements/local.txt
	$(PIP) --require-hashes --no-deps -r requirements/local.txt
	$(PIP) $(TORCH)
	@touch $@
