"""Runs a tool on the models of the corpus: `run.py FOLDER -- COMMAND…`, to which the path of each model is added.

Prints verdicts that are not those of the README, and a table of all.
"""

import collections
import os
import re
import signal
import sys
from pathlib import Path

#: seconds for one model
LIMIT = 10


def outcome(tool):
    """The result of a function in a separate process: `accepted`, `refused` if it fails, or `crashed`, which includes taking too long."""
    child = os.fork()
    if child == 0:
        signal.alarm(LIMIT)
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, 1)
        os.dup2(nothing, 2)
        try:
            tool()
        except BaseException:  # noqa: BLE001: whatever it says, it refuses
            os._exit(1)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        return "crashed"
    return "accepted" if os.WEXITSTATUS(status) == 0 else "refused"


def levels(folder):
    """The level of each rule."""
    rows = re.findall(r"^\| `([a-z0-9-]+)` \| (\w+) \|", (folder / "rules.md").read_text(), re.MULTILINE)
    return dict(rows)


def main():
    if sys.argv[2:3] != ["--"] or len(sys.argv) < 4:
        sys.exit(__doc__)
    folder, command = Path(sys.argv[1]), sys.argv[3:]
    level_of = levels(folder)
    counts = collections.defaultdict(collections.Counter)
    for line in (folder / "cases.tsv").read_text().splitlines():
        name, rule, _ = line.split("\t")
        path = str(folder / name / "model.onnx")
        kind = name.split("/")[0]
        group = f"invalid, {level_of[rule]}" if kind == "invalid" else kind
        verdict = outcome(lambda: os.execvp(command[0], [*command, path]))
        counts[group][verdict] += 1
        expected = {"invalid, error": ["refused"], "near": ["accepted"], "valid": ["accepted"]}
        if verdict not in expected.get(group, ["accepted", "refused"]):
            print(f"{name}: {verdict}", flush=True)
    print("\n| models | accepted | refused | crashed |\n|---|---|---|---|")
    for group in sorted(counts):
        print(f"| {group} |", " | ".join(str(counts[group][verdict]) for verdict in ("accepted", "refused", "crashed")), "|")


if __name__ == "__main__":
    main()
