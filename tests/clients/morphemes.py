"""Morphemes of Russian words: slovorez."""

from slovorez import Slovorez


def prepare():
    analyser = Slovorez.from_pretrained(device="cpu")
    text = "перестройка зимовник программирование непредсказуемость велосипедистами"
    # scores are of a model in f16
    parts = lambda word: [[part.text, str(part.type)] for part in word["morphemes"]]
    return lambda: [[word["word"], parts(word)] for word in analyser.predict(text)]
