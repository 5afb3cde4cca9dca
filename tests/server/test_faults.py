#!/usr/bin/env python3
"""What happens to results when workers or the server are killed, the disk is full or closed.

A few rounds of each in the everyday tier, 40 with LODE_LONG=1. The moments are random; the seed is
printed, and LODE_SEED repeats a run.

SPDX-License-Identifier: Apache-2.0
"""
import contextlib
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from serving import LODE, PATIENCE, PROGRAM, SANITIZED, Server, dense, within

ROUNDS = 40 if os.environ.get("LODE_LONG") else 4
SEED = int(os.environ.get("LODE_SEED", random.randrange(1 << 30)))
CHANCE = random.Random(SEED)
NOBODY = 65534


def baskets(rows=2000):
    lines = (" ".join(str(CHANCE.randrange(60)) for _ in range(12)) for _ in range(rows))
    return "\n".join(lines).encode() + b"\n"


def post(server, dataset, **options):
    made = server.post("jobs", {"dataset": dataset, "kind": "itemsets", "options": {
        name.replace("_", "-"): value for name, value in options.items()}})
    assert made.status == 201, made
    return made.json["id"]


def check_result(server, job):
    """The result of a finished job is there, whole, and answers."""
    path = server.data / "results" / f"{job['id']}.arrow"
    assert path.stat().st_size == job["bytes"], (path.stat().st_size, job)
    page = server.get(f"jobs/{job['id']}/patterns", {"rows": 3})
    assert page.status == 200 and page.json["total"] == job["patterns"], (page, job)


def check_database(server):
    with contextlib.closing(sqlite3.connect(server.data / "lode.sqlite")) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def check_files(server):
    """Of results, only those of finished jobs; nothing temporary."""
    jobs = {job["id"]: job for job in server.get("jobs", {"limit": 1000}).json["jobs"]}
    for path in (server.data / "results").iterdir():
        number = path.name.removesuffix(".arrow")
        assert number.isdigit() and jobs[int(number)]["state"] in ("done", "kept", "limit", "running"), path
    within(PATIENCE, lambda: not list((server.data / "tmp").iterdir()), "temporary files are left")


# ---- kill -9 of a worker ---------------------------------------------------------------------------


def workers_of(server):
    return {worker["dataset"]: worker["pid"] for worker in server.get("status").json["workers"] if worker["pid"]}


def test_killed_worker():
    with Server("--workers", "3") as server:
        endless, other = server.upload(dense(), "dense.dat"), server.upload(baskets(), "baskets.dat")
        kept = server.mine(other, min_support="5%")
        assert kept["state"] == "done", kept
        for _ in range(ROUNDS):
            beside = workers_of(server).get(other)
            number = post(server, endless, min_support="5")
            pid = within(PATIENCE, lambda: workers_of(server).get(endless), "no worker")
            time.sleep(CHANCE.random() * 0.15)
            os.kill(pid, signal.SIGKILL)
            job = server.await_job(number)
            assert job["state"] == "lost" and "signal 9" in job["message"] and job["hint"], job
            assert workers_of(server).get(other) == beside, "the other worker is another one"
            check_result(server, kept)
            again = server.mine(endless, min_support="390")
            assert again["state"] == "done", again
        within(PATIENCE, lambda: not [path for path in (server.data / "results").iterdir()
                                      if not path.name.endswith(".arrow")], "half a file is left")


# ---- kill -9 of the server -------------------------------------------------------------------------


def stored_state(server, number):
    with contextlib.closing(sqlite3.connect(server.data / "lode.sqlite", timeout=PATIENCE)) as database:
        return database.execute("SELECT state FROM jobs WHERE id = ?", (number,)).fetchone()[0]


def kill_round(server, datasets, finished):
    """Runs, queues and finishes jobs, kills the server at a random moment, and starts it again."""
    endless, other = datasets
    cut = post(server, endless, min_support="5")
    waiting = post(server, endless, min_support="390")
    short = [post(server, other, min_support=f"{CHANCE.randrange(40, 200)}") for _ in range(3)]
    within(PATIENCE, lambda: stored_state(server, cut) == "running", "it does not begin")
    if not finished:
        server.await_job(short[0])
    time.sleep(CHANCE.random() * 0.3)
    for number in short:
        job = server.get(f"jobs/{number}").json
        if job["state"] == "done":
            finished[number] = job
    server.kill()
    within(PATIENCE, lambda: not server.processes(), "processes survive the server", server.processes)
    server.restart()
    check_database(server)
    job = server.get(f"jobs/{cut}").json
    assert job["state"] == "lost" and "stopped unexpectedly" in job["message"], job
    for number, before in finished.items():
        after = server.get(f"jobs/{number}").json
        assert after == before, (before, after)
        check_result(server, after)
    # What waited goes on; what ran is lost; nothing is in between.
    assert server.await_job(waiting)["state"] == "done"
    for number in short:
        assert server.await_job(number)["state"] in ("done", "lost")
    check_files(server)


