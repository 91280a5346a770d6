"""This project, ONNX Runtime and OpenVINO on real models, alternating: `bench.py ONNX_RUN MODELS [NAME...]`.

In each round every contender runs once, in a separate process; a number is the best of the rounds. Prints tables in Markdown
with ratios, ours to theirs: smaller is better for us.

- latency: median of the runs of a process, after a warm-up run, in the highest tier; against the faster of the two peers.
- cold start: ours from the program's first step to the first result; theirs to load the model and run it once, without the time
  Python takes to start and to import; against ONNX Runtime. A line below the table counts what the system takes to start us.
- warm start: the same if `auto` finds the model in its cache; against ONNX Runtime's cold start.
- peak memory: the most a process held; theirs less what Python held before it imported them; against ONNX Runtime.
- settled: the time from the first result until `auto` has its highest tier.
"""

import argparse
import json
import math
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

OURS = {"llvm": "LLVM", "cranelift": "Cranelift", "auto": "auto"}
PEERS = {"onnxruntime": "ONNX Runtime", "openvino": "OpenVINO"}
MEASURES = {
    "latency": ("Latency", "ms", list(PEERS)),
    "cold": ("Cold start", "ms", ["onnxruntime"]),
    "kept": ("Warm start", "ms", ["onnxruntime"]),
    "memory": ("Peak memory", "MB", ["onnxruntime"]),
}


def measure(contender, arguments, model, threads):
    """One process of one contender; None where it fails."""
    if contender in PEERS:
        data = model.parent / "test_data_set_0"
        peer = [sys.executable, Path(__file__).parent / "peers.py", contender, model, data, threads, arguments.runs]
        report = run(peer, contender, arguments, model)
        return report and {**report, "kept": report["cold"]}
    # a cold start is one that finds nothing
    report = ours(contender, arguments, model, threads, arguments.runs, "--no-cache")
    if not report:
        return None
    numbers = {
        "latency": report["latency_ms"]["median"],
        "cold": report["first_result_ms"],
        "start": report["start_ms"],
        "memory": report["peak_rss_mb"],
        "settled": report["settle_ms"],
    }
    if contender == "auto":
        with tempfile.TemporaryDirectory() as folder:
            # the first writes what the second finds
            starts = [ours(contender, arguments, model, threads, 1, "--cache", folder) for _ in range(2)]
        numbers["kept"] = starts[1]["first_result_ms"] if starts[1] else math.inf
    return numbers


def ours(backend, arguments, model, threads, runs, *cache):
    """What `onnx-run` reports; None where it fails."""
    command = [arguments.onnx_run, model, "--inputs", model.parent / "test_data_set_0", "--backend", backend]
    command += ["--threads", threads, *cache, *["--fixed-fp"] * arguments.fixed_fp, "--bench", "--json", "--runs", runs]
    return run(command, backend, arguments, model)


def run(command, contender, arguments, model):
    """What a process reports; None where it fails."""
    try:
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=arguments.limit)
    except subprocess.TimeoutExpired:
        print(f"{model.parent.name} on {contender}: more than {arguments.limit} seconds", file=sys.stderr)
        return None
    if done.returncode != 0:
        print(f"{model.parent.name} on {contender}: {done.stderr.strip()[-300:]}", file=sys.stderr)
        return None
    return json.loads(done.stdout.strip().splitlines()[-1])


def compare(model, threads, arguments):
    """The best numbers of every contender; those that fail are not there."""
    contenders = [*PEERS, *arguments.backends]
    rounds = {contender: [] for contender in contenders}
    for _ in range(arguments.rounds):
        for contender in list(contenders):
            if report := measure(contender, arguments, model, threads):
                rounds[contender].append(report)
            else:
                contenders.remove(contender)
    return {who: {key: min(r[key] for r in rounds[who]) for key in rounds[who][0]} for who in contenders}


