#!/usr/bin/env bash
# Compiles CUDA sources to PTX and fails on double arithmetic in kernels that should have none: a
# literal without its f, or a double function, makes a float kernel several times slower unseen.
#
#   tools/checks/float_kernels.sh [FILE.cu...]      default: all below kernels/
#
# A kernel whose template arguments name double or a type such as DoubleSlot, and none that is float
# (float, FloatSlot, PackedSlot, FixedPosition), is double on purpose and not judged. What any other
# kernel needs in double (an accumulator, the state) is said in the .cu file that compiles it:
#
#   // f64 allowed: REGEX: OPCODES: reason
#
# REGEX is matched against the demangled name with its template arguments, without parameters;
# OPCODES are PTX opcodes up to the first dot, separated by spaces, or * for all. For a float force
# kernel that sums in double:
#
#   // f64 allowed: force_kernel<.*: cvt add st: forces are summed over a particle in double
#
# An exception that no instruction uses is a fault too, so that the list stays true.
# Exit code 77 where there is no nvcc.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

nvcc=${CUDACXX:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
if ! [[ -x $nvcc ]]; then
    echo "float_kernels: skipped, no nvcc here"
    exit 77
fi
if (($# > 0)); then
    sources=("$@")
else
    mapfile -t sources < <(find "$root/kernels" -name '*.cu' | sort)
    if ((${#sources[@]} == 0)); then
        echo "float_kernels: no CUDA sources"
        exit 0
    fi
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# One line for each kernel and opcode in double: name, opcode, count, first instruction.
f64_instructions()
{
    awk '
        /^[ \t]*(\.visible |\.weak |\.extern )*\.(entry|func) / {
            # A device function may have its return value between .func and the name.
            line = $0
            sub(/^.*\.(entry|func) *(\([^)]*\) *)?/, "", line)
            sub(/[^A-Za-z0-9_$].*$/, "", line)
            name = line
        }
        /^}/ { name = "" }
        name != "" && /^[ \t]*(@[!%A-Za-z0-9_]+[ \t]+)?[a-z][a-z0-9_]*[a-z0-9_.:]*\.f64/ {
            text = $0
            gsub(/^[ \t]+|[ \t]+$/, "", text)
            opcode = text
            sub(/^@[!%A-Za-z0-9_]+[ \t]+/, "", opcode)
            sub(/\..*$/, "", opcode)
            key = name "\t" opcode
            if (!(key in count)) { first[key] = text }
            count[key]++
        }
        END { for (key in count) print key "\t" count[key] "\t" first[key] }' "$1" | sort
}

# The name with its template arguments: no return type, no parameters. Function types in template
# arguments do not occur in kernels.
demangle()
{
    c++filt | sed -E 's/\(anonymous namespace\)::/anonymous::/g; s/\(([A-Za-z_:]+)\)([0-9])/[\1]\2/g; s/\(.*$//; s/^void //'
}

double_argument='[<, ](double|[a-z_:]*Double[A-Z][A-Za-z]*)[,> ]'
float_argument='[<, ](float|[a-z_:]*(Float|Packed|Fixed)[A-Z][A-Za-z]*)[,> ]'
faults=0
kernels=0
for source in "${sources[@]}"; do
    ptx=$scratch/kernels.ptx
    "$nvcc" -ptx -std=c++20 -O3 -arch="${TESSERA_PTX_ARCH:-compute_90}" --expt-relaxed-constexpr \
        -I "$root" -o "$ptx" "$source"
    kernels=$((kernels + $(grep -c '\.entry ' "$ptx" || true)))

    allowed=()
    while IFS= read -r line; do
        allowed+=("$line")
    done < <(sed -n 's,^[ \t]*// f64 allowed: ,,p' "$source")
    declare -A used=()

    while IFS=$'\t' read -r mangled opcode count first; do
        [[ -n $mangled ]] || continue
        name=$(demangle <<<"$mangled")
        if [[ $name =~ $double_argument && ! $name =~ $float_argument ]]; then
            continue
        fi
        excused=no
        for entry in "${allowed[@]}"; do
            # A regex may hold :: but no colon followed by a space.
            regex=${entry%%: *}
            rest=${entry#*: }
            opcodes=${rest%%: *}
            if [[ $name =~ $regex ]] && [[ $opcodes == "*" || " $opcodes " == *" $opcode "* ]]; then
                excused=yes
                used[$entry]=yes
            fi
        done
        if [[ $excused == no ]]; then
            echo "$source: $name: $count x $opcode in double, first: $first" >&2
            faults=$((faults + 1))
        fi
    done < <(f64_instructions "$ptx")

    for entry in "${allowed[@]}"; do
        if [[ -z ${used[$entry]:-} ]]; then
            echo "$source: unused exception: f64 allowed: $entry" >&2
            faults=$((faults + 1))
        fi
    done
    unset used
done
echo "float_kernels: ${#sources[@]} files, $kernels kernels, $faults faults"
exit $((faults > 0))
