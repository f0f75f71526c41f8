#!/usr/bin/env bash
# Builds with counters, runs the unit tests and prints how many lines of each folder they reach.
#
#   tools/checks/coverage.sh [LEAST_PERCENT]      fails below that share of all lines; default 0
#
# TESSERA_COVERAGE_DIR   the build folder, default build-coverage/ of this checkout
# CTEST_ARGS             which tests, default "-L unit"
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=${TESSERA_COVERAGE_DIR:-build-coverage}
least=${1:-0}
if ! command -v gcovr >/dev/null; then
    echo "coverage: gcovr is missing (apt-get install gcovr)" >&2
    exit 1
fi

if [[ ! -f $build/CMakeCache.txt ]]; then
    cmake --preset coverage -B "$build"
fi
cmake --build "$build" --parallel "$(nproc)"
find "$build" -name '*.gcda' -delete
read -ra tests <<<"${CTEST_ARGS:--L unit}"
mkdir -p "$build/coverage"
# Programs that tests kill leave counters half written: whoever finds them says so, and not on the
# stream that tests look at.
GCOV_ERROR_FILE=$(realpath "$build")/coverage/errors
export GCOV_ERROR_FILE
# A test that fails is a fault of its own; what it reached counts all the same.
ctest --test-dir "$build" --parallel "$(nproc)" --output-on-failure "${tests[@]}" || true

gcovr --root . --object-directory "$build" --exclude-throw-branches \
    --gcov-ignore-parse-errors \
    --filter '(engine|io|kernels|tools)/' --json-summary "$build/coverage/summary.json" \
    --txt "$build/coverage/lines.txt"
python3 - "$build/coverage/summary.json" "$least" <<'PYTHON'
import collections
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    files = json.load(file)["files"]
folders = collections.defaultdict(lambda: [0, 0])
for entry in files:
    for folder in (entry["filename"].split("/")[0], "all"):
        folders[folder][0] += entry["line_covered"]
        folders[folder][1] += entry["line_total"]
print(f"{'folder':<10}{'lines':>8}{'reached':>9}{'':>8}")
for folder in sorted(folders, key=lambda name: (name == "all", name)):
    covered, total = folders[folder]
    print(f"{folder:<10}{total:>8}{covered:>9}{100 * covered / total:>7.1f}%")
covered, total = folders["all"]
if 100 * covered / total < float(sys.argv[2]):
    sys.exit(f"coverage: below {sys.argv[2]} %")
PYTHON
