#!/usr/bin/env python3
"""Data sets by HTTP: uploads in slices, what is read of them, examples, limits, deletion.

With LODE_LONG=1, also an upload of 500 MB with little memory.

SPDX-License-Identifier: Apache-2.0
"""
import gzip
import hashlib
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from random import Random

from serving import API, PATIENCE, ROOT, SANITIZED, Server, within

BASKETS = b"milk,bread\nmilk,beer\nbread,butter\nmilk,bread,butter\n"
NAMES = ["<script>alert(1)</script>.csv", "../../etc/passwd", "/etc/shadow", 'a"b\'c.csv', "\U0001f95b\u202e.csv",
         "\u0639\u0631\u0628\u064a.csv", "x" * 10000, "-rf", ".", "a\nb\tc", "%2e%2e%2f", "'; DROP TABLE datasets; --"]


def announce(server, size, name="data.csv"):
    made = server.post("datasets", {"name": name, "bytes": size})
    assert made.status == 201, made
    return made.json["id"]


def put(server, number, offset, content):
    return server.put(f"datasets/{number}/content?offset={offset}", content)


def files(server):
    return sorted(path.name for path in (server.data / "datasets").iterdir())


def test_slices(server):
    content = BASKETS * 1000
    number = announce(server, len(content))
    assert server.get(f"datasets/{number}").json["state"] == "uploading"
    early = server.get(f"datasets/{number}/preview")
    assert early.status == 409 and "not arrived" in early.message, early
    half = len(content) // 2
    first = put(server, number, 0, content[:half])
    assert first.json == {"received": half, "state": "uploading"}, first
    for wrong in (0, half - 1, half + 1, 10**15):
        refused = put(server, number, wrong, content[half:])
        assert refused.status == 409 and refused.json["received"] == half, refused
    assert put(server, number, half, content).status == 413
    last = put(server, number, half, content[half:])
    assert last.json == {"received": len(content), "state": "ready"}, last
    assert put(server, number, len(content), b"x").status == 409
    kept = (server.data / "datasets" / f"{number}.data").read_bytes()
    assert kept == content
    assert server.get(f"datasets/{number}/profile").json["transactions"] == 4000
    assert server.get(f"datasets/{number}").json["kind"] == "baskets"


def test_malformed(server):
    number = announce(server, 100)
    path = f"datasets/{number}/content"
    for query, code in (("", 400), ("?offset=-1", 400), ("?offset=x", 400), ("?offset=1e3", 400),
                        ("?offset=18446744073709551616", 400)):
        assert server.put(path + query, b"x").status == code, query
    assert server.put(path + "?offset=0", b"").status in (400, 411)
    wrong = server.request("PUT", path + "?offset=0", b"x", {"Content-Type": "text/plain"})
    assert wrong.status == 415, wrong
    assert server.put("datasets/999999/content?offset=0", b"x").status == 404
    try:
        assert put(server, number, 0, b"x" * (8 << 20 | 1)).status == 413
    except ConnectionError:
        pass  # it need not listen to the end of what it will not take
    for body in ({}, {"name": "a"}, {"bytes": 3}, {"name": "", "bytes": 3}, {"name": "a", "bytes": -1},
                 {"name": "a", "bytes": 1.5}, {"name": "a", "bytes": "3"}, {"name": 7, "bytes": 3},
                 {"example": "nothing"}, {"example": 3}, {"example": "groceries", "name": "a"},
                 {"name": "a", "bytes": 3, "path": "/etc/passwd"}):
        refused = server.post("datasets", body)
        assert refused.status == 422 and refused.message, (body, refused)
    server.delete(f"datasets/{number}")


