#!/usr/bin/env python3
"""Every path is one file, wherever it is named from: none is destroyed by another name of it, and a
command that is refused has touched nothing."""

import json
import os
import shutil
import stat
import sys
import time
import unittest

from command_line import LIQUID, CommandLineTest, changed, steps_of
from test_files import limit_files

RDF = {"file": "g.csv", "every": 10}


def tree(folder):
    """Every name below a folder with what it is and holds."""
    found = {}
    for parent, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(parent, name)
            kind = stat.S_IFMT(os.lstat(path).st_mode)
            content = None
            if kind == stat.S_IFREG:
                with open(path, "rb") as file:
                    content = file.read()
            elif kind == stat.S_IFLNK:
                content = os.readlink(path)
            found[os.path.relpath(path, folder)] = (kind, content)
    return found


class Claims(CommandLineTest):
    def refused(self, *arguments, words=()):
        before = tree(self.folder)
        result = self.tessera(*arguments, code=2)
        for word in words:
            self.assertIn(word, result.stderr)
        self.assertEqual(tree(self.folder), before, arguments)
        return result

    def set(self, **values):
        return [part for key, value in values.items()
                for part in ("--set", f"{key.replace('__', '.')}={value}")]


class Collisions(Claims):
    def test_names_of_one_file(self):
        self.input(output__rdf=RDF, output__overwrite=True)
        os.mkdir(self.path("out"))
        os.mkdir(self.path("sub"))
        os.symlink("out", self.path("link"))
        os.symlink("t.h5", self.path("out", "l.csv"))
        for name in [self.path("out", "t.h5"), "../out/t.h5", "./t.h5", "../sub/../out/t.h5",
                     "../link/t.h5", "l.csv", "T.h5"]:
            with self.subTest(name=name):
                self.refused("run", "in.yaml", "--output-dir", "out",
                             *self.set(output__thermo__file=name),
                             words=["output.thermo.file", "output.trajectory.file"])
                self.refused("run", "in.yaml", "--output-dir", "out", "--summary",
                             os.path.join("out", name), words=["--summary", "output.trajectory"])
        # without the folder being there
        self.refused("run", "in.yaml", "--output-dir", "new/out",
                     *self.set(output__thermo__file=self.path("new", "out", "t.h5")),
                     words=["output.thermo.file"])

    def test_hard_links(self):
        self.input(output__overwrite=True)
        self.write("t.csv", "old")
        os.link(self.path("t.csv"), self.path("t.h5"))
        self.refused("run", "in.yaml", words=["output.thermo.file", "output.trajectory.file"])

    def test_second_links_that_a_kill_leaves_are_no_collision(self):
        """Between the link and the rename that put a file in another's place, both are one."""
        self.input(output__overwrite=True)
        self.tessera("run", "in.yaml", "--quiet")
        for kept in ["c.h5", "c.prev.h5"]:
            other = {"c.h5": "c.prev.h5", "c.prev.h5": "c.h5"}[kept]
            os.remove(self.path(other))
            os.link(self.path(kept), self.path(other))
            self.tessera("resume", "c.h5", "--steps", 10, "--quiet")
            self.assertFalse(os.path.samefile(self.path("c.h5"), self.path("c.prev.h5")))
        os.link(self.path("t.h5"), self.path(".t.h5.new"))
        self.tessera("resume", "c.h5", "--steps", 10, "--quiet")
        self.tessera("run", "in.yaml", "--quiet")
        self.assertFalse(os.path.exists(self.path(".t.h5.new")))
        # a symbolic link is nobody's leaving
        os.remove(self.path("c.prev.h5"))
        os.symlink("c.h5", self.path("c.prev.h5"))
        self.refused("run", "in.yaml", words=["before the last"])

    def test_names_that_are_made_from_others(self):
        self.input(output__rdf=RDF, output__overwrite=True)
        for key in ["trajectory", "thermo", "rdf"]:
            name = "c.prev.h5"
            self.refused("run", "in.yaml", *self.set(**{f"output__{key}__file": name}),
                         words=[f"output.{key}.file", "before the last"])
        for name in [".c.h5.new", ".t.h5.new", ".c.h5.lock", ".t.csv.lock"]:
            with self.subTest(name=name):
                self.refused("run", "in.yaml", *self.set(output__rdf__file=name),
                             words=["output.rdf.file"])
        self.refused("run", "in.yaml", "--summary", "c.prev.h5", words=["--summary"])

    def test_what_is_read_is_never_written(self):
        self.input(output__overwrite=True)
        self.tessera("run", "in.yaml", "--output-dir", "out", "--quiet")
        start = changed(LIQUID, system={"file": "out/t.h5", "temperature": 1},
                        output__overwrite=True)
        self.input(start, name="second.yaml")
        self.refused("run", "second.yaml", "--output-dir", "out", words=["system.file"])
        os.link(self.path("out", "t.h5"), self.path("t.h5"))
        self.refused("run", "second.yaml", words=["system.file"])
        os.remove(self.path("t.h5"))
        for name in ["second.yaml", "./second.yaml", self.path("second.yaml")]:
            self.refused("run", "second.yaml", "--summary", name, words=["--summary", "the input"])
            self.refused("run", "second.yaml", *self.set(output__thermo__file=name),
                         words=["the input"])
        self.refused("tune", "second.yaml", "--json", "second.yaml", words=["--json", "the input"])
        self.refused("tune", "second.yaml", "--json", "out/t.h5", words=["system.file"])
        for name in ["out/c.h5", "out/c.prev.h5"]:
            self.refused("resume", "out/c.h5", "--steps", 5, "--summary", name,
                         words=["--summary"])


