"""Models in Ray: ``dataset.map_batches(onnxc.ray.Predictor, fn_constructor_args=(path, {"x": ["a", "b"]}), concurrency=2)``."""

from __future__ import annotations

from typing import Any, Dict, Optional, Sequence

from ._columns import Columns, predict
from ._options import SessionOptions
from ._session import InferenceSession


class Predictor:
    """Adds a column of results to batches, which are dicts of arrays.

    :param model: a path, bytes, or a ``ModelProto``
    :param inputs: for each input, its column, or columns that become its second axis
    :param output: the name of the output; None is the first
    :param column: the name of the new column
    :param keep: the columns of the batch that the result has, too; None is all. Large ones, such as pictures, are copied
    :param threads: the threads of a run; Ray gives a worker one processor by default
    """

    def __init__(
        self,
        model: Any,
        inputs: Columns,
        output: Optional[str] = None,
        column: str = "prediction",
        threads: int = 1,
        keep: Optional[Sequence[str]] = None,
    ) -> None:
        options = SessionOptions()
        options.intra_op_num_threads = threads
        self._session = InferenceSession(model, options)
        self._inputs = inputs
        self._output = output
        self._column = column
        self._keep = keep

    def __call__(self, batch: Dict[str, Any]) -> Dict[str, Any]:
        """A batch with the results."""
        kept = batch if self._keep is None else {name: batch[name] for name in self._keep}
        return {**kept, self._column: predict(self._session, self._inputs, batch.__getitem__, self._output)}
