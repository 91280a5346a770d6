"""Faults of external data."""

import os

from onnx import TensorProto

from invalid.faults import *  # noqa: F403
from models import *  # noqa: F403

def pipe(folder):
    os.mkfifo(folder / "data.bin")


def link(folder):
    (folder / "data.bin").symlink_to("/etc/hostname")


case("external-location", W, external(location=None), beside=data)
case("external-location", W, external(location=""), beside=data)
for bad in ("../data.bin", "/tmp/data.bin", "a/../../data.bin", "..\\\\data.bin"):
    case("external-inside-folder", W, external(location=bad), beside=data)
case("external-inside-folder", W, external(), beside=link)
case("external-file", W, external())
case("external-file", W, external(location="missing/data.bin"), beside=data)
case("external-file", W, external(location="."), beside=data)
case("external-file", W, external(), beside=pipe)
case("external-file", W, external(), beside=lambda folder: (folder / "data.bin").mkdir())
for bad in ("-4", "x", "", "1.5", "0x10", "99999999999999999999"):
    case("external-number", W, external(offset=bad), beside=data)
    if bad:
        case("external-number", W, external(length=bad), beside=data)
for bad in (0, 11, 13, 8192):
    case("external-length", W, external(length=bad), beside=data)
for bad in (8184, 8192, 1 << 40, (1 << 63) - 1):
    case("external-range", W, external(offset=bad), beside=data)
case("external-range", W, external(), beside=lambda folder: (folder / "data.bin").write_bytes(b""))
for bad in ("0" * 40, "garbage", "", "da39a3ee5e6b4b0d3255bfef95601890afd80709"):
    case("external-checksum", W, external(checksum=bad), beside=data)
case("external-key-unique", W, external(offset=0, key="offset"), beside=data)
case("external-key-unique", W, external(key="location"), beside=data)
case("external-key-known", W, external(key="size"), beside=data)
case("external-key-known", W, external(key="Offset"), beside=data)
case("external-alone", W, external(), lambda m: m.graph.initializer[0].float_data.extend([1, 2, 3]), beside=data)
case("external-alone", W, external(), lambda m: setattr(m.graph.initializer[0], "raw_data", bytes(12)), beside=data)
case("external-no-text", W, constant_of(STRING, data_location=TensorProto.EXTERNAL), lambda m: m.graph.initializer[0].external_data.add(key="location", value="data.bin"), beside=data)
case("external-stated", W, weighted(), lambda m: m.graph.initializer[0].external_data.add(key="location", value="data.bin"))
case("external-aligned", W, constant_of(FLOAT, [1024], data_location=TensorProto.EXTERNAL),
     lambda m: [m.graph.initializer[0].external_data.add(key=k, value=v) for k, v in (("location", "data.bin"), ("offset", "64"))], beside=data)
