#!/usr/bin/env python3
"""bits.py ONNX_RUN [MODEL…]: whether models give the same bits on both back ends and for one and two threads, in the fixed order of arithmetic.

Prints the digests of each model's outputs once, or what differs; exit status 1 if anything does. `--also COMMAND` compares with onnx-run for another
processor, in an emulator. Objects for other processors are compared by `tests/tests/sonnx.rs`."""
import argparse
import shlex
import subprocess
import sys
from pathlib import Path


WAYS = [["--backend", backend, "--threads", threads] for backend in ("cranelift", "llvm") for threads in ("1", "2")]


def digests(program, model, way):
    command = [*program, model, "--random", "--fixed-fp", "--hash", "--quiet", "--no-cache", *way]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    return done.stdout if done.returncode == 0 else f"exit code {done.returncode}: {done.stderr.strip()[-300:]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("models", nargs="*")
    parser.add_argument("--also", type=shlex.split, metavar="COMMAND")
    parser.add_argument("--folder", type=Path, default=Path("target/models"))
    options = parser.parse_intermixed_args()
    paths = sorted(path for path in options.folder.glob("*/model.onnx") if not options.models or path.parent.name in options.models)
    programs = [[options.program]] + ([options.also] if options.also else [])
    kinds = [(program, way) for program in programs for way in WAYS]
    different = 0
    for path in paths:
        found = [digests(program, path, way) for program, way in kinds]
        is_same = len(set(found)) == 1
        different += not is_same
        print(f"{path.parent.name}: {found[0].strip() if is_same else ''}", flush=True)
        if not is_same:
            for (program, way), text in zip(kinds, found):
                print(f"  {shlex.join([*program, *way])}: {text.strip()}")
    print(f"{len(paths)} models, {different} with other bits")
    return 1 if different or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
