# The windowed-entropy ladder. `make help` lists targets and settings.

# Sanitizers of the compiler: the first thing that they find ends a program. In a build of their own.
# Only clang's of threads understands its OpenMP; g++ compiles the others sooner.
SANITIZE ?=
COMMA := ,
ifneq ($(SANITIZE),)
  BUILD    ?= build-$(subst $(COMMA),-,$(SANITIZE))
  CUDA     ?= 0
  OPTIMIZE ?= -O1
  ifeq ($(origin CXX) $(filter thread,$(subst $(COMMA), ,$(SANITIZE))),default thread)
    CXX    := clang++
  endif
  # Where OpenMP waits, archer tells, which comes with it. Children of a fork may start threads.
  # Where memory lacks, a program is told so, as it is without a sanitizer: tests see to it.
  export TSAN_OPTIONS ?= ignore_noninstrumented_modules=1 halt_on_error=1 die_after_fork=0 \
                         allocator_may_return_null=1
  export ASAN_OPTIONS ?= allocator_may_return_null=1
endif

BUILD ?= build
CXX   ?= g++
NVCC  ?= $(firstword $(shell command -v nvcc) $(wildcard /usr/local/cuda/bin/nvcc))
CUDA  ?= $(if $(NVCC),1,0)
CORE  ?= core

# ---- compilers ---------------------------------------------------------------------------------

OPTIMIZE ?= -O3
# More flags, for all host code and for nvcc: tools/flags.sh studies what they bring.
HOST_FLAGS ?=
CUDA_FLAGS ?=
CHECKS   := $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer -g1 )
FLAGS    := -std=c++17 $(OPTIMIZE) -fopenmp $(CHECKS)$(HOST_FLAGS)
WARNINGS := -Wall -Wextra
CPP      := $(CXX) $(FLAGS) $(WARNINGS) -Isources

