"""Talks to `lode worker`: frames, requests and replies. docs/worker.md has the protocol.

SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import select
import struct
import subprocess
import time


class Failed(Exception):
    """A request that the worker answered with `failed`."""

    def __init__(self, answer):
        super().__init__(answer.get("message", ""))
        self.answer = answer
        self.status = answer.get("status")


class Lost(Exception):
    """The worker has ended, or does not answer in time."""


def escape(value):
    return str(value).replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")


def payload(number, verb, values):
    lines = [f"{number} {verb}"]
    for name, value in values:
        for one in value if isinstance(value, (list, tuple)) else [value]:
            one = {True: "true", False: "false"}.get(one, one) if isinstance(one, bool) else one
            lines.append(f"{name}={escape(one)}")
    return "\n".join(lines).encode()


class Worker:
    """A worker process. `ask` sends and waits; `send` and `wait` do one half each."""

    def __init__(self, program, **options):
        self.process = subprocess.Popen([program, "worker"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, bufsize=0, **options)
        self.number = 0
        self.buffer = bytearray()
        self.answers = {}  # number: (kind, object, when it came)
        self.events = {}   # number: [object]
        self.limit = 120

    def send_bytes(self, data):
        view = memoryview(data)
        while view:
            view = view[self.process.stdin.write(view):]

    def send(self, verb, values=(), **more):
        self.number += 1
        pairs = list(values.items() if isinstance(values, dict) else values) + list(more.items())
        frame = payload(self.number, verb, pairs)
        self.send_bytes(struct.pack("<I", len(frame)) + frame)
        return self.number

    def read_frame(self, until):
        """The next frame as bytes; None: the worker has closed its output."""
        while True:
            if len(self.buffer) >= 4:
                length = struct.unpack("<I", self.buffer[:4])[0]
                if len(self.buffer) >= 4 + length:
                    frame = bytes(self.buffer[4:4 + length])
                    del self.buffer[:4 + length]
                    return frame
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                raise Lost("no answer in time")
            more = os.read(self.process.stdout.fileno(), 1 << 20)
            if not more:
                return None
            self.buffer += more

    def read(self, seconds=None):
        """Reads one frame and records it; returns its number and kind."""
        frame = self.read_frame(time.monotonic() + (seconds or self.limit))
        if frame is None:
            raise Lost("the worker has ended")
        head, _, text = frame.partition(b"\n")
        number, kind = head.decode().split(" ")
        value = json.loads(text)
        if kind == "event":
            self.events.setdefault(int(number), []).append(value)
        else:
            self.answers.setdefault(int(number), []).append((kind, value, time.monotonic()))
        return int(number), kind

    def wait(self, number, seconds=None):
        """The object of `done`; raises Failed for `failed`."""
        until = time.monotonic() + (seconds or self.limit)
        while number not in self.answers:
            self.read(until - time.monotonic())
        kind, value, _ = self.answers[number][0]
        if kind != "done":
            raise Failed(value)
        return value

    def wait_event(self, number, seconds=None):
        until = time.monotonic() + (seconds or self.limit)
        while number not in self.events:
            if number in self.answers:
                raise Lost("it ended without an event")
            self.read(until - time.monotonic())
        return self.events[number][-1]

    def ask(self, verb, values=(), **more):
        return self.wait(self.send(verb, values, **more))

    def timed(self, verb, values=(), **more):
        """Milliseconds from the request to its answer, and the answer."""
        start = time.perf_counter()
        value = self.ask(verb, values, **more)
        return 1000 * (time.perf_counter() - start), value

    def end(self, seconds=120):
        """Closes the pipe and returns the exit status."""
        if not self.process.stdin.closed:
            self.process.stdin.close()
        try:
            return self.process.wait(seconds)
        finally:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()
