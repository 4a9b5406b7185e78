"""Small requests that try to exhaust a resource: memory, the commit thread, the disk, the connections."""
import concurrent.futures
import contextlib
import http.client
import json
import socket
import time

from attack import Attack, register
from server import ATTACKER, NEIGHBOR, Server, raw_socket, require, wait_until

ATTACKS: list[Attack] = []
ENDED = {"completed", "failed", "cancelled", "compensated", "compensation_failed"}


def state_of(client, run: str) -> str:
    return client.expect(200, "GET", f"runs/{run}")["state"]


def start(client, workflow: str, run_input=None) -> str:
    return client.expect(201, "POST", f"workflows/{workflow}/start", {"input": run_input})["run"]["id"]


def is_bounded_at(client, run: str, seconds: float) -> bool:
    """Whether the run ends, or is paused, within the time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if state_of(client, run) in ENDED | {"paused"}:
            return True
        time.sleep(0.2)
    return False


def has_many_runs(client) -> bool:
    """Whether a page of the runs is full: a tree of runs has grown beyond its first generations."""
    return len(client.expect(200, "GET", "runs?limit=500")["items"]) == 500


@register(ATTACKS)
def workflow_contains_itself(server: Server) -> None:
    client = server.admin()
    client.expect(201, "PUT", "definitions/loop",
                  {"name": "loop", "tasks": [{"id": "again", "type": "workflow", "workflow": "loop"}]})
    run = start(client, "loop")
    require(is_bounded_at(client, run, 60), "the workflow that contains itself never ends")


@register(ATTACKS)
def workflows_contain_each_other(server: Server) -> None:
    client = server.admin()
    for name, other in (("ping", "pong"), ("pong", "ping")):
        client.call("PUT", f"definitions/{name}",
                    {"name": name, "tasks": [{"id": "nap", "type": "sleep", "duration": "100ms"},
                                             {"id": "a", "type": "workflow", "workflow": other, "after": ["nap"]},
                                             {"id": "b", "type": "workflow", "workflow": other, "after": ["nap"]}]})
    run = start(client, "ping")
    # The tree doubles every 100 ms, until the depth limit, a quota or a cancel bounds it.
    wait_until(lambda: has_many_runs(client) or state_of(client, run) in ENDED | {"paused"}, "the tree does not grow")
    client.call("POST", f"runs/{run}/cancel", {})
    client.call("POST", f"runs/{run}/terminate", {})
    require(is_bounded_at(client, run, 60), "the tree of runs cannot be ended")


@register(ATTACKS)
def tree_of_runs_behind_a_sleep(server: Server) -> None:
    client = server.admin()
    client.expect(201, "PUT", "definitions/bush",
                  {"name": "bush", "tasks": [{"id": "nap", "type": "sleep", "duration": "500ms"},
                                             {"id": "again", "type": "workflow", "workflow": "bush", "after": ["nap"],
                                              "for_each": list(range(100))}]})
    run = start(client, "bush")
    wait_until(lambda: has_many_runs(client) or state_of(client, run) in ENDED | {"paused"}, "the tree does not grow")
    # Then the server restarts, with timers that were due when it ended.


@register(ATTACKS)
def children_copy_the_input(server: Server) -> None:
    client = server.admin()
    client.expect(201, "PUT", "definitions/leaf",
                  {"name": "leaf", "tasks": [{"id": "wait", "type": "signal", "signal": "go"}]})
    client.expect(201, "PUT", "definitions/copies",
                  {"name": "copies", "tasks": [{"id": f"t{i}", "type": "workflow", "workflow": "leaf"} for i in range(2_000)]})
    run = start(client, "copies", {"padding": "x" * 1_000_000})
    require(is_bounded_at(client, run, 60), "2,000 children copy an input of 1 MB")


@register(ATTACKS)
def claims_of_shared_inputs(server: Server) -> None:
    client = server.admin()
    client.expect(201, "PUT", "definitions/wide",
                  {"name": "wide", "tasks": [{"id": "each", "activity": "touch", "for_each": {"$ref": "#/input/items"}}]})
    start(client, "wide", {"items": list(range(1_000)), "padding": "x" * 1_900_000})
    wait_until(lambda: client.expect(200, "GET", "tasks?type=touch&limit=1")["items"], "nothing came of the fan-out")
    claim = client.expect(200, "POST", "tasks/claim", {"worker_id": "w", "max": 1_000, "lease": "30s"})
    require(1 <= len(claim["tasks"]) <= 20, f"one claim was given {len(claim['tasks'])} inputs of 1.9 MB")
    page = client.expect(200, "GET", "tasks?type=touch&limit=500")
    require(1 <= len(page["items"]) <= 20, f"one page has {len(page['items'])} inputs of 1.9 MB")


@register(ATTACKS)
def each_element_gets_the_input(server: Server) -> None:
    client = server.admin()
    client.expect(201, "PUT", "definitions/fan",
                  {"name": "fan", "tasks": [{"id": "each", "activity": "touch", "for_each": {"$ref": "#/input/items"}}]})
    run_input = {"items": list(range(10_000)), "padding": "x" * 70_000}
    run = start(client, "fan", run_input)
    wait_until(lambda: state_of(client, run) in ENDED or
               client.expect(200, "GET", "tasks?type=touch&limit=1")["items"], "nothing came of the fan-out")
    if state_of(client, run) not in ENDED:
        claim = client.expect(200, "POST", "tasks/claim", {"worker_id": "w", "max": 2, "lease": "30s"})
        require(all(task["payload"] == run_input for task in claim["tasks"]), "a task of the fan-out has another input")


@register(ATTACKS)
def references_times_elements(server: Server) -> None:
    client = server.admin()
    client.expect(201, "PUT", "definitions/product",
                  {"name": "product", "tasks": [{"id": "each", "activity": "touch", "for_each": {"$ref": "#/input/items"},
                                                 "input": {f"f{i}": {"$ref": "#/input/value"} for i in range(100)}}]})
    run = start(client, "product", {"items": list(range(2_000)), "value": "v" * 10_000})
    wait_until(lambda: state_of(client, run) in ENDED or
               client.expect(200, "GET", "tasks?type=touch&limit=1")["items"], "nothing came of the fan-out")


@register(ATTACKS)
def schema_of_two_megabytes(server: Server) -> None:
    client = server.admin()
    values = [f"value-{i:08}" for i in range(120_000)]
    accepted = 0
    for count in (120_000, 110_000, 55_000, 25_000, 10_000, 5_000, 4_000, 1_000):  # finds the largest accepted one
        schema = {"type": "object", "properties": {"kind": {"enum": values[:count]}}}
        answer = client.call("PUT", "types/wide", {"schema": schema})
        require(answer.status in (200, 201, 400, 413), f"unexpected answer {answer}")
        if answer.status < 400:
            accepted = count
            break
    batch = {"tasks": [{"type": "wide", "payload": {"kind": values[accepted - 1]}}] * 200}
    end = time.monotonic() + 8
    slowest = 0.0

    def enqueue(_) -> None:
        attacker = server.admin()
        while time.monotonic() < end:
            attacker.call("POST", "tasks", batch["tasks"][0])  # the server now caches the type for a moment
            attacker.call("POST", "tasks/batch", batch)

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        running = [pool.submit(enqueue, i) for i in range(4)]
        while time.monotonic() < end:
            begin = time.monotonic()
            server.client().call("GET", "/healthz")
            slowest = max(slowest, time.monotonic() - begin)
            time.sleep(0.05)
        for one in running:
            one.result()
    require(slowest < 2, f"/healthz took {slowest:.1f} s while tasks were checked by a schema of {accepted} values")


@register(ATTACKS)
def anonymous_calls_fill_the_audit(server: Server) -> None:
    def flood(_) -> None:
        client = server.client()
        for _ in range(2_500):
            client.call("GET", "tasks")

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(flood, range(8)))
    admin = server.admin()
    entries, cursor = 0, ""
    while cursor is not None and entries <= 500:
        page = admin.expect(200, "GET", "/v1/admin/audit?limit=500" + (f"&cursor={cursor}" if cursor else ""))
        entries, cursor = entries + len(page["items"]), page["next_cursor"]
    require(entries <= 500, "20,000 anonymous calls wrote more than 500 entries of the audit")


@register(ATTACKS)
def viewers_list_by_label(server: Server) -> None:
    admin = server.admin()
    for _ in range(20):
        admin.expect(200, "POST", "tasks/batch",
                     {"tasks": [{"type": "bulk", "labels": {"color": "red", "n": str(i)}} for i in range(2_500)]})
    token = server.new_token("viewer", [ATTACKER])
    end = time.monotonic() + 6

    def view(_) -> None:
        client = server.client(token)
        while time.monotonic() < end:
            with contextlib.suppress(OSError, http.client.HTTPException):
                client.call("GET", "tasks?label=color:blue&limit=500")

    with concurrent.futures.ThreadPoolExecutor(32) as pool:
        list(pool.map(view, range(32)))


def open_stream(server: Server, token: str, namespace: str) -> tuple[socket.socket, int]:
    connection = raw_socket(server.port)
    connection.sendall((f"GET /v1/{namespace}/queues HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n"
                        "Accept: text/event-stream\r\n\r\n").encode())
    status = connection.recv(4096).split(b" ", 2)
    return connection, int(status[1]) if len(status) > 1 else 0


@register(ATTACKS)
def one_viewer_takes_all_streams(server: Server) -> None:
    token = server.new_token("viewer", [ATTACKER])
    neighbor = server.new_token("viewer", [NEIGHBOR])
    with contextlib.ExitStack() as stack:
        for _ in range(300):
            with contextlib.suppress(OSError):
                stack.callback(open_stream(server, token, ATTACKER)[0].close)
        stream, status = open_stream(server, neighbor, NEIGHBOR)
        stack.callback(stream.close)
        require(status == 200, f"the neighbor's event stream was answered {status}")


@register(ATTACKS)
def one_viewer_takes_all_connections(server: Server) -> None:
    """Each connection has sent one request. Probes must still be served."""
    token = server.new_token("viewer", [ATTACKER])
    request = (f"GET /v1/{ATTACKER}/queues HTTP/1.1\r\nHost: localhost\r\n"
               f"Authorization: Bearer {token}\r\n\r\n").encode()
    with contextlib.ExitStack() as stack:
        for _ in range(1_100):
            with contextlib.suppress(OSError):
                connection = raw_socket(server.port)
                stack.callback(connection.close)
                connection.sendall(request)
        for _ in range(20):
            for path in ("/healthz", "/readyz"):
                status = server.client(timeout=10).call("GET", path).status
                require(status == 200, f"{path} was answered {status} beside 1,100 connections of a viewer")


@register(ATTACKS)
def silent_connections(server: Server) -> None:
    with contextlib.ExitStack() as stack:
        for _ in range(1_100):
            with contextlib.suppress(OSError):
                stack.callback(raw_socket(server.port).close)
        for _ in range(20):
            status = server.client(timeout=10).call("GET", "/healthz").status
            require(status == 200, f"/healthz was answered {status} beside silent connections")


@register(ATTACKS)
def one_worker_takes_all_waiting_claims(server: Server) -> None:
    token = server.new_token("worker", [ATTACKER])
    body = json.dumps({"worker_id": "greedy", "queues": ["none"], "max": 1, "wait": "20s"})
    request = (f"POST /v1/{ATTACKER}/tasks/claim HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n"
               f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}").encode()
    with contextlib.ExitStack() as stack:
        for _ in range(1_100):
            with contextlib.suppress(OSError):
                connection = raw_socket(server.port)
                stack.callback(connection.close)
                connection.sendall(request)
        claim = server.admin(NEIGHBOR).call("POST", "tasks/claim", {"worker_id": "w", "queues": ["default"], "wait": "5s"})
        require(claim.status == 200, f"the neighbor's claim was answered {claim}")