class WhatIsThere(Claims):
    def test_summaries_and_reports_replace_their_like_alone(self):
        self.input(output=None, run__steps=5)
        for _ in range(2):
            self.tessera("run", "in.yaml", "--summary", "s.json", "--quiet")
            self.tessera("bench", "transactions", "-n", 256, "--json", "b.json")
        with open(self.path("s.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["steps"], 5)
        self.write("notes.txt", "mine")
        self.write("mine.json", '{"version": 1, "rows": []}')
        for name in ["notes.txt", "mine.json", "b.json"]:
            self.refused("run", "in.yaml", "--summary", name, words=["--summary", name])
        for name in ["notes.txt", "mine.json", "s.json", "in.yaml"]:
            self.refused("bench", "transactions", "-n", 256, "--json", name, words=["--json", name])
            self.refused("bench", "step", "-n", 256, "--json", name, words=["--json", name])
            self.refused("tune", "in.yaml", "--json", name, words=["--json"])
        self.tessera("run", "in.yaml", "--summary", "notes.txt", "--quiet",
                     *self.set(output__overwrite="true"))
        self.assertTrue(self.read("notes.txt").startswith(b"{"))

    def test_only_regular_files_are_replaced(self):
        self.input(output__overwrite=True, output__rdf=RDF)
        os.mkfifo(self.path("pipe.h5"))
        os.mkdir(self.path("folder.h5"))
        os.symlink("/dev/null", self.path("null.h5"))
        for key in ["trajectory", "checkpoint"]:
            for name in ["pipe.h5", "folder.h5", "null.h5"]:
                with self.subTest(key=key, name=name):
                    self.refused("run", "in.yaml", *self.set(**{f"output__{key}__file": name}),
                                 words=[name])
        self.refused("run", "in.yaml", *self.set(output__thermo__file="folder.h5"))
        # what is written front to back may go to a device, which stays one
        self.tessera("run", "in.yaml", "--quiet", "--summary", "null.h5",
                     *self.set(output__thermo__file="null.h5"), code=2)
        self.tessera("run", "in.yaml", "--quiet", "--summary", "/dev/null",
                     *self.set(output__thermo__file="null.h5"), code=2)
        self.tessera("run", "in.yaml", "--quiet", *self.set(output__thermo__file="null.h5"))
        self.assertTrue(os.path.islink(self.path("null.h5")))
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))
        self.tessera("resume", "c.h5", "--steps", 5, "--quiet")

    def test_a_pipe_gets_the_rows(self):
        self.input(output={"thermo": {"file": "pipe", "every": 5}})
        os.mkfifo(self.path("pipe"))
        process = self.start("run", "in.yaml", "--quiet")
        with open(self.path("pipe"), encoding="utf-8") as pipe:
            self.assertEqual(len(pipe.read().splitlines()), 42)
        self.assertEqual(process.wait(60), 0)
        process.communicate()
        self.assertTrue(stat.S_ISFIFO(os.lstat(self.path("pipe")).st_mode))

    @unittest.skipIf(os.geteuid() != 0, "only root makes devices")
    def test_a_device_stays_one(self):
        self.input(output__overwrite=True)
        device = self.path("null.h5")
        try:
            os.mknod(device, stat.S_IFCHR | 0o666, os.makedev(1, 3))
        except PermissionError:
            self.skipTest("no devices here")
        for key in ["trajectory", "checkpoint"]:
            self.tessera("run", "in.yaml", *self.set(**{f"output__{key}__file": "null.h5"}), code=2)
            self.assertTrue(stat.S_ISCHR(os.lstat(device).st_mode))

    def test_temporary_names_follow_no_link_and_spare_what_is_there(self):
        self.input(output__overwrite=True)
        for name in [".c.h5.new", ".t.h5.new", ".c.h5.lock", ".t.csv.lock"]:
            self.write("victim", "precious")
            os.symlink("victim", self.path(name))
            self.refused("run", "in.yaml", words=[name])
            os.remove(self.path(name))
            self.write(name, "mine")
            self.refused("run", "in.yaml", words=[name])
            os.remove(self.path(name))
        # what a killed run leaves is no hindrance
        self.write(".c.h5.new", "")
        with open(self.path(".t.h5.new"), "wb") as file:
            file.write(b"\x89HDF\r\n\x1a\nhalf of it")
        self.write(".c.h5.lock", "12345\n")
        self.tessera("run", "in.yaml", "--quiet")
        self.assertEqual(sorted(os.listdir(self.folder)),
                         ["c.h5", "c.prev.h5", "in.yaml", "t.csv", "t.h5", "victim"])