def test_interrupted(server):
    """A client that goes away in the middle of a slice has sent nothing; it goes on where it was."""
    number = announce(server, len(BASKETS) * 2)
    assert put(server, number, 0, BASKETS).status == 200
    head = (f"PUT {API}/datasets/{number}/content?offset={len(BASKETS)} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            f"Content-Type: application/octet-stream\r\nContent-Length: {len(BASKETS)}\r\n\r\n")
    with server.socket() as plain:
        plain.sendall(head.encode() + BASKETS[:10])
        plain.shutdown(socket.SHUT_WR)
    server.kill()
    server.restart()
    assert server.get(f"datasets/{number}").json["received"] == len(BASKETS)
    assert put(server, number, len(BASKETS), BASKETS).json["state"] == "ready"
    assert server.get(f"datasets/{number}/profile").json["transactions"] == 8


def test_two_clients(server):
    """Both send the same file: each slice counts once, and who is late is told where to go on."""
    content = os.urandom(1 << 20).hex().encode()
    number, size = announce(server, len(content)), 65536
    outcomes = []

    def send():
        at = 0
        while at < len(content):
            sent = put(server, number, at, content[at:at + size])
            outcomes.append(sent.status)
            assert sent.status in (200, 409), sent
            if sent.json["received"] == at:
                time.sleep(0.002)  # the other one is writing this slice
            at = sent.json["received"]

    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(send), pool.submit(send)]:
            done.result()
    assert outcomes.count(200) == len(content) // size, outcomes
    assert (server.data / "datasets" / f"{number}.data").read_bytes() == content
    server.delete(f"datasets/{number}")


def test_names(server):
    before = files(server)
    numbers = []
    for name in NAMES:
        numbers.append(announce(server, len(BASKETS), name))
        shown = server.get(f"datasets/{numbers[-1]}").json["name"]
        assert len(shown.encode()) <= 1024 and "\n" not in shown and shown[:3] == name[:3].replace("\n", " "), shown
        assert put(server, numbers[-1], 0, BASKETS).status == 200
    assert set(files(server)) - set(before) == {f"{number}.data" for number in numbers}
    renamed = server.patch(f"datasets/{numbers[0]}", {"name": NAMES[-1]})
    assert renamed.json["name"] == NAMES[-1]
    assert len(server.get("datasets").json["datasets"]) >= len(NAMES)
    for number in numbers:
        assert server.delete(f"datasets/{number}").status == 204
    assert files(server) == before


def zstd(content):
    program = shutil.which("zstd")
    return subprocess.run([program, "-c"], input=content, capture_output=True, check=True).stdout if program else None


def test_kinds_of_file(server):
    forms = {"gzip": gzip.compress(BASKETS), "zstd": zstd(BASKETS), "plain": BASKETS,
             "UTF-16": BASKETS.decode().encode("utf-16"), "big end": b"\xfe\xff" + BASKETS.decode().encode("utf-16-be")}
    for form, content in forms.items():
        if content is None:
            print("skip: there is no zstd to pack with")
            continue
        number = server.upload(content, f"{form}.csv")
        preview = server.get(f"datasets/{number}/preview", {"rows": 3}).json
        assert preview["lines"] == ["milk,bread", "milk,beer", "bread,butter"], (form, preview)
        assert sorted(preview["baskets"][0]["items"]) == ["bread", "milk"], (form, preview)
        assert server.get(f"datasets/{number}/profile").json["items"] == 4, form
    empty = server.post("datasets", {"name": "empty.csv", "bytes": 0})
    assert empty.status == 422 and "empty" in empty.message, empty
    bomb = server.upload(gzip.compress(b"a," * (1 << 20)), "bomb.gz")
    lines = server.get(f"datasets/{bomb}/preview").json["lines"]
    assert [len(line) for line in lines] == [400], lines
    server.delete(f"datasets/{bomb}")


def test_workbook(server):
    """The worker loads the libraries for it in its sandbox."""
    number = server.upload((ROOT / "tests/corpus/orders.xlsx").read_bytes(), "orders.xlsx")
    preview = server.get(f"datasets/{number}/preview").json
    if "libzip" in preview.get("error", {}).get("message", ""):
        print("skip: the server reads no .xlsx")
        return
    assert preview["recognised"]["sheet"] == "Orders" and preview["lines"] == [], preview
    assert server.get(f"datasets/{number}/profile").json["transactions"] == 3
    assert server.get(f"datasets/{number}/columns").json["rows"] == 5
    server.patch(f"datasets/{number}", {"read": {"sheet": "@other"}})
    wrong = server.get(f"datasets/{number}/preview").json["error"]["message"]
    assert "no sheet '@other'" in wrong and "'Orders'" in wrong, wrong


