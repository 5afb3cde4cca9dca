"""Waiting in tests: for events, with a deadline, and measured in what a process computed.

How long something takes on a busy machine says nothing, so bounds are processor time.

SPDX-License-Identifier: Apache-2.0
"""
import os
import resource
import time
from pathlib import Path

DEADLINE = 120  # seconds; far more than anything here takes, also on a busy machine
TICKS = os.sysconf("SC_CLK_TCK")


def wait_until(ready, what, deadline=DEADLINE):
    """Waits until ready() is true; an AssertionError says what never came."""
    end = time.monotonic() + deadline
    while not ready():
        if time.monotonic() > end:
            raise AssertionError(f"not within {deadline} seconds: {what}")
        time.sleep(0.01)


def size_of(path):
    """The bytes of a file; 0 where there is none, which may change at any moment."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def thread_fields(pid):
    """The fields of /proc/PID/task/*/stat after the name: the state first."""
    for path in Path(f"/proc/{pid}/task").glob("*/stat"):
        try:
            yield path.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            pass


def processor_seconds(pid):
    """What a process has computed so far; infinite once it has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return float("inf")
    return float("inf") if fields[0] == "Z" else (int(fields[11]) + int(fields[12])) / TICKS


def let_run(process, seconds):
    """Waits until a process has computed for so long, or has ended."""
    wait_until(lambda: processor_seconds(process.pid) >= seconds, f"{seconds} s of processor time")


def let_stand_still(process):
    """Waits until every thread of a process has slept for a while: it waits for something."""
    asleep = 0

    def ready():
        nonlocal asleep
        states = [fields[0] for fields in thread_fields(process.pid)]
        asleep = asleep + 1 if all(state == "S" for state in states) else 0
        return asleep == 20
    wait_until(ready, "a process that stands still")


class Effort:
    """The processor time of a child process from now on, until now or, once waited for, its end."""

    def __init__(self, process):
        self.process, self.start, self.others = process, processor_seconds(process.pid), self.ended()

    @staticmethod
    def ended():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    def seconds(self):
        now = processor_seconds(self.process.pid)
        return (now if now < float("inf") else self.ended() - self.others) - self.start

    def check(self, test, seconds):
        """No more was computed than all processors can in so many seconds."""
        test.assertLess(self.seconds(), seconds * max(2, os.cpu_count()))
