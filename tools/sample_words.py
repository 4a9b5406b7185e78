#!/usr/bin/env python3
"""tools/sample_words.py [--seed N] [--count N]

Prints comments, names, test names, messages, help texts and sentences of documents, picked at random from the whole tree
and without their surroundings, to be read without knowing the project: which ones must be read twice?
The same seed and tree give the same sample.
"""
import argparse
import pathlib
import random
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent


def files(*patterns):
    listed = subprocess.run(["git", "ls-files", "-z", "--", *patterns], cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


def comments():
    for path in files("src/*.[ch]pp", "include/*.hpp", "tests/*.[ch]pp", "bench/*.[ch]pp", "ui/src/*.ts", "ui/src/*.tsx"):
        block = []
        for line in path.read_text().splitlines():
            text = re.match(r"\s*//(?!/)\s?(.*)", line)
            if text:
                block.append(text.group(1))
            elif block:
                yield " ".join(block)
                block = []


def names():
    for path in files("src/*.hpp", "include/*.hpp"):
        for line in path.read_text().splitlines():
            found = re.match(r"\s*(?:class|struct|enum class) (\w+)|[\w:<>,&*\s\[\]]*?\b(\w+)\([^)]*\)[^;]*;", line)
            if found:
                yield found.group(1) or found.group(2)


def test_names():
    for path in files("tests/*_test.cpp"):
        for suite, name in re.findall(r"^TEST(?:_[FP])?\((\w+),\s*(\w+)\)", path.read_text(), re.MULTILINE):
            yield f"{suite}.{name}"


def texts(*patterns):
    """String literals that read like a sentence."""
    for path in files(*patterns):
        for text in re.findall(r'"((?:[^"\\\n]|\\.)*)"', path.read_text()):
            if len(text.split()) >= 4 and not text.startswith(("SELECT", "INSERT", "-")):
                yield text


def sentences():
    for path in files("*.md", ":!CHANGELOG.md", ":!THIRD_PARTY_NOTICES.md"):
        prose = re.sub(r"```.*?```", "", path.read_text(), flags=re.DOTALL)
        for line in prose.splitlines():
            if line.startswith(("|", "#", "!")):
                continue
            for sentence in re.split(r"(?<=[.!?])\s+", line.strip("-* ")):
                if len(sentence.split()) >= 5:
                    yield sentence


KINDS = {
    "comment": comments,
    "name": names,
    "test name": test_names,
    "message": lambda: texts("src/core/*.cpp", "src/wire/*.cpp", "src/server/*.cpp", "src/sdk/*.cpp", "src/worker/*.cpp"),
    "help text": lambda: texts("src/cli/*.cpp"),
    "document": sentences,
}

options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
options.add_argument("--seed", type=int, default=1)
options.add_argument("--count", type=int, default=80)
asked = options.parse_args()
dice = random.Random(asked.seed)
pools = {kind: sorted(set(find())) for kind, find in KINDS.items()}
for number in range(1, asked.count + 1):
    kind = list(KINDS)[(number - 1) % len(KINDS)]
    print(f"{number}. [{kind}] {dice.choice(pools[kind])}")
