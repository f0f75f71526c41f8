#!/usr/bin/env bash
# Fails where a source departs from .clang-format; `tools/checks/format.sh --fix` rewrites instead.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
if ! command -v clang-format >/dev/null; then
    echo "format: clang-format is missing (apt-get install clang-format)" >&2
    exit 1
fi
mode=(--dry-run -Werror)
if [[ ${1:-} == --fix ]]; then
    mode=(-i)
fi
if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    mapfile -t files < <(git ls-files '*.cpp' '*.hpp' '*.cu' '*.cuh')
else
    mapfile -t files < <(find kernels engine io tools tests -type f \
        '(' -name '*.[ch]pp' -o -name '*.cu' -o -name '*.cuh' ')')
fi
clang-format "${mode[@]}" "${files[@]}"
echo "format: ${#files[@]} files"
