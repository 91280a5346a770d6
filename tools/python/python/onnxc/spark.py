"""Models in Spark: ``frame.withColumn("score", onnxc.spark.predict(path, {"x": ["a", "b"]}))``."""

from __future__ import annotations

import functools
import os
from typing import Any, Optional

from ._columns import Columns, names_of
from ._columns import predict as run
from ._session import InferenceSession


@functools.lru_cache(maxsize=8)
def _session(model: bytes) -> InferenceSession:
    """A session of this worker process."""
    return InferenceSession(model)


def predict(model: Any, inputs: Columns, output: Optional[str] = None, dtype: str = "float") -> Any:
    """A column that workers compute in batches; the model is sent to them and compiled once by each.

    :param model: the path of a model, or its bytes
    :param inputs: for each input, its column, or columns that become its second axis
    :param output: the name of the output; None is the first
    :param dtype: Spark's type of the result
    """
    import pandas
    from pyspark.sql.functions import pandas_udf

    if isinstance(model, (str, os.PathLike)):
        with open(model, "rb") as file:
            model = file.read()
    names = names_of(inputs)

    def apply(*columns: pandas.Series) -> pandas.Series:
        values = dict(zip(names, columns))
        return pandas.Series(list(run(_session(model), inputs, lambda name: values[name].to_numpy(), output)))

    return pandas_udf(apply, dtype)(*names)
