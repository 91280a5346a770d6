#!/usr/bin/env python3
"""models.py ONNX_RUN: mutates the models of ONNX's backend suite, or the bytes of their files, and runs each mutant on random inputs.

A run must end with exit code 0, 1 or 3 within five seconds and one GB of address space beyond what the program itself takes. Others are printed with
their seed, which makes the same mutant again (`--seed N --count 1`), and are saved; exit status 1 if there is any."""
import argparse
import os
import random
import resource
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import onnx

from mutate import damage, mutate

RIGHT = (0, 1, 3)
LARGEST = 200_000


def bases(suite, only):
    """The small models of a suite; ONNX's own is written where it is not there yet."""
    if not suite.exists():
        script = Path(__file__).parent.parent / "conformance/fetch.py"
        subprocess.run([sys.executable, script, suite], check=True, stderr=subprocess.DEVNULL)
    found = sorted(path for path in suite.glob("*/*/model.onnx") if path.stat().st_size < LARGEST and only in path.parent.name)
    return found or sys.exit(f"no model in {suite} has '{only}' in its name")


def run(program, path, room, limit):
    """Exit code and messages of a run; 124 where it takes too long."""
    def bounded():
        resource.setrlimit(resource.RLIMIT_AS, (room, room))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    command = [program, path, "--random", "--no-cache", "--threads", "2"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=limit, preexec_fn=bounded if room else None)
        return done.returncode, done.stderr
    except subprocess.TimeoutExpired:
        return 124, f"takes more than {limit} s"


def own_space(program):
    """The address space that a run of a small model needs, in bytes."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/small.onnx"
        info = [onnx.helper.make_tensor_value_info(name, 1, [2]) for name in "xy"]
        graph = onnx.helper.make_graph([onnx.helper.make_node("Relu", ["x"], ["y"])], "g", info[:1], info[1:])
        onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8), path)
        room = 32 << 20
        while run(program, path, room, 60)[0] != 0:
            room += room // 4
            if room > 1 << 40:
                sys.exit("the program does not run a small model")
        return room


def mutant(models, seed, of_files):
    """The bytes of mutant `seed`, the model it comes of, and the mutations of the model or of its file."""
    source = random.Random(seed)
    path = source.choice(models)
    if of_files:
        data, changes = damage(source, path.read_bytes())
        return data, path.parent.name, changes
    model = onnx.load(path)
    changes = mutate(source, model)
    return model.SerializeToString(), path.parent.name, changes


def attempt(options, models, room, seed):
    """What is wrong with the run of a mutant, if anything is."""
    try:
        data, base, changes = mutant(models, seed, options.files)
    except (ValueError, TypeError, OverflowError, AttributeError, IndexError):
        # the protobuf library refuses what was asked for
        return None
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/model.onnx"
        Path(path).write_bytes(data)
        code, messages = run(options.program, path, room, options.limit)
    if code in RIGHT:
        return None
    last = messages.strip().splitlines()[-1:] or [""]
    place = next((line.split("panicked at ")[1] for line in messages.splitlines() if "panicked at " in line), "")
    said = f"seed {seed} {base} ({', '.join(changes)}): exit {code}: {place} {last[0][:200]}"
    save = Path(options.save) / f"{seed}-{base}"
    save.mkdir(parents=True, exist_ok=True)
    (save / "model.onnx").write_bytes(data)
    (save / "messages.txt").write_text(f"{said}\n\n{messages}")
    return said


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", help="onnx-run")
    parser.add_argument("--count", type=int, default=5000, help="mutants")
    parser.add_argument("--seed", type=int, default=1, help="of the first mutant; the others count on")
    parser.add_argument("--files", action="store_true", help="mutate the bytes of the files, instead of the models")
    parser.add_argument("--only", default="", help="of models that have this in their name")
    parser.add_argument("--suite", type=Path, default=Path("target/conformance"), help="a folder of models, as tests/conformance/fetch.py writes it")
    parser.add_argument("--limit", type=float, default=5, help="seconds of a run")
    parser.add_argument("--space", type=int, default=1 << 30, help="bytes of address space beyond the program's own; 0: any")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="runs at a time")
    parser.add_argument("--save", default="target/fuzz", help="where failures go")
    options = parser.parse_args()
    models = bases(options.suite, options.only)
    room = own_space(options.program) + options.space if options.space else 0
    found = 0
    with ThreadPoolExecutor(options.jobs) as pool:
        seeds = range(options.seed, options.seed + options.count)
        for said in pool.map(lambda seed: attempt(options, models, room, seed), seeds):
            if said:
                found += 1
                print(said, flush=True)
    print(f"{options.count} mutants of {len(models)} models, {found} findings")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
