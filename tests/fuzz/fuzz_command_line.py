#!/usr/bin/env python3
"""Random command lines: each ends with 0 to 3 and, where it fails, with a message and no trace of a
program that broke; one that is refused (2) has changed nothing.

    fuzz_command_line.py TESSERA [--seconds S] [--seed N]

Everything happens in a temporary folder. What runs too long is sent SIGTERM and must then end.
"""

import argparse
import collections
import json
import os
import random
import resource
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time

PATIENCE = 3.0   # seconds before SIGTERM
MERCY = 20.0     # seconds after it
MEMORY = 3 << 30
FILE_SIZE = 32 << 20
BROKEN = ["terminate called", "Traceback", "Assertion", "runtime error:", "AddressSanitizer",
          "std::", "bad_alloc", "vector::", "basic_string", "stoi", "stod", "what():", "nullptr",
          "HDF5-DIAG"]

INPUT = {
    "system": {"lattice": {"type": "fcc", "cells": [3, 3, 3], "density": 0.8442},
               "species": [{"name": "A"}], "temperature": 1.0},
    "potential": {"cutoff": 2.0, "truncation": "shifted"},
    "neighbor": {"rebuild": "every_step", "skin": 0.1},
    "run": {"steps": 20},
    "output": {"trajectory": {"file": "t.h5", "every": 5}, "thermo": {"file": "t.csv", "every": 5},
               "checkpoint": {"file": "c.h5", "every": 10},
               "rdf": {"file": "g.csv", "every": 10, "bins": 20}},
    "device": "cpu", "threads": 1,
}
XYZ = ('2\nLattice="8 0 0 0 8 0 0 0 8" Properties=species:S:1:pos:R:3\n'
       "A 1 1 1\nA 3 3 3\n")
DATA = ("title\n\n2 atoms\n1 atom types\n0 8 xlo xhi\n0 8 ylo yhi\n0 8 zlo zhi\n\nMasses\n\n1 1.0\n\n"
        "Atoms\n\n1 1 1.0 1.0 1.0\n2 1 3.0 3.0 3.0\n")

FILES = ["in.yaml", "t.h5", "c.h5", "c.prev.h5", "t.csv", "g.csv", "start.xyz", "start.data",
         "bytes", "empty", "damaged.h5", "run/t.h5", "run/c.h5"]
# Nothing that exists outside the folder: what is tried may be written to.
ODD = ["", ".", "..", "d", "d/", "d/../in.yaml", "./in.yaml", "link", "loop", "nowhere",
       "nowhere/x.h5", "fifo", "null", "full", "zero", "/proc/nowhere/x.h5", "-", "--",
       "-x", "a b.h5", "\n.h5", "\x1b[31m.h5", "\udcff.h5", "x" * 255, "x" * 300, "x/" * 2000,
       "in.yaml/x", "~", "$HOME", "*.h5", "a.xyz", "a.data", "new.h5", "new.csv", "d/new.h5"]
NUMBERS = ["0", "1", "2", "-1", "10", "1e3", "1e6", "1e18", "9223372036854775807",
           "9223372036854775808", "-9223372036854775808", "1e400", "1e-400", ".nan", ".inf", "-.inf",
           "nan", "inf", "0x10", "010", "1_000", "1.5", "2.5", "0.1", "1e-300", "32", "33", "null",
           "true", "~", "''", "[]", "{}", "[1, 2]", "{a: 1}", "auto", "text", "\x00"[:0], "&a 1",
           "*a", "!!int 3", "|", "'", '"', "[", "{", ": :", "#", "\t", "\udcff", "\x1b[2J", "- 1"]
KEYS = ["system", "system.lattice", "system.lattice.type", "system.lattice.cells",
        "system.lattice.cells.0", "system.lattice.density", "system.random", "system.random.count",
        "system.random.density", "system.random.min_distance", "system.file", "system.file.frame",
        "system.species", "system.species.0.name", "system.species.0.mass",
        "system.species.0.fraction", "system.species.1.name", "system.temperature", "system.seed",
        "system.boundary", "system.boundary.0", "potential", "potential.cutoff",
        "potential.truncation", "potential.switch_on", "potential.tail_correction",
        "potential.mixing", "potential.pairs", "potential.pairs.0.sigma",
        "potential.pairs.0.epsilon", "potential.pairs.0.cutoff", "neighbor.rebuild", "neighbor.skin",
        "force.path", "force.precision", "force.lanes", "reorder.streams",
        "reorder.chunk_particles", "reorder.format", "ensemble.type", "run.steps", "run.dt",
        "run.walltime", "output", "output.trajectory", "output.trajectory.file",
        "output.trajectory.every", "output.trajectory.fields", "output.trajectory.dtype",
        "output.trajectory.compress", "output.thermo.file", "output.thermo.every",
        "output.checkpoint", "output.checkpoint.file", "output.checkpoint.every",
        "output.checkpoint.wall_every", "output.rdf.file", "output.rdf.every", "output.rdf.bins",
        "output.rdf.start", "output.overwrite", "device", "threads", "nothing", "", ".", "a..b"]
