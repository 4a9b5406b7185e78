#!/usr/bin/env python3
"""Run the tutorials of docs/tutorials and compare what they print with what the pages show.

usage: tests/tutorials/run.py BUILD [--print] [PAGE...]

BUILD is a build folder with `pawl` and the SDK. A page's blocks run in order in one shell:
- a block behind the line "Save this as `NAME`:" is written to that file;
- an `sh` block is executed;
- a `text` block is the output of the `sh` block before it. Ids, times, durations, ports and the width of columns may
  differ; a line "…" stands for any number of lines.
A block may fail only if its output shows a line that starts with "pawl: ".

Pages use the ports 7717 and 7718, which are replaced by free ones. The page that names PAWL_TEST_POSTGRES gets a
database of its own on that server and fails without it.
"""
import argparse
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs/tutorials"
TIMEOUT = 120  # seconds for a page
MARK = "@@ block"

NORMAL_FORMS = [
    (re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"), "ID"),
    (re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z"), "TIME"),
    (re.compile(r"\b\d\d:\d\d:\d\d(\.\d+)?"), "CLOCK"),
    (re.compile(r"^process +\d+"), "process PID"),
    (re.compile(r"127\.0\.0\.1:\d+"), "ADDRESS"),
    (re.compile(r"\b\d+(\.\d+)?(ms|s|m|h)\b( ago)?"), "DURATION"),
    (re.compile(r"\s+"), " "),
]
# An interactive shell prints such lines too, in its own words.
JOB_MESSAGES = re.compile(r"^bash: line \d+: +\d+ (Killed|Terminated) .*\n", re.MULTILINE)


class Block:
    def __init__(self, line, language, file):
        self.line, self.language, self.file = line, language, file
        self.text = ""


def blocks_of(page):
    blocks, block, before = [], None, ""
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if line.startswith("```"):
            if block:
                blocks.append(block)
                block, before = None, ""
            else:
                saved = re.fullmatch(r"Save this as `([^`]+)`.*:", before)
                block = Block(number, line[3:], saved and saved[1])
        elif block:
            block.text += line + "\n"
        elif line:
            before = line
    return blocks


def normal(line):
    for pattern, name in NORMAL_FORMS:
        line = pattern.sub(name, line)
    return line.strip()


def matches(expected, actual):
    """Whether the lines are the same, where "…" stands for any number of them."""
    if not expected:
        return not actual
    if expected[0] == "…":
        return any(matches(expected[1:], actual[i:]) for i in range(len(actual) + 1))
    return bool(actual) and expected[0] == actual[0] and matches(expected[1:], actual[1:])


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def script_of(blocks, build, ports):
    script = ""
    for index, block in enumerate(blocks):
        if block.file:
            script += f"cat >'{block.file}' <<'END OF FILE'\n{block.text}END OF FILE\n"
        elif block.language == "sh":
            text = block.text.replace("$PWD/build/release", str(build))
            text = re.sub(r"\bpawl dev\b", "pawl dev --listen 127.0.0.1:7717", text)
            for port, free in zip((7717, 7718), ports):
                text = text.replace(f"127.0.0.1:{port}", f"127.0.0.1:{free}")
            script += f"{text}echo \"{MARK} {index} $?\"\n"
    return script


def own_database():
    server = os.environ.get("PAWL_TEST_POSTGRES")
    if not server:
        raise SystemExit("PAWL_TEST_POSTGRES is not set: run tools/with_postgres.sh tests/tutorials/run.py BUILD")
    name = f"tutorial_{os.getpid()}"
    subprocess.run(["psql", server, "-qc", f"create database {name}"], check=True)
    return server, name


def run(script, folder, ports, postgres):
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "TMPDIR": str(folder), "LANG": "C.UTF-8",
                   "PAWL_ADDRESS": f"http://127.0.0.1:{ports[0]}"}
    if postgres:
        environment["PAWL_TEST_POSTGRES"] = postgres
    shell = subprocess.Popen(["bash", "-c", script], cwd=ROOT, env=environment, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
    try:
        output, _ = shell.communicate(timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        os.killpg(shell.pid, signal.SIGKILL)
        output, _ = shell.communicate()
        output += f"\nended after {TIMEOUT} s\n"
    finally:
        try:
            os.killpg(shell.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    return output


def problems_of(page, blocks, output):
    """The blocks whose output differs from the page, and those that failed."""
    ended = {int(i): (text, int(status)) for text, i, status in
             re.findall(rf"(.*?){MARK} (\d+) (\d+)\n", output, re.DOTALL)}
    problems = []
    for index, block in enumerate(blocks):
        if block.file or block.language != "sh":
            continue
        where = f"{page.relative_to(ROOT)}:{block.line}"
        if index not in ended:
            problems.append(f"{where}: this block did not end. All output:\n{output}")
            break
        text, status = ended[index]
        text = JOB_MESSAGES.sub("", text)
        follows = blocks[index + 1] if index + 1 < len(blocks) else None
        shown = follows.text if follows and follows.language == "text" and not follows.file else ""
        expected = [normal(line) for line in shown.splitlines()]
        if not matches(expected, [normal(line) for line in text.splitlines()]):
            problems.append(f"{where}: the page shows\n{shown}but the output is\n{text}")
        if status != 0 and not any(line.startswith("pawl: ") for line in expected):
            problems.append(f"{where}: exit code {status}, with the output\n{text}")
    return problems


def check(page, build, prints):
    blocks = blocks_of(page)
    ports = free_ports(2)
    script = script_of(blocks, build, ports)
    folder = Path(tempfile.mkdtemp(prefix="pawl-tutorial."))
    server = name = postgres = None
    try:
        if "PAWL_TEST_POSTGRES" in script:
            server, name = own_database()
            postgres = re.sub(r"\bdbname=\S+", "", server) + f" dbname={name}"
        output = run(script, folder, ports, postgres)
        if prints:
            print(output)
        return problems_of(page, blocks, output)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if name:
            subprocess.run(["psql", server, "-qc", f"drop database {name} with (force)"], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=lambda path: Path(path).resolve())
    parser.add_argument("pages", nargs="*", type=lambda path: Path(path).resolve())
    parser.add_argument("--print", action="store_true", dest="prints", help="print the output of each page")
    arguments = parser.parse_intermixed_args()
    failed = False
    for page in arguments.pages or sorted(PAGES.glob("*.md")):
        problems = check(page, arguments.build, arguments.prints)
        print("\n".join(problems) if problems else f"{page.relative_to(ROOT)}: ok", flush=True)
        failed = failed or bool(problems)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
