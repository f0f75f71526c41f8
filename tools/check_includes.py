#!/usr/bin/env python3
"""Checks the rules between and within folders; prints each breach and fails if there is one.

    tools/check_includes.py [ROOT]

A folder includes only itself and folders to its right: tools -> io -> engine -> kernels (tests see
all, nobody includes tests), by path from the root; yaml-cpp and HDF5 only in io; no source asks
whether CUDA is built (the build chooses sources instead); no file of 400 lines or more; engine and kernels never print.
"""

import pathlib
import re
import sys

CHAIN = ["tools", "io", "engine", "kernels"]
FOLDERS = CHAIN + ["tests"]
SUFFIXES = {".cpp", ".hpp", ".cu", ".cuh", ".h", ".c"}
MAX_LINES = 399
PRIVATE_TO_IO = re.compile(r"^(yaml-cpp/|hdf5|H5)")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
# snprintf and the like format into memory and are no output.
PRINTS = re.compile(r"(?<![\w])(printf|fprintf|vprintf|puts|fputs|putchar|cout|cerr|clog)\b"
                    r"|\bfmt::print\b|\bstd::print(ln)?\b")


def without_comments(text):
    """The text with comments and string contents blanked, line breaks kept."""
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)

    def blank(match):
        found = match.group(0)
        if found.startswith('"'):
            return '""'
        return "\n" * found.count("\n")

    return pattern.sub(blank, text)


def include_faults(folder, text):
    for match in INCLUDE.finditer(text):
        line = text.count("\n", 0, match.start(2)) + 1
        quote, target = match.groups()
        if PRIVATE_TO_IO.match(target) and folder not in ("io", "tests"):
            yield line, f"<{target}> belongs to io alone"
        if quote == "<":
            continue
        first = target.split("/")[0]
        if "/" not in target or first not in FOLDERS:
            yield line, f'"{target}" is not a path from the root'
        elif folder != "tests" and first == "tests":
            yield line, f'{folder} includes "{target}": only tests include tests'
        elif folder != "tests" and CHAIN.index(first) < CHAIN.index(folder):
            yield line, f'{folder} includes "{target}": includes go {" -> ".join(CHAIN)}'


def print_faults(folder, text):
    if folder not in ("engine", "kernels"):
        return
    for number, line in enumerate(without_comments(text).splitlines(), 1):
        match = PRINTS.search(line)
        if match:
            yield number, f"{folder} prints ({match.group(0)}); hand the text up instead"


CUDA_SWITCH = re.compile(r"\bTESSERA_\w*CUDA\b")


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[1])
    faults, count = [], 0
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in SUFFIXES:
                continue
            count += 1
            name = path.relative_to(root)
            text = path.read_text(encoding="utf-8")
            for line, message in [*include_faults(folder, text), *print_faults(folder, text)]:
                faults.append(f"{name}:{line}: {message}")
            lines = text.count("\n")
            if lines > MAX_LINES:
                faults.append(f"{name}: {lines} lines; {MAX_LINES} at most: split by concept")
            switch = CUDA_SWITCH.search(without_comments(text))
            if switch:
                faults.append(f"{name}: {switch.group(0)}: choose sources in CMake instead")
    if count == 0:
        faults.append(f"no sources under {root}")
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"check_includes: {count} files, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
