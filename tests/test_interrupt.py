"""Ctrl-C, kill -9 and full disks: what lode leaves behind, and how soon.

SPDX-License-Identifier: Apache-2.0
"""
import io
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
import zipfile
from pathlib import Path

from patience import DEADLINE, Effort, let_run, let_stand_still, processor_seconds, wait_until

ROOT = Path(__file__).resolve().parent.parent
LODE = os.environ.get("LODE_BIN", str(ROOT / "build" / "lode"))
SANITIZED = b"__asan_init" in Path(LODE).read_bytes() or b"__tsan_init" in Path(LODE).read_bytes()
SOON = 4.0 if SANITIZED else 1.0  # seconds of all processors until a signal is obeyed
MID_RUN = 0.8 if SANITIZED else 0.2  # processor seconds until a job is under way
same_code = unittest.skipIf(SANITIZED, "the same code as another test here")
LINE = re.compile(r"(\d+(?: \d+)*) \((\d+)\)")
N_TRANSACTIONS, N_ITEMS, SUPPORT = 20000, 60, 200


def dense_data(path):
    """Baskets of 30 out of 60 items: billions of itemsets, a job for much more than a minute."""
    draw = random.Random(5)
    baskets = [sorted(draw.sample(range(N_ITEMS), N_ITEMS // 2)) for _ in range(N_TRANSACTIONS)]
    path.write_text("".join(" ".join(map(str, basket)) + "\n" for basket in baskets))
    return [set(basket) for basket in baskets]


def thick_data(path):
    """Baskets of 24 out of 30 items: whole lattices of itemsets, which --sort keeps as such."""
    draw = random.Random(6)
    baskets = [sorted(draw.sample(range(30), 24)) for _ in range(3000)]
    path.write_text("".join(" ".join(map(str, basket)) + "\n" for basket in baskets))


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

    def start(self, *options, stdout=subprocess.DEVNULL, data=None, support=str(SUPPORT), **how):
        command = [LODE, "itemsets", str(data or self.data), "-s", support, *options]
        return self.watch(subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=stdout,
                                           stderr=subprocess.PIPE, text=True, **how))

    def check_runs(self, process):
        """If it has ended, what it said tells why."""
        if process.poll() is not None:
            self.fail(f"the job ended by itself, {process.returncode}: {process.communicate()[1]}")

    def interrupt(self, process, signal_number=signal.SIGINT, soon=SOON, wait=None):
        """Lets a job run, stops it, and returns (exit status, what it said)."""
        if wait:
            wait(process)
        else:
            let_run(process, MID_RUN)
        self.check_runs(process)
        effort = Effort(process)
        process.send_signal(signal_number)
        said = process.communicate(timeout=DEADLINE)[1]
        effort.check(self, soon)
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
        found = re.search(r"interrupted: the result is partial, ([0-9,]+) (?:itemsets so far|of "
                          r"[0-9,]+ itemsets written), in " + re.escape(str(self.partial)), said)
        self.assertTrue(found, said)
        self.assertFalse(self.out.exists())
        self.assertEqual(list(self.out.parent.glob("out.txt.tmp*")), [])
        self.assertEqual(self.check_lines(self.partial), int(found[1].replace(",", "")))

    @same_code
    def test_file_one_thread(self):
        self.check_partial_file("--threads", "1")

    def test_file_two_threads(self):
        self.check_partial_file("--threads", "2")

    def test_crowds(self):
        """More threads than cores."""
        self.check_partial_file("--threads", "8")
        self.partial.unlink()
        self.check_partial_file("--threads", "16", "--target", "closed")

    def test_sorted_file(self):
        """It is written for a moment, in no order."""
        self.check_partial_file("--sort", "--threads", "2", soon=4 * SOON)

    def test_sorted_families(self):
        """What was kept folded when the signal came is in the file, too."""
        data = Path(self.folder.name, "thick.dat")
        thick_data(data)
        for threads in ("1", "2"):
            command = [LODE, "itemsets", str(data), "-s", "200", "--sort", "--threads", threads]
            process = self.watch(subprocess.Popen([*command, "-o", str(self.out)], text=True,
                                                  stderr=subprocess.PIPE))
            code, said = self.interrupt(process, soon=4 * SOON)
            self.assertEqual(code, 130)
            found = re.search(r"is partial, ([0-9,]+) (?:itemsets so far|of [0-9,]+ itemsets)", said)
            self.assertTrue(found, said)
            with self.partial.open("rb") as lines:
                count = sum(block.count(b"\n") for block in iter(lambda: lines.read(1 << 20), b""))
            self.assertEqual(count, int(found[1].replace(",", "")))
            self.partial.unlink()

    def cut_short(self, *command):
        """Interrupts a job that writes into a pipe; returns what came and what it said."""
        report = Path(self.folder.name, "out.json")
        process = self.watch(subprocess.Popen(
            [LODE, *command, "--sort", "--threads", "2", "--report", f"json={report}"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE))
        self.addCleanup(process.stdout.close)
        pieces = [os.read(process.stdout.fileno(), 1 << 16)]
        while sum(map(len, pieces)) < 1 << 17:  # more than a head: the result is being written
            pieces.append(os.read(process.stdout.fileno(), 1 << 16))
        process.send_signal(signal.SIGINT)
        while pieces[-1]:  # so slowly that all of it takes longer than a moment
            time.sleep(0.002)
            pieces.append(os.read(process.stdout.fileno(), 1 << 16))
        said = process.communicate(timeout=DEADLINE)[1].decode()
        self.assertEqual(process.returncode, 130, said)
        return b"".join(pieces), said, json.loads(report.read_text())["patterns"]

    def check_cut_short(self, kind, form, n_items, total):
        """What is said to be written is what came, in order or not, and not what was found."""
        same = Path(self.folder.name, "same.dat")
        same.write_text(" ".join(map(str, range(10, 10 + n_items))) + "\n")
        text, said, patterns = self.cut_short(kind, str(same), "-s", "1", "-w", form)
        found = re.search(rf"the result is partial, ([0-9,]+) of ([0-9,]+) {kind} written\n", said)
        self.assertTrue(found, said)
        written, all_found = (int(number.replace(",", "")) for number in found.groups())
        self.assertEqual(all_found, total)
        self.assertEqual((patterns["total"], patterns["unwritten"]), (total, total - written))
        if form == "arrow":
            stored = Path(self.folder.name, "out.arrow")
            stored.write_bytes(text)
            count = subprocess.run([LODE, "query", str(stored), "--count"], check=True,
                                   capture_output=True, text=True).stdout
            self.assertEqual(int(count), written)
        else:
            self.assertTrue(text.endswith(b"\n"))
            lines = text.splitlines()
            self.assertEqual(len(lines) - (form == "csv"), written)
            self.assertEqual(len(set(lines)), len(lines))

    def test_cut_short(self):
        """Interrupted while a sorted result is written: it tells how much of it is."""
        for form in ("fimi", "arrow") if SANITIZED else ("fimi", "csv", "arrow"):
            self.check_cut_short("itemsets", form, 19, (1 << 19) - 1)
        for form in ("csv", "arrow") if SANITIZED else ("text", "jsonl", "arrow"):
            self.check_cut_short("rules", form, 16, 16 * ((1 << 15) - 1))

    def check_bounded(self, kind, *options):
        """Interrupted during the search, with a reader that would take long for all of it."""
        command = [LODE, kind, str(self.data), "-s", str(SUPPORT), "--threads", "2", *options]
        process = self.watch(subprocess.Popen(command, stdin=subprocess.DEVNULL,
                                              stdout=subprocess.PIPE, stderr=subprocess.PIPE))
        self.addCleanup(process.stdout.close)
        let_run(process, 2 * MID_RUN)
        self.check_runs(process)
        effort = Effort(process)
        process.send_signal(signal.SIGINT)
        n_lines, block = 0, b"."
        while block:
            block = os.read(process.stdout.fileno(), 1 << 16)
            n_lines += block.count(b"\n")
            time.sleep(0.02)
        said = process.communicate(timeout=DEADLINE)[1].decode()
        effort.check(self, 4 * SOON)
        self.assertEqual(process.returncode, 130, said)
        found = re.search(rf"the result is partial, ([0-9,]+) of ([0-9,]+) {kind} written\n", said)
        self.assertTrue(found, said)
        written, all_found = (int(number.replace(",", "")) for number in found.groups())
        self.assertEqual(n_lines, written)
        self.assertGreater(written, 1000)
        self.assertGreater(all_found, written)

    def test_sorted_is_bounded(self):
        self.check_bounded("itemsets", "--sort")
        self.check_bounded("itemsets", "--sort-by", "lift")
        self.check_bounded("rules", "--sort-by", "lift")
        if not SANITIZED:
            self.check_bounded("rules", "--sort")

    def check_rows(self, rows):
        """Pairs of items and support: none comes twice, and a sample has the right supports."""
        self.assertGreater(len(rows), 1000)
        self.assertEqual(len({items for items, _ in rows}), len(rows))
        for items, support in random.Random(2).sample(rows, 20):
            self.assertEqual(support, sum(items <= basket for basket in self.baskets), items)

    def interrupted_rows(self, form):
        """A partial file for the order of lift, and how many rows it is said to have."""
        out = Path(self.folder.name, f"out.{form}")
        code, said = self.interrupt(
            self.start("-o", str(out), "-w", form, "--sort-by", "lift", "--threads", "2"),
            soon=4 * SOON)
        self.assertEqual(code, 130)
        partial = Path(f"{out}.partial")
        found = re.search(r"is partial, ([0-9,]+) (?:of [0-9,]+ itemsets written|itemsets so far), "
                          r"in " + re.escape(str(partial)), said)
        self.assertTrue(found, said)
        self.assertIn("the partial result is not sorted", said)
        text = partial.read_bytes()
        partial.unlink()
        return text, int(found[1].replace(",", ""))

    def test_measure_order_keeps_rows(self):
        """Of a result in the order of a measure, what a moment allows is written, unsorted."""
        text, count = self.interrupted_rows("jsonl")
        rows = [json.loads(line) for line in text.splitlines()]
        self.assertEqual(len(rows), count)
        self.check_rows([(frozenset(map(int, row["items"])), row["count"]) for row in rows])
        text, count = self.interrupted_rows("csv")
        rows = [line.split(",") for line in text.decode().splitlines()[1:]]
        self.assertEqual(len(rows), count)
        self.check_rows([(frozenset(map(int, row[0].split("|"))), int(row[2])) for row in rows])

    @same_code
    def test_measure_order_keeps_binary(self):
        text, count = self.interrupted_rows("arrow")
        stored = Path(self.folder.name, "out.arrow")
        stored.write_bytes(text)
        done = subprocess.run([LODE, "query", str(stored), "--count"], check=True,
                              capture_output=True, text=True)
        self.assertEqual(int(done.stdout), count)
        text, count = self.interrupted_rows("xlsx")
        with zipfile.ZipFile(io.BytesIO(text)) as book:
            sheet = book.read("xl/worksheets/sheet1.xml")
        self.assertEqual(sheet.count(b"<row"), count + 1)

    def test_support_order_keeps_rows(self):
        self.check_partial_file("--sort-by", "support", "--threads", "2", soon=4 * SOON)

    @same_code
    def test_measure_order_has_a_table(self):
        with self.out.open("w") as out:
            code, said = self.interrupt(
                self.start("--sort-by", "lift", "--rows", "5", stdout=out), soon=4 * SOON)
        self.assertEqual(code, 130)
        self.assertEqual(len(re.findall(r"^[0-9, ]+ .*%", self.out.read_text(), re.M)), 5, said)

    def test_limit_with_measure_order(self):
        """A limit keeps and sorts everything."""
        limit = 20000 if SANITIZED else 200000
        done = subprocess.run([LODE, "itemsets", str(self.data), "-s", str(SUPPORT), "-w", "jsonl",
                               "--sort-by", "lift", "--limit-patterns", str(limit)],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertNotIn("not sorted", done.stderr)
        rows = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(len(rows), limit)
        order = [(-row["lift"], -row["count"]) for row in rows]
        self.assertEqual(order, sorted(order))
        self.check_rows([(frozenset(map(int, row["items"])), row["count"]) for row in rows])

    def test_best_rules_so_far(self):
        """Of the best 500 and those equal to the last, what was found is written, all of it."""
        command = [LODE, "rules", str(self.data), "-s", str(SUPPORT), "--sort-by", "lift", "--top", "500"]
        with self.out.open("w") as out:
            process = self.watch(subprocess.Popen(command, stdout=out, stderr=subprocess.PIPE,
                                                  text=True))
            code, said = self.interrupt(process)
        self.assertEqual(code, 130)
        found = re.search(r"the result is partial, (\d+) rules so far", said)
        self.assertTrue(found, said)
        self.assertGreaterEqual(int(found[1]), 500)
        self.assertEqual(len(self.out.read_text().splitlines()), int(found[1]))

    def test_sorted_by_measure_counts_all(self):
        """A run that ends by itself has written everything, and says so."""
        report = Path(self.folder.name, "out.json")
        subprocess.run([LODE, "rules", str(self.data), "-s", "20%", "--max-size", "2", "--sort-by",
                        "lift", "-o", str(self.out), "--report", f"json={report}"], check=True)
        patterns = json.loads(report.read_text())["patterns"]
        self.assertEqual(patterns["total"], len(self.out.read_text().splitlines()))
        self.assertEqual(patterns.get("unwritten", 0), 0)

    @same_code
    def test_terminated(self):
        self.check_partial_file(signal_number=signal.SIGTERM)

    @same_code
    def test_terminal_closed(self):
        self.check_partial_file(signal_number=signal.SIGHUP)

    @same_code
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

    @same_code
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

    @same_code
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
        code, said = self.interrupt(process, signal_number, wait=let_stand_still)
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
            let_run(process, MID_RUN * (1 + i % 4 / 2))
            self.check_runs(process)
            first = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)[i % 3]
            process.send_signal(first)
            for signal_number in (first, signal.SIGTERM, signal.SIGINT):
                time.sleep(waits[i % len(waits)])
                try:
                    os.killpg(process.pid, signal_number)
                except ProcessLookupError:  # so soon
                    break
            said = process.communicate(timeout=DEADLINE)[1]
            self.assertEqual(process.returncode, 130, said)
            self.assertIn("interrupted: the result is partial", said)
            self.assertEqual([path.name for path in self.out.parent.glob("out*")],
                             ["out.txt.partial"])
            self.partial.unlink()

    @same_code
    def test_timeout(self):
        for seconds in (3 * MID_RUN, 12 * MID_RUN, 48 * MID_RUN):  # until it comes after the start
            done = subprocess.run(["timeout", str(seconds), LODE, "itemsets", str(self.data), "-s",
                                   str(SUPPORT), "-o", str(self.out), "-q"],
                                  stderr=subprocess.PIPE, text=True)
            self.assertEqual(done.returncode, 124)
            if "partial" in done.stderr:
                break
        self.assertIn("interrupted: the result is partial", done.stderr)
        self.assertTrue(self.partial.exists())

    def hold_up(self, *options, first=signal.SIGINT, later=signal.SIGINT, **what):
        """A reader that does not read holds the writer up; a later signal ends even that."""
        read, write = os.pipe()
        process = self.start("--threads", "1", *options, stdout=write, **what)
        os.close(write)
        let_stand_still(process)
        process.send_signal(first)
        process.send_signal(later)  # within a second: the same request
        let_stand_still(process)
        self.assertIsNone(process.poll())
        while process.poll() is None:  # a second after the first was heard, whenever that was
            process.send_signal(later)
            time.sleep(0.2)
        said = process.communicate(timeout=DEADLINE)[1]
        os.close(read)
        self.assertEqual(process.returncode, -later)
        self.assertIn("interrupted twice", said)

    def test_later_interrupt_kills(self):
        self.hold_up()

    def test_later_interrupt_ends_sorted_writing(self):
        """The result is complete, and its reader does not read."""
        data = Path(self.folder.name, "same.dat")
        data.write_text(" ".join(map(str, range(10, 29))) + "\n")
        self.hold_up("--sort", data=data, support="1")

    @same_code
    def test_later_signal_of_another_kind_kills(self):
        self.hold_up(first=signal.SIGTERM, later=signal.SIGHUP)

    def test_killing_leaves_no_file(self):
        """What ends the program at once takes the unfinished file with it."""
        for signal_number in (signal.SIGQUIT, signal.SIGPIPE):
            process = self.start("-o", str(self.out))
            let_run(process, MID_RUN)
            wait_until(lambda: list(self.out.parent.glob("out.txt.tmp.*")), "the unfinished file")
            process.send_signal(signal_number)
            if signal_number == signal.SIGPIPE:  # a result that goes to a file does not need readers
                time.sleep(0.1)
                self.assertIsNone(process.poll())
                process.send_signal(signal.SIGTERM)
            process.communicate(timeout=DEADLINE)
            want = 130 if signal_number == signal.SIGPIPE else -signal_number
            self.assertEqual(process.returncode, want)
            self.assertEqual(list(self.out.parent.glob("out.txt.tmp*")), [])

    def test_limit_of_processor_time(self):
        """The soft limit asks; what was found is kept."""
        def limit():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_CPU, (1, 60))
        process = self.start("-o", str(self.out), preexec_fn=limit)
        said = process.communicate(timeout=DEADLINE)[1]
        self.assertEqual(process.returncode, 130, said)
        self.assertTrue(self.partial.exists())

    def test_limit_of_file_size(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
        process = self.start("-o", str(self.out), preexec_fn=limit)
        said = process.communicate(timeout=DEADLINE)[1]
        self.assertEqual(process.returncode, 1)
        self.assertIn(f"cannot write '{self.out}': File too large", said)
        self.assertEqual(list(self.out.parent.glob("out*")), [])

    def test_others(self):
        """Generators and comparisons end as well, once, and leave nothing."""
        commands = [["generate", "quest", "-n", "100000000", "-o", str(self.out)],
                    ["compare", str(self.data), "-s", str(SUPPORT), "--repeat", "1"]]

        def at_work(process):  # a comparison computes in other processes
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
            return max(map(processor_seconds, [process.pid, *children])) >= MID_RUN
        for command in commands:
            process = self.watch(subprocess.Popen([LODE, *command], stdout=subprocess.PIPE,
                                                  stderr=subprocess.PIPE, text=True,
                                                  start_new_session=True))
            wait_until(lambda: at_work(process), f"{command[0]} at work")
            for signal_number in (signal.SIGTERM, signal.SIGTERM, signal.SIGHUP):
                os.killpg(process.pid, signal_number)
            printed, said = process.communicate(timeout=DEADLINE)
            self.assertEqual(process.returncode, 130, said)
            self.assertIn("interrupted", printed + said)
            self.assertEqual(list(self.out.parent.glob("out*")), [])

    def test_regular_expression(self):
        """A match that takes long, on names of 60,000 letters, hears the signal."""
        draw, stored = random.Random(7), Path(self.folder.name, "long.arrow")
        names = [f"{draw.getrandbits(60000):060000b}".translate({48: "a", 49: "b"}) for _ in range(100)]
        subprocess.run([LODE, "itemsets", "-", "-s", "1", "-w", "arrow", "-o", str(stored), "-q"],
                       input="".join(f"{name},x\n" for name in names), text=True, check=True)
        process = self.watch(subprocess.Popen(
            [LODE, "query", str(stored), "--match", "(a|b)*a(a|b){1000}z", "--count"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True))
        code, said = self.interrupt(process)
        self.assertEqual(code, 130)
        self.assertIn("interrupted", said)

    def check_unfinished(self):
        """What was written is there, and right but for the last line; the next run says so."""
        unfinished, = self.out.parent.glob("out.txt.tmp.*")
        self.assertFalse(self.out.exists() or self.partial.exists())
        with unfinished.open("rb") as file:  # its end is enough, and takes less time
            file.seek(max(0, unfinished.stat().st_size - (1 << 20)))
            end = file.read().decode()
        whole = self.out.parent / "out.whole"
        whole.write_text(end.partition("\n")[2].rpartition("\n")[0] + "\n")
        self.check_lines(whole)
        done = subprocess.run([LODE, "itemsets", str(self.data), "-s", "50%", "-o", str(self.out)],
                              stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, re.escape(str(unfinished)) + r"' \([0-9.]+ [KMG]iB\) was left "
                         r"by an earlier run that was killed or crashed.* Rename it to keep it")
        return unfinished

    def test_killed(self):
        process = self.start("-o", str(self.out))
        let_run(process, MID_RUN)
        process.kill()
        process.communicate()
        self.assertEqual(process.returncode, -signal.SIGKILL)
        self.check_unfinished()

    @unittest.skipIf(SANITIZED, "sanitizers have handlers of their own, which stay")
    def test_crashed(self):
        """A crash says what it is and where the output is, and ends by the same signal."""
        def limit():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        for signal_number in (signal.SIGSEGV, signal.SIGABRT):
            process = self.start("-o", str(self.out), preexec_fn=limit)
            code, said = self.interrupt(process, signal_number)
            self.assertEqual(code, -signal_number)
            self.assertIn("This is a bug in lode", said)
            self.assertIn(f"is in '{self.out}.tmp.{process.pid}'", said)
            self.check_unfinished().unlink()
            self.out.unlink()
        process = self.start("-o", str(self.out), "--journal", preexec_fn=limit)
        wait_until(Path(f"{self.out}.journal").exists, "the journal")
        code, said = self.interrupt(process, signal.SIGBUS)
        self.assertEqual(code, -signal.SIGBUS)
        self.assertIn("This is a bug in lode", said)
        self.assertIn("the same command with --resume", said)

    def test_full_device(self):
        process = self.start("-o", "/dev/full")
        said = process.communicate(timeout=DEADLINE)[1]
        self.assertEqual(process.returncode, 1)
        self.assertIn("cannot write '/dev/full': No space left on device", said)
        with open("/dev/full", "w") as full:
            process = self.start(stdout=full)
            said = process.communicate(timeout=DEADLINE)[1]
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
            said = process.communicate(timeout=DEADLINE)[1]
            self.assertEqual(process.returncode, 1)
            self.assertIn(f"cannot write '{target}': No space left on device", said)
            self.assertEqual(list(disk.iterdir()), [])
            process = self.start("--sort", "--memory", "24M", env={**os.environ, "TMPDIR": disk})
            said = process.communicate(timeout=DEADLINE)[1]
            self.assertEqual(process.returncode, 1)
            self.assertIn(f"the temporary file of --sort in '{disk}': No space left on device", said)
        finally:
            subprocess.run(["umount", str(disk)], check=True)


if __name__ == "__main__":
    sys.stdout.reconfigure(line_buffering=True)
    unittest.main(verbosity=0)
