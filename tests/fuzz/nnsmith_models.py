#!/usr/bin/env python3
"""nnsmith_models.py FOLDER: writes models that NNSmith's generator makes, each with inputs, as `SEED.onnx` and `SEED.npz`.

Runs in an environment with `nnsmith[torch,onnx]`. A seed for which the generator finds no model is left out."""
import argparse
import functools
import logging
import random
import warnings
from pathlib import Path

import numpy as np
import torch

warnings.simplefilter("ignore")
# NNSmith calls the exporter by the arguments that it had
torch.onnx.export = functools.partial(torch.onnx.export, dynamo=False)

from nnsmith.abstract.extension import activate_ext  # noqa: E402
from nnsmith.graph_gen import model_gen  # noqa: E402
from nnsmith.materialize import Model  # noqa: E402
from nnsmith.narrow_spec import auto_opset  # noqa: E402


def write_model(kind, operators, seed, nodes, folder):
    """Makes the model of a seed."""
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    graph = model_gen(opset=operators, method="symbolic-cinit", seed=seed, max_elem_per_tensor=1 << 14, max_nodes=nodes, timeout_ms=10_000)
    model = kind.from_gir(graph.make_concrete())
    model.refine_weights()
    inputs = model.make_oracle().input
    model.dump(str(folder / f"{seed}.onnx"))
    np.savez(folder / f"{seed}.npz", **inputs)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--nodes", type=int, default=8)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    kind = Model.init("onnx", backend_target="cpu")
    logging.disable(logging.WARNING)
    operators = auto_opset(kind, None)
    activate_ext(opset=operators, factory=None)
    for seed in range(options.seed, options.seed + options.count):
        try:
            write_model(kind, operators, seed, options.nodes, options.folder)
        except Exception as error:
            print(f"seed {seed}: no model: {str(error)[:200]}", flush=True)


if __name__ == "__main__":
    main()