def test_killed_server():
    with Server("--workers", "2") as server:
        datasets = server.upload(dense(), "dense.dat"), server.upload(baskets(), "baskets.dat")
        finished = {}
        for _ in range(ROUNDS):
            kill_round(server, datasets, finished)
        assert finished, "no job ended before a kill: the test shows nothing"


def test_files_left_behind():
    with Server() as server:
        dataset = server.upload(baskets(200), "baskets.dat")
        job = server.mine(dataset, min_support="5%")
        server.kill()
        results = server.data / "results"
        for name in ("99.arrow", f"{job['id']}.arrow.tmp.123", "7.arrow.partial"):
            (results / name).write_bytes(b"half")
        (server.data / "tmp" / "compare-1.fimi").write_bytes(b"1 2\n")
        server.restart()
        assert [path.name for path in results.iterdir()] == [f"{job['id']}.arrow"]
        assert sorted(path.name for path in (server.data / "lost").iterdir()) == ["7.arrow.partial", "99.arrow"]
        check_files(server)
        check_result(server, job)


def test_ended_server():
    """SIGTERM in the middle of a job is a cut as well, with another sentence."""
    with Server() as server:
        dataset = server.upload(dense(), "dense.dat")
        number, waiting = post(server, dataset, min_support="5"), post(server, dataset, min_support="390")
        within(PATIENCE, lambda: server.get(f"jobs/{number}").json["progress"], "no progress")
        server.stop()
        server.restart()
        job = server.get(f"jobs/{number}").json
        assert job["state"] == "lost" and "the server was stopped" in job["message"], job
        assert server.await_job(waiting)["state"] == "done"


# ---- the disk --------------------------------------------------------------------------------------


@contextlib.contextmanager
def small_disk(megabytes):
    """A folder with so much room, or None where this user cannot make one."""
    with tempfile.TemporaryDirectory() as folder:
        made = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "lode-test", folder],
                              stderr=subprocess.DEVNULL) if os.geteuid() == 0 else None
        if not made or made.returncode:
            yield None
            return
        try:
            yield Path(folder)
        finally:
            subprocess.run(["umount", "-l", folder], check=True)


def fill(path):
    """Takes all the room that is left."""
    with contextlib.suppress(OSError), open(path, "wb", buffering=0) as filler:
        while filler.write(bytes(1 << 16)):
            pass
    with contextlib.suppress(OSError), open(path, "ab", buffering=0) as filler:
        while filler.write(b"x"):
            pass


def test_disk_fills_while_a_job_runs():
    """Neither the end of the job nor its result can be stored: it has failed, and nothing is half."""
    with small_disk(64) as folder:
        if folder is None:
            return
        with Server(data=folder / "data") as server:
            dataset = server.upload(dense(), "dense.dat")
            number = post(server, dataset, min_support="5")
            fill(folder / "data" / "filler")
            job = server.await_job(number)
            assert job["state"] == "failed" and "full" in job["message"] or "space" in job["message"], job
            (folder / "data" / "filler").unlink()
            assert server.get("about").status == 200
            server.kill()
            server.restart()
            job = server.get(f"jobs/{number}").json
            assert job["state"] in ("failed", "lost") and job["message"], job
            check_database(server)
            check_files(server)


def seconds_of(server, path):
    begin = time.monotonic()
    assert server.get(path).status == 200
    return time.monotonic() - begin


