"""Ctrl-C, kill -9 and full disks: what lode leaves behind, and how soon.

SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import random
import re
import resource
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

    def start(self, *options, stdout=subprocess.DEVNULL, **how):
        command = [LODE, "itemsets", str(self.data), "-s", str(SUPPORT), *options]
        return self.watch(subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=stdout,
                                           stderr=subprocess.PIPE, text=True, **how))

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

    def check_while_reading(self, start, signal_number, *options):
        read, write = os.pipe()
        process = self.watch(subprocess.Popen([LODE, "itemsets", "-", "-s", "1", *options],
                                              stdin=read, stdout=subprocess.DEVNULL,
                                              stderr=subprocess.PIPE, text=True))
        os.close(read)
        while start:
            start = start[os.write(write, start):]
        code, said = self.interrupt(process, signal_number)
        os.close(write)
        self.assertEqual(code, 130)
        self.assertIn("interrupted", said)

    def test_while_reading(self):
        self.check_while_reading(b"1 2 3\n", signal.SIGINT)

    def test_while_threads_read(self):
        """The thread that waits for the pipe is not the one that the signal goes to."""
        self.check_while_reading(b"1 2 3 4 5 6 7 8\n" * 300000, signal.SIGTERM, "--threads", "4")

    def test_repeated_signals_are_one(self):
        """To the program, and then to its group, as timeout does it; and more, within a moment."""
        waits = (0, 0.001, 0.01, 0.05)
        rounds = 24 if os.environ.get("LODE_LONG") else 2 if SANITIZED else 6
        for i in range(rounds):
            process = self.start("-o", str(self.out), "-q", start_new_session=True)
            time.sleep(MID_RUN * (1 + i % 4 / 2))
            self.assertIsNone(process.poll(), "the job ended by itself")
            first = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)[i % 3]
            process.send_signal(first)
            for signal_number in (first, signal.SIGTERM, signal.SIGINT):
                time.sleep(waits[i % len(waits)])
                try:
                    os.killpg(process.pid, signal_number)
                except ProcessLookupError:  # so soon
                    break
            said = process.communicate(timeout=60)[1]
            self.assertEqual(process.returncode, 130, said)
            self.assertIn("interrupted: the result is partial", said)
            self.assertEqual([path.name for path in self.out.parent.glob("out*")],
                             ["out.txt.partial"])
            self.partial.unlink()

    def test_timeout(self):
        done = subprocess.run(["timeout", str(3 * MID_RUN), LODE, "itemsets", str(self.data), "-s",
                               str(SUPPORT), "-o", str(self.out), "-q"], stderr=subprocess.PIPE,
                              text=True)
        self.assertEqual(done.returncode, 124)
        self.assertIn("interrupted: the result is partial", done.stderr)
        self.assertTrue(self.partial.exists())

    def hold_up(self, *options, first=signal.SIGINT, later=signal.SIGINT):
        """A reader that does not read holds the writer up; a later signal ends even that."""
        read, write = os.pipe()
        process = self.start("--threads", "1", *options, stdout=write)
        os.close(write)
        time.sleep(MID_RUN)
        process.send_signal(first)
        time.sleep(0.1)
        process.send_signal(later)  # the same wish
        time.sleep(1.1)
        self.assertIsNone(process.poll())
        process.send_signal(later)
        said = process.communicate(timeout=SOON)[1]
        os.close(read)
        self.assertEqual(process.returncode, -later)
        self.assertIn("interrupted again", said)

    def test_later_interrupt_kills(self):
        self.hold_up()

    @unittest.skipIf(SANITIZED, "the same code as the one before")
    def test_later_signal_of_another_kind_kills(self):
        self.hold_up(first=signal.SIGTERM, later=signal.SIGHUP)

    def test_killing_leaves_no_file(self):
        """What ends the program at once takes the unfinished file with it."""
        for signal_number in (signal.SIGQUIT, signal.SIGPIPE):
            process = self.start("-o", str(self.out))
            time.sleep(MID_RUN)
            self.assertEqual(len(list(self.out.parent.glob("out.txt.tmp.*"))), 1)
            process.send_signal(signal_number)
            if signal_number == signal.SIGPIPE:  # a result that goes to a file does not need readers
                time.sleep(0.1)
                self.assertIsNone(process.poll())
                process.send_signal(signal.SIGTERM)
            process.communicate(timeout=60)
            want = 130 if signal_number == signal.SIGPIPE else -signal_number
            self.assertEqual(process.returncode, want)
            self.assertEqual(list(self.out.parent.glob("out.txt.tmp*")), [])

    def test_limit_of_processor_time(self):
        """The soft limit asks; what was found is kept."""
        def limit():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_CPU, (1, 60))
        process = self.start("-o", str(self.out), preexec_fn=limit)
        said = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, 130, said)
        self.assertTrue(self.partial.exists())

    def test_limit_of_file_size(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
        process = self.start("-o", str(self.out), preexec_fn=limit)
        said = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, 1)
        self.assertIn(f"cannot write '{self.out}': File too large", said)
        self.assertEqual(list(self.out.parent.glob("out*")), [])

    def test_others(self):
        """Generators and comparisons end as well, once, and leave nothing."""
        commands = [["generate", "quest", "-n", "100000000", "-o", str(self.out)],
                    ["compare", str(self.data), "-s", str(SUPPORT), "--repeat", "1"]]
        for command in commands:
            process = self.watch(subprocess.Popen([LODE, *command], stdout=subprocess.PIPE,
                                                  stderr=subprocess.PIPE, text=True,
                                                  start_new_session=True))
            time.sleep(MID_RUN)
            for signal_number in (signal.SIGTERM, signal.SIGTERM, signal.SIGHUP):
                os.killpg(process.pid, signal_number)
            printed, said = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 130, said)
            self.assertIn("interrupted", printed + said)
            self.assertEqual(list(self.out.parent.glob("out*")), [])

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
