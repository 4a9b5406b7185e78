#!/usr/bin/env python3
"""tools/lint_keys.py ROOT COMPILE_COMMANDS COMMON

Prints "key source" for each of our sources, those that changed last first. The key is a hash of everything that its
check depends on: the file COMMON, its compile command, the source, and our files that it includes. A source can be one
that CMake generated to compile several of ours together.
"""
import functools
import hashlib
import json
import os
import pathlib
import re
import sys

root, commands, common = (pathlib.Path(argument) for argument in sys.argv[1:])
OURS = ("src", "bench", "examples", "tests", "tools", "build")
INCLUDE = re.compile(rb'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)


@functools.cache
def read(path):
    """The hash of a file (of any clone), its time, and the names that it includes."""
    content = path.read_bytes()
    names = [name.decode() for name in INCLUDE.findall(content)]
    return hashlib.sha256(content.replace(str(root).encode(), b"")).digest(), path.stat().st_mtime, names


@functools.cache
def resolve(folder, name, places):
    """The file that an include names, or None if it is not ours."""
    found = (place / name for place in (folder, *places))
    return next((pathlib.Path(os.path.normpath(path)) for path in found if path.is_file()), None)


def closure(source, places):
    """The source and all of our files that it includes, each once."""
    seen, left = {source: None}, [source]
    while left:
        path = left.pop()
        for name in read(path)[2]:
            included = resolve(path.parent, name, places)
            if included and included not in seen:
                seen[included] = None
                left.append(included)
    return sorted(seen)


def check_of(entry, source):
    """When the source last changed, and the key of its check."""
    names = re.findall(r"-I(\S+)", entry["command"])
    places = tuple(place for place in map(pathlib.Path, names) if place.is_relative_to(root))
    digest = hashlib.sha256(common.read_bytes())
    digest.update(entry["command"].replace(str(root), "").encode())
    files = closure(source, places)
    for path in files:
        digest.update(str(path.relative_to(root)).encode() + read(path)[0])
    changed = max((read(path)[1] for path in files if path.suffix == ".cpp"), default=0)
    return changed, digest.hexdigest()


checks = []
for entry in json.loads(commands.read_text()):
    source = pathlib.Path(entry["file"])
    if source.is_relative_to(root) and source.relative_to(root).parts[0] in OURS:
        checks.append((*check_of(entry, source), source))
for _, key, source in sorted(checks, reverse=True):
    print(key, source)
