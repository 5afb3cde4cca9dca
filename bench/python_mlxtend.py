#!/usr/bin/env python3
"""Times and peak memory of lode.mlxtend and of lode's own interface beside mlxtend.

usage: LODE_MLXTEND=DIR LODE_DATA=DIR bench/python_mlxtend.py [--only TEXT] [--limit SECONDS]
           [--gib N] [--machine NAME] [--date DATE]

LODE_MLXTEND is a checkout of github.com/rasbt/mlxtend, which is run and never kept. The package
lode is the one that `import lode` finds (PYTHONPATH=build/python).

Every measurement is a process of its own: it makes its frame, which does not count, then calls. The
times are seconds of CPU (of all threads), since a busy machine changes those least; memory is the
peak of the process, frame included. Three ways to the same itemsets, whose number must agree:

  mlxtend   its function
  drop-in   the function of lode.mlxtend with the same arguments: the same frame of frozensets
  native    lode.Data(...).itemsets(): columns; of rules, .rules(), which finds the itemsets too,
            while the others are given them

The long table is made one-hot by groupby and TransactionEncoder, which counts for the first two.
`alone` is what Python takes to make those frozensets and that frame from lists that are there
already, in the process and the run of the drop-in; it stands beside the function's call. The cells where mlxtend needs more than the time
or the memory allowed say so. The table is written to bench/results/python-mlxtend-MACHINE-DATE.csv.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import datetime
import json
import math
import os
import platform
import resource
import subprocess
import sys
import time
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("LODE_DATA", ROOT.parent / "shared" / "data"))
MLXTEND = os.environ.get("LODE_MLXTEND")

# Name, frame, function, min_support. One threshold per data set and function: as low as mlxtend
# comes with in minutes, since a high one measures the call and not the work.
CELLS = [
    ("dense apriori", "dense", "apriori", 0.05),
    ("dense fpgrowth", "dense", "fpgrowth", 0.03),
    ("dense fpmax", "dense", "fpmax", 0.05),
    ("dense hmine", "dense", "hmine", 0.03),
    ("online-retail apriori", "retail", "apriori", 0.02),
    ("online-retail fpgrowth", "retail", "fpgrowth", 0.005),
    ("online-retail fpgrowth low", "retail", "fpgrowth", 0.0015),
    ("T10I4 apriori", "t10", "apriori", 0.005),
    ("T10I4 fpgrowth", "t10", "fpgrowth", 0.0005),
    ("T10I4 fpgrowth low", "t10", "fpgrowth", 0.0002),
    ("million apriori", "million", "apriori", 0.01),
    ("million fpgrowth", "million", "fpgrowth", 0.0005),
    ("dense rules", "dense", "rules", 0.03),
    ("T10I4 rules", "t10", "rules", 0.001),
]
# No confidence in these data is this one: mlxtend divides supports that were rounded before, and so
# loses some rules whose confidence is the threshold itself.
CONFIDENCE = 0.3003
COLUMNS = [
    "cell", "rows", "columns", "min_support", "results",
    "mlxtend_s", "drop_in_s", "native_s", "drop_in_call_s", "alone_s",
    "mlxtend_MiB", "drop_in_MiB", "native_MiB",
    "mlxtend/drop_in", "mlxtend/native", "call/alone",
]


# ---- Frames ---------------------------------------------------------------------------------------

def lines_of(name):
    """The lines of a file of LODE_DATA."""
    done = subprocess.run(["zstd", "-dc", str(DATA / "itemsets" / f"{name}.zst")], check=True,
                          capture_output=True, text=True)
    return done.stdout.splitlines()


def dense_frame():
    """1,000 baskets of 100 items, 30% of the cells true."""
    import numpy as np
    import pandas as pd

    cells = np.random.default_rng(22).random((1000, 100)) < 0.3
    return pd.DataFrame(cells, columns=[f"item {i}" for i in range(100)])


def retail_frame():
    """The long table of Online Retail: a row for each invoice and article."""
    import pandas as pd

    pairs = [(row, article) for row, line in enumerate(lines_of("online-retail.csv"))
             for article in line.split(",")]
    return pd.DataFrame(pairs, columns=["invoice", "article"])


def t10_frame():
    """T10I4D100K as a sparse one-hot frame."""
    import pandas as pd

    from lode.mlxtend import TransactionEncoder

    encoder = TransactionEncoder()
    rows = [line.split() for line in lines_of("T10I4D100K.dat")]
    matrix = encoder.fit_transform(rows, sparse=True)
    return pd.DataFrame.sparse.from_spmatrix(matrix, columns=encoder.columns_)


def million_frame():
    """A million baskets of 100 items whose popularity falls like 1/rank, with bundles of five."""
    import numpy as np
    import pandas as pd

    random = np.random.default_rng(23)
    chance = 0.35 / np.arange(1, 101)
    cells = random.random((1_000_000, 100), dtype=np.float32) < chance.astype(np.float32)
    for bundle in range(20):
        buyers = random.random(len(cells)) < 0.01
        cells[np.ix_(buyers, random.choice(100, 5, replace=False))] = True
    return pd.DataFrame(cells, columns=[f"item {i}" for i in range(100)])


FRAMES = {"dense": dense_frame, "retail": retail_frame, "t10": t10_frame,
          "million": million_frame}


# ---- One measurement, in a process of its own -----------------------------------------------------

def one_hot(frame, encoder):
    """Makes a long table one-hot in the usual way; other frames already are."""
    import pandas as pd

    if "invoice" not in frame.columns:
        return frame
    baskets = frame.groupby("invoice")["article"].apply(list).tolist()
    return pd.DataFrame(encoder.fit_transform(baskets), columns=encoder.columns_)


def by_functions(package, encoder, frame, call, support):
    """What a user of mlxtend does, with its functions or with ours: the result, the seconds from
    the frame on, and those of the last call alone."""
    if call == "rules":
        sets = package.fpgrowth(frame, min_support=support, use_colnames=True)
        begun = time.process_time()
        rules = package.association_rules(sets, len(frame), min_threshold=CONFIDENCE)
        seconds = time.process_time() - begun
        return rules, seconds, seconds
    begun = time.process_time()
    encoded = one_hot(frame, encoder)
    called = time.process_time()
    found = getattr(package, call)(encoded, min_support=support, use_colnames=True)
    ended = time.process_time()
    return found, ended - begun, ended - called


def by_columns(frame, call, support):
    """The same with lode's own interface."""
    import lode

    begun = time.process_time()
    if "invoice" in frame.columns:
        data = lode.Data(frame, tid="invoice", item="article")
    else:
        data = lode.Data(frame)
    if call == "rules":
        found = data.rules(support, CONFIDENCE, max_rhs=None)
    else:
        found = data.itemsets(support, target="maximal" if call == "fpmax" else "all")
    return found, time.process_time() - begun


