#!/usr/bin/env python3
"""Checks that a type has one definition: two of one name in one namespace are, in one program,
undefined behavior that no compiler reports. Types of an unnamed namespace may share a name.

    tools/checks/definitions.py [ROOT]
"""

import collections
import pathlib
import re
import sys

FOLDERS = ("kernels", "engine", "io", "tools")
SUFFIXES = {".hpp", ".cpp", ".cuh", ".cu"}
NAMESPACE = re.compile(r"^(?:inline )?namespace(?: ([\w:]+))?$")
DEFINITION = re.compile(
    r"^(?:struct|class|enum(?: class| struct)?|union)(?: \[\[[^\]]*\]\]| alignas\([^)]*\))* "
    r"(\w+)(?: final)?(?:\s*:[^:;].*)?$")
FUNCTION = re.compile(r"^(?:TESSERA_HD|__device__ __forceinline__|inline) [^=;]*?(\w+)\((.*)$")


def definitions(text):
    """(qualified name of a type or of an inline function, line): the code is formatted, so that
    what stands in a namespace begins its line."""
    spaces = []
    for number, line in enumerate(text.splitlines(), 1):
        if match := NAMESPACE.match(line):
            spaces.append(match[1] or "")
        elif line.startswith("}  // namespace"):
            spaces.pop()
        elif "" in spaces:
            continue
        elif match := DEFINITION.match(line):
            yield "::".join([*spaces, match[1]]), number
        elif (match := FUNCTION.match(line)) and not line.endswith(";"):
            types = re.sub(r"\s*\w+(?=[,)])", "", match[2])  # less the parameters' names
            yield "::".join([*spaces, match[1]]) + "(" + types, number


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2])
    found = collections.defaultdict(list)
    count = 0
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in SUFFIXES:
                count += 1
                for name, line in definitions(path.read_text(encoding="utf-8")):
                    found[name].append(f"{path.relative_to(root)}:{line}")
    faults = 0
    for name, places in sorted(found.items()):
        if len({place.rsplit(":", 1)[0] for place in places}) > 1:
            faults += 1
            print(f"{name} is defined {len(places)} times: {', '.join(places)}")
    print(f"definitions: {count} files, {len(found)} definitions, {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
