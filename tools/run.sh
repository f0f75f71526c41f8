#!/usr/bin/env bash
# Sets up if need be and runs an input.
#
#   tools/run.sh [INPUT.yaml] [OPTIONS OF tessera run]      default: inputs/melt.yaml
#
# Output files are relative to the folder this is called from, unless --output-dir says otherwise.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${TESSERA_BUILD_DIR:-build}
[[ $build == /* ]] || build=$root/$build

input=$root/inputs/melt.yaml
if (($# > 0)) && [[ $1 != -* ]]; then
    input=$1
    shift
fi
# The standard output is the run's own.
"$root/tools/setup.sh" >&2
exec "$build/tessera" run "$input" "$@"
