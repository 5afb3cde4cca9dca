"""lode mcp: every tool, hostile messages and names, cancelling (docs/mcp.md).

page/tests/mcp.test.mjs has the same tools with the client of the official SDK.

SPDX-License-Identifier: Apache-2.0
"""
import ctypes
import json
import os
import random
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

from patience import DEADLINE

ROOT = Path(__file__).resolve().parent.parent
LODE = os.environ.get("LODE_BIN") or str(ROOT / "build/lode")
BASKETS = "a,b,c\na,b\na,c\nb,c\na,d\n"
GRAPHS = "t # 0\nv 0 C\nv 1 C\ne 0 1 s\nt # 1\nv 0 C\nv 1 C\nv 2 O\ne 0 1 s\ne 1 2 d\n"
TOOLS = ["describe_file", "suggest_threshold", "mine_itemsets", "mine_rules", "mine_graphs",
         "query_result", "explain_rule"]


def without_openat2():
    """Lets the system call openat2 fail, as older kernels do: a filter of seccomp."""
    code = [(0x20, 0, 0, 0), (0x15, 0, 1, 437), (0x06, 0, 0, 0x00050000 | 38), (0x06, 0, 0, 0x7fff0000)]
    filters = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in code))
    program = struct.pack("HxxxxxxP", len(code), ctypes.addressof(filters))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(38, 1, 0, 0, 0) != 0 or libc.prctl(22, 2, program, 0, 0) != 0:
        os._exit(99)


# Tries to read and write files at the first call of signal(SIGPIPE), as a file that took lode over would.
INTRUDER = r"""
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
void (*__sysv_signal(int number, void (*handler)(int)))(int) { /* what signal() is without _DEFAULT_SOURCE */
    char list[4096];
    snprintf(list, sizeof list, "%s", getenv("TRY"));
    for (char *rest = list, *path; number == SIGPIPE && (path = strsep(&rest, ":"));) {
        int fd = *path == '+' ? open(path + 1, O_WRONLY | O_CREAT, 0600) : open(path, O_RDONLY);
        fprintf(stderr, "%s %d\n", path, fd >= 0);
    }
    return handler ? SIG_DFL : SIG_ERR;
}
"""


def has_landlock():
    libc = ctypes.CDLL(None, use_errno=True)
    return libc.syscall(444, None, ctypes.c_size_t(0), 1) > 0 and os.environ.get("LODE_FILTER") != "off"


