"""What killing and failing runs share: a small input, the run of it that nothing befalls, and how
another run is held against it."""

import json
import os
import shutil
import subprocess
import sys

# the module takes the executable's path out of the arguments
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "command_line"))
from command_line import (  # noqa: E402, F401
    LIQUID, TESSERA, changed, h5py, np, takes_memory_limits)

STEPS = 240
EVERY = 6
SMALL = changed(
    LIQUID, system__lattice__cells=[5, 5, 5], system__temperature=1.0, potential__cutoff=1.8,
    run__steps=STEPS, threads=1, output__trajectory__every=EVERY, output__thermo__every=EVERY,
    output__checkpoint__every=20)
# name: what is changed in the input
VARIANTS = {
    "exact lists, float32": {},
    "verlet list, g(r)": {
        "force__path": "gather", "force__precision": "double",
        "neighbor": {"rebuild": "on_displacement", "skin": 0.3},
        "output__rdf": {"file": "g.csv", "every": 12, "bins": 50}},
    "compressed, float64": {
        "neighbor": {"rebuild": "on_displacement", "skin": 0.3},
        "output__trajectory__compress": True, "output__trajectory__dtype": "float64"},
}
TRAJECTORY, TABLE, CHECKPOINT = "t.h5", "t.csv", "c.h5"


class Different(Exception):
    """A run is not what it should be."""


def demand(holds, message):
    if not holds:
        raise Different(message)


def attributes_of(item):
    return {name: np.asarray(value).tolist() for name, value in item.attrs.items()}


def contents(path):
    """Every dataset and attribute by name."""
    found = {}

    def visit(name, item):
        found[name + "@"] = attributes_of(item)
        if isinstance(item, h5py.Dataset):
            values = np.asarray(item[()])
            found[name] = (str(item.dtype), item.shape, values.tobytes() if values.dtype != object
                           else str(values))

    try:
        with h5py.File(path, "r") as file:
            file.visititems(visit)
            found["/@"] = attributes_of(file)
    except OSError as error:
        raise Different(f"{os.path.basename(path)}: {error}") from None
    return found


def read(path):
    with open(path, "rb") as file:
        return file.read()


def last_line(text):
    lines = text.strip().splitlines()
    return lines[-1][:200] if lines else ""


class Reference:
    """An input with the run of it that nothing befell, in a folder of its own."""

    def __init__(self, base, name, changes):
        self.base, self.name = base, name
        self.folder = os.path.join(base, "whole")
        self.input = os.path.join(base, "in.yaml")
        os.makedirs(base)
        with open(self.input, "w", encoding="utf-8") as file:
            json.dump(changed(SMALL, **changes), file)
        done = subprocess.run(self.run_command(self.folder), capture_output=True, text=True)
        demand(done.returncode == 0, f"the run itself fails: {done.stderr}")
        self.trajectory = contents(self.path(TRAJECTORY))
        self.checkpoint = contents(self.path(CHECKPOINT))
        with h5py.File(self.path(TRAJECTORY), "r") as file:
            self.frames = {name: file["particles/all"][name][()] for name in
                           ["position/value", "position/step", "velocity/value", "image/value"]}
        self.rows = read(self.path(TABLE)).splitlines(keepends=True)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def run_command(self, folder):
        return [TESSERA, "run", self.input, "--output-dir", folder, "--quiet"]

    @staticmethod
    def resume_command(folder):
        return [TESSERA, "resume", os.path.join(folder, CHECKPOINT), "--quiet"]

    def check_whole(self, folder):
        """The run in the folder is this run: every value of its trajectory and checkpoint, every
        byte of its tables. Returns whether the trajectory's bytes are the same too."""
        for name in [TABLE, "g.csv"]:
            if os.path.exists(self.path(name)):
                demand(read(os.path.join(folder, name)) == read(self.path(name)),
                       f"{name} differs")
        for name, expected in [(TRAJECTORY, self.trajectory), (CHECKPOINT, self.checkpoint)]:
            found = contents(os.path.join(folder, name))
            keys = [key for key in {**expected, **found} if expected.get(key) != found.get(key)]
            demand(not keys, f"{name} differs in {sorted(keys)[:5]}")
        return read(os.path.join(folder, TRAJECTORY)) == read(self.path(TRAJECTORY))

    def check_part(self, folder):
        """What a run that ended early has left opens, and is the beginning of this run. Returns the
        frames in it; 0 if it had not begun."""
        path = os.path.join(folder, TRAJECTORY)
        if not os.path.exists(path):
            return 0
        committed = contents(path)["parameters/committed_frames"]
        count = int(np.frombuffer(committed[2], committed[0])[0])
        with h5py.File(path, "r") as file:
            for name, expected in self.frames.items():
                found = file["particles/all"][name][:count]
                demand(len(found) == count and np.array_equal(found, expected[:count]),
                       f"{name} of the frames counted differs")
        rows = read(os.path.join(folder, TABLE)).splitlines(keepends=True) \
            if os.path.exists(os.path.join(folder, TABLE)) else []
        whole = rows[:-1] if rows and not rows[-1].endswith(b"\n") else rows
        demand(whole == self.rows[:len(whole)], "rows of the table differ")
        demand(len(whole) - 1 <= count, f"{len(whole) - 1} rows were told, {count} frames are there")
        return count

    def finish(self, folder, environment=None):
        """Goes on with the run to its end, or begins it anew where it has left no checkpoint."""
        if any(os.path.exists(os.path.join(folder, name)) for name in [CHECKPOINT, "c.prev.h5"]):
            done = subprocess.run(self.resume_command(folder), capture_output=True, text=True,
                                  env=environment)
            complete = done.returncode == 2 and "no steps are left" in done.stderr
            demand(done.returncode == 0 or complete,
                   f"cannot be resumed ({done.returncode}): {last_line(done.stderr)}")
            return "resumed"
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run(self.run_command(folder), check=True, capture_output=True)
        return "begun anew"
