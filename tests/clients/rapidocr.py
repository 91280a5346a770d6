"""Text recognition: rapidocr-onnxruntime."""

import json

from rapidocr_onnxruntime import RapidOCR

lines, _ = RapidOCR()("assets/words.png")
print(json.dumps([[text, round(float(score), 4)] for _, text, score in lines]))
