"""Single kernels against the processor's peak, measured in the same run: `kernels.py ONNX_RUN`.

Each row is a model of one operator on one thread. In each round the processor's peaks are measured (`peaks.c`, compiled for
it) and then every row; a number is the best of the rounds. Rows count the operations of the operator's definition, whatever
algorithm the kernel uses: a Winograd convolution may be faster than the peak. `direct` convolutions are compiled for strict
arithmetic.
"""

import argparse
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

from operators import Case

PEAKS = Path(__file__).parent / "peaks.c"
UNITS = {"float": "GFLOP/s", "byte": "GOP/s", "memory": "GB/s"}


def convolution(channels, extent):
    line = f"Conv\tf32[1,{channels},{extent},{extent}] =f32[{channels},{channels},3,3]\tpads=[1,1,1,1]"
    return line, 2 * 9 * channels**2 * extent**2


CONVOLUTIONS = [convolution(64, 56), convolution(128, 28), convolution(256, 14), convolution(512, 7)]
K, N = 4096, 16384
# name, the row as in operators.tsv, options, operations or bytes, the peak, the least share of it
ROWS = [
    ("product of 1024³", "MatMul\tf32[1024,1024] =f32[1024,1024]", [], 2 * 1024**3, "float", 0.92),
    *(("3×3 convolution, direct", line, ["--strict-fp"], count, "float", 0.9) for line, count in CONVOLUTIONS),
    *(("3×3 convolution", line, [], count, "float", 1.5) for line, count in CONVOLUTIONS),
    ("product of bytes", "MatMulInteger\tu8[512,1024] =i8[1024,1024]", [], 2 * 512 * 1024**2, "byte", 0.7),
    ("vector by matrix, f32", f"MatMul\tf32[1,{K}] =f32[{K},{N}]", [], 4 * K * N, "memory", 0.85),
    ("vector by matrix, f16", f"MatMul\tf16[1,{K}] =f16[{K},{N}]", [], 2 * K * N, "memory", 0.85),
    ("vector by matrix, bytes", f"MatMulInteger\tu8[1,{K}] =i8[{K},{N}]", [], K * N, "memory", 0.85),
    (
        "vector by matrix, 4 bits",
        f"com.microsoft.MatMulNBits\tf32[1,{K}] =u8[{N},{K // 32},16]<255 =f32[{N},{K // 32}]\tK={K} N={N} bits=4 block_size=32",
        [],
        K * N // 2 + 4 * K * N // 32,
        "memory",
        0.85,
    ),
]


def peaks(folder):
    """The peaks of the processor."""
    program = folder / "peaks"
    if not program.exists():
        subprocess.run(["cc", "-O3", "-march=native", "-ffp-contract=fast", PEAKS, "-o", program], check=True)
    return json.loads(subprocess.run([program], capture_output=True, text=True, check=True).stdout)


def seconds(arguments, case, backend, options):
    """The fastest run; infinite without runs."""
    command = [arguments.onnx_run, case.folder / "model.onnx", "--inputs", case.folder, "--no-cache", "--backend", backend]
    command += [*options, "--threads", 1, "--bench", "--json", "--runs", arguments.runs]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        print(f"{case.label} on {backend}: {done.stderr.strip()[-200:]}", file=sys.stderr)
        return math.inf
    return json.loads(done.stdout.strip().splitlines()[-1])["latency_ms"]["min"] * 1e-3


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("onnx_run", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--backends", nargs="+", default=["llvm", "cranelift"])
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        cases = []
        for number, (_, line, *_) in enumerate(ROWS):
            (folder / str(number)).mkdir()
            cases.append(Case(line, folder / str(number)))
            cases[-1].session()
        best, reached = {}, {}
        for _ in range(arguments.rounds):
            for kind, peak in peaks(folder).items():
                best[kind] = max(best.get(kind, 0), peak)
            for number, (_, _, options, count, _, _) in enumerate(ROWS):
                for backend in arguments.backends:
                    rate = count / seconds(arguments, cases[number], backend, options) * 1e-9
                    reached[number, backend] = max(reached.get((number, backend), 0), rate)
    print("Peaks: " + ", ".join(f"{kind} {peak:.0f} {UNITS[kind]}" for kind, peak in best.items()) + ".\n")
    print(f"| kernel | operands | at least | {' | '.join(arguments.backends)} |\n|---|---|---|{'---|' * len(arguments.backends)}")
    for number, (name, line, _, _, kind, least) in enumerate(ROWS):
        cells = [f"{reached[number, who]:.0f} {UNITS[kind]} ({share(reached[number, who], best, kind)})" for who in arguments.backends]
        print(f"| {name} | `{line.split(chr(9))[1]}` | {least:.0%} | {' | '.join(cells)} |")


def share(rate, best, kind):
    return f"{rate / best[kind]:.0%}" if kind in best else "–"


if __name__ == "__main__":
    main()
