"""Quality of speech: speechmos."""

import numpy
from speechmos import dnsmos


def prepare():
    samples = numpy.sin(numpy.arange(4 * 16000) / 30).astype(numpy.float32) * 0.5

    def run():
        scores = dnsmos.run(samples, 16000)
        return {name: float(score) for name, score in scores.items() if isinstance(score, (float, numpy.floating))}

    return run
