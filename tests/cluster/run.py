"""Models on tables in several processes: `run.py PROGRAMS MODELS [PART…]`; `./x cluster` calls it.

PROGRAMS is the folder of onnxc-table and onnxc-ballista, MODELS that of the models. The parts are `tables` (Ballista), `pictures` (Ray) and
`faults` (lost processes, damaged files, rows that a model refuses); all by default. Each prints lines of a table, or fails.
"""

import argparse
import pathlib

PARTS = ["tables", "pictures", "faults"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("models", type=pathlib.Path)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--rows", type=int, default=10_000_000, help="of the table")
    parser.add_argument("--pictures", type=int, default=100_000)
    parser.add_argument("--model", default="skl_rf_digits", help="of the table")
    parser.add_argument("--picture-model", default="ppocr_cls")
    parser.add_argument("--scratch", type=pathlib.Path, default=pathlib.Path("target/cluster/scratch"))
    options = parser.parse_args()
    options.scratch.mkdir(parents=True, exist_ok=True)
    parts = options.parts or PARTS
    if unknown := set(parts) - set(PARTS):
        parser.error(f"the parts are {', '.join(PARTS)}, not {', '.join(sorted(unknown))}")
    # a part needs only its packages
    if "tables" in parts or "faults" in parts:
        import tables
    if "pictures" in parts or "faults" in parts:
        import pictures
    if "tables" in parts:
        tables.measure(options)
    if "pictures" in parts:
        pictures.measure(options)
    if "faults" in parts:
        tables.faults(options)
        pictures.faults(options)


if __name__ == "__main__":
    main()
