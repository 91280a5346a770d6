"""Models on the columns of tables: what polars, Spark and Ray share."""

from __future__ import annotations

from typing import Any, Callable, Mapping, Optional, Sequence, Union

from ._session import InferenceSession
from ._values import _dtype

#: For each input, its column, or columns that become its second axis.
Columns = Mapping[str, Union[str, Sequence[str]]]


def names_of(inputs: Columns) -> list[str]:
    """The columns that a model reads, each once."""
    lists = [[columns] if isinstance(columns, str) else list(columns) for columns in inputs.values()]
    return list(dict.fromkeys(name for names in lists for name in names))


def predict(session: InferenceSession, inputs: Columns, column: Callable[[str], Any], output: Optional[str]) -> Any:
    """The output of a run on all rows: an array whose first axis is the rows.

    :param column: the values of a column, by its name
    :param output: the name of the output; None is the first
    """
    feeds = {}
    for port in session.get_inputs():
        if port.name not in inputs:
            raise ValueError(f"no column is given for input '{port.name}'")
        feeds[port.name] = _array(inputs[port.name], column, _dtype(port.type), len(port.shape))
    name = output or session.get_outputs()[0].name
    result = session.run([name], feeds)[0]
    # one number a row is a column of numbers
    return result[:, 0] if result.ndim == 2 and result.shape[1] == 1 else result


def _array(columns: Union[str, Sequence[str]], column: Callable[[str], Any], dtype: Any, rank: int) -> Any:
    import numpy

    if not isinstance(columns, str):
        return numpy.stack([numpy.asarray(column(name), dtype) for name in columns], axis=1)
    values = numpy.asarray(column(columns))
    # a column of lists of equal lengths
    array = numpy.stack(list(values)).astype(dtype) if values.dtype == object and dtype != object else values.astype(dtype)
    return array[:, None] if array.ndim + 1 == rank else array
