"""Features of speech for several recognisers, and other sampling rates: the models in onnx-asr."""

import numpy
from onnx_asr.preprocessors.preprocessor import OnnxPreprocessor
from onnx_asr.preprocessors.resampler import Resampler

NAMES = ["gigaam_v2", "gigaam_v3", "kaldi", "nemo80", "nemo128", "whisper80", "whisper128", "wespeaker"]


def prepare():
    random = numpy.random.default_rng(0)
    time = numpy.arange(2 * 16000) / 16000
    sounds = [numpy.sin(2 * numpy.pi * first * time) + 0.1 * random.standard_normal(len(time)) for first in (200, 310)]
    sounds = (0.3 * numpy.stack(sounds)).astype(numpy.float32)
    lengths = numpy.array([32000, 20000])
    steps = [OnnxPreprocessor(name, {}) for name in NAMES] + [Resampler(8_000, {})]
    shown = lambda features, count: [features.shape[-1], count.tolist(), features.ravel()[::97].tolist()]
    return lambda: [shown(*step(sounds, lengths)) for step in steps[:-1]] + [shown(*steps[-1](sounds, lengths, 16_000))]