GPU := $(shell nvidia-smi -L 2>/dev/null | grep '^GPU')
ifeq ($(CUDA),1)
  ifeq ($(NVCC),)
    $(error CUDA=1, but there is no nvcc: install the CUDA toolkit, or build with CUDA=0)
  endif
  ifneq ($(SANITIZE),)
    $(error SANITIZE=$(SANITIZE) is for builds without CUDA: add CUDA=0, and BUILD= for its own folder)
  endif
  # Without a GPU here, one architecture: code for all of them takes five times as long to build.
  ARCH  ?= $(if $(GPU),native,sm_90)
  HOST  := -ccbin $(CXX) -Xcompiler -fopenmp $(patsubst %,-Xcompiler %,$(HOST_FLAGS))
  CU    := $(NVCC) -std=c++17 $(OPTIMIZE) $(CUDA_FLAGS) -arch=$(ARCH) --threads 0 $(HOST) \
           $(patsubst %,-Xcompiler %,$(WARNINGS)) -Isources
  LINK  := $(NVCC) -arch=$(ARCH) $(HOST)
  FLAGS += $(CUDA_FLAGS) -arch=$(ARCH)

  # cuBLAS, a peer of the transpose lab, where this toolkit has it. The loader does not always look
  # into the toolkit's directory: hence the path in the program.
  TOOLKIT := $(abspath $(dir $(NVCC))..)
  ifneq ($(wildcard $(addsuffix /include/cublas_v2.h,$(TOOLKIT) $(TOOLKIT)/targets/*)),)
    CU        += -DHAVE_CUBLAS
    LIBRARIES := -lcublas -Xlinker -rpath -Xlinker $(TOOLKIT)/lib64
  endif
else ifeq ($(CUDA),0)
  CU    := $(CPP) -x c++
  LINK  := $(CXX) -fopenmp $(CHECKS)
else
  $(error CUDA is '$(CUDA)', expected 0 or 1)
endif

# ---- cores, labs and their switches ------------------------------------------------------------

# core.cu makes the program entropy. cores/NAME.cu plugs into the same main, as the program NAME.
CORE_SOURCE := $(if $(filter core,$(CORE)),sources/entropy/core.cu,sources/entropy/cores/$(CORE).cu)
PROGRAM     := $(BUILD)/$(if $(filter core,$(CORE)),entropy,$(CORE))

# A core's name becomes that of a program: it may not be another's, and make knows no spaces. A file
# with such a name is left out, and the other builds go on.
# Folders in $(BUILD) come first: a core cannot have the place of one.
TAKEN   := objects bench tests another arm fuzz found corpus gpus grade batch python record \
           core entropy make_data maximum transpose hello \
           $(basename $(notdir $(wildcard tools/*.cu tools/*.cpp tests/*.cu tests/*.cpp)))
WRONG_NAME := is left out: the name of a core is letters, digits, - and _, and not that of another \
              program here
CORES_HERE := $(shell cd sources/entropy/cores && for file in *.cu; do name=$${file%.cu}; \
  case "$$name" in (*[!A-Za-z0-9_-]* | -* | *_measures | *_profile | *_devices) ;; \
  (*) case " $(TAKEN) " in (*" $$name "*) ;; (*) echo "$$name"; continue ;; esac ;; esac; \
  [ "$$name" = '*' ] || echo "sources/entropy/cores/$$file $(strip $(WRONG_NAME))" >&2; done)
CORE_PROGRAMS := $(BUILD)/entropy $(CORES_HERE:%=$(BUILD)/%)
ifneq ($(words $(CORE)),1)
  $(error CORE=$(CORE): a core's name has no spaces)
endif
ifeq ($(wildcard $(CORE_SOURCE)),)
  $(error CORE=$(CORE): there is no $(CORE_SOURCE))
endif
ifeq ($(filter core $(CORES_HERE),$(CORE)),)
  $(error CORE=$(CORE): $(CORE_SOURCE) cannot be built under this name, see above)
endif

# What measures versions needs a table of them (core.h); a core that brings cudaCallback alone has none.
ifneq ($(filter measures bench,$(MAKECMDGOALS)),)
  ifeq ($(shell grep -l 'versions()' $(CORE_SOURCE)),)
    $(error CORE=$(CORE): $(CORE_SOURCE) has no table of versions (entropy::versions(), see \
      sources/entropy/core.h), so there is nothing to time; make grade CORES=folder times such cores)
  endif
endif

# The companion labs: main.cu and core.cu, or one file. A version belongs to the source in whose
# namespaces it stands, and sets the switch of that program.
LABS       := maximum transpose hello
versions_in = $(shell awk '/^namespace [a-z]/ && $$3 != "=" { sub(/^transpose(::)?/, "", $$2); \
                if ($$2 && !seen[$$2]++) print $$2 }' $(1) /dev/null)
VERSIONS   := $(call versions_in,$(CORE_SOURCE))
LABS_RUN   := $(filter $(LABS),$(patsubst run-%,%,$(filter run-%,$(MAKECMDGOALS))))
ifdef VERSION
  # To make several words, or a %, are several names or a pattern, of which one that fits is enough.
  ifneq ($(words $(VERSION))$(findstring %,$(VERSION)),1)
    $(error VERSION=$(VERSION): expected the name of one version)
  endif
  $(foreach lab,$(LABS_RUN),$(if $(filter $(VERSION),$(call versions_in,$(wildcard \
    sources/$(lab)/core.cu))),,$(error VERSION=$(VERSION): $(if $(wildcard \
    sources/$(lab)/core.cu),sources/$(lab)/core.cu has no such version$(COMMA) only $(call \
    versions_in,sources/$(lab)/core.cu),the lab $(lab) has no versions: leave VERSION= out))))
  SWITCHED := $(if $(filter $(VERSION),$(VERSIONS)),$(notdir $(PROGRAM)),$(strip $(foreach lab,$(LABS),\
                $(if $(filter $(VERSION),$(call versions_in,$(wildcard sources/$(lab)/core.cu))),$(lab)))))
  ifeq ($(SWITCHED),)
    $(error VERSION=$(VERSION): $(CORE_SOURCE) has no $(if $(VERSIONS),such version$(COMMA) only \
      $(VERSIONS),versions to choose from: leave VERSION= out); the labs have $(sort \
      $(foreach lab,$(LABS),$(call versions_in,$(wildcard sources/$(lab)/core.cu)))))
  endif
endif
# Not to who asks for the program's name, and reads what is printed.
TOLD := $(if $(filter program,$(MAKECMDGOALS)),,$(SWITCHED))
ifneq ($(filter-out $(notdir $(PROGRAM)) $(MAKECMDGOALS:run-%=%),$(TOLD)),)
  $(info VERSION=$(VERSION) is a version of the lab $(SWITCHED): make run-$(SWITCHED) VERSION=$(VERSION))
endif
SWITCH_OF = $(if $(filter $(SWITCHED),$(notdir $(1))),-DVERSION=$(VERSION))

# The last commit that changed what programs are built from: a new report is not another revision.
BUILT_FROM := sources Makefile $(patsubst %,':(glob)tools/**/*.%',cpp cu h mk) ':!*.md'
REVISION := $(or $(REVISION),$(shell r=$$(git log -1 --format=%h --abbrev=10 -- $(BUILT_FROM) 2>/dev/null) && \
              [ "$$r" ] && { git diff --quiet HEAD -- $(BUILT_FROM) || r=$$r-modified; }; echo $${r:-unknown}))
FACTS     = '-DBUILD_FLAGS="$(strip $(FLAGS) $(call SWITCH_OF,$*))"' '-DBUILD_REVISION="$(REVISION)"'

# ---- programs ----------------------------------------------------------------------------------

# For scripts that build. A recipe that names MAKE itself is run by `make -n`, too.
SUBMAKE := $(MAKE)

.PHONY: all program labs compile-gpus data run bench bench-filter bench-launches costs check-choice peers search measures batch record revision report test tested test-programs test-grade test-install test-arm sanitize mutants versions grade grade-help needs-python help clean FORCE fuzz fuzz-corpus
.DELETE_ON_ERROR:
all: $(PROGRAM) $(BUILD)/make_data
# For scripts that run what all has built.
program:
	@echo '$(PROGRAM)'

# Objects mirror the sources: $(OBJECTS)/entropy/samples.o is of sources/entropy/samples.cpp.
OBJECTS := $(BUILD)/objects
FILES   := $(addprefix $(OBJECTS)/entropy/,samples.o reference_file.o)
PARTS   := $(BUILD)/entropy_main.o $(addprefix $(OBJECTS)/entropy/,options.o output.o prepared.o) $(FILES)

# The library is all that lies in its folders. Without nvcc, a .cu file is left out unless it knows of
# builds without: then it asks for __CUDACC__.
LIBRARY_SOURCES := $(shell find sources/local_entropy -name '*.cpp') \
                   $(shell find sources/local_entropy -name '*.cu' \
                             $(if $(filter 0,$(CUDA)),-exec grep -q __CUDACC__ {} \;) -print)
# Its objects may be those of another build: tools/flags.sh.
LIBRARY_OBJECTS ?= $(OBJECTS)
LIBRARY := $(patsubst sources/%,$(LIBRARY_OBJECTS)/%.o,$(basename $(sort $(LIBRARY_SOURCES))))
# What cores call.
BENEATH := $(addprefix $(OBJECTS)/entropy/,library.o pages.o result_memory.o) $(LIBRARY)

$(CORE_PROGRAMS): $(BUILD)/%: $(BUILD)/%_core.o $(PARTS) $(BENEATH)
	$(LINK) $^ -o $@
$(BUILD)/make_data: $(BUILD)/make_data.o $(FILES)
	$(LINK) $^ -o $@
# One harness, tools/bench, and programs that register cases.
BENCH := $(patsubst tools/%.cpp,$(BUILD)/%.o,$(wildcard tools/bench/*.cpp))
$(addprefix $(BUILD)/,bench_cpu bench_filter): $(BUILD)/%: $(BUILD)/%.o $(BENCH) $(BENEATH)
	$(LINK) $^ -o $@
$(addprefix $(BUILD)/,bench_gpu bench_everywhere bench_launches bench_together): $(BUILD)/%: $(BUILD)/%_main.o $(BENCH) $(BENEATH)
	$(LINK) $^ -o $@
$(BUILD)/scaling: $(BUILD)/scaling.o $(BENCH) $(BUILD)/entropy_core.o $(BENEATH)
	$(LINK) $^ -o $@
$(addprefix $(BUILD)/,parts threshold): $(BUILD)/%: $(BUILD)/%_main.o $(BENCH) $(BUILD)/entropy_core.o $(BENEATH)
	$(LINK) $^ -o $@
$(BUILD)/occupancy: $(BUILD)/occupancy_main.o
	$(LINK) $^ -o $@
$(BUILD)/profile_labs: $(addprefix $(BUILD)/,profile_labs_main.o maximum_core.o transpose_core.o)
	$(LINK) $^ $(LIBRARIES) -o $@
# What measures comes first, so that inline functions are its own, not those of a core that is built
# with other flags (tools/flags.sh).
HARNESS := $(BUILD)/bench_size_main.o
$(BUILD)/bench_size: $(HARNESS) $(BENEATH) $(BUILD)/entropy_core.o
	$(LINK) $^ -o $@
$(BUILD)/precision: $(BUILD)/precision.o
	$(LINK) $^ -o $@
$(BUILD)/search_hash: $(BUILD)/search_hash.o $(OBJECTS)/local_entropy/answers/partitions.o
	$(LINK) $^ -o $@
$(CORE_PROGRAMS:%=%_measures): $(BUILD)/%_measures: $(BUILD)/%_measures.o $(BUILD)/%_core.o $(FILES) $(BENEATH)
	$(LINK) $^ -o $@
$(CORE_PROGRAMS:%=%_profile): $(BUILD)/%_profile: $(BUILD)/profile_main.o $(BUILD)/%_core.o $(BENEATH)
	$(LINK) $^ -o $@
$(CORE_PROGRAMS:%=%_devices): $(BUILD)/%_devices: $(BUILD)/devices_main.o $(BENCH) $(BUILD)/%_core.o $(BENEATH)
	$(LINK) $^ -o $@

# A stamp changes only when the command in it does: other settings rebuild, the same ones do not.
STAMP = @mkdir -p $(@D) && { echo '$(subst ','\'',$(1))' | cmp -s - $@ || \
          echo '$(subst ','\'',$(1))' > $@; }
$(BUILD)/compiler.stamp: FORCE
	$(call STAMP,$(CU) / $(CPP))
$(BUILD)/%_switch.stamp: FORCE
	$(call STAMP,$(FACTS))
.PRECIOUS: $(BUILD)/%_switch.stamp

# What knows the switch and the facts of the build, and what does not.
COMPILE_CORE = $(CU) $(call SWITCH_OF,$*) $(FACTS) -MD -MP -c $< -o $@
$(BUILD)/entropy_core.o: $(BUILD)/%_core.o: sources/entropy/core.cu $(BUILD)/compiler.stamp \
                         $(BUILD)/%_switch.stamp
	$(COMPILE_CORE)
$(BUILD)/%_core.o: sources/entropy/cores/%.cu $(BUILD)/compiler.stamp $(BUILD)/%_switch.stamp
	$(COMPILE_CORE)
$(BUILD)/%_core.o: sources/%/core.cu $(BUILD)/compiler.stamp $(BUILD)/%_switch.stamp
	$(COMPILE_CORE)
$(BUILD)/%_main.o: sources/%/main.cu $(BUILD)/compiler.stamp $(BUILD)/%_switch.stamp
	$(COMPILE_CORE)
$(BUILD)/%_main.o: tools/%.cu $(BUILD)/compiler.stamp $(BUILD)/%_switch.stamp
	$(COMPILE_CORE) -Itools
$(BUILD)/%_measures.o: tools/measures.cu $(BUILD)/compiler.stamp $(BUILD)/%_switch.stamp
	$(COMPILE_CORE)

# All others.
$(OBJECTS)/%.o: sources/%.cpp $(BUILD)/compiler.stamp
	@mkdir -p $(@D)
	$(CPP) $(MORE_FLAGS) -MD -MP -c $< -o $@
$(OBJECTS)/%.o: sources/%.cu $(BUILD)/compiler.stamp
	@mkdir -p $(@D)
	$(CU) $(call for_cu,$(MORE_FLAGS)) -MD -MP -c $< -o $@
	$(REGISTER_EARLY)
$(BUILD)/%.o: tools/%.cpp $(BUILD)/compiler.stamp
	@mkdir -p $(@D)
	$(CPP) -Itools -MD -MP -c $< -o $@

# The library may become a shared one, which exports nothing but what it declares to be exported.
$(OBJECTS)/local_entropy/%.o: MORE_FLAGS := -fPIC -fvisibility=hidden
for_cu = $(if $(filter 1,$(CUDA)),$(patsubst %,-Xcompiler %,$(1)),$(1))
# A kernel can be launched once the constructor has run that nvcc adds to its object. Those of the
# library run before the load-time objects of a core, in whatever order they are linked: what stands
# in .init_array.NUMBER comes before what stands in .init_array.
OBJCOPY ?= objcopy
REGISTER_EARLY = $(if $(filter 1,$(CUDA)),$(OBJCOPY) --rename-section .init_array=.init_array.65000 $@)

# ---- code for other GPUs -----------------------------------------------------------------------

# Of every .cu file, for every kind of GPU from compute capability 7.5 on that this nvcc knows: does
# it compile? Nothing is linked. Before 7.5 there is none that CUDA 13 knows.
ifneq ($(filter compile-gpus,$(MAKECMDGOALS)),)
  ifneq ($(CUDA),1)
    $(error make compile-gpus: there is no nvcc, or CUDA=0)
  endif
  GPU_CODES ?= $(shell $(NVCC) --list-gpu-code | awk -F_ '$$2 >= 75')
  GPU_SOURCES := $(shell find sources -name '*.cu')
  CUBINS := $(foreach code,$(GPU_CODES),$(GPU_SOURCES:sources/%.cu=$(BUILD)/gpus/$(code)/%.cubin))
endif
define GPU_CODE_RULE
$(BUILD)/gpus/$(1)/%.cubin: sources/%.cu $(BUILD)/compiler.stamp
	@mkdir -p $$(@D)
	$$(NVCC) -std=c++17 $$(OPTIMIZE) $$(CUDA_FLAGS) -ccbin $$(CXX) -Isources -MD -MP -arch=$(1) \
	    -cubin $$< -o $$@
endef
$(foreach code,$(GPU_CODES),$(eval $(call GPU_CODE_RULE,$(code))))
compile-gpus: $(CUBINS)
	@echo 'compiled $(words $(GPU_SOURCES)) files for $(GPU_CODES)'

# ---- companion labs ----------------------------------------------------------------------------

LAB_OBJECTS := $(BUILD)/maximum_core.o $(BUILD)/transpose_core.o $(addprefix $(OBJECTS)/, \
                 maximum/options.o transpose/options.o hello/options.o hello/order.o)

labs: $(addprefix $(BUILD)/,$(LABS))
$(BUILD)/maximum $(BUILD)/transpose: $(BUILD)/%: $(BUILD)/%_main.o $(BUILD)/%_core.o \
                                     $(OBJECTS)/%/options.o
	$(LINK) $^ $(LIBRARIES) -o $@
$(BUILD)/hello: $(addprefix $(OBJECTS)/hello/,hello.o options.o order.o)
	$(LINK) $^ -o $@
define LAB_RULES
.PHONY: run-$(1)
run-$(1): $(BUILD)/$(1)
	$(BUILD)/$(1) $$(ARGUMENTS)
endef
$(foreach lab,$(LABS),$(eval $(call LAB_RULES,$(lab))))
run-hello: ARGUMENTS ?= 5 2 2

# ---- data, runs, results -----------------------------------------------------------------------

# Made where they are missing; the committed checksums say whether they are the right bytes.
data: data/data.bin data/reference.bin
	@cd data && sha256sum --quiet --check SHA256SUMS || { echo "make data: remove data/data.bin and" \
	    "data/reference.bin, which are not the assignment's, and try again" >&2; exit 1; }
data/data.bin: | $(BUILD)/make_data
	$(BUILD)/make_data
data/reference.bin: data/data.bin
	[ -e $@ ] || $(BUILD)/make_data

run: $(PROGRAM) data
	$(PROGRAM)

# Asked once, by the first that needs it: the text of make help, which every command gets, does.
MACHINE ?= $(eval MACHINE := $(shell tools/machine_name.sh))$(MACHINE)
RESULTS  = results/$(MACHINE)$(if $(filter-out core,$(CORE)),/$(CORE))
# The benchmark of all versions of the core, its times kept.
bench: $(PROGRAM) data
	mkdir -p $(RESULTS)
	ENTROPY_RESULTS=$(RESULTS) $(PROGRAM)

# Other software that computes the same, on this machine, as far as it is installed.
PYTHON ?= python3
peers: $(BUILD)/entropy $(BUILD)/entropy_measures $(BUILD)/make_data $(if $(filter 1,$(CUDA)),$(BUILD)/bench_gpu)
	@mkdir -p $(RESULTS)
	$(PYTHON) tools/peers.py --build $(BUILD) --csv $(RESULTS)/peers.csv $(ARGUMENTS)

# The library by window, type and levels, beside scikit-image on one core as far as it is installed.
# A part of it, ARGUMENTS='--cases 9x9', is printed only: it would take the place of the whole. Where
# there is a GPU also what bench-launches times, unless GPU_BENCHES is empty.
GPU_BENCHES := $(if $(GPU),$(if $(filter 0,$(CUDA)),,bench_launches bench_together))
bench-filter: $(addprefix $(BUILD)/,bench_filter $(if $(ARGUMENTS),,$(GPU_BENCHES)))
ifneq ($(strip $(ARGUMENTS)),)
	$(BUILD)/bench_filter $(ARGUMENTS)
else
	@mkdir -p $(RESULTS)
	$(BUILD)/bench_filter --csv $(RESULTS)/filter.csv
	@if command -v $(PYTHON) >/dev/null; then \
	    $(PYTHON) tools/bench/scikit_image.py --program $(BUILD)/bench_filter --csv $(RESULTS)/filter.csv; \
	    else echo 'scikit-image is not timed: there is no $(PYTHON)'; fi
	$(if $(GPU_BENCHES),$(MAKE) --no-print-directory bench-launches)
endif

# The library in the memory of a GPU, and from host memory to host memory by CPU and GPUs; beside them
# other software for GPUs, as far as it is installed.
bench-launches: $(addprefix $(BUILD)/,$(GPU_BENCHES) $(if $(GPU_BENCHES),bench_filter))
	@[ '$(GPU_BENCHES)' ] || { echo 'bench-launches: there is no GPU here, or no nvcc' >&2; exit 2; }
	@mkdir -p $(RESULTS)
	$(foreach bench,$(GPU_BENCHES),$(BUILD)/$(bench) --csv $(RESULTS)/$(bench:bench_%=%).csv &&) true
	@if command -v $(PYTHON) >/dev/null; then \
	    $(PYTHON) tools/bench/gpu_peers.py --program $(BUILD)/bench_filter --csv $(RESULTS)/launch_peers.csv; \
	    else echo 'other software for GPUs is not timed: there is no $(PYTHON)'; fi

# What the library's methods cost, measured: the table by which it chooses. Some minutes on a quiet
# machine whose processor has all the paths. Then: whether what it chooses is near enough to the best.
COSTS := sources/local_entropy/methods/costs.inc
costs: $(BUILD)/bench_filter
	$(BUILD)/bench_filter --costs $(COSTS) --revision '$(REVISION)'
WITHIN ?= 1.15
check-choice: $(BUILD)/bench_filter
	$(BUILD)/bench_filter --grid --methods all --within $(WITHIN) --contents natural --threads 1 \
	    --size 1024 --seconds 0.1 $(ARGUMENTS)

# The hashes of the methods words (hash.h), in seconds, and bits, ten minutes each, found again.
search: $(BUILD)/search_hash
	$(if $(ARGUMENTS),$(BUILD)/search_hash $(ARGUMENTS),$(foreach hash,gpu ternary binary,$(BUILD)/search_hash $(hash) &&) true)

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
	tools/batch.sh $(PROGRAM) "$(BATCH_CSV)" $(BATCH)

# Everything that README.md and report.md cite, measured from one revision on this machine.
record:
	tools/record.sh $(STAGES)
	$(MAKE) report
revision:
	@echo '$(REVISION)'

# Tables, numbers and plots of the documents from results/; the plots need matplotlib.
report:
	tools/report.py

versions:
	@echo '$(or $(VERSIONS),$(CORE_SOURCE) has no versions: it is one by itself)'

# ---- grading -----------------------------------------------------------------------------------

# Every core of a folder, built and run by itself where it can reach nothing: tools/grade/.
GRADER   := $(BUILD)/grade
BASELINE ?= $(if $(and $(filter 1,$(CUDA)),$(GPU)),v7,v12)
JUDGE    := $(addprefix $(GRADER)/,judge.o findings.o verdict.o core_process.o)
GPU_PROBE := $(if $(and $(filter 1,$(CUDA)),$(GPU)),$(GRADER)/gpu_probe)
GRADE_TOOLS := $(addprefix $(GRADER)/,box judge runner.o runner_cuda.o heap.o) $(GPU_PROBE)
# What its tests compare times with: an OpenMP version.
TEST_BASELINE := $(GRADER)/baseline_v12
GRADE_COMMAND = $(PYTHON) tools/grade/grade.py --tools $(GRADER) --cpp '$(CPP)' --cu '$(CU)' \
                  --link '$(LINK)' --gpu $(if $(GPU_PROBE),1,0) $(GPU_PROBE:%=--probe %)

ifneq ($(filter grade,$(MAKECMDGOALS)),)
  ifeq ($(CORES),)
    $(error make grade: CORES=folder is missing; make grade-help explains)
  endif
  ifeq ($(filter $(BASELINE),$(call versions_in,sources/entropy/core.cu)),)
    $(error BASELINE=$(BASELINE): the ladder has no such version, only $(call \
      versions_in,sources/entropy/core.cu))
  endif
  # By the table of versions. Else the whole class would be graded without the ratios asked for.
  ifneq ($(if $(and $(filter 1,$(CUDA)),$(GPU)),,$(filter $(BASELINE),$(shell \
      sed -n 's/^ *{"\(.*\)", cuda, .*/\1/p' sources/entropy/core.cu))),)
    $(error BASELINE=$(BASELINE) needs a GPU, and $(if $(filter 0,$(CUDA)),CUDA=0 builds without \
      CUDA,there is none here): name an OpenMP version such as v12, or leave BASELINE= out)
  endif
endif

$(GRADER)/%.o: tools/grade/%.cpp $(BUILD)/compiler.stamp
	@mkdir -p $(@D)
	$(CPP) -MD -MP -c $< -o $@
$(GRADER)/runner_cuda.o: tools/grade/runner.cpp $(BUILD)/compiler.stamp
	@mkdir -p $(@D)
	$(CPP) -DWITH_CUDA -MD -MP -c $< -o $@
$(GRADER)/gpu_probe: tools/grade/gpu_probe.cu $(BUILD)/compiler.stamp
	@mkdir -p $(@D)
	$(CU) $< -o $@
$(GRADER)/box: $(GRADER)/box.o $(GRADER)/isolation.o
	$(CXX) $^ -o $@
$(GRADER)/judge: $(JUDGE) $(FILES)
	$(CXX) -fopenmp $^ -o $@
$(GRADER)/baseline_%: tools/grade/baseline.cpp tools/grade/runner.cpp $(GRADER)/heap.o \
                      $(BUILD)/entropy_core.o $(BENEATH)
	$(CPP) -DBASELINE='"$*"' -c tools/grade/baseline.cpp -o $@.o
	$(CPP) -DcudaCallback=baselineCallback -c tools/grade/runner.cpp -o $@_runner.o
	$(LINK) $(BUILD)/entropy_core.o $@.o $@_runner.o $(GRADER)/heap.o $(BENEATH) -o $@
.PRECIOUS: $(GRADER)/baseline_%

grade: needs-python $(GRADE_TOOLS) $(GRADER)/baseline_$(BASELINE)
	@[ "$${DATA:-data/data.bin}" != data/data.bin ] || $(MAKE) --no-print-directory data
	@$(GRADE_COMMAND) --library '$(BENEATH)' --baseline $(GRADER)/baseline_$(BASELINE) \
	    --baseline-name $(BASELINE) $${DATA:+--data "$$DATA"} \
	    $${REFERENCE:+--reference "$$REFERENCE"} $${GRADES:+--grades "$$GRADES"} \
	    $${LIMIT:+--limit "$$LIMIT"} $${MEMORY:+--memory "$$MEMORY"} $${JOBS:+--jobs "$$JOBS"} \
	    $(if $(FRESH),--fresh) -- "$$CORES"
grade-help: needs-python
	@$(GRADE_COMMAND) --help
NEEDS_PYTHON = @command -v $(PYTHON) >/dev/null || { \
    echo 'make: $(PYTHON) is missing: install python3, or name another with PYTHON=' >&2; exit 2; }
needs-python:
	$(NEEDS_PYTHON)

# ---- tests -------------------------------------------------------------------------------------

# Programs that tests/all starts, each a main or a core of its own.
PROGRAMS     := foreign broken minimal misbehaving hostile broken_maximum broken_transpose \
                broken_measures
TEST_SOURCES := $(filter-out $(PROGRAMS:%=tests/%.cu),$(wildcard tests/*.cpp tests/*.cu))
# Tests of one core only; test_core.cpp is for every core.
STUDIES      := memory_study bottleneck_study fast_study variants_study
ALL_SOURCES  := $(filter-out $(STUDIES:%=tests/test_%.cpp),$(TEST_SOURCES))

# By -O1 they compile in about a quarter less time, and run a little slower: most of what takes long
# is in the library.
TEST_OPTIMIZE ?= -O1
TEST_CPP := $(subst $(OPTIMIZE),$(TEST_OPTIMIZE),$(CPP))
TEST_CU  := $(subst $(OPTIMIZE),$(TEST_OPTIMIZE),$(CU))
# Tests that start programs know where they are built; all others are compiled alike in every build.
NAMED_BUILD = $(if $(shell grep -l BUILD_DIRECTORY $<),-DBUILD_DIRECTORY='"$(BUILD)"')

$(BUILD)/tests/compiler.stamp: FORCE
	$(call STAMP,$(TEST_CU) / $(TEST_CPP))
$(BUILD)/tests/%.cpp.o: tests/%.cpp $(BUILD)/tests/compiler.stamp $(BUILD)/tests/setup.stamp
	@mkdir -p $(@D)
	$(TEST_CPP) -Itools $(NAMED_BUILD) -MD -MP -c $< -o $@
$(BUILD)/tests/%.cu.o: tests/%.cu $(BUILD)/tests/compiler.stamp $(BUILD)/tests/setup.stamp
	@mkdir -p $(@D)
	$(TEST_CU) -MD -MP -c $< -o $@
# Fuzz targets, each a program of clang's libFuzzer; the tests try the files of their corpora.
FUZZ_TARGETS := samples reference options c_interface methods
FUZZ_OBJECTS := $(FUZZ_TARGETS:%=$(BUILD)/tests/fuzz/%.cpp.o)
FUZZ_BUILD   ?= build-fuzz
FUZZ_SECONDS ?= 60
fuzz:
	@MAKE='$(SUBMAKE)' tests/fuzz/run.sh $(FUZZ_BUILD) $(FUZZ_SECONDS) $(FUZZ_TARGETS)
fuzz-corpus:
	@MAKE='$(SUBMAKE)' tests/fuzz/run.sh $(FUZZ_BUILD) 0 $(FUZZ_TARGETS)
$(FUZZ_TARGETS:%=$(BUILD)/fuzz/%): $(BUILD)/fuzz/%: tests/fuzz/entry.cpp $(BUILD)/tests/fuzz/%.cpp.o
	@mkdir -p $(@D)
	$(TEST_CPP) -fsanitize=fuzzer -DTARGET=$* $^ -o $@
$(addprefix $(BUILD)/fuzz/,samples reference): $(FILES)
$(addprefix $(BUILD)/fuzz/,c_interface methods): $(LIBRARY)
FUZZ_OPTIONS := $(BUILD)/transpose_core.o $(addprefix $(OBJECTS)/,entropy/options.o \
    maximum/options.o transpose/options.o hello/options.o)
$(BUILD)/fuzz/options: $(FUZZ_OPTIONS)
# The files of the corpora alone, by any compiler: few enough to be tried under its sanitizers.
$(BUILD)/tests/corpora: $(addprefix $(BUILD)/tests/,main.cpp.o no_benchmark.cpp.o test_fuzz_corpus.cpp.o) \
                        $(FUZZ_OBJECTS) $(FUZZ_OPTIONS) $(FILES) $(LIBRARY)
	$(LINK) $^ -lgtest -lpthread -o $@

# With CUDA, calls of it come to tests/cuda_faults.cu first.
ifeq ($(CUDA),1)
  FAULTS := $(addprefix -Xlinker --wrap=,cudaGetDeviceCount cudaGetDevice cudaSetDevice \
              cudaGetLastError cudaDeviceGetAttribute cudaLaunchKernelExC cudaEventSynchronize \
              cudaHostAlloc)
endif
$(BUILD)/tests/all: $(ALL_SOURCES:%=$(BUILD)/%.o) $(FUZZ_OBJECTS) $(BUILD)/entropy_core.o $(LAB_OBJECTS) $(BENCH) \
                    $(filter-out %_main.o,$(PARTS)) $(BENEATH)
	$(LINK) $^ $(FAULTS) -lgtest -lpthread $(LIBRARIES) -o $@
$(STUDIES:%=$(BUILD)/tests/%): $(BUILD)/tests/%: $(BUILD)/tests/main.cpp.o $(BUILD)/%_core.o \
    $(BUILD)/tests/no_benchmark.cpp.o $(BUILD)/tests/test_core.cpp.o $(BUILD)/tests/test_%.cpp.o \
    $(BENEATH)
	$(LINK) $^ -lgtest -lpthread -o $@
# The library by itself, whose allocations come to tests/local_entropy/allocations.cpp first.
ALLOCATIONS := $(addprefix -Xlinker --wrap=,malloc aligned_alloc free)
$(BUILD)/tests/local_entropy/%.cpp.o: tests/local_entropy/%.cpp $(BUILD)/tests/compiler.stamp \
                                      $(BUILD)/tests/setup.stamp
	@mkdir -p $(@D)
	$(TEST_CPP) -MD -MP -c $< -o $@
$(BUILD)/tests/library: $(patsubst %,$(BUILD)/%.o,$(wildcard tests/local_entropy/*.cpp)) \
                        $(BUILD)/tests/main.cpp.o $(LIBRARY)
	$(LINK) $^ $(ALLOCATIONS) -lgtest -lpthread -o $@
# Every kernel on small images, with the tests of cores and labs on small shapes. With CUDA, what
# registers kernels and launches them, and asks what a GPU has, goes through
# tests/kernels/launched.cpp, which counts them.
KERNEL_TESTS := $(addprefix $(BUILD)/tests/,kernels/test_every_kernel.cu.o main.cpp.o \
    no_benchmark.cpp.o test_core.cpp.o test_ladder.cpp.o test_maximum.cpp.o \
    test_maximum_program.cpp.o test_transpose.cpp.o test_transpose_device.cu.o \
    test_transpose_program.cpp.o test_words_device.cu.o test_words_bad_cells.cu.o)
ifeq ($(CUDA),1)
  KERNEL_TESTS += $(BUILD)/tests/kernels/launched.cpp.o
  COUNTED := $(addprefix -Xlinker --wrap=,__cudaRegisterFunction __cudaGetKernel cudaLaunchKernel \
               cudaLaunchKernelExC cudaDeviceGetAttribute)
endif
$(BUILD)/tests/every_kernel: $(KERNEL_TESTS) $(BUILD)/entropy_core.o $(LAB_OBJECTS) $(BENEATH)
	$(LINK) $^ $(COUNTED) -lgtest -lpthread $(LIBRARIES) -o $@
# The library, the core and the labs, where calls of CUDA fail one after another: what they call
# goes through tests/faults/calls.cu, but for what names errors, and what a GPU is for tables.
CALL_TESTS := $(patsubst %,$(BUILD)/%.o,$(wildcard tests/faults/*.cu)) \
    $(addprefix $(BUILD)/tests/,main.cpp.o no_benchmark.cpp.o)
CALLERS    := $(BUILD)/entropy_core.o $(LAB_OBJECTS) $(BENEATH)
NEVER_FAIL := cudaGetErrorName|cudaGetErrorString|cudaCreateChannelDesc|cudaRuntimeGetVersion
NEVER_FAIL := $(NEVER_FAIL)|cudaGetDeviceProperties.*|cudaDeviceGetPCIBusId
$(BUILD)/tests/every_call: $(CALL_TESTS) $(CALLERS)
	$(LINK) $^ $$(nm -u $(CALLERS) | awk '$$2 ~ /^(cuda|__cudaLaunch)/ && \
	    $$2 !~ /^($(NEVER_FAIL))$$/ { print "-Xlinker --wrap=" $$2 }' | sort -u) \
	    -lgtest -lpthread $(LIBRARIES) -o $@
# The core in another framework's main; other cores in this one's.
$(BUILD)/tests/foreign: $(BUILD)/tests/foreign.cu.o $(BUILD)/entropy_core.o $(BENEATH)
	$(LINK) $^ -o $@
$(BUILD)/tests/hostile: $(BUILD)/tests/hostile.cu.o $(BENEATH)
	$(LINK) $^ -o $@
$(addprefix $(BUILD)/tests/,broken minimal misbehaving): $(BUILD)/tests/%: $(BUILD)/tests/%.cu.o $(PARTS)
	$(LINK) $^ -o $@
$(BUILD)/tests/broken_measures: $(BUILD)/bottleneck_study_measures.o $(BUILD)/tests/broken.cu.o $(FILES)
	$(LINK) $^ -o $@
$(BUILD)/tests/broken_maximum $(BUILD)/tests/broken_transpose: $(BUILD)/tests/broken_%: \
    $(BUILD)/tests/broken_%.cu.o $(BUILD)/%_main.o $(OBJECTS)/%/options.o
	$(LINK) $^ -o $@

# Compiler, Python and GoogleTest, installed where they are missing.
$(BUILD)/tests/setup.stamp: tools/setup.sh
	tools/setup.sh tests $(CXX) $(PYTHON)
	@mkdir -p $(@D) && touch $@

# The last line of both is the verdict: N passed, N failed, N skipped.
TEST_COMMANDS = $(patsubst %,'$(BUILD)/tests/% $(TESTFLAGS)',all library $(STUDIES)) \
                '$(BUILD)/tests/every_kernel --gtest_filter=EveryKernel.* $(TESTFLAGS)' \
                '$(BUILD)/tests/every_call $(TESTFLAGS)'
TEST_INSTALL  = tests/local_entropy/test_install.sh $(BUILD) $(CXX) $(PYTHON)
TEST_GRADE    = $(PYTHON) tests/test_grade.py $(BUILD) "$(GRADE_COMMAND)" $(GRADE_TESTS)
ifeq ($(SANITIZE),)
  TEST_OTHERS = '$(TEST_INSTALL)' '$(subst ','\'',$(TEST_GRADE))'
else
  # Programs of other projects have no sanitizer in them; the grader's box refuses what one calls,
  # and its heap takes the place of one's.
  TEST_OTHERS = 'echo without a sanitizer only: test-install, test-grade'
endif
TESTED := $(addprefix $(BUILD)/tests/,all library every_kernel every_call $(STUDIES) $(PROGRAMS)) $(CORE_PROGRAMS) $(BUILD)/make_data labs \
          $(addprefix $(BUILD)/,bottleneck_study_measures search_hash precision bench_size bench_cpu bench_everywhere bench_filter bench_together parts \
          scaling threshold occupancy entropy_devices entropy_profile profile_labs)
tested: $(TESTED) library $(if $(SANITIZE),,$(GRADE_TOOLS) $(TEST_BASELINE))
# Python is asked for last: what is tested may wait for its installation.
test: tested
	$(NEEDS_PYTHON)
	@tests/run.sh $(TEST_COMMANDS) $(TEST_OTHERS)
test-programs: $(TESTED)
	@tests/run.sh $(TEST_COMMANDS)

# The library as other projects find it once it is installed.
test-install: library needs-python
	@tests/run.sh '$(TEST_INSTALL)'

# The library on 64-bit ARM: a cross compiler, and an emulator that runs its tests.
test-arm:
	@MAKE='$(SUBMAKE)' tests/arm.sh $(BUILD) $(TESTFLAGS)

# The tools of compute-sanitizer over every kernel, where there is a GPU; what they found is kept.
SANITIZERS ?= memcheck racecheck initcheck synccheck
sanitize: $(BUILD)/tests/every_kernel
	tools/sanitize.sh $(BUILD) $(RESULTS)/sanitizers.txt $(SANITIZERS)

# The grader on cores that are wrong, each in its own way.
test-grade: needs-python $(GRADE_TOOLS) $(TEST_BASELINE) $(BUILD)/make_data
	@tests/run.sh '$(subst ','\'',$(TEST_GRADE))'

# Bugs, planted one at a time in a copy of the tree: do the tests see them? tools/mutants/README.md
mutants: needs-python
	@$(PYTHON) tools/mutants.py --build $(BUILD) --python $(PYTHON) --gpu $(if $(GPU),$(CUDA),0) \
	    --make '$(SUBMAKE) --no-print-directory BUILD=$(BUILD) CUDA=$(CUDA) REVISION=$(REVISION)' $(ARGUMENTS)

include tests/checks.mk
include tools/install.mk
include tools/python.mk

# ---- the rest ----------------------------------------------------------------------------------

define HELP
make                build $(PROGRAM) and $(BUILD)/make_data
make program        say which program that is: by CORE=, BUILD= and SANITIZE=
make data           make data/data.bin and data/reference.bin, and check their checksums
make run            run the active version on data/data.bin, after the benchmark of all versions
make bench          the same, and keep the times in $(RESULTS)/
make bench-filter   the library by window, type and levels, beside scikit-image if it is installed,
                    and bench-launches where there is a GPU;
                    ARGUMENTS='--methods all' and the like, see $(BUILD)/bench_filter --help
make bench-launches the library in the memory of a GPU, and on CPU and GPUs together
make costs          measure what the library's methods cost, the table by which it chooses among them
make check-choice   is what it chooses within WITHIN=1.15 of the best, over a grid of cases?
make record         measure all that the documents cite, in $(RESULTS)/; then make report
                    STAGES='round1 parts': these stages only (tools/record.sh --help)
make search         search for the hash functions of the library: seconds for the GPU's, ten minutes for each of the CPU's
make peers          scikit-image and PyTorch beside the ladder, as far as they are installed
make labs           build the companion labs: $(LABS)
make compile-gpus   does the code of all kernels compile for every GPU from compute capability 7.5 on that
                    this nvcc knows? GPU_CODES='sm_75 sm_90': these only
make run-maximum    build and run a lab; ARGUMENTS='--help' and the like go to the program
make measures       time all versions by the groups of data/data.bin: total and slowest group;
                    also into $(RESULTS)/measures.csv, which git does not ignore
make batch          run the active version on three text files, three times each
make versions       list the versions of the core
make report         tables, numbers and plots of the documents, from results/
make test           build and run the tests, after installing GoogleTest and Python if they are missing;
                    make tested builds what they run, and no more
make test-arm       the library's tests on 64-bit ARM, by g++-aarch64-linux-gnu and qemu-user
make soak           16 threads with mixed filters for SOAK_SECONDS=60, and SOAK_CALLS=100000 in a row: all bits
                    right, memory flat; SOAK_THREADS=
make test-threads   the versions with OMP_NUM_THREADS from 1 to more than there are cores: THREAD_COUNTS=
make test-valgrind  small tests of the library under valgrind
make test-old-cpus  the library's tests without AVX-512, AVX2 and SSSE3, by qemu-user
make test-builds    the library's tests at -O0 and -O3 -march=native, by g++ and clang++
make test-library   the library's tests alone: SANITIZE=thread, SANITIZE=address,undefined
make long-checks    all of these and test-arm; test-library and soak also under the sanitizers: hours
make fuzz           random bytes into readers, options, the C interface and every method, each for
                    FUZZ_SECONDS=60, by clang (tests/fuzz/README.md); make fuzz-corpus: the kept files only
make sanitize       compute-sanitizer over every kernel, on small images: needs a GPU; the results are
                    kept in $(RESULTS)/sanitizers.txt
make mutants        plant bugs, one at a time, and look whether the tests see them: hours;
                    ARGUMENTS='--sample 5', NAME or the name of a room: these only (--help)
make install        the library local_entropy, for other programs: PREFIX=/usr/local, DESTDIR=; make uninstall
make python         the Python package: a wheel and an sdist in $(BUILD)/python/dist, tested in
                    environments of their own; needs the network. make test-python: the package of this
                    tree, with PYTHON='s NumPy and pytest
make grade          build, check and time every core of a folder: CORES=folder; also DATA=, REFERENCE=, GRADES=,
                    LIMIT=60, MEMORY=4G, JOBS=, BASELINE=v12, FRESH=1; make grade-help explains them
make clean          remove $(BUILD)/, data/data.bin and data/reference.bin

VERSION=v3      active version of the core, or of the lab that has it, instead of its switch's
CORE=NAME       sources/entropy/cores/NAME.cu in place of core.cu, as the program $(BUILD)/NAME:
                $(STUDIES), or one of your own
CUDA=0          build without nvcc, OpenMP versions only (default: 1 where there is an nvcc)
ARCH=all-major  GPU architecture (default: this machine's GPU; without one, sm_90)
CXX=clang++     host compiler (default: g++)
SANITIZE=address,undefined, SANITIZE=thread  the compiler's, without CUDA, in build-address-undefined
                and so on; thread by clang++ and its OpenMP; the first finding ends a program
HOST_FLAGS=-march=native, CUDA_FLAGS=--use_fast_math  more flags for host code, for nvcc
BUILD=DIR       where to build (default: build)
endef
export HELP
help:
	@echo "$$HELP"

clean:
	rm -rf $(BUILD) data/data.bin data/reference.bin

-include $(wildcard $(BUILD)/*.d $(BUILD)/bench/*.d $(BUILD)/tests/*.d $(BUILD)/tests/local_entropy/*.d $(BUILD)/tests/kernels/*.d $(BUILD)/tests/faults/*.d $(BUILD)/tests/fuzz/*.d $(BUILD)/tests/soak/*.d $(BUILD)/grade/*.d) \
         $(shell find $(OBJECTS) $(if $(CUBINS),$(BUILD)/gpus) -name '*.d' 2>/dev/null)
