"""Attacks that try to access other callers' objects."""
import contextlib
import http.server
import json
import os
import stat
import subprocess
import threading
import time

from attack import Attack, register
from server import ATTACKER, NEIGHBOR, Client, Server, require, wait_until

ATTACKS: list[Attack] = []
REFUSED = (401, 403, 404)


def require_refused(answer, what: str) -> None:
    require(answer.status in REFUSED, f"{what}: {answer}")


@register(ATTACKS)
def bound_token_reaches_other_queues(server: Server) -> None:
    admin = server.admin()
    secret = admin.expect(201, "POST", "tasks", {"type": "secret", "queue": "vault", "payload": {"pin": 4711}})["task"]["id"]
    claimed = admin.expect(201, "POST", "tasks", {"type": "charge", "queue": "vault2"})["task"]["id"]
    admin.expect(201, "POST", "workers", {"worker_id": "honest", "queues": ["vault2"], "hostname": "h", "pid": 1})
    lease = admin.expect(200, "POST", "tasks/claim", {"worker_id": "honest", "queues": ["vault2"]})["tasks"][0]["lease"]
    run = admin.expect(201, "POST", "runs", {"workflow": "open"})["run"]["id"]
    admin.expect(201, "POST", "idempotency/payment/begin", {"request": {"amount": 1}, "task_id": claimed})
    bound = server.client(server.new_token("worker", [ATTACKER], queues=["qa"]))
    require_refused(bound.call("GET", f"tasks/{secret}"), "read a payload of another queue")
    listed = bound.call("GET", "tasks?queue=vault")
    require(listed.status in REFUSED or not listed.json["items"], "listed the tasks of another queue")
    listed = bound.call("GET", "tasks")
    require(listed.status in REFUSED or not listed.json["items"], "listed the tasks of all queues")
    require_refused(bound.call("POST", "tasks/claim", {"worker_id": "w", "queues": ["vault"]}), "claimed from another queue")
    require_refused(bound.call("POST", f"tasks/{claimed}/complete", {"worker_id": "honest", "fence": lease["fence"]}),
                    "completed a task of another queue")
    require_refused(bound.call("POST", "workers/honest/heartbeat", {"active_count": 0}), "sent a heartbeat of another worker")
    require_refused(bound.call("POST", "workers/honest/drain", {}), "drained another worker")
    require_refused(bound.call("DELETE", "workers/honest"), "unregistered another worker")
    require_refused(bound.call("POST", f"runs/{run}/complete", {}), "completed an open run")
    require_refused(bound.call("POST", "checkpoints", {"task_id": claimed, "type": "manual_checkpoint", "snapshot": {}}),
                    "wrote a checkpoint of another queue's task")
    require_refused(bound.call("POST", "idempotency/payment/complete", {"response": {"ok": True}}),
                    "completed an idempotency key of another queue's task")


@register(ATTACKS)
def revoked_token_waits(server: Server) -> None:
    admin = server.admin()
    created = admin.expect(201, "POST", "/v1/admin/tokens", {"role": "worker", "namespaces": [ATTACKER]})
    answers = []

    def wait() -> None:
        client = server.client(created["token"])
        answers.append(client.call("POST", "tasks/claim", {"worker_id": "w", "queues": ["default"], "wait": "10s"}))

    waiting = threading.Thread(target=wait)
    waiting.start()
    time.sleep(1)
    admin.call("DELETE", f"/v1/admin/tokens/{created['id']}")
    time.sleep(1.2)
    admin.expect(201, "POST", "tasks", {"type": "after", "payload": {"secret": 1}})
    waiting.join(timeout=30)
    require(bool(answers), "the waiting claim of the revoked token was never answered")
    require(answers[0].status == 401, f"the waiting claim of a revoked token was answered {answers[0]}")


@contextlib.contextmanager
def second_node(server: Server):
    """Another server on the same store. Yields its port."""
    command = [server.binary, "serve", "--listen", "127.0.0.1:0", "--store", server.database.address]
    node = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                            env={"PATH": os.environ["PATH"]})
    try:
        yield int(node.stdout.readline().strip().rsplit(":", 1)[1].split("/")[0])
    finally:
        node.kill()
        node.wait()
        node.stdout.close()


