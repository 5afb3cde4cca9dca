#!/usr/bin/env python3
"""Holds server/openapi.json against the running server: every path and method in it answers, every answer has the
form that it describes, and every route of the server's tables is in it.

SPDX-License-Identifier: Apache-2.0
"""
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from serving import API, ROOT, Server

DOCUMENT = json.loads((ROOT / "server" / "openapi.json").read_text())
NAMES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
KNOWN = {"type", "properties", "required", "additionalProperties", "items", "enum", "minimum", "minItems", "maxItems",
         "oneOf", "$ref", "description", "format"}


def is_a(value, name):
    if name == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    if name == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, NAMES[name])


def faults(value, schema, place="$"):
    """Where a value is not what the schema says: sentences. Only the words of KNOWN are understood."""
    assert set(schema) <= KNOWN, f"{place}: the checker does not know {set(schema) - KNOWN}"
    if "$ref" in schema:
        return faults(value, resolve(schema["$ref"]), place)
    if "oneOf" in schema:
        tries = [faults(value, one, place) for one in schema["oneOf"]]
        fits = sum(not found for found in tries)
        return [] if fits == 1 else [f"{place}: fits {fits} of {len(tries)} forms: {min(tries, key=len)[:3]}"]
    found = []
    if "type" in schema:
        names = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        if not any(is_a(value, name) for name in names):
            return [f"{place}: {json.dumps(value)[:80]} is not {' or '.join(names)}"]
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{place}: {value!r} is not one of {schema['enum']}")
    if "minimum" in schema and is_a(value, "number") and value < schema["minimum"]:
        found.append(f"{place}: {value} is below {schema['minimum']}")
    if isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            found.append(f"{place}: {len(value)} elements")
        for i, one in enumerate(value):
            found += faults(one, schema.get("items", {}), f"{place}[{i}]")
    if isinstance(value, dict):
        found += [f"{place}: {name} is missing" for name in schema.get("required", []) if name not in value]
        for name, one in value.items():
            other = schema.get("additionalProperties", True)
            inner = schema.get("properties", {}).get(name, other)
            if inner is False:
                found.append(f"{place}: {name} is not described")
            elif inner is not True:
                found += faults(one, inner, f"{place}.{name}")
    return found


def resolve(reference):
    value = DOCUMENT
    for part in reference.removeprefix("#/").split("/"):
        value = value[part]
    return value


def check_the_checker():
    whole = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}, "l": {"type": "array", "items": {
        "type": ["string", "null"]}, "maxItems": 2}}, "required": ["n"], "additionalProperties": False}
    assert not faults({"n": 1, "l": ["a", None]}, whole)
    for wrong in ({}, {"n": 0}, {"n": True}, {"n": "1"}, {"n": 1, "x": 2}, {"n": 1, "l": [3]}, {"n": 1, "l": {}}, [],
                  {"n": 1, "l": ["a", "b", "c"]}):
        assert faults(wrong, whole), wrong
    either = {"oneOf": [{"type": "null"}, {"type": "string", "enum": ["a"]}]}
    assert not faults("a", either) and faults("b", either) and faults(1, either)


def walk(schema, place):
    """Every reference leads somewhere, and every word is known to the checker."""
    if isinstance(schema, dict):
        assert set(schema) <= KNOWN, f"{place}: {set(schema) - KNOWN}"
        if "$ref" in schema:
            resolve(schema["$ref"])
        for name in ("items", "additionalProperties"):
            walk(schema.get(name), f"{place}.{name}")
        for name, one in schema.get("properties", {}).items():
            walk(one, f"{place}.{name}")
        for one in schema.get("oneOf", []):
            walk(one, place)


def check_document():
    for name, schema in DOCUMENT["components"]["schemas"].items():
        walk(schema, name)
    names = [operation["operationId"] for methods in DOCUMENT["paths"].values() for operation in methods.values()]
    assert len(names) == len(set(names)), "operationId is not unique"
    for path, methods in DOCUMENT["paths"].items():
        for operation in methods.values():
            given = {one["name"] for one in operation.get("parameters", []) if one["in"] == "path"}
            assert given == set(re.findall(r"\{(\w+)\}", path)), path


