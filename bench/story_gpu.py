"""What docs/gpu-measured.md says in numbers: its tables, and the values of its sentences.

SPDX-License-Identifier: Apache-2.0
"""
import re

from measured import rate, seconds, size, spell_runs, table, times, whole

# Bits that the tensor cores of the H200 could compare in a second.
TENSOR_CORES = 7.75e15
# What the last Nsight run called kernels that have other names now.
RENAMED = {"cubes_kernel<0>": "lattices_kernel", "tails_kernel": "joint_kernel"}
# What bounds a kernel: read off the profile, in words.
BOUND = {
    "gather_kernel": "instructions: transposing bits", "joint_kernel": "instructions and shared atomics",
    "lattices_kernel": "instructions", "small_kernel<8>": "latency: few warps",
    "small_kernel<4>": "memory and latency", "small_kernel<2>": "latency",
    "rows_kernel": "latency: few reads per row",
    "wgmma_kernel<128>": "most classes fill only a part of their tiles",
    "large_count_kernel": "shared atomics; the only block of a multiprocessor waits while it clears "
                          "and flushes its counters",
    "copy_kernel": "memory", "large_sums_kernel": "instructions",
}


class Gpu:
    def __init__(self, results):
        self.of = results.newest

    def runs_of(self, case):
        """How many runs the medians of a case are of, in words."""
        return spell_runs(self.of(case))

    # --- products ---

    def kernels(self):
        found = self.of("gpu-products")
        row = "4096 x 1 M"
        return table(["kernel", "pair-bits/s", "speed (classic kernel = 1)"],
                     [[f"`{name}`", rate(found.number(row, name, "pair_bits_s")),
                       times(found.number(row, name, "faster"))] for name in ("wgmma", "mma", "popc")])

    def shapes(self):
        found = self.of("gpu-products")
        cells = [name.split(" x ") for name in found.rows()]
        rows, columns = (list(dict.fromkeys(values)) for values in zip(*cells))
        return table(["rows", *(f"{name} columns" if i == 0 else name
                                for i, name in enumerate(columns))],
                     [[whole(row), *(times(found.number(f"{row} x {column}", "auto", "faster"))
                                     for column in columns)] for row in rows])

    def smallest(self, measure):
        """Microseconds of the shapes with almost no work: from, to."""
        found = self.of("gpu-products")
        names = ("16 x 3 K", "16 x 100 K", "64 x 3 K", "64 x 100 K", "256 x 3 K")
        values = [1e6 * found.number(name, "auto", measure) for name in names]
        return f"{min(values):.0f} to {max(values):.0f}"

    def share_of_tensor_cores(self):
        value = self.of("gpu-products").number("4096 x 1 M", "wgmma", "pair_bits_s")
        return f"{100 * value / TENSOR_CORES:.0f}%"

    # --- runs ---

    def compared(self, row, found, base, other):
        """Seconds of work of another command, and its ratio to the first; a dash if it did not
        finish."""
        if not found.has(row, other, "work"):
            return "–"
        if not found.has(row, base, "work"):
            return seconds(found.number(row, other, "work"))
        return f"{seconds(found.number(row, other, 'work'))} ({times(found.ratio(row, 'work', other, base))} x)"

    def run_table(self, case, others, what="itemsets"):
        """Work and whole runs of `tensor` and of others, with ratios."""
        found = self.of(case)
        base = "tensor, cuda"
        head = {"frontier, cuda": "`frontier`, cuda", "adaptive, all cores": "`adaptive`, 16 cores"}
        rows = []
        for row in found.rows():
            walls = ", ".join(f"{found.number(row, name):.2f}" if found.has(row, name) else "–"
                              for name in (base, *others))
            count = next(found.text(row, name, "count") for name in (base, *others)
                         if found.has(row, name))
            rows.append([row, whole(count),
                         seconds(found.number(row, base, "work")) if found.has(row, base, "work") else "–",
                         *(self.compared(row, found, base, name) for name in others), walls])
        return table(["data", what, "`tensor`", *(head[name] for name in others), "whole runs"], rows)

    def runs(self):
        return self.run_table("gpu-tensor", ("frontier, cuda", "adaptive, all cores"))

    def targets(self):
        return self.run_table("gpu-tensor-targets", ("adaptive, all cores",), "sets")

    def shortest_run(self):
        """The shortest whole run on the GPU, and how much of it is not the start of CUDA."""
        found = self.of("gpu-tensor")
        row = min(found.rows(), key=lambda name: found.number(name, "tensor, cuda"))
        busy = sum(found.number(row, "tensor, cuda", name) for name in ("read", "preprocess", "work"))
        return f"{found.number(row, 'tensor, cuda'):.2f} s, of which {busy:.2f} s are for reading, preparing and counting"

    def start_is_most(self):
        """Whether, in most rows, more than half of a whole run on the GPU is neither reading nor
        counting."""
        found = self.of("gpu-tensor")
        rest = [1 - sum(found.number(row, "tensor, cuda", name)
                        for name in ("read", "preprocess", "work")) / found.number(row, "tensor, cuda")
                for row in found.rows()]
        return sum(share > 0.5 for share in rest) > len(rest) / 2

    def longer(self):
        """A sentence for each long run."""
        found = self.of("gpu-tensor-long")
        return "; ".join(
            f"{row} ({whole(found.text(row, 'tensor, cuda', 'count'))} sets) takes "
            f"{seconds(found.number(row, 'tensor, cuda'))} s on the GPU and "
            f"{seconds(found.number(row, 'adaptive, all cores'))} s on 16 cores, "
            f"{times(found.ratio(row, 'wall', 'adaptive, all cores', 'tensor, cuda'))} times as long"
            for row in found.rows())

    def least_gain(self):
        """The row in which the GPU gains least, and how many times as long the cores count there.
        """
        found = self.of("gpu-tensor")
        gains = {row: found.ratio(row, "work", "adaptive, all cores", "tensor, cuda")
                 for row in found.rows() if found.has(row, "adaptive, all cores", "work")}
        row = min(gains, key=gains.get)
        return row, times(gains[row])

    def public(self):
        """What other programs took for such data, if the case says so."""
        found = self.of("gpu-tensor")
        line = found.line(found.rows()[0], "tensor, cuda")
        if not line.get("public_gpu_s"):
            return ""
        return (f"For data like those in the first row, the best public GPU code took {line['public_gpu_s']} s on the "
                f"same kind of GPU, and FP-growth took {line['fpgrowth_4_threads_s']} s with four threads.")

    def cores_win(self, case, pattern):
        """Rows of that name in which the whole run is shorter on the cores."""
        found = self.of(case)
        return [row for row in found.rows() if re.search(pattern, row)
                and found.has(row, "adaptive, all cores") and found.has(row, "tensor, cuda")
                and found.ratio(row, "wall", "adaptive, all cores", "tensor, cuda") < 1]

    def whole_runs(self, pattern):
        """Of the rows of that name: how many whole runs are shorter on 16 cores."""
        found = self.of("gpu-tensor-targets")
        rows = [row for row in found.rows() if re.search(pattern, row)]
        return f"{len(self.cores_win('gpu-tensor-targets', pattern))} of {len(rows)}"

    def memory(self):
        found = self.of("gpu-tensor-memory")
        row = found.rows()[0]
        names = {"cuda": "`--device cuda`", "cuda 1 GB": "`--device-memory 1G`",
                 "cuda 256 MB": "`--device-memory 256M`", "text": "text instead of `--count`"}
        names.update({name: f"`--product {name}`" for name in ("popc", "mma", "wgmma")})
        return table(["", "counting and candidates", "whole run", "GPU memory"],
                     [[names.get(name, f"`--device {name}`"), seconds(found.number(row, name, "work")),
                       f"{found.number(row, name):.2f}", size(found.number(row, name, "gpu_bytes"))]
                      for name in found.commands()])

    def depths(self):
        found = self.of("gpu-tensor-depths")
        lines = [line for line in found.lines if line["row"] == "T40I10 300 items 1 M 1%"]
        return table(["depth", "classes", "pairs", "pair-bits", "lattices", "sets in lattices"],
                     [[line["depth"], whole(line["classes"]), whole(line["pairs"]),
                       rate(float(line["pair_bits"])), whole(line["cubes"]), whole(line["cube_sets"])]
                      for line in lines])

    # --- kernels ---

    def profile(self, row):
        """Kernels of 0.1 ms and more, with what they achieve."""
        found = self.of("gpu-roofline")
        rows = []
        for line in found.lines:
            kernel = RENAMED.get(line["kernel"], line["kernel"])
            if line["row"] != row or kernel == "all" or float(line["ms"]) < 0.1:
                continue
            shares = [f"{float(line[name] or 0):.0f}%" for name in ("dram_%", "l2_%", "issue_%",
                                                                     "shared_%", "tensor_%")]
            rows.append([f"`{kernel}`", f"{float(line['ms']):.2f}", line["launches"],
                         *("" if share == "0%" else share for share in shares),
                         BOUND.get(kernel, "")])
        return table(["kernel", "ms", "launches", "memory", "cache", "issue", "shared", "tensor cores",
                      "bound by"], rows)

    def profile_ms(self, row):
        line = next(line for line in self.of("gpu-roofline").lines
                    if line["row"] == row and line["kernel"] == "all")
        return f"{float(line['ms']):.1f}"
