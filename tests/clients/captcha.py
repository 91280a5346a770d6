"""Text in small pictures: ddddocr."""

import pathlib

import ddddocr


def prepare():
    reader, picture = ddddocr.DdddOcr(show_ad=False), pathlib.Path("assets/words.png").read_bytes()
    return lambda: reader.classification(picture)
