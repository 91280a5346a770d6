"""A picture of a line of text to the input of a text recogniser, and its output to words.

`read_words.py input PICTURE FILE.npy` scales the picture to 48 rows and its colours to -1..1.
`read_words.py words MODEL OUTPUTS.npz` prints the words: at each step the most likely character, repetitions and blanks
left out. The model carries its characters.
"""

import sys

import numpy as np
import onnx
from PIL import Image

HEIGHT = 48


def picture(path):
    image = Image.open(path).convert("RGB")
    image = image.resize((round(image.width * HEIGHT / image.height), HEIGHT), Image.Resampling.BILINEAR)
    bgr = np.asarray(image, dtype=np.float32)[:, :, ::-1] / 127.5 - 1
    return np.ascontiguousarray(bgr.transpose(2, 0, 1)[None])


def words(model, probabilities):
    metadata = {entry.key: entry.value for entry in onnx.load(model, load_external_data=False).metadata_props}
    characters = ["", *metadata["character"].splitlines(), " "]
    steps = probabilities[0].argmax(axis=1)
    kept = [step for step, before in zip(steps, [0, *steps]) if step != before]
    likely = probabilities[0].max(axis=1)[steps != 0]
    return "".join(characters[step] for step in kept).strip(), likely.mean()


def main():
    match sys.argv[1:]:
        case ["input", path, file]:
            np.save(file, picture(path))
        case ["words", model, outputs]:
            (probabilities,) = np.load(outputs).values()
            text, likely = words(model, probabilities)
            print(f"it reads: {text}  ({100 * likely:.0f} % sure)")
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