def routes():
    """(METHOD, path with {}) of all tables in the sources of the server."""
    found = set()
    for source in (ROOT / "server").rglob("*.c"):
        for method, path in re.findall(r'\{"(GET|POST|PUT|PATCH|DELETE)",\s*"(/[^"]*)",', source.read_text()):
            found.add((method, re.sub(r":\w+", "{}", path)))
    return found


def check_routes():
    described = {(method.upper(), re.sub(r"\{\w+\}", "{}", path))
                 for path, methods in DOCUMENT["paths"].items() for method in methods}
    assert routes() == described, f"only one of both has {sorted(routes() ^ described)}"


def check_parameters(server):
    """Each route takes the parameters that are described, once or more often as described, and no other."""
    for path, methods in DOCUMENT["paths"].items():
        for method, operation in methods.items():
            body = {"put": b"x", "post": {}, "patch": {}}.get(method)
            headers = {"Content-Type": "application/octet-stream"} if method == "put" else None
            place = API + re.sub(r"\{\w+\}", "999", path)
            answer = server.request(method.upper(), f"{place}?bogus=1", body, headers)
            assert answer.status == 422 and "bogus" in str(answer.body), (method, path, answer)
            expected = str(answer.body).split("expected ")[1]
            for one in (one for one in operation.get("parameters", []) if one["in"] == "query"):
                star = "*" if one["schema"]["type"] == "array" else ""
                assert re.search(rf"(^|\s){one['name']}{re.escape(star)}(\s|\W|$)", expected), (path, one, expected)
                if not star:
                    answer = server.request(method.upper(), f"{place}?{one['name']}=1&{one['name']}=1", body, headers)
                    assert answer.status == 422 and "twice" in str(answer.body), (path, one, answer)


class Asker:
    """Asks, and holds every answer against the description."""

    def __init__(self, server):
        self.server, self.asked = server, set()

    def __call__(self, method, path, expect, body=None, parameters=None, **values):
        operation = DOCUMENT["paths"][path][method.lower()]
        filled = re.sub(r"\{(\w+)\}", lambda part: str(values[part[1]]), path)
        if parameters:
            known = {one["name"] for one in operation["parameters"] if one["in"] == "query"}
            assert set(parameters) <= known, f"{path}: {set(parameters) - known} is not described"
        if method == "GET":
            answer = self.server.get(f"{API}{filled}", parameters)
        else:
            query = "?" + "&".join(f"{name}={value}" for name, value in parameters.items()) if parameters else ""
            headers = {"Content-Type": "application/octet-stream"} if isinstance(body, bytes) else None
            answer = self.server.request(method, f"{API}{filled}{query}", body, headers)
            if isinstance(body, dict) and expect < 300:
                schema = operation["requestBody"]["content"]["application/json"]["schema"]
                assert not faults(body, schema), faults(body, schema)
        assert answer.status == expect, f"{method} {filled}: expected {expect}, got {answer}"
        self.check(answer, operation, f"{method} {path}")
        if answer.status < 300:
            self.asked.add((method, path))
        return answer

    def check(self, answer, operation, what):
        response = operation["responses"].get(str(answer.status)) or operation["responses"]["default"]
        kind = answer.headers.get("content-type", "").split(";")[0]
        if "content" not in response:
            assert answer.body == b"", f"{what}: a body that is not described"
            return
        assert kind in response["content"], f"{what}: {kind} is not described"
        if kind == "application/json":
            found = faults(answer.json, response["content"][kind]["schema"])
            assert not found, f"{what} {answer.status}: {found[:5]}"


def ask_about(ask):
    for path in ("/about", "/devices", "/measures", "/options", "/status"):
        ask("GET", path, 200)
    assert ask("GET", "/openapi.json", 200).json == DOCUMENT
    view = ask("POST", "/views", 201, {"text": "#/job/1"}).json["id"]
    ask("GET", "/views/{id}", 200, id=view)
    ask("GET", "/views/{id}", 404, id=999)
    ask("GET", "/views", 200)
    ask("DELETE", "/views/{id}", 204, id=view)
    ask("DELETE", "/views/{id}", 404, id=view)
    ask("POST", "/views", 422, {"text": "elsewhere"})


