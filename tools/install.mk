# ---- the library, installed --------------------------------------------------------------------
# make install PREFIX=/usr/local DESTDIR=: libraries, headers, and what pkg-config and CMake read.
# All of it may be moved together afterwards. Neither nvcc nor a GPU is needed.

PREFIX  ?= /usr/local
DESTDIR ?=
AR      ?= ar

LIBRARY_VERSION := $(shell sed -n 's/^\#define LE_VERSION "\([0-9.]*\)".*/\1/p' \
                     sources/local_entropy/local_entropy.h)
LIBRARY_MAJOR   := $(firstword $(subst ., ,$(LIBRARY_VERSION)))
LIBRARY_NAME    := liblocal_entropy.so
SHARED_LIBRARY  := $(BUILD)/$(LIBRARY_NAME).$(LIBRARY_VERSION)
STATIC_LIBRARY  := $(BUILD)/liblocal_entropy.a
# The two interfaces, and all that they include.
PUBLIC_HEADERS  := local_entropy.h engine.h error.h filter.h visibility.h answers/measure.h
EXPORTS         := $(BUILD)/local_entropy.map

$(EXPORTS): sources/local_entropy/local_entropy.map sources/local_entropy/local_entropy.h
	@mkdir -p $(@D)
	sed 's|@MAJOR@|$(LIBRARY_MAJOR)|' $< > $@
$(SHARED_LIBRARY): $(LIBRARY) $(EXPORTS)
	$(LINK) -shared $(LIBRARY) -o $@ -Xlinker -soname=$(LIBRARY_NAME).$(LIBRARY_MAJOR) \
	    -Xlinker --version-script=$(EXPORTS) -Xlinker --no-undefined
# Made afresh: ar replaces objects by their names, of which different folders have the same.
$(STATIC_LIBRARY): $(LIBRARY)
	rm -f $@
	$(AR) rcs $@ $(LIBRARY)

# What a program must link besides the static library. OpenMP's library is the one that is used; that
# of clang lies where the linker does not look.
OPENMP_LIBRARY = $(or $(shell ldd $(SHARED_LIBRARY) | awk '/libomp/ { print $$3 }'), \
                   $(if $(shell nm -u $(STATIC_LIBRARY) 2>/dev/null | grep -E ' (GOMP|omp)_'),-lgomp))
PRIVATE_LIBRARIES = $(OPENMP_LIBRARY) -lstdc++ \
    $(if $(filter 1,$(CUDA)),-L$(TOOLKIT)/lib64 -lcudart_static -lrt -ldl) -lpthread -lm

INCLUDE_HERE := include/local_entropy
CMAKE_HERE   := lib/cmake/local_entropy
CMAKE_FILES  := $(addprefix local_entropy-,config.cmake config-version.cmake targets.cmake)
INSTALLED    := $(addprefix $(INCLUDE_HERE)/,$(PUBLIC_HEADERS)) \
                lib/$(LIBRARY_NAME) lib/$(LIBRARY_NAME).$(LIBRARY_MAJOR) \
                lib/$(notdir $(SHARED_LIBRARY)) lib/$(notdir $(STATIC_LIBRARY)) \
                lib/pkgconfig/local_entropy.pc $(addprefix $(CMAKE_HERE)/,$(CMAKE_FILES))

.PHONY: install uninstall library
library: $(SHARED_LIBRARY) $(STATIC_LIBRARY)
install: library
	@to="$(DESTDIR)$(PREFIX)" private='$(strip $(PRIVATE_LIBRARIES))' && \
	fill() { sed -e 's|@VERSION@|$(LIBRARY_VERSION)|' -e 's|@MAJOR@|$(LIBRARY_MAJOR)|' \
	    -e "s|@PRIVATE@|$$private|" -e "s|@PRIVATE_LIST@|$$(echo $$private | tr ' ' ';')|" \
	    "tools/install/$${1##*/}.in" > "$$to/$$1" && chmod 644 "$$to/$$1"; } && \
	install -d "$$to/lib/pkgconfig" "$$to/$(CMAKE_HERE)" && \
	for header in $(PUBLIC_HEADERS); do install -D -m 644 "sources/local_entropy/$$header" \
	    "$$to/$(INCLUDE_HERE)/$$header" || exit; done && \
	install -m 755 $(SHARED_LIBRARY) "$$to/lib" && \
	install -m 644 $(STATIC_LIBRARY) "$$to/lib" && \
	ln -sf $(notdir $(SHARED_LIBRARY)) "$$to/lib/$(LIBRARY_NAME).$(LIBRARY_MAJOR)" && \
	ln -sf $(LIBRARY_NAME).$(LIBRARY_MAJOR) "$$to/lib/$(LIBRARY_NAME)" && \
	fill lib/pkgconfig/local_entropy.pc && \
	for file in $(CMAKE_FILES); do fill "$(CMAKE_HERE)/$$file" || exit; done && \
	echo "local_entropy $(LIBRARY_VERSION) is installed in $$to"
uninstall:
	cd "$(DESTDIR)$(PREFIX)" && rm -f $(INSTALLED) && \
	    { [ ! -d $(INCLUDE_HERE) ] || find $(INCLUDE_HERE) -depth -type d -exec rmdir {} \; ; } && \
	    { [ ! -d $(CMAKE_HERE) ] || rmdir $(CMAKE_HERE); }
