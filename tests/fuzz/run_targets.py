#!/usr/bin/env python3
"""Runs fuzz targets side by side, as many as there are cores; see run.sh.

    run_targets.py BUILD SECONDS [TARGET...]

After a crash a target goes on with the time that is left. A fault inside libhdf5, in memory of its
own, on a file whose bytes were changed is counted apart: see README.md.
"""

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
# name: (dictionary, longest input, whether the file may be no HDF5 any more)
TARGETS = {
    "checkpoint": (None, 132, False),
    "trajectory": (None, 132, False),
    "hdf5_bytes": (None, 132, True),
    "yaml": ("yaml.dict", 4096, False),
    "override": ("yaml.dict", 1024, False),
    "xyz": ("text.dict", 4096, False),
    "lammps": ("text.dict", 4096, False),
    "thermo": ("text.dict", 2048, False),
}
OPTIONS = ["-timeout=30", "-rss_limit_mb=2048", "-malloc_limit_mb=256", "-print_final_stats=1",
           "-reload=0", "-verbosity=1"]
MOST_CRASHES = 20
FRAME = re.compile(r"^\s*#\d+ 0x[0-9a-f]+ (.*)$", re.MULTILINE)
RUNTIME = re.compile(r"sanitizer|compiler-rt|^in (__asan|__interceptor|memcpy|memmove|malloc|calloc|"
                     r"realloc|free|operator new|operator delete|fuzzer::|gsignal|abort)|libc\.so")


REPORT = re.compile(r"^.*(?:==\d+== ?ERROR: |: runtime error: |^broken rule: |^terminate called ).*$",
                    re.MULTILINE)


def reports(log):
    """The text of each report of a sanitizer or of the fuzzer, up to the next."""
    starts = [match.start() for match in REPORT.finditer(log)]
    chunks = [log[first:last] for first, last in zip(starts, [*starts[1:], len(log)])]
    # one fault can be reported by a rule, then by the fuzzer that it ended
    merged = []
    for chunk in chunks:
        if merged and "Test unit written to" not in merged[-1]:
            merged[-1] += chunk
        else:
            merged.append(chunk)
    return merged


def first_frame(stack):
    """The first frame of a stack that is no part of the sanitizers or the C library."""
    for frame in FRAME.findall(stack):
        if not RUNTIME.search(frame):
            return frame
    return ""


def is_library_fault(report):
    """Whether libhdf5 broke on its own: it was running, and the memory was its own."""
    parts = re.split(r"^.*(?:allocated by|freed by) thread.*$", report, maxsplit=1, flags=re.MULTILINE)
    return "libhdf5" in first_frame(parts[0]) and \
        (len(parts) == 1 or "libhdf5" in first_frame(parts[1]))


class Target:
    def __init__(self, name, build, seconds):
        self.name, self.build, self.seconds = name, build, seconds
        self.dictionary, self.length, self.bytes = TARGETS[name]
        self.executions = self.coverage = 0
        self.crashes, self.library_faults = [], 0

    def command(self, seconds):
        folders = [self.build / kind / self.name for kind in ("corpus", "crashes", "logs")]
        for folder in folders:
            folder.mkdir(parents=True, exist_ok=True)
        command = [self.build / f"fuzz_{self.name}", *OPTIONS, f"-max_len={self.length}",
                   f"-max_total_time={max(1, int(seconds))}", f"-artifact_prefix={folders[1]}/"]
        if "TESSERA_FUZZ_SEED" in os.environ:
            command.append(f"-seed={os.environ['TESSERA_FUZZ_SEED']}")
        if self.dictionary:
            command.append(f"-dict={HERE / self.dictionary}")
        given = [HERE / "corpus" / self.name]
        if self.name == "yaml":
            given.append(HERE.parents[1] / "inputs")
        return [str(part) for part in [*command, folders[0], *given]]

    def run(self):
        begin = time.monotonic()
        environment = {**os.environ, "OMP_NUM_THREADS": "1",
                       "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=0:"
                                       "quarantine_size_mb=16"}
        number = 0
        while (left := begin + self.seconds - time.monotonic()) > 0 \
                and len(self.crashes) < MOST_CRASHES:
            scratch = tempfile.mkdtemp(dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
            log = self.build / "logs" / self.name / str(number)
            number += 1
            command = self.command(left)
            with open(log, "wb") as out:
                code = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=out, check=False,
                                      env={**environment, "TMPDIR": scratch}).returncode
            shutil.rmtree(scratch, ignore_errors=True)
            text = log.read_text(errors="replace")
            self.executions += sum(map(int, re.findall(r"number_of_executed_units: (\d+)", text)))
            self.coverage = max([self.coverage, *map(int, re.findall(r" cov: (\d+)", text))])
            found = reports(text)
            for report in found:
                written = re.findall(r"Test unit written to (\S+)", report)
                if self.bytes and is_library_fault(report):
                    self.library_faults += 1
                    for path in written:
                        pathlib.Path(path).unlink(missing_ok=True)
                else:
                    self.crashes.append(written[0] if written else str(log))
            if code == 0:
                break
            if not found:
                self.crashes.append(str(log))
        self.wall = time.monotonic() - begin
        return self


def main():
    build, seconds = pathlib.Path(sys.argv[1]).resolve(), float(sys.argv[2])
    names = sys.argv[3:] or list(TARGETS)
    targets = [Target(name, build, seconds) for name in names if name in TARGETS]
    print(f"{'target':<14}{'executions':>12}{'a second':>10}{'coverage':>10}{'crashes':>9}  in libhdf5",
          flush=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for target in pool.map(Target.run, targets):
            print(f"{target.name:<14}{target.executions:>12}"
                  f"{target.executions / target.wall:>10.0f}{target.coverage:>10}"
                  f"{len(target.crashes):>9}  {target.library_faults}", flush=True)
    failed = False
    for target in targets:
        for crash in target.crashes:
            failed = True
            print(f"fuzz_{target.name} fails on {crash}", file=sys.stderr)
    print(f"{sum(target.executions for target in targets)} executions, "
          f"{sum(len(target.crashes) for target in targets)} crashes")
    if not sys.argv[3:] or "command_line" in names:
        seed = ["--seed", os.environ["TESSERA_FUZZ_SEED"]] if "TESSERA_FUZZ_SEED" in os.environ else []
        done = subprocess.run([sys.executable, HERE / "fuzz_command_line.py", build / "tessera",
                               "--seconds", str(seconds), *seed], check=False)
        failed = failed or done.returncode != 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