def test_unreadable(server):
    number = server.upload(b"PK\x03\x04" + os.urandom(3000), "book.xlsx")
    preview = server.get(f"datasets/{number}/preview")
    assert preview.status == 200 and preview.json["error"]["message"] and preview.json["lines"], preview
    assert server.get(f"datasets/{number}/profile").status in (400, 422)
    table = server.upload(b"1;milk\n1;bread\n2;milk\n", "table.csv")
    read = server.patch(f"datasets/{table}", {"read": {"format": "table", "separator": ";", "tid": "1", "item": "2"}})
    assert read.status == 200 and read.json["read"]["separator"] == ";", read
    profile = server.get(f"datasets/{table}/profile").json
    assert profile["transactions"] == 2 and profile["items"] == 2, profile
    assert server.get(f"datasets/{table}").json["profile"] == profile
    other = server.patch(f"datasets/{table}", {"read": {"format": "basket", "separator": ";"}})
    assert other.json["profile"] is None
    assert server.get(f"datasets/{table}/profile").json["transactions"] == 3
    wide = server.upload("é\u4e2d😀".encode() * 500 + b"\xff\xfe\n\x00x\n", "wide.txt")
    lines = server.get(f"datasets/{wide}/preview").json["lines"]
    assert len(lines[0]) == 400 and lines[0].startswith("é\u4e2d😀") and lines[1] == "\0x", lines


def test_options(server):
    """No option from outside opens a file, whatever its name; wrong ones are told at once."""
    number = server.upload(BASKETS)
    secret = server.data / "secret.txt"
    secret.write_text("milk\n")
    marked = [(option["name"], option["group"]) for option in server.get("options").json["options"]
              if "FILE" in (option["argument"] or "") + option["help"]]
    assert {"map", "drop", "include", "holdout"} <= {name for name, _ in marked}, marked
    for clean in ({"drop": f"@{secret}"}, {"drop": ["beer", f"@{secret}"]}, {"drop": f"beer\n@{secret}"},
                  {"map": str(secret)}, {"drop": f"beer,@{secret}"}):
        for answer in (server.patch(f"datasets/{number}", {"clean": clean}),
                       server.post(f"datasets/{number}/clean", {"clean": clean})):
            assert answer.status == 422 and "not open files by name" in answer.message, (clean, answer)
    for change in ({"read": {"format": "nothing"}}, {"read": {"colour": "red"}}, {"clean": {"min-basket": "x"}},
                   {"read": {"format": ["table", "basket"]}}, {"read": {"format": 7}}, {"read": []},
                   {"read": {"fold-case": "true"}}, {"clean": {"format": "table"}}, {"colour": "red"},
                   {"clean": {"drop": ["x" * 300000]}}, {"read": {str(i): "x" for i in range(65)}}):
        answer = server.patch(f"datasets/{number}", change)
        assert answer.status == 422 and answer.message, (change, answer)
    assert server.get(f"datasets/{number}").json["clean"] == {}
    for name, group in marked:
        if group in ("constraint", "rule"):
            kind = "rules" if group == "rule" else "itemsets"
            value = f"0-1:@{secret}" if name == "group" else str(secret) if name == "holdout" else f"@{secret}"
            answer = server.post("jobs", {"dataset": number, "kind": kind, "options": {"min-support": "1", name: value}})
            assert answer.status == 422 and "not open files by name" in answer.message, (name, answer)
    found = server.get(f"datasets/{number}/baskets", {"with": f"@{secret}"})
    assert found.status == 422 and "no item" in found.message and "\\" not in found.message, found
    at = server.upload(b"milk,@home\na @b,@home\nmilk\n")
    assert server.get(f"datasets/{at}/baskets", {"with": "@home"}).json["count"] == 2
    assert server.get(f"datasets/{at}/baskets", {"with": "a @b"}).json["count"] == 1


