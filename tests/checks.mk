# ---- checks that take long ---------------------------------------------------------------------
# What make test leaves out: many calls at once, sanitizers, other compilers and processors.
# A program that is missing is named, with its package.

.PHONY: soak test-library test-valgrind test-old-cpus test-builds test-threads long-checks

# 16 threads with mixed filters and sizes for so long; then so many calls one after the other. All
# bits must be right, and the memory flat: tests/soak/soak.cpp.
SOAK_SECONDS ?= 60
SOAK_THREADS ?= 16
SOAK_CALLS   ?= 100000
$(BUILD)/tests/soak/%.o: tests/soak/%.cpp $(BUILD)/tests/compiler.stamp
	@mkdir -p $(@D)
	$(TEST_CPP) -MD -MP -c $< -o $@
$(BUILD)/tests/soak/soak: $(addprefix $(BUILD)/tests/soak/,soak.o questions.o resident.o) $(LIBRARY)
	$(LINK) $^ -lpthread -o $@
soak: $(BUILD)/tests/soak/soak
	$< --threads $(SOAK_THREADS) --seconds $(SOAK_SECONDS)
	$< --calls $(SOAK_CALLS)

# The tests of the library alone: what the sanitizers of the compiler are for, SANITIZE=.
test-library: $(BUILD)/tests/library
	@tests/run.sh '$< $(TESTFLAGS)'

# The ladder's versions with so many threads of OpenMP, and what other programs do to it.
THREAD_COUNTS ?= 1 2 3 7 64
test-threads: $(addprefix $(BUILD)/,tests/all tests/hostile entropy)
	@tests/run.sh $(foreach threads,$(THREAD_COUNTS), \
	    'OMP_NUM_THREADS=$(threads) $(BUILD)/tests/all --gtest_filter="*Versions/*:Hostile.*" $(TESTFLAGS)')

# The tests of the library in a simulated processor that sees each access to memory: small ones.
test-valgrind: $(BUILD)/tests/library
	@tests/valgrind.sh $(BUILD) $(TESTFLAGS)

# The same tests as test-arm runs, on processors without AVX-512, without AVX2, and without SSSE3.
test-old-cpus: $(BUILD)/tests/library
	@tests/old_cpus.sh $(BUILD) $(TESTFLAGS)

# The library and its tests, built in other ways.
test-builds:
	@MAKE='$(SUBMAKE)' tests/builds.sh $(BUILD) $(TESTFLAGS)

# All of it, without CUDA, in builds of their own.
LONG_CHECKS := 'CUDA=0 BUILD=build-address-undefined SANITIZE=address,undefined SOAK_CALLS=1000 test soak' \
               'CUDA=0 BUILD=build-thread SANITIZE=thread SOAK_CALLS=1000 test-library soak' \
               $(patsubst %,'CUDA=0 BUILD=build-cpu %',soak test-threads test-valgrind test-old-cpus \
               test-builds test-arm)
long-checks:
	@for check in $(LONG_CHECKS); do echo "== make $$check"; \
	    $(MAKE) --no-print-directory $$check || failed="$$failed\n  make $$check"; done; \
	[ -z "$$failed" ] || { printf "failed:$$failed\n"; exit 1; }
