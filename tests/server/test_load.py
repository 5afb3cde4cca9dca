#!/usr/bin/env python3
"""bench/serve_load.py for a moment: no error with many clients, jobs, idle and slow connections.

How fast pages are is measured by hand, on a machine that does nothing else; here they have to come.
With LODE_LONG=1 within a second, so that somebody who holds up the others is noticed.

SPDX-License-Identifier: Apache-2.0
"""
import os
import subprocess
import sys
from pathlib import Path

import serving

BENCH = Path(__file__).resolve().parent.parent.parent / "bench" / "serve_load.py"


def main():
    floor = 1000 if os.environ.get("LODE_LONG") else 1000 * serving.PATIENCE
    done = subprocess.run([sys.executable, str(BENCH), "--seconds", "2", "--clients", "40", "--patterns", "100000",
                           "--jobs", "1", "--idle", "100", "--slow", "20", "--floor", str(floor)],
                          capture_output=True, text=True, timeout=5 * serving.PATIENCE, check=False)
    assert done.returncode == 0 and "verdict: good" in done.stdout and "filter: " in done.stdout, done.stdout + done.stderr
    return 0


if __name__ == "__main__":
    sys.exit(main())