def alone(found):
    """Seconds that Python takes to make the frozensets and the frame of a result again."""
    import pandas as pd

    sets = {name: [list(one) for one in found[name]]
            for name in ("itemsets", "antecedents", "consequents") if name in found.columns}
    numbers = {name: found[name].to_numpy() for name in found.columns if name not in sets}
    begun = time.process_time()
    made = {name: [frozenset(one) for one in column] for name, column in sets.items()}
    pd.DataFrame({**made, **numbers})
    return time.process_time() - begun


def measure_one(who, name, call, support):
    """Prints what one call took, as JSON."""
    import numpy as np

    warnings.simplefilter("ignore")
    frame = FRAMES[name]()
    if who == "native":
        found, seconds = by_columns(frame, call, support)
    else:
        if who == "mlxtend":
            sys.path.insert(0, MLXTEND)
            import mlxtend.frequent_patterns as package
            from mlxtend.preprocessing import TransactionEncoder
        else:
            import lode.mlxtend as package
            from lode.mlxtend import TransactionEncoder
        warnings.simplefilter("ignore")
        found, seconds, last = by_functions(package, TransactionEncoder(), frame, call, support)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    told = {"results": len(found), "s": seconds, "MiB": peak}
    if who == "drop_in":
        told.update(call_s=last, alone_s=alone(found))
    if name == "retail":
        told["shape"] = [int(frame["invoice"].nunique()), int(frame["article"].nunique())]
    else:
        told["shape"] = [int(np.int64(size)) for size in frame.shape]
    print(json.dumps(told))


# ---- The table ------------------------------------------------------------------------------------

def run_one(who, cell, options):
    """The figures of one measurement, or a dict whose `why` says why there are none."""
    _, frame, call, support = cell
    command = [sys.executable, __file__, "--one", who, frame, call, repr(support)]
    bytes_allowed = int(options.gib * 2**30)

    def bound():
        resource.setrlimit(resource.RLIMIT_AS, (bytes_allowed, bytes_allowed))

    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=options.limit,
                              preexec_fn=bound if who == "mlxtend" else None)
    except subprocess.TimeoutExpired:
        return {"why": f"over {options.limit} s"}
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]
        if "MemoryError" in last or "Unable to allocate" in last:
            return {"why": f"over {options.gib:g} GiB"}
        return {"why": last[:80].replace(",", ";")}
    return json.loads(done.stdout)


