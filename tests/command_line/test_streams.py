#!/usr/bin/env python3
"""A stream that is closed or full is a failed run, and gets into no file; the files are whole."""

import os
import subprocess
import sys
import unittest

from command_line import TESSERA, CommandLineTest, steps_of

LINES = 200 // 5 + 2


class Streams(CommandLineTest):
    def shell(self, command):
        """Exit code, stdout and stderr of a line of bash with $T for the executable."""
        result = subprocess.run(["bash", "-c", command], cwd=self.folder, text=True, timeout=300,
                                env={**os.environ, "T": TESSERA}, check=False,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return result.returncode, result.stdout, result.stderr

    def check_files(self):
        """The run is whole, and no text of the program is in it."""
        self.assertEqual(steps_of(self.path("t.h5")), list(range(0, 201, 10)))
        self.assertIn("complete    yes", self.tessera("info", "t.h5").stdout)
        self.assertIn("complete    yes", self.tessera("info", "c.h5").stdout)
        lines = self.read("t.csv").decode().splitlines()
        self.assertEqual(len(lines), LINES)
        self.assertTrue(lines[0].startswith("step,time,"), lines[0])
        for line in lines[1:]:
            self.assertRegex(line, r"^\d+(,-?[\d.]+(e-?\d+)?){6}$")

    def test_closed_and_full_streams_fail_the_run_and_spare_its_files(self):
        self.input(output__overwrite=True)
        for streams in [">&-", "<&- >&-", "<&- >&- 2>&-", "> /dev/full", "1< /dev/null"]:
            with self.subTest(streams=streams):
                code, _, errors = self.shell(f"$T run in.yaml {streams}")
                self.assertEqual(code, 1, errors)
                if "2>&-" not in streams:
                    self.assertIn("standard output failed", errors)
                    self.assertEqual(errors.count("the run goes on"), 1)
                self.check_files()

    def test_a_reader_that_leaves_loses_nothing_of_the_run(self):
        self.input()
        code, output, errors = self.shell("$T run in.yaml | head -2; exit ${PIPESTATUS[0]}")
        self.assertEqual(code, 1, errors)
        self.assertEqual(len(output.splitlines()), 2)
        self.assertIn("Broken pipe", errors)
        self.check_files()

    def test_quiet_runs_need_no_stdout(self):
        self.input(output__overwrite=True)
        for streams in [">&-", "<&- >&- 2>&-", "> /dev/full 2> /dev/full"]:
            with self.subTest(streams=streams):
                self.assertEqual(self.shell(f"$T run in.yaml --quiet {streams}")[0], 0)
                self.check_files()

    def test_a_message_that_is_lost_fails_the_run(self):
        # the word that a thermo file is begun anew
        self.input(run__steps=100)
        for streams in ["2>&-", "2> /dev/full"]:
            with self.subTest(streams=streams):
                self.shell("rm -f *.h5 *.csv; $T run in.yaml --quiet; rm t.csv")
                code, _, _ = self.shell(f"$T resume c.h5 --steps 10 --quiet {streams}")
                self.assertEqual(code, 1)
                self.assertEqual(steps_of(self.path("t.h5"))[-1], 110)

    def test_a_run_without_files_ends_with_its_table(self):
        self.input(output=None, run__steps=10**9)
        code, _, errors = self.shell("$T run in.yaml > /dev/full")
        self.assertEqual(code, 1)
        self.assertIn("nothing would be left", errors)

    def test_the_other_verbs(self):
        self.input()
        self.tessera("run", "in.yaml", "--quiet")
        for verb in ["validate in.yaml", "info t.h5", "info c.h5", "--help", "--version",
                     "bench transactions -n 256"]:
            for streams in [">&-", "> /dev/full"]:
                with self.subTest(verb=verb, streams=streams):
                    code, _, errors = self.shell(f"$T {verb} {streams}")
                    self.assertEqual(code, 1, errors)
                    self.assertIn("standard output failed", errors)
        # an input that is wrong stays one
        self.assertEqual(self.shell("$T run absent.yaml >&- 2>&-")[0], 2)


class Words(CommandLineTest):
    def test_an_unknown_verb_is_named(self):
        result = self.tessera("resum", code=2)
        self.assertIn("'resum'", result.stderr)
        self.assertIn("did you mean 'resume'", result.stderr)

    def test_values_of_options(self):
        for option, value in [("--path", "foo"), ("--precision", "half"), ("--format", "zip"),
                              ("--rebuild", "never"), ("--device", "gpu")]:
            with self.subTest(option=option):
                result = self.tessera("bench", "step", option, value, code=2)
                self.assertIn(value, result.stderr)
                self.assertNotRegex(result.stderr, r":\d+:\d+:")
        self.input()
        for value in ["nan", "inf", "0", "-1", "soon"]:
            with self.subTest(seconds=value):
                result = self.tessera("tune", "in.yaml", "--seconds", value, code=2)
                self.assertLess(len(result.stderr), 300)
                self.assertIn("--seconds", result.stderr)

    def test_another_word_of_three_letters_is_no_misspelling(self):
        for assignment in ["ensemble.type=nvt", "device=gpu"]:
            result = self.tessera("run", self.input(), "--set", assignment, code=2)
            self.assertNotIn("did you mean", result.stderr)


if __name__ == "__main__":
    sys.exit(unittest.main())
