"""Jobs: Ctrl-C, progress, threads, forks, and memory that stays flat.

SPDX-License-Identifier: Apache-2.0
"""
import gc
import io
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
import unittest
import unittest.mock

import lode
from support import SANITIZED, as_dict, brute, draw

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ROWS = draw(5, 60, 9, 0.4)
EXPECTED = brute(ROWS, 3)
LARGE = draw(2, 3000, 50, 0.5)  # more patterns than anybody can wait for


def resident():
    """Bytes of memory that the process has."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def interrupt_after(seconds):
    """What Ctrl-C does, after some seconds of processor time: by the clock's signal, which needs no other
    thread."""
    signal.signal(signal.SIGPROF, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_PROF, seconds)


class Enough(Exception):
    pass


def until(times, do):
    """A progress function that ends the job when it was told of its search some times."""
    told = []

    def progress(now):
        do(now)
        told.extend([now] * (now.phase == "mine"))
        if len(told) == times:
            raise Enough
    return progress


class Interrupts(unittest.TestCase):
    def test_keeps_what_was_found(self):
        data = lode.Data(LARGE)
        interrupt_after(2 if SANITIZED else 0.3)
        began = time.process_time()
        with self.assertRaises(KeyboardInterrupt) as caught:
            data.count(2, max_size=12)
        took = time.process_time() - began
        self.assertLess(took, (20 if SANITIZED else 3) * max(2, os.cpu_count()))
        self.assertGreater(caught.exception.partial, 0)
        self.assertFalse(caught.exception.partial.complete)

    def test_itemsets(self):
        data = lode.Data(draw(2, 300, 30, 0.5))
        interrupt_after(2 if SANITIZED else 0.3)
        try:
            found = data.itemsets(1, max_size=9)
            self.fail(f"{len(found)} patterns were found before the interrupt")
        except KeyboardInterrupt as interrupt:
            found = interrupt.partial
        self.assertFalse(found.complete)
        for one in found[:5]:
            rows = [row for row in range(data.n) if set(one.items) <= set(data[row])]
            self.assertEqual(len(rows), one.support)

    def test_random_moments(self):
        """At any moment, also between calls and while data are made: the interpreter stays usable."""
        source = random.Random(4)
        n = 10 if SANITIZED else 50
        hits = 0
        data = lode.Data(LARGE)
        for _ in range(n):
            try:
                interrupt_after(0.001 + source.random() * 0.12)
                while True:
                    lode.Data(ROWS).itemsets(3)
                    lode.Data(LARGE[:300])
                    data.count(900)
                    data.rules(900, 0.9)
            except KeyboardInterrupt:
                hits += 1
                self.assertEqual(as_dict(lode.Data(ROWS).itemsets(3)), EXPECTED)
        self.assertEqual(hits, n)


class ProgressShown(unittest.TestCase):
    def test_function(self):
        seen = []
        with self.assertRaises(Enough):
            lode.Data(LARGE).count(2, progress=until(3, seen.append))
        self.assertIn("mine", {p.phase for p in seen})
        self.assertTrue(all(0 <= p.share <= 1 for p in seen))

    def test_what_it_raises_ends_the_job(self):
        def stop(progress):
            raise RuntimeError("enough")
        with self.assertRaisesRegex(RuntimeError, "enough") as caught:
            lode.Data(LARGE).count(2, progress=stop)
        self.assertFalse(caught.exception.partial.complete)

    def test_calls_within_it(self):
        found = []
        def mine(progress):
            found.append(len(lode.Data(ROWS).itemsets(3)))
        with self.assertRaises(Enough):
            lode.Data(LARGE).count(2, progress=until(3, mine))
        self.assertEqual(set(found), {len(EXPECTED)})

    def test_bars(self):
        for tqdm in (True, False):
            out = io.StringIO()
            out.isatty = lambda: True
            hidden = {} if tqdm else {"tqdm": None, "tqdm.auto": None}
            with unittest.mock.patch.dict(sys.modules, hidden), \
                    unittest.mock.patch("sys.stderr", out):
                for seconds in (0.5, 2, 8, 32):  # on a busy machine the first are too short
                    lode.Data(LARGE).count(2, limit_time=seconds, progress=True)
                    if "mine" in out.getvalue():
                        break
            self.assertRegex(out.getvalue(), "mine +[0-9]+%")

    def test_silence(self):
        out = io.StringIO()
        with unittest.mock.patch.dict(sys.modules, {"tqdm": None, "tqdm.auto": None}), \
                unittest.mock.patch("sys.stderr", out):
            lode.Data(LARGE).count(2, limit_time=0.3, progress=True)
        self.assertEqual(out.getvalue(), "")  # no terminal, no text


class Threads(unittest.TestCase):
    def test_eight_at_once(self):
        shared = lode.Data(ROWS)
        wrong = []

        def work(number):
            for i in range(20):
                data = shared if i % 2 else lode.Data(ROWS)
                if as_dict(data.itemsets(3)) != EXPECTED:
                    wrong.append((number, i))
                if len(data.rules(3, 0.5)) != rules:
                    wrong.append((number, i, "rules"))

        rules = len(shared.rules(3, 0.5))
        threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_the_gil_is_released(self):
        """While lode works, other threads of Python run: one ends the search, which takes hours."""
        data, begins = lode.Data(LARGE), threading.Event()
        signal.signal(signal.SIGALRM, signal.default_int_handler)

        def tick():
            begins.wait()
            for _ in range(50):
                time.sleep(0.001)
            signal.pthread_kill(threading.main_thread().ident, signal.SIGALRM)

        thread = threading.Thread(target=tick)
        thread.start()
        with self.assertRaises(KeyboardInterrupt):
            begins.set()
            data.count(2, limit_time=120)
        thread.join()


class Forks(unittest.TestCase):
    def test_child_mines(self):
        """After a job: in the child, with the parent's data and with its own."""
        data = lode.Data(ROWS)
        data.itemsets(3)
        kept = data.itemsets(2)
        children = []
        for _ in range(4):
            child = os.fork()
            if child == 0:
                try:
                    fine = (as_dict(data.itemsets(3)) == EXPECTED and
                            as_dict(lode.Data(ROWS).itemsets(3)) == EXPECTED and
                            len(kept.to_lists()) == len(kept))
                    os._exit(0 if fine else 1)
                finally:
                    os._exit(2)
            children.append(child)
        for child in children:
            self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(as_dict(data.itemsets(3)), EXPECTED)