def test_locked_database():
    """Another program holds the database: nobody waits but who must, and the result of a job is kept."""
    with Server() as server:
        endless, small = server.upload(dense(), "dense.dat"), server.upload(baskets(200), "baskets.dat")
        number = post(server, endless, min_support="5")
        within(PATIENCE, lambda: server.get(f"jobs/{number}").json["progress"], "no progress")
        with contextlib.closing(sqlite3.connect(server.data / "lode.sqlite", timeout=PATIENCE)) as other:
            other.execute("BEGIN IMMEDIATE")
            assert server.post(f"jobs/{number}/keep").status == 202
            within(PATIENCE, lambda: list((server.data / "results").glob(f"{number}.arrow")), "no result")
            refused = server.post("jobs", {"dataset": small, "kind": "itemsets", "options": {"min-support": "5%"}})
            assert refused.status == 503 and "locked" in refused.message, refused
            refused = server.patch(f"jobs/{number}", {"name": "a name"})
            assert refused.status == 503 and "locked" in refused.message, refused
            for path in ("about", "datasets", f"jobs/{number}", "status"):
                fastest = min(seconds_of(server, path) for _ in range(5))
                assert fastest < 1, f"the loop stands still for {fastest} s, each time"
            job = within(PATIENCE, lambda: (server.get(f"jobs/{number}").json["message"] or "") and
                         server.get(f"jobs/{number}").json, "it does not say that its end is not stored")
            assert job["state"] == "running" and "is kept" in job["message"], job
            other.rollback()
        job = server.await_job(number)
        assert job["state"] == "kept", job
        check_result(server, job)


def test_locked_while_an_upload_ends():
    """The last slice was written and could not be noted: when it comes again, the file stays whole."""
    for slices in (1, 2):
        check_locked_upload(baskets(200), slices)


def check_locked_upload(content, slices):
    with Server() as server:
        number = server.post("datasets", {"name": "x.dat", "bytes": len(content)}).json["id"]
        path, half = f"datasets/{number}/content?offset=", len(content) // 2 if slices == 2 else 0
        if half:
            assert server.put(f"{path}0", content[:half]).status == 200
        with contextlib.closing(sqlite3.connect(server.data / "lode.sqlite", timeout=PATIENCE)) as other:
            other.execute("BEGIN IMMEDIATE")
            assert server.put(f"{path}{half}", content[half:]).status == 503
            other.rollback()
        again = server.put(f"{path}{half}", content[half:])
        assert again.status == 200 and again.json["state"] == "ready", again
        assert Path(server.data, "datasets", f"{number}.data").read_bytes() == content


def test_locked_while_jobs_begin_and_end():
    """What could not be stored at once is stored in its order: a job that has ended does not run again."""
    with Server("--workers", 1) as server:
        endless = server.upload(dense(), "dense.dat")
        first, second = (post(server, endless, min_support="5") for _ in range(2))
        within(PATIENCE, lambda: server.get(f"jobs/{first}").json["progress"], "no progress")
        with contextlib.closing(sqlite3.connect(server.data / "lode.sqlite", timeout=PATIENCE)) as other:
            other.execute("BEGIN IMMEDIATE")
            assert server.post(f"jobs/{first}/cancel").status == 202
            within(PATIENCE, lambda: server.get(f"jobs/{second}").json["progress"], "the second does not begin")
            assert server.post(f"jobs/{second}/cancel").status == 202
            within(PATIENCE, lambda: server.get(f"jobs/{second}").json["message"], "its end is not to be stored")
            server.process.send_signal(signal.SIGTERM)
            other.rollback()
        assert server.process.wait(PATIENCE) == 0
        server.restart()
        states = [server.get(f"jobs/{number}").json["state"] for number in (first, second)]
        assert states == ["cancelled", "cancelled"], states


def test_delete_on_a_full_disk():
    """Deleting is the remedy: it works when nothing else does."""
    with small_disk(64) as folder:
        if folder is None:
            return
        with Server(data=folder / "data") as server:
            datasets = [server.upload(baskets(200), f"{i}.dat") for i in range(3)]
            jobs = [server.mine(dataset, min_support="5%")["id"] for dataset in datasets]
            fill(folder / "data" / "filler")
            assert server.delete(f"jobs/{jobs[0]}").status == 204
            fill(folder / "data" / "filler-2")
            assert server.delete(f"datasets/{datasets[1]}").status == 204
            assert [d["id"] for d in server.get("datasets").json["datasets"]] == [datasets[2], datasets[0]]
            (folder / "data" / "filler").unlink()
            assert server.mine(datasets[2], min_support="6%")["state"] == "done"
            check_database(server)