class Refusals(Claims):
    def test_a_refused_run_makes_no_folder_and_no_file(self):
        self.input()
        for arguments in [self.set(output__thermo__file="sub/t.csv"),
                          self.set(output__checkpoint__file="../none/c.h5"),
                          self.set(output__trajectory__file="t.xyz"),
                          self.set(device="cuda:77"), ["--summary", "none/s.json"]]:
            with self.subTest(arguments=arguments):
                self.refused("run", "in.yaml", "--output-dir", "a/b/c", *arguments)

    def test_a_run_that_fails_to_begin_leaves_nothing(self):
        # half a MiB holds no trajectory, which is made after folder and locks
        self.input()
        before = tree(self.folder)
        result = self.tessera("run", "in.yaml", "--output-dir", "a/b", code=2,
                              preexec_fn=limit_files(0.5))
        self.assertIn("Free some space", result.stderr)
        self.assertEqual(tree(self.folder), before)

    def test_names_that_are_none(self):
        self.input()
        for name in ['"x\\0a.h5"', '"x\\na.h5"', '"x\\ea.h5"', '"sub/"', '".."', '"x/."']:
            for key in ["trajectory", "thermo", "checkpoint"]:
                with self.subTest(name=name, key=key):
                    result = self.refused("run", "in.yaml", *self.set(**{
                        f"output__{key}__file": name}))
                    self.assertTrue(result.stderr.endswith("\n"))
                    self.assertNotIn("\x1b", result.stderr)
                    self.assertNotIn("\0", result.stderr)

    def test_what_convert_writes_has_a_name_of_its_own(self):
        self.input()
        self.tessera("run", "in.yaml", "--quiet", *self.set(output__trajectory__file="t.h5"))
        os.symlink("t.h5", self.path("l.xyz"))
        for name in ["x\na.xyz", "x\x1ba.xyz", "sub/", ".."]:
            self.refused("convert", "t.h5", "--to", "xyz", "-o", name, words=["-o:"])
        for name in ["t.h5", "./t.h5", "l.xyz"]:
            self.refused("convert", "t.h5", "--to", "xyz", "-o", name,
                         words=["-o:", "the file to convert"])

    def test_a_trajectory_has_the_name_of_one(self):
        self.input()
        for name in ["t.xyz", "t", "frames.csv", "t.h5.gz"]:
            for verb in ["run", "validate"]:
                self.refused(verb, "in.yaml", *self.set(output__trajectory__file=name),
                             words=["output.trajectory.file", "convert"])
        self.tessera("run", "in.yaml", "--quiet", *self.set(output__trajectory__file="t.h5md"))