def small_calls(n):
    """About n calls of lode, of every kind."""
    for i in range(n // 4):
        data = lode.Data(ROWS[:20] if i % 2 else [["a", "b"], ["a"]])
        found = data.itemsets(2)
        found.supports, found[1:], list(found[:2])
        data.rules(2, 0.5)["lift"]
        if i % 10 == 0:
            try:
                data.itemsets(0)
            except lode.InvalidError:
                pass
            found.__arrow_c_stream__()


class Leaks(unittest.TestCase):
    @unittest.skipIf(SANITIZED, "ASan keeps freed memory back; it looks for leaks itself, below")
    def test_flat(self):
        n = 10_000
        small_calls(n // 5)
        gc.collect()
        before = resident()
        small_calls(n - n // 5)
        gc.collect()
        grown = resident() - before
        self.assertLess(grown, 4 << 20)

    @unittest.skipUnless(SANITIZED, "leaks are looked for in the ASan build")
    def test_no_leak_of_ours(self):
        """LeakSanitizer at the end of a process: Python leaks by design, lode must not."""
        code = "import test_jobs; test_jobs.small_calls(120)"
        environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=1", "PYTHONMALLOC": "malloc",
                       "PYTHONPATH": os.pathsep.join(sys.path)}
        ran = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True,
                             text=True, check=False)
        self.assertNotIn("Traceback", ran.stderr)
        leaks = [block for block in re.split(r"\n\n", ran.stderr) if "leak of" in block]
        ours = [block for block in leaks if ROOT in block]
        self.assertEqual(ours, [], "\n\n".join(ours))


if __name__ == "__main__":
    unittest.main()
