"""Instructions of a run on AArch64, ours and ONNX Runtime's: `instructions.py ONNX_RUN PYTHON MODELS [NAME...]`.

ONNX_RUN and PYTHON, which has onnxruntime, are programs for AArch64; QEMU runs them as a Cortex-A76 and counts. A number is the
difference between processes with many runs and with few, on one thread, so that loading and compiling do not count. Prints a table
in Markdown with ratios, ours to theirs: smaller is better for us."""
import argparse
import os
import subprocess
import tempfile
from pathlib import Path

from bench import OURS, mean

FEW = 1
#: the instructions of the runs that are counted, at least: those of starting a program differ by some hundredths of it
ENOUGH = 500_000_000
MOST = 2000


def count(command, folder):
    """The instructions of a process."""
    path = folder / "count"
    path.unlink(missing_ok=True)
    settings = {"QEMU_CPU": "cortex-a76", "QEMU_PLUGIN": str(folder / "plugin.so"), "INSTRUCTIONS": str(path)}
    done = subprocess.run([str(word) for word in command], env={**os.environ, **settings}, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{command[0]}: exit code {done.returncode}: {done.stderr.strip()[-300:]}")
    return int(path.read_text())


def instructions(command, folder):
    """The instructions of a run; `command` gives that of a process with some runs."""
    few, more = count(command(FEW), folder), 1
    while True:
        counted = count(command(FEW + more), folder) - few
        if counted >= ENOUGH or more == MOST:
            return counted / more
        # a difference of few runs may be less than that of starts
        more = min(MOST, 8 * more, max(2 * more, more * ENOUGH // max(counted, 1) + 1))


def contenders(options, model):
    data = model.parent / "test_data_set_0"
    peer = [options.python, Path(__file__).parent / "peers.py", "onnxruntime", model, data, 1]
    yield "onnxruntime", lambda runs: [*peer, runs]
    ours = ["qemu-aarch64", options.onnx_run, model, "--inputs", data, "--engine", "plain", "--threads", 1, "--no-cache", "--bench"]
    for backend in ("llvm", "cranelift"):
        yield backend, lambda runs, backend=backend: [*ours, "--backend", backend, "--runs", runs]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("onnx_run", type=Path)
    parser.add_argument("python", type=Path)
    parser.add_argument("models", type=Path)
    parser.add_argument("names", nargs="*")
    options = parser.parse_intermixed_args()
    paths = [options.models / name / "model.onnx" for name in options.names] or sorted(options.models.glob("*/model.onnx"))
    ratios = {"llvm": [], "cranelift": []}
    print("| model | ONNX Runtime | LLVM | Cranelift |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = Path(__file__).with_suffix(".c")
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", source, "-o", folder / "plugin.so"], check=True)
        for path in paths:
            counts = {who: instructions(command, folder) for who, command in contenders(options, path)}
            cells = [f"{counts['onnxruntime'] / 1e6:.1f} M"]
            for who, parts in ratios.items():
                parts.append(counts[who] / counts["onnxruntime"])
                cells.append(f"{counts[who] / 1e6:.1f} M ({parts[-1]:.2f})")
            print(f"| {path.parent.name} | {' | '.join(cells)} |", flush=True)
    print(f"| **geometric mean** | | {' | '.join(mean(parts) for parts in ratios.values())} |")
    print(f"\n{', '.join(OURS[who] for who in ratios)}: ratios to ONNX Runtime on one thread")


if __name__ == "__main__":
    main()
