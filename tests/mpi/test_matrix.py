#!/usr/bin/env python3
"""Searches by 1, 2, 3, 4 and 7 ranks find what one process finds: random data, every target, both
kinds of patterns, and the known counts of real data; one launch for each number of ranks, with each
MPI that is installed.

SPDX-License-Identifier: Apache-2.0
"""
import csv
import functools

from launching import DATA, LONG, SANITIZED, MpiTest, lode, main, run

RANKS = (1, 2, 3, 4, 7)
CASES = 300 if LONG else 12

# Real data of which a search takes some hundredths of a second, down to these supports. With
# LODE_LONG, all rows with an exact count: but for those that take ten seconds and more by one rank.
SHORT = {"chess": 1918, "mushroom": 1625, "groceries": 10, "Chemical_340": 34, "Compound_422": 126,
         "MUTAG": 113}
LONGER = {"GGEN_T100k_E5_PL4_P50_TL30_V5": 100000, "HIV_41127": 2057, "Compound_422": 29}
MOST_SETS = 5_000_000


def counts_of(row):
    """The known counts of a row, by target."""
    whole = row.get("all") or row.get("patterns_with_edges")
    known = {"all": whole, "closed": row["closed"], "maximal": row["maximal"]}
    exact = row.get("status", "exact") == "exact"
    return {target: int(n) for target, n in known.items() if exact and n and int(n) <= MOST_SETS}


def is_wanted(row):
    least = (LONGER if LONG else SHORT).get(row["file"].split(".")[0], 0 if LONG else None)
    return least is not None and int(row["minsup_count"]) >= least


@functools.cache
def searches():
    """(search, known count) for every row of counts.csv that is mined here."""
    found = []
    for kind in ("itemsets", "graphs"):
        table = DATA / kind / "counts.csv"
        rows = csv.DictReader(table.read_text().splitlines()) if table.exists() else ()
        for row in rows:
            path = DATA / kind / row["file"]
            if not is_wanted(row) or not path.exists():
                continue
            found += [(f"{kind} {path} {row['minsup_count']} {target}", n)
                      for target, n in counts_of(row).items()]
    return found


@functools.cache
def expected():
    """What is to be printed, line by line: the known count, and the hash of one process."""
    lines = []
    for search, count in searches():
        kind, path, support, target = search.split(" ")
        alone = lode(kind, path, "-s", support, "-t", target, "--count", "--hash", "-q").stdout
        lines.append(f"{search} {count} {alone.split()[-1]}")
    return lines


class Matrix(MpiTest):
    def check(self, launcher, ranks, cases, real=False):
        """Does random cases and, if wanted, real data. Returns how many tasks were stolen."""
        lines = expected() if real else []
        words = [self.write("list", "".join(f"{search}\n" for search, _ in searches()))] if lines else []
        done = run(launcher.command(ranks, "mpi-matrix", cases, *words), timeout=3000)
        self.assertEqual(done.returncode, 0, f"{launcher.name}, {ranks} ranks: {done.stdout}"
                                             f"{done.stderr}")
        self.assertIn(f"{cases} cases by {ranks} ranks", done.stdout)
        self.assertEqual(done.stdout.splitlines()[:-1], lines, f"{launcher.name}, {ranks} ranks")
        return int(done.stdout.split(" tasks stolen")[0].split()[-1])

    def test_first(self):
        """With a sanitizer, the numbers of ranks at which most happens."""
        ranks = (2, 4) if SANITIZED else RANKS
        cases = 6 if SANITIZED else CASES
        stolen = sum(self.check(self.launchers[0], n, cases, real=not SANITIZED) for n in ranks)
        self.assertGreater(stolen, 20)

    def test_other(self):
        for launcher in () if SANITIZED else self.launchers[1:]:
            for n in RANKS:
                self.check(launcher, n, CASES if LONG else 4, real=LONG or n == 3)


if __name__ == "__main__":
    main()