def test_full_disk():
    with small_disk(64) as folder:  # the server wants 32 MB to be free before it takes anything
        if folder is None:
            print("skip: a small file system cannot be mounted here")
            return
        with Server(data=folder / "data") as server:
            dataset, small = server.upload(dense(), "dense.dat"), server.upload(baskets(200), "baskets.dat")
            kept = server.mine(small, min_support="5%")
            full = server.mine(dataset, min_support="5", limit_patterns="5000000")
            assert full["state"] == "failed" and "is full" in full["message"] and full["hint"], full
            assert not [path for path in (folder / "data" / "results").iterdir() if path.name != f"{kept['id']}.arrow"]
            fill(folder / "data" / "filler")
            check_result(server, kept)
            refused = server.post("jobs", {"dataset": small, "kind": "itemsets", "options": {"min-support": "5%"}})
            assert refused.status == 507 and "disk" in refused.message.lower(), refused
            (folder / "data" / "filler").unlink()
            assert server.mine(small, min_support="5%")["state"] == "done"
            check_database(server)


def most_bytes(folder, until):
    """The most that the files of a folder took while until() was false."""
    most = 0
    while not until():
        sizes = 0
        for path in folder.rglob("*"):
            with contextlib.suppress(OSError):
                sizes += path.stat().st_blocks * 512
        most = max(most, sizes)
        time.sleep(0.005)
    return most


def test_jobs_share_the_disk():
    """Four jobs that would each fill the folder keep its limit together, while they write."""
    with Server("--max-disk", "60M", "--workers", "4") as server:
        datasets = [server.upload(dense(), f"{i}.dat") for i in range(4)]
        jobs = [post(server, dataset, min_support="5", limit_patterns="20000000") for dataset in datasets]
        states = ("queued", "running")
        most = most_bytes(server.data, lambda: all(server.get(f"jobs/{job}").json["state"] not in states for job in jobs))
        for job in (server.get(f"jobs/{job}").json for job in jobs):
            assert job["state"] == "failed" and "disk" in job["message"] and job["hint"], job
        assert most < 68e6, most  # some of it is what the file system allocates ahead
        written = int.from_bytes((server.data / "lode.disk").read_bytes()[:8], sys.byteorder)
        assert written > 30e6, written
        assert server.mine(datasets[0], min_support="390")["state"] == "done"


def test_jobs_leave_the_reserve():
    """Also on a disk that is smaller than --max-disk: 32 MB stay free."""
    with small_disk(96) as folder:
        if folder is None:
            return
        with Server(data=folder / "data") as server:
            dataset = server.upload(dense(), "dense.dat")
            number, least = post(server, dataset, min_support="5", limit_patterns="20000000"), 1 << 40
            while server.get(f"jobs/{number}").json["state"] in ("queued", "running"):
                disk = os.statvfs(folder)
                least = min(least, disk.f_bavail * disk.f_frsize)
            job = server.get(f"jobs/{number}").json
            assert job["state"] == "failed" and "disk" in job["message"], job
            assert least > 24e6, least


def test_result_too_large():
    """The limit of the data folder is also a limit of one result."""
    with Server("--max-disk", "2M") as server:
        dataset = server.upload(dense(), "dense.dat")
        job = server.mine(dataset, min_support="5", limit_patterns="5000000")
        assert job["state"] == "failed" and "is full" in job["message"] and job["hint"], job
        assert not list((server.data / "results").iterdir())
        assert server.mine(dataset, min_support="390")["state"] == "done"


def test_too_little_memory():
    """The hint has one number, and with it the job is done."""
    memory = "64M"
    for expected in ("failed", "done"):
        with Server("--memory", memory) as server:
            dataset = server.post("datasets", {"example": "t40i10"}).json["id"]
            job = server.mine(dataset, min_support="20%")
            assert job["state"] == expected, (memory, job)
            if expected == "failed":
                assert "--memory" not in job["message"], job
                [memory] = re.findall(r"--memory (\d+M)", job["hint"])


def test_no_permission():
    with tempfile.TemporaryDirectory() as folder:
        closed = Path(folder, "closed")
        closed.mkdir(mode=0o500)
        os.chmod(folder, 0o755)
        who = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
        done = subprocess.run([PROGRAM, "--port", "0", "--data", str(closed / "data")], capture_output=True, text=True,
                              env={**os.environ, "LODE_BIN": LODE}, timeout=PATIENCE, **who)
        os.chmod(closed, 0o700)
        if "cannot open shared object" in done.stderr or "Permission denied" in done.stderr and not done.stderr.startswith(
                "lode"):
            print("skip: another user cannot run the program here")
            return
        assert done.returncode == 1 and len(done.stderr.splitlines()) == 1, (done.returncode, done.stderr)
        assert "ermission denied" in done.stderr and str(closed) in done.stderr, done.stderr


