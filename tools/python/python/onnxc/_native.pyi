"""The native module."""

from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, final

from typing_extensions import Self, disjoint_base

__all__ = [
    "Buffer",
    "Cancel",
    "Fail",
    "InvalidArgument",
    "InvalidGraph",
    "InvalidProtobuf",
    "NativeSession",
    "NoSuchFile",
    "NotImplemented",
    "RuntimeException",
    "__version__",
    "check",
    "metadata",
    "simplify",
    "tool",
    "type_text_of_number",
]

__version__: str

class Fail(RuntimeError): ...
class InvalidArgument(RuntimeError): ...
class InvalidGraph(RuntimeError): ...
class InvalidProtobuf(RuntimeError): ...
class NoSuchFile(RuntimeError): ...
class NotImplemented(RuntimeError): ...
class RuntimeException(RuntimeError): ...

@final
class Cancel:
    def __new__(cls) -> Self: ...
    def cancel(self) -> None: ...

@final
class Buffer: ...

@disjoint_base
class NativeSession:
    def __new__(
        cls,
        path: Optional[str] = None,
        bytes: Optional[bytes] = None,
        *,
        threads: int = 0,
        dims: Optional[Dict[str, int]] = None,
        arithmetic: str = "relaxed",
        cache: Optional[str] = None,
        llvm: Optional[str] = None,
        profile: bool = False,
        warn: Optional[Callable[[str], None]] = None,
        initializers: Optional[List[Tuple[str, Any]]] = None,
    ) -> Self: ...
    def simplified(self) -> bytes: ...
    def input_ports(self) -> List[Tuple[str, str, List[Any]]]: ...
    def output_ports(self) -> List[Tuple[str, str, List[Any]]]: ...
    def overridable_ports(self) -> List[Tuple[str, str, List[Any]]]: ...
    def metadata(self) -> Dict[str, Any]: ...
    def execute(
        self,
        names: Optional[Sequence[str]],
        feeds: Mapping[str, Any],
        cancel: Optional[Cancel] = None,
        deadline: Optional[float] = None,
        into: Optional[Mapping[str, Any]] = None,
    ) -> List[Any]: ...
    def profile(self) -> List[Tuple[str, List[str], List[str], float, int]]: ...
    def wait_until_optimized(self) -> None: ...

def check(path: Optional[str] = None, bytes: Optional[bytes] = None) -> List[Tuple[str, str, str, str]]: ...
def metadata(path: Optional[str] = None, bytes: Optional[bytes] = None) -> Dict[str, Any]: ...
def simplify(
    path: Optional[str] = None,
    bytes: Optional[bytes] = None,
    *,
    dims: Optional[Mapping[str, int]] = None,
    shapes: Optional[Mapping[str, Sequence[Optional[int]]]] = None,
) -> bytes: ...
def type_text_of_number(number: int) -> Optional[str]: ...
def tool(name: str, command_line: Sequence[str]) -> int: ...
