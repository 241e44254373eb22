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
VERSIONS := $(shell sed -n 's/^namespace \(v[0-9]\+\)\b.*/\1/p' $(CORE_SOURCE) | sort -uV)
ifdef VERSION
  ifeq ($(filter $(VERSION),$(VERSIONS)),)
    $(error VERSION=$(VERSION): $(CORE_SOURCE) has no such version, only $(VERSIONS))
  endif
  SWITCH := -DVERSION=$(VERSION)
endif

# The sources that the program is built from, not the whole tree: a log written by `tee` into the
# tree does not make another revision.
REVISION ?= $(shell r=$$(git describe --always --abbrev=10 2>/dev/null) && { git diff --quiet HEAD \
              -- sources Makefile || r=$$r-modified; }; echo $${r:-unknown})
FACTS = '-DBUILD_FLAGS="$(strip $(FLAGS) $(SWITCH))"' '-DBUILD_REVISION="$(REVISION)"'

# ---- programs ----------------------------------------------------------------------------------

.PHONY: all data run bench search report test help clean FORCE
.DELETE_ON_ERROR:
all: $(PROGRAM) $(BUILD)/make_data

FILES   := $(addprefix $(BUILD)/entropy_,samples.o reference_file.o)
OPTIONS := $(BUILD)/entropy_options.o
CORE_O  := $(PROGRAM)_core.o
ENGINE  := $(patsubst sources/engine/%.cpp,$(BUILD)/engine_%.o,$(wildcard sources/engine/*.cpp))

$(PROGRAM): $(BUILD)/entropy_main.o $(CORE_O) $(OPTIONS) $(FILES) $(ENGINE)
	$(LINK) $^ -o $@
$(BUILD)/make_data: $(BUILD)/make_data.o $(FILES)
	$(LINK) $^ -o $@

$(BUILD)/scaling: $(BUILD)/scaling.o $(BUILD)/entropy_core.o $(ENGINE)
	$(LINK) $^ -o $@

$(BUILD)/bench_cpu: $(BUILD)/bench_cpu.o $(ENGINE)
	$(LINK) $^ -o $@
$(BUILD)/search_hash: $(BUILD)/search_hash.o $(BUILD)/engine_partitions.o
	$(LINK) $^ -o $@

# A stamp changes only when the command in it does: other settings rebuild, the same ones do not.
STAMP = @mkdir -p $(@D) && { echo '$(1)' | cmp -s - $@ || echo '$(1)' > $@; }
$(BUILD)/compiler.stamp: FORCE
	$(call STAMP,$(CU) / $(CPP))
$(PROGRAM)_switch.stamp: FORCE
	$(call STAMP,$(SWITCH))

$(CORE_O): $(CORE_SOURCE) $(BUILD)/compiler.stamp $(PROGRAM)_switch.stamp
	$(CU) $(SWITCH) $(FACTS) -MD -MP -c $< -o $@
$(BUILD)/entropy_%.o: sources/entropy/%.cu $(BUILD)/compiler.stamp
	$(CU) -MD -MP -c $< -o $@
$(BUILD)/entropy_%.o: sources/entropy/%.cpp $(BUILD)/compiler.stamp
	$(CPP) -MD -MP -c $< -o $@
# One binary for every processor: only these files may use instructions that some of them lack.
X86 := $(filter x86_64% i386% i486% i586% i686% amd64%,$(shell $(CXX) -dumpmachine))
$(BUILD)/engine_cpu_avx2.o:   INSTRUCTIONS := $(if $(X86),-mavx2)
$(BUILD)/engine_cpu_avx512.o: INSTRUCTIONS := $(if $(X86),-mavx512f -mavx512bw)
$(BUILD)/engine_%.o: sources/engine/%.cpp $(BUILD)/compiler.stamp
	$(CPP) $(INSTRUCTIONS) -MD -MP -c $< -o $@
$(BUILD)/%.o: tools/%.cpp $(BUILD)/compiler.stamp
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
bench: $(PROGRAM) $(BUILD)/scaling $(BUILD)/bench_cpu data
	mkdir -p results/$(MACHINE)
	$(BUILD)/bench_cpu results/$(MACHINE)/cpu.csv
	ENTROPY_BENCHMARK=0 $(BUILD)/scaling results/$(MACHINE)/scaling.csv
	ENTROPY_RESULTS=results/$(MACHINE) $(PROGRAM)

# The hashes of sources/engine/cpu_hash.h, found again: ten minutes each.
search: $(BUILD)/search_hash
	$(BUILD)/search_hash ternary
	$(BUILD)/search_hash binary

# Tables and plots of README.md and report.md from results/; the plots need gnuplot.
report:
	tools/report.py

# ---- tests -------------------------------------------------------------------------------------

TEST_SOURCES := $(wildcard tests/*.cpp tests/*.cu)
TEST_OBJECTS := $(patsubst tests/%,$(BUILD)/tests/%.o,$(filter-out %/foreign_main.cu,$(TEST_SOURCES)))

$(BUILD)/tests/%.cpp.o: tests/%.cpp $(BUILD)/compiler.stamp $(BUILD)/tests/setup.stamp
	$(CPP) -DBUILD_DIRECTORY='"$(BUILD)"' -MD -MP -c $< -o $@
$(BUILD)/tests/%.cu.o: tests/%.cu $(BUILD)/compiler.stamp $(BUILD)/tests/setup.stamp
	$(CU) -MD -MP -c $< -o $@
$(BUILD)/tests/all: $(TEST_OBJECTS) $(CORE_O) $(OPTIONS) $(FILES) $(ENGINE)
	$(LINK) $^ -lgtest -lpthread -o $@
# The core in another framework, which knows cudaCallback and has a global divup of its own.
$(BUILD)/tests/foreign: $(BUILD)/tests/foreign_main.cu.o $(CORE_O) $(ENGINE)
	$(LINK) $^ -o $@

# GoogleTest, installed where it is missing.
$(BUILD)/tests/setup.stamp: tools/setup.sh
	tools/setup.sh tests $(CXX)
	@mkdir -p $(@D) && touch $@

test: $(BUILD)/tests/all $(BUILD)/tests/foreign $(PROGRAM) $(BUILD)/make_data
	$(BUILD)/tests/all $(TESTFLAGS)

# ---- the rest ----------------------------------------------------------------------------------

define HELP
make            build $(BUILD)/entropy and $(BUILD)/make_data
make data       make data/data.bin and data/reference.bin, and check their checksums
make run        run the active version on data/data.bin, after the benchmark of all versions
make bench      the same, and keep the times in results/<machine>/
make search     search for the hash functions of the CPU engine
make test       build and run the tests, after installing GoogleTest if it is missing
make clean      remove $(BUILD)/, data/data.bin and data/reference.bin

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
