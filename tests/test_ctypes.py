#!/usr/bin/env python3
"""The shared library from another language, as a binding would use it.

SPDX-License-Identifier: Apache-2.0
"""
import ctypes as c
import itertools
import os
import random
import tempfile
import threading
import time
import unittest

import binding
import library

PATH = library.find(os.environ.get("LODE_BIN"))


def brute(transactions, support):
    """{items: support} of small data."""
    items = sorted({item for row in transactions for item in row})
    found = {}
    for size in range(1, len(items) + 1):
        for some in itertools.combinations(items, size):
            n = sum(set(some) <= set(row) for row in transactions)
            if n >= support:
                found[some] = n
    return found


def draw(seed, n_transactions, n_items, share):
    source = random.Random(seed)
    return [[item * 10 for item in range(1, n_items + 1) if source.random() < share]
            for _ in range(n_transactions)]


SMALL = draw(1, 60, 9, 0.5)
LARGE = draw(2, 3000, 50, 0.5)  # more patterns than anybody can wait for


class Ctypes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.lode = binding.Library(PATH)

    def setUp(self):
        self.ctx = c.c_void_p()
        self.assertEqual(self.lode.ctx_create(c.byref(self.ctx),
                                              c.byref(binding.CtxOptions(threads=4))), 0)

    def tearDown(self):
        self.assertEqual(self.lode.ctx_memory_used(self.ctx), 0)
        self.lode.ctx_free(self.ctx)

    def job(self, **options):
        job = binding.Job(self.lode, self.ctx, device=b"cpu", **options)
        self.addCleanup(job.free)  # comes behind tearDown(): the job holds the context
        return job

    def test_from_arrays(self):
        job = self.job()
        data = job.from_arrays(SMALL)
        for support in (1, 5, 20):
            self.assertEqual(job.patterns(data, support), brute(SMALL, support))
        self.assertEqual(job.count(data, 5), len(brute(SMALL, 5)))
        self.lode.dataset_free(data)

    def test_from_a_file(self):
        job = self.job()
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
            file.write("milk,bread\nmilk,bread,eggs\neggs\n")
            file.flush()
            data = job.make(self.lode.dataset_open, file.name.encode(), None)
        found = {}
        for items, support in job.patterns(data, 2).items():
            names = []
            for item in items:
                name = c.create_string_buffer(64)
                length = self.lode.dataset_item_name(data, item, name, 64)
                names.append(name.raw[:length].decode())
            found[" ".join(names)] = support
        self.lode.dataset_free(data)
        self.assertEqual(found, {"bread": 2, "eggs": 2, "milk": 2, "bread milk": 2})

    def test_errors(self):
        job = self.job()
        with self.assertRaisesRegex(binding.Error, "no-such-file.csv") as caught:
            job.make(self.lode.dataset_open, b"no-such-file.csv", None)
        self.assertEqual(caught.exception.status, binding.NOTFOUND)
        data = job.from_arrays(SMALL)
        with self.assertRaisesRegex(binding.Error, "no algorithm 'magic'"):
            job.count(data, 5, algorithm=b"magic")
        with self.assertRaisesRegex(binding.Error, "minimum support is missing"):
            job.count(data, 0)
        with self.assertRaisesRegex(binding.Error, "target is 77; expected 0 to"):
            job.count(data, 5, target=77)
        self.lode.dataset_free(data)
        # Without a job, what was wrong is told to the thread that asked.
        with self.assertRaisesRegex(binding.Error, "threads is 5000; expected 0 to 1024"):
            binding.Job(self.lode, self.ctx, threads=5000)
        options = binding.JobOptions()
        options.size = 0
        out = c.c_void_p()
        status = self.lode.job_create(c.byref(out), None, c.byref(options))
        self.assertEqual((status, out.value), (binding.INVALID, None))
        self.assertIn(b"size of a lode_job_options is not set", self.lode.job_error(None))

    def cancel_later(self, job):
        def cancel():
            time.sleep(0.3)
            self.lode.job_cancel(job.handle)
        thread = threading.Thread(target=cancel)
        thread.start()
        self.addCleanup(thread.join)

    def test_cancel_and_polled_progress(self):
        job = self.job()
        data = job.from_arrays(LARGE)
        shares, cancelled = [], []

        def poll():
            while len(shares) < 10:
                progress = job.progress()
                if progress.phase == b"mine":
                    shares.append(progress.share)
                time.sleep(0.01)
            cancelled.append(time.process_time())
            self.lode.job_cancel(job.handle)
        poller = threading.Thread(target=poll, daemon=True)
        poller.start()
        with self.assertRaises(binding.Error) as caught:
            job.count(data, 2)
        seconds = time.process_time() - cancelled[0]
        poller.join()
        self.assertEqual(caught.exception.status, binding.CANCELLED)
        self.assertLess(seconds, 5)  # of the processors
        self.assertEqual(shares, sorted(shares))
        self.assertTrue(all(0 <= share <= 1 for share in shares))
        self.lode.dataset_free(data)

    def test_progress_by_callback(self):
        threads, shares = set(), []

        @binding.PROGRESS
        def told(_, progress):
            threads.add(threading.get_ident())
            shares.append(progress.contents.share)
            return len(shares) == 3  # then it has had enough

        job = self.job(progress=told)
        data = job.from_arrays(LARGE)
        with self.assertRaises(binding.Error) as caught:
            job.count(data, 2, algorithm=b"frontier")
        self.assertEqual(caught.exception.status, binding.CANCELLED)
        self.assertEqual((threads, len(shares)), ({threading.get_ident()}, 3))
        self.assertEqual(shares, sorted(shares))
        self.lode.dataset_free(data)

    def test_batches_by_callback(self):
        """From threads that Python has not made."""
        found, threads = {}, set()

        @binding.BATCH
        def take(_, batch):
            b = batch.contents
            threads.add(threading.get_ident())
            prefix, perfect = b.prefix[:b.n_prefix], b.perfect[:b.n_perfect]
            for item, support in zip(b.items[:b.n], b.supports[:b.n]):
                for size in range(len(perfect) + 1):
                    for more in itertools.combinations(perfect, size):
                        found[tuple(sorted([*prefix, item, *more]))] = support
            return 0

        job = self.job()
        data = job.from_arrays(SMALL)
        sink = job.make(self.lode.sink_callback, take, None)
        job.mine(data, sink, 3)
        self.lode.sink_free(sink)
        self.lode.dataset_free(data)
        self.assertEqual(found, brute(SMALL, 3))

    def test_eight_threads(self):
        """Each with a job of its own, on data that all share; one of them is cancelled."""
        first = self.job()
        data, large = first.from_arrays(SMALL), first.from_arrays(LARGE)
        want = {support: brute(SMALL, support) for support in range(2, 9)}
        wrong, outcomes = [], []

        def work(support):
            job = self.job(threads=2)
            for _ in range(5):
                if job.patterns(data, support) != want[support]:
                    wrong.append(support)
            own = job.from_arrays(SMALL)
            outcomes.append(job.count(own, support) == len(want[support]))
            self.lode.dataset_free(own)

        def be_cancelled():
            job = self.job(threads=2)
            self.cancel_later(job)
            try:
                job.count(large, 2)
            except binding.Error as error:
                outcomes.append(error.status == binding.CANCELLED)

        threads = [threading.Thread(target=work, args=(support,)) for support in want]
        threads.append(threading.Thread(target=be_cancelled))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.lode.dataset_free(data)
        self.lode.dataset_free(large)
        self.assertEqual((wrong, outcomes), ([], [True] * 8))


if __name__ == "__main__":
    unittest.main()
