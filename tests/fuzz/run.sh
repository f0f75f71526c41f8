#!/usr/bin/env bash
# Builds the fuzz targets and runs each for some time, then random command lines; prints executions,
# executions a second and crashes, and fails if there was one.
#
#   tests/fuzz/run.sh [SECONDS_PER_TARGET [TARGET...]]      default: 60 s for each
#
# TESSERA_FUZZ_SEED  the same inputs in the same order, for targets and command lines
# TESSERA_FUZZ_DIR   the build folder, default build-fuzz/ of this checkout; what is found stays in it:
#                    corpus/TARGET (inputs that reached new code), crashes/TARGET, logs/TARGET
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root"
build=${TESSERA_FUZZ_DIR:-build-fuzz}
seconds=${1:-60}
shift || true

if [[ ! -f $build/CMakeCache.txt ]]; then
    launcher=()
    if command -v ccache >/dev/null; then
        launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
    fi
    cmake --preset fuzz -B "$build" "${launcher[@]}"
fi
cmake --build "$build" --parallel "$(nproc)" --target tessera fuzz_targets
exec python3 tests/fuzz/run_targets.py "$build" "$seconds" "$@"
