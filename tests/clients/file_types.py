"""Kinds of files: magika."""

import json

from magika import Magika

texts = [b"# Example\nThis is *markdown*\n", b"import os\n\ndef main():\n    print(os.name)\n", bytes(range(256)) * 4]
results = [Magika().identify_bytes(text) for text in texts]
print(json.dumps([[str(result.output.label), float(result.score)] for result in results]))
