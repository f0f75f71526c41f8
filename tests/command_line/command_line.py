"""What the tests of the built `tessera` share: inputs, runs and a look at the files they leave.

A test script is called with the path of the executable: SCRIPT TESSERA [unittest options]. It exits
with 77 (skipped) where h5py is missing.
"""

import copy
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

TESSERA = os.path.abspath(sys.argv.pop(1))
# Threads that spin while they wait would starve the other tests that run at the same time.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

# 256 particles near the triple point, small enough that a step takes well under a millisecond.
LIQUID = {
    "system": {
        "lattice": {"type": "fcc", "cells": [4, 4, 4], "density": 0.8442},
        "temperature": 1.44,
        "seed": 87287,
    },
    "potential": {"cutoff": 2.5, "truncation": "shifted"},
    "run": {"steps": 200, "dt": 0.004},
    "output": {
        "trajectory": {
            "file": "t.h5", "every": 10, "fields": ["position", "image", "velocity", "force"],
        },
        "thermo": {"file": "t.csv", "every": 5},
        "checkpoint": {"file": "c.h5", "every": 37},
    },
    "device": "cpu",
    "threads": 2,
}

# Written anew or not at all by a resumed run, and allowed to differ: none of it is a result.
BOOKKEEPING = ("parameters/input_yaml", "parameters/changes")


def changed(base, **changes):
    """A copy of an input with keys replaced: run__steps=10; None removes one."""
    result = copy.deepcopy(base)
    for path, value in changes.items():
        *parents, last = path.split("__")
        place = result
        for key in parents:
            place = place.setdefault(key, {})
        if value is None:
            place.pop(last, None)
        else:
            place[last] = value
    return result


def contents(path):
    """Every dataset of an H5MD file by name, as bytes with type and shape."""
    found = {}

    def visit(name, item):
        if isinstance(item, h5py.Dataset) and name not in BOOKKEEPING:
            found[name] = (str(item.dtype), item.shape, np.asarray(item[()]).tobytes())

    with h5py.File(path, "r") as file:
        file.visititems(visit)
        # visititems shows a dataset of several names once; the clocks are linked to position's
        found["particles/all/position/step"] = file["particles/all/position/step"][()].tobytes()
    return found


def steps_of(path):
    with h5py.File(path, "r") as file:
        return file["particles/all/position/step"][()].tolist()


def takes_memory_limits():
    """Whether the executable runs under a limit on its address space: one with the address
    sanitizer reserves terabytes of it."""
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
    return subprocess.run([TESSERA, "--version"], preexec_fn=limit,
                          capture_output=True).returncode == 0


class CommandLineTest(unittest.TestCase):
    def setUp(self):
        self._directory = tempfile.TemporaryDirectory()
        self.folder = self._directory.name

    def tearDown(self):
        self._directory.cleanup()

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def read(self, *names):
        with open(self.path(*names), "rb") as file:
            return file.read()

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def input(self, config=LIQUID, name="in.yaml", **changes):
        """Writes an input; JSON is YAML."""
        return self.write(name, json.dumps(changed(config, **changes), indent=1))

    def start(self, *arguments, **options):
        return subprocess.Popen([TESSERA, *map(str, arguments)], cwd=self.folder,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                **options)

    def tessera(self, *arguments, code=0, **options):
        """Runs to the end, expecting an exit code; the result has stdout and stderr."""
        result = subprocess.run([TESSERA, *map(str, arguments)], cwd=self.folder, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300,
                                check=False, **options)
        self.assertEqual(result.returncode, code,
                         f"tessera {arguments}\n{result.stdout[-2000:]}\n{result.stderr[-2000:]}")
        return result

    def run_in(self, folder, input_path, *arguments, code=0, **options):
        return self.tessera("run", input_path, "--output-dir", self.path(folder), "--quiet",
                            *arguments, code=code, **options)

    def wait_for_rows(self, csv, rows, process):
        """Until the thermo file has that many lines, or the process ends."""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and process.poll() is None:
            try:
                with open(csv, "rb") as file:
                    if file.read().count(b"\n") >= rows:
                        return
            except FileNotFoundError:
                pass
            time.sleep(0.002)

    def interrupt(self, process, number=signal.SIGTERM):
        process.send_signal(number)
        output, errors = process.communicate(timeout=60)
        return process.returncode, output, errors

    def assert_same_run(self, first, second, files=("t.h5", "t.csv")):
        """The H5MD datasets and the CSV bytes of two output folders are equal."""
        for name in files:
            if name.endswith(".h5"):
                expected, found = contents(self.path(first, name)), contents(self.path(second, name))
                self.assertEqual(sorted(expected), sorted(found))
                different = [key for key in expected if expected[key] != found[key]]
                self.assertEqual(different, [], f"datasets of {first} and {second} differ")
            else:
                self.assertEqual(self.read(first, name), self.read(second, name), name)
