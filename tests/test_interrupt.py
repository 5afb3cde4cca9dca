"""Ctrl-C, kill -9 and full disks: what lode leaves behind, and how soon.

SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LODE = os.environ.get("LODE_BIN", str(ROOT / "build" / "lode"))
SANITIZED = b"__asan_init" in Path(LODE).read_bytes() or b"__tsan_init" in Path(LODE).read_bytes()
SOON = 1.5 if SANITIZED else 0.5
MID_RUN = 1.5 if SANITIZED else 0.2  # seconds until a job is under way
LINE = re.compile(r"(\d+(?: \d+)*) \((\d+)\)")
N_TRANSACTIONS, N_ITEMS, SUPPORT = 20000, 60, 200


def dense_data(path):
    """Baskets of 30 out of 60 items: billions of itemsets, a job for much more than a minute."""
    draw = random.Random(5)
    baskets = [sorted(draw.sample(range(N_ITEMS), N_ITEMS // 2)) for _ in range(N_TRANSACTIONS)]
    path.write_text("".join(" ".join(map(str, basket)) + "\n" for basket in baskets))
    return [set(basket) for basket in baskets]


class Interrupted(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="lode-interrupt-")
        cls.data = Path(cls.folder.name, "dense.dat")
        cls.baskets = dense_data(cls.data)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def setUp(self):
        self.out = Path(self.folder.name, "out.txt")
        self.partial = Path(self.folder.name, "out.txt.partial")

    def tearDown(self):
        for path in Path(self.folder.name).glob("out*"):
            path.unlink()

    def watch(self, process):
        """Nothing outlives a test that fails."""
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def start(self, *options, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL):
        command = [LODE, "itemsets", str(self.data), "-s", str(SUPPORT), *options]
        return self.watch(subprocess.Popen(command, stdin=stdin, stdout=stdout,
                                           stderr=subprocess.PIPE, text=True))

    def interrupt(self, process, signal_number=signal.SIGINT, soon=SOON):
        """Lets a job run, stops it, and returns (exit status, what it said)."""
        time.sleep(MID_RUN)
        self.assertIsNone(process.poll(), "the job ended by itself")
        start = time.monotonic()
        process.send_signal(signal_number)
        said = process.communicate(timeout=60)[1]
        self.assertLess(time.monotonic() - start, soon)
        return process.returncode, said

    def check_lines(self, path):
        """Every line parses, none comes twice, and a sample has the right supports."""
        text = path.read_text()
        self.assertTrue(text.endswith("\n"))
        lines = text.splitlines()
        self.assertGreater(len(lines), 1000)
        matches = [LINE.fullmatch(line) for line in lines]
        self.assertNotIn(None, matches)
        self.assertEqual(len({match[1] for match in matches}), len(lines))
        for match in random.Random(1).sample(matches, 20):
            items = set(map(int, match[1].split()))
            support = sum(items <= basket for basket in self.baskets)
            self.assertEqual(support, int(match[2]), match[0])
            self.assertGreaterEqual(support, SUPPORT)
        return len(lines)

    def check_partial_file(self, *options, **how):
        code, said = self.interrupt(self.start("-o", str(self.out), *options), **how)
        self.assertEqual(code, 130)
        found = re.search(r"interrupted: the result is partial, ([0-9,]+) itemsets so far, in "
                          + re.escape(str(self.partial)), said)
        self.assertTrue(found, said)
        self.assertFalse(self.out.exists())
        self.assertEqual(list(self.out.parent.glob("out.txt.tmp*")), [])
        self.assertEqual(self.check_lines(self.partial), int(found[1].replace(",", "")))

    def test_file_one_thread(self):
        self.check_partial_file("--threads", "1")

    def test_file_two_threads(self):
        self.check_partial_file("--threads", "2")

    def test_sorted_file(self):
        """Whatever was found by then is sorted first: that takes as long as it takes."""
        self.check_partial_file("--sort", "--threads", "2", soon=20 * SOON)

    def test_terminated(self):
        self.check_partial_file(signal_number=signal.SIGTERM)

    def test_terminal_closed(self):
        self.check_partial_file(signal_number=signal.SIGHUP)

    def test_quiet_still_says_so(self):
        self.check_partial_file("--quiet")

    def test_old_file_stays(self):
        self.out.write_text("old\n")
        code, _ = self.interrupt(self.start("-o", str(self.out)))
        self.assertEqual((code, self.out.read_text()), (130, "old\n"))

    def test_standard_output(self):
        with self.out.open("w") as out:
            code, said = self.interrupt(self.start("--threads", "2", stdout=out))
        self.assertEqual(code, 130)
        self.assertIn("the result is partial", said)
        self.assertNotIn(".partial", said)
        self.check_lines(self.out)

    def test_device_has_no_partial_name(self):
        code, said = self.interrupt(self.start("-o", "/dev/null"))
        self.assertEqual(code, 130)
        self.assertNotIn(".partial", said)

    def test_count(self):
        with self.out.open("w") as out:
            code, said = self.interrupt(self.start("--count", stdout=out))
        self.assertEqual(code, 130)
        self.assertIn("partial", said)
        counts = [line.split() for line in self.out.read_text().splitlines()]
        self.assertEqual(counts[-1][0], "total")
        self.assertEqual(sum(int(n) for _, n in counts[:-1]), int(counts[-1][1]))
        self.assertEqual(counts[0], ["1", str(N_ITEMS)])

    def test_top(self):
        code, _ = self.interrupt(self.start("--target", "top:1000000", "-o", str(self.out)))
        self.assertEqual(code, 130)
        self.check_lines(self.partial)

    def test_report_says_so(self):
        report = Path(self.folder.name, "out.json")
        self.interrupt(self.start("-o", "/dev/null", "--report", f"json={report}"))
        content = json.loads(report.read_text())
        self.assertEqual((content["status"], content["exit"], content["partial"]),
                         ("interrupted", 130, True))
        self.assertGreater(content["patterns"]["total"], 0)

    def test_while_reading(self):
        read, write = os.pipe()
        process = self.watch(subprocess.Popen([LODE, "itemsets", "-", "-s", "1"], stdin=read,
                                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                              text=True))
        os.close(read)
        os.write(write, b"1 2 3\n")
        code, said = self.interrupt(process)
        os.close(write)
        self.assertEqual(code, 130)
        self.assertIn("interrupted", said)

    def test_second_interrupt_kills(self):
        """A reader that does not read holds the writer up; the second Ctrl-C ends even that."""
        read, write = os.pipe()
        process = self.start("--threads", "1", stdout=write)
        os.close(write)
        time.sleep(MID_RUN)
        process.send_signal(signal.SIGINT)
        time.sleep(MID_RUN)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=SOON)
        os.close(read)
        self.assertEqual(process.returncode, -signal.SIGINT)

    def test_killed(self):
        process = self.start("-o", str(self.out))
        time.sleep(MID_RUN)
        process.kill()
        process.communicate()
        self.assertEqual(process.returncode, -signal.SIGKILL)
        self.assertFalse(self.out.exists() or self.partial.exists())

    def test_full_device(self):
        process = self.start("-o", "/dev/full")
        said = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, 1)
        self.assertIn("cannot write '/dev/full': No space left on device", said)
        with open("/dev/full", "w") as full:
            process = self.start(stdout=full)
            said = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, 1)
        self.assertIn("cannot write 'standard output': No space left on device", said)

    def test_full_disk(self):
        """A real one, of one megabyte; only root may have it."""
        disk = Path(self.folder.name, "disk")
        disk.mkdir()
        mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk)]
        if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode != 0:
            print("skip: no tmpfs can be mounted here")
            self.skipTest("no tmpfs can be mounted here")
        try:
            target = disk / "out.txt"
            process = self.start("-o", str(target))
            said = process.communicate(timeout=60)[1]
            self.assertEqual(process.returncode, 1)
            self.assertIn(f"cannot write '{target}': No space left on device", said)
            self.assertEqual(list(disk.iterdir()), [])
        finally:
            subprocess.run(["umount", str(disk)], check=True)


if __name__ == "__main__":
    sys.stdout.reconfigure(line_buffering=True)
    unittest.main(verbosity=0)
