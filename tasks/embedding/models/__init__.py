"""Dense models: files on this machine run by torch, OpenVINO or ONNX Runtime."""

__all__ = [
    "batches",
    "dense",
    "fastest",
    "graph_folders",
    "model_files",
    "onnx_graph",
    "openvino_graph",
    "quantized_onnx",
    "shards",
    "threads",
    "unit_vectors",
]
"""The modules that other rooms may import."""
