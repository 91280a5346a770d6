"""Writes the models of `invalid` and `valid.py` to a folder: `generate.py FOLDER`.

Each model is a folder with `model.onnx`; `cases.tsv` lists them: name, rule and place, both empty for a model
without a fault, only the place for one that almost breaks a rule. Valid models that compute have `test_data_set_0`, in the layout of ONNX's own tests. Nothing is done when
the folder already holds what these scripts write.
"""

import hashlib
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).parent


def stamp():
    digest = hashlib.sha256()
    for path in sorted(HERE.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def write(folder, kind, case):
    """The model and the files next to it."""
    path = folder / kind / case.name
    path.mkdir(parents=True)
    if case.beside:
        case.beside(path)
    data = case.model if isinstance(case.model, bytes) else case.model.SerializeToString()
    (path / "model.onnx").write_bytes(data)
    return path


def main(folder):
    done = folder / "stamp"
    if done.exists() and done.read_text() == stamp():
        return
    import invalid
    import valid

    shutil.rmtree(folder, ignore_errors=True)
    for case in invalid.CASES:
        write(folder, "invalid", case)
    for case in invalid.NEAR.values():
        write(folder, "near", case)
    for case in valid.CASES:
        valid.write_data(write(folder, "valid", case), case)
    lines = [f"invalid/{case.name}\t{case.rule}\t{case.place}\n" for case in invalid.CASES]
    lines += [f"near/{case.name}\t{case.rule}\t\n" for case in invalid.NEAR.values()]
    lines += [f"valid/{case.name}\t\t\n" for case in valid.CASES]
    (folder / "cases.tsv").write_text("".join(lines))
    done.write_text(stamp())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