def test_answers(server):
    number = server.upload(BASKETS)
    found = server.get(f"datasets/{number}/baskets", {"with": ["milk", "bread"], "limit": 1}).json
    assert found["count"] == 2 and len(found["baskets"]) == 1 and found["baskets"][0]["number"] == 1, found
    assert server.get(f"datasets/{number}/baskets", {"with": ["beer", "butter"], "any": 1}).json["count"] == 3
    assert server.get(f"datasets/{number}/baskets", {"without": "milk"}).json["count"] == 1
    pairs = server.get(f"datasets/{number}/pairs", {"items": 2}).json
    assert pairs["total"] == 4 and pairs["counts"] == [[3, 2], [2, 3]], pairs
    for query in ("pairs?items=0", "pairs?items=61", "baskets?limit=0", "baskets?any=2", "preview?rows=x"):
        assert server.get(f"datasets/{number}/{query}").status == 400, query
    cleaned = server.post(f"datasets/{number}/clean", {"clean": {"drop": ["beer"], "min-basket": "2"}}).json
    assert cleaned["before"]["items"] == 4 and cleaned["after"]["items"] == 3, cleaned
    mapped = server.post(f"datasets/{number}/clean", {"clean": {"map-text": "beer,drink\nmilk,drink\n"}}).json
    assert mapped["after"]["items"] == 3, mapped
    patched = server.patch(f"datasets/{number}", {"clean": {"map-text": "beer,drink\nmilk,drink\n"}})
    assert patched.status == 200, patched
    assert server.get(f"datasets/{number}/profile").json["items"] == 3
    suggested = server.post(f"datasets/{number}/suggest", {"want": 3, "targets": ["all", "rules"]}).json
    assert any(point["answer"] for point in suggested["points"]), suggested
    for body in ({"want": 0}, {"want": "3"}, {"targets": ["some"]}, {"targets": []}, {"limit-time": 2}, {"x": "1"}):
        assert server.post(f"datasets/{number}/suggest", body).status == 422, body
    assert server.get(f"datasets/{number}/graphs/0").status in (409, 422)


def orders():
    """A raw export: cancelled orders, returns, free goods, empty names, dates, several spellings."""
    random = Random(11)
    lines = ["InvoiceNo,Description,Quantity,InvoiceDate,UnitPrice,Country"]
    for n in range(400):
        cancelled = random.random() < 0.1
        day = f"20{10 + n // 200}-{1 + n % 12:02}-{1 + n % 28:02} 8:{n % 60:02}"
        land = random.choice(["United Kingdom", "France", "EIRE"])
        for _ in range(random.randrange(1, 8)):
            name = random.choice(["milk", "MILK", "bread", "tea, red", "POSTAGE", "jam", "eggs", ""])
            lines.append(f'{"C" if cancelled else ""}{1000 + n},"{name}",{-1 if cancelled else random.randrange(-1, 9)},'
                         f'{day},{random.choice(["0", "1.5", "2.25"])},{land}')
    return ("\n".join(lines) + "\n").encode()


