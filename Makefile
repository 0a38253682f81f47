# What is done with this repository; deploy.mk has what is done with environments. `make help` lists both.
#
# SERVICE is a folder of services/ or images/, and REGISTRY and TAG where its image goes. BASE is what a change is made
# to: a branch or commit.

SERVICE ?=
REGISTRY ?=
TAG ?= $(shell git describe --tags --always --dirty)
BASE ?= main
UPGRADE ?=
, := ,

VARIABLES := SERVICE REGISTRY TAG BASE UPGRADE
include deploy.mk
$(eval $(call refuse_beyond,SERVICE,$(NAME_CHARACTERS)))
$(foreach name,BASE REGISTRY,$(eval $(call refuse_beyond,$(name),$(PATH_CHARACTERS))))

SERVICES := $(patsubst services/%/__main__.py,%,$(wildcard services/*/__main__.py))
PINNED := $(filter-out common,$(patsubst services/%/requirements.in,%,$(wildcard services/*/requirements.in)))
IMAGES := $(patsubst images/%/Dockerfile,%,$(wildcard images/*/Dockerfile))
COMPILE = $(VENV)/bin/uv pip compile --quiet --no-header --no-annotate --generate-hashes

.PHONY: demo test lint ci bench soak requirements sbom images schema package reference

demo: venv ## on the laptop that is up: thirty days of 2,000 workflows, a plan of them in force, a report (ARGS="--workflows N")
	@test "$(STACK)" = local || { echo "The demo is of \`local\`, and STACK is $(STACK): leave it out." >&2; exit 2; }
	@$(USE_LAPTOP_AWS) $(PY) -m demo $(ARGS)

# One process more than cores: half of the time of a test of the laptop is a wait for another program.
test: setup ## run every test: units, policies, and the laptop cloud on the real engine
	@$(PY) -m pytest --numprocesses $$(( $$(getconf _NPROCESSORS_ONLN) + 1 )) --maxprocesses 4 --dist loadscope --no-loadscope-reorder --durations 30 $(ARGS)

lint: venv ## check formatting, style, types, which package imports which, and workflows of CI
	@$(VENV)/bin/ruff format --check --quiet .
	@$(VENV)/bin/ruff check --quiet .
	@$(VENV)/bin/mypy
	@$(VENV)/bin/lint-imports --no-cache >.local/imports.log || { cat .local/imports.log; exit 1; }
	@go -C .github/actionlint tool actionlint
	@$(VENV)/bin/zizmor --offline --persona=auditor --no-progress .github >.local/zizmor.log 2>&1 || { cat .local/zizmor.log; exit 1; }
	@$(VENV)/bin/check-jsonschema --quiet --builtin-schema vendor.gitlab-ci examples/ci/gitlab-ci.yml

ci: lint test ## what CI asks of a change: lint, tests, and previews on the laptop of what it touches (BASE=)
	@stacks=$$($(MOKA) changed $(BASE)) && for stack in $$stacks; do $(MAKE) --no-print-directory review STACK=$$stack ON=laptop || exit; done

bench: setup ## measure time and memory of `local` and of twenty clusters; writes docs/benchmarks.md
	@$(PY) -m benchmarks $(ARGS)

# Two processes, however many cores there are: what is measured beside more would say little.
soak: setup ## run the tests that take long; ARGS=--left goes on where a run was cut off
	@$(PY) -m pytest tests/soak --verbose --numprocesses 2 --dist loadscope --no-loadscope-reorder $(ARGS)

# What a file has pinned stays as it is, unless UPGRADE says otherwise.
define pin
cp $(1) .local/pins.txt && \
$(COMPILE) $(if $(UPGRADE),--upgrade) --output-file .local/pins.txt $(3) >/dev/null && \
(echo '# Made by `make requirements` from requirements.in: $(2)'; cat .local/pins.txt) > .local/requirements.txt && \
mv .local/requirements.txt $(1)
endef

requirements: venv ## pin requirements.in in requirements.txt with hashes, the services' too (UPGRADE=1: the newest of all)
	@$(call pin,requirements.txt,every dependency$(,) pinned by version and hashes.,\
	  --universal --python-version 3.11 requirements.in services/*/requirements.in)
	@for service in $(PINNED); do $(call pin,services/$$service/requirements.txt,what the image holds.,\
	  --python-version 3.13 -c requirements.txt services/$$service/requirements.in) || exit; done
	@$(call pin,packages/repository/requirements.txt,what `moka init` starts with.,\
	  --universal --python-version 3.11 -c requirements.txt packages/repository/requirements.in)

reference: venv ## build the API reference of moka and its components into .local/reference
	@$(PY) packages/reference.py .local/reference

package: venv ## build the wheels of the library, the platform, the laptop cloud and the client of Archer into .local/dist
	@$(MOKA) package $(ARGS)

sbom: venv ## write what the platform and its images are made of, in CycloneDX, into .local/sbom
	@SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) $(MOKA) sbom $(ARGS)

images: ## build the images of services/ and images/ for both architectures, and push them (REGISTRY=, SERVICE=, TAG=)
	@test -n "$(REGISTRY)" || { echo "Say where to push them: REGISTRY=<registry>/<prefix of the repositories>." >&2; exit 2; }
	@for service in $(or $(SERVICE),$(SERVICES) $(IMAGES)); do \
	  for file in images/$$service/Dockerfile services/$$service/Dockerfile services/Dockerfile; do test ! -f $$file || break; done; \
	  docker buildx build --platform linux/amd64,linux/arm64 --push --build-arg SERVICE=$$service \
	  --tag $(REGISTRY)/$$(echo $$service | tr _ -):$(TAG) --file $$file $(ARGS) . || exit; done

schema: venv ## generate JSON Schemas and pages (settings, layers, policies) from what they are about
	@$(MOKA) schema
	@$(PY) clients/archer/generate.py
