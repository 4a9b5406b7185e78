#!/usr/bin/env python3
"""Common HTTP programs against the built pawl program: ab, curl, and nginx in front.

usage: tests/http_clients/run.py PAWL [TEST...]
"""
import ctypes
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import unittest

PAWL = ""
ENDS_WITHIN = 60  # seconds, for each program
NAME = "pawl.example.com"
PATH = os.environ["PATH"] + ":/usr/sbin"


def end_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def run(*command: str, **more) -> subprocess.CompletedProcess:
    return subprocess.run(command, capture_output=True, text=True, timeout=ENDS_WITHIN, env={"PATH": PATH}, **more)


class Program:
    """A process that is killed when its test ends."""

    def __init__(self, test: unittest.TestCase, command: list[str], folder: pathlib.Path):
        with (folder / "log").open("ab") as log:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True,
                                            env={"PATH": PATH}, preexec_fn=end_with_parent)
        test.addCleanup(self.end)

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


class HttpClients(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="pawl-http-")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.folder.chmod(0o755)  # nginx may run as another user
        pawl = Program(self, [PAWL, "serve", "--listen", "127.0.0.1:0", "--store", f"sqlite:{self.folder}/pawl.db",
                              "--set", f"server.hosts={NAME}"], self.folder)
        line = pawl.process.stdout.readline()
        self.assertIn("http://", line, (self.folder / "log").read_text())
        self.port = int(line.strip().rsplit(":", 1)[1])
        self.url = f"http://127.0.0.1:{self.port}"

    def curl(self, *arguments: str) -> str:
        done = run("curl", "--silent", "--show-error", "--max-time", "30", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def metric(self, name: str) -> int:
        text = self.curl(*self.authorized(), self.url + "/metrics")
        return int(re.search(rf"^{name} (\d+)$", text, re.MULTILINE).group(1))

    def authorized(self) -> list[str]:
        return ["--header", f"Authorization: Bearer {self.token}"] if getattr(self, "token", None) else []


class Ab(HttpClients):
    def ab(self, *arguments: str) -> dict[str, int]:
        done = run("ab", "-q", *arguments)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("Non-2xx", done.stdout)
        return {name.strip(): int(value) for name, value in re.findall(r"^([A-Z][\w -]+):\s+(\d+)$", done.stdout, re.M)}

    def test_keeps_its_connections(self):
        got = self.ab("-k", "-n", "400", "-c", "4", self.url + "/v1/default/queues")
        self.assertEqual((got["Complete requests"], got["Failed requests"]), (400, 0))
        self.assertEqual(got["Keep-Alive requests"], 400)

    def test_enqueues_over_kept_connections(self):
        task = self.folder / "task.json"
        task.write_text('{"type":"mail"}')
        # -l: bodies may differ in length.
        got = self.ab("-k", "-l", "-n", "100", "-c", "4", "-p", str(task), "-T", "application/json",
                      self.url + "/v1/default/tasks")
        self.assertEqual((got["Complete requests"], got["Failed requests"]), (100, 0))
        self.assertEqual(got["Keep-Alive requests"], 100)
        queues = json.loads(self.curl(self.url + "/v1/default/queues"))
        self.assertEqual(queues["items"][0]["counts"]["pending"], 100)

    def test_closes_connections_without_keep_alive(self):
        got = self.ab("-n", "50", "-c", "2", self.url + "/healthz")
        self.assertEqual((got["Complete requests"], got["Failed requests"]), (50, 0))
        self.assertNotIn("Keep-Alive requests", got)


class Curl(HttpClients):
    def status(self, *arguments: str) -> str:
        return self.curl("--output", "/dev/null", "--write-out", "%{http_code}", *arguments)

    def test_keeps_a_connection_of_http_1_0(self):
        connects = self.curl("--http1.0", "--header", "Connection: keep-alive", "--write-out", "%{num_connects}\n",
                             "--output", "/dev/null", "--output", "/dev/null", self.url + "/healthz",
                             self.url + "/v1/default/queues")
        self.assertEqual(connects.split(), ["1", "0"])

    def test_sends_absolute_targets_to_a_proxy(self):
        # curl sends absolute targets to a proxy.
        self.assertEqual(self.status("--proxy", self.url, f"http://{NAME}/v1/default/queues"), "200")
        self.assertEqual(self.status("--proxy", self.url, "http://evil.example/v1/default/queues"), "421")
        self.assertNotEqual(run("curl", "--silent", "--max-time", "30", "--proxytunnel", "--proxy", self.url,
                                f"http://{NAME}/healthz").returncode, 0)

    def test_sends_hosts_in_common_spellings(self):
        queues = self.url + "/v1/default/queues"
        for host, status in {"PAWL.Example.COM:80": "200", "evil.example": "421", f"{NAME}/v1": "400",
                             f"{NAME}, {NAME}": "400", f"me@{NAME}": "400"}.items():
            self.assertEqual(self.status("--header", f"Host: {host}", queues), status, host)
        self.assertEqual(self.status("--header", "Host:", queues), "400")
        self.assertEqual(self.status("--header", "Host:", self.url + "/readyz"), "200")

    def test_passes_its_trace_to_the_handler_program(self):
        trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        made = self.curl("--json", '{"type":"t"}', "--header", f"traceparent: {trace}", "--header", "tracestate: a=1",
                         "--header", "tracestate: b=2", self.url + "/v1/default/tasks")
        worker = [PAWL, "worker", "--address", self.url, "--handle", "t=echo $TRACEPARENT $TRACESTATE"]
        Program(self, worker, self.folder)
        task = {"status": None}
        for _ in range(1_000):
            task = json.loads(self.curl(f"{self.url}/v1/default/tasks/{json.loads(made)['task']['id']}"))
            if task["status"] == "completed":
                break
        self.assertEqual((task["status"], str(task["output"]).strip()), ("completed", f"{trace} a=1,b=2"))

    def test_supports_conditional_requests(self):
        started = json.loads(self.curl("--json", "{}", self.url + "/v1/default/runs"))
        etag = self.folder / "etag"
        run_url = f"{self.url}/v1/default/runs/{started['run']['id']}"
        self.assertEqual(self.status("--etag-save", str(etag), run_url), "200")
        self.assertEqual(self.status("--etag-compare", str(etag), run_url), "304")
        command = ["--json", "{}", "--header", f"If-Match: {etag.read_text().strip()}", run_url + "/pause"]
        self.assertEqual(self.status(*command), "200")
        self.assertEqual(self.status("--etag-compare", str(etag), run_url), "200")
        self.assertEqual(self.status(*command), "412")


class Nginx(HttpClients):
    """nginx in front, as a reverse proxy that keeps connections to Pawl. It listens on a socket in the test's folder."""

    def setUp(self):
        super().setUp()
        token = self.curl("--json", '{"role":"admin","namespaces":["*"]}', self.url + "/v1/admin/tokens")
        self.token = json.loads(token)["token"]

    def start(self, version: str, connection: str) -> None:
        config = self.folder / "nginx.conf"
        temporary = "\n".join(f"  {kind}_temp_path {self.folder}/{kind};"
                              for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        config.write_text(f"""
daemon off;
master_process off;
pid {self.folder}/nginx.pid;
error_log {self.folder}/nginx.log;
events {{ worker_connections 64; }}
http {{
{temporary}
  access_log off;
  upstream pawl {{ server 127.0.0.1:{self.port}; keepalive 8; }}
  server {{
    listen unix:{self.folder}/front;
    location / {{
      proxy_pass http://pawl;
      proxy_http_version {version};
      proxy_set_header Connection "{connection}";
      proxy_set_header Host $host;
      proxy_set_header X-Forwarded-For $remote_addr;
    }}
  }}
}}
""")
        nginx = shutil.which("nginx", path=PATH)
        Program(self, [nginx, "-p", str(self.folder), "-e", f"{self.folder}/nginx.log", "-c", str(config)], self.folder)
        self.curl("--retry", "100", "--retry-delay", "0", "--retry-all-errors", "--retry-max-time", "30",
                  "--unix-socket", f"{self.folder}/front", f"http://{NAME}/healthz")

    def front(self, *arguments: str) -> str:
        return self.curl("--unix-socket", f"{self.folder}/front", *self.authorized(), *arguments)

    def expect_connections(self, kept: int) -> None:
        # Includes the connection of this request. The server may not yet have noticed that others closed.
        for _ in range(100):
            if (connections := self.metric("pawl_http_connections")) == kept + 1:
                return
        self.fail(f"{connections - 1} connections are open, {kept} are expected")

    def expect_kept(self):
        for _ in range(20):
            self.assertIn("items", json.loads(self.front(f"http://{NAME}/v1/default/queues")))
        self.expect_connections(1)

    def test_keeps_connections_of_http_1_1(self):
        self.start("1.1", "")
        self.expect_kept()

    def test_keeps_connections_of_http_1_0(self):
        self.start("1.0", "keep-alive")
        self.expect_kept()

    def test_closes_connections_of_http_1_0_without_keep_alive(self):
        self.start("1.0", "close")
        for _ in range(5):
            self.front(f"http://{NAME}/v1/default/queues")
        self.expect_connections(0)

    def test_forwards_problems_and_etags(self):
        self.start("1.1", "")
        refused = json.loads(self.front("http://evil.example/v1/default/queues"))
        self.assertEqual((refused["status"], refused["code"]), (421, "misdirected_request"))
        started = self.front("--include", "--json", '{"kind":"code"}', f"http://{NAME}/v1/default/workflows/w/start")
        self.assertRegex(started, r'(?m)^ETag: "\d+"\r?$')

    def test_forwards_events_as_they_happen(self):
        for version in ("1.1", "1.0"):
            with self.subTest(version=version):
                shutil.rmtree(self.folder / "front", ignore_errors=True)
                (self.folder / "front").unlink(missing_ok=True)
                self.start(version, "")
                self.follow()

    def follow(self):
        connection = http.client.HTTPConnection(NAME, timeout=30)
        connection.sock = socket.socket(socket.AF_UNIX)
        self.addCleanup(connection.close)
        connection.sock.settimeout(30)
        connection.sock.connect(f"{self.folder}/front")
        connection.request("GET", "/v1/default/queues",
                           headers={"Accept": "text/event-stream", "Authorization": f"Bearer {self.token}"})
        answer = connection.getresponse()
        self.addCleanup(answer.close)
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer.readline(), b"event: queues\n")
        before = answer.readline()
        queue = f"q{len(before)}"
        self.curl(*self.authorized(), "--json", f'{{"type":"t","queue":"{queue}"}}', self.url + "/v1/default/tasks")
        while queue.encode() not in (line := answer.readline()):
            self.assertTrue(line, "the stream ended")


if __name__ == "__main__":
    PAWL = sys.argv.pop(1)
    unittest.main(verbosity=2)
