# What is done with environments: of this repository, and of those that `moka init` starts. `make help` lists it.
#
# STACK is an environment, for all of its stacks in order, or one of them: `prod`, `prod.shared`. WAVE is one of
# the waves that its settings name. `local` runs on the laptop cloud, and any other environment with
# ON=laptop, with a few machines a node group. Without, it is a real one: it gets the `pulumi` that you have
# installed, with its own plugins and your backend, and nothing of the laptop's.
#
# JOB is a job file, and CLUSTER where to run it if STACK has several. APPLICATION is Spark's id of an application.
# ARGS are options for the command itself. ACCOUNT is one of yours, for `conformance`.
#
# VARIABLES has the names of further ones, of the Makefile that includes this.

STACK ?= local
WAVE ?=
ON ?=
ARGS ?=
JOB ?=
APPLICATION ?=
CLUSTER ?=
ACCOUNT ?=

# A name is all that a shell may read in these: what is more is refused before anything expands it.
VARIABLES := STACK WAVE ON ARGS JOB APPLICATION CLUSTER ACCOUNT $(VARIABLES)
NAME_CHARACTERS := a b c d e f g h i j k l m n o p q r s t u v w x y z \
  A B C D E F G H I J K L M N O P Q R S T U V W X Y Z 0 1 2 3 4 5 6 7 8 9 . - _
PATH_CHARACTERS := $(NAME_CHARACTERS) / : @ ~ + =
define refuse_beyond
REST := $$(value $1)
$$(foreach character,$2,$$(eval REST := $$$$(subst $$(character),,$$$$(value REST))))
$$(if $$(value REST),$$(error $1 is `$$(value $1)`, and can only have letters, digits and $(filter-out $(filter-out . - _,$(NAME_CHARACTERS)),$2)))
endef
$(foreach name,STACK WAVE CLUSTER APPLICATION ACCOUNT,$(eval $(call refuse_beyond,$(name),$(NAME_CHARACTERS))))
ifeq ($(STACK),)
$(error STACK is empty: name an environment, as in STACK=prod, or one of its stacks, or leave it out)
endif
UNREAD := $(foreach name,$(filter-out $(VARIABLES) PYTHON SHELL MOKA_% MAKE%,$(.VARIABLES)),$(if $(findstring command line,$(origin $(name))),$(name)))
ifneq ($(strip $(UNREAD)),)
$(error Nothing here reads $(strip $(UNREAD)): correct the name to one of $(VARIABLES))
endif

VENV := .local/venv
PY := $(VENV)/bin/python
LAPTOP := $(or $(filter local local.%,$(STACK)),$(filter laptop,$(ON)))
MOKA := $(PY) -m commands
ENVIRONMENT = $(firstword $(subst ., ,$(STACK)))
EVENTS = --json --non-interactive
ROLLOUT = $(MOKA) rollout $(STACK) $(WAVE:%=--wave %)
OUTPUTS = stacks=$$($(ROLLOUT)) && for stack in $$stacks; do pulumi stack output --json --stack $$stack || exit; done
# A laptop reaches no repository of charts, so what is inside them is not a reason to refuse there.
POLICIES := --policy-pack policies $(if $(LAPTOP),--policy-pack-config policies/laptop.json)

ifneq ($(filter-out laptop,$(ON)),)
$(error ON is `$(ON)`, and can only be `laptop`)
endif
.DEFAULT_GOAL := help
# Images of Python for containers often set it, and without bytecode on the disk every program and plugin of an update compiles
# the SDKs anew, which is half of its time (CPython 3.11.7: 3.6 s and 1.2 s to load the modules of pulumi_eks's components).
unexport PYTHONDONTWRITEBYTECODE
.PHONY: help setup venv known-stack tools bootstrap up preview review drift down move recover status doctor leftovers mirror queues shrink draw dashboards job submit logs stack-files conformance conformance-environment audit clean

help: ## show this list
	@grep -hE '^[a-z-]+:.*## ' $(lastword $(MAKEFILE_LIST)) $(filter-out $(lastword $(MAKEFILE_LIST)),$(MAKEFILE_LIST)) | sed -E 's/:.*## /|/' | awk -F'|' '{printf "make %-14s %s\n", $$1, $$2}'

setup: venv tools ## install all that `up` needs: Python packages, engine, Kubernetes (first time: 10 to 20 minutes)

venv:
	@./bootstrap

known-stack: venv
	@$(ROLLOUT) >/dev/null

tools: venv
	@$(PY) -m localcloud setup $(if $(filter --json,$(ARGS)),>&2)

ifneq ($(LAPTOP),)
ifneq ($(filter-out local local.%,$(STACK)),)
export MOKA_MACHINES ?= 3
endif

