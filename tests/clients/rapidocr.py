"""Text recognition: rapidocr-onnxruntime."""

from rapidocr_onnxruntime import RapidOCR


def prepare():
    reader = RapidOCR()
    return lambda: [[text, round(float(score), 4)] for _, text, score in reader("assets/words.png")[0]]