def test_results_folder_gone():
    """A folder that somebody removed under the server: jobs fail with a sentence, and it lives."""
    with Server() as server:
        dataset = server.upload(baskets(200), "baskets.dat")
        (server.data / "results").rmdir()
        job = server.mine(dataset, min_support="5%")
        assert job["state"] == "failed" and job["message"], job
        assert str(server.data) not in job["message"], "a path of the server is shown to visitors"
        (server.data / "results").mkdir()
        assert server.mine(dataset, min_support="5%")["state"] == "done"


# ---- the clock --------------------------------------------------------------------------------------

SHIM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
static time_t shift(void) {
    long seconds = 0;
    FILE *file = fopen(getenv("LODE_TEST_CLOCK"), "r");
    if (file) { if (fscanf(file, "%ld", &seconds) != 1) seconds = 0; fclose(file); }
    return seconds;
}
int clock_gettime(clockid_t which, struct timespec *out) {
    int (*real)(clockid_t, struct timespec *) = dlsym(RTLD_NEXT, "clock_gettime");
    int result = real(which, out);
    if (which == CLOCK_REALTIME) out->tv_sec += shift();
    return result;
}
int gettimeofday(struct timeval *out, void *zone) {
    int (*real)(struct timeval *, void *) = dlsym(RTLD_NEXT, "gettimeofday");
    int result = real(out, zone);
    out->tv_sec += shift();
    return result;
}
time_t time(time_t *out) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (out) *out = now.tv_sec;
    return now.tv_sec;
}
"""


def make_shim(folder):
    """A library that moves the clock by what a file says; None where it cannot be built."""
    source, library = Path(folder, "shim.c"), Path(folder, "shim.so")
    source.write_text(SHIM)
    try:
        subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-o", str(library), str(source), "-ldl"],
                       check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return library


def test_clock_jumps():
    """The clock goes ten years ahead, then twenty back: jobs run and end, and results stay."""
    with tempfile.TemporaryDirectory() as folder:
        library, clock = make_shim(folder), Path(folder, "clock")
        if SANITIZED or library is None:
            print("skip: the clock cannot be moved here")
            return
        year, finished = 365 * 86400, []
        with Server(environment={"LD_PRELOAD": str(library), "LODE_TEST_CLOCK": str(clock)}) as server:
            endless, dataset = server.upload(dense(), "dense.dat"), server.upload(baskets(200), "baskets.dat")
            number = post(server, endless, min_support="5")
            for jump in (10 * year, -10 * year, 0):
                clock.write_text(str(jump))
                finished.append(server.mine(dataset, min_support="5%"))
                assert finished[-1]["state"] == "done", finished[-1]
                assert abs(finished[-1]["created"] - time.time() - jump) < year, "the shim moves nothing"
                assert server.get(f"jobs/{number}").json["state"] == "running"
            assert server.post(f"jobs/{number}/cancel").status == 202
            assert server.await_job(number)["state"] == "cancelled"
            listed = [job["id"] for job in server.get("jobs").json["jobs"]]
            assert listed == sorted(listed, reverse=True), listed
            clock.write_text(str(-20 * year))
            server.stop()
            server.restart()
            for job in finished:
                assert server.get(f"jobs/{job['id']}").json == job
                check_result(server, job)
        clock.write_text("0")
        with Server("--expire", "0.0003",  # of a day, so that it looks every second
                    environment={"LD_PRELOAD": str(library), "LODE_TEST_CLOCK": str(clock)}) as server:
            for i in range(3):
                server.upload(baskets(20), f"{i}.dat")
            clock.write_text("86400")
            time.sleep(2.5)
            clock.write_text("0")
            server.upload(baskets(20), "after.dat")
            time.sleep(2.5)
            assert len(server.get("datasets").json["datasets"]) == 4


def main():
    if not Path(PROGRAM).exists():
        print("skip: there is no lode-server")
        return 77
    print(f"LODE_SEED={SEED}")
    for test in (test_too_little_memory, test_killed_worker, test_killed_server, test_files_left_behind, test_ended_server,
                 test_full_disk, test_locked_database, test_locked_while_an_upload_ends, test_locked_while_jobs_begin_and_end,
                 test_delete_on_a_full_disk, test_disk_fills_while_a_job_runs, test_jobs_share_the_disk,
                 test_jobs_leave_the_reserve, test_result_too_large, test_no_permission, test_results_folder_gone,
                 test_clock_jumps):
        begin = time.monotonic()
        test()
        print(f"{test.__name__}: {time.monotonic() - begin:.1f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
