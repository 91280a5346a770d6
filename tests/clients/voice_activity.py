"""Speech in sound: Silero's model in faster-whisper."""

import numpy
from faster_whisper.vad import get_speech_timestamps, get_vad_model


def prepare():
    random = numpy.random.default_rng(0)
    time = numpy.arange(8 * 16000) / 16000
    # a voiced sound for some seconds, with the rhythm of syllables
    voice = sum(numpy.sin(2 * numpy.pi * 120 * number * time) / number for number in range(1, 30))
    voice *= (time > 2) * (time < 6) * (1 + numpy.sin(2 * numpy.pi * 4 * time))
    sound = (0.1 * voice + 0.001 * random.standard_normal(len(time))).astype(numpy.float32)

    def run():
        model = get_vad_model()
        padded = numpy.pad(sound, (0, -len(sound) % 512))
        return [[float(number) for number in model(padded).ravel()], get_speech_timestamps(sound)]

    return run
