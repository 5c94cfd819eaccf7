"""Dense models: files on this machine run by torch, OpenVINO or ONNX Runtime."""
