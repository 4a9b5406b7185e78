#!/usr/bin/env python3
"""tools/lint_keys.py ROOT COMPILE_COMMANDS COMMON

Prints "key source" for each of our sources. The key is a hash of everything that its check depends on: the file
COMMON, its compile command, the source, and our headers that it includes.
"""
import functools
import hashlib
import json
import os
import pathlib
import re
import sys

root, commands, common = (pathlib.Path(argument) for argument in sys.argv[1:])
OURS = ("src", "bench", "examples", "tests", "tools")
INCLUDE = re.compile(rb'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)


@functools.cache
def read(path):
    """The hash of a file and the names that it includes."""
    content = path.read_bytes()
    return hashlib.sha256(content).digest(), [name.decode() for name in INCLUDE.findall(content)]


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
        for name in read(path)[1]:
            included = resolve(path.parent, name, places)
            if included and included not in seen:
                seen[included] = None
                left.append(included)
    return sorted(seen)


def key_of(entry, source):
    names = re.findall(r"-I(\S+)", entry["command"])
    places = tuple(place for place in map(pathlib.Path, names) if place.is_relative_to(root))
    digest = hashlib.sha256(common.read_bytes())
    digest.update(entry["command"].replace(str(root), "").encode())
    for path in closure(source, places):
        digest.update(str(path.relative_to(root)).encode() + read(path)[0])
    return digest.hexdigest()


for entry in json.loads(commands.read_text()):
    source = pathlib.Path(entry["file"])
    if source.is_relative_to(root) and source.relative_to(root).parts[0] in OURS:
        print(key_of(entry, source), source)
