# momentdp: `make run` opens the dashboard, `make test` runs every check.
# Both set up .venv by themselves; all they need is Python 3.11 or newer.
# Another Python: make run PYTHON=/path/to/python3.12

VENV := .venv
PY := $(VENV)/bin/python
PIP := $(PY) -m pip --disable-pip-version-check --no-input
RUN_STAMP := $(VENV)/.run-installed
TEST_STAMP := $(VENV)/.test-installed
LOCK_PYTHON ?= python3.11

# The first Python that is new enough and can make an environment; PYTHON= names another.
ifneq ($(origin PYTHON),command line)
PYTHON :=
endif
CANDIDATES := $(or $(PYTHON),python3.13 python3.12 python3.11 python3.14 python3 python)
NEW_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))
USABLE := import ensurepip, venv; $(NEW_ENOUGH)

# A moved or broken environment, or one of another Python than asked for, is made anew.
VERSION := import sys; print(sys.version)
CHECK := have=$$($(PY) -c '$(VERSION)' 2>/dev/null) || echo stale; \
	if [ -n "$(PYTHON)" ]; then \
		"$(PYTHON)" -c '$(USABLE)' 2>/dev/null || echo useless; \
		[ "$$have" = "$$("$(PYTHON)" -c '$(VERSION)' 2>/dev/null)" ] || echo stale; \
	fi
ifneq ($(wildcard $(VENV)),)
ifeq ($(findstring n,$(firstword -$(MAKEFLAGS))),)
FOUND := $(shell $(CHECK))
$(if $(findstring useless,$(FOUND)),$(error $(PYTHON) is no Python 3.11 or newer with venv))
$(if $(findstring stale,$(FOUND)),$(shell rm -rf $(VENV)))
endif
endif

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help run test lint types unit browser benchmark screenshots results format lock plotly clean

help:
	@echo 'make run          open the dashboard in the browser'
	@echo 'make test         lint, format, types, doctests and tests'
	@echo 'make format       put the code into the house format'
	@echo 'make benchmark    time the engine (BENCHMARK=name runs one of tests/benchmarks)'
	@echo 'make screenshots  draw the pictures of the README anew'
	@echo 'make results      recompute the results that come with the program (minutes)'
	@echo 'make lock         pin the newest packages in constraints.txt'
	@echo 'make plotly       fetch the chart library of the pages anew (needs npm)'
	@echo 'make clean        remove the environment and what the tools left'

run: $(RUN_STAMP)
	$(PY) -m streamlit run app.py --server.showEmailPrompt=false $(ARGS)

test: lint types unit

lint: $(TEST_STAMP)
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .

types: $(TEST_STAMP)
	$(PY) -m mypy

# The browser tests run alone: two at a time, on two cores, each waits for the other.
# Code 5 says that no test was chosen, which ARGS may do to one of both.
unit: $(TEST_STAMP) browser
	$(PY) -m pytest -n 2 -m 'not browser' $(ARGS) || [ $$? = 5 -a -n '$(ARGS)' ]
	$(PY) -m pytest -m browser $(ARGS) || [ $$? = 5 -a -n '$(ARGS)' ]

# What tests/browser needs: a browser, and the library that Playwright's own driver loads.
# Without them those tests are skipped with the reason; in CI they fail.
CHROMIUMS := chromium chromium-browser google-chrome google-chrome-stable
OWN_BROWSER := import os, playwright.sync_api as p; b = p.sync_playwright().start(); \
	found = os.path.exists(b.chromium.executable_path); b.stop(); raise SystemExit(not found)
READY = ( $(PY) -m playwright --version >/dev/null 2>&1 || exit 1; \
	for name in $(CHROMIUMS); do $$name --version >/dev/null 2>&1 && exit 0; done; \
	$(PY) -c '$(OWN_BROWSER)' 2>/dev/null )
INSTALL := DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends

browser: $(TEST_STAMP)
	@if $(READY); then exit 0; fi; \
	echo 'Installing a browser for the browser tests (once).'; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then \
		apt-get update -qq && $(INSTALL) chromium fonts-liberation libatomic1 >/dev/null; \
		if $(READY); then exit 0; fi; \
	fi; \
	$(PY) -m playwright install chromium || \
		echo 'No browser was found or installed: the browser tests will say so.'

