"""Models on tables of polars, Spark and Ray. Without Spark, Java or Ray, which are large, their tests are skipped; polars is required."""

import importlib.util
import shutil

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import onnxc

WEIGHTS = np.array([[1.0], [10.0]], np.float32)


def needs(*packages, programs=()):
    """Skips a test without packages or programs."""
    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    missing += [name for name in programs if shutil.which(name) is None]
    return pytest.mark.skipif(bool(missing), reason=f"without {', '.join(missing)}")


@pytest.fixture
def model():
    node = helper.make_node("MatMul", ["x", "w"], ["y"])
    x, y = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", n]) for name, n in (("x", 2), ("y", 1))]
    graph = helper.make_graph([node], "graph", [x], [y], [numpy_helper.from_array(WEIGHTS, "w")])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10).SerializeToString()


def test_polars(model):
    import polars

    import onnxc.polars

    frame = polars.DataFrame({"a": [1, 2, 3], "b": [4.0, 5.0, 6.0], "rows": [[1, 4], [2, 5], [3, 6]]})
    session = onnxc.InferenceSession(model)
    found = frame.lazy().select(
        columns=onnxc.polars.predict(session, {"x": ["a", "b"]}), lists=onnxc.polars.predict(session, {"x": "rows"}, "y")
    )
    assert found.collect().to_dict(as_series=False) == {"columns": [41, 52, 63], "lists": [41, 52, 63]}
    with pytest.raises((ValueError, polars.exceptions.ComputeError), match="no column is given for input 'x'"):
        frame.select(onnxc.polars.predict(session, {"z": "a"}))


@needs("pyspark", "pandas", "pyarrow", programs=["java"])
def test_spark(model, tmp_path):
    from pyspark.sql import SparkSession

    import onnxc.spark

    path = tmp_path / "model.onnx"
    path.write_bytes(model)
    spark = SparkSession.builder.master("local[1]").getOrCreate()
    try:
        frame = spark.createDataFrame([(1.0, 4.0), (2.0, 5.0)], ["a", "b"])
        rows = frame.withColumn("y", onnxc.spark.predict(path, {"x": ["a", "b"]})).collect()
        assert [row.y for row in rows] == [41, 52]
    finally:
        spark.stop()


def test_batches_of_ray(model):
    import onnxc.ray

    batch = {"a": np.array([1, 2]), "b": np.array([4.0, 5.0])}
    found = onnxc.ray.Predictor(model, {"x": ["a", "b"]}, column="y")(batch)
    assert list(found) == ["a", "b", "y"] and found["y"].tolist() == [41, 52]


@needs("ray")
def test_ray(model):
    import ray

    import onnxc.ray

    ray.init(num_cpus=1, include_dashboard=False)
    try:
        dataset = ray.data.from_numpy(np.ones((4, 2), np.float32))
        arguments = (model, {"x": "data"})
        found = dataset.map_batches(onnxc.ray.Predictor, fn_constructor_args=arguments, concurrency=1).take_all()
        assert [float(row["prediction"]) for row in found] == [11] * 4
    finally:
        ray.shutdown()
