#!/usr/bin/env bash
# Whole steps of the 32 000-particle Lennard-Jones melt on the CPU: LAMMPS and Tessera, alternated in
# one run on the same cores, medians and spread.
#
#   tools/checks/compare_lammps.sh
#
# The melt (LAMMPS' own bench/in.lj): fcc 20 x 20 x 20 at density 0.8442, temperature 1.44, cutoff
# 2.5, skin 0.3, dt 0.005, LAMMPS' list rebuilt every 20 steps without a check, as it is tuned there.
# LAMMPS computes in double with a half list. It uses its OPENMP package where it has it, otherwise
# MPI ranks and the OPT package; set LMP_MODE=omp or mpi to choose.
#
#   LMP        LAMMPS, default lmp            TESSERA   default build/tessera of this checkout
#   THREADS    2       threads or ranks       ROUNDS    5      alternations
#   STEPS      400     timed steps            VARIANTS  "path precision rebuild", separated by ;
#   MPIRUN     of the MPI that LAMMPS was built with, default mpirun
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
lmp=${LMP:-lmp}
mpirun=${MPIRUN:-mpirun}
tessera=${TESSERA:-$root/build/tessera}
threads=${THREADS:-2}
rounds=${ROUNDS:-5}
steps=${STEPS:-400}
default_variants="gather double on_displacement;gather mixed on_displacement"
default_variants+=";gather double every_step;reordered mixed every_step"
variants=${VARIANTS:-$default_variants}
particles=32000

fail()
{
    echo "compare_lammps: $*" >&2
    exit 1
}
[[ -x $tessera ]] || fail "no $tessera; run tools/setup.sh first, or set TESSERA"
command -v "$lmp" >/dev/null || fail "no LAMMPS: '$lmp' is not a command; install it or set LMP"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$lmp" -h >"$scratch/help" 2>&1 || fail "'$lmp -h' fails: $(tail -n 1 "$scratch/help")"
has_package()
{
    sed -n '/^Installed packages/,/^List of/p' "$scratch/help" | grep -qw "$1"
}
mode=${LMP_MODE:-}
if [[ -z $mode ]]; then
    mode=mpi
    if has_package OPENMP; then
        mode=omp
    fi
fi
case $mode in
    omp)
        has_package OPENMP || fail "this LAMMPS has no OPENMP package"
        lammps=(env "OMP_NUM_THREADS=$threads" "$lmp" -sf omp -pk omp "$threads")
        lammps_name="LAMMPS lj/cut/omp, $threads threads"
        ;;
    mpi)
        command -v "$mpirun" >/dev/null || fail "no $mpirun"
        # Open MPI wants to be told that root is meant; other MPIs ignore these.
        lammps=(env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1
            "$mpirun" -np "$threads" "$lmp")
        lammps_name="LAMMPS lj/cut, $threads ranks"
        if has_package OPT; then
            lammps+=(-sf opt)
            lammps_name="LAMMPS lj/cut/opt, $threads ranks"
        fi
        ;;
    *) fail "LMP_MODE is omp or mpi, not '$mode'" ;;
esac

cat >"$scratch/melt.in" <<END
units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 20 0 20 0 20
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify every 20 delay 0 check no
fix 1 all nve
timestep 0.005
thermo $steps
run 100
run $steps
END

run_lammps()
{
    # The last "Loop time" is the timed run; the one before it melted the crystal.
    (cd "$scratch" && "${lammps[@]}" -in melt.in -log none </dev/null >lammps.out 2>&1) \
        || { tail -n 20 "$scratch/lammps.out" >&2; fail "LAMMPS fails"; }
    sed -n 's/^Loop time of \([^ ]*\) on .* for \([0-9]*\) steps with \([0-9]*\) atoms.*/\1 \2 \3/p' \
        "$scratch/lammps.out" | tail -n 1 >"$scratch/loop"
    local seconds count atoms
    read -r seconds count atoms <"$scratch/loop" || fail "LAMMPS printed no loop time"
    [[ $atoms == "$particles" ]] || fail "LAMMPS made $atoms particles, not $particles"
    awk -v n="$lammps_name" -v s="$seconds" -v c="$count" -v a="$atoms" \
        'BEGIN { printf "%s\t%.6g\n", n, a * c / s }' >>"$scratch/rates"
}

run_tessera()
{
    local path precision rebuild
    read -r path precision rebuild <<<"$1"
    "$tessera" bench step --particles "$particles" --steps "$steps" --path "$path" \
        --precision "$precision" --rebuild "$rebuild" --threads "$threads" --repeat 1 \
        --json "$scratch/step.json" </dev/null >"$scratch/tessera.out" 2>&1 \
        || { tail -n 20 "$scratch/tessera.out" >&2; fail "tessera bench step fails ($1)"; }
    python3 - "$scratch/step.json" "Tessera $path, $precision, $rebuild" "$particles" \
        >>"$scratch/rates" <<'END'
import json
import sys


def rows(node):
    """Every object that has a rate, wherever the file keeps its rows."""
    if isinstance(node, dict):
        if "particle_steps_per_second" in node:
            yield node
        for value in node.values():
            yield from rows(value)
    elif isinstance(node, list):
        for value in node:
            yield from rows(value)


file, name, particles = sys.argv[1:]
found = list(rows(json.load(open(file))))
if len(found) != 1:
    sys.exit(f"compare_lammps: {len(found)} rows in the output of tessera bench step, not 1")
if int(found[0].get("particles", particles)) != int(particles):
    sys.exit(f"compare_lammps: tessera made {found[0]['particles']} particles, not {particles}")
rate = found[0]["particle_steps_per_second"]
if isinstance(rate, dict):
    rate = rate["median"]
print(f"{name}\t{float(rate):.6g}")
END
    rm -f "$scratch/step.json"
}

IFS=';' read -ra variant_list <<<"$variants"
for ((round = 1; round <= rounds; ++round)); do
    echo "round $round of $rounds" >&2
    run_lammps
    for variant in "${variant_list[@]}"; do
        run_tessera "$variant"
    done
done

echo "$particles-particle melt, $steps steps, $rounds rounds, $threads threads"
sed -n 's/^model name[^:]*: */CPU: /p' /proc/cpuinfo | head -n 1
sed -n 's/^Large-scale.*Simulator - /LAMMPS: /p' "$scratch/help" | head -n 1
python3 - "$scratch/rates" <<'END'
import statistics
import sys

rates = {}
for line in open(sys.argv[1]):
    name, rate = line.rstrip("\n").split("\t")
    rates.setdefault(name, []).append(float(rate))
base = statistics.median(next(iter(rates.values())))
print("| M particle-steps/s | median | min | max | spread | against LAMMPS |")
print("| --- | --- | --- | --- | --- | --- |")
for name, values in rates.items():
    median = statistics.median(values)
    spread = (max(values) - min(values)) / median
    print(f"| {name} | {median / 1e6:.3f} | {min(values) / 1e6:.3f} | {max(values) / 1e6:.3f} "
          f"| {100 * spread:.0f} % | {median / base:.2f} x |")
END