def ask_datasets(ask):
    """Returns the numbers of a data set of baskets and of one of graphs."""
    baskets = ask("POST", "/datasets", 201, {"example": "groceries"}).json["id"]
    graphs = ask("POST", "/datasets", 201, {"example": "molecules"}).json["id"]
    one = ask("POST", "/datasets", 201, {"name": "a.csv", "bytes": 8}).json["id"]
    ask("GET", "/datasets/{id}/preview", 409, id=one)
    ask("PUT", "/datasets/{id}/content", 200, b"a,b\n", {"offset": 0}, id=one)
    assert ask("PUT", "/datasets/{id}/content", 409, b"a,b\n", {"offset": 0}, id=one).json["received"] == 4
    ask("PUT", "/datasets/{id}/content", 200, b"c,d\n", {"offset": 4}, id=one)
    ask("PATCH", "/datasets/{id}", 200, {"name": "b", "read": {"format": "basket"}, "clean": {"drop": ["a"]}}, id=one)
    ask("PATCH", "/datasets/{id}", 422, {"read": {"format": "x"}}, id=one)
    for number in (baskets, graphs):
        ask("GET", "/datasets/{id}/preview", 200, parameters={"rows": 5}, id=number)
        ask("GET", "/datasets/{id}/profile", 200, id=number)
        ask("GET", "/datasets/{id}/profile", 200, id=number)
        ask("GET", "/datasets/{id}", 200, id=number)
    ask("GET", "/datasets/{id}/columns", 200, id=baskets)
    ask("POST", "/datasets/{id}/clean", 200, {"clean": {"drop": ["ham"]}}, id=baskets)
    ask("POST", "/datasets/{id}/clean", 200, {"clean": {}, "read": {"format": "basket"}}, id=baskets)
    lines = b"order,item\n1,tea\nC2,tea\n"
    table = ask("POST", "/datasets", 201, {"name": "t.csv", "bytes": len(lines)}).json["id"]
    ask("PUT", "/datasets/{id}/content", 200, lines, {"offset": 0}, id=table)
    assert len(ask("GET", "/datasets/{id}/columns", 200, id=table).json["columns"]) == 2
    ask("POST", "/datasets/{id}/suggest", 200, {"want": 100, "limit-time": "0.3"}, id=baskets)
    ask("POST", "/datasets/{id}/suggest", 422, {"want": -1}, id=baskets)
    ask("GET", "/datasets/{id}/baskets", 200, parameters={"with": ["ham"], "limit": 3}, id=baskets)
    ask("GET", "/datasets/{id}/baskets", 422, parameters={"with": "nothing of this"}, id=baskets)
    ask("GET", "/datasets/{id}/pairs", 200, parameters={"items": 5}, id=baskets)
    ask("GET", "/datasets/{id}/graphs/{index}", 200, id=graphs, index=3)
    ask("GET", "/datasets", 200)
    ask("DELETE", "/datasets/{id}", 204, id=one)
    ask("GET", "/datasets/{id}", 404, id=one)
    return baskets, graphs


