"""Dense models: files on this machine run by torch, OpenVINO or ONNX Runtime."""

__all__ = ["dense", "graph_folders", "model_files", "onnx_graph", "openvino_graph", "shards", "threads", "unit_vectors"]
"""The modules that other rooms may import."""