def best_of(who, cell, options):
    """The fastest of the runs; mlxtend runs once, because it takes long."""
    runs = [run_one(who, cell, options) for _ in range(1 if who == "mlxtend" else options.repeat)]
    failed = [run for run in runs if "why" in run]
    return failed[0] if failed else min(runs, key=lambda run: run["s"])


def row_of(cell, options):
    """A line of the table, as a dict. Exits if the numbers of results differ."""
    told = {who: best_of(who, cell, options) for who in ("drop_in", "native", "mlxtend")}
    for who in ("drop_in", "native"):
        if "why" in told[who]:
            sys.exit(f"{cell[0]}: {who} failed: {told[who]['why']}")
    counts = {who: run["results"] for who, run in told.items() if "why" not in run}
    if len(set(counts.values())) != 1:
        sys.exit(f"{cell[0]}: different numbers of results: {counts}")
    row = {"cell": cell[0], "rows": told["drop_in"]["shape"][0],
           "columns": told["drop_in"]["shape"][1], "min_support": cell[3],
           "results": counts["drop_in"], "alone_s": round(told["drop_in"]["alone_s"], 4)}
    for who, run in told.items():
        row[f"{who}_s"] = round(run["s"], 4) if "s" in run else run["why"]
        row[f"{who}_MiB"] = round(run["MiB"]) if "MiB" in run else ""
    row["drop_in_call_s"] = round(told["drop_in"]["call_s"], 4)
    row["call/alone"] = round(told["drop_in"]["call_s"] / told["drop_in"]["alone_s"], 2)
    for who in ("drop_in", "native"):
        known = "s" in told["mlxtend"]
        row[f"mlxtend/{who}"] = round(told["mlxtend"]["s"] / told[who]["s"], 1) if known else ""
    return row


def mean_of(rows, column):
    values = [row[column] for row in rows if row[column] != ""]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def versions():
    """The versions that a table compares."""
    import numpy
    import pandas

    sys.path.insert(0, MLXTEND)
    import mlxtend

    import lode
    return (f"lode {lode.__version__}, mlxtend {mlxtend.__version__}, "
            f"Python {platform.python_version()}, numpy {numpy.__version__}, "
            f"pandas {pandas.__version__}")


def write_table(rows, options):
    path = ROOT / "bench" / "results" / f"python-mlxtend-{options.machine}-{options.date}.csv"
    lines = [f"# {versions()}; {os.cpu_count()} cores; CPU seconds, peak of the process",
             f"# geometric means: mlxtend/native {mean_of(rows, 'mlxtend/native'):.1f}, "
             f"mlxtend/drop_in {mean_of(rows, 'mlxtend/drop_in'):.1f}",
             ",".join(COLUMNS)]
    lines += [",".join(str(row[column]) for column in COLUMNS) for row in rows]
    path.write_text("\n".join(lines) + "\n")
    print("\n".join(lines))
    print(f"written: {path.relative_to(ROOT)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="cells whose name has this text")
    parser.add_argument("--limit", type=float, default=600, help="seconds for a run")
    parser.add_argument("--gib", type=float, default=8, help="memory for a run of mlxtend")
    parser.add_argument("--repeat", type=int, default=3, help="runs of ours")
    parser.add_argument("--machine", default=f"{platform.machine()}-{os.cpu_count()}")
    parser.add_argument("--date", default=str(datetime.date.today()))
    parser.add_argument("--one", nargs=4, metavar=("WHO", "FRAME", "CALL", "SUPPORT"),
                        help="one measurement; for the program itself")
    options = parser.parse_args()
    if options.one:
        who, frame, call, support = options.one
        return measure_one(who, frame, call, float(support))
    if not MLXTEND:
        sys.exit("LODE_MLXTEND: expected a checkout of github.com/rasbt/mlxtend")
    rows = []
    for cell in CELLS:
        if options.only in cell[0]:
            rows.append(row_of(cell, options))
            print(",".join(str(rows[-1][column]) for column in COLUMNS), flush=True)
    if not rows:
        sys.exit(f"--only {options.only}: no such cell")
    write_table(rows, options)


if __name__ == "__main__":
    main()