def test_rows_left_out(server):
    """What the preview of rows and cleaning together shows as "after" is what a job mines."""
    text = orders()
    rows = [line.split(",") for line in text.decode().replace("tea, red", "tea").splitlines()[1:]]
    number = server.upload(text, name="orders.csv")
    table = server.get(f"datasets/{number}/columns").json
    assert table["rows"] == len(rows) and (table["tid"], table["item"]) == (0, 1) and table["header"], table
    columns = {column["name"]: column for column in table["columns"]}
    cancelled = [row for row in rows if row[0].startswith("C")]
    assert columns["InvoiceNo"]["starts"] == [{"letter": "C", "rows": len(cancelled),
                                               "values": len({row[0] for row in cancelled})}]
    assert columns["Quantity"]["negative"] == sum(int(row[2]) < 0 for row in rows)
    assert columns["Description"]["empty"] == sum(row[1] == '""' for row in rows)
    assert columns["InvoiceDate"]["dates"] == len(rows) and columns["InvoiceDate"]["first"] == "2010-01-01"
    assert columns["Country"]["values"][0]["count"] == max(
        sum(row[5] == name for row in rows) for name in ("United Kingdom", "France", "EIRE"))
    choices = (["InvoiceNo=C*"], ["InvoiceNo=C*", "Quantity<=0", "Description="],
               ["Quantity<0", "UnitPrice<=0", "InvoiceDate<2010-03-01", "InvoiceDate>=2011-08-01", "Country!=France"])
    cleanings = ({}, {"fold-case": "true", "drop": ["postage"]},
                 {"map-text": "tea*,tea\nMILK,milk\n", "min-item-support": "3%", "min-basket": "2"},
                 {"fold-case": "true", "unique-baskets": "true", "max-basket": "4"})
    whole = server.get(f"datasets/{number}/profile").json
    for i, conditions in enumerate(choices):
        for k, clean in enumerate(cleanings):
            if (i + k) % 2 and i:
                continue
            read = {"format": "table", "drop-rows": conditions}
            shown = server.post(f"datasets/{number}/clean", {"clean": clean, "read": read}).json
            assert server.get(f"datasets/{number}").json["read"] == {}, "a preview changes nothing"
            job = server.post("jobs", {"dataset": number, "kind": "itemsets", "options": {"min-support": "1"},
                                       "read": read, "clean": clean}).json["id"]
            done = server.await_job(job)
            mined = server.get(f"jobs/{job}/profile").json
            for name in ("transactions", "items", "occurrences", "empty", "longest", "weight", "lengths", "top"):
                assert shown["after"][name] == mined[name], (conditions, clean, name, shown["after"], mined)
            assert done["state"] == "done" and done["total"] == shown["after"]["transactions"], done
            assert shown["after"]["transactions"] < whole["transactions"], shown
    for body in ({"clean": {}, "read": {"drop-rows": ["x"]}}, {"clean": {}, "read": {"map": "x"}}, {"read": {}},
                 {"clean": {}, "read": {}, "x": {}}):
        refused = server.post(f"datasets/{number}/clean", body)
        assert refused.status == 422 and refused.message, (body, refused)
    unknown = server.post(f"datasets/{number}/clean", {"clean": {}, "read": {"drop-rows": ["Colour=red"]}})
    assert unknown.status == 422 and "Colour" in unknown.message, unknown
    assert server.get(f"datasets/{server.upload(BASKETS)}/columns").json == {"rows": 0, "columns": []}


EXAMPLES = {"groceries": "a910a917c3d8b58c734661ee0d0fd6885bebf50f66500c1f72c3748fbb6109b0",
            "t40i10": "a6c0864aa0f06f5de7b0992f25e7543270f564896a5612da84671d09d05b999b",
            "molecules": "4b881633111da9fb3a1b504f5e1493e8018f8dd09ed703511b3df2a42b37d889"}


def test_examples(server):
    """They are the same bytes on every machine."""
    listed = {one["name"]: one["kind"] for one in server.get("about").json["examples"]}
    assert set(listed) == set(EXAMPLES)
    for name, digest in EXAMPLES.items():
        made = server.post("datasets", {"example": name}).json
        kept = (server.data / "datasets" / f"{made['id']}.data").read_bytes()
        assert made["state"] == "ready" and made["kind"] == listed[name] and made["bytes"] == len(kept), made
        assert hashlib.sha256(kept).hexdigest() == digest, name
    graph = server.get(f"datasets/{made['id']}/graphs/5").json
    assert set(graph["vertices"]) <= {"C", "N", "O", "S", "F", "Cl", "Br", "I"} and graph["edges"], graph
    assert server.get(f"datasets/{made['id']}/graphs/600").status in (404, 422)
    assert server.patch(f"datasets/{made['id']}", {"clean": {"fold-case": "true"}}).status == 422
    assert server.patch(f"datasets/{made['id']}", {"read": {"directed": "true"}}).status == 200
    assert server.get(f"datasets/{made['id']}/profile").json["directed"] is True


