"""Morphemes of Russian words: slovorez."""

from slovorez import Slovorez


def prepare():
    analyser = Slovorez.from_pretrained(device="cpu")
    text = "перестройка зимовник программирование непредсказуемость велосипедистами"
    parts = lambda word: [[part.text, str(part.type), float(part.score)] for part in word["morphemes"]]
    return lambda: [[word["word"], parts(word)] for word in analyser.predict(text)]
