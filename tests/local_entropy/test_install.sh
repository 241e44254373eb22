#!/usr/bin/env bash
# Installs the library and uses it from outside in every way that the documentation names:
# tests/local_entropy/test_install.sh BUILD [CXX [PYTHON]]. Settings of make come in MAKEFLAGS.
set -u
cd "$(dirname "$0")/../.."
build=${1:?usage: test_install.sh BUILD [CXX [PYTHON]]}
cxx=${2:-g++} python=${3:-python3}
outside=tests/local_entropy/outside
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/moved
passed=0 failed=0 skipped=0

check() { # name, command...: says nothing if it succeeds
    if "${@:2}" >"$work/log" 2>&1; then
        passed=$((passed + 1))
        echo "install.$1: ok"
    else
        failed=$((failed + 1))
        tail -n 20 "$work/log"
        echo "FAIL: install.$1"
    fi
}

skip() { # name, what it needs: in the form that tests/run.sh sums up
    skipped=$((skipped + 1))
    printf 'install.%s: Skipped\n%s\n' "$1" "$1 needs $2"
}

have() { command -v "$1" >/dev/null; }

in_make() { make --no-print-directory BUILD="$build" "$@"; }

# What the header declares, one name a line.
declared() { grep -o '\ble_[a-z_]*(' sources/local_entropy/local_entropy.h | tr -d '(' | sort -u; }

# ---- what is installed -------------------------------------------------------------------------

# The files are moved at once: nothing may remember where they were made for. Who installs them may
# keep new files to himself.
install_and_move() {
    in_make library && (umask 077 && in_make install PREFIX="$work/first") &&
        mv "$work/first" "$prefix" &&
        ! grep -rF "$work" "$prefix" --include='*.pc' --include='*.cmake' --include='*.h'
}

staged() {
    in_make install DESTDIR="$work/stage" PREFIX=/opt/somewhere &&
        diff <(cd "$prefix" && find . | sort) <(cd "$work/stage/opt/somewhere" && find . | sort) &&
        in_make uninstall DESTDIR="$work/stage" PREFIX=/opt/somewhere &&
        [ -z "$(find "$work/stage" ! -type d -o -name "*local_entropy*")" ]
}

# By anybody, whoever has installed it.
readable() { [ -z "$(find "$prefix" ! -perm -a+r -o -type d ! -perm -a+x)" ]; }

headers_alone() ( # in a shell of its own, which stays in its folder
    local name language
    cd "$prefix/include" || return 1
    for name in $(find local_entropy -name '*.h'); do
        echo "#include <$name>" | $cxx -std=c++17 -pedantic -Wall -Wextra -Werror \
            -I. -fsyntax-only -x c++ - || return 1
    done
    for language in 'c -std=c99' 'c -std=c11' 'c++ -std=c++98 -Wno-long-long'; do
        echo '#include <local_entropy/local_entropy.h>' | ${CC:-gcc} -x $language -pedantic -Wall \
            -Wextra -Werror -I. -fsyntax-only - || return 1
    done
)

# Every function of the header, of C++ Engine and Error, and nothing else.
symbols() {
    local names name
    local of_engine='C[12]E D[12]E aSE 3runI 7enqueueI 11synchronizeEv 5pathsB 7methodsB'
    names=$(nm -D --defined-only "$prefix/lib/liblocal_entropy.so" | awk '$2 != "A" { print $3 }' |
        sed 's/@.*//') || return 1
    diff <(declared | grep -vxE 'le_(filter|engine_options|run_options)_init') \
        <(grep '^le_' <<<"$names" | sort) || return 1
    ! grep -vE -e '^le_' -e '^_ZT[ISV]N13local_entropy5ErrorE$' \
        -e '^_ZNK13local_entropy6Engine(10methodsForI|14workspaceBytesI)' \
        -e "^_ZN13local_entropy6Engine($(tr ' ' '|' <<<"$of_engine"))" <<<"$names" || return 1
    for name in N13local_entropy6Engine{C1,D1,3runIh,7enqueueIf,5paths} \
        NK13local_entropy6Engine14workspaceBytesIf; do
        grep -q "_Z$name" <<<"$names" || { echo "no $name"; return 1; }
    done
    grep -qx _ZTIN13local_entropy5ErrorE <<<"$names" || { echo 'no typeinfo of Error'; return 1; }
}

# The name that programs remember, and no library that needs a GPU to load.
shared_object() {
    local facts major
    major=$(sed -n 's/^#define LE_VERSION "\([0-9]*\)\..*/\1/p' \
        sources/local_entropy/local_entropy.h)
    facts=$(readelf -d "$prefix/lib/liblocal_entropy.so") || return 1
    echo "$facts"
    grep -q "SONAME.*\[liblocal_entropy\.so\.$major\]" <<<"$facts" &&
        ! grep -qE "NEEDED.*(cuda|nvidia)|PATH.*$PWD|TEXTREL" <<<"$facts"
}

