"""What the modules of the harness share.

SPDX-License-Identifier: Apache-2.0
"""
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


class Problem(Exception):
    """Something that makes the comparison invalid; the message is for the user."""


class Misuse(Problem):
    """Something that the user asked for does not exist; the exit status is 2."""


def note(text):
    print(text, file=sys.stderr, flush=True)