def ask_jobs(ask, baskets, graphs):
    """Returns the numbers of three jobs that are done: itemsets, rules, graphs."""
    done = []
    for dataset, kind, options in ((baskets, "itemsets", {"min-support": "1%"}),
                                   (baskets, "rules", {"min-support": "1%", "min-confidence": "20%"}),
                                   (graphs, "graphs", {"min-support": "20%"})):
        made = ask("POST", "/jobs", 201, {"dataset": dataset, "kind": kind, "options": options}).json["id"]
        assert ask.server.await_job(made)["state"] == "done", ask.server.await_job(made)
        ask("GET", "/jobs/{id}", 200, id=made)
        done.append(made)
    ask("GET", "/jobs", 200, parameters={"dataset": baskets, "limit": 1})
    ask("GET", "/jobs", 200, parameters={"family": done[0], "folded": 0})
    ask("PATCH", "/jobs/{id}", 200, {"name": "first", "note": "of three"}, id=done[0])
    ask("PATCH", "/jobs/{id}", 422, {"name": 1}, id=done[0])
    ask("PATCH", "/jobs/{id}", 404, {"name": "none"}, id=999)
    ask("POST", "/jobs/{id}/suggest", 200, {"targets": ["rules"], "limit-time": "0.3"}, id=done[1])
    ask("POST", "/jobs/{id}/suggest", 404, {}, id=999)
    ask("POST", "/jobs", 422, {"dataset": baskets, "kind": "itemsets", "options": {"min-support": "x"}})
    for name in ("output", "memory", "class", "significant", "by", "seed", "strata", "alternative"):
        answer = ask("POST", "/jobs", 422, {"dataset": baskets, "kind": "itemsets", "options": {name: "1G"}})
        assert "not an option of a job" in answer.message, answer
    ask("POST", "/jobs", 404, {"dataset": 999, "kind": "itemsets", "options": {"min-support": "1%"}})
    ask("GET", "/jobs/{id}", 404, id=999)
    ask("GET", "/jobs/{id}/events", 200, id=done[0])
    for number in done:
        ask("GET", "/jobs/{id}/profile", 200, id=number)
    for path, parameters in (("/jobs/{id}/baskets", {"with": ["ham"], "limit": 3}), ("/jobs/{id}/pairs", {"items": 5})):
        ask("GET", path, 200, parameters=parameters, id=done[1])
        ask("GET", path, 404, id=999)
    ask("POST", "/jobs", 422, {"dataset": baskets, "kind": "itemsets", "options": {"min-support": "1%"}, "clean": {"x": "1"}})
    ask("POST", "/jobs/{id}/compare", 202, {"algorithms": ["eqclass"]}, id=done[0])
    ask("GET", "/jobs/{id}/compare", 200, id=done[0])
    ask("DELETE", "/jobs/{id}/compare", 200, id=done[0])
    ask("GET", "/jobs/{id}/compare", 200, id=done[1])
    ask_running(ask)
    return done


def ask_running(ask):
    """What can be done to a job that would run for long."""
    large = ask("POST", "/datasets", 201, {"example": "t40i10"}).json["id"]
    for word, body in (("cancel", None), ("keep", None), ("raise", {"min-support": "99%"})):
        made = ask("POST", "/jobs", 201, {"dataset": large, "kind": "itemsets", "options": {"min-support": "30"}})
        number = made.json["id"]
        while ask("GET", "/jobs/{id}", 200, id=number).json["state"] == "queued":
            pass
        ask("POST", "/jobs/{id}/" + word, 202, body, id=number)
        ask.server.await_job(number)
        ask("GET", "/jobs/{id}", 200, id=number)
        ask("POST", "/jobs/{id}/" + word, 409, body, id=number)
    ask("DELETE", "/jobs/{id}", 204, id=number)
    ask("DELETE", "/datasets/{id}", 204, id=large)


