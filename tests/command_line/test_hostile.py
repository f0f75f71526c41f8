#!/usr/bin/env python3
"""Trajectories from anybody: what would do harm is refused with code 2 and a message, at once."""

import os
import random
import shutil
import subprocess
import sys
import time
import unittest

from command_line import LIQUID, TESSERA, CommandLineTest, changed, h5py, np

ALL = "particles/all/"
# Seconds: a machine that is shared may be slow, a loop without end is slower.
LONGEST = 60
SMALL = changed(LIQUID, system__lattice__cells=[3, 3, 3], potential__cutoff=1.6, neighbor={"skin": 0.2},
                run__steps=20, threads=1, output__trajectory__every=2, output__checkpoint__every=5,
                output__rdf={"file": "g.csv", "every": 2, "bins": 20})


def put(file, name, data=None, **options):
    """Puts a dataset in place of another."""
    if name in file:
        del file[name]
    file.create_dataset(name, data=data, **options)


def trajectory(path, particles=4, frames=3):
    """The smallest file that is one, as another program might write it."""
    with h5py.File(path, "w", libver="earliest") as file:
        every = file.create_group("particles/all")
        box = every.create_group("box")
        box.attrs["dimension"] = 3
        box.attrs["boundary"] = np.array([b"periodic"] * 3)
        box["edges"] = np.array([8.0, 8.0, 8.0])
        position = every.create_group("position")
        position["step"] = np.arange(frames)
        position["time"] = np.arange(frames) * 0.1
        grid = np.array([[i % 4 * 2, i // 4 % 4 * 2, i // 16 * 2] for i in range(particles)], float)
        position["value"] = np.broadcast_to(grid.reshape(particles, 3), (frames, particles, 3)).copy()
        for name, kind in (("velocity", float), ("image", "i4")):
            group = every.create_group(name)
            group["step"] = position["step"]
            group["time"] = position["time"]
            group["value"] = np.zeros((frames, particles, 3), kind)
        every["species"] = np.zeros(particles, "i4")
        every["id"] = np.arange(1, particles + 1)
        every["mass"] = np.ones(particles)


def endless(file):
    for name in ("position", "velocity", "image"):
        for part, shape in (("value", (10**12, 4, 3)), ("step", (10**12,)), ("time", (10**12,))):
            chunks = (1000, 4, 3)[:len(shape)]
            put(file, f"{ALL}{name}/{part}", shape=shape, dtype="i8" if part == "step" else "f4",
                chunks=chunks)


def virtual(file):
    del file[ALL + "image/value"]
    layout = h5py.VirtualLayout(shape=(3, 4, 3), dtype="i4")
    layout[:] = h5py.VirtualSource("other.h5", ALL + "image/value", shape=(3, 4, 3))
    file.create_virtual_dataset(ALL + "image/value", layout)


def elsewhere(file):
    put(file, ALL + "image/value", shape=(1, 4, 3), dtype="i4",
        external=[(os.path.join(os.path.dirname(file.filename), "secret.bin"), 0, 48)])


def replaced_by_link(link, name="particles"):
    def edit(file):
        del file[name]
        file[name] = link
    return edit


def named_type(file):
    file["kind"] = np.dtype("i4")
    put(file, ALL + "species", shape=(4,), dtype=file["kind"])


def reference(file):
    put(file, ALL + "species", data=np.array([file.ref] * 4, dtype=h5py.ref_dtype))


def attribute(group, name, value):
    def edit(file):
        file[group].attrs[name] = value
    return edit


def dataset(name, data=None, **options):
    return lambda file: put(file, ALL + name, data, **options)


def fixed_interval(file):
    put(file, ALL + "position/step", data=np.int64(2**62))


# name: (what is done to the small trajectory, what the message says)
HOSTILE = {
    "no particles": (dataset("position/value", np.zeros((3, 0, 3))), "no particles"),
    "steps of rank 2": (dataset("position/step", np.arange(15000).reshape(3, 5000)), "step"),
    "times of rank 2": (dataset("position/time", np.zeros((3, 500))), "time"),
    "too few steps": (dataset("position/step", np.arange(2)), "incomplete"),
    "steps beyond 64 bits": (fixed_interval, "64 bits"),
    "half steps": (dataset("position/step", np.arange(3) + 0.5), "whole number"),
    "huge species": (dataset("species", np.array([0, 0, 0, 2**31 - 1], "i4")), "species"),
    "species beyond 32 bits": (dataset("species", np.array([0, 0, 0, 2**40])), "32 bits"),
    "species below 0": (dataset("species", np.array([0, 0, 0, -1], "i4")), "species"),
    "too many species": (dataset("species", np.zeros(1000, "i4")), "1000"),
    "texts for species": (dataset("species", np.array([b"A"] * 4)), "plain numbers"),
    "compound species": (dataset("species", np.zeros(4, [("a", "i4"), ("b", "i4")])), "plain numbers"),
    "endless frames": (endless, "declares"),
    "endless particles": (dataset("position/value", shape=(3, 10**12, 3), dtype="f4",
                                  chunks=(1, 1000, 3)), "declares"),
    "endless compressed": (dataset("position/value", shape=(10**9, 4, 3), dtype="f4",
                                   chunks=(1000, 4, 3), compression="gzip"), "declares"),
    "more than 64 bits": (dataset("position/value", shape=(2**40, 2**40, 3), dtype="f4",
                                  chunks=(1, 1000, 3)), "64 bits"),
    "positions in a plane": (dataset("position/value", np.zeros((3, 4, 2))), "shape"),
    "positions of rank 2": (dataset("position/value", np.zeros((3, 12))), "shape"),
    "velocities of others": (dataset("velocity/value", np.zeros((3, 5, 3))), "velocity"),
    "a scalar velocity": (dataset("velocity/value", np.float64(1.0)), "velocity"),
    "no box": (lambda file: file.__delitem__(ALL + "box/edges"), "box/edges"),
    "box of NaN": (dataset("box/edges", np.array([8.0, np.nan, 8.0])), "along y is nan"),
    "box of 0": (dataset("box/edges", np.array([8.0, 8.0, 0.0])), "along z"),
    "oblique box": (dataset("box/edges", np.full((3, 3), 8.0)), "orthogonal"),
    "1000 boundaries": (attribute(ALL + "box", "boundary", np.array([b"none"] * 1000)), "boundary"),
    "numbers for boundaries": (attribute(ALL + "box", "boundary", np.ones(3)), "text"),
    "storage elsewhere": (elsewhere, "another file"),
    "virtual storage": (virtual, "another file"),
    "a link elsewhere": (replaced_by_link(h5py.ExternalLink("other.h5", "/particles")),
                         "another file"),
    "a link below elsewhere": (replaced_by_link(h5py.ExternalLink("other.h5", "/particles/all/image"),
                                                ALL + "image"), "another file"),
    "a soft link to a link elsewhere": (
        lambda file: (replaced_by_link(h5py.ExternalLink("other.h5", "/"), "far")(file)
                      if "far" in file else file.__setitem__("far", h5py.ExternalLink("other.h5", "/")),
                      replaced_by_link(h5py.SoftLink("/far/particles"))(file)), "link"),
    "a link to nothing": (replaced_by_link(h5py.SoftLink("/nowhere"), ALL + "image"), "nothing"),
    "a link to itself": (replaced_by_link(h5py.SoftLink("/particles")), "nothing"),
    "an unknown filter": (dataset("position/value", np.zeros((3, 4, 3)), chunks=(1, 4, 3),
                                  scaleoffset=2), "filter"),
    "a type with a name": (named_type, "plain numbers"),
    "references": (reference, "plain numbers"),
    "a group for a dataset": (lambda file: (file.__delitem__(ALL + "species"),
                                            file.create_group(ALL + "species/value")), "species"),
}


class Hostile(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.write("run.yaml", "system: {file: t.h5, temperature: 1}\npotential: {cutoff: 2}\n"
                   "run: {steps: 1}\n")
        self.write("secret.bin", "SECRETS!" * 6)
        trajectory(self.path("other.h5"))

    def ends(self, *arguments, code):
        start = time.monotonic()
        result = self.tessera(*arguments, code=code)
        self.assertLess(time.monotonic() - start, LONGEST)
        self.assertLess(len(result.stderr), 2000)
        for word in ("H5", "errno", "_M_", "std::", "SECRETS", "\x1b"):
            self.assertNotIn(word, result.stderr)
        return result

    def test_the_small_trajectory_itself_is_read(self):
        trajectory(self.path("t.h5"))
        self.tessera("info", "t.h5")
        self.tessera("convert", "t.h5", "--to", "xyz")
        self.tessera("run", "run.yaml", "--quiet")

    def test_readers_refuse(self):
        for name, (edit, word) in HOSTILE.items():
            with self.subTest(name):
                trajectory(self.path("t.h5"))
                with h5py.File(self.path("t.h5"), "r+") as file:
                    edit(file)
                before = sorted(os.listdir(self.folder)), self.read("t.h5")
                for verb in [("info", "t.h5"), ("convert", "t.h5", "--to", "xyz"),
                             ("run", "run.yaml", "--quiet")]:
                    result = self.ends(*verb, code=2)
                    self.assertEqual(result.stdout, "")
                    self.assertIn("t.h5", result.stderr)
                    self.assertIn(word, result.stderr)
                self.assertEqual((sorted(os.listdir(self.folder)), self.read("t.h5")), before)

    def test_what_is_unusual_and_sound_is_read(self):
        def circle(file):
            file.create_group("observables")["again"] = file["/"]

        def soft(file):
            file["kept"] = file[ALL + "image"]
            replaced_by_link(h5py.SoftLink("/kept"), ALL + "image")(file)

        def packed(file):
            for name in ("position", "velocity"):
                put(file, f"{ALL}{name}/value", file[f"{ALL}{name}/value"][()], chunks=(1, 4, 3),
                    compression="gzip", shuffle=True, fletcher32=True)

        def kinds(file):
            species = h5py.enum_dtype({"A": 0, "B": 1}, basetype="i1")
            put(file, ALL + "species", np.array([0, 0, 0, 0]), dtype=species)
            put(file, ALL + "image/value", np.zeros((3, 4, 3)), dtype=">f8")
            put(file, ALL + "position/step", np.int64(5))
            file[ALL + "position/step"].attrs["offset"] = 3

        for edit in (circle, soft, packed, kinds):
            with self.subTest(edit.__name__):
                trajectory(self.path("t.h5"))
                with h5py.File(self.path("t.h5"), "r+") as file:
                    edit(file)
                self.ends("info", "t.h5", code=0)
                self.ends("convert", "t.h5", "--to", "xyz", "-o", edit.__name__ + ".xyz", code=0)
        self.assertIn("steps 3 to 13", self.ends("info", "t.h5", code=0).stdout)

    def test_texts_do_not_steer_the_terminal(self):
        trajectory(self.path("t.h5"))
        with h5py.File(self.path("t.h5"), "r+") as file:
            creator = file.create_group("h5md/creator")
            creator.attrs["name"] = b"\x1b[2J\xff\xfe evil"
            creator.attrs["version"] = b"v" * 10000
            for index in range(300):
                file.create_group(f"observables/\x1b]0;{index}\x07")
        output = self.ends("info", "t.h5", code=0).stdout
        self.assertNotIn("\x1b", output)
        self.assertIn("\\x1b[2J", output)
        self.assertIn("and 250 more", output)
        self.assertLess(len(output), 6000)

    def test_a_file_damaged_anywhere_ends_with_a_message(self):
        trajectory(self.path("t.h5"))
        whole = self.read("t.h5")
        choice = random.Random(20240817)
        for round_number in range(120):
            damaged = bytearray(whole)
            for _ in range(choice.choice([1, 1, 4, 30])):
                damaged[choice.randrange(len(damaged))] = choice.choice([0, 255, choice.randrange(256)])
            if round_number % 10 == 0:
                damaged = damaged[:choice.randrange(len(damaged))]
            with open(self.path("d.h5"), "wb") as file:
                file.write(damaged)
            process = subprocess.run([TESSERA, "info", "d.h5"], cwd=self.folder, timeout=LONGEST,
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
            self.assertIn(process.returncode, (0, 1, 2), (round_number, process))

    def test_whole_and_cut_off(self):
        self.run_in("o", self.input(SMALL))
        self.assertIn("complete    yes", self.ends("info", "o/t.h5", code=0).stdout)
        for name in ("t.h5", "c.h5"):
            for share in (0.1, 0.5, 0.999):
                whole = self.read("o", name)
                with open(self.path("cut.h5"), "wb") as file:
                    file.write(whole[:int(share * len(whole))])
                self.assertIn("complete    no: ", self.ends("info", "cut.h5", code=1).stdout)
        for text in ("", "text"):
            self.write("text.h5", text)
            self.ends("info", "text.h5", code=2)

    def test_what_a_run_has_open_can_be_read(self):
        self.run_in("o", self.input(SMALL))
        with h5py.File(self.path("o/t.h5"), "r+"):
            self.ends("info", "o/t.h5", code=0)
            self.ends("convert", "o/t.h5", "--to", "xyz", code=0)
            self.assertIn("nother program has", self.resumed(code=2).stderr)

    def resumed(self, code):
        return self.ends("resume", "o/c.h5", "--steps", "2", "--quiet", code=code)

    def test_a_run_goes_on_with_nothing_but_its_own_trajectory(self):
        def grown(name, shape, kind):
            limit = (None,) + shape[1:]
            return lambda file: put(file, name, shape=shape, maxshape=limit, dtype=kind)

        def steps_elsewhere(file):
            put(file, ALL + "position/step", shape=(11,), dtype="i8",
                external=[(self.path("victim.bin"), 0, 88)])

        def fixed(file):
            put(file, ALL + "position/time", file[ALL + "position/time"][()])

        def descending(file):
            file[ALL + "position/step"][3] = 0

        def other_ids(file):
            file[ALL + "id"][0] = -5

        def twins(name, other):
            def edit(file):
                del file[name]
                file[name] = file[other]
            return edit

        cases = {
            "energies that are g(r)": (twins("observables/internal_energy/value",
                                             "parameters/rdf/value"), "two names"),
            "densities that are temperatures": (twins("observables/density/value",
                                                      "observables/temperature/value"),
                                                "two names"),
            "times that are temperatures": (twins(ALL + "position/time",
                                                  "observables/temperature/value"), "two names"),
            "scalar steps": (lambda file: put(file, ALL + "position/step", np.int64(3)), "step"),
            "times of rank 2": (grown(ALL + "position/time", (11, 500), "f8"), "time"),
            "edges of rank 2": (grown(ALL + "box/edges/value", (11, 500), "f8"), "edges"),
            "velocities of others": (grown(ALL + "velocity/value", (11, 300, 3), "f8"), "velocity"),
            "1000 counts": (lambda file: put(file, "parameters/committed_frames",
                                             np.full((1, 1000), 3)), "committed_frames"),
            "a count below 0": (lambda file: put(file, "parameters/committed_frames",
                                                 np.int64(-3)), "committed_frames"),
            "a count of 32 bits": (lambda file: put(file, "parameters/committed_frames",
                                                    np.int32(3)), "committed_frames"),
            "a count too high": (lambda file: put(file, "parameters/committed_frames",
                                                  np.int64(12)), "incomplete"),
            "a damaged length": (
                lambda file: file["observables/temperature/value"].resize((2**50,)), "declares"),
            "a short observable": (
                lambda file: file["observables/temperature/value"].resize((2,)), "incomplete"),
            "no observable": (lambda file: file.__delitem__("observables/pressure"), "pressure"),
            "storage elsewhere": (steps_elsewhere, "another file"),
            "rows that cannot grow": (fixed, "as this program stores it"),
            "steps that descend": (descending, "followed by"),
            "other ids": (other_ids, "id"),
            "another run": (lambda file: file["parameters"].attrs.__setitem__("run_id", b"1"),
                            "another run"),
            "a link elsewhere": (replaced_by_link(h5py.ExternalLink("../victim.bin", "/"),
                                                  "observables"), "another file"),
        }
        self.run_in("whole", self.input(SMALL))
        for name, (edit, word) in cases.items():
            with self.subTest(name):
                shutil.rmtree(self.path("o"), ignore_errors=True)
                shutil.copytree(self.path("whole"), self.path("o"))
                with open(self.path("victim.bin"), "wb") as file:
                    file.write(bytes(4096))
                with h5py.File(self.path("o/t.h5"), "r+") as file:
                    edit(file)
                before = {name: self.read("o", name) for name in os.listdir(self.path("o"))}
                self.assertIn(word, self.resumed(code=2).stderr)
                after = {name: self.read("o", name) for name in os.listdir(self.path("o"))}
                self.assertEqual(sorted(before), sorted(after))
                self.assertEqual([key for key in before if before[key] != after[key]], [])
                self.assertEqual(self.read("victim.bin"), bytes(4096))

    def test_another_folder_is_another_run(self):
        self.run_in("o", self.input(SMALL))
        for folder, seed in (("other", 5), ("again", LIQUID["system"]["seed"])):
            self.run_in(folder, self.input(SMALL, system__seed=seed))
            for name in set(os.listdir(self.path(folder))) - {"t.h5"}:
                os.remove(self.path(folder, name))
        before = self.read("other", "t.h5")
        result = self.ends("resume", "o/c.h5", "--steps", "2", "--output-dir", "other", code=2)
        self.assertIn("another run", result.stderr)
        self.assertEqual(self.read("other", "t.h5"), before)
        # the same run, made twice, is the same
        self.tessera("resume", "o/c.h5", "--steps", "2", "--quiet", "--output-dir", "again")

    def test_equal_runs_make_equal_bytes(self):
        self.run_in("o", self.input(SMALL))
        time.sleep(1.1)
        self.run_in("again", self.input(SMALL))
        for name in ("t.h5", "c.h5", "t.csv"):
            self.assertEqual(self.read("o", name), self.read("again", name), name)


if __name__ == "__main__":
    sys.exit(unittest.main())
