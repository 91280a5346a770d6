"""Detection in pictures: nudenet."""

import json

from nudenet import NudeDetector

print(json.dumps([[found["class"], float(found["score"]), found["box"]] for found in NudeDetector().detect("assets/words.png")]))
