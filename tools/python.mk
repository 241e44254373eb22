# ---- the Python package ------------------------------------------------------------------------

.PHONY: python python-library test-python
PACKAGE := $(BUILD)/python

# What pip has built (python/setup.py): it first says for what, as pip -v shows, since it takes long.
FOR_WHAT = $(if $(filter 1,$(CUDA)),the CPU and by $(NVCC) for GPUs (ARCH=$(ARCH)): many minutes \
             on few cores$(COMMA) most of which CUDA=0 in the environment spares,the CPU alone: some \
             minutes on few cores)
python-library:
	@echo 'local_entropy: compiling the library for $(FOR_WHAT)'
	@$(MAKE) --no-print-directory $(SHARED_LIBRARY)

# A wheel and an sdist, of which the wheel is made, tested. It needs the network, or pip's own store.
python: $(SHARED_LIBRARY) needs-python
	@tools/python_package.sh $(PYTHON) $(abspath $(BUILD)) $(abspath $(PACKAGE)) $(CUDA)

# The package of this tree over the library of this build.
test-python: $(SHARED_LIBRARY) needs-python
	@$(PYTHON) -c 'import numpy, pytest' || { echo 'make test-python: pip install numpy pytest, and \
	    scikit-image to compare with; or name a Python that has them, PYTHON=' >&2; exit 2; }
	@rm -rf $(PACKAGE)/tree && mkdir -p $(PACKAGE)/tree && cp -r python/local_entropy $(PACKAGE)/tree
	@cp -f $(SHARED_LIBRARY) $(PACKAGE)/tree/local_entropy/liblocal_entropy.so.1
	PYTHONPATH=$(abspath $(PACKAGE)/tree)$${PYTHONPATH:+:$$PYTHONPATH} $(PYTHON) -m pytest -q -p no:cacheprovider \
	    --doctest-modules python/tests $(PACKAGE)/tree/local_entropy $(TESTFLAGS)
