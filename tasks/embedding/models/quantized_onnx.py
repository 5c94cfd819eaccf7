"""ONNX graphs whose products round their inputs to 8 bits as they come, multiplied out again.

ONNX Runtime writes such graphs (dynamic quantisation: DynamicQuantizeLinear and MatMulInteger), in which all of a
batch's numbers share one scale. OpenVINO reads them, and runs all the arithmetic of rounding step by step. Multiplied
out, it may choose how to compute them; their weights stay what was rounded.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tasks.embedding.models import openvino_graph


def multiplied_out(file: Path) -> Any:
    """The OpenVINO graph of an ONNX file, with products in single precision in the place of those of rounded numbers.

    A file without such products gives its graph as it is. Raises ValueError where they are built in another way.
    """
    openvino_graph.block_telemetry()
    import openvino
    from openvino import opset13

    graph = openvino.Core().read_model(file)
    for node in graph.get_ordered_ops():
        if node.get_type_name() != "MatMul" or node.output(0).get_element_type() != openvino.Type.i32:
            continue
        scaled, factor = _scaling(node)
        product = opset13.matmul(_before_rounding(node), opset13.constant(_weights(node) * factor), False, False)
        for reader in scaled.output(0).get_target_inputs():
            reader.replace_source_output(product.output(0))
    graph.validate_nodes_and_infer_types()
    return graph


def _before_rounding(product: Any) -> Any:
    """The numbers that were rounded: what the scale of all codes, the first factor on the way back, is applied to."""
    node = product
    while node.get_type_name() != "Multiply":
        if not node.inputs():
            raise ValueError("the inputs of a product were not rounded as they came")
        node = _source(node, 0)
    return node.input_value(0)


def _weights(product: Any) -> np.ndarray[Any, np.dtype[np.float32]]:
    """The codes of the weights, less their zero point."""
    node = _source(product, 1)
    parts = [_source(node, at) for at in (0, 1)] if node.get_type_name() == "Subtract" else [node]
    codes, *zero = (_constant(part).astype(np.float32) for part in parts)
    return codes - zero[0] if zero else codes


def _scaling(product: Any) -> tuple[Any, np.ndarray[Any, np.dtype[np.float32]]]:
    """The node that scales the product of codes, and the scale of the weights in it."""
    (converted,) = (reader.get_node() for reader in product.output(0).get_target_inputs())
    (scaled,) = (reader.get_node() for reader in converted.output(0).get_target_inputs())
    scales = [_source(scaled, at) for at in (0, 1)]
    factors = [one for one in scales if one.get_type_name() == "Multiply"]
    if scaled.get_type_name() != "Multiply" or len(factors) != 1:
        raise ValueError("a product of rounded numbers is not scaled by its two scales")
    constants = [one for one in (_source(factors[0], at) for at in (0, 1)) if one.get_type_name() == "Constant"]
    if len(constants) != 1:
        raise ValueError("the scale of a product's weights is not written in the graph")
    return scaled, constants[0].data.astype(np.float32)


def _constant(node: Any) -> np.ndarray[Any, Any]:
    while node.get_type_name() == "Convert":
        node = _source(node, 0)
    if node.get_type_name() != "Constant":
        raise ValueError("the weights of a product are not written in the graph")
    values: np.ndarray[Any, Any] = node.data
    return values


def _source(node: Any, at: int) -> Any:
    return node.input_value(at).get_node()
