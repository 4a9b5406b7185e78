"""A real Pawl server for the attacks: its process, its tokens, its memory, its restart."""
import http.client
import json
import os
import pathlib
import resource
import signal
import socket
import subprocess
import tempfile
import threading
import time
import uuid

ATTACKER = "mallory"  # the namespace of every attack
NEIGHBOR = "alice"    # the namespace that must be unaffected

ADDRESS_SPACE_MOST = 6 << 30  # bytes: a successful attack must not exhaust the machine's memory
STARTS_WITHIN = 60  # seconds; a server that crashes at each start never answers


class Breach(Exception):
    """The attack succeeded."""


def require(holds: bool, breach: str) -> None:
    if not holds:
        raise Breach(breach)


class Answer:
    def __init__(self, status: int, headers, body: bytes):
        self.status = status
        self.headers = headers
        self.text = body.decode(errors="replace")

    @property
    def json(self):
        return json.loads(self.text)

    def __repr__(self):
        return f"{self.status} {self.text[:300]}"


class Client:
    """One connection that reconnects after it was closed."""

    def __init__(self, port: int, token: str | None = None, namespace: str = ATTACKER, timeout: float = 30):
        self.port, self.token, self.namespace, self.timeout = port, token, namespace, timeout
        self.connection = None

    def call(self, method: str, path: str, body=None, headers=None) -> Answer:
        """`path` is relative to the namespace, or absolute if it begins with "/"."""
        data = body if body is None or isinstance(body, (bytes, str)) else json.dumps(body)
        all_headers = {"Content-Type": "application/json"} if data is not None else {}
        if self.token:
            all_headers["Authorization"] = f"Bearer {self.token}"
        all_headers.update(headers or {})
        target = path if path.startswith("/") else f"/v1/{self.namespace}/{path}"
        if self.connection is None:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=self.timeout)
        try:
            self.connection.request(method, target, data, all_headers)
            response = self.connection.getresponse()
            answer = Answer(response.status, response.headers, response.read())
            if response.will_close:
                self.close()
            return answer
        except (OSError, http.client.HTTPException):
            self.close()
            raise

    def expect(self, status: int, method: str, path: str, body=None, headers=None):
        answer = self.call(method, path, body, headers)
        if answer.status != status:
            raise RuntimeError(f"{method} {path}: expected {status}, got {answer}")
        return answer.json if answer.text else None

    def close(self) -> None:
        if self.connection is not None:
            self.connection.close()
        self.connection = None


class Database:
    """SQLite in the server's folder, or a new database on the PostgreSQL server of PAWL_TEST_POSTGRES."""

    def __init__(self, kind: str, folder: pathlib.Path):
        self.kind = kind
        self.name = f"attack_{uuid.uuid4().hex[:12]}"
        if kind == "sqlite":
            self.address = f"sqlite:{folder}/pawl.db"
            return
        self.maintenance = os.environ["PAWL_TEST_POSTGRES"]
        subprocess.run(["createdb", f"--maintenance-db={self.maintenance}", self.name], check=True)
        self.address = f"postgres:{self.maintenance} dbname={self.name}"

    def drop(self) -> None:
        if self.kind == "postgres":
            subprocess.run(["dropdb", "--force", f"--maintenance-db={self.maintenance}", self.name], check=True)


class Server:
    """`pawl serve` with an admin token; killed at the end of its `with` block."""

    def __init__(self, binary: str, store: str, settings: dict | None = None):
        self.binary = binary
        self.settings = settings or {}
        self.temporary = tempfile.TemporaryDirectory(prefix="pawl-attack-")
        self.folder = pathlib.Path(self.temporary.name)
        self.log = self.folder / "server.log"
        self.database = Database(store, self.folder)
        self.peak_mib = 0.0
        self.process = None
        self.start()
        self.admin_token = self.new_token("admin", ["*"])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()
        self.database.drop()
        self.temporary.cleanup()

    def start(self) -> None:
        command = [self.binary, "serve", "--listen", "127.0.0.1:0", "--store", self.database.address]
        for key, value in self.settings.items():
            command += ["--set", f"{key}={value}"]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True,
                                            env={"PATH": os.environ["PATH"]})
        resource.prlimit(self.process.pid, resource.RLIMIT_AS, (ADDRESS_SPACE_MOST, ADDRESS_SPACE_MOST))
        timer = threading.Timer(STARTS_WITHIN, self.process.kill)
        timer.start()
        line = self.process.stdout.readline()
        timer.cancel()
        require(":" in line, f"the server does not start: {self.log.read_text()[-2000:]}")
        self.port = int(line.strip().rsplit(":", 1)[1].split("/")[0])

    def client(self, token: str | None = None, namespace: str = ATTACKER, timeout: float = 30) -> Client:
        return Client(self.port, token, namespace, timeout)

    def admin(self, namespace: str = ATTACKER) -> Client:
        return self.client(self.admin_token, namespace)

    def new_token(self, role: str, namespaces: list[str], **more) -> str:
        admin = self.client(getattr(self, "admin_token", None))
        return admin.expect(201, "POST", "/v1/admin/tokens", {"role": role, "namespaces": namespaces, **more})["token"]

    def status_mib(self, field: str) -> float:
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith(field + ":"):
                return int(line.split()[1]) / 1024
        return 0.0

    def is_alive(self) -> bool:
        return self.process.poll() is None

    def note_memory(self) -> None:
        if self.is_alive():
            self.peak_mib = max(self.peak_mib, self.status_mib("VmHWM"))

    def kill(self) -> None:
        if self.process is not None and self.is_alive():
            self.process.send_signal(signal.SIGKILL)
        if self.process is not None:
            self.process.wait()
            self.process.stdout.close()

    def restart(self) -> None:
        """Restarts the server as after a crash, on the store that the attack left behind."""
        self.note_memory()
        self.kill()
        self.start()
        wait_until(lambda: self.client(timeout=10).call("GET", "/readyz").status == 200, "the restarted server is not ready")


def wait_until(condition, breach: str, seconds: float = 60):
    """Returns the value of `condition` once it is true. Connection errors count as false."""
    end = time.monotonic() + seconds
    while True:
        try:
            value = condition()
        except (OSError, http.client.HTTPException):
            value = None
        if value:
            return value
        require(time.monotonic() < end, breach)
        time.sleep(0.05)


def raw_socket(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=30)