@register(ATTACKS)
def revoked_token_waits_on_another_node(server: Server) -> None:
    """A claim, waits for a result and for notices, and a stream, whose token is revoked on the other node."""
    admin = server.admin()
    created = admin.expect(201, "POST", "/v1/admin/tokens", {"role": "worker", "namespaces": [ATTACKER]})
    run = admin.expect(201, "POST", "runs", {"workflow": "open"})["run"]["id"]
    waits = {
        "claim": ("POST", "tasks/claim", {"worker_id": "w", "queues": ["default"], "wait": "10s"}),
        "result": ("GET", f"runs/{run}/result?wait=10s", None),
        "notices": ("GET", "workers/v/notices?wait=10s", None),
    }
    answers = {}
    with second_node(server) as port:
        def wait(name: str) -> None:
            method, path, body = waits[name]
            answers[name] = Client(port, created["token"]).call(method, path, body)

        def follow() -> None:
            answers["stream"] = Client(port, created["token"]).call(
                "GET", f"runs/{run}/events", headers={"Accept": "text/event-stream"})

        threads = [threading.Thread(target=wait, args=(name,)) for name in waits] + [threading.Thread(target=follow)]
        for thread in threads:
            thread.start()
        time.sleep(1)
        admin.call("DELETE", f"/v1/admin/tokens/{created['id']}")
        time.sleep(1)
        admin.expect(201, "POST", "tasks", {"type": "after", "payload": {"secret": 1}})
        admin.expect(200, "POST", f"runs/{run}/complete", {"reason": "after"})
        for thread in threads:
            thread.join(timeout=30)
    for name in waits:
        require(name in answers and answers[name].status == 401,
                f"the waiting {name} of a revoked token was answered {answers.get(name)}")
    stream = answers.get("stream")
    require(stream is not None and "workflow_created" in stream.text, f"the attack does not follow the run: {stream}")
    require("workflow_completed" not in stream.text, "the stream of a revoked token went on")


@register(ATTACKS)
def token_acts_as_anothers_worker(server: Server) -> None:
    """Two tokens of one namespace, each with workers of its own."""
    admin = server.admin()
    owner = server.client(server.new_token("worker", [ATTACKER]))
    other = server.client(server.new_token("worker", [ATTACKER]))
    owner.expect(201, "POST", "workers", {"worker_id": "honest", "queues": ["default"], "hostname": "h", "pid": 1})
    task = admin.expect(201, "POST", "tasks", {"type": "charge"})["task"]["id"]
    fence = owner.expect(200, "POST", "tasks/claim", {"worker_id": "honest"})["tasks"][0]["lease"]["fence"]
    require_refused(other.call("POST", "workers", {"worker_id": "honest"}), "registered another token's worker")
    require_refused(other.call("POST", "workers/honest/heartbeat", {}), "sent a heartbeat of another token's worker")
    require_refused(other.call("GET", "workers/honest/notices"), "read the notices of another token's worker")
    require_refused(other.call("POST", "tasks/claim", {"worker_id": "honest"}), "claimed as another token's worker")
    require_refused(other.call("POST", f"tasks/{task}/complete", {"worker_id": "honest", "fence": fence}),
                    "reported as another token's worker")
    require_refused(other.call("DELETE", "workers/honest"), "unregistered another token's worker")
    other.expect(201, "POST", "workers", {"hostname": "h", "pid": 1})  # as a new incarnation of the same process
    status = owner.expect(200, "GET", "workers/honest")["status"]
    require(status == "online", f"another token's process replaced the worker: it is {status}")
    owner.expect(200, "POST", f"tasks/{task}/complete", {"worker_id": "honest", "fence": fence})


@register(ATTACKS)
def bound_token_starts_work_in_other_queues(server: Server) -> None:
    """With a definition, with steps of its own run, or by taking over the workflow of another queue."""
    admin = server.admin()
    admin.expect(201, "PUT", "definitions/payout", {"tasks": [{"id": "pay", "activity": "pay", "queue": "vault"}]})
    admin.expect(201, "POST", "workers", {"worker_id": "of-vault", "queues": ["vault"], "workflow_types": ["transfer"]})
    bound = server.client(server.new_token("worker", [ATTACKER], queues=["qa"]))
    bound.expect(201, "POST", "workers", {"worker_id": "of-qa", "queues": ["qa"], "workflow_types": ["check"]})
    run = bound.expect(201, "POST", "workflows/check/start", {"queue": "qa"})["run"]["id"]
    fence = bound.expect(200, "POST", "tasks/claim", {"worker_id": "of-qa", "queues": ["qa"]})["tasks"][0]["lease"]["fence"]
    require_refused(bound.call("POST", "workflows/payout/start", {"queue": "qa"}), "started a definition")
    require_refused(bound.call("POST", "workflows/transfer/start", {}), "started a workflow of another queue")
    for step, kind, given in [("a", "task", {"type": "pay", "queue": "vault"}), ("b", "child", {"workflow": "payout"}),
                              ("c", "child", {"workflow": "transfer", "queue": "vault"})]:
        answer = bound.call("POST", f"runs/{run}/steps/{step}/begin", {"fence": fence, "kind": kind, "input": given})
        require_refused(answer, f"began a {kind} of another queue in a step")
    taking = {"worker_id": "of-qa", "queues": ["qa"], "workflow_types": ["transfer"]}
    require_refused(bound.call("POST", "workers", taking), "took over a workflow of another queue")
    queues = {queue["name"]: queue["counts"]["pending"] for queue in admin.expect(200, "GET", "queues")["items"]}
    require(queues.get("vault", 0) == 0, f"the token made tasks in another queue: {queues}")