WORDS = ["fcc", "sc", "bcc", "hcp", "sharp", "shifted", "force_shifted", "switched", "none",
         "geometric", "lorentz_berthelot", "every_step", "on_displacement", "gather", "reordered",
         "shoc", "auto", "mixed", "double", "single", "packed", "float", "nve", "npt", "cpu", "cuda",
         "cuda:1", "open", "periodic", "wall", "float64", "[position]", "[velocity]", "1s", "15min",
         "2h", "A", "start.xyz", "start.data", "t.h5", "c.h5", "{count: 50, density: 0.1}"]
VERBS = {
    "run": ["--set", "--output-dir", "--device", "--summary", "--quiet"],
    "resume": ["--steps", "--set", "--output-dir", "--device", "--summary", "--quiet"],
    "validate": ["--set"],
    "info": [],
    "convert": ["--to", "-o"],
    "tune": ["--set", "--seconds", "--json"],
    "bench": ["--particles", "--repeat", "--json", "--path"],
}


class CommandLines:
    def __init__(self, seed):
        self.chance = random.Random(seed)

    def any_of(self, items):
        return self.chance.choice(items)

    def path(self):
        return self.any_of(FILES) if self.chance.random() < 0.5 else self.any_of(ODD)

    def value(self):
        kind = self.chance.random()
        return self.any_of(NUMBERS if kind < 0.5 else WORDS) if kind < 0.8 else self.path()

    def assignment(self):
        kind = self.chance.random()
        if kind < 0.05:
            return self.value()
        return self.any_of(KEYS) + "=" + self.value()

    def option(self, name):
        if name == "--quiet":
            return [name]
        if name == "--set":
            return [name, self.assignment()]
        if name in ("--output-dir", "--summary", "--json", "-o"):
            return [name, self.path()]
        if name == "--to":
            return [name, self.any_of(["xyz", "lammpstrj", "data", "gsd", "", "XYZ"])]
        if name == "--seconds":
            return [name, self.any_of(["0.001", "0", "-1", "nan", "inf", "x"])]
        return [name, self.value()]

    def next(self):
        verb = self.any_of(list(VERBS))
        arguments = [verb]
        if verb == "bench":
            arguments += [self.any_of(["force", "step", "shoc", "reorder", "copy", "transactions",
                                       "x", ""]), "--particles", self.any_of(["108", "500", "0"]),
                          "--repeat", self.any_of(["1", "0", "-1"])]
        else:
            usual = {"resume": "c.h5", "info": "t.h5", "convert": "t.h5"}.get(verb, "in.yaml")
            arguments.append(usual if self.chance.random() < 0.7 else self.path())
        for _ in range(self.chance.randrange(4)):
            arguments += self.option(self.any_of(VERBS[verb] or ["--help"]))
        if self.chance.random() < 0.05:
            arguments.insert(self.chance.randrange(len(arguments) + 1),
                             self.any_of(["--help", "--version", "--", "-h", "--nothing", "", "x"]))
        if verb in ("run", "resume") and self.chance.random() < 0.5:
            arguments += ["--set", "output.overwrite=true"]
        # an argument has no NUL
        return [argument.replace("\0", "") for argument in arguments]


def snapshot(folder):
    """Every name below the folder with what would tell a change."""
    found = {}
    for parent, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(parent, name)
            status = os.lstat(path)
            size = None if name in folders else (status.st_size, status.st_mtime_ns)
            found[os.path.relpath(path, folder)] = (status.st_mode, status.st_ino, size)
    return found