# All objects, though two of them may have one name; nothing outside of the library's own names.
archive() {
    local archive=$prefix/lib/liblocal_entropy.a missing
    missing=$(comm -23 <(find sources/local_entropy -name '*.cpp' -printf '%f\n' |
        sed 's/cpp$/o/' | sort) <(ar t "$archive" | sort)) || return 1
    [ -z "$missing" ] || { echo "missing: $missing"; return 1; }
    # What is gone from the sources is gone from an archive that was there before.
    echo 'int gone;' | ${CC:-gcc} -x c -c - -o "$work/gone.o" &&
        ar rc "$work/lib.a" "$work/gone.o" &&
        touch -d 2001-01-01 "$work/lib.a" &&
        in_make STATIC_LIBRARY="$work/lib.a" "$work/lib.a" || return 1
    diff <(ar t "$archive" | sort) <(ar t "$work/lib.a" | sort) || return 1
    # Capitals that are not weak are names that could clash with a program's own.
    ! nm -g --defined-only "$archive" 2>/dev/null |
        awk 'NF == 3 && $2 ~ /[A-TX-Z]/ { print $3 }' |
        grep -vE '^le_|^_Z[A-Z]*NK?13local_entropy|^\.gomp_critical_user_'
}

# ---- programs ----------------------------------------------------------------------------------

CFLAGS=(-std=c99 -pedantic -Wall -Wextra -Werror)
CXXFLAGS=(-std=c++17 -pedantic -Wall -Wextra -Werror)
in_c() { ${CC:-gcc} "${CFLAGS[@]}" "$outside/main.c" -o "$work/a.out" "$@" && "$work/a.out"; }
in_cpp() { $cxx "${CXXFLAGS[@]}" "$outside/main.cpp" -o "$work/a.out" "$@" && "$work/a.out"; }
asked() { PKG_CONFIG_PATH=$prefix/lib/pkgconfig pkg-config "$@" local_entropy; }
found_at_run_time() { echo "-Wl,-rpath,$prefix/lib"; }
# The static library by its name, since the linker prefers the shared one beside it.
with_archive() {
    asked --cflags --libs --static | sed "s|-llocal_entropy|$prefix/lib/liblocal_entropy.a|"
}
# With all of its objects: they need what the package says, and nothing else.
with_whole_archive() {
    with_archive |
        sed "s|$prefix/lib/liblocal_entropy.a|-Wl,--whole-archive & -Wl,--no-whole-archive|"
}
reloaded() {
    ${CC:-gcc} "${CFLAGS[@]}" -I"$prefix/include" "$outside/reload.c" -o "$work/reload" -ldl \
        -lpthread &&
        "$work/reload" "$prefix/lib/liblocal_entropy.so"
}
version() {
    sed -n 's/^#define LE_VERSION "\(.*\)".*/\1/p' "$prefix/include/local_entropy/local_entropy.h"
}

same_version() { [ "$(asked --modversion)" = "$(version)" ]; }

# Every example of the library's page compiles by itself, as it stands there.
on_the_page() { # language, compiler...
    local language=$1 i
    rm -f "$work"/page.*
    awk -v begin="\`\`\`$language" -v work="$work" -v language="$language" '
        $0 == begin { on = 1; number++; next }
        /^```/ { on = 0 }
        on { print >(work "/page." number "." language) }' sources/local_entropy/README.md
    [ -e "$work/page.1.$language" ] || { echo "no example in $language"; return 1; }
    for i in "$work"/page.*; do
        "${@:2}" -I"$prefix/include" -c "$i" -o "$work/page.o" || return 1
    done
}

cmake_with() { # programs, languages
    local program
    rm -rf "$work/cmake"
    cmake -S "$outside" -B "$work/cmake" -DLANGUAGES="$2" -DCMAKE_PREFIX_PATH="$prefix" &&
        cmake --build "$work/cmake" || return 1
    for program in $1; do
        "$work/cmake/${program}_shared" && "$work/cmake/${program}_static" || return 1
    done
}

cmake_finds() { # a version, as find_package() takes it
    rm -rf "$work/asks" && cp -r "$outside" "$work/asks"
    sed -i "s/local_entropy 1 /local_entropy $1 /" "$work/asks/CMakeLists.txt"
    cmake -S "$work/asks" -B "$work/asks/build" -DLANGUAGES=C -DCMAKE_PREFIX_PATH="$prefix"
}

cmake_versions() {
    local here other
    here=$(version)
    cmake_finds "$here" && cmake_finds "$here EXACT" || return 1
    for other in 99 0 0.9 "${here%%.*}.99"; do
        ! cmake_finds "$other" || return 1
        grep -q "compatible with requested version \"$other\"" "$work/log" || return 1
    done
}

check files install_and_move
check staged_and_uninstalled staged
check readable readable
check headers_alone headers_alone
check symbols symbols
check shared_object shared_object
check archive archive
check page_c on_the_page c "${CC:-gcc}" "${CFLAGS[@]}"
check page_cpp on_the_page cpp "$cxx" "${CXXFLAGS[@]}"
check c_plain in_c -I"$prefix/include" -L"$prefix/lib" -llocal_entropy "$(found_at_run_time)"
if have pkg-config; then
    check c_pkg_config in_c $(asked --cflags --libs) "$(found_at_run_time)"
    check cpp_pkg_config in_cpp $(asked --cflags --libs) "$(found_at_run_time)"
    check c_archive in_c $(with_archive)
    check cpp_archive in_cpp $(with_archive)
    check c_whole_archive in_c $(with_whole_archive)
    case $(asked --libs --static) in
    *.so*) skip c_static 'a static libomp' ;;
    *) check c_static in_c -static $(asked --cflags --libs --static) ;;
    esac
    check version same_version
else
    skip pkg-config pkg-config
fi
if have cmake; then
    check cmake_c cmake_with in_c C
    check cmake_cpp cmake_with 'in_c in_cpp' 'C;CXX'
    check cmake_versions cmake_versions
else
    skip cmake cmake
fi
check reload reloaded
check ctypes "$python" "$outside/load.py" "$prefix/lib/liblocal_entropy.so"

echo "counted: $passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
