"""Attacks by a server, a web page, a proxy or another user of the machine: on clients, workers and terminals."""
import contextlib
import http.client
import os
import pathlib
import pty
import ssl
import subprocess
import time

from access import answer_with, serving
from attack import Attack, register
from server import Client, Server, require, wait_until

ATTACKS: list[Attack] = []
WORKER_MIB_MOST = 128
ENDLESS_MIB = 400  # the maximum that the malicious server sends


@contextlib.contextmanager
def ended(command: list, **options):
    process = subprocess.Popen(command, **options)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@contextlib.contextmanager
def open_server(server: Server, *flags: str):
    """Another server with a store of its own and no tokens. Yields its port."""
    store = f"sqlite:{server.folder}/open.db"
    listen = [] if "--listen" in flags else ["--listen", "127.0.0.1:0"]
    command = [server.binary, "serve", "--store", store, *listen, *flags]
    with ended(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env={"PATH": os.environ["PATH"]}) as process:
        line = process.stdout.readline()
        require(":" in line, "the open server does not start")
        yield int(line.strip().rsplit(":", 1)[1])


def endless():
    """An HTTP request handler whose response to a claim is endless."""

    class Endless(answer_with(lambda *_: '{"worker_id":"w","task_ids":[],"results":[]}')):
        def handle(self):
            with contextlib.suppress(OSError):  # the worker has closed the connection
                super().handle()

        def do_POST(self):  # pylint: disable=invalid-name
            if not self.path.endswith("/tasks/claim"):
                return super().do_POST()
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.wfile.write(b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{"tasks":[{"id":"')
            with contextlib.suppress(OSError):
                for _ in range(ENDLESS_MIB):
                    self.wfile.write(b"x" * (1 << 20))
            self.close_connection = True
            return None

    return Endless


def peak_mib(pid: int) -> float:
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    return 0.0


@register(ATTACKS, stores=("sqlite",))
def server_fills_a_workers_memory(server: Server) -> None:
    with serving(endless()) as port:
        command = [server.binary, "worker", "--handle", "t=true", "--address", f"http://127.0.0.1:{port}"]
        with ended(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env={"PATH": os.environ["PATH"]}) as worker:
            deadline = time.monotonic() + 6
            while time.monotonic() < deadline and worker.poll() is None:
                require(peak_mib(worker.pid) <= WORKER_MIB_MOST, f"the worker used {peak_mib(worker.pid):.0f} MiB")
                time.sleep(0.05)
            require(worker.poll() is None, "the worker ended")


@register(ATTACKS, stores=("sqlite",))
def handler_reads_the_workers_secrets(server: Server) -> None:
    client = server.admin("default")
    seen = server.folder / "environment"
    token = server.new_token("worker", ["default"])
    variables = {"PATH": os.environ["PATH"], "PAWL_TOKEN": token, "PAWL_STORE": "postgres://pawl:password-of-the-store@db/pawl",
                 "PAWL_ADDRESS": f"http://127.0.0.1:{server.port}", "PAWL_TOKEN_FILE": "/path-of-the-token"}
    command = [server.binary, "worker", "--handle", f"t=env >{seen}.new && mv {seen}.new {seen}"]
    with ended(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=variables):
        client.expect(201, "POST", "tasks", {"type": "t"})
        wait_until(seen.exists, "the handler did not run: this proves nothing", 20)
    for secret in (token, "password-of-the-store", "path-of-the-token"):
        require(secret not in seen.read_text(), f"the handler's environment has {secret}")


@register(ATTACKS, stores=("sqlite",))
def other_user_lists_processes(server: Server) -> None:
    token = server.new_token("worker", ["default"])
    command = [server.binary, "worker", "--handle", "t=true", "--token", token, "--address", f"http://127.0.0.1:{server.port}"]
    with ended(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env={"PATH": os.environ["PATH"]}) as worker:
        wait_until(lambda: "handles" in worker.stderr.readline(), "the worker does not start", 20)
        words = pathlib.Path(f"/proc/{worker.pid}/cmdline").read_text()
    require("--handle" in words, "this is not the worker's command line: it proves nothing")
    require(token not in words, "the list of processes shows the token")


def shown_on_a_terminal(command: list, variables: dict) -> bytes:
    ours, theirs = pty.openpty()
    with ended(command, stdout=theirs, stderr=theirs, env=variables) as process:
        os.close(theirs)
        shown = b""
        with contextlib.suppress(OSError):  # EIO: the program has ended
            while chunk := os.read(ours, 65536):
                shown += chunk
        process.wait(timeout=20)
    os.close(ours)
    return shown


@register(ATTACKS, stores=("sqlite",))
def payload_commands_the_terminal(server: Server) -> None:
    client = server.admin("default")
    name = "b\u202ec\u200bd\ufeffe"  # the server accepts no control characters in names
    evil = f"a\u009b2J{name}"
    task = client.expect(201, "POST", "tasks", {"type": name, "payload": {"text": evil}, "labels": {"l": name}})["task"]["id"]
    variables = {"PATH": os.environ["PATH"], "PAWL_TOKEN": server.admin_token, "TERM": "xterm",
                 "PAWL_ADDRESS": f"http://127.0.0.1:{server.port}"}
    for words in (["task", "show", task], ["task", "show", task, "--json"], ["task", "list"], ["task", "list", "--json"],
                  ["task", "show", evil]):
        shown = shown_on_a_terminal([server.binary, *words], variables)
        require(len(shown) > 20, f"pawl {words} shows nothing: it proves nothing")
        for sign in ("\u009b", "\u202e", "\u200b", "\ufeff"):
            require(sign.encode() not in shown, f"pawl {' '.join(words)} sends U+{ord(sign):04X} to the terminal")


@register(ATTACKS, stores=("sqlite",))
def tls_without_forward_secrecy(server: Server) -> None:
    cert, key = server.folder / "cert.pem", server.folder / "key.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", cert, "-days", "1",
                    "-subj", "/CN=localhost"], check=True, capture_output=True)

    def agrees_on(port: int, cipher: str) -> bool:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        context.set_ciphers(f"{cipher}@SECLEVEL=0")
        client = http.client.HTTPSConnection("127.0.0.1", port, context=context, timeout=10)
        with contextlib.closing(client), contextlib.suppress(ssl.SSLError, ConnectionError):
            client.connect()
            return True
        return False

    with open_server(server, "--set", f"tls.cert={cert}", "--set", f"tls.key={key}") as port:
        require(agrees_on(port, "ECDHE-RSA-AES128-GCM-SHA256"), "no cipher is agreed on: this proves nothing")
        for cipher in ("AES128-SHA", "AES128-GCM-SHA256", "ECDHE-RSA-AES128-SHA", "ECDHE-RSA-AES256-SHA384"):
            require(not agrees_on(port, cipher), f"the server agrees on {cipher}")


def try_to_become_admin(port: int, headers: dict) -> int:
    body = {"role": "admin", "namespaces": ["*"]}
    return Client(port).call("POST", "/v1/admin/tokens", body, headers=headers).status


@register(ATTACKS, stores=("sqlite",))
def proxy_forwards_to_an_open_server(server: Server) -> None:
    forwarded = {"X-Forwarded-For": "192.0.2.1", "X-Forwarded-Proto": "https", "Forwarded": "for=192.0.2.1", "Via": "1.1 proxy",
                 "X-Real-IP": "192.0.2.1"}
    with open_server(server) as port:
        require(Client(port).call("GET", "/v1/default/tasks").status == 200, "the server is not open: this proves nothing")
        for name, value in forwarded.items():
            status = try_to_become_admin(port, {name: value})
            require(status == 403, f"a caller behind a proxy ({name}) that asked for an admin's token got {status}")


@register(ATTACKS, stores=("sqlite",))
def page_rebinds_an_open_server(server: Server) -> None:
    with open_server(server, "--insecure", "--listen", "0.0.0.0:0") as port:
        require(Client(port).call("GET", "/v1/default/tasks").status == 200, "the server is not open: this proves nothing")
        for host in ("evil.example", f"evil.example:{port}", "127.0.0.1.evil.example"):
            status = try_to_become_admin(port, {"Host": host, "Origin": f"http://{host}"})
            require(status in (403, 421), f"a page of {host} that asked for an admin's token got {status}")
    with open_server(server, "--insecure", "--listen", "0.0.0.0:0", "--set", "server.hosts=pawl.example") as port:
        status = Client(port).call("GET", "/healthz", headers={"Host": "evil.example"}).status
        require(status == 421, f"a server with server.hosts answered another name with {status}")
