"""The inner loops of the AArch64 contractions against the issue limit of processors: `issue_limit.py FILE`.

FILE is the runtime's archive for AArch64 (`libruntime.a`), or one of its objects. The loop of a kernel is the innermost loop of a
register tile with the most products. The limit is the time of its products if the processor did nothing but its best
multiply-accumulate instruction (of int8: the best dot product; matrix products of int8 have twice the rate). Limit and time are
estimated by llvm-mca with LLVM's model of the processor: the reciprocal throughput, which knows no dependencies, and the cycles of
simulated iterations. llvm-mca completes the instructions of Cortex-A53 in order, so that in its simulation each load waits for the
multiply-accumulates before it.
"""

import argparse
import collections
import json
import pathlib
import re
import shutil
import subprocess
import sys

#: multiply-accumulate instructions of float vectors with their products, and the best one
FLOATS = {
    "f32": ({"fmla": 4, "fmadd": 1}, "fmla", "v{}.4s, v30.4s, v31.s[0]"),
    "f64": ({"fmla": 2, "fmadd": 1}, "fmla", "v{}.2d, v30.2d, v31.d[0]"),
}
#: the same of int8: of the extension i8mm, of the extension dotprod, and without extensions
MIXED = ({"sudot": 16, "usdot": 16}, "sudot", "v{}.4s, v30.16b, v31.4b[0]")
DOTS = ({"sdot": 16, "udot": 16}, "udot", "v{}.4s, v30.16b, v31.4b[0]")
LONG = ({"smlal": 4, "smlal2": 4, "umlal": 4, "umlal2": 4, "madd": 1}, "smlal", "v{}.4s, v30.4h, v15.h[0]")
#: the int8 instructions that each processor has, the best first. LLVM's model of Cortex-A76 is that of Cortex-A57; Neoverse N1
#: is the Cortex-A76 of servers, with a separate model
PROCESSORS = {
    "cortex-a53": [LONG],
    "cortex-a76": [DOTS, LONG],
    "neoverse-n1": [DOTS, LONG],
    "neoverse-n2": [MIXED, DOTS, LONG],
    "neoverse-v2": [MIXED, DOTS, LONG],
}
#: the first operand of these instructions
OPERANDS = {"f32": r"v\d+\.4s|s\d", "f64": r"v\d+\.2d|d\d", "int8": r"v\d+\.4s|w\d"}
BRANCHES = {"b", "cbz", "cbnz", "tbz", "tbnz"}
ITERATIONS = 100
#: functions of register tiles whose operands are not converted
TILE = re.compile(r"kernels\w*?(contract\w*?4tile|dotprod_tile|i8mm_tile)")
CONVERTED = {"fcvtl", "fcvtl2", "shll", "shll2", "ushll", "ushll2"}


def tool(folder, name):
    path = shutil.which(name, path=folder) or shutil.which(name)
    if not path:
        sys.exit(f"error: {name} is missing, install the Debian package llvm-19")
    return path


def functions(objdump, path):
    """The instructions of each register tile: address, mnemonic, operands."""
    with subprocess.Popen([objdump, "-d", "--no-show-raw-insn", path], stdout=subprocess.PIPE, text=True) as process:
        found = None
        for line in process.stdout:
            if start := re.match(r"[0-9a-f]+ <(.*)>:", line):
                if found:
                    yield found
                found = [] if TILE.search(start[1]) else None
            elif found is not None and (row := re.match(r"\s*([0-9a-f]+):\s+(\S+)\s*(.*)", line)):
                found.append((int(row[1], 16), row[2], row[3].strip()))
        if found:
            yield found
    if process.returncode:
        sys.exit(f"error: {objdump} cannot read {path}")


def loops(function):
    """The innermost loops of a function: from the target of a backward branch to the branch."""
    places = {address: at for at, (address, _, _) in enumerate(function)}
    spans = []
    for at, (address, name, operands) in enumerate(function):
        target = re.search(r"0x([0-9a-f]+)", operands)
        if (name.startswith("b.") or name in BRANCHES) and target:
            first = places.get(int(target[1], 16))
            if first is not None and first <= at:
                spans.append((first, at))
    for first, last in spans:
        if not any(first <= other and end <= last and (other, end) != (first, last) for other, end in spans):
            yield function[first : last + 1]