def test_views(server):
    made = server.post("views", {"text": "#/job/3?tab=scatter&min=lift=1.5"})
    assert made.status == 201
    assert server.get(f"views/{made.json['id']}").json == {"text": "#/job/3?tab=scatter&min=lift=1.5"}
    assert server.get("views/999").status == 404
    for text in ("http://example.org/", "javascript:alert(1)", "", 7):
        assert server.post("views", {"text": text}).status == 422, text
    assert server.post("views", {"text": "#/" + "x" * 20000}).status == 413


def test_deletion(server):
    """Jobs and results go with their data set, also those that run."""
    number = server.post("datasets", {"example": "t40i10"}).json["id"]
    done = server.mine(number, min_support="20%")
    assert done["state"] == "done" and (server.data / "results" / f"{done['id']}.arrow").exists(), done
    running = server.post("jobs", {"dataset": number, "kind": "itemsets", "options": {"min-support": "20"}}).json["id"]
    within(PATIENCE, lambda: server.get(f"jobs/{running}").json["state"] != "queued", "it does not begin")
    assert server.patch(f"datasets/{number}", {"read": {"format": "fimi"}}).status == 200
    assert server.patch(f"datasets/{number}", {"name": "other"}).status == 200
    assert server.delete(f"datasets/{number}").status == 204
    for path in (f"datasets/{number}", f"jobs/{done['id']}", f"jobs/{running}", f"datasets/{number}/profile"):
        assert server.get(path).status == 404, path
    assert f"{number}.data" not in files(server)

    def remains():
        left = [path.name for path in (server.data / "results").iterdir() if
                path.name.split(".")[0] in (str(running), str(done["id"]))]
        return left + [worker for worker in server.get("status").json["workers"] if worker["dataset"] == number]

    within(PATIENCE, lambda: not remains(), "something is left", remains)


def test_limits():
    with Server("--max-upload", "1M", "--max-disk", "3M") as server:
        large = server.post("datasets", {"name": "a", "bytes": 1 << 21})
        assert large.status == 413 and "MB" in large.message, large
        with Server("--max-disk", "3M") as other:
            alone = other.post("datasets", {"name": "a", "bytes": 1 << 22})
            assert alone.status == 507 and "--max-disk" in alone.message and "delete" not in alone.message, alone
        first, second = announce(server, 1 << 20), announce(server, 1 << 20)
        full = server.post("datasets", {"name": "a", "bytes": 1 << 20})
        assert full.status == 507 and "delete" in full.message, full
        server.delete(f"datasets/{second}")
        assert server.post("datasets", {"name": "a", "bytes": 1 << 20}).status == 201
        assert server.get("status").json["disk_used"] > 1 << 21 and first


def test_latin1():
    """Names that are not UTF-8 are told exactly, and shown as Latin-1 wherever they appear."""
    with Server() as server:
        plain = server.get(f"datasets/{server.upload('café,milk'.encode())}/preview").json
        assert plain["recognised"]["latin1"] == 0 and plain["lines"] == ["café,milk"], plain
        number = server.upload("café,milk\ncafé,thé\n".encode("latin-1"))
        told = server.get(f"datasets/{number}/preview").json
        assert told["recognised"]["latin1"] == 2 and told["lines"] == ["café,milk", "café,thé"], told
        assert sorted(told["baskets"][1]["items"]) == ["café", "thé"], told
        job = server.mine(number, min_support="2")
        assert [row["items"] for row in server.get(f"jobs/{job['id']}/patterns").json["rows"]] == [["café"]]


