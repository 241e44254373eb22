# The windowed-entropy ladder. `make help` lists targets and settings.

BUILD ?= build
CXX   ?= g++
NVCC  ?= $(firstword $(shell command -v nvcc) $(wildcard /usr/local/cuda/bin/nvcc))
CUDA  ?= $(if $(NVCC),1,0)
CORE  ?= core

# ---- compilers ---------------------------------------------------------------------------------

OPTIMIZE ?= -O3
FLAGS    := -std=c++17 $(OPTIMIZE)
WARNINGS := -Wall -Wextra
CPP      := $(CXX) $(FLAGS) $(WARNINGS) -fopenmp -Isources

ifeq ($(CUDA),1)
  ifeq ($(NVCC),)
    $(error CUDA=1, but there is no nvcc: install the CUDA toolkit, or build with CUDA=0)
  endif
  ARCH  ?= $(if $(shell nvidia-smi -L 2>/dev/null | grep '^GPU'),native,all-major)
  FLAGS += -arch=$(ARCH)
  HOST  := -ccbin $(CXX) -Xcompiler -fopenmp
  CU    := $(NVCC) $(FLAGS) --threads 0 $(HOST) $(patsubst %,-Xcompiler %,$(WARNINGS)) -Isources
  LINK  := $(NVCC) -arch=$(ARCH) $(HOST)
else ifeq ($(CUDA),0)
  CU    := $(CPP) -x c++
  LINK  := $(CXX) -fopenmp
else
  $(error CUDA is '$(CUDA)', expected 0 or 1)
endif

# ---- the core and its switch -------------------------------------------------------------------

# core.cu builds the program entropy; cores/NAME.cu plugs into the same main, as the program NAME.
CORE_SOURCE := $(if $(filter core,$(CORE)),sources/entropy/core.cu,sources/entropy/cores/$(CORE).cu)
PROGRAM     := $(BUILD)/$(if $(filter core,$(CORE)),entropy,$(CORE))
ifeq ($(wildcard $(CORE_SOURCE)),)
  $(error CORE=$(CORE): there is no $(CORE_SOURCE))
endif
# Every named namespace of a core is a version.
VERSIONS := $(shell awk '/^namespace [a-z]/ && !seen[$$2]++ { print $$2 }' $(CORE_SOURCE))
ifdef VERSION
  ifeq ($(filter $(VERSION),$(VERSIONS)),)
    $(error VERSION=$(VERSION): $(CORE_SOURCE) has no such version, only $(VERSIONS))
  endif
  SWITCH := -DVERSION=$(VERSION)
endif
# The other cores, built for their tests, keep what their own switch says.
SWITCH_OF = $(if $(filter $(notdir $(PROGRAM)),$(1)),$(SWITCH))

# The sources that the program is built from, not the whole tree: a log written by `tee` into the
# tree does not make another revision.
REVISION ?= $(shell git describe --always --abbrev=10 2>/dev/null || echo unknown)$(shell \
              git diff --quiet HEAD -- sources Makefile 2>/dev/null || echo -modified)
FACTS = '-DBUILD_FLAGS="$(strip $(FLAGS) $(call SWITCH_OF,$*))"' '-DBUILD_REVISION="$(REVISION)"'

# ---- programs ----------------------------------------------------------------------------------

.PHONY: all data run bench measures batch report test versions help clean FORCE
.DELETE_ON_ERROR:
all: $(PROGRAM) $(BUILD)/make_data

FILES   := $(addprefix $(BUILD)/entropy_,samples.o reference_file.o)
OPTIONS := $(BUILD)/entropy_options.o
CORES   := $(sort $(PROGRAM) $(addprefix $(BUILD)/,entropy memory_study bottleneck_study))

$(CORES): $(BUILD)/%: $(BUILD)/entropy_main.o $(BUILD)/%_core.o $(OPTIONS) $(FILES)
	$(LINK) $^ -o $@
$(CORES:%=%_measures): $(BUILD)/%_measures: $(BUILD)/measures.o $(BUILD)/%_core.o $(FILES)
	$(LINK) $^ -o $@
$(BUILD)/make_data: $(BUILD)/make_data.o $(FILES)
	$(LINK) $^ -o $@

# A stamp changes only when the command in it does: other settings rebuild, the same ones do not.
STAMP = @mkdir -p $(@D) && { echo '$(1)' | cmp -s - $@ || echo '$(1)' > $@; }
$(BUILD)/compiler.stamp: FORCE
	$(call STAMP,$(CU) / $(CPP))
$(CORES:%=%_switch.stamp): $(BUILD)/%_switch.stamp: FORCE
	$(call STAMP,$(call SWITCH_OF,$*))

COMPILE_CORE = $(CU) $(call SWITCH_OF,$*) $(FACTS) -MD -MP -c $< -o $@
CORE_STAMPS  = $(BUILD)/compiler.stamp $(BUILD)/%_switch.stamp
STUDIES_O    = $(patsubst %,%_core.o,$(filter-out $(BUILD)/entropy,$(CORES)))
$(BUILD)/entropy_core.o: $(BUILD)/%_core.o: sources/entropy/core.cu $(CORE_STAMPS)
	$(COMPILE_CORE)
$(STUDIES_O): $(BUILD)/%_core.o: sources/entropy/cores/%.cu $(CORE_STAMPS)
	$(COMPILE_CORE)
$(BUILD)/entropy_%.o: sources/entropy/%.cu $(BUILD)/compiler.stamp
	$(CU) -MD -MP -c $< -o $@
$(BUILD)/entropy_%.o: sources/entropy/%.cpp $(BUILD)/compiler.stamp
	$(CPP) -MD -MP -c $< -o $@
