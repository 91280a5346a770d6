"""Quality of speech: speechmos."""

import json

import numpy as np
from speechmos import dnsmos

samples = np.sin(np.arange(4 * 16000) / 30).astype(np.float32) * 0.5
scores = dnsmos.run(samples, 16000)
print(json.dumps({name: float(score) for name, score in scores.items() if isinstance(score, (float, np.floating))}))