def pages(server, path, name, **parameters):
    """All rows of a list, page after page, and the sizes of the pages."""
    rows, sizes, before = [], [], {}
    while before is not None:
        page = server.get(path, {**parameters, **before})
        assert page.status == 200, page
        rows += page.json[name]
        sizes.append(len(page.body))
        before = {"before": page.json["next"]} if page.json["next"] is not None else None
    return rows, sizes


def test_lists():
    """Lists are bounded by number and by bytes, and nothing is missing or there twice."""
    long_map = "".join(f"{i},{'x' * 90}\n" for i in range(2500))
    with Server() as server:
        numbers = [announce(server, 100, f"{i} " + "n" * 1000) for i in range(12)]
        for number in numbers:
            changed = server.patch(f"datasets/{number}", {"clean": {"map-text": long_map}})
            assert changed.status == 200, changed
        rows, sizes = pages(server, "datasets", "datasets")
        assert [row["id"] for row in rows] == numbers[::-1], rows
        assert len(sizes) > 1 and max(sizes) < (2 << 20) + 2 * len(long_map), sizes
        rows, sizes = pages(server, "datasets", "datasets", limit=5)
        assert [row["id"] for row in rows] == numbers[::-1] and len(sizes) == 3, sizes
        ready = server.upload(BASKETS)
        jobs = [server.mine(ready, min_support="1")["id"] for _ in range(3)]
        rows, sizes = pages(server, "jobs", "jobs", limit=2)
        assert [row["id"] for row in rows] == jobs[::-1] and len(sizes) == 2, (rows, sizes)
        for query in ("datasets?before=0", "datasets?before=x", "jobs?limit=0", "jobs?before=-1"):
            assert server.get(query).status in (400, 422), query


def test_expiry():
    with Server("--expire", "0.00006") as server:  # five seconds
        number = server.upload(BASKETS)
        within(PATIENCE, lambda: server.get(f"datasets/{number}").status != 200, "it does not expire")
        within(PATIENCE, lambda: files(server) == [], "its file stays")


def test_lost_file():
    with Server() as server:
        lost, kept = server.upload(BASKETS), server.upload(BASKETS)
        server.kill()
        (server.data / "datasets" / f"{lost}.data").unlink()
        (server.data / "datasets" / "77.data").write_bytes(b"x")
        (server.data / "datasets" / "78.part").write_bytes(b"x")
        server.restart()
        row = server.get(f"datasets/{lost}").json
        assert row["state"] == "broken" and "lost" in row["message"], row
        assert server.get(f"datasets/{lost}/profile").status == 409
        assert server.get(f"datasets/{kept}/profile").status == 200
        assert files(server) == [f"{kept}.data"]
        assert server.delete(f"datasets/{lost}").status == 204


def test_large():
    """500 MB pass through the server without staying in it."""
    with Server() as server:
        slice_bytes = os.urandom(1 << 20).hex().encode() * 4
        total, most = 60 * len(slice_bytes), 0
        number, ends = announce(server, total), threading.Event()

        def watch():
            nonlocal most
            while not ends.wait(0.02):
                most = max(most, server.resident())

        watcher = threading.Thread(target=watch)
        watcher.start()
        begin = time.monotonic()
        for offset in range(0, total, len(slice_bytes)):
            assert put(server, number, offset, slice_bytes).status == 200
        seconds = time.monotonic() - begin
        ends.set()
        watcher.join()
        assert server.get(f"datasets/{number}").json["state"] == "ready"
        print(f"row: upload of {total >> 20} MiB with {most >> 20} MiB,,{seconds:.2f}")
        assert SANITIZED or most < 100 << 20, f"{most >> 20} MiB of memory"


def main():
    with Server() as server:
        for test in (test_slices, test_malformed, test_two_clients, test_names, test_kinds_of_file, test_workbook,
                     test_unreadable, test_options, test_answers, test_rows_left_out, test_examples, test_views, test_deletion,
                     test_interrupted):
            test(server)
    test_limits()
    test_lists()
    test_latin1()
    test_expiry()
    test_lost_file()
    if os.environ.get("LODE_LONG"):
        test_large()
    return 0


if __name__ == "__main__":
    sys.exit(main())
