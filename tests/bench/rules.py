"""Which rewrite rules matter: `rules.py ONNX_RUN FOLDER…`.

Every model below the folders is compiled once with `--explain` and random inputs. A row says in how many models a rule
matched, in how many its result was chosen, and what the cost model expects to save in all of them, in microseconds. A rule
that is in no row matched nowhere.
"""

import argparse
import re
import subprocess
from collections import Counter
from pathlib import Path

ROW = re.compile(r"^(\S+) +fired +(\d+) +chosen +(\d+) +saved +([\d.]+) us", re.MULTILINE)
# of a compilation and a run
SECONDS = 120


def explained(onnx_run, model):
    """The rules that matched in a model: name, chosen results, saved microseconds. Empty for a model that does not run."""
    command = [onnx_run, model, "--random", "--explain", "--no-cache", "--quiet", "--backend", "cranelift"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return []
    return [(name, int(chosen), float(saved)) for name, _, chosen, saved in ROW.findall(done.stderr + done.stdout)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("onnx_run", type=Path)
    parser.add_argument("folders", nargs="+", type=Path)
    arguments = parser.parse_args()
    models = [model for folder in arguments.folders for model in sorted(folder.rglob("model.onnx"))]
    matched, chosen, saved = Counter(), Counter(), Counter()
    for model in models:
        for name, times, microseconds in explained(arguments.onnx_run, model):
            matched[name] += 1
            chosen[name] += times > 0
            saved[name] += microseconds
    print(f"{len(models)} models\n\n| rule | matched in | chosen in | expected to save, µs |\n|---|---|---|---|")
    for name in sorted(matched, key=lambda name: (-chosen[name], -matched[name], name)):
        print(f"| {name} | {matched[name]} | {chosen[name]} | {saved[name]:.0f} |")


if __name__ == "__main__":
    main()