BENCHMARKS = $(or $(BENCHMARK),$(filter-out _%,$(basename $(notdir $(wildcard tests/benchmarks/*.py)))))

benchmark: $(TEST_STAMP)
	@set -e; for name in $(BENCHMARKS); do \
		echo "== $$name"; $(PY) -m tests.benchmarks.$$name $(ARGS); \
	done

screenshots: $(TEST_STAMP) browser
	$(PY) -m tests.browser.screenshots $(ARGS)

# A run that was interrupted goes on from what it left in build/results.
results: $(TEST_STAMP)
	$(PY) -m momentdp_core reproduce --all --seed 0 --jobs 2 --out build/results
	$(PY) -m momentdp_core.experiments.shipped build/results
	$(PY) -m momentdp_core.experiments.logistic_report
	$(PY) -m momentdp_core.experiments.design_report 2

format: $(TEST_STAMP)
	$(PY) -m ruff check --fix-only .
	$(PY) -m ruff format .

# Pinned on the oldest Python that is supported, so that every pin exists for it.
lock:
	rm -rf build/lock
	$(LOCK_PYTHON) -m venv build/lock
	build/lock/bin/python -m pip --disable-pip-version-check install -q -r requirements-dev.txt
	{ echo '# The tested set of packages, pinned. Made by `make lock`; do not edit.'; \
	  build/lock/bin/python -m pip freeze | grep -E '^[A-Za-z0-9._-]+==[^ ]+$$'; } > build/lock.txt
	mv build/lock.txt constraints.txt
	rm -rf build/lock

# The published bundle, byte for byte, of the plotly.js that the installed Python package is for.
# npm checks what it fetches against the registry's checksum.
VENDOR := pages/ui/vendor
BUNDLE := plotly.js-cartesian-dist-min
PLOTLY_JS := from plotly.offline import get_plotlyjs_version as v; print(v())

plotly: $(TEST_STAMP)
	rm -rf build/plotly
	mkdir -p build/plotly
	cd build/plotly && npm pack --silent $(BUNDLE)@$$($(abspath $(PY)) -c '$(PLOTLY_JS)')
	tar -xzf build/plotly/*.tgz -C build/plotly
	cp build/plotly/package/plotly-cartesian.min.js build/plotly/package/LICENSE $(VENDOR)
	chmod 644 $(VENDOR)/*
	cd $(VENDOR) && sha256sum plotly-cartesian.min.js > SHA256SUMS
	rm -rf build/plotly

clean:
	rm -rf $(VENV) build .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(PY):
	@for python in $(CANDIDATES); do \
		if "$$python" -c '$(USABLE)' 2>/dev/null; then \
			echo "Making $(VENV) with $$("$$python" --version)."; \
			"$$python" -m venv $(VENV) && exit 0; \
			rm -rf $(VENV); exit 1; \
		fi; \
	done; \
	for python in $(CANDIDATES); do \
		if "$$python" -c '$(NEW_ENOUGH)' 2>/dev/null; then \
			echo "$$python has no venv module. On Debian or Ubuntu: apt-get install python3-venv" >&2; \
			exit 1; \
		fi; \
	done; \
	echo 'momentdp needs Python 3.11 or newer; tried: $(CANDIDATES).' >&2; \
	echo 'Install one, or name it: make run PYTHON=/path/to/python3' >&2; \
	exit 1

$(RUN_STAMP): requirements.txt constraints.txt | $(PY)
	@echo 'Installing what the dashboard needs (once; a minute or two).'
	$(PIP) install -q -c constraints.txt -r requirements.txt
	@touch $@

$(TEST_STAMP): requirements.txt requirements-dev.txt constraints.txt | $(PY)
	@echo 'Installing what the tests need (once; a minute or two).'
	$(PIP) install -q -c constraints.txt -r requirements-dev.txt
	@touch $(RUN_STAMP) $@