# A preview makes the stack that it is of, empty, where a stack after it reads its outputs.
TIDY := status=$$?; $(PY) -m localcloud tidy && exit $$status

up: known-stack setup ## deploy STACK with its policies (WAVE=, ON=laptop), and print a summary
	@$(ROLLOUT) -- $(PY) -m localcloud up --brief --stack {stack} -- $(POLICIES) $(ARGS)
	@$(PY) -m localcloud summary

preview: known-stack setup ## show what `up` would change in STACK, and what its policies refuse
	@$(ROLLOUT) -- $(PY) -m localcloud preview --stack {stack} -- $(POLICIES) $(ARGS); $(TIDY)

review: known-stack setup ## preview STACK into .local/previews, with the policy pack, and what `moka report` makes of it
	@$(ROLLOUT) -- $(MOKA) preview {stack} -- \
	  $(PY) -m localcloud preview --stack {stack} -- $(EVENTS) $(POLICIES) $(ARGS); $(TIDY)

drift: known-stack setup ## find what of STACK is not as it was deployed (ARGS="--to FILE"); changes nothing
	@$(MOKA) drift $(STACK) $(ARGS) -- $(PY) -m localcloud preview --stack {stack} -- $(EVENTS) --refresh; $(TIDY)

down: venv ## destroy STACK; on the laptop, end every process once nothing is left
	@$(ROLLOUT) --down -- $(PY) -m localcloud down --stack {stack} -- $(ARGS)

move: known-stack setup ## move what is deployed into the stacks that the settings of STACK name (ARGS=--yes)
	@$(MOKA) rollout $(STACK) -- $(PY) -m localcloud create --stack {stack}
	@. .local/env && $(MOKA) move $(STACK) $(ARGS)

recover: known-stack setup ## put STACK right after an `up` or `down` that was cut off (ARGS=--yes, ARGS=--delete)
	@$(PY) -m localcloud start >/dev/null
	@$(USE_LAPTOP) $(MOKA) recover $(STACK) $(ARGS) -- $(PY) -m localcloud pulumi {verb} --stack {stack} --

status: venv ## show what runs, and what is deployed (ARGS=--json for scripts)
	@$(PY) -m localcloud status $(ARGS)

USE_LAPTOP := exports=$$($(PY) -m localcloud env) && eval "$$exports" &&
USE_LAPTOP_AWS := $(USE_LAPTOP) { test -n "$$AWS_ENDPOINT_URL" || { echo "The laptop's AWS was never started here: run \`make up\` first." >&2; exit 2; }; } &&
else
.PHONY: own-shell own-pulumi not-cut-off
# pulumi_eks and kubeconfigs run `aws`, which is there (pulumi/pulumi-eks: nodejs/eks/cluster/cluster.ts).
export PATH := $(abspath $(VENV)/bin):$(PATH)
own-shell: known-stack
	@test -z "$$MOKA_CLOUD" || { echo "This shell is set up for the laptop cloud, and $(STACK) is a real stack: use a shell without \`. .local/env\`, or set ON=laptop." >&2; exit 1; }

own-pulumi: own-shell
	@command -v pulumi >/dev/null || { echo "$(STACK) is a real stack and there is no pulumi on PATH: install it from pulumi.com, or set ON=laptop." >&2; exit 1; }

up: not-cut-off
up preview: own-pulumi venv
	@$(ROLLOUT) -- pulumi $@ --stack {stack} $(POLICIES) $(ARGS)

not-cut-off: own-pulumi venv
	@$(MOKA) recover $(STACK) --check

review: own-pulumi venv
	@$(ROLLOUT) -- $(MOKA) preview {stack} -- pulumi preview --stack {stack} $(EVENTS) $(POLICIES) $(ARGS)

drift: own-pulumi venv
	@$(MOKA) drift $(STACK) $(ARGS)

down: own-pulumi venv not-cut-off
	@$(ROLLOUT) --down -- pulumi destroy --stack {stack} $(ARGS)

move: own-pulumi venv
	@$(MOKA) move $(STACK) $(ARGS)

recover: own-pulumi venv
	@$(MOKA) recover $(STACK) $(ARGS)

status: own-pulumi venv
	@$(ROLLOUT) -- pulumi stack --stack {stack} $(ARGS)

OWN_SHELL := own-shell
OWN_PULUMI := own-pulumi
endif

bootstrap: $(OWN_PULUMI) venv ## make what the accounts of STACK need before its first `up` (ARGS=--dry-run, ARGS=--undo)
	@$(USE_LAPTOP_AWS) $(MOKA) bootstrap $(ENVIRONMENT) $(ARGS)

