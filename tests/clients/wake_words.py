"""Features of speech for wake words: openwakeword, with the models of its port to the browser."""

import pathlib

import numpy
from openwakeword.utils import AudioFeatures

MODELS = pathlib.Path("target/models")


def prepare():
    random = numpy.random.default_rng(0)
    sound = (3000 * random.standard_normal(3 * 16000)).astype(numpy.int16)
    melspectrogram, embedding = (str(MODELS / f"oww_{name}" / "model.onnx") for name in ("melspec", "embedding"))
    features = AudioFeatures(melspectrogram, embedding, inference_framework="onnx")
    return lambda: [float(number) for number in features.embed_clips(sound[None]).mean(axis=(0, 1))]
