#!/usr/bin/env python3
"""A resumed run is the same run: what would make another one of it is refused by name, and files
that are not the run's own are not touched."""

import os
import shutil
import sys
import unittest

from command_line import CommandLineTest, contents, h5py, np, steps_of
from test_claims import tree

ALONE = {"output__trajectory": None}


def rows(path):
    return np.loadtxt(path, delimiter=",", skiprows=1, ndmin=2)


class SameRun(CommandLineTest):
    def begin(self, folder="out", **changes):
        changes.setdefault("run__steps", 100)
        self.run_in(folder, self.input(**changes))

    def refused(self, *arguments, words=(), checkpoint="out/c.h5"):
        before = tree(self.folder)
        result = self.tessera("resume", checkpoint, "--steps", 10, "--quiet", *arguments, code=2)
        for word in words:
            self.assertIn(word, result.stderr)
        self.assertEqual(tree(self.folder), before, arguments)
        return result

    def resume(self, *arguments, code=0, checkpoint="out/c.h5", steps=10):
        return self.tessera("resume", checkpoint, "--steps", steps, "--quiet", *arguments,
                            code=code)


class Input(SameRun):
    def test_what_shapes_the_state_is_refused_by_name(self):
        self.begin()
        for key, value in [
                ("system.temperature", 3), ("system.seed", 1),
                ("system.boundary", "[open, open, open]"), ("system.lattice.density", 0.8),
                ("system.lattice.cells", "[5, 4, 4]"), ("system.species.0.mass", 4),
                ("potential.cutoff", 2.4),
                ("potential.truncation", "sharp"), ("potential.pairs.0.epsilon", 2),
                ("potential.tail_correction", "true"), ("run.dt", 0.002),
                ("force.precision", "double")]:
            with self.subTest(key=key):
                result = self.refused("--set", f"{key}={value}", words=[key])
                self.assertIn("same run", result.stderr)
        # the same value is no change
        self.resume("--set", "system.temperature=1.44", "--set", "run.dt=4e-3")

    def test_what_decides_length_speed_and_outputs_may_be_changed(self):
        self.begin(force={"path": "gather"})
        for assignment in ["run.walltime=2h", "device=cpu", "threads=1", "force.path=reordered",
                           "force.lanes=2", "reorder.streams=1", "neighbor.skin=0.4",
                           "neighbor.rebuild=on_displacement", "output.thermo.every=2",
                           "output.checkpoint.every=11"]:
            with self.subTest(assignment=assignment):
                self.resume("--set", assignment)
                key, value = assignment.split("=")
                info = self.tessera("info", self.path("out", "c.h5")).stdout
                if key not in ["run.walltime"]:
                    self.assertIn(f"{key.split('.')[-1]}: {value}", info)

    def test_what_was_changed_is_in_the_files_own_record(self):
        self.begin()
        with h5py.File(self.path("out", "t.h5"), "r") as file:
            self.assertEqual(file["parameters/changes"].shape, (0,))
            original = file["parameters/input_yaml"][()]
        self.resume("--set", "threads=1")
        self.resume()
        self.resume("--set", "neighbor.skin=0.2", "--set", "output.thermo.every=10")
        lines = ["step 100: threads: 2 -> 1", "step 120: neighbor.skin: 0.3 -> 0.2",
                 "step 120: output.thermo.every: 5 -> 10"]
        with h5py.File(self.path("out", "t.h5"), "r") as file:
            self.assertEqual(bytes(file["parameters/changes"][()]).decode().splitlines(), lines)
            self.assertEqual(file["parameters/input_yaml"][()], original)
        info = self.tessera("info", self.path("out", "t.h5")).stdout
        self.assertTrue(info.endswith("changed\n" + "\n".join(lines) + "\n"), info)
        # what the next part of the run is made from
        info = self.tessera("info", self.path("out", "c.h5")).stdout
        self.assertIn("skin: 0.2", info)
        self.assertIn("threads: 1", info)

    def test_lists_are_built_with_the_skin_that_holds_now(self):
        speed = {"force": {"path": "gather", "precision": "double"}, "output__trajectory": None}
        self.begin("whole", run__steps=160, output__thermo__every=1, **speed,
                   neighbor={"rebuild": "on_displacement", "skin": 0.6})
        for change in ["neighbor.skin=0.05", "neighbor.skin=0.9", "neighbor.rebuild=every_step"]:
            for begin in [40, 120]:
                with self.subTest(change=change, begin=begin):
                    shutil.rmtree(self.path("out"), ignore_errors=True)
                    self.begin(run__steps=begin, output__thermo__every=1, **speed,
                               neighbor={"rebuild": "on_displacement", "skin": 0.6})
                    self.resume("--set", change, steps=40)
                    found = rows(self.path("out", "t.csv"))
                    expected = rows(self.path("whole", "t.csv"))[:len(found)]
                    self.assertEqual(len(found), begin + 41)
                    # Sums in another order: 1e-15 after 40 steps. Pairs that are missing from lists
                    # of the old positions: 2e-4.
                    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


