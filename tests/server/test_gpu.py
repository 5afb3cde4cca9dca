#!/usr/bin/env python3
"""Jobs of lode-server on a GPU: the worker opens CUDA within its sandbox and counts what the CPU counts.

The worker's filter of system calls, its limits of memory and its closed descriptors are what a driver
might stumble over, and only a machine with a GPU shows it. Skips where there is none.

SPDX-License-Identifier: Apache-2.0
"""
import subprocess
import sys
import unittest
from pathlib import Path

from serving import LODE, PATIENCE, PROGRAM, ROOT, Server, within

sys.path.insert(0, str(ROOT / "tools"))
from worker_timing import generate, usable_devices  # noqa: E402

GRAPHS = [LODE, "generate", "graphs", "-n", "2000", "--seed", "3"]


class Gpu(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server().start()
        cls.addClassCleanup(cls.server.abandon)
        path = cls.server.data / "made.dat"
        generate(LODE, str(path), 100000, 300)
        cls.baskets = cls.server.upload(path.read_bytes(), "baskets.dat")
        subprocess.run([*GRAPHS, "-o", str(path)], check=True, stderr=subprocess.DEVNULL)
        cls.graphs = cls.server.upload(path.read_bytes(), "graphs.lg")
        path.unlink()

    def equal_on_both(self, dataset, kind, **options):
        """The same job on cuda:0 and on the CPU. Returns the first."""
        jobs = {device: self.server.mine(dataset, kind, device=device, **options) for device in ("cuda:0", "cpu")}
        for device, job in jobs.items():
            self.assertEqual(job["state"], "done", job)
            self.assertIn(device.split(":")[0], str(job["device"]), job)
        self.assertGreater(jobs["cpu"]["patterns"], 100)
        self.assertEqual(jobs["cuda:0"]["patterns"], jobs["cpu"]["patterns"])
        return jobs["cuda:0"]

    def test_the_filter_is_on(self):
        self.equal_on_both(self.baskets, "itemsets", min_support="2%")
        workers = [pid for pid, words in self.server.processes() if " worker" in words]
        self.assertTrue(workers)
        for pid in workers:
            said = dict(line.split(":\t", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines() if ":\t" in line)
            self.assertEqual((said["Seccomp"], said["NoNewPrivs"]), ("2", "1"))
        sandbox = self.server.get("about").json["sandbox"]
        self.assertTrue(sandbox["calls"])
        modules = Path("/sys/kernel/security/lsm")
        if modules.exists() and "landlock" in modules.read_text():
            self.assertTrue(sandbox["files"])

    def test_thresholds_and_targets(self):
        for support in ("2%", "1.5%", "2%"):
            self.equal_on_both(self.baskets, "itemsets", min_support=support)
        for target in ("closed", "maximal"):
            self.equal_on_both(self.baskets, "itemsets", min_support="2%", target=target)

    def test_frontier_with_consumers(self):
        job = self.server.mine(self.baskets, "itemsets", min_support="2%", algorithm="frontier", device="cuda:0*2")
        self.assertEqual(job["state"], "done", job)
        self.assertEqual(job["patterns"], self.server.mine(self.baskets, min_support="2%", device="cpu")["patterns"])

    def test_comparison(self):
        """Whatever device the job took, the GPU is in its comparison, and finds the same."""
        for kind, dataset, names in (("itemsets", self.baskets, {"frontier", "tensor"}), ("graphs", self.graphs, {"frontier"})):
            job = self.server.mine(dataset, kind, min_support="5%", device="cpu")
            path = f"jobs/{job['id']}/compare"
            self.assertEqual(self.server.post(path).status, 202)
            within(PATIENCE, lambda: self.server.get(path).json["state"] == "done", "no end")
            rows = self.server.get(path).json["rows"]
            on = {row["name"] for row in rows if str(row["device"]).startswith("cuda")}
            self.assertEqual(on, names, rows)
            self.assertIn("frontier", {row["name"] for row in rows if str(row["device"]).startswith("cpu")})
            self.assertEqual({row["state"] for row in rows} - {"limit"}, {"done"}, rows)
            self.assertEqual({row["patterns"] for row in rows if row["state"] == "done"}, {job["patterns"]}, rows)
            print(f"{kind}:", ", ".join(f"{row['name']} on {row['device']} {row['seconds']:.3f} s" for row in rows if row["seconds"]))

    def test_graphs(self):
        self.equal_on_both(self.graphs, "graphs", min_support="5%")

    def test_rules_of_a_gpu_result(self):
        self.assertEqual(self.server.mine(self.baskets, "rules", min_support="2%")["state"], "done")


if __name__ == "__main__":
    if not Path(PROGRAM).exists():
        print("skip: there is no lode-server")
        sys.exit(77)
    if usable_devices(LODE) == ["cpu"]:
        print("skip: there is no GPU that can be used")
        sys.exit(77)
    unittest.main()
