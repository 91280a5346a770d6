"""A back end of ``torch.compile``: ``torch.compile(model, backend="onnxc")``.

Graphs are exported to ONNX when they first run, and are compiled for each set of extents; weights become constants. A graph runs in
PyTorch if gradients are wanted, if it changes its inputs or weights, or with a warning, if it cannot be exported or compiled. This needs
the packages ``torch``, ``onnx`` and ``onnxscript``.
"""

from __future__ import annotations

import warnings
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from ._session import InferenceSession

#: A graph with its weights: takes the other tensors.
Version = Callable[[List[Any]], Tuple[Any, ...]]


def backend(graph: Any, example_inputs: Sequence[Any]) -> Callable[..., Any]:
    """What runs a graph of TorchDynamo.

    :param graph: a ``torch.fx.GraphModule``
    :param example_inputs: ignored
    """
    import torch

    #: by everything but weights: the weights' state, and what was compiled for it; None if the graph stays in PyTorch
    versions: Dict[Any, Tuple[Any, Optional[Version]]] = {}

    def run(*values: Any) -> Any:
        tensors = [value for value in values if isinstance(value, torch.Tensor)]
        if torch.is_grad_enabled() and any(tensor.requires_grad for tensor in tensors):
            return graph(*values)
        key = tuple((value.shape, value.dtype) if isinstance(value, torch.Tensor) else value for value in values)
        # a change of a weight in its place has another number
        state = [(value.data_ptr(), 0 if value.is_inference() else value._version) for value in tensors if _is_weight(value)]
        known = versions.get(key)
        if known is None or known[0] != state:
            known = versions[key] = (state, _compile(graph, values))
        version = known[1]
        if version is None:
            return graph(*values)
        return version([tensor for tensor in tensors if not _is_weight(tensor)])

    return run


def _is_weight(value: Any) -> bool:
    """Whether a tensor is a parameter or buffer of the model, which TorchDynamo marks."""
    return hasattr(value, "_dynamo_static_input_type")


def _compile(graph: Any, values: Sequence[Any]) -> Optional[Version]:
    """The compiled graph with the weights and numbers among values; None, with a warning, if it is not supported."""
    import torch

    is_given = [isinstance(value, torch.Tensor) and not _is_weight(value) for value in values]

    class Bound(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            for at, value in enumerate(values):
                if isinstance(value, torch.Tensor) and _is_weight(value):
                    self.register_buffer(f"weight{at}", value.detach())

        def forward(self, *given: Any) -> Any:
            rest = iter(given)
            own = lambda at: next(rest) if is_given[at] else getattr(self, f"weight{at}", values[at])
            return graph(*map(own, range(len(values))))

    given = tuple(value for value, own in zip(values, is_given) if own)
    try:
        with torch.no_grad():
            program = torch.onnx.export(Bound().eval(), given, dynamo=True, verbose=False)
        changed = program.exported_program.graph_signature
        if changed.buffers_to_mutate or changed.user_inputs_to_mutate:
            return None
        session = InferenceSession(program.model_proto)
    except Exception as error:
        warnings.warn(f"onnxc: a graph stays in PyTorch: {_reason(error)}", stacklevel=2)
        return None
    names = [port.name for port in session.get_inputs()]

    def run(given: List[Any]) -> Tuple[Any, ...]:
        feeds = {name: _to_numpy(tensor) for name, tensor in zip(names, given)}
        return tuple(_to_torch(array) for array in session.run(None, feeds))

    return run


def _reason(error: BaseException) -> str:
    """The first line of the message of an error's first cause."""
    while error.__cause__ is not None:
        error = error.__cause__
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def _to_numpy(tensor: Any) -> Any:
    """An array that shares a tensor's memory."""
    import torch

    if tensor.dtype != torch.bfloat16:
        return tensor.detach().numpy()
    import ml_dtypes

    return tensor.detach().view(torch.int16).numpy().view(ml_dtypes.bfloat16)


def _to_torch(array: Any) -> Any:
    """A tensor that shares an array's memory."""
    import torch

    if array.dtype.name != "bfloat16":
        return torch.from_numpy(array)
    return torch.from_numpy(array.view("int16")).view(torch.bfloat16)
