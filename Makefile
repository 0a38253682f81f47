# Everything that is done with this project. `make help` lists it.
#
# STACK is the Pulumi stack: `local` (the default) and `local.<slice>` run on the laptop cloud. Any other
# stack is a real one: it gets the `pulumi` that you have installed, with its own plugins and your backend,
# and nothing of the laptop's.

STACK ?= local
ARGS ?=
VENV := .local/venv
PY := $(VENV)/bin/python
LAPTOP := $(filter local local.%,$(STACK))

.DEFAULT_GOAL := help
.PHONY: help setup venv tools up preview down status test lint bench soak requirements schema clean

help: ## this list
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /|/' | awk -F'|' '{printf "make %-14s %s\n", $$1, $$2}'

setup: venv tools ## everything that `up` needs: Python packages, engine, Kubernetes (first time: about 20 minutes)

venv:
	@./bootstrap

tools: venv
	@$(PY) -m localcloud setup

ifneq ($(LAPTOP),)
up: setup ## bring STACK up, and say what there is
	@$(PY) -m localcloud up --stack $(STACK) -- $(ARGS)

preview: setup ## show what `up` would do to STACK
	@$(PY) -m localcloud preview --stack $(STACK) -- $(ARGS)

down: venv ## destroy STACK, and end every process once nothing is left
	@$(PY) -m localcloud down --stack $(STACK) -- $(ARGS)

status: venv ## what runs, and what is there (ARGS=--json for scripts)
	@$(PY) -m localcloud status $(ARGS)
else
.PHONY: own-pulumi
own-pulumi:
	@test -z "$$MOKA_CLOUD" || { echo "This shell is set up for the laptop cloud, and $(STACK) is a real stack: use a shell without \`. .local/env\`." >&2; exit 1; }
	@command -v pulumi >/dev/null || { echo "$(STACK) is a real stack and there is no pulumi on PATH: install it from pulumi.com, then run this again." >&2; exit 1; }

up preview: own-pulumi venv
	pulumi $@ --stack $(STACK) $(ARGS)

down: own-pulumi venv
	pulumi destroy --stack $(STACK) $(ARGS)

status: own-pulumi venv
	pulumi stack --stack $(STACK) $(ARGS)
endif

test: setup ## every test: units, the laptop cloud, and `local` on the real engine
	@$(PY) -m pytest $(ARGS)

lint: venv ## formatting, style, types
	@$(VENV)/bin/ruff format --check --quiet .
	@$(VENV)/bin/ruff check --quiet .
	@$(VENV)/bin/mypy

bench: setup ## time and memory of `local`, beside the floor; writes docs/benchmarks.md
	@$(PY) -m benchmarks

soak: setup ## what takes longer than a test may
	@$(PY) -m pytest tests/soak $(ARGS)

requirements: venv ## requirements.txt anew from requirements.in
	@(echo '# Made by `make requirements` from requirements.in: every dependency, pinned.'; \
	  $(VENV)/bin/uv pip compile --quiet --no-header --no-annotate requirements.in) > .local/requirements.txt
	@mv .local/requirements.txt requirements.txt

schema: venv ## stacks/settings.schema.json anew from the settings model
	@$(PY) -m stacks.settings.schema

clean: ## end the laptop cloud and remove all that was made here; built tools stay in the user's cache
	@test ! -x $(PY) || $(PY) -m localcloud stop
	rm -rf .local