@register(ATTACKS)
def page_rebinds_its_name(server: Server) -> None:
    for host in ("evil.example", "evil.example:7717", "127.0.0.1.evil.example"):
        answer = server.client(server.admin_token).call("GET", "tasks", headers={"Host": host})
        require(answer.status == 421, f"a request for the host {host} was answered {answer}")


@register(ATTACKS)
def viewer_reads_metrics_of_others(server: Server) -> None:
    server.admin(NEIGHBOR).expect(201, "POST", "tasks", {"type": "secret-type", "queue": "secret-queue"})
    viewer = server.client(server.new_token("viewer", [ATTACKER]))
    text = viewer.call("GET", "/metrics").text
    require("secret-queue" not in text and f'"{NEIGHBOR}"' not in text, "/metrics shows another namespace")


@register(ATTACKS)
def narrow_tokens_exceed_their_scope(server: Server) -> None:
    """A token that only enqueues, one that only claims, and an administrator of one namespace."""
    admin = server.admin()
    task = {"type": "note", "idempotency_key": "k", "payload": "secret"}
    made = admin.expect(201, "POST", "tasks", task)["task"]["id"]
    enqueuer = server.client(server.new_token("enqueuer", [ATTACKER]))
    require_refused(enqueuer.call("GET", f"tasks/{made}"), "read a task with a token that only enqueues")
    again = enqueuer.call("POST", "tasks", {"type": "note", "idempotency_key": "k"})
    require("secret" not in again.text, "read a task by its idempotency key with a token that only enqueues")
    require_refused(enqueuer.call("POST", "tasks/claim", {"worker_id": "w"}), "claimed with a token that only enqueues")
    claimer = server.client(server.new_token("claimer", [ATTACKER]))
    require_refused(claimer.call("POST", "tasks", {"type": "note"}), "enqueued with a token that only claims")
    require_refused(claimer.call("GET", "tasks"), "listed tasks with a token that only claims")

    other = admin.expect(201, "POST", "/v1/admin/tokens", {"role": "viewer", "namespaces": [NEIGHBOR]})
    local = server.client(server.new_token("admin", [ATTACKER]))
    for namespaces in (["*"], [NEIGHBOR], [ATTACKER, NEIGHBOR]):
        answer = local.call("POST", "/v1/admin/tokens", {"role": "admin", "namespaces": namespaces})
        require_refused(answer, f"made a token for {namespaces} as an administrator of one namespace")
    for method, path in (("DELETE", f"tokens/{other['id']}"), ("POST", f"tokens/{other['id']}/rotate"),
                         ("GET", f"namespaces/{NEIGHBOR}"), ("GET", f"audit?namespace={NEIGHBOR}"), ("GET", "nodes"),
                         ("GET", "vitals"), ("GET", "verify")):
        require_refused(local.call(method, f"/v1/admin/{path}"), f"{method} {path} as an administrator of one namespace")
    for path in ("tokens", "audit"):
        listed = local.expect(200, "GET", f"/v1/admin/{path}")["items"]
        require(not any(other["id"] in json.dumps(item) for item in listed), f"{path} shows another namespace")

    rotated = admin.expect(200, "POST", f"/v1/admin/tokens/{other['id']}/rotate", {"overlap": "0s"})
    require(server.client(rotated["token"], NEIGHBOR).call("GET", "tasks").status == 200, "the new secret does not work")
    require_refused(server.client(other["token"], NEIGHBOR).call("GET", "tasks"), "the secret before a rotation works")


@register(ATTACKS, stores=("sqlite",))
def other_users_read_the_files(server: Server) -> None:
    server.admin().expect(201, "POST", "tasks", {"type": "note"})
    for path in server.folder.glob("pawl.db*"):
        mode = stat.S_IMODE(path.stat().st_mode)
        require(mode & 0o077 == 0, f"{path.name} has mode {mode:o}")


