"""Kinds of files: magika."""

from magika import Magika

TEXTS = [b"# Example\nThis is *markdown*\n", b"import os\n\ndef main():\n    print(os.name)\n", bytes(range(256)) * 4]


def prepare():
    magika = Magika()

    def run():
        results = [magika.identify_bytes(text) for text in TEXTS]
        return [[str(result.output.label), float(result.score)] for result in results]

    return run
