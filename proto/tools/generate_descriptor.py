"""Writes src/onnx.descriptor: the descriptors of ONNX's messages, with which JSON and the text format are read.

    python proto/tools/generate_descriptor.py proto/src/onnx.descriptor
"""

import sys

from google.protobuf.descriptor_pb2 import FileDescriptorSet
from onnx import onnx_ml_pb2, onnx_operators_ml_pb2

files = FileDescriptorSet()
for module in (onnx_ml_pb2, onnx_operators_ml_pb2):
    files.file.add().ParseFromString(module.DESCRIPTOR.serialized_pb)
with open(sys.argv[1], "wb") as file:
    file.write(files.SerializeToString(deterministic=True))