def ratio(best, who, measure):
    """Of one of ours to the best of the peers that this measure is compared with, where both are there."""
    peers = [best[peer][measure] for peer in MEASURES[measure][2] if peer in best]
    return best[who][measure] / min(peers) if measure in best.get(who, {}) and peers else None


def cell(best, who, measure):
    if measure not in best.get(who, {}):
        return "–"
    unit, part = MEASURES[measure][1], ratio(best, who, measure) if who in OURS else None
    number = f"{best[who][measure]:.3g}" if best[who][measure] < 100 else f"{best[who][measure]:.0f}"
    return f"{number} {unit}" + (f" ({part:.2f})" if part else "")


def mean(ratios):
    return f"**{math.exp(statistics.fmean(map(math.log, ratios))):.2f}**" if ratios else "–"


def table(measure, results, backends):
    """A table of one measure, with the geometric means of its ratios."""
    contenders = [*PEERS, *backends]
    settled = measure == "cold" and "auto" in backends
    heads = [{**PEERS, **OURS}[who] for who in contenders] + ["settled"] * settled
    lines = [f"#### {MEASURES[measure][0]}", "", f"| model | {' | '.join(heads)} |", "|---|" + "---|" * len(heads)]
    for name, best in results.items():
        cells = [cell(best, who, measure) for who in contenders]
        if settled:
            cells.append(f"{best['auto']['settled']:.0f} ms" if "auto" in best else "–")
        lines.append(f"| {name} | {' | '.join(cells)} |")
    cells = [""] * len(PEERS)
    for who in backends:
        ratios = [ratio(best, who, measure) for best in results.values()]
        cells.append(mean([part for part in ratios if part]))
    lines.append(f"| **geometric mean** | {' | '.join(cells + [''] * settled)} |")
    return "\n".join(lines) + "\n"


def with_start(results):
    """What becomes of the cold starts of `auto` when the time in which the system starts the process counts, too."""
    both = {name: best for name, best in results.items() if "auto" in best and "onnxruntime" in best}
    ratios = {
        name: (best["auto"]["cold"] + best["auto"]["start"]) / best["onnxruntime"]["cold"] for name, best in both.items()
    }
    if not ratios:
        return ""
    most = max(best["auto"]["start"] for best in both.values())
    highest = max(ratios, key=ratios.get)
    return (
        f"With the time in which the system starts the process (at most {most:.2f} ms), auto's cold starts are at "
        f"{mean(ratios.values())}, the highest is {highest}'s at {ratios[highest]:.2f}.\n"
    )


def machine():
    names = [line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line]
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    name = names[0] if names else platform.machine()
    return f"{name}, {len(os.sched_getaffinity(0))} processors, {memory:.0f} GB, {platform.system()} {platform.release()}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("onnx_run", type=Path)
    parser.add_argument("models", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--backends", nargs="+", choices=OURS, default=list(OURS))
    parser.add_argument("--fixed-fp", action="store_true", help="ours in the order of arithmetic that is the same everywhere")
    parser.add_argument("--limit", type=int, default=300, help="seconds that one process may take")
    arguments = parser.parse_intermixed_args()
    models = sorted(arguments.models.glob("*/model.onnx"))
    models = [model for model in models if not arguments.names or model.parent.name in arguments.names]
    print(f"{machine()}; best of {arguments.rounds} rounds of {arguments.runs} runs.\n")
    for threads in arguments.threads:
        results = {}
        for model in models:
            results[model.parent.name] = best = compare(model, threads, arguments)
            line = {who: f"{numbers['latency']:.2f}" for who, numbers in best.items()}
            print(f"{model.parent.name}, {threads} threads: {line}", file=sys.stderr)
        print(f"### {threads} thread{'s' if threads > 1 else ''}\n")
        for measure in MEASURES:
            print(table(measure, results, arguments.backends), flush=True)
            if measure == "cold":
                print(with_start(results))


if __name__ == "__main__":
    main()
