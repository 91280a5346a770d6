"""Cases of the backend suite as programs under valgrind: `suite.py ONNXC SUITE [--every N]`.

Reads of memory that was never written, accesses outside of allocations and leaks end with status 1; results are the business of
the runner of the suite.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

VALGRIND = ["valgrind", "-q", "--error-exitcode=9", "--leak-check=full", "--errors-for-leak-kinds=definite"]
#: the program does not take the inputs of this case, or the model is not supported
NOT_TAKEN = (1, 3)


def outcome(onnxc, case):
    """`None` where all is well, otherwise what is wrong; `""` if the case cannot be run as a program."""
    inputs = sorted((case / "test_data_set_0").glob("input_*.pb"), key=lambda path: int(path.stem.removeprefix("input_")))
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "program"
        command = [onnxc, case / "model.onnx", "--emit", "exe", "-o", program]
        compiled = subprocess.run(command, capture_output=True, text=True)
        if compiled.returncode:
            return "" if compiled.returncode in NOT_TAKEN else compiled.stderr
        if subprocess.run([program, *inputs], capture_output=True).returncode in NOT_TAKEN:
            return ""
        found = subprocess.run([*VALGRIND, program, *inputs], capture_output=True)
        return None if found.returncode == 0 else found.stderr.decode(errors="replace")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("onnxc", type=pathlib.Path)
    parser.add_argument("suite", type=pathlib.Path)
    parser.add_argument("--every", type=int, default=10, help="one case in so many")
    options = parser.parse_args()
    cases = sorted(path.parent for path in options.suite.glob("node/*/model.onnx"))[:: options.every]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        outcomes = dict(zip(cases, pool.map(lambda case: outcome(options.onnxc.resolve(), case), cases)))
    wrong = {case: text for case, text in outcomes.items() if text}
    for case, text in wrong.items():
        print(f"{case.name}:\n{text}")
    skipped = [case.name for case, text in outcomes.items() if text == ""]
    print(f"{len(cases) - len(wrong) - len(skipped)} of {len(cases)} cases without an error, {len(skipped)} not run: {' '.join(skipped)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
