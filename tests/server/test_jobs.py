#!/usr/bin/env python3
"""Jobs of lode-server: options, queue, progress, cancel, keep, raise, comparison, command lines.

SPDX-License-Identifier: Apache-2.0
"""
import os
import random
import shlex
import stat
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from serving import LODE, PATIENCE, Server, ServerTest, dense, run_tests, within

# It refuses what it does not expect, and counts the sets of the file by intersecting lists.
ECLAT = r"""
import sys
target, most, least, path = sys.argv[1:]
assert (target, most, least) == ("-ts", "-S-99999999", "-s-60"), sys.argv
lists = {}
for number, line in enumerate(open(path)):
    for item in line.split():
        lists.setdefault(int(item), set()).add(number)

def count(members):
    members = [(item, places) for item, places in members if len(places) >= 60]
    return len(members) + sum(count([(other, places & found) for other, found in members[i + 1:]])
                              for i, (item, places) in enumerate(members))

print(f"reading {path} ... [{len(lists)} item(s), 3000 transaction(s)] done [0.002s].", file=sys.stderr)
print(f"writing <null> ... [{count(sorted(lists.items()))} set(s)] done [0.02s].", file=sys.stderr)
"""


def quest(n, *more):
    """Baskets of numbers in the manner of Quest, as bytes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "made.dat")
        subprocess.run([LODE, "generate", "quest", "-n", str(n), "-o", str(path), *more], check=True,
                       stderr=subprocess.DEVNULL)
        return path.read_bytes()


def cliques(n=30, vertices=9):
    """Cliques with endlessly many subgraphs, and as many paths, which all of them have."""
    def graph(number, edges):
        return (f"t # {number}\n" + "".join(f"v {v} {v}\n" for v in range(vertices)) +
                "".join(f"e {a} {b} 0\n" for a, b in edges))
    pairs = [(a, b) for a in range(vertices) for b in range(a + 1, vertices)]
    return "".join(graph(i, pairs if i % 2 else [p for p in pairs if p[1] == p[0] + 1])
                   for i in range(2 * n)).encode()


def lode(*words):
    return subprocess.run([LODE, *map(str, words)], check=True, capture_output=True, text=True).stdout


# Compared by default: all that can run the job, those of the paper's comparison first.
OWN = ["adaptive", "frontier", "eclat", "eclat-bits", "fpgrowth", "tensor", "tbi", "pbi", "goethals", "gpapriori", "eqclass",
       "gpu-apriori"]


class Jobs(ServerTest):
    WORDS = ("--workers", "2")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.quest = quest(3000)
        cls.small = cls.server.upload(cls.quest, "quest.dat")
        cls.endless = cls.server.upload(dense(), "dense.dat")
        cls.graphs = cls.server.upload(cliques(), "cliques.gspan")

    def post(self, dataset, kind="itemsets", **options):
        return self.server.post("jobs", {"dataset": dataset, "kind": kind, "options": {
            name.replace("_", "-"): value for name, value in options.items()}})

    def begin(self, dataset, kind="itemsets", **options):
        """Starts a job and waits until it runs and has found something."""
        made = self.post(dataset, kind, **options)
        self.assertEqual(made.status, 201, made)
        number = made.json["id"]
        within(PATIENCE, lambda: (self.server.get(f"jobs/{number}").json["progress"] or {}).get("patterns"),
               "no progress")
        return number

    def refused(self, answer, status, *words):
        self.assertEqual(answer.status, status, answer)
        for word in words:
            self.assertIn(word, answer.message)

    # ---- what comes out ----

    def test_result_is_what_the_command_finds(self):
        job = self.server.mine(self.small, min_support="1%")
        self.assertEqual(job["state"], "done", job)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "quest.dat")
            path.write_bytes(self.quest)
            counted = lode("itemsets", path, "-s", "1%", "--count").split()
        self.assertEqual(job["patterns"], int(counted[counted.index("total") + 1]))
        self.assertEqual((job["min_count"], job["total"]), (30, 3000))
        self.assertEqual(job["command"], "lode itemsets quest.dat -s 1%")
        self.assertTrue((self.server.data / "results" / f"{job['id']}.arrow").exists())
        self.assertEqual(job["bytes"], (self.server.data / "results" / f"{job['id']}.arrow").stat().st_size)
        times = job["times"]
        self.assertGreater(times["total"], 0)
        self.assertEqual(set(times), {"total", "read", "prepare", "candidate", "counting", "transfer",
                                      "output", "utilisation"})
        self.assertEqual(job["report"]["patterns"]["total"], job["patterns"])

    def test_utilisation_and_candidates_of_frontier(self):
        job = self.server.mine(self.small, min_support="1%", algorithm="frontier", epsilon="512")
        self.assertEqual((job["state"], job["algorithm"]), ("done", "frontier"), job)
        self.assertGreater(job["times"]["candidate"], 0)
        self.assertGreater(job["times"]["utilisation"], 0)
        self.assertLessEqual(job["times"]["utilisation"], 1)

    def test_rules_and_their_columns(self):
        job = self.server.mine(self.small, "rules", min_support="1%", min_confidence="60%", measure="phi")
        self.assertEqual(job["state"], "done", job)
        self.assertGreater(job["patterns"], 0)

    def test_best_rules_of_how_many(self):
        options = {"min_support": "0.5%", "min_confidence": "10%"}
        every = self.server.mine(self.small, "rules", **options)
        best = self.server.mine(self.small, "rules", **options, sort_by="lift", top="3")
        self.assertEqual((every["ranked"], every["ranked_by"]), (0, None))
        self.assertEqual((best["ranked"], best["ranked_by"]), (every["patterns"], "lift"))
        self.assertIn(best["patterns"], range(3, every["patterns"]))  # 3, and ties
        row = next(job for job in self.server.get("jobs").json["jobs"] if job["id"] == best["id"])
        self.assertEqual((row["ranked"], row["ranked_by"]), (best["ranked"], "lift"))

    def test_holdout_counts_what_was_searched(self):
        """With holdout, supports and the threshold refer to the searched part, also with weights."""
        weighted = self.server.upload("".join(f"{1 + i % 3},{'milk,bread' if i % 5 else 'beer,milk'}\n" for i in range(300)).encode(),
                                      "weighted.csv")
        read = {"format": "basket", "separator": ",", "weight": "1"}
        for dataset, more in ((self.small, {}), (weighted, {"read": read})):
            options = {"min-support": "1%", "min-confidence": "10%", "holdout": "30%"}
            number = self.server.post("jobs", {"dataset": dataset, "kind": "rules", "options": options, **more}).json["id"]
            job = self.server.await_job(number)
            rules = job["report"]["rules"]
            self.assertEqual(job["total"], rules["searched"], job)
            self.assertGreater(rules["held_out"], 0)
            self.assertEqual(job["min_count"], -(-job["total"] // 100))
            row = self.server.get(f"jobs/{number}/rules?rows=1").json["rows"][0]
            self.assertAlmostEqual(row["support"], row["both"] / job["total"], 12)

    def test_name_and_note(self):
        number = self.server.mine(self.small, min_support="3%")["id"]
        path = f"jobs/{number}"
        self.assertEqual((self.server.get(path).json["name"], self.server.get(path).json["note"]), ("", ""))
        name, note = "<b>Käse</b> & \"Brot\"", "first line\nsecond line"
        changed = self.server.patch(path, {"name": name, "note": note})
        self.assertEqual((changed.status, changed.json["name"], changed.json["note"]), (200, name, note))
        changed = self.server.patch(path, {"name": ""})
        self.assertEqual((changed.json["name"], changed.json["note"]), ("", note))
        row = next(job for job in self.server.get("jobs").json["jobs"] if job["id"] == number)
        self.assertEqual(row["note"], note)
        self.assertEqual(self.server.patch(path, {"name": "x" * 200, "note": "y" * 4000}).status, 200)
        for body, words in (({}, "name, note"), ({"name": 3}, "name"), ({"name": "x" * 201}, "200"), ({"note": "y" * 4001}, "4000"),
                            ({"name": "a\nb"}, "single line"), ({"name": "a\u0000b"}, ""), ({"name": "a", "title": "b"}, "name, note"),
                            ({"note": None}, "note")):
            answer = self.server.patch(path, body)
            self.assertIn(answer.status, (400, 422), body)
            self.assertIn(words, answer.message)
        self.assertEqual(self.server.patch("jobs/999999", {"name": "a"}).status, 404)
        self.assertEqual(self.server.get(path).json["name"], "x" * 200)

    def test_families_are_folded(self):
        """A newer result replaces older ones of its family in a list without folded jobs, and nothing is lost."""
        def begin(**more):
            body = {"dataset": self.small, "kind": "itemsets", "options": {"min-support": "3%"}, **more}
            return self.server.await_job(self.server.post("jobs", body).json["id"])["id"]

        def listed(query):
            return [(job["id"], job["folded"]) for job in self.server.get(f"jobs?{query}").json["jobs"] if job["id"] >= first]

        first = begin()
        second = begin(**{"from": first})
        other = begin()
        third = begin(**{"from": second})
        rules = begin(kind="rules", **{"from": third})  # another kind
        elsewhere = begin(dataset=self.server.upload(b"a b\na b\n", "other.dat"), **{"from": third})
        self.assertEqual(listed("folded=0"), [(elsewhere, 0), (rules, 0), (third, 2), (other, 0)])
        self.assertEqual([job for job, _ in listed("")], [elsewhere, rules, third, other, second, first])
        self.assertEqual(listed(f"family={first}"), [(third, 2), (second, 0), (first, 0)])
        self.assertEqual(listed(f"folded=0&dataset={self.small}&limit=2"), [(rules, 0), (third, 2)])
        self.server.patch(f"jobs/{second}", {"note": "keep this"})
        self.assertEqual(listed("folded=0"), [(elsewhere, 0), (rules, 0), (third, 1), (other, 0), (second, 0)])
        self.server.delete(f"jobs/{third}")
        self.assertEqual(listed("folded=0"), [(elsewhere, 0), (rules, 0), (other, 0), (second, 1)])
        self.assertEqual(begin(**{"from": 10 ** 9}), self.server.get("jobs?limit=1").json["jobs"][0]["family"])
        for value in (0, -1, "1", 1.5, None):
            answer = self.server.post("jobs", {"dataset": self.small, "kind": "itemsets", "options": {"min-support": "3%"}, "from": value})
            self.assertEqual((answer.status, "from" in answer.message), (422, True), value)
        running = self.server.post("jobs", {"dataset": self.endless, "kind": "itemsets", "options": {"min-support": "10"}}).json["id"]
        later = self.server.post("jobs", {"dataset": self.endless, "kind": "itemsets", "options": {"min-support": "11"}, "from": running}).json["id"]
        self.assertEqual([job for job, _ in listed(f"folded=0&dataset={self.endless}")][:2], [later, running])
        for number in (later, running):
            self.server.delete(f"jobs/{number}")

    def test_suggest_for_the_data_of_a_job(self):
        """The numbers are for the data that were mined, whatever the data set has been changed to since."""
        body = {"dataset": self.small, "kind": "itemsets", "options": {"min-support": "3%"}, "clean": {"min-basket": "12"}}
        job = self.server.await_job(self.server.post("jobs", body).json["id"])
        answer = self.server.post(f"jobs/{job['id']}/suggest", {"targets": ["all"]}).json
        self.assertEqual(answer["total"], job["total"])
        self.assertLess(job["total"], self.server.post(f"datasets/{self.small}/suggest", {"targets": ["all"]}).json["total"])
        self.assertEqual(self.server.post(f"jobs/{job['id']}/suggest", {"wish": 3}).status, 422)
        self.assertEqual(self.server.post("jobs/999999/suggest", {}).status, 404)

    def test_second_threshold_reads_nothing(self):
        self.server.mine(self.small, min_support="1%")
        pid = self.worker(self.small)["pid"]
        job = self.server.mine(self.small, min_support="2%")
        self.assertEqual(job["report"]["times"]["read"], 0)
        self.assertEqual(self.worker(self.small)["pid"], pid)

    def await_rest(self):
        within(PATIENCE, lambda: self.server.get("status").json["jobs_running"] == 0, "a job still runs")

    def worker(self, dataset):
        return next((w for w in self.server.get("status").json["workers"] if w["dataset"] == dataset), None)

    # ---- what is refused ----

    def test_wrong_options(self):
        self.refused(self.post(self.small, min_support="0"), 422, "min-support")
        self.refused(self.post(self.small, min_suport="1%"), 422, "min-suport")
        self.refused(self.post(self.small), 422, "min-support is missing")
        self.refused(self.post(self.small, "rules", min_support="1%", target="closed"), 422, "target")
        self.refused(self.post(self.small, min_support="1%", write="csv"), 422, "write")
        self.refused(self.post(self.small, min_support="1%", min_size={"a": 1}), 422, "min-size")
        self.refused(self.post(self.small, "graphs", min_support="1%"), 422, "baskets")
        self.refused(self.post(999, min_support="1%"), 404, "999")
        for body in ({}, {"dataset": self.small}, {"dataset": self.small, "kind": "sets", "options": {}},
                     {"dataset": "1", "kind": "itemsets", "options": {}},
                     {"dataset": self.small, "kind": "itemsets", "options": [], "compare": 1},
                     {"dataset": self.small, "kind": "itemsets", "options": {"min-support": "1%"}, "more": 1}):
            self.refused(self.server.post("jobs", body), 422)

    def test_no_option_opens_a_file(self):
        for name, value in (("must", "@/etc/passwd"), ("exclude", " @/etc/passwd"),
                            ("must", "1\n@/etc/passwd"), ("group", "0-1:@/etc/passwd"),
                            ("must", ["1", "@/etc/passwd"])):
            answer = self.post(self.small, min_support="1%", **{name: value})
            self.refused(answer, 422)
        for value in ("/etc/passwd", "@/etc/passwd", "30%x"):
            self.refused(self.post(self.small, "rules", min_support="1%", holdout=value), 422)

    def test_unknown_jobs(self):
        for method, path in (("GET", "jobs/999"), ("DELETE", "jobs/999"), ("POST", "jobs/999/cancel"),
                             ("POST", "jobs/999/keep"), ("POST", "jobs/999/raise"),
                             ("GET", "jobs/999/events"), ("GET", "jobs/999/compare"),
                             ("POST", "jobs/999/compare")):
            self.refused(self.server.request(method, path, {} if method == "POST" else None), 404, "999")

    # ---- the command line ----

    def test_command_line_does_the_same(self):
        """Also of data with weights, and of cleaned data that look like a table."""
        name = "it's a $(rm) file.csv"
        cases = [({"separator": ";"}, {}, b"a;b;c\na;b\nb;c;d\nA ;b\n"),
                 ({"separator": ";"}, {"fold-case": "true", "drop": ["c", "d"]}, b"a;b;c\na;b\nb;c;d\nA ;b\n"),
                 ({"separator": ",", "weight": "1"}, {"drop": ["c"]}, b"7,a,b\n3,a\n1,b,c\n"),
                 ({"separator": ","}, {"fold-case": "true"}, b"order,product\n" + b"A1,b\nA2,b\nA1,C\n" * 4)]
        for read, clean, content in cases:
            with tempfile.TemporaryDirectory() as folder:
                Path(folder, name).write_bytes(content * 5)
                dataset = self.server.upload(content * 5, name)
                changed = self.server.patch(f"datasets/{dataset}", {"read": {**read, "format": "basket"}, "clean": clean})
                self.assertEqual(changed.status, 200, changed)
                job = self.server.mine(dataset, min_support="40%", must=["b"])
                self.assertEqual(job["state"], "done", job)
                command = job["command"]
                self.assertIn(name, shlex.split(command))
                done = subprocess.run(command.replace("lode ", shlex.quote(LODE) + " ", 2) + " --count",
                                      shell=True, cwd=folder, capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, (command, done.stderr))
                words = done.stdout.split()
                self.assertEqual(job["patterns"], int(words[words.index("total") + 1]), command)

    # ---- the data of a job ----

    NOISY = b"Milk,bread\nmilk,bread\nMILK,eggs\nyoghurt,milk\nyoghurt,bread\nyogurt,eggs\nPOSTAGE\n" * 4
    CLEAN = {"fold-case": "true", "drop": ["postage"], "min-basket": "2", "map-text": "yogurt,yoghurt\n"}

    def cleaned_job(self, server):
        """A data set, a job of it as it is cleaned, and what is asked about that job."""
        dataset = server.upload(self.NOISY, "noisy.csv")
        self.assertEqual(server.patch(f"datasets/{dataset}", {"clean": self.CLEAN}).status, 200)
        job = server.mine(dataset, "rules", min_support="4", min_confidence="30%")
        self.assertEqual((job["state"], job["total"]), ("done", 24), job)
        return dataset, job

    def views(self, server, job):
        """All that is counted in the data of a job, after its end."""
        milk = server.get(f"jobs/{job['id']}/baskets", {"with": "milk", "limit": 3})
        pairs = server.get(f"jobs/{job['id']}/pairs", {"items": 3})
        profile = server.get(f"jobs/{job['id']}/profile")
        self.assertEqual((milk.status, pairs.status, profile.status), (200, 200, 200), (milk, pairs, profile))
        return milk.json, pairs.json, {name: profile.json[name] for name in ("transactions", "items", "top")}

    def test_job_keeps_its_own_data(self):
        server = self.server
        dataset, job = self.cleaned_job(server)
        self.assertEqual((job["read"], job["clean"]), ({}, self.CLEAN))
        self.assertRegex(job["fingerprint"], "^[0-9a-f]{16}$")
        before = self.views(server, job)
        self.assertEqual((before[0]["count"], before[2]["transactions"]), (16, 24))
        # The cleaning is undone, and the file is read in another way.
        changed = server.patch(f"datasets/{dataset}", {"clean": {}, "read": {"separator": ";", "format": "basket"}})
        self.assertEqual(changed.status, 200, changed)
        self.assertEqual(server.get(f"datasets/{dataset}/profile").json["transactions"], 28)
        self.assertEqual(self.views(server, job), before)
        self.assertEqual(server.get(f"jobs/{job['id']}").json["command"], job["command"])
        # The same search again, and the comparison, count the same data.
        same = {"dataset": dataset, "kind": "rules", "options": job["options"]}
        again = server.await_job(server.post("jobs", {**same, "read": job["read"], "clean": job["clean"]}).json["id"])
        for name in ("state", "patterns", "total", "command", "fingerprint"):
            self.assertEqual(again[name], job[name], name)
        other = server.await_job(server.post("jobs", same).json["id"])
        self.assertNotEqual((other["total"], other["fingerprint"]), (job["total"], job["fingerprint"]))
        self.assertEqual(server.post(f"jobs/{job['id']}/compare", {"algorithms": ["adaptive"]}).status, 202)
        row = within(PATIENCE, lambda: [row for row in server.get(f"jobs/{job['id']}/compare").json["rows"]
                                        if row["state"] == "done"], "no row")[0]
        sets = server.post("jobs", {"dataset": dataset, "kind": "itemsets", "options": {"min-support": "4"},
                                    "read": job["read"], "clean": job["clean"]}).json["id"]
        self.assertEqual(row["patterns"], server.await_job(sets)["patterns"], row)
        for wrong in ({"clean": {"min-basket": "x"}}, {"read": {"format": "x"}}, {"clean": 7}):
            self.refused(server.post("jobs", {**same, **wrong}), 422, "expected")

    def test_a_change_waits_for_no_job(self):
        job = self.begin(self.endless, min_support="10")
        changed = self.server.patch(f"datasets/{self.endless}", {"clean": {"drop": ["1"]}})
        self.assertEqual(changed.status, 200, changed)
        self.assertEqual(self.server.get(f"datasets/{self.endless}/profile").json["items"], 39)
        self.assertEqual(self.server.get(f"jobs/{job}").json["state"], "running")
        self.server.patch(f"datasets/{self.endless}", {"clean": {}})
        self.server.post(f"jobs/{job}/cancel")
        self.server.await_job(job)

    def test_data_that_changed_are_not_counted(self):
        with Server() as server:
            dataset, job = self.cleaned_job(server)
            server.stop()
            path = server.data / "datasets" / f"{dataset}.data"
            path.write_bytes(path.read_bytes().replace(b"eggs", b"tofu"))
            server.restart()
            self.refused(server.get(f"jobs/{job['id']}/baskets", {"with": "milk"}), 409, "changed")
            self.assertEqual(server.get(f"datasets/{dataset}/baskets", {"with": "milk"}).status, 200)

    # ---- while it runs ----

    def test_progress_and_cancel(self):
        number = self.begin(self.endless, min_support="10")
        seen = []
        for event, value in self.server.events(f"jobs/{number}/events"):
            seen.append((event, value.get("state")))
            if event == "progress" and ("progress", None) not in seen[:-1]:
                self.assertIn("share", value)
                answer = self.server.post(f"jobs/{number}/cancel")
                self.assertEqual(answer.status, 202, answer)
        self.assertEqual(seen[0], ("job", "running"))
        self.assertIn(("progress", None), seen)
        self.assertEqual(seen[-1], ("job", "cancelled"))
        within(PATIENCE, lambda: not list((self.server.data / "results").glob(f"{number}.*")), "a file is left")
        self.refused(self.server.post(f"jobs/{number}/cancel"), 409, "cancelled")

    def test_progress_of_rules(self):
        number = self.begin(self.endless, "rules", min_support="5", min_confidence="10%")
        self.assertEqual(self.server.post(f"jobs/{number}/cancel").status, 202)
        self.assertEqual(self.server.await_job(number)["state"], "cancelled")

    def test_keep(self):
        number = self.begin(self.endless, min_support="10")
        self.assertEqual(self.server.post(f"jobs/{number}/keep").status, 202)
        job = self.server.await_job(number)
        self.assertEqual(job["state"], "kept", job)
        self.assertGreater(job["patterns"], 0)
        page = self.server.get(f"jobs/{number}/patterns", {"rows": 5})
        self.assertEqual(page.json["total"], job["patterns"], page)

    def test_limit(self):
        job = self.server.mine(self.endless, min_support="10", limit_patterns="1000")
        self.assertEqual((job["state"], job["patterns"]), ("limit", 1000), job)

    def test_raise(self):
        number = self.begin(self.endless, min_support="1")
        self.refused(self.server.post(f"jobs/{number}/raise", {"min-support": "0"}), 422)
        self.refused(self.server.post(f"jobs/{number}/raise", {}), 422)
        answer = self.server.post(f"jobs/{number}/raise", {"min-support": "95%"})
        self.assertEqual(answer.status, 202, answer)
        job = self.server.await_job(number)
        self.assertEqual((job["state"], job["min_count"]), ("done", 380), job)
        self.assertEqual(job["patterns"], 40 + 40 * 39 // 2)
        self.assertEqual(job["command"], "lode itemsets dense.dat -s 95%")
        self.refused(self.server.post(f"jobs/{number}/raise", {"min-support": "99%"}), 409, "ended")

    def test_raise_that_cannot_be(self):
        """A share of a part that only the search knows, and more than the rarest sets may have."""
        number = self.post(self.endless, "rules", min_support="1", min_confidence="1%", holdout="30%").json["id"]
        within(PATIENCE, lambda: self.server.get(f"jobs/{number}").json["progress"], "it does not run")
        self.refused(self.server.post(f"jobs/{number}/raise", {"min-support": "95%"}), 422, "with holdout")
        self.server.post(f"jobs/{number}/cancel")
        number = self.begin(self.endless, min_support="1", rare="60%")
        self.refused(self.server.post(f"jobs/{number}/raise", {"min-support": "241"}), 422, "at most 240")
        self.server.post(f"jobs/{number}/cancel")

    def test_raise_upward_only(self):
        number = self.begin(self.endless, min_support="1%")
        for words in ("4", "1%", "0.5%", "1"):
            self.refused(self.server.post(f"jobs/{number}/raise", {"min-support": words}), 422, "already 4")
        for words in ("5", "380"):
            self.assertEqual(self.server.post(f"jobs/{number}/raise", {"min-support": words}).status, 202)
        answer = self.server.post(f"jobs/{number}/raise", {"min-support": "379"})
        self.assertIn(answer.status, (409, 422), answer)  # it may have ended meanwhile
        job = self.server.await_job(number)
        self.assertEqual((job["state"], job["min_count"], job["patterns"]), ("done", 380, 820), job)
        self.assertEqual(job["options"]["min-support"], "380")

    def facts(self, number):
        """All that people see of a job that has ended: figures, command line, rows, exports."""
        job = self.server.await_job(number)
        report = job["report"]
        page = self.server.get(f"jobs/{number}/{'rules' if job['kind'] == 'rules' else 'patterns'}").json
        export = self.server.get(f"jobs/{number}/export", {"format": "csv"}).body
        return {"state": job["state"], "patterns": job["patterns"], "min_count": job["min_count"],
                "total": job["total"], "command": job["command"], "options": job["options"],
                "threshold": (report["threshold"]["count"], report["threshold"]["final_count"]), "found": report["patterns"]["total"],
                "sizes": report["patterns"].get("by_size", report["patterns"].get("by_edges")), "partial": report["partial"],
                "rows": page["total"], "lines": sorted(export.splitlines())}

    def raised_job(self, draw):
        """A job that is raised when it has found something, and the same one from the start."""
        kind = draw.choice(("itemsets", "itemsets", "rules", "graphs"))
        options = {"threads": str(draw.randint(1, 4))}
        if kind == "itemsets":
            options["target"] = draw.choice(("all", "closed"))
        if kind == "rules":
            options["min-confidence"] = draw.choice(("10%", "50%"))
        dataset, high = (self.graphs, draw.randint(31, 60)) if kind == "graphs" \
            else (self.endless, draw.randint(375, 395))
        words = draw.choice((str(high), f"{high / (60 if kind == 'graphs' else 400):.4%}"))
        number = self.begin(dataset, kind, **{"min-support": "5", **options})
        answer = self.server.post(f"jobs/{number}/raise", {"min-support": words})
        self.assertEqual((answer.status, answer.json["options"]["min-support"]), (202, words), answer)
        fresh = self.post(dataset, kind, **{"min-support": words, **options}).json["id"]
        self.assertEqual(self.facts(number), self.facts(fresh))
        self.assertIn(f"-s {words} ", self.server.get(f"jobs/{number}").json["command"])
        self.assertEqual(self.facts(number)["state"], "done")

    def test_raised_jobs_are_fresh_ones(self):
        for seed in range(200 if os.environ.get("LODE_LONG") else 10):
            with self.subTest(seed=seed):
                self.raised_job(random.Random(seed))

    def test_delete(self):
        job = self.server.mine(self.small, min_support="2%")
        self.assertEqual(self.server.delete(f"jobs/{job['id']}").status, 204)
        self.assertEqual(self.server.get(f"jobs/{job['id']}").status, 404)
        self.assertFalse((self.server.data / "results" / f"{job['id']}.arrow").exists())
        number = self.begin(self.endless, min_support="10")
        self.assertEqual(self.server.delete(f"jobs/{number}").status, 204)
        self.assertEqual(self.server.get(f"jobs/{number}").status, 404)
        self.await_rest()
        within(PATIENCE, lambda: not list((self.server.data / "results").glob(f"{number}.*")), "a file is left")

    # ---- the queue ----

    def test_data_sets_take_turns(self):
        self.await_rest()
        other = self.server.upload(dense(300), "other.dat")
        numbers = [self.post(self.endless, min_support="10").json["id"] for _ in range(4)]
        numbers.append(self.post(other, min_support="10").json["id"])
        numbers.append(self.post(self.small, min_support="10%").json["id"])

        def jobs():
            return [(job["state"], job["position"]) for job in
                    (self.server.get(f"jobs/{number}").json for number in numbers)]
        # Two run. The first job of the third data set comes before the second of the first one.
        expected = [("running", 0), *(("queued", n) for n in (2, 3, 4)), ("running", 0), ("queued", 1)]
        within(PATIENCE, lambda: jobs() == expected, "other places", jobs)
        self.refused(self.server.post(f"jobs/{numbers[1]}/keep"), 409, "not started")
        waiting = threading.Thread(target=lambda: seen.extend(
            value["state"] for event, value in self.server.events(f"jobs/{numbers[5]}/events") if event == "job"))
        seen = []
        waiting.start()
        for number in numbers[:5]:
            self.assertEqual(self.server.post(f"jobs/{number}/cancel").status, 202)
        for number in numbers[:5]:
            self.assertEqual(self.server.await_job(number)["state"], "cancelled")
        self.assertEqual(self.server.await_job(numbers[5])["state"], "done")
        waiting.join(PATIENCE)
        self.assertEqual(seen[-1], "done")
        listed = self.server.get("jobs", {"dataset": self.endless, "limit": 2}).json["jobs"]
        self.assertEqual([job["id"] for job in listed], [numbers[3], numbers[2]])

    def test_idle_workers_make_room(self):
        for i in range(5):
            dataset = self.server.upload(f"{i} 1\n{i} 2\n".encode(), f"{i}.dat")
            self.assertEqual(self.server.mine(dataset, min_support="1")["state"], "done")
        # One that was asked to end is listed until it has.
        within(PATIENCE, lambda: len(self.server.get("status").json["workers"]) <= 3, "none has made room")
        self.assertIsNotNone(self.worker(dataset))

    # ---- workers ----

    def status_of(self, pid):
        return dict(line.split(":\t", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines()
                    if ":\t" in line)

    def test_workers_have_little(self):
        self.server.mine(self.small, min_support="2%")
        pid = self.worker(self.small)["pid"]
        status = self.status_of(pid)
        self.assertEqual((status["NoNewPrivs"], status["Seccomp"]), ("1", "2"))
        self.assertGreaterEqual(os.getpriority(os.PRIO_PROCESS, pid), 10)
        self.assertRegex(Path(f"/proc/{pid}/limits").read_text(), r"Max core file size\s+0\s+0")
        names = [os.readlink(path) for path in Path(f"/proc/{pid}/fd").iterdir()]
        self.assertFalse([name for name in names if str(self.server.data) in name], names)

    def test_filter_can_be_left_out(self):
        with Server(environment={"LODE_FILTER": "off"}) as server:
            self.assertEqual(server.mine(server.upload(b"1 2\n", "a.dat"), min_support="1")["state"], "done")
            pid = server.get("status").json["workers"][0]["pid"]
            self.assertEqual(self.status_of(pid)["Seccomp"], "0")

    # ---- comparison ----

    def test_comparison(self):
        with tempfile.TemporaryDirectory() as peers:
            server = Server("--workers", "1", environment={"LODE_PEERS": peers, "LODE_FILTER": "off"})
            self.make_peers(Path(peers))
            with server:
                self.compare(server)

    def make_peers(self, folder):
        """Stand-ins that print what Borgelt's programs print."""
        eclat = folder / "eclat"
        eclat.write_text(f"#!{sys.executable}\n{ECLAT}")
        (folder / "fpgrowth").write_text("#!/bin/sh\necho 'fpgrowth: no luck' >&2\nexit 3\n")
        (folder / "unknown").write_text("#!/bin/sh\n")
        for path in folder.iterdir():
            path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def compare(self, server):
        self.assertEqual(server.get("about").json["peers"], ["borgelt-eclat", "borgelt-fpgrowth"])
        dataset = server.upload(self.quest, "quest.dat")
        made = server.post("jobs", {"dataset": dataset, "kind": "itemsets", "compare": True,
                                    "options": {"min-support": "2%"}})
        self.assertEqual(made.status, 201, made)
        number = made.json["id"]
        events = list(server.events(f"jobs/{number}/events"))
        self.assertIn(("job", "done"), [(event, value.get("state")) for event, value in events])
        rounds = {n: {value["name"]: value["seconds"] for event, value in events if event == "compare"
                      and value["runs"] == n and value["state"] == "done"} for n in range(1, 6)}
        self.assertEqual(list(rounds[1]), OWN + ["borgelt-eclat"])
        short = [name for name, seconds in rounds[1].items() if seconds < 1]  # all, but on a busy machine
        for n in range(2, 6):  # every second round is run backwards
            self.assertEqual(list(rounds[n]), short[::1 if n % 2 else -1], n)
        done = server.get(f"jobs/{number}/compare").json
        self.assertEqual(done["state"], "done", done)
        rows = {row["name"]: row for row in done["rows"]}
        self.assertEqual(list(rows), OWN + ["borgelt-eclat", "borgelt-fpgrowth"])
        known = {row["name"] for row in server.get("devices").json["algorithms"]["itemsets"]}
        self.assertEqual(set(OWN), known, "an algorithm is missing from the comparison")
        patterns = server.get(f"jobs/{number}").json["patterns"]
        for name, row in rows.items():
            if name == "borgelt-fpgrowth":
                self.assertEqual((row["state"], row["patterns"], row["runs"]), ("failed", None, 0), row)
                self.assertIn("no luck", row["message"])
                continue
            self.assertEqual((row["state"], row["patterns"], row["runs"]),
                             ("done", patterns, 5 if name in short else 1), row)
            self.assertLessEqual(sum(row["parts"].values()), row["seconds"] * 1.05 + 1e-3, row)
        self.assertEqual(rows["borgelt-eclat"]["kind"], "peer")
        self.assertAlmostEqual(rows["borgelt-eclat"]["parts"]["read"], 0.002)
        self.refused(server.post(f"jobs/{number}/compare", {"algorithms": ["quick"]}), 422, "quick")
        self.refused(server.post(f"jobs/{number}/compare", {"device": "gpu"}), 422, "device")
        again = server.post(f"jobs/{number}/compare", {"algorithms": ["frontier"], "device": "cpu*2"})
        self.assertEqual((again.status, len(again.json["rows"])), (202, 1), again)
        within(PATIENCE, lambda: server.get(f"jobs/{number}/compare").json["state"] == "done", "no end")
        within(PATIENCE, lambda: not list((server.data / "tmp").iterdir()), "a temporary file is left")

    def test_comparison_has_what_can_run_the_job(self):
        """Of closed itemsets, of rules and of graphs: no row fails because its algorithm does not know the job."""
        for kind, options, least in (("itemsets", {"min-support": "20%", "target": "closed"}, {"adaptive", "tensor"}),
                                     ("rules", {"min-support": "20%"}, set(OWN))):
            job = self.server.mine(self.small, kind, **{name.replace("-", "_"): value for name, value in options.items()})
            path = f"jobs/{job['id']}/compare"
            self.assertEqual(self.server.post(path).status, 202)
            within(PATIENCE, lambda: self.server.get(path).json["state"] == "done", "no end")
            rows = self.server.get(path).json["rows"]
            self.assertEqual({row["state"] for row in rows}, {"done"}, rows)
            self.assertEqual(len({row["patterns"] for row in rows}), 1, rows)
            self.assertLessEqual(least, {row["name"] for row in rows})

    def test_comparison_names_a_gpu(self):
        """A server that is told of a GPU has it in the comparison of a job of the CPU."""
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "lode"
            program.write_text("#!/bin/sh\necho 'cuda         usable: 1 x A card, 8 GiB'\n")
            program.chmod(0o755)
            with Server(environment={"LODE_BIN": str(program)}) as server:
                self.assertEqual([row["name"] for row in server.get("devices").json["devices"]], ["cuda"])
                program.unlink()  # now that it has been asked for devices
                program.symlink_to(Path(LODE).resolve())
                job = server.mine(server.upload(self.quest, "quest.dat"), min_support="5%", device="cpu")
                answer = server.post(f"jobs/{job['id']}/compare")
                self.assertEqual(answer.status, 202, answer)
                self.assertEqual([(row["name"], row["device"]) for row in answer.json["rows"][:2]],
                                 [("frontier", "cuda:0"), ("tensor", "cuda:0")])

    def test_comparison_gives_way(self):
        cut = self.server.mine(self.endless, min_support="10", limit_patterns="1000")
        self.refused(self.server.post(f"jobs/{cut['id']}/compare"), 409, "done")
        # The rules are soon found; the search for all itemsets of this support does not end.
        job = self.server.mine(self.endless, "rules", min_support="5", max_body="1")
        self.assertEqual(job["state"], "done", job)
        path = f"jobs/{job['id']}/compare"

        def first_row():
            return self.server.get(path).json["rows"][0]["state"]

        self.assertEqual(self.server.post(path).status, 202)
        for other in (lambda: self.server.mine(self.endless, min_support="390")["state"] == "done",
                      lambda: self.server.mine(self.small, min_support="10%")["state"] == "done",
                      lambda: self.server.post(f"datasets/{self.endless}/suggest",
                                               {"want": 10, "limit-time": "0.1"}).status == 200):
            within(PATIENCE, lambda: first_row() == "running", "the row does not begin again")
            time.sleep(0.1)
            self.assertTrue(other())
            self.assertIn(first_row(), ("waiting", "running"))
        within(PATIENCE, lambda: first_row() == "running", "the row does not begin again")
        stopped = self.server.delete(path)
        self.assertEqual((stopped.status, stopped.json["state"]), (200, "done"), stopped)
        self.assertEqual({row["state"] for row in stopped.json["rows"]}, {"stopped"})
        within(PATIENCE, lambda: self.worker(self.endless)["state"] == "ready", "the row runs on")
        self.assertEqual(self.server.post(path).status, 202)
        within(PATIENCE, lambda: first_row() == "running", "no second comparison")
        self.assertEqual(self.server.delete(f"jobs/{job['id']}").status, 204)
        within(PATIENCE, lambda: self.worker(self.endless)["state"] == "ready", "the row runs on")
        self.assertEqual(self.server.delete(path).status, 404)


if __name__ == "__main__":
    run_tests()
