"""Models on many processors: `cores.py ONNX_RUN MODELS [NAME...] [--threads N...] [--modelled ONNX_RUN]`.

Latencies next to ONNX Runtime's, each contender once a round in a separate process, a number being the best of the rounds'
medians; the throughput of as many processes of one thread; and how much faster each kernel is on more threads. With
`--modelled`, for a machine with fewer processors, the last alone, by a program that is built with a model of more
(`runtime/src/pool/modelled.rs`). Prints tables in Markdown.
"""

import argparse
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import bench

BACKENDS = ("llvm", "cranelift")
PEER = "onnxruntime"
#: kernels that take less than this on one thread, in milliseconds, are not listed
LEAST = 0.2
#: kernels that gain less than this are listed
GAIN = 6
ROUNDS = 3


def latency(arguments, model, who, threads):
    """Milliseconds of a run; None where it fails."""
    report = bench.measure(who, arguments, model / "model.onnx", threads)
    return report and report["latency"]


def kernels(program, arguments, model, backend, threads):
    """Milliseconds of each call of a kernel, by the kernel and the nodes that it stands for."""
    command = [program, model / "model.onnx", "--inputs", model / "test_data_set_0", "--backend", backend]
    command += ["--threads", threads, "--no-cache", "--profile", "--json", "--runs", arguments.runs]
    report = bench.run(command, backend, arguments, model / "model.onnx")
    calls = [call for call in report["calls"] if not call["once"]] if report else []
    return {(call["kernel"], str(call["nodes"])): call["ms"] for call in calls}


def throughput(arguments, model, who, processes):
    """Runs a second of processes of one thread; None where one fails."""
    with ThreadPoolExecutor(processes) as pool:
        times = list(pool.map(lambda _: latency(arguments, model, who, 1), range(processes)))
    return sum(1e3 / time for time in times) if all(times) else None


def row(head, cells):
    print(f"| {' | '.join([head, *cells])} |", flush=True)


def latencies(arguments, models):
    """Tables of ratios of latencies, and of the throughput of processes of one thread."""
    contenders, processes = (PEER, *BACKENDS), max(arguments.threads)
    found = {(model, threads, who): [] for model in models for threads in arguments.threads for who in contenders}
    for _ in range(ROUNDS):
        for (model, threads, who), times in found.items():
            times.append(latency(arguments, model, who, threads))
    best = {key: min(times) if all(times) else None for key, times in found.items()}
    rates = {(model, who): throughput(arguments, model, who, processes) for model in models for who in contenders}
    for backend in BACKENDS:
        print(f"### {backend}, to ONNX Runtime\n")
        heads = [f"{threads} threads" for threads in arguments.threads] + [f"throughput of {processes} processes"]
        row("model", heads)
        row("---", ["---"] * len(heads))
        columns = [[] for _ in heads]
        for model in models:
            pairs = [[best[model, threads, who] for who in (backend, PEER)] for threads in arguments.threads]
            pairs.append([rates[model, who] for who in (backend, PEER)])
            ratios = [ours / theirs if ours and theirs else None for ours, theirs in pairs]
            for column, ratio in zip(columns, ratios):
                column.extend([ratio] if ratio else [])
            row(model.name, [f"{ratio:.2f}" if ratio else "–" for ratio in ratios])
        row("**geometric mean**", map(bench.mean, columns))
        print()


def gains(arguments, models, program):
    """Tables of how much faster models and their kernels are on more threads than on one."""
    one, *others = arguments.threads
    for backend in BACKENDS:
        print(f"### {backend}, by kernels\n")
        heads = [f"ms on {one}", *(f"gain on {threads}" for threads in others), f"kernels over {LEAST} ms", f"below {GAIN}"]
        row("model", heads)
        row("---", ["---"] * len(heads))
        slow = []
        for model in models:
            times = [kernels(program, arguments, model, backend, threads) for threads in arguments.threads]
            whole = [sum(found.values()) for found in times]
            if not all(whole):
                continue
            long = [call for call, time in times[0].items() if time >= LEAST and call in times[-1]]
            few = [call for call in long if times[0][call] < GAIN * times[-1][call]]
            for kernel in {kernel for kernel, _ in few}:
                sums = [sum(found[call] for call in few if call[0] == kernel) for found in (times[0], times[-1])]
                slow.append((*sums, model.name, kernel, sum(call[0] == kernel for call in few)))
            numbers = [f"{whole[0]:.2f}", *(f"{whole[0] / time:.1f}" for time in whole[1:]), str(len(long)), str(len(few))]
            row(model.name, numbers)
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
    parser.add_argument("--limit", type=int, default=300, help="seconds that one process may take")
    arguments = parser.parse_intermixed_args()
    models = sorted(folder for folder in arguments.models.iterdir() if (folder / "model.onnx").exists())
    models = [model for model in models if model.name in arguments.names]
    if arguments.modelled:
        print(f"{len(os.sched_getaffinity(0))} processors here; more by a model, which knows no limit of memory.\n")
        gains(arguments, models, arguments.modelled)
    else:
        latencies(arguments, models)
        gains(arguments, models, arguments.onnx_run)


if __name__ == "__main__":
    main()
