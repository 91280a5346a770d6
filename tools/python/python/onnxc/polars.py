"""Models in polars: ``frame.with_columns(score=onnxc.polars.predict(session, {"x": ["a", "b"]}))``."""

from __future__ import annotations

from typing import Any, Optional

import polars

from ._columns import Columns, names_of
from ._columns import predict as run
from ._session import InferenceSession


def predict(session: InferenceSession, inputs: Columns, output: Optional[str] = None, dtype: Any = polars.Float32) -> polars.Expr:
    """An expression that runs a model on all rows at once.

    :param inputs: for each input, its column, or columns that become its second axis
    :param output: the name of the output; None is the first
    :param dtype: the type of the result
    """
    names = names_of(inputs)

    def apply(rows: polars.Series) -> polars.Series:
        frame = rows.struct.unnest()
        return polars.Series(run(session, inputs, lambda name: frame[name].to_numpy(), output), dtype=dtype)

    return polars.struct(names).map_batches(apply, return_dtype=dtype)