class Locks(Claims):
    # without a trajectory, which has a lock of its own
    ALONE = {"output__trajectory": None, "run__steps": 10**8, "output__overwrite": True}

    def test_two_runs_share_no_file(self):
        for name, output in [("t.csv", {"thermo": {"file": "t.csv", "every": 5}}),
                             ("c.h5", {"checkpoint": {"file": "c.h5", "every": 50}}),
                             ("g.csv", {"rdf": RDF, "thermo": {"file": "u.csv", "every": 5}})]:
            with self.subTest(name=name):
                source = self.input(run__steps=10**8, output={**output, "overwrite": True})
                process = self.start("run", source, "--quiet")
                try:
                    lock = self.path(f".{name}.lock")
                    deadline = time.monotonic() + 60
                    while process.poll() is None and time.monotonic() < deadline and not (
                            os.path.exists(lock) and os.path.getsize(lock)):
                        time.sleep(0.01)
                    shared = self.input(name="b.yaml", run__steps=5,
                                        output={**output, "overwrite": True,
                                                "thermo": {"file": "t.csv", "every": 5}})
                    if name == "t.csv":
                        shared = source
                    result = self.tessera("run", shared, "--quiet", code=2)
                    self.assertIn(f"process {process.pid}", result.stderr)
                    self.assertIn(name, result.stderr)
                finally:
                    self.interrupt(process)
                self.assertEqual([file for file in os.listdir(self.folder) if "lock" in file], [])
                for file in os.listdir(self.folder):
                    os.remove(self.path(file))

    def test_a_run_that_goes_on_is_resumed_by_nobody_else(self):
        source = self.input(**{**self.ALONE, "run__steps": 50})
        self.tessera("run", source, "--quiet")
        process = self.start("resume", "c.h5", "--steps", 10**8, "--quiet")
        self.wait_for_rows(self.path("t.csv"), 15, process)
        result = self.tessera("resume", "c.h5", "--steps", 5, "--quiet", code=2)
        self.assertIn(f"process {process.pid}", result.stderr)
        self.assertEqual(self.interrupt(process)[0], 3)
        steps = [int(row.split(b",")[0]) for row in self.read("t.csv").splitlines()[1:]]
        self.assertEqual(steps, list(range(0, 5 * len(steps), 5)))

    def test_a_killed_run_leaves_no_lock_that_holds(self):
        source = self.input(**self.ALONE)
        process = self.start("run", source, "--quiet")
        self.wait_for_rows(self.path("t.csv"), 30, process)
        process.kill()
        process.communicate()
        self.tessera("resume", "c.h5", "--set", "run.steps=100000", "--steps", 5, "--quiet")
        self.assertEqual([file for file in os.listdir(self.folder) if "lock" in file], [])


class Anywhere(Claims):
    def check_resumed(self, checkpoint, folder, begin, name="t.h5"):
        before = sorted(os.listdir(self.folder))
        self.tessera("resume", checkpoint, "--steps", 5, "--quiet")
        self.assertEqual(sorted(os.listdir(self.folder)), before)
        last = self.read(folder, "t.csv").splitlines()[-1]
        self.assertEqual(int(last.split(b",")[0]), begin + 5)
        with open(self.path(folder, "t.csv"), "rb") as file:
            self.assertEqual(file.read().count(b"step"), 1)

    def test_checkpoints_lead_to_their_run(self):
        for file in ["c.h5", "./c.h5", "sub/../c.h5", "./sub/./c.h5", "../above.h5"]:
            with self.subTest(file=file):
                shutil.rmtree(self.path("runs"), ignore_errors=True)
                os.makedirs(self.path("runs", "1", "sub"))
                self.input(run__steps=20, output__checkpoint={"file": file})
                self.tessera("run", "in.yaml", "--quiet", "--output-dir", "runs/1")
                checkpoint = os.path.normpath(os.path.join("runs", "1", file))
                self.check_resumed(checkpoint, "runs/1", 20)
                self.check_resumed(os.path.join("runs", "1", file), "runs/1", 25)
                self.check_resumed(self.path(checkpoint), "runs/1", 30)
                os.symlink(checkpoint, self.path("latest.h5"))
                self.check_resumed("latest.h5", "runs/1", 35)
                # moved as a whole
                os.rename(self.path("runs"), self.path("moved"))
                os.remove(self.path("latest.h5"))
                self.check_resumed(checkpoint.replace("runs", "moved"), "moved/1", 40)
                os.rename(self.path("moved"), self.path("runs"))

    def test_without_output_dir(self):
        self.input(run__steps=20, output__checkpoint={"file": "./c.h5", "every": 10})
        self.tessera("run", "in.yaml", "--quiet")
        os.mkdir(self.path("elsewhere"))
        self.check_resumed("c.h5", ".", 20)
        self.check_resumed("elsewhere/../c.h5", ".", 25)
        self.assertEqual(os.listdir(self.path("elsewhere")), [])
        self.assertEqual(steps_of(self.path("t.h5"))[-1], 30)

    def test_the_files_of_a_run_may_be_links(self):
        os.makedirs(self.path("scratch"))
        self.input(run__steps=20)
        self.tessera("run", "in.yaml", "--quiet", "--output-dir", "out")
        for name in ["t.h5", "t.csv"]:
            os.rename(self.path("out", name), self.path("scratch", name))
            os.symlink(os.path.join("..", "scratch", name), self.path("out", name))
        self.check_resumed("out/c.h5", "out", 20)
        self.assertTrue(os.path.islink(self.path("out", "t.csv")))
        self.assertIn(b"\n25,", self.read("scratch", "t.csv"))


if __name__ == "__main__":
    sys.exit(unittest.main())
