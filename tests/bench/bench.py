"""This project and ONNX Runtime on real models, alternating: `bench.py ONNX_RUN MODELS [NAME...]`.

Every number is a median over rounds; in each round every contender runs once, in a process of its own. Prints a table in
Markdown with ratios, ours to theirs: smaller is better for us.

- latency: median of the runs of a process, after a warm-up run.
- cold start: ours from the start of the process to the first result; theirs to create a session and run it once,
  without the time Python takes to start and to import.
- memory: the most a process held; theirs less what Python held before it imported ONNX Runtime.
"""

import argparse
import json
import math
import os
import platform
import statistics
import subprocess
import sys
from pathlib import Path

BACKENDS = ["cranelift", "llvm"]
MEASURES = ["latency", "cold", "memory"]
RUNTIME = "onnxruntime"


def status(field):
    """A line of /proc/self/status, in megabytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) / 1024
    return 0.0


def run_runtime(model, data, threads, runs):
    """Measures ONNX Runtime in this process."""
    import time

    import numpy
    import onnx

    before = status("VmRSS")
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    files = sorted(data.glob("input_*.pb"), key=lambda path: int(path.stem.split("_")[1]))
    tensors = [onnx.numpy_helper.to_array(onnx.load_tensor(path)) for path in files]
    start = time.perf_counter()
    session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    inputs = {info.name: numpy.ascontiguousarray(tensor) for info, tensor in zip(session.get_inputs(), tensors)}
    session.run(None, inputs)
    cold = time.perf_counter() - start
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        session.run(None, inputs)
        times.append(time.perf_counter() - start)
    latency = statistics.median(times) * 1e3
    return {"latency": latency, "cold": cold * 1e3, "memory": status("VmHWM") - before}


def measure(contender, arguments, model, threads):
    """One process of one contender."""
    data = model.parent / "test_data_set_0"
    if contender == RUNTIME:
        command = [sys.executable, __file__, "--runtime", model, data, "--threads", threads, "--runs", arguments.runs]
    else:
        command = [arguments.onnx_run, model, "--inputs", data, "--backend", contender, "--threads", threads]
        command += ["--bench", "--json", "--runs", arguments.runs]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        print(f"{model.parent.name} on {contender}: {done.stderr.strip()[-300:]}", file=sys.stderr)
        return None
    report = json.loads(done.stdout.strip().splitlines()[-1])
    if contender == RUNTIME:
        return report
    latency, cold, memory = report["latency_ms"]["median"], report["first_result_ms"], report["peak_rss_mb"]
    return {"latency": latency, "cold": cold, "memory": memory}


def compare(model, threads, arguments):
    """The medians of every contender, or None for those that fail."""
    contenders = [RUNTIME, *BACKENDS]
    rounds = {contender: [] for contender in contenders}
    for _ in range(arguments.rounds):
        for contender in contenders:
            rounds[contender].append(measure(contender, arguments, model, threads))
    medians = {}
    for contender, reports in rounds.items():
        fine = None not in reports
        medians[contender] = {m: statistics.median(r[m] for r in reports) for m in MEASURES} if fine else None
    return medians


def cell(ours, theirs, measure):
    if ours is None or theirs is None:
        return "–"
    unit = "MB" if measure == "memory" else "ms"
    return f"{ours[measure]:.1f} {unit} ({ours[measure] / theirs[measure]:.2f})"


def mean_row(rows, threads):
    """Geometric means of the ratios, backend by backend, in the order of the columns."""
    cells = []
    for measure in MEASURES:
        for backend in BACKENDS:
            ratios = [ours[backend][measure] / ours[RUNTIME][measure] for ours in rows if ours[backend] and ours[RUNTIME]]
            mean = math.exp(statistics.fmean(map(math.log, ratios))) if ratios else math.nan
            cells.append(f"**{mean:.2f}**")
    return f"| **geometric mean** | {threads} | | {cells[0]} | {cells[1]} | | {cells[2]} | {cells[3]} | | {cells[4]} | {cells[5]} |"


def table(models, threads, arguments):
    print(f"\n### {threads} thread{'s' if threads > 1 else ''}\n")
    names = {"latency": "latency", "cold": "cold start", "memory": "peak memory"}
    heads = [f"{names[m]}: {who}" for m in MEASURES for who in ("ONNX Runtime", "Cranelift", "LLVM")]
    print(f"| model | threads | {' | '.join(heads)} |")
    print("|---|---|" + "---|" * len(heads))
    rows = []
    for model in models:
        medians = compare(model, threads, arguments)
        theirs = medians[RUNTIME]
        cells = []
        for measure in MEASURES:
            unit = "MB" if measure == "memory" else "ms"
            cells.append(f"{theirs[measure]:.1f} {unit}" if theirs else "–")
            cells += [cell(medians[backend], theirs, measure) for backend in BACKENDS]
        print(f"| {model.parent.name} | {threads} | {' | '.join(cells)} |", flush=True)
        rows.append(medians)
    print(mean_row(rows, threads), flush=True)


def machine():
    names = [line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line]
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    name = names[0] if names else platform.machine()
    return f"{name}, {len(os.sched_getaffinity(0))} processors, {memory:.0f} GB, {platform.system()} {platform.release()}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("onnx_run", type=Path)
    parser.add_argument("models", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--runtime", action="store_true", help="be the ONNX Runtime: MODEL DATA")
    arguments = parser.parse_args()
    if arguments.runtime:
        print(json.dumps(run_runtime(arguments.onnx_run, arguments.models, arguments.threads[0], arguments.runs)))
        return
    import onnxruntime

    models = sorted(arguments.models.glob("*/model.onnx"))
    models = [model for model in models if not arguments.names or model.parent.name in arguments.names]
    print(f"{machine()}; ONNX Runtime {onnxruntime.__version__}; medians of {arguments.rounds} rounds of {arguments.runs} runs;")
    print("in parentheses the ratio to ONNX Runtime.")
    for threads in arguments.threads:
        table(models, threads, arguments)


if __name__ == "__main__":
    main()