class Client:
    """Sends messages and collects answers, by their ids, and everything else."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen([LODE, "mcp", *map(str, arguments)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.last, self.answers, self.others = 0, {}, []
        self.changed = threading.Condition()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            message = json.loads(line)  # each line is JSON
            assert message["jsonrpc"] == "2.0", line
            with self.changed:
                if message.get("id") is not None:
                    self.answers.setdefault(message["id"], []).append(message)
                else:
                    self.others.append(message)
                self.changed.notify_all()

    def raw(self, data):
        self.process.stdin.write(data + b"\n")
        self.process.stdin.flush()

    def send(self, method, params=None, **more):
        self.raw(json.dumps({"jsonrpc": "2.0", "method": method,
                             **({} if params is None else {"params": params}), **more}).encode())

    def wait(self, what, seconds=DEADLINE):
        with self.changed:
            if not self.changed.wait_for(what, seconds):
                raise AssertionError("no answer")
            return what()

    def ask(self, method, params=None, number=None):
        if number is None:
            self.last += 1
            number = self.last
        self.send(method, params, id=number)
        return self.wait(lambda: self.answers.get(number))[-1]

    def call(self, tool, arguments=None, **more):
        answer = self.ask("tools/call", {"name": tool, "arguments": {**(arguments or {}), **more}})
        result = answer["result"]
        text = result["content"][0]["text"]
        if result["isError"]:
            return text
        assert json.loads(text) == result["structuredContent"]
        return result["structuredContent"]

    def error(self):
        """The next message without an id."""
        self.wait(lambda: self.others)
        return self.others.pop(0)["error"]

    def end(self):
        self.process.stdin.close()
        code = self.process.wait(10)
        self.reader.join(10)
        self.process.stdout.close()
        errors = self.process.stderr.read().decode()
        self.process.stderr.close()
        return code, errors


class Case(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="lode-mcp-")
        self.addCleanup(self.temporary.cleanup)
        self.top = Path(self.temporary.name).resolve()
        self.data, self.results = self.top / "data", self.top / "results"
        for folder in (self.data / "more", self.results):
            folder.mkdir(parents=True)
        (self.data / "b.csv").write_text(BASKETS)
        (self.data / "more/g.lg").write_text(GRAPHS)
        (self.top / "secret.csv").write_text("secret,thing\n")
        self.client = None

    def start(self, *arguments):
        self.client = Client(self.data, *arguments)
        self.addCleanup(self.stop)
        return self.client

    def stop(self):
        if self.client.process.poll() is None:
            self.assertEqual(self.client.end(), (0, ""))

    def lives(self):
        self.assertEqual(self.client.ask("ping")["result"], {})


class Protocol(Case):
    def test_initialize(self):
        client = self.start()
        for asked, given in (("2025-06-18", "2025-06-18"), ("2024-11-05", "2024-11-05"),
                             ("2025-11-25", "2025-11-25"), ("1999-01-01", "2025-11-25")):
            result = client.ask("initialize", {"protocolVersion": asked, "capabilities": {},
                                               "clientInfo": {"name": "t", "version": "1"}})["result"]
            self.assertEqual(result["protocolVersion"], given)
        self.assertEqual(result["capabilities"], {"tools": {}})
        self.assertEqual(result["serverInfo"]["name"], "lode")
        self.assertIn(str(self.data), result["instructions"])
        client.send("notifications/initialized")
        self.assertEqual(client.ask("initialize", {})["error"]["code"], -32602)
        self.assertEqual(client.ask("ping", number="a \u20ac")["result"], {})
        self.assertEqual(client.ask("ping", number=-7)["result"], {})

    def test_tools(self):
        client = self.start()
        tools = client.ask("tools/list")["result"]["tools"]
        self.assertEqual([tool["name"] for tool in tools], TOOLS)
        for tool in tools:
            schema = tool["inputSchema"]
            self.assertEqual((schema["type"], schema["additionalProperties"]), ("object", False))
            self.assertLessEqual(set(schema["required"]), set(schema["properties"]))
            self.assertNotIn("save_as", schema["properties"])
            self.assertIs(tool["annotations"]["readOnlyHint"], True)
            for name, property_ in schema["properties"].items():
                self.assertRegex(name, r"^[a-z_]+$")
                self.assertTrue(property_["description"])
                self.assertNotRegex(property_["description"], r"--|@FILE|`", (tool["name"], name))
        self.assertEqual(client.ask("tools/list", {"cursor": "x"})["error"]["code"], -32602)

    def test_errors(self):
        client = self.start()
        for line, code in ((b"{", -32700), (b"nonsense", -32700), (b'"\xff"', -32700),
                           (b'{"a":"\\ud800"}', -32700), (b'{"a":1}x', -32700), (b'{"a":01}', -32700),
                           (b"[" * 100000, -32700), (b'{"a":' * 50 + b"1" + b"}" * 50, -32700),
                           (b'{"a":"\x00"}', -32700), (b'{"a":"\\u0000"}', -32700),
                           (b"[" + b"1," * 20000 + b"1]", -32700), (b"[]", -32600), (b"1", -32600), (b"{}", -32600), (b'[{"jsonrpc":"2.0"}]', -32600),
                           (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', None),
                           (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
                           (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600),
                           (b'{"jsonrpc":"2.0","id":[1],"method":"ping"}', -32600),
                           (b'{"jsonrpc":"2.0","id":"' + b"x" * 300 + b'","method":"ping"}', -32600),
                           (b" " * (1 << 20) + b"  {}", -32600), (b"x" * 3000000, -32600)):
            client.raw(line)
            if code:
                self.assertEqual(client.error()["code"], code, line[:60])
        self.assertEqual(client.wait(lambda: client.answers.get(1))[0]["error"]["code"], -32600)
        client.last = 1
        self.assertEqual(client.ask("tools/none")["error"]["code"], -32601)
        self.assertEqual(client.ask("tools/call", {"name": "none"})["error"]["code"], -32602)
        self.assertEqual(client.ask("tools/call")["error"]["code"], -32602)
        self.assertEqual(client.ask("tools/call", [1])["error"]["code"], -32602)
        self.assertEqual(client.ask("tools/call", {"name": TOOLS[0], "arguments": 1})["error"]["code"], -32602)
        self.assertEqual(client.ask("tools/call", {"name": TOOLS[0], "_meta": {"progressToken": {}}})
                         ["error"]["code"], -32602)
        for line in (b"", b"   ", b'{"jsonrpc":"2.0","method":"notifications/none"}',
                     b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}',
                     b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}',
                     b'{"jsonrpc":"2.0","id":5000,"result":{}}', b'{"jsonrpc":"2.0","id":5000,"error":{}}'):
            client.raw(line)
        self.lives()
        self.assertNotIn(5000, client.answers)

    def test_input_without_end_of_line(self):
        done = subprocess.run([LODE, "mcp", self.data], input=b'{"jsonrpc":"2.0","id":1,"method":"ping"}',
                              capture_output=True, timeout=20, check=True)
        self.assertEqual(json.loads(done.stdout), {"jsonrpc": "2.0", "id": 1, "result": {}})

    def test_document(self):
        """The configuration and the command of docs/mcp.md."""
        blocks = re.findall(r"```(\w+)\n(.*?)```", (ROOT / "docs/mcp.md").read_text(encoding="utf-8"), re.S)
        settings = [json.loads(text) for kind, text in blocks if kind == "json"][0]
        words = settings["mcpServers"]["lode"]["args"]
        self.assertEqual((words[0], words[2]), ("mcp", "--results"))
        client = self.start(*words[2:3], self.results)
        self.lives()
        bin_ = self.top / "bin"
        bin_.mkdir()
        os.symlink(Path(LODE).resolve(), bin_ / "lode")
        command = [text for kind, text in blocks if kind == "sh"][0]
        done = subprocess.run(["sh", "-c", command], cwd=self.data, capture_output=True, timeout=20, check=True,
                              env={**os.environ, "PATH": f"{bin_}:{os.environ['PATH']}"})
        self.assertEqual([tool["name"] for tool in json.loads(done.stdout)["result"]["tools"]],
                         [tool["name"] for tool in client.ask("tools/list")["result"]["tools"]])

    def test_random_lines(self):
        """Valid messages with random damage: each line gets an answer or none, and lode lives."""
        client = self.start()
        chance = random.Random(41)
        seeds = [json.dumps({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {
            "name": tool, "arguments": {"file": "b.csv", "min_support": "1", "rows": 3, "if": ["a"],
                                        "then": ["b"], "result": "x.arrow"}}}).encode() for tool in TOOLS]
        for _ in range(400):
            line = bytearray(chance.choice(seeds))
            for _ in range(chance.randrange(1, 6)):
                at = chance.randrange(len(line))
                line[at:at + chance.randrange(3)] = bytes([chance.choice(b'{}[]",:\\09ae-\xc3 ')])
            client.raw(bytes(line).replace(b"\n", b" "))
        self.lives()


class Tools(Case):
    def test_describe(self):
        client = self.start()
        found = client.call("describe_file", file="b.csv", rows=2)
        self.assertEqual((found["profile"]["transactions"], found["profile"]["items"]), (5, 4))
        self.assertEqual([row["items"] for row in found["preview"]["baskets"]], [["a", "b", "c"], ["a", "b"]])
        self.assertEqual(client.call("describe_file", file="more/g.lg")["profile"]["graphs"], 2)
        (self.data / "b.csv").write_text(BASKETS + "a\n")  # a file that changed is read anew
        self.assertEqual(client.call("describe_file", file=str(self.data / "b.csv"))["profile"]["transactions"], 6)
        (self.data / "t.csv").write_text("who,what\n1,x\n1,y\n2,x\n")
        found = client.call("describe_file", file="t.csv", format="table", header=True, tid="who", item="what")
        self.assertEqual(found["profile"]["transactions"], 2)
        found = client.call("describe_file", file="t.csv", format="table", header=True, drop_rows=["what=y"])
        self.assertEqual(found["profile"]["items"], 1)

    def test_suggest(self):
        points = self.start().call("suggest_threshold", file="b.csv", want=6)["points"]
        self.assertEqual([point["patterns"] for point in points if point["answer"]], [6])
        points = self.start().call("suggest_threshold", file="b.csv", want=3, min_size=2)["points"]
        self.assertEqual([(point["min_count"], point["patterns"]) for point in points
                          if point["answer"]], [(2, 3)])

    def test_itemsets(self):
        client = self.start()
        found = client.call("mine_itemsets", file="b.csv", min_support="40%", rows=2)
        self.assertEqual((found["ended"], found["patterns"], found["largest"]), ("complete", 6, 2))
        self.assertEqual(found["rows"], [{"items": ["a"], "count": 4, "support": 0.8},
                                         {"items": ["b"], "count": 3, "support": 0.6}])
        self.assertEqual(client.call("mine_itemsets", file="b.csv", min_support=1, include=["d"],
                                     min_size=2, exclude=None)["rows"][0]["items"], ["a", "d"])
        self.assertEqual(client.call("mine_itemsets", file="b.csv", target="top:1")["patterns"], 1)
        found = client.call("mine_itemsets", file="b.csv", min_support=1, min_size=2, min=["lift=1.2"])
        self.assertEqual([row["items"] for row in found["rows"]], [["a", "d"]])
        found = client.call("mine_itemsets", file="b.csv", min_support=1, min_size=2, sort_by="lift", rows=2,
                            measure=["lift", "leverage"])
        self.assertEqual([row["items"] for row in found["rows"]], [["a", "d"], ["b", "c"]])
        self.assertAlmostEqual(found["rows"][0]["lift"], 1.25)
        self.assertIn("leverage", found["rows"][0])
        self.assertIn("phi", client.call("mine_itemsets", file="b.csv", min_support=1, sort_by="phi"))
        self.assertIn("min_support", client.call("mine_itemsets", file="b.csv"))
        self.assertIn("no itemsets", client.call("mine_itemsets", file="more/g.lg", min_support=1))
        self.assertEqual(client.call("mine_itemsets", file="b.csv", min_support=1, limit_patterns=2)["ended"],
                         "limit")

    def test_rules(self):
        client = self.start()
        found = client.call("mine_rules", file="b.csv", min_support="1", min_confidence="60%", rows=50)
        self.assertEqual(found["patterns"], len(found["rows"]))
        confidences = [row["confidence"] for row in found["rows"]]
        self.assertEqual(confidences, sorted(confidences, reverse=True))
        self.assertGreaterEqual(min(confidences), 0.6)
        best = client.call("mine_rules", file="b.csv", min_support=1, sort_by="lift", rows=1,
                           measure=["+conviction"])["rows"]
        self.assertEqual(max(row["lift"] for row in found["rows"]), best[0]["lift"])
        self.assertIn("conviction", best[0])
        self.assertEqual(client.call("mine_rules", file="b.csv", min_support=2, sort_by="lift",
                                     top=2)["patterns"], 2)
        self.assertIn("requires the argument min_support", client.call("mine_rules", file="b.csv"))

    def test_graphs(self):
        found = self.start().call("mine_graphs", file="more/g.lg", min_support="100%")
        self.assertEqual((found["patterns"], found["rows"][0]["count"]), (1, 2))

    def test_results(self):
        client = self.start("--results", self.results)
        listed = {tool["name"]: tool for tool in client.ask("tools/list")["result"]["tools"]}
        self.assertIn("save_as", listed["mine_rules"]["inputSchema"]["properties"])
        self.assertIs(listed["mine_rules"]["annotations"]["readOnlyHint"], False)
        stored = client.call("mine_rules", file="b.csv", min_support=1, save_as="r.arrow", rows=3)
        self.assertEqual((stored["result"], stored["found"], len(stored["rows"])), ("r.arrow", stored["patterns"], 3))
        self.assertEqual(os.listdir(self.results), ["r.arrow"])
        page = client.call("query_result", result="r.arrow", sort_by="lift", rows=2, page=2, include=["a"])
        every = client.call("query_result", result=str(self.results / "r.arrow"), sort_by="lift", include=["a"],
                            rows=1000)
        self.assertEqual(page["rows"], every["rows"][2:4])
        self.assertEqual(len(every["rows"]), every["found"])
        self.assertEqual(client.call("query_result", result="r.arrow", page=2**63)["rows"], [])
        row = every["rows"][0]
        told = client.call("explain_rule", result="r.arrow", row=row["row"], measures=["lift", "cosine"])
        self.assertEqual([m["name"] for m in told["measures"]], ["lift", "cosine"])
        self.assertAlmostEqual(told["measures"][0]["value"], row["lift"])
        again = client.call("explain_rule", {"file": "b.csv", "if": row["body"], "then": row["head"]})
        self.assertEqual((told["sentence"], told["counts"]), (again["sentence"], again["counts"]))
        client.call("mine_rules", file="b.csv", min_support=1, holdout="40%", save_as="h.arrow")
        self.assertIn(" of all searched transactions, ", client.call("explain_rule", result="h.arrow", row=0)["sentence"])
        os.remove(self.results / "h.arrow")
        for name in ("r.arrow", "../x.arrow", "x", ".x.arrow", "more/x.arrow", "/x.arrow", "", "x\n.arrow",
                     "x" * 250 + ".arrow"):
            self.assertIsInstance(client.call("mine_rules", file="b.csv", min_support=1, save_as=name), str)
        self.assertEqual(os.listdir(self.results), ["r.arrow"])
        for kind, name in (("itemsets", "b.csv"), ("graphs", "more/g.lg")):
            sort = {"sort_by": "lift"} if kind == "itemsets" else {}
            stored = client.call("mine_" + kind, file=name, min_support=1, save_as=kind + ".arrow", rows=1, **sort)
            self.assertEqual((stored["kind"], len(stored["rows"])), (kind, 1))
            self.assertIn(" of ", client.call("explain_rule", result=kind + ".arrow", row=0)["sentence"])
        self.assertIn("row", client.call("explain_rule", result="r.arrow", row=10**6))
        self.assertIn("r.arrow", client.call("query_result", result="r.arrow", sort_by="none") + "r.arrow")

    def test_explain(self):
        client = self.start()
        told = client.call("explain_rule", {"file": "b.csv", "if": ["b", "c", "b"], "then": ["a"]})
        self.assertEqual(told["counts"], {"both": 1, "body": 2, "head": 4, "total": 5})
        self.assertTrue(told["sentence"].startswith("Of 2 transactions with b and c, 1 (50%)"))
        self.assertEqual(client.call("explain_rule", file="b.csv", then=["a"])["counts"]["body"], 5)
        for more in ({}, {"file": "b.csv"}, {"result": "r.arrow"}, {"file": "b.csv", "result": "r", "row": 1},
                     {"file": "b.csv", "then": ["none"]}, {"file": "more/g.lg", "then": ["a"]},
                     {"file": "b.csv", "then": ["a"], "measures": ["heldOutLift"]}):
            self.assertIsInstance(client.call("explain_rule", more), str, more)


class Hostile(Case):
    def test_names(self):
        """No name leads out of the folder, and none makes lode wait."""
        client = self.start()
        os.symlink("../secret.csv", self.data / "link.csv")
        os.symlink("/dev/zero", self.data / "zero")
        os.symlink(str(self.top), self.data / "up")
        os.symlink("loop", self.data / "loop")
        os.symlink("b.csv", self.data / "fine.csv")
        os.symlink("/proc/self/fd/0", self.data / "stdin")
        os.mkfifo(self.data / "fifo")
        listening = socket.socket(socket.AF_UNIX)
        self.addCleanup(listening.close)
        listening.bind(str(self.data / "socket"))
        outside = ["../secret.csv", "more/../../secret.csv", str(self.top / "secret.csv"), "/etc/passwd", "link.csv",
                   "up/secret.csv", str(self.data) + "/../secret.csv", "zero", "stdin", "loop", "//etc/passwd",
                   str(self.data) + "x/b.csv", "/proc/self/environ"]
        for name in outside:
            found = client.call("describe_file", file=name)
            self.assertIsInstance(found, str, name)
            self.assertIn("leads out of the folders", found, name)
            self.assertIn("leads out of the folders", client.call("query_result", result=name), name)
        for name in ("none.csv", "", ".", "..", "more", "fifo", "socket", "x" * 5000, "b.csv/", "b.csv/x", "\u20ac", "-",
                     str(self.data), "a\tb"):
            self.assertIsInstance(client.call("describe_file", file=name), str, name)
        for name in ("fine.csv", "more/../b.csv", "./b.csv", str(self.data / "fine.csv"), str(self.data) + "//b.csv"):
            self.assertEqual(client.call("describe_file", file=name)["profile"]["transactions"], 5, name)

    def test_arguments(self):
        client = self.start()
        secret = str(self.top / "secret.csv")
        for tool, more in (("mine_itemsets", {"min_support": "1e999"}), ("mine_itemsets", {"min_support": -1}),
                           ("mine_itemsets", {"min_support": 10**400}), ("mine_itemsets", {"min_support": {"a": 1}}),
                           ("mine_itemsets", {"min_support": ["1", "2"]}), ("mine_itemsets", {"min_support": 1, "rows": 0}),
                           ("mine_itemsets", {"min_support": 1, "rows": 10**30}), ("mine_itemsets", {"min_support": 1, "x": 1}),
                           ("mine_itemsets", {"min_support": 1, "include": ["@" + secret]}),
                           ("mine_itemsets", {"min_support": 1, "include": [["a"]]}),
                           ("mine_itemsets", {"min_support": 1, "max_size": 2**70}),
                           ("mine_itemsets", {"min_support": 1, "save_as": "x.arrow"}),
                           ("mine_itemsets", {"min_support": 1, "memory": "1T"}),
                           ("mine_rules", {"min_support": 1, "holdout": secret}),
                           ("mine_rules", {"min_support": 1, "min": ["none=1"]}),
                           ("describe_file", {"rows": 10**9}), ("describe_file", {"format": "none"}),
                           ("describe_file", {"path": secret}), ("describe_file", {"drop_rows": ["<"]}),
                           ("suggest_threshold", {"want": -3}), ("mine_graphs", {"min_support": 1})):
            found = client.call(tool, file="b.csv", **more)
            self.assertIsInstance(found, str, (tool, more))
            self.assertNotIn("secret,thing", found)
        self.assertEqual(sorted(os.listdir(self.data)), ["b.csv", "more"])
        self.assertEqual(client.call("describe_file", file="b.csv")["profile"]["transactions"], 5)

    def test_damaged_result(self):
        client = self.start("--results", self.results)
        client.call("mine_rules", file="b.csv", min_support=1, save_as="r.arrow")
        whole = (self.results / "r.arrow").read_bytes()
        chance = random.Random(7)
        for i in range(60):
            bytes_ = bytearray(whole[:chance.randrange(len(whole))] if i % 3 == 0 else whole)
            for _ in range(chance.randrange(1, 9)):
                if bytes_:
                    bytes_[chance.randrange(len(bytes_))] ^= 1 << chance.randrange(8)
            (self.data / "d.arrow").write_bytes(bytes_)
            client.call("query_result", result="d.arrow", sort_by="lift")
        self.lives()

    def test_regular_expression(self):
        client = self.start("--results", self.results)
        client.call("mine_rules", file="b.csv", min_support=1, save_as="r.arrow")
        self.assertIsInstance(client.call("query_result", result="r.arrow", match=["(" * 200]), str)
        client.call("query_result", result="r.arrow", match=["((((a{1,99}){1,99}){1,99}){1,99})*$"])
        self.lives()

    def test_start(self):
        for arguments, words in (((), "no file"), ((self.top / "none",), "cannot open the folder"),
                                 ((self.data / "b.csv",), "cannot open the folder"),
                                 ((self.data, "--results", self.top / "none"), "cannot open the folder"),
                                 ((self.data, "--memory", "much"), "memory")):
            done = subprocess.run([LODE, "mcp", *map(str, arguments)], input=b"", capture_output=True, timeout=20,
                                  check=False)
            self.assertIn(done.returncode, (2, 3))
            self.assertIn(words, done.stderr.decode())

    def test_what_the_kernel_refuses(self):
        if not has_landlock() or "sanitizers" in subprocess.check_output([LODE, "--version"], text=True):
            self.skipTest("no Landlock here, or a sanitizer")
        source, library = self.top / "intruder.c", self.top / "intruder.so"
        source.write_text(INTRUDER)
        try:
            subprocess.run([os.environ.get("CC", "cc"), "-D_GNU_SOURCE", "-shared", "-fPIC", "-o", library, source],
                           check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            self.skipTest("there is no compiler")
        expected = {f"{self.data}/b.csv": 1, f"{self.top}/secret.csv": 0, f"+{self.data}/b.csv": 0, f"+{self.data}/new": 0,
                    f"+{self.results}/new": 1, f"+{self.top}/new": 0, "/etc/passwd": 1}
        environment = {**os.environ, "LD_PRELOAD": str(library), "TRY": ":".join(expected)}
        done = subprocess.run([LODE, "mcp", self.data, "--results", self.results], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, env=environment, timeout=20)
        self.assertEqual(done.stderr, "".join(f"{path} {fd}\n" for path, fd in expected.items()))
        done = subprocess.run([LODE, "mcp", self.data], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              env={**environment, "TRY": f"+{self.results}/other"}, timeout=20)
        self.assertEqual(done.stderr, f"+{self.results}/other 0\n")

    def test_kernel_without_openat2(self):
        done = subprocess.run([LODE, "mcp", str(self.data)], input=b"", capture_output=True, timeout=20, check=False,
                              preexec_fn=without_openat2)
        self.assertEqual((done.returncode, done.stdout), (3, b""))
        self.assertIn("lode mcp needs the system call openat2 (Linux 5.6 or newer", done.stderr.decode())


class Running(Case):
    def setUp(self):
        super().setUp()
        chance = random.Random(3)
        self.slow = self.data / "slow.dat"  # 2^60 itemsets
        self.slow.write_text("".join(" ".join(str(i) for i in range(60) if chance.random() < 0.95) + "\n"
                                     for _ in range(3000)))

    def begin(self, number, **more):
        self.client.send("tools/call", {"name": "mine_itemsets", "arguments": {"file": "slow.dat", "min_support": 1},
                                        **more}, id=number)

    def test_cancel(self):
        """A cancelled search ends, so the call after it is answered; it gets no answer itself."""
        client = self.start("--threads", "1")
        for number in ("long", "waits"):
            self.begin(number)
        time.sleep(1)
        self.lives()  # during a search
        again = client.ask("ping", number="long")
        self.assertEqual(again["error"]["code"], -32600)  # an id twice
        client.answers.clear()
        client.send("notifications/cancelled", {"requestId": "waits", "reason": "enough"})
        client.send("notifications/cancelled", {"requestId": "long"})
        before = time.monotonic()
        self.assertEqual(client.call("describe_file", file="b.csv")["profile"]["transactions"], 5)
        self.assertLess(time.monotonic() - before, 10)
        self.assertNotIn("long", client.answers)
        self.assertNotIn("waits", client.answers)
        self.assertEqual(client.ask("ping", number="long")["result"], {})  # free again

    def test_many_calls(self):
        client = self.start("--threads", "1")
        for number in range(1, 121):
            self.begin(number)
        for number in range(101, 121):
            answer = client.wait(lambda n=number: client.answers.get(n))[0]
            self.assertIn("too many calls", answer["result"]["content"][0]["text"])
        for number in range(1, 101):
            client.send("notifications/cancelled", {"requestId": number})
        client.last = 1000
        self.assertEqual(client.call("describe_file", file="b.csv")["profile"]["items"], 4)
        self.assertEqual(set(client.answers), {*range(101, 121), 1001})

    def test_end_of_input(self):
        client = self.start()
        self.begin(1)
        time.sleep(0.5)
        before = time.monotonic()
        self.assertEqual(client.end(), (0, ""))
        self.assertLess(time.monotonic() - before, 5)

    def test_signal_leaves_no_file(self):
        client = self.start("--results", self.results)
        client.send("tools/call", {"name": "mine_itemsets",
                                   "arguments": {"file": "slow.dat", "min_support": 1, "save_as": "s.arrow"}}, id=1)
        deadline = time.monotonic() + 20
        while not os.listdir(self.results) and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertTrue(os.listdir(self.results))
        client.process.send_signal(signal.SIGTERM)
        self.assertEqual(client.end()[0], -signal.SIGTERM)
        self.assertEqual(os.listdir(self.results), [])

    def test_progress(self):
        client = self.start("--threads", "1")
        self.begin(1, _meta={"progressToken": "t"}, )
        client.wait(lambda: len(client.others) >= 2, 60)
        client.send("notifications/cancelled", {"requestId": 1})
        self.assertEqual(client.ask("ping", number=2)["result"], {})
        told = [message["params"] for message in list(client.others)]
        self.assertEqual({one["progressToken"] for one in told}, {"t"})
        self.assertEqual({one["total"] for one in told}, {1})
        shares = [one["progress"] for one in told]
        self.assertEqual(shares, sorted(set(shares)))
        self.assertRegex(told[0]["message"], "^[0-9]+ patterns")

    def test_budget(self):
        client = self.start("--memory", "64M")
        big = self.data / "big.dat"
        with open(big, "w", encoding="ascii") as out:
            for i in range(400000):
                out.write(" ".join(str((i * 7919 + k * 104729) % 1000003) for k in range(20)) + "\n")
        found = client.call("mine_itemsets", file="big.dat", min_support=1)
        self.assertIsInstance(found, str)
        self.assertIn("memory", found)
        self.lives()


if __name__ == "__main__":
    trial = subprocess.run([LODE, "mcp", "."], input=b"", capture_output=True, timeout=20, check=False)
    if b"openat2" in trial.stderr:
        print("skip: lode mcp needs openat2, which this kernel or container lacks")
        sys.exit(77)
    unittest.main()
