"""Names that code which was written for ONNX Runtime imports from here."""
