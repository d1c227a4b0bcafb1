# modelRI conformance: `make conform` runs the suites, `make test` tests the harness itself.
PYTHON ?= python3
VENV ?= .venv
JOBS ?= 2
OUT ?= out
# The SoC that the reference device plays: make conform SOC=Ascend310P3
SOC ?=
BIN := $(VENV)/bin

.DEFAULT_GOAL := conform
.PHONY: conform test lint report sanitize soak bench clean

# The environment is made once, and again when the dependencies change.
$(VENV)/.ready: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' \
	  || { echo 'error: Python 3.10 or newer is needed; name one with make PYTHON=/path/to/python3'; exit 2; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
	  || { echo 'error: $(PYTHON) cannot make virtual environments; install its venv package (Debian: python3-venv)'; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@

# The main job: every suite on the toolkit that is found, or on the reference device.
conform: $(VENV)/.ready
	$(if $(SOC),REFDEVICE_SOC=$(SOC) )$(BIN)/python -m pytest suites -n $(JOBS) --out=$(OUT) $(ARGS)

# The harness's own tests.
test: lint
	$(BIN)/python -m pytest tests -n $(JOBS) $(ARGS)

lint: $(VENV)/.ready
	$(BIN)/ruff format --check --quiet .
	$(BIN)/ruff check --quiet .
	$(BIN)/mypy --no-error-summary

# The suites on the reference device under sanitizers; they fail on any report.
sanitize: $(VENV)/.ready
	tools/sanitize address,undefined
	tools/sanitize thread

# Summary and record of the last run, from its journals.
report: $(VENV)/.ready
	$(BIN)/python -m reports --out=$(OUT) $(ARGS)

# Random crashes, hangs and corrupt handles, and nothing may be lost (about ten minutes).
soak: $(VENV)/.ready
	$(BIN)/python -m tests.soak

bench: $(VENV)/.ready
	$(BIN)/python -m benchmarks.call_cost
	$(BIN)/python -m benchmarks.case_cost
	benchmarks/commands.sh

clean:
	rm -rf build $(OUT)
