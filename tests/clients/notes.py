"""Notes in music: basic-pitch."""

import pathlib

import numpy
from basic_pitch import ICASSP_2022_MODEL_PATH
from basic_pitch.inference import Model, run_inference


def prepare():
    import soundfile

    time = numpy.arange(3 * 22050) / 22050
    path = pathlib.Path("target/notes.wav")
    soundfile.write(path, 0.3 * numpy.sin(2 * numpy.pi * 440 * time) + 0.2 * numpy.sin(2 * numpy.pi * 659.3 * time), 22050)
    model = Model(pathlib.Path(ICASSP_2022_MODEL_PATH).with_name("nmp.onnx"))

    def run():
        outputs = run_inference(path, model)
        return {name: [float(number) for number in outputs[name].mean(axis=0)] for name in sorted(outputs)}

    return run
