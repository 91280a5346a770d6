"""Runs a client, which is a script with a function `prepare` that returns a function: its results and times as a line of JSON.

`measure.py SCRIPT`, under ONNX Runtime or `python -m onnxc.as_onnxruntime`.
"""

import json
import resource
import runpy
import statistics
import sys
import time

#: runs after the first, of which the median counts
RUNS = 5


def main():
    script = runpy.run_path(sys.argv[1])
    loaded = time.perf_counter()
    run = script["prepare"]()
    result = run()
    first = time.perf_counter()
    times = []
    for _ in range(RUNS):
        before = time.perf_counter()
        run()
        times.append(time.perf_counter() - before)
    facts = {
        "result": result,
        "first": first - loaded,
        "latency": statistics.median(times),
        # kilobytes
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }
    print(json.dumps(facts))


if __name__ == "__main__":
    main()