doctor: $(OWN_SHELL) venv ## check whether the accounts of STACK can take it (ARGS=--json, ARGS="--only quotas")
	@$(USE_LAPTOP_AWS) $(MOKA) doctor $(ENVIRONMENT) $(ARGS)

leftovers: $(OWN_PULUMI) venv ## list what of STACK stands in AWS and no stack knows (ARGS=--json, ARGS="--cluster NAME")
	@$(USE_LAPTOP_AWS) $(MOKA) leftovers $(ENVIRONMENT) $(ARGS)

mirror: venv ## fill the mirror of STACK with every chart and image (ARGS=--dry-run, ARGS="--to REGISTRY")
	@$(MOKA) mirror $(ENVIRONMENT) $(ARGS)

queues: venv ## show the queues of STACK (ARGS="--svg FILE", --json, --yaml), or how a scheduler's differ (ARGS=--in-force)
	@$(USE_LAPTOP) $(MOKA) queues $(ENVIRONMENT) $(ARGS)

shrink: $(OWN_SHELL) venv ## empty machines of a node group and end them (ARGS="CLUSTER GROUP --by 3", ARGS="... --dry-run")
	@$(USE_LAPTOP_AWS) $(MOKA) shrink $(ENVIRONMENT) $(ARGS)

draw: venv ## show what STACK has and what reads what (ARGS="--svg FILE"), and what a preview changes (ARGS="--preview FILE")
	@$(MOKA) draw $(STACK) $(ARGS)

dashboards: venv ## list the Grafana dashboards, or write them for import (ARGS="--to FOLDER", ARGS=--json)
	@$(MOKA) dashboards $(ARGS)

job: $(OWN_PULUMI) venv ## print a job file as SparkApplications for STACK, or all that is wrong with it (JOB=, CLUSTER=)
	@$(USE_LAPTOP_AWS) outputs=$$($(OUTPUTS)) && printf '%s' "$$outputs" | $(MOKA) job render --target - $(CLUSTER:%=--cluster %) $(ARGS) \
	  $(if $(value JOB),'$(subst ','\'',$(value JOB))',$(error JOB is not set: name a job file, as in JOB=examples/jobs/pi.yaml))

submit: $(OWN_SHELL) venv ## submit a job file to Archer, and follow it to its end (JOB=, ARGS="--key KEY")
	@$(USE_LAPTOP) $(VENV)/bin/archer submit --wait $(ARGS) \
	  $(if $(value JOB),'$(subst ','\'',$(value JOB))',$(error JOB is not set: name a job file, as in JOB=examples/jobs/pi.yaml))

logs: $(OWN_SHELL) venv ## print the logs of an application from S3 (APPLICATION=, ARGS=--follow, ARGS="--role executor")
	@$(USE_LAPTOP_AWS) $(MOKA) logs $(ENVIRONMENT) $(or $(APPLICATION),$(error APPLICATION is not set: name it by its id, as in APPLICATION=spark-0a1b2c)) $(ARGS)

stack-files: venv ## write the Pulumi stack files that STACK lacks
	@$(MOKA) stack-files $(STACK)

conformance: $(if $(ACCOUNT),venv,setup) ## put to AWS what the laptop refuses (ACCOUNT=), and list where they differ; without it, to the laptop
	@$(if $(ACCOUNT),,$(PY) -m localcloud start >&2 && $(USE_LAPTOP)) $(PY) -m conformance --account $(or $(ACCOUNT),123456789012) $(ARGS)

conformance-environment: known-stack $(if $(ACCOUNT),venv,setup) ## bring STACK up in ACCOUNT, look at it from outside, upgrade it, take it down; without ACCOUNT, on the laptop
	@$(if $(ACCOUNT),$(CHECK_ENVIRONMENT) --account $(ACCOUNT) $(ARGS),$(CHECK_ON_LAPTOP))

CHECK_ENVIRONMENT := $(PY) -m conformance.environment $(STACK)
CHECK_ON_LAPTOP = $(MOKA) rollout $(STACK) -- $(PY) -m localcloud create --stack {stack} && $(USE_LAPTOP) \
	$(PY) -m localcloud simulated | $(CHECK_ENVIRONMENT) --lacking - --yes $(ARGS) -- \
	$(PY) -m localcloud pulumi {verb} --stack {stack} --

audit: venv ## look for known vulnerabilities of what requirements.txt pins, in PyPI's list
	@$(VENV)/bin/pip-audit --strict --disable-pip --require-hashes --progress-spinner off --requirement requirements.txt $(ARGS)

clean: ## end the laptop cloud, also that of MOKA_CLOUD, and remove it and .local; built tools stay in the user's cache
	@test ! -x $(PY) || { $(PY) -m localcloud clean && MOKA_CLOUD= $(PY) -m localcloud clean; }
	rm -rf .local
