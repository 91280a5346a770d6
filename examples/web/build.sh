#!/usr/bin/env bash
# build.sh ONNXC MODEL FOLDER: makes the page's folder from a text recogniser, such as target/models/ppocrv4_rec/model.onnx; serve it
# with `python3 -m http.server --directory FOLDER`.
set -euo pipefail
onnxc=$1 model=$2 folder=$3
mkdir -p "$folder"
cp "$(dirname "$0")"/{index.html,page.mjs,recognise.mjs} "$folder"
"$onnxc" "$model" --emit npm --name recogniser --shape x=1x3x48x320 -o "$folder/recogniser"
"$onnxc" inspect "$model" | python3 -c '
import itertools, json, sys
key = "metadata character: "
lines = itertools.dropwhile(lambda line: not line.startswith(key), sys.stdin.read().split("\n"))
first = next(lines)[len(key):]
rest = [line[2:] for line in itertools.takewhile(lambda line: line.startswith("  "), lines)]
print(json.dumps(["", first, *rest, " "], ensure_ascii=False))' > "$folder/characters.json"