$(BUILD)/make_data.o $(BUILD)/measures.o: $(BUILD)/%.o: tools/%.cpp $(BUILD)/compiler.stamp
	$(CPP) -MD -MP -c $< -o $@

# ---- data, runs, results -----------------------------------------------------------------------

# Made once; the committed checksums say whether this machine made the right bytes.
data: data/reference.bin
data/reference.bin: $(BUILD)/make_data data/SHA256SUMS
	$(BUILD)/make_data
	cd data && sha256sum --check SHA256SUMS

run: $(PROGRAM) data
	$(PROGRAM)

MACHINE ?= $(shell tools/machine_name.sh)
RESULTS = results/$(MACHINE)$(if $(filter-out core,$(CORE)),/$(CORE))
bench: $(PROGRAM) data
	mkdir -p $(RESULTS)
	ENTROPY_RESULTS=$(RESULTS) $(PROGRAM)

# Every version, judged by its total time over all groups but the first and by the slowest group.
measures: $(PROGRAM)_measures data
	mkdir -p $(RESULTS)
	ENTROPY_BENCHMARK=0 $(PROGRAM)_measures data/data.bin $(RESULTS)/measures.csv

# The active version as a program of its own on three text files, three times each.
BATCH := $(patsubst %,$(BUILD)/batch/%.txt,1024x1024 4096x4096 8192x512)
$(BATCH): $(BUILD)/batch/%.txt: $(BUILD)/make_data
	@mkdir -p $(@D)
	$(BUILD)/make_data $* random $@
batch: $(PROGRAM) $(BATCH)
	@for file in $(BATCH); do for run in 1 2 3; do \
	    log=$$(ENTROPY_BENCHMARK=warm-up $(PROGRAM) $$file) || exit; \
	    echo "$$(basename $$file .txt) $$(echo "$$log" | grep '^Time: ')"; \
	done; done

versions:
	@echo $(VERSIONS)

# ---- tests -------------------------------------------------------------------------------------

TEST_SOURCES := $(wildcard tests/*.cpp tests/*.cu)
TEST_OBJECTS := $(patsubst tests/%,$(BUILD)/tests/%.o, \
                  $(filter-out %/foreign_main.cu %_study.cpp,$(TEST_SOURCES)))
STUDY_TESTS  := $(addprefix $(BUILD)/tests/,memory_study bottleneck_study)

$(BUILD)/tests/%.cpp.o: tests/%.cpp $(BUILD)/compiler.stamp $(BUILD)/tests/setup.stamp
	$(CPP) -DBUILD_DIRECTORY='"$(BUILD)"' -MD -MP -c $< -o $@
$(BUILD)/tests/%.cu.o: tests/%.cu $(BUILD)/compiler.stamp $(BUILD)/tests/setup.stamp
	$(CU) -MD -MP -c $< -o $@
$(BUILD)/tests/all: $(TEST_OBJECTS) $(BUILD)/entropy_core.o $(OPTIONS) $(FILES)
	$(LINK) $^ -lgtest -lpthread -o $@
# The tests that every core must pass, and its own.
$(STUDY_TESTS): $(BUILD)/tests/%: $(BUILD)/tests/main.cpp.o $(BUILD)/tests/no_benchmark.cpp.o \
                $(BUILD)/tests/test_core.cpp.o $(BUILD)/tests/test_%.cpp.o $(BUILD)/%_core.o
	$(LINK) $^ -lgtest -lpthread -o $@
# The core in another framework, which knows cudaCallback and has a global divup of its own.
$(BUILD)/tests/foreign: $(BUILD)/tests/foreign_main.cu.o $(BUILD)/entropy_core.o
	$(LINK) $^ -o $@

# GoogleTest, installed where it is missing.
$(BUILD)/tests/setup.stamp: tools/setup.sh
	tools/setup.sh tests $(CXX)
	@mkdir -p $(@D) && touch $@

test: $(BUILD)/tests/all $(BUILD)/tests/foreign $(STUDY_TESTS) $(CORES) $(BUILD)/make_data
	$(BUILD)/tests/all $(TESTFLAGS)
	$(BUILD)/tests/memory_study $(TESTFLAGS)
	$(BUILD)/tests/bottleneck_study $(TESTFLAGS)

# ---- the rest ----------------------------------------------------------------------------------

define HELP
make            build $(PROGRAM) and $(BUILD)/make_data
make data       make data/data.bin and data/reference.bin, and check their checksums
make run        run the active version on data/data.bin, after the benchmark of all versions
make bench      the same, and keep the times in $(if $(filter-out core,$(CORE)),results/<machine>/$(CORE)/,results/<machine>/)
make measures   time all versions by the groups of data/data.bin: total and slowest group
make batch      run the active version on three text files, three times each
make versions   list the versions of the core
make test       build and run the tests, after installing GoogleTest if it is missing
make clean      remove $(BUILD)/, data/data.bin and data/reference.bin

CORE=NAME       core to use, sources/entropy/cores/NAME.cu, as the program $(BUILD)/NAME:
                memory_study or bottleneck_study (default: sources/entropy/core.cu)
VERSION=v3      active version of the core, instead of the one that its switch names
CUDA=0          build without nvcc, OpenMP versions only (default: 1 where there is an nvcc)
ARCH=sm_90      GPU architecture (default: this machine's GPU; without one, all major ones)
CXX=clang++     host compiler (default: g++)
BUILD=DIR       where to build (default: build)
endef
export HELP
help:
	@echo "$$HELP"

clean:
	rm -rf $(BUILD) data/data.bin data/reference.bin

-include $(wildcard $(BUILD)/*.d $(BUILD)/tests/*.d)
