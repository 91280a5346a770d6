"""The pitch of a sound: swift-f0."""

import numpy
from swift_f0 import SwiftF0


def prepare():
    time = numpy.arange(3 * 16000) / 16000
    # without noise, the features are logarithms of rounding errors
    noise = 0.01 * numpy.random.default_rng(0).standard_normal(len(time))
    glide = (0.5 * numpy.sin(2 * numpy.pi * (220 + 40 * time) * time) + noise).astype(numpy.float32)
    detector = SwiftF0()

    def run():
        found = detector.detect(glide, 16000)
        # where there is no voice, the pitch is that of noise
        return [found.pitch_hz[found.confidence > 0.5].tolist(), found.confidence.tolist()]

    return run
