#!/usr/bin/env python3
"""Checks the rules between and within folders; prints each breach and fails if there is one.

    tools/checks/includes.py [--draw] [ROOT]

A folder includes only itself and folders to its right: tools -> io -> engine -> kernels (tests see
all, nobody includes tests), by path from the root. So do the rooms of a folder, in the order below;
files beside the rooms come first. yaml-cpp and HDF5 only in io; no source asks whether CUDA is built
(the build chooses sources instead); no file of 400 lines or more, no room of more than 26 files;
engine and kernels never print. README.md holds the drawing of what includes what: --draw prints it.
"""

import pathlib
import re
import sys

CHAIN = ["tools", "io", "engine", "kernels"]
FOLDERS = CHAIN + ["tests"]
SUFFIXES = {".cpp", ".hpp", ".cu", ".cuh", ".h", ".c"}
ROOMS = {
    "tools": ["tune", "bench", "run", "verb"],
    "io": ["input", "start", "h5md", "table", "text", "yaml", "hdf5", "files"],
    "engine": ["cuda", "cpu", "backend", "start", "state", "config"],
    "kernels": ["shoc", "reorder", "force", "neighbor", "motion", "device", "arithmetic"],
}
MAX_LINES = 399
MAX_FILES = 26
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


def room_of(path):
    """The room of a path from the root; "" beside the rooms."""
    parts = path.split("/")
    return parts[1] if len(parts) > 2 else ""


def rank(folder, room):
    return ROOMS[folder].index(room) if room else -1


def room_faults(name, folder, text):
    """What breaks the chain of rooms of a folder."""
    if folder not in ROOMS:
        return
    room = room_of(name)
    if room and room not in ROOMS[folder]:
        yield 1, f"{folder} has no room '{room}': its rooms are {', '.join(ROOMS[folder])}"
        return
    for match in INCLUDE.finditer(text):
        target = match[2]
        if target.split("/")[0] != folder or room_of(target) not in [*ROOMS[folder], ""]:
            continue
        if rank(folder, room_of(target)) < rank(folder, room):
            line = text.count("\n", 0, match.start(2)) + 1
            chain = " -> ".join(["files beside the rooms", *ROOMS[folder]])
            yield line, f'room {room} includes "{target}": includes go {chain}'


def drawing(root):
    """One line a room: what it includes, of its own folder and of the folders to its right."""
    lines = []
    for folder in CHAIN:
        for room in ["", *ROOMS[folder]]:
            place = root / folder / room
            arrows = {}
            for path in sorted(place.glob("*") if place.is_dir() else []):
                if path.suffix not in SUFFIXES:
                    continue
                for match in INCLUDE.finditer(path.read_text(encoding="utf-8")):
                    parts = match[2].split("/")
                    if parts[0] in ROOMS and (parts[0], room_of(match[2])) != (folder, room):
                        arrows.setdefault(parts[0], set()).add(room_of(match[2]))
            inside = [r for r in ROOMS[folder] if r in arrows.get(folder, ())]
            beyond = [other for other in CHAIN if other in arrows and other != folder]
            own = [*inside, *(f"{other}/" for other in beyond)]
            if any(path.suffix in SUFFIXES for path in place.glob("*")):
                lines.append(f"{folder + '/' + room:<20} -> {' '.join(own) or '(nothing)'}")
    return "\n".join(lines) + "\n"


def readme_faults(root):
    readme = root / "README.md"
    if readme.exists() and drawing(root) not in readme.read_text(encoding="utf-8"):
        yield "README.md: its drawing of the rooms is not that of the includes: put in the lines " \
              "that tools/checks/includes.py --draw prints"


def full_rooms(root):
    """Rooms, and folders beside their rooms, with more files than a reader takes in."""
    for folder in FOLDERS:
        counts = {}
        for path in (root / folder).rglob("*"):
            if path.suffix in SUFFIXES | {".py", ".sh"}:
                counts[path.parent] = counts.get(path.parent, 0) + 1
        for place, count in sorted(counts.items()):
            if count > MAX_FILES:
                yield f"{place.relative_to(root)}: {count} files; {MAX_FILES} at most"


def print_faults(folder, text):
    if folder not in ("engine", "kernels"):
        return
    for number, line in enumerate(without_comments(text).splitlines(), 1):
        match = PRINTS.search(line)
        if match:
            yield number, f"{folder} prints ({match.group(0)}); hand the text up instead"


CUDA_SWITCH = re.compile(r"\bTESSERA_\w*CUDA\b")


def main():
    draw = "--draw" in sys.argv
    given = [argument for argument in sys.argv[1:] if argument != "--draw"]
    root = pathlib.Path(given[0] if given else pathlib.Path(__file__).parents[2])
    if draw:
        print(drawing(root), end="")
        return 0
    faults, count = [*readme_faults(root), *full_rooms(root)], 0
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in SUFFIXES:
                continue
            count += 1
            name = path.relative_to(root)
            text = path.read_text(encoding="utf-8")
            for line, message in [*include_faults(folder, text), *print_faults(folder, text),
                                  *room_faults(str(name), folder, text)]:
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
    print(f"includes: {count} files, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
