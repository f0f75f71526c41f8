#!/usr/bin/env bash
# Makes build/tessera: installs the packages that are missing (as root on Debian or Ubuntu; anyone
# else is shown the command), configures and builds.
#
#   tools/setup.sh [CMAKE OPTIONS]      for example  tools/setup.sh -DTESSERA_CUDA=OFF,
#                                       tools/setup.sh --preset fuzz (which needs clang too)
#
# TESSERA_BUILD_DIR   the build folder, default build/ of this checkout
# CI=true             also what only the checks need: clang-format, MDAnalysis where it exists
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
build=${TESSERA_BUILD_DIR:-build}

# package, and how to tell that what it brings is here although dpkg does not know it:
# a command (cmd:), a header (inc:), a Python module (py:) or a way to link (clang:)
needed=(
    "cmake cmd:cmake"
    "ninja-build cmd:ninja"
    "g++ cmd:g++"
    "libyaml-cpp-dev inc:yaml-cpp/yaml.h"
    "libhdf5-dev cmd:h5cc"
    "libfmt-dev inc:fmt/format.h"
    "catch2 inc:catch2/catch_test_macros.hpp"
    "libcli11-dev inc:CLI/CLI.hpp"
    "nlohmann-json3-dev inc:nlohmann/json.hpp"
    "libxxhash-dev inc:xxhash.h"
    "librandom123-dev inc:Random123/philox.h"
    "python3 cmd:python3"
    "python3-numpy py:numpy"
    "python3-h5py py:h5py"
    "python3-matplotlib py:matplotlib"
)
if [[ ${CI:-} == true ]]; then
    needed+=("clang-format cmd:clang-format" "git cmd:git")
fi
if [[ " $* " == *" --preset fuzz "* || " $* " == *" --preset=fuzz "* ]]; then
    needed+=("clang cmd:clang++" "libomp-dev clang:-fopenmp"
        "libclang-rt-dev clang:-fsanitize=fuzzer")
fi
# Brings some 150 packages, and some releases lack it: its tests are skipped without it.
optional=python3-mdanalysis

installed_packages()
{
    # It fails where one package is unknown, and lists the others all the same.
    { dpkg-query -W -f='${db:Status-Abbrev} ${Package}\n' "$@" 2>/dev/null || true; } \
        | sed -n 's/^ii  *//p'
}

is_here()
{
    case $1 in
        cmd:*) command -v "${1#cmd:}" >/dev/null ;;
        inc:*) echo "#include <${1#inc:}>" | g++ -std=c++20 -E -x c++ - >/dev/null 2>&1 ;;
        py:*) /usr/bin/python3 -c "import ${1#py:}" >/dev/null 2>&1 ;;
        # Older releases ship it with clang itself, so it is asked once that is here.
        clang:*) ! command -v clang++ >/dev/null || links_with_clang "${1#clang:}" ;;
    esac
}

links_with_clang()
{
    local made code=0
    made=$(mktemp)
    echo 'extern "C" int LLVMFuzzerTestOneInput(char const*, unsigned long) { return 0; }
          #ifdef _OPENMP
          int main() {}
          #endif' | clang++ "$1" -x c++ - -o "$made" >/dev/null 2>&1 || code=1
    rm -f "$made"
    return $code
}

find_missing()
{
    local names=() installed entry
    for entry in "${needed[@]}"; do
        names+=("${entry% *}")
    done
    installed=" $(installed_packages "${names[@]}" | tr '\n' ' ') "
    missing=()
    for entry in "${needed[@]}"; do
        if [[ $installed != *" ${entry% *} "* ]] && ! is_here "${entry#* }"; then
            missing+=("${entry% *}")
        fi
    done
    # Ubuntu 22.04's default compiler is older than the C++20 asked for here.
    if command -v g++ >/dev/null && (($(g++ -dumpversion | cut -d. -f1) < 12)) \
        && ! command -v g++-12 >/dev/null; then
        missing+=(g++-12)
    fi
}

twice()
{
    "$@" || { echo "setup: failed, once more in 10 s: $*" >&2; sleep 10; "$@"; }
}

install_missing()
{
    export DEBIAN_FRONTEND=noninteractive
    echo "setup: installing ${missing[*]}" >&2
    twice apt-get update -q </dev/null >&2
    twice apt-get install -q -y --no-install-recommends "${missing[@]}" </dev/null >&2
    if [[ ${CI:-} == true ]]; then
        apt-get install -q -y --no-install-recommends "$optional" </dev/null >&2 \
            || echo "setup: no $optional here; the tests that use it are skipped" >&2
    fi
}

find_missing
if ((${#missing[@]} > 0)); then
    if ! command -v apt-get >/dev/null; then
        echo "setup: these are missing (Debian names): ${missing[*]}" >&2
        echo "       Install what your system calls them, then run tools/setup.sh again." >&2
        exit 1
    fi
    if ((EUID != 0)); then
        echo "setup: packages are missing, and installing them takes root. Run" >&2
        echo "    sudo apt-get install -y --no-install-recommends ${missing[*]}" >&2
        echo "and then tools/setup.sh again." >&2
        exit 1
    fi
    install_missing
    # What has been installed can show that more is needed: an old default compiler.
    find_missing
    if ((${#missing[@]} > 0)); then
        install_missing
    fi
fi

# The toolkit's own installer puts nvcc in no PATH.
if [[ -z ${CUDACXX:-} ]] && ! command -v nvcc >/dev/null && [[ -x /usr/local/cuda/bin/nvcc ]]; then
    export CUDACXX=/usr/local/cuda/bin/nvcc
fi
if [[ -z ${CXX:-} ]] && (($(g++ -dumpversion | cut -d. -f1) < 12)); then
    export CC=gcc-12 CXX=g++-12 CUDAHOSTCXX=g++-12
fi
if command -v ccache >/dev/null; then
    export CMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER-ccache}
    export CMAKE_CUDA_COMPILER_LAUNCHER=${CMAKE_CUDA_COMPILER_LAUNCHER-ccache}
fi

# A configured folder keeps its generator and options; what is given now is changed.
generator=()
if [[ ! -f $build/CMakeCache.txt ]]; then
    generator=(-G Ninja)
fi
if [[ ! -f $build/CMakeCache.txt || ! -f $build/build.ninja && ! -f $build/Makefile || $# -gt 0 ]]
then
    cmake -S . -B "$build" "${generator[@]}" "$@"
fi
cmake --build "$build" --parallel "$(nproc)"