def ask_results(ask, itemsets, rules, graphs):
    for number in (itemsets, rules, graphs):
        ask("GET", "/jobs/{id}/columns", 200, id=number)
        ask("GET", "/jobs/{id}/rows/{row}", 200, id=number, row=0)
        ask("GET", "/jobs/{id}/histogram", 200, parameters={"x": "support", "x-bins": 10}, id=number)
        known = ["xlsx"] if ask("GET", "/about", 200).json["xlsx"] else []
        for form in ("csv", "jsonl", "arrow", *known):
            ask("GET", "/jobs/{id}/export", 200, parameters={"format": form}, id=number)
        ask("GET", "/jobs/{id}/export", 200, parameters={"format": "csv", "sort": "support", "reverse": "true"}, id=number)
    ask("GET", "/jobs/{id}/patterns", 200, parameters={"rows": 5, "sort": "support", "has": "ham"}, id=itemsets)
    ask("GET", "/jobs/{id}/patterns", 200, parameters={"rows": 5, "found": "false"}, id=graphs)
    ask("GET", "/jobs/{id}/rules", 200, parameters={"min": "lift=1.5", "sort": "lift", "measures": "zhang,lift"}, id=rules)
    ask("GET", "/jobs/{id}/rules", 422, parameters={"has": "@/etc/passwd"}, id=rules)
    ask("GET", "/jobs/{id}/histogram", 200, parameters={"x": "lift", "x-log": 1, "y": "confidence"}, id=rules)
    ask("GET", "/jobs/{id}/network", 200, parameters={"by": "lift", "edges": 20}, id=rules)
    ask("GET", "/jobs/{id}/network", 200, parameters={"edges": 20}, id=itemsets)
    again = ask("POST", "/jobs", 201, {"dataset": 1, "kind": "rules", "options": {"min-support": "2%"}}).json["id"]
    assert ask.server.await_job(again)["state"] == "done"
    for part in ("excluded", "same"):
        ask("GET", "/jobs/{id}/diff/{other}", 200, parameters={"part": part, "rows": 5, "sort": "lift"}, id=rules, other=again)
    ask("GET", "/jobs/{id}/diff/{other}", 422, id=rules, other=itemsets)
    ask("GET", "/jobs/{id}/diff/{other}", 404, id=rules, other=999)
    ask("GET", "/jobs/{id}/occurrences/{row}", 200, parameters={"rows": 2}, id=graphs, row=0)
    ask("GET", "/jobs/{id}/rows/{row}", 404, id=rules, row=10**9)


def check_failures(server):
    """What is not described is refused in the form of all failures."""
    error = DOCUMENT["components"]["schemas"]["Error"]
    for method, path, expect in (("GET", "/nothing", 404), ("PUT", "/about", 405), ("GET", "/datasets/x", 404),
                                 ("DELETE", "/datasets", 405), ("GET", "/datasets/1/", 404), ("GET", "/jobs/-1", 404)):
        answer = server.request(method, API + path)
        assert answer.status == expect and not faults(answer.json, error), (path, answer)


def check_manual():
    """The commands of the manual run as they stand there, in order, on a server of their own."""
    if not shutil.which("curl"):
        print("skip: the manual's commands need curl")
        return
    blocks = re.findall(r"```sh\n(.*?)```", (ROOT / "docs" / "server.md").read_text(), re.S)
    assert len(blocks) >= 5
    with Server() as server, tempfile.TemporaryDirectory() as folder:
        script = "\n".join(blocks).replace("127.0.0.1:8080", f"127.0.0.1:{server.port}")
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, f"after {done.stdout[-300:]} {done.stderr}"
        assert '"received":37,"state":"ready"' in done.stdout.replace(" ", ""), done.stdout
        assert "event: job" in done.stdout and (Path(folder) / "rules.csv").stat().st_size > 100
        assert [one["id"] for one in server.get("datasets").json["datasets"]] == [1]


def ask_login(server):
    ask = Asker(server)
    headers = {"Authorization": "Bearer 0123456789abcdef0123"}
    assert server.get("about").status == 401
    assert server.get("about", headers=headers).status == 200
    ask("POST", "/login", 401, {"token": "wrong"})
    answer = ask("POST", "/login", 204, {"token": "0123456789abcdef0123"})
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie, cookie
    return ask.asked


def main():
    check_the_checker()
    check_document()
    check_routes()
    with Server() as server:
        ask = Asker(server)
        ask_about(ask)
        baskets, graphs = ask_datasets(ask)
        ask_results(ask, *ask_jobs(ask, baskets, graphs))
        assert len(ask("GET", "/datasets", 200, parameters={"limit": 1}).json["datasets"]) == 1
        check_failures(server)
        check_parameters(server)
    with Server("--token", "0123456789abcdef0123") as server:
        asked = ask.asked | ask_login(server)
    check_manual()
    described = {(method.upper(), path) for path, methods in DOCUMENT["paths"].items() for method in methods}
    assert described == asked, f"never answered: {sorted(described - asked)}"
    return 0


if __name__ == "__main__":
    sys.exit(main())