class Files(SameRun):
    def test_a_file_that_is_no_log_of_the_run_stays(self):
        self.begin()
        self.write("out/notes.md", "".join(f"note {line}\n" for line in range(10000)))
        self.refused("--set", "output.thermo.file=notes.md", words=["notes.md", "untouched"])
        self.write("out/t.csv", "important\nline 2\n")
        self.refused(words=["t.csv", "header"])
        # on request, and from this step on
        result = self.resume("--set", "output.overwrite=true")
        self.assertIn("replaced", result.stderr)
        self.assertEqual(rows(self.path("out", "t.csv"))[-1, 0], 110)

    def test_overwrite_of_the_first_run_is_none_of_the_resumed_one(self):
        self.begin(output__overwrite=True)
        self.write("out/t.csv", "important\nline 2\n")
        self.refused(words=["t.csv"])
        self.write("out/g.csv", "precious")
        self.refused("--set", "output.rdf={file: g.csv, every: 5}", words=["g.csv"])

    def test_rows_are_never_lost(self):
        self.begin()
        lines = self.read("out", "t.csv").decode().splitlines(keepends=True)
        changed = {
            "a row added": [*lines[:5], lines[5].replace("20,", "21,", 1), *lines[5:]],
            "a row changed": [*lines[:5], lines[5].replace("20,0.08", "20,0.09"), *lines[6:]],
            "a row removed": [*lines[:5], *lines[6:]],
            "the last removed": lines[:-1],
            "words": [*lines[:5], "a note\n", *lines[5:]],
            "words at the end": [*lines, "a note"],
        }
        for what, text in changed.items():
            with self.subTest(what=what):
                self.write("out/t.csv", "".join(text))
                self.refused(words=["t.csv"])
        self.write("out/t.csv", "".join([*lines[:5], "# a note\n", *lines[5:], "120,0.4"]))
        self.resume()
        found = self.read("out", "t.csv").decode().splitlines(keepends=True)
        self.assertEqual(found[:5] + found[6:-2], lines)
        self.assertEqual(found[5], "# a note\n")
        self.assertTrue(found[-1].startswith("110,"))

    def test_a_missing_thermo_file_is_begun_anew_and_said_so(self):
        self.begin()
        os.remove(self.path("out", "t.csv"))
        result = self.resume()
        first = int(rows(self.path("out", "t.csv"))[0, 0])
        self.assertGreaterEqual(first, 100)
        self.assertIn(f"t.csv is missing; it is begun anew, with the rows from step {first}",
                      result.stderr)
        self.assertEqual(self.resume().stderr, "")

    def test_a_run_killed_before_its_last_g_of_r_is_completed(self):
        def no_g(file):
            for name in ["parameters/rdf/r", "parameters/rdf/value"]:
                file[name].resize((0,))

        def other_g(file):
            file["parameters/rdf/value"][3] += 1.0

        self.begin(output__rdf={"file": "g.csv", "every": 5, "bins": 20})
        whole = contents(self.path("out", "t.h5"))
        table = self.read("out", "g.csv")
        other_table = table[:-2] + (b"1" if table[-2:-1] == b"0" else b"0") + b"\n"
        self.refused_as_complete()
        for edit, text in [(no_g, None), (no_g, other_table), (no_g, table),
                           (other_g, table), (None, None)]:
            with self.subTest(edit=edit, text=text):
                if edit:
                    with h5py.File(self.path("out", "t.h5"), "r+") as file:
                        edit(file)
                os.remove(self.path("out", "g.csv"))
                if text is not None:
                    with open(self.path("out", "g.csv"), "wb") as file:
                        file.write(text)
                self.tessera("resume", "out/c.h5", "--quiet")
                self.assertEqual(contents(self.path("out", "t.h5")), whole)
                self.assertEqual(self.read("out", "g.csv"), table)
                self.refused_as_complete()
        # what is not the run's is no g(r) to be completed
        self.write("out/g.csv", "mine")
        self.refused_as_complete()

    def refused_as_complete(self):
        before = tree(self.folder)
        result = self.tessera("resume", "out/c.h5", "--quiet", code=2)
        self.assertIn("no steps are left", result.stderr)
        self.assertEqual(tree(self.folder), before)

    def test_new_names_begin_new_files(self):
        self.begin()
        before = tree(self.path("out"))
        self.resume("--set", "output.trajectory.file=u.h5", "--set", "output.thermo.file=u.csv",
                    "--set", "output.checkpoint.file=d.h5", "--set",
                    "output.rdf={file: g.csv, every: 5, start: 101}")
        after = tree(self.path("out"))
        self.assertEqual({name: after[name] for name in before}, before)
        self.assertEqual(steps_of(self.path("out", "u.h5"))[-1], 110)
        self.resume(checkpoint="out/d.h5")
        self.assertEqual(steps_of(self.path("out", "u.h5"))[-1], 120)
        self.assertEqual(rows(self.path("out", "u.csv"))[-1, 0], 120)

    def test_files_that_are_there_are_not_taken_for_new_names(self):
        self.begin()
        for name in ["a.txt", "a.h5"]:
            self.write("out/" + name, "1\n2\n3\n")
        for assignment in ["output.rdf={file: a.txt, every: 5}", "output.checkpoint.file=a.txt",
                           "output.thermo.file=a.txt", "output.trajectory.file=a.h5"]:
            with self.subTest(assignment=assignment):
                self.refused("--set", assignment, words=["a."])

    def test_another_runs_folder(self):
        # without a trajectory, which would tell
        for folder, seed, steps in [("A", 1, 100), ("B", 2, 60)]:
            self.begin(folder, system__seed=seed, run__steps=steps,
                       output__rdf={"file": "g.csv", "every": 10}, **ALONE)
        for checkpoint, folder in [("B/c.h5", "A"), ("A/c.h5", "B")]:
            for removed in [[], ["c.h5", "c.prev.h5"]]:
                with self.subTest(folder=folder, removed=removed):
                    shutil.rmtree(self.path("copy"), ignore_errors=True)
                    shutil.copytree(self.path(folder), self.path("copy"))
                    for name in removed:
                        os.remove(self.path("copy", name))
                    self.refused("--output-dir", "copy", checkpoint=checkpoint,
                                 words=["t.csv" if removed else "c.h5"])

    def test_another_runs_trajectory(self):
        self.begin("A", system__seed=1, output__thermo={"every": 100})
        self.begin("B", system__seed=2, run__steps=60, output__thermo={"every": 100})
        for name in ["c.h5", "c.prev.h5"]:
            os.remove(self.path("A", name))
        self.refused("--output-dir", "A", checkpoint="B/c.h5", words=["t.h5", "another run's"])
        # on request it is replaced, by the frames from here on
        self.resume("--output-dir", "A", "--set", "output.overwrite=true", checkpoint="B/c.h5")
        self.assertGreaterEqual(steps_of(self.path("A", "t.h5"))[0], 60)
        self.assertEqual(steps_of(self.path("A", "t.h5"))[-1], 70)

    def test_a_refused_resume_has_cut_nothing(self):
        self.begin(output__rdf={"file": "g.csv", "every": 10})
        with h5py.File(self.path("out", "t.h5"), "r+") as file:
            values = file["parameters/rdf/r"][()]
            del file["parameters/rdf/r"]
            file["parameters/rdf/r"] = values
        self.refused(checkpoint="out/c.prev.h5", words=["t.h5"])

    def test_earlier_checkpoints_of_the_run_go_on(self):
        self.begin("whole", run__steps=110)
        self.begin("out")
        shutil.copy(self.path("out", "c.prev.h5"), self.path("out", "backup.h5"))
        for name, steps in [("c.prev.h5", 20), ("backup.h5", 36)]:  # both of step 74
            self.resume(checkpoint=f"out/{name}", steps=steps)
        self.assert_same_run("whole", "out")


class TakenAway(SameRun):
    def taken(self, take, word):
        shutil.rmtree(self.path("out"), ignore_errors=True)
        source = self.input(run__steps=10**8)
        process = self.start("run", source, "--output-dir", self.path("out"), "--quiet")
        self.wait_for_rows(self.path("out", "t.csv"), 30, process)
        take()
        try:
            _, errors = process.communicate(timeout=60)
        finally:
            process.kill()
        self.assertEqual(process.returncode, 1, errors)
        self.assertIn(word, errors)
        self.assertIn("complete    yes", self.tessera("info", self.path("out", "c.h5")).stdout)

    def test_an_output_that_is_taken_away_fails_the_run(self):
        for name in ["t.csv", "t.h5"]:
            with self.subTest(file=name):
                path = self.path("out", name)
                self.taken(lambda path=path: os.remove(path), name)
                self.taken(lambda path=path: os.rename(path, path + ".away"), name)
                self.taken(lambda path=path: os.truncate(path, 0), name)


if __name__ == "__main__":
    sys.exit(unittest.main())
