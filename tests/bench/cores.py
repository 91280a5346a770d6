"""Models on many processors: `cores.py ONNX_RUN MODELS [NAME...] [--threads N...] [--modelled ONNX_RUN]`.

Where the machine has as many processors as the most threads: latencies next to ONNX Runtime's, each contender once a round in
a separate process, a number being the best of the rounds' medians; the throughput of as many processes of one thread; and how much faster
each kernel is. Where it has fewer, the last alone, by a model of more processors (`runtime/src/pool/modelled.rs`), with a
program that is built with it. Prints tables in Markdown.
"""

import argparse
import json
import math
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

BACKENDS = ("llvm", "cranelift")
PEER = "onnxruntime"
#: kernels that take less than this on one thread, in milliseconds, are not listed
LEAST = 0.2
#: kernels that gain less than this are listed
GAIN = 6
ROUNDS = 3


def parsed(command):
    """The last line of a program's output, which is JSON; None where it fails."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode:
        print(" ".join(map(str, command)), done.stderr.strip()[-300:], file=sys.stderr)
        return None
    return json.loads(done.stdout.strip().splitlines()[-1])


def ours(program, model, backend, threads, *options):
    command = [program, model / "model.onnx", "--inputs", model / "test_data_set_0", "--quiet", "--no-cache", "--json"]
    return parsed([*command, "--backend", backend, "--threads", threads, *options])


def latency(program, model, who, threads, runs):
    """Milliseconds of a run."""
    if who == PEER:
        peers = Path(__file__).with_name("peers.py")
        report = parsed([sys.executable, peers, who, model / "model.onnx", model / "test_data_set_0", threads, runs])
        return report["latency"] if report else math.inf
    report = ours(program, model, who, threads, "--bench", "--runs", runs)
    return report["latency_ms"]["median"] if report else math.inf


def kernels(program, model, backend, threads, runs):
    """Milliseconds of each call of a kernel, by the kernel and the nodes that it stands for."""
    report = ours(program, model, backend, threads, "--profile", "--runs", runs)
    calls = [call for call in report["calls"] if not call["once"]] if report else []
    return {(call["kernel"], str(call["nodes"])): call["ms"] for call in calls}


def mean(numbers):
    return math.exp(sum(map(math.log, numbers)) / len(numbers)) if numbers else math.nan


def latencies(arguments, models):
    """Tables of ratios of latencies, and of the throughput of processes of one thread."""
    contenders = (PEER, *BACKENDS)
    best, rates = {}, {}
    for _ in range(ROUNDS):
        for model in models:
            for threads in arguments.threads:
                for who in contenders:
                    time = latency(arguments.onnx_run, model, who, threads, arguments.runs)
                    best[model, threads, who] = min(time, best.get((model, threads, who), math.inf))
    processes = max(arguments.threads)
    for model in models:
        for who in contenders:
            with ThreadPoolExecutor(processes) as pool:
                runs = [(arguments.onnx_run, model, who, 1, arguments.runs)] * processes
                rates[model, who] = sum(1e3 / time for time in pool.map(lambda run: latency(*run), runs))
    for backend in BACKENDS:
        heads = [f"{threads} threads" for threads in arguments.threads] + [f"throughput of {processes} processes"]
        print(f"### {backend}, to ONNX Runtime\n\n| model | {' | '.join(heads)} |\n|---|{'---|' * len(heads)}")
        ratio = lambda threads, model: best[model, threads, backend] / best[model, threads, PEER]
        columns = [[ratio(threads, model) for model in models] for threads in arguments.threads]
        columns.append([rates[model, backend] / rates[model, PEER] for model in models])
        for model, *row in zip(models, *columns):
            print(f"| {model.name} | {' | '.join(f'{ratio:.2f}' for ratio in row)} |")
        print(f"| **geometric mean** | {' | '.join(f'**{mean(column):.2f}**' for column in columns)} |\n", flush=True)


def gains(arguments, models, program):
    """Tables of how much faster models and their kernels are on more threads than on one."""
    one, *others = arguments.threads
    for backend in BACKENDS:
        heads = [f"ms on {one}", *(f"gain on {threads}" for threads in others), f"kernels over {LEAST} ms", f"below {GAIN}"]
        print(f"### {backend}, by kernels\n\n| model | {' | '.join(heads)} |\n|---|{'---|' * len(heads)}")
        slow = []
        for model in models:
            times = [kernels(program, model, backend, threads, arguments.runs) for threads in arguments.threads]
            whole = [sum(found.values()) for found in times]
            if not all(whole):
                continue
            long = [call for call, time in times[0].items() if time >= LEAST and call in times[-1]]
            few = [call for call in long if times[0][call] < GAIN * times[-1][call]]
            for kernel in {kernel for kernel, _ in few}:
                sums = [sum(found[call] for call in few if call[0] == kernel) for found in (times[0], times[-1])]
                slow.append((*sums, model.name, kernel, sum(call[0] == kernel for call in few)))
            numbers = [f"{whole[0]:.2f}", *(f"{whole[0] / time:.1f}" for time in whole[1:]), str(len(long)), str(len(few))]
            print(f"| {model.name} | {' | '.join(numbers)} |", flush=True)
        print()
        for time, less, model, kernel, calls in sorted(slow, reverse=True):
            print(f"- {model}, {kernel} ({calls}): {time:.2f} ms, {time / less:.1f} times as fast on {others[-1]}")
        print(flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("onnx_run", type=Path)
    parser.add_argument("models", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 8, 16])
    parser.add_argument("--modelled", type=Path, help="the program that is built with a model of more processors")
    parser.add_argument("--runs", type=int, default=10)
    arguments = parser.parse_args()
    models = sorted(folder for folder in arguments.models.iterdir() if (folder / "model.onnx").exists())
    models = [model for model in models if model.name in arguments.names]
    processors = len(os.sched_getaffinity(0))
    if arguments.modelled:
        print(f"{processors} processors here; more by a model, which knows no limit of memory.\n")
        gains(arguments, models, arguments.modelled)
    else:
        latencies(arguments, models)
        gains(arguments, models, arguments.onnx_run)


if __name__ == "__main__":
    main()