@register(ATTACKS)
def answers_lack_their_headers(server: Server) -> None:
    headers = server.admin().call("GET", "tasks").headers
    require(headers.get("X-Content-Type-Options") == "nosniff", "an answer lacks nosniff")
    require("no-store" in (headers.get("Cache-Control") or ""), "an answer lacks no-store")


def answer_with(body_of):
    """An HTTP request handler that answers every request with JSON."""

    class Answering(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):  # pylint: disable=invalid-name
            request = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            body = body_of(self.path, request).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_DELETE = do_POST

        def log_message(self, *_):
            pass

    return Answering


@contextlib.contextmanager
def serving(handler):
    served = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=served.serve_forever, daemon=True).start()
    try:
        yield served.server_port
    finally:
        served.shutdown()
        served.server_close()


def claimed_task(number: int, execution_key: str, operation_key: str) -> dict:
    at = "2026-01-01T00:00:00.000000Z"
    return {"id": f"01900000-0000-7000-8000-{number:012}", "namespace": "default", "queue": "default", "type": "t",
            "status": "claimed", "priority": 0, "payload": {}, "attempt": 1, "execution_key": execution_key,
            "operation_key": operation_key, "labels": {}, "available_at": at, "created_at": at, "updated_at": at,
            "lease": {"worker_id": "w", "fence": 1, "acquired_at": at, "expires_at": "2036-01-01T00:00:00.000000Z",
                      "heartbeat_at": None, "renewals": 0}}


@register(ATTACKS, stores=("sqlite",))
def server_splits_a_handlers_request(server: Server) -> None:
    """A malicious server injects a request into the keys that a worker forwards as headers."""
    smuggled = "k\r\nContent-Length: 0\r\n\r\nDELETE /smuggled HTTP/1.1\r\nHost: x\r\nX: "
    tasks = [claimed_task(1, "key", "key"), claimed_task(2, smuggled, "key"), claimed_task(3, "key", smuggled)]
    received = []

    def malicious(path: str, body: bytes) -> str:
        if path.endswith("/tasks/claim"):
            return json.dumps({"tasks": [tasks.pop(0)] if tasks else []})
        if path.endswith("/tasks/report"):
            return json.dumps({"results": [{"ok": True, "status": "running"}] * len(json.loads(body)["reports"])})
        return '{"worker_id":"w","task_ids":[]}'

    def handler(path: str, _: bytes) -> str:
        received.append(path)
        return "{}"

    with serving(answer_with(malicious)) as address, serving(answer_with(handler)) as hook:
        worker = subprocess.Popen(
            [server.binary, "worker", "--handle-http", f"t=http://127.0.0.1:{hook}/hook", "--allow-private",
             "--address", f"http://127.0.0.1:{address}"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={"PATH": os.environ["PATH"]})
        try:
            wait_until(lambda: "/hook" in received, "the attack does not reach the handler: it proves nothing")
            wait_until(lambda: not tasks, "the worker took no more tasks")
            time.sleep(1)
        finally:
            worker.kill()
            worker.wait()
    require("/smuggled" not in received, "the worker sent a request of the server's making")


@register(ATTACKS, stores=("postgres",))
def domain_in_pg_temp(server: Server) -> None:
    """A role with only `usage` on the schema shadows the functions' types with types of its own."""
    base = server.database.address.removeprefix("postgres:")
    role = "attacker_" + server.database.name
    psql = lambda sql: subprocess.run(["psql", base, "-qAt", "-v", "ON_ERROR_STOP=0", "-c", sql],
                                      capture_output=True, text=True, check=False).stdout
    psql(f"create role {role}; grant usage on schema pawl to {role}; grant execute on all functions in schema pawl to {role}")
    try:
        psql(f"""set role {role};
             create function pg_temp.escalate(pg_catalog.text) returns boolean language plpgsql as
               $$ begin execute 'alter role {role} superuser'; return true; exception when others then return true; end $$;
             create domain pg_temp.text as pg_catalog.text check (pg_temp.escalate(value));
             create domain pg_temp.json as pg_catalog.json check (pg_temp.escalate(value::pg_catalog.text));
             select pawl.enqueue('t', '{{}}');
             select pawl.start_workflow('w', '{{}}');""")
        is_superuser = psql(f"select rolsuper from pg_roles where rolname = '{role}'").strip()
        require(is_superuser == "f", f"the role {role} is now a superuser ({is_superuser or 'no answer'})")
    finally:
        psql(f"reset role; drop owned by {role}; drop role {role}")