def limits(memory):
    resource.setrlimit(resource.RLIMIT_AS, memory)
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_SIZE, FILE_SIZE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def memory_limit(tessera):
    """A program with the address sanitizer reserves terabytes of addresses, and takes no limit."""
    free = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
    for memory in [(MEMORY, MEMORY), free]:
        if subprocess.run([tessera, "--version"], preexec_fn=lambda: limits(memory),
                          capture_output=True).returncode == 0:
            return memory
    sys.exit(f"{tessera} --version fails")


def execute(tessera, arguments, folder, memory):
    """Exit code, stdout and stderr; a code below 0 is a signal, None a process that stays."""
    encoded = [argument.encode("utf-8", "surrogateescape") for argument in arguments]
    process = subprocess.Popen([tessera, *encoded], cwd=folder, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               preexec_fn=lambda: limits(memory))
    try:
        out, err = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGTERM)
        try:
            out, err = process.communicate(timeout=MERCY)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return None, "", ""
        # before the run begins nobody watches for the signal
        if process.returncode == -signal.SIGTERM:
            return 0, "", ""
    return process.returncode, out.decode(errors="replace"), err.decode(errors="replace")


def fault_of(code, out, err, before, after):
    """What is wrong with how a command ended; None: nothing."""
    if code is None:
        return "goes on after SIGTERM"
    if code not in (0, 1, 2, 3):
        return f"exit code {code}"
    for text in BROKEN:
        if text in err or text in out:
            return f"prints '{text}'"
    if code != 0 and not err.strip():
        return f"exit code {code} without a message"
    if len(err) > 65536:
        return f"a message of {len(err)} bytes"
    if code == 2 and before != after:
        changed = {name for name in {**before, **after} if before.get(name) != after.get(name)}
        return f"refused, and yet changed {sorted(changed)[:5]}"
    return None


def prepare(tessera, folder):
    """The files that command lines name."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    for name, text in [("in.yaml", json.dumps(INPUT)), ("start.xyz", XYZ), ("start.data", DATA),
                       ("bytes", "\x00\x01\x7f"), ("empty", "")]:
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    for place in [".", "run"]:
        subprocess.run([tessera, "run", "in.yaml", "--output-dir", place, "--quiet"], cwd=folder,
                       check=True, env=environment, stdout=subprocess.DEVNULL)
    with open(os.path.join(folder, "t.h5"), "rb") as whole:
        with open(os.path.join(folder, "damaged.h5"), "wb") as cut:
            cut.write(whole.read()[:3000])
    os.mkdir(os.path.join(folder, "d"))
    os.symlink("in.yaml", os.path.join(folder, "link"))
    os.symlink("loop", os.path.join(folder, "loop"))
    os.mkfifo(os.path.join(folder, "fifo"))
    for name, minor in [("null", 3), ("zero", 5), ("full", 7)]:
        try:
            os.mknod(os.path.join(folder, name), 0o666 | stat.S_IFCHR, os.makedev(1, minor))
        except PermissionError:
            pass  # devices are root's to make


def restore(pristine, folder):
    shutil.rmtree(folder, ignore_errors=True)
    # cp, since shutil opens a fifo
    subprocess.run(["cp", "-a", pristine, folder], check=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tessera")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    options = parser.parse_args()
    tessera = os.path.abspath(options.tessera)
    os.environ["OMP_NUM_THREADS"] = "1"
    memory = memory_limit(tessera)
    lines = CommandLines(options.seed)
    faults, codes = [], collections.Counter()
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as base:
        pristine, folder = os.path.join(base, "pristine"), os.path.join(base, "work")
        os.mkdir(pristine)
        prepare(tessera, pristine)
        restore(pristine, folder)
        state = clean = snapshot(folder)
        while time.monotonic() < begin + options.seconds:
            arguments = lines.next()
            code, out, err = execute(tessera, arguments, folder, memory)
            after = snapshot(folder)
            fault = fault_of(code, out, err, state, after)
            codes[code] += 1
            if fault:
                faults.append((fault, arguments))
                print(f"{fault}: tessera {' '.join(map(repr, arguments))}\n    {err[-500:]!r}",
                      flush=True)
            state = after
            if after != clean:
                restore(pristine, folder)
                state = clean = snapshot(folder)
    count = sum(codes.values())
    print(f"command lines: {count} in {time.monotonic() - begin:.0f} s, seed {options.seed}, exit codes "
          f"{dict(sorted(codes.items(), key=str))}, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
