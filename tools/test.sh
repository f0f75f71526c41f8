#!/usr/bin/env bash
# Sets up if need be and runs every test; the last lines are ctest's summary.
#
#   tools/test.sh [OPTIONS OF ctest]      for example  tools/test.sh -L unit
#
# Tests that need what this machine lacks (a GPU) are reported as skipped.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${TESSERA_BUILD_DIR:-build}
[[ $build == /* ]] || build=$root/$build

"$root/tools/setup.sh"
exec ctest --test-dir "$build" --output-on-failure --no-tests=error --parallel "$(nproc)" "$@"
