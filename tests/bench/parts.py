"""The measured benefit of compiler features: `parts.py ONNX_RUN MODELS [NAME…]`.

Every model is compiled with all features and without one at a time, in turns, and runs on one thread, on each back end. A
number is the time without the feature divided by the time with it, both the median of all rounds, above 1 if the feature
pays off; the last row is the geometric mean of all models. The feature `threads` is the second thread.
"""

import argparse
import json
import math
import subprocess
import sys
from pathlib import Path
from statistics import median

RULES = ["arithmetic", "activation", "shape", "contraction", "heads", "normalization", "quantization"]
OTHERS = ["fusion", "attention", "winograd", "tables", "relayouts", "rows"]
THREADS = "threads"


def latency(arguments, model, backend, without, threads=1):
    """The median run in milliseconds; infinite without runs."""
    command = [arguments.onnx_run, model / "model.onnx", "--inputs", model / "test_data_set_0", "--no-cache"]
    command += ["--threads", threads, "--backend", backend, "--bench", "--json", "--runs", arguments.runs]
    command += ["--without", ",".join(without)] if without else []
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        print(f"{model.name} on {backend} without {without}: {done.stderr.strip()[-200:]}", file=sys.stderr)
        return math.inf
    return json.loads(done.stdout.strip().splitlines()[-1])["latency_ms"]["median"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("onnx_run", type=Path)
    parser.add_argument("models", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--parts", nargs="+", default=["rules", *RULES, *OTHERS, THREADS])
    parser.add_argument("--backends", nargs="+", default=["llvm", "cranelift"])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--runs", type=int, default=10)
    arguments = parser.parse_intermixed_args()
    models = sorted(folder for folder in arguments.models.iterdir() if (folder / "model.onnx").exists())
    models = [model for model in models if not arguments.names or model.name in arguments.names]
    left_out = {part: RULES if part == "rules" else [part] for part in arguments.parts if part != THREADS}
    for backend in arguments.backends:
        print(f"### {backend}\n\n| model | {' | '.join(arguments.parts)} |\n|---|{'---|' * len(arguments.parts)}")
        logarithms = {part: [] for part in arguments.parts}
        for model in models:
            whole, times = [], {part: [] for part in arguments.parts}
            for _ in range(arguments.rounds):
                whole.append(latency(arguments, model, backend, []))
                for part, without in left_out.items():
                    times[part].append(latency(arguments, model, backend, without))
                if THREADS in times:
                    times[THREADS].append(latency(arguments, model, backend, [], threads=2))
            whole, times = median(whole), {part: median(found) for part, found in times.items()}
            if math.inf in [whole, *times.values()]:
                continue
            # without the second thread is whole, with it the other
            ratios = {part: whole / time if part == THREADS else time / whole for part, time in times.items()}
            for part, ratio in ratios.items():
                logarithms[part].append(math.log(ratio))
            print(f"| {model.name} | {' | '.join(f'{ratio:.2f}' for ratio in ratios.values())} |", flush=True)
        means = (math.exp(sum(found) / max(len(found), 1)) for found in logarithms.values())
        print(f"| **geometric mean** | {' | '.join(f'**{mean:.2f}**' for mean in means)} |\n")


if __name__ == "__main__":
    main()