def text(loop):
    """The loop in assembly language."""
    lines = [".Lloop:"]
    for _, name, operands in loop:
        is_branch = name.startswith("b.") or name in BRANCHES
        operands = re.sub(r"0x[0-9a-f]+ <.*>", ".Lloop", operands) if is_branch else operands
        lines.append(f"{name} {operands.split('//')[0]}")
    return "\n".join(lines) + "\n"


def estimate(mca, processor, loop):
    """The reciprocal throughput, and the simulated cycles of an iteration."""
    command = [mca, "-mtriple=aarch64-linux-gnu", f"-mcpu={processor}", f"-iterations={ITERATIONS}", "-json"]
    result = subprocess.run(command, input=text(loop), capture_output=True, text=True, check=False)
    if result.returncode:
        sys.exit(f"error: {mca} failed for {processor}: {result.stderr.strip()}")
    summary = json.loads(result.stdout)["CodeRegions"][0]["SummaryView"]
    return summary["BlockRThroughput"], summary["TotalCycles"] / ITERATIONS


def largest(found, kind, products):
    """The loop with the most products, of these the shortest; its multiply-accumulate instructions; the products."""
    best = (0, 0, None, None)
    for loop in found:
        own = [row for row in loop if row[1] in products and re.match(OPERANDS[kind], row[2])]
        converts = kind != "int8" and any(name in CONVERTED for _, name, _ in loop)
        count = sum(products[name] for _, name, _ in own)
        if own and not converts and (count, -len(loop)) > best[:2]:
            best = (count, -len(loop), loop, own)
    return best[2], best[3], best[0]


def peak(mca, processor, instructions):
    """Products per cycle of independent multiply-accumulate instructions."""
    products, name, operands = instructions
    registers = [*range(15), *range(16, 30)]
    throughput, _ = estimate(mca, processor, [(0, name, operands.format(register)) for register in registers])
    return products[name] * len(registers) / throughput


def main():
    parser = argparse.ArgumentParser(description=__doc__.split(":")[0])
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--llvm", default="/usr/lib/llvm-19/bin", help="folder of LLVM's tools")
    parser.add_argument("--show", action="store_true", help="print the loops")
    arguments = parser.parse_args()
    mca, objdump = (tool(arguments.llvm, name) for name in ["llvm-mca", "llvm-objdump"])
    if not arguments.file.exists():
        sys.exit(f"error: {arguments.file} does not exist")
    found = [loop for function in functions(objdump, arguments.file) for loop in loops(function)]
    columns = ["processor", "kernel", "multiply-accumulates", "instructions", "limit", "throughput", "share", "simulated", "share"]
    print(f"| {' | '.join(columns)} | products per cycle |\n|{'---|' * (len(columns) + 1)}")
    shown = {}
    for processor, kinds_of_bytes in PROCESSORS.items():
        for kind in ["f32", "f64", "int8"]:
            sets = kinds_of_bytes if kind == "int8" else [FLOATS[kind]]
            candidates = (largest(found, kind, products) for products, _, _ in sets)
            loop, own, products = next((one for one in candidates if one[0]), (None, None, 0))
            if loop is None:
                print(f"| {processor} | {kind} | none | | | | | | | |")
                continue
            limit = products / peak(mca, processor, sets[0])
            throughput, cycles = estimate(mca, processor, loop)
            names = collections.Counter(name for _, name, _ in own)
            names = ", ".join(f"{count} {name}" for name, count in names.items())
            shares = [f"{100 * limit / time:.0f} %" for time in [throughput, cycles]]
            print(
                f"| {processor} | {kind} | {names} | {len(loop)} | {limit:.1f} | {throughput:.1f} | {shares[0]} "
                f"| {cycles:.1f} | {shares[1]} | {products / cycles:.1f} |"
            )
            shown[kind, names] = loop
    if arguments.show:
        for (kind, names), loop in shown.items():
            print(f"\n{kind}, {names}:\n{text(loop)}")


if __name__ == "__main__":
    main()
