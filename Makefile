# Everything that is done with this project. `make help` lists it.
#
# STACK is an environment, all of its stacks in order, or one of them: `prod`, `prod.shared`. WAVE is one of
# the waves that its settings name. `local` runs on the laptop cloud, and any other environment with
# ON=laptop, with a few machines a node group. Without, it is a real one: it gets the `pulumi` that you have
# installed, with its own plugins and your backend, and nothing of the laptop's.
#
# JOB is a job file, and CLUSTER the one to run it on where STACK has several. SERVICE is a folder of services/.

STACK ?= local
WAVE ?=
ON ?=
SERVICE ?=
REGISTRY ?=
TAG ?= $(shell git describe --tags --always --dirty)
ARGS ?=
JOB ?=
CLUSTER ?=
VENV := .local/venv
PY := $(VENV)/bin/python
SERVICES := $(patsubst services/%/__main__.py,%,$(wildcard services/*/__main__.py))
LAPTOP := $(or $(filter local local.%,$(STACK)),$(filter laptop,$(ON)))
DOCTOR = $(PY) -m commands.doctor $(firstword $(subst ., ,$(STACK))) $(ARGS)
QUEUES = $(PY) -m commands.queues $(firstword $(subst ., ,$(STACK))) $(ARGS)
EACH = $(PY) -m commands.rollout $(STACK) $(WAVE:%=--wave %)
OUTPUTS = stacks=$$($(EACH)) && for stack in $$stacks; do pulumi stack output --json --stack $$stack || exit; done
COMPILE = $(VENV)/bin/uv pip compile --quiet --no-header --no-annotate
RENDER = $(PY) -m commands.job render "$(or $(JOB),$(error say which job file: JOB=examples/jobs/pi.yaml))" --target - $(CLUSTER:%=--cluster %) $(ARGS)

ifneq ($(filter-out laptop,$(ON)),)
$(error ON is `$(ON)` and may be `laptop`)
endif
.DEFAULT_GOAL := help
.PHONY: help setup venv tools up preview down move status doctor queues job stack-files test lint bench soak requirements images schema clean

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /|/' | awk -F'|' '{printf "make %-14s %s\n", $$1, $$2}'

setup: venv tools ## everything that `up` needs: Python packages, engine, Kubernetes (first time: about 20 minutes)

venv:
	@./bootstrap

tools: venv
	@$(PY) -m localcloud setup

ifneq ($(LAPTOP),)
ifneq ($(filter-out local local.%,$(STACK)),)
export MOKA_MACHINES ?= 3
endif

up: setup ## bring STACK up (WAVE=, ON=laptop), and say what there is
	@$(EACH) -- $(PY) -m localcloud up --brief --stack {stack} -- $(ARGS)
	@$(PY) -m localcloud summary

preview: setup ## show what `up` would do to STACK
	@$(EACH) -- $(PY) -m localcloud preview --stack {stack} -- $(ARGS)

down: venv ## destroy STACK, and end every process once nothing is left
	@$(EACH) --down -- $(PY) -m localcloud down --stack {stack} -- $(ARGS)

move: setup ## bring what is deployed into the stacks that the settings of STACK name (ARGS=--yes)
	@$(PY) -m commands.rollout $(STACK) -- $(PY) -m localcloud create --stack {stack}
	@. .local/env && $(PY) -m commands.move $(STACK) $(ARGS)

status: venv ## what runs, and what is there (ARGS=--json for scripts)
	@$(PY) -m localcloud status $(ARGS)

doctor: venv ## ask the accounts of STACK whether it can be (ARGS=--json, ARGS="--only quotas")
	@exports=$$($(PY) -m localcloud env) && eval "$$exports" && test -n "$$AWS_ENDPOINT_URL" || { echo "The laptop's AWS was never started here, so there is nobody to ask: run \`make up\` first." >&2; exit 2; }; $(DOCTOR)

job: venv ## a job file as SparkApplications for STACK, or what is wrong with it (JOB=, CLUSTER=)
	@exports=$$($(PY) -m localcloud env) && eval "$$exports" && outputs=$$($(OUTPUTS)) && printf '%s' "$$outputs" | $(RENDER)
queues: venv ## the queues of STACK (ARGS="--svg FILE", --json, --yaml), or what a scheduler has (ARGS=--in-force)
	@exports=$$($(PY) -m localcloud env) && eval "$$exports"; $(QUEUES)
else
.PHONY: own-shell own-pulumi
own-shell:
	@test -z "$$MOKA_CLOUD" || { echo "This shell is set up for the laptop cloud, and $(STACK) is a real stack: use a shell without \`. .local/env\`, or say ON=laptop." >&2; exit 1; }

own-pulumi: own-shell
	@command -v pulumi >/dev/null || { echo "$(STACK) is a real stack and there is no pulumi on PATH: install it from pulumi.com, then run this again; or say ON=laptop." >&2; exit 1; }

up preview: own-pulumi venv
	@$(EACH) -- pulumi $@ --stack {stack} $(ARGS)

down: own-pulumi venv
	@$(EACH) --down -- pulumi destroy --stack {stack} $(ARGS)

move: own-pulumi venv
	@$(PY) -m commands.move $(STACK) $(ARGS)

status: own-pulumi venv
	@$(EACH) -- pulumi stack --stack {stack} $(ARGS)

doctor: own-shell venv
	@$(DOCTOR)

queues: venv
	@$(QUEUES)

job: own-pulumi venv
	@outputs=$$($(OUTPUTS)) && printf '%s' "$$outputs" | $(RENDER)
endif

stack-files: venv ## write Pulumi's own file for each stack of STACK that lacks one
	@$(PY) -m commands.rollout $(STACK) --files

test: setup ## every test: units, the laptop cloud, and `local` on the real engine
	@$(PY) -m pytest $(ARGS)

lint: venv ## formatting, style, types, and which package imports which
	@$(VENV)/bin/ruff format --check --quiet .
	@$(VENV)/bin/ruff check --quiet .
	@$(VENV)/bin/mypy
	@$(VENV)/bin/lint-imports --no-cache >.local/imports.log || { cat .local/imports.log; exit 1; }

bench: setup ## time and memory of `local` and of twenty clusters, beside the floor; writes docs/benchmarks.md
	@$(PY) -m benchmarks $(ARGS)

soak: setup ## what takes longer than a test may
	@$(PY) -m pytest tests/soak $(ARGS)

requirements: venv ## requirements.txt anew from requirements.in, the services' too
	@(echo '# Made by `make requirements` from requirements.in: every dependency, pinned.'; \
	  $(COMPILE) requirements.in services/*/requirements.in) > .local/requirements.txt
	@mv .local/requirements.txt requirements.txt
	@for service in $(SERVICES); do (echo '# Made by `make requirements` from requirements.in: what the image holds.'; \
	  $(COMPILE) --generate-hashes --python-version 3.13 -c requirements.txt services/$$service/requirements.in) > .local/requirements.txt \
	  && mv .local/requirements.txt services/$$service/requirements.txt || exit; done

images: ## build the services' images for both architectures, and push them (REGISTRY=, SERVICE=, TAG=)
	@test -n "$(REGISTRY)" || { echo "Say where to push them: REGISTRY=<registry>/<prefix of the repositories>." >&2; exit 2; }
	@for service in $(or $(SERVICE),$(SERVICES)); do docker buildx build --platform linux/amd64,linux/arm64 --push --build-arg SERVICE=$$service \
	  --tag $(REGISTRY)/$$(echo $$service | tr _ -):$(TAG) --file services/Dockerfile $(ARGS) . || exit; done

schema: venv ## the JSON schemas of settings and of jobs anew from their models
	@$(PY) -c 'from stacks.settings import schema; [path.write_text(text) for path, text in schema.files().items()]'

clean: ## end the laptop cloud and remove all that was made here; built tools stay in the user's cache
	@test ! -x $(PY) || $(PY) -m localcloud stop
	rm -rf .local
