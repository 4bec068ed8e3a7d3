# One command per target; `make` alone prints this list.
# An environment's folder is named after its lock and its Python, so it is made once per
# content of the lock and reused until that changes.

PYTHON ?= python3

key = $(shell { $(PYTHON) -V; cat locks/$(1).txt; } | cksum | cut -d ' ' -f 1)
SITE := .venv/site-$(call key,site)
TEST := .venv/test-$(call key,test)
TORCH := .venv/torch-$(call key,torch)-$(call key,alone)
LOCK := .venv/lock-$(call key,lock)
NPM := $(TEST)/bin/python tests/tools/node.py npm

INSTALL = bin/python -m pip --quiet --disable-pip-version-check install
COMPILE = $(LOCK)/bin/uv pip compile --quiet --universal --python-version 3.11 \
	--generate-hashes --no-annotate --no-header

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help site serve new check trace probe train-twin test test-torch test-probe test-training test-cuda bench bench-probe bench-peers golden lock clean

help:  ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' Makefile

site: $(SITE)/made  ## build _site/ and what it needs to be built [ARGS=…]
	$(SITE)/bin/python build.py $(ARGS)

serve: $(SITE)/made  ## build _site/, show it, and follow what is saved
	$(SITE)/bin/python build.py serve

new: $(SITE)/made  ## begin an article: make new SLUG=my-article [ARGS=…]
	$(SITE)/bin/python build.py new "$$SLUG" $(ARGS)

check: $(SITE)/made  ## find what a build would find, and write nothing
	$(SITE)/bin/python build.py check

trace: $(SITE)/made  ## verify the model and write its trace.json here
	$(SITE)/bin/python model/tiny_llama.py --verify --export-trace trace.json

probe: $(TORCH)/made  ## record a model: make probe DEVICE=cuda:0 [MODEL=…] [ARGS=…]
	$(TORCH)/bin/python probe/probe_pretrained.py --device "$$DEVICE" \
		$${MODEL:+--model "$$MODEL"} --output probe/traces $(ARGS)

train-twin: $(TORCH)/made  ## train the model's twin anew: make train-twin [SEED=0]
	$(TORCH)/bin/python probe/train_twin.py --seed $(or $(SEED),0) \
		--output model/twin.npz $(ARGS)

test: $(TEST)/made node_modules/.package-lock.json  ## run every test, setting up what they need
	$(TEST)/bin/python tests/tools/browsers.py
	$(TEST)/bin/ruff check .
	$(NPM) run lint
	$(NPM) run types
	$(NPM) test
	$(TEST)/bin/python -m pytest -m "not torch" --numprocesses 2 --dist loadfile

test-torch: $(TORCH)/made  ## compare the model with Hugging Face's (installs PyTorch)
	$(TORCH)/bin/python -m pytest -m torch tests/model

test-probe: $(TORCH)/made  ## try the probe on small random models and on SmolLM2
	$(TORCH)/bin/python -m pytest -m "torch and not cuda and not training" tests/probe

test-training: $(TORCH)/made  ## train the twin with three seeds; each must repeat
	$(TORCH)/bin/python -m pytest -m training tests/probe

test-cuda: $(TORCH)/made  ## try the probe on an NVIDIA GPU
	$(TORCH)/bin/python -m pytest -m cuda tests/probe

bench: $(TEST)/made  ## measure builds, pages and the model; write bench/results/
	$(TEST)/bin/python tests/tools/browsers.py
	OPENBLAS_NUM_THREADS=1 $(TEST)/bin/python -m bench

bench-probe: $(TORCH)/made  ## measure the probe and the gallery [PEERS=folder]
	$(TORCH)/bin/python tests/tools/browsers.py
	OPENBLAS_NUM_THREADS=1 $(TORCH)/bin/python -m bench.probe \
		$(if $(PEERS),--peers "$(PEERS)")

bench-peers: $(TEST)/made node_modules/.package-lock.json  ## measure the peers beside this project [PEERS=folder]
	$(TEST)/bin/python tests/tools/browsers.py
	$(TEST)/bin/python tests/tools/node.py $(TEST)/bin/python -m bench.peers \
		$(if $(PEERS),--keep "$(PEERS)")

golden: $(TEST)/made  ## write the golden pages anew; read the difference
	$(TEST)/bin/python -m tests.golden_pages

lock: $(LOCK)/made  ## write locks/ anew from pyproject.toml
	$(COMPILE) pyproject.toml -o locks/site.txt
	$(COMPILE) pyproject.toml --group test -o locks/test.txt
	$(COMPILE) pyproject.toml --group test --group torch -o locks/torch.txt
	$(COMPILE) --no-deps --group alone -o locks/alone.txt
	$(COMPILE) --group node -o locks/node.txt
	$(COMPILE) --group lock -o locks/lock.txt

clean:  ## remove everything that the other targets made
	rm -rf _site .venv node_modules .pytest_cache .ruff_cache .hypothesis

.venv/%/made:
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("needs Python 3.11 or newer: make PYTHON=...")'
	$(PYTHON) -m venv --clear $(@D)
	$(@D)/$(INSTALL) --require-hashes -r locks/$(firstword $(subst -, ,$*)).txt
	touch $@

# PyTorch has no lock: its CPU build and its CUDA build share a version but no hash.
$(TORCH)/made: locks/torch.txt locks/alone.txt
	$(PYTHON) -m venv --clear $(@D)
	$(@D)/$(INSTALL) torch==2.13.0
	$(@D)/$(INSTALL) --require-hashes -r locks/torch.txt
	$(@D)/$(INSTALL) --require-hashes --no-deps -r locks/alone.txt
	touch $@

node_modules/.package-lock.json: package-lock.json $(TEST)/made
	$(NPM) ci --no-audit --no-fund
