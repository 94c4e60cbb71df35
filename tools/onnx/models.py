"""Makes the models of internal/onnx/testdata, as other exporters write them, and what ONNX Runtime computes of them.

    models.py DIRECTORY
"""
import json, pathlib, sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

rng = np.random.default_rng(7)
FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64


def w(*shape):
    return (rng.standard_normal(shape) * 0.4).astype(np.float32)


class Model:
    def __init__(self, opset=17):
        self.nodes, self.weights, self.inputs, self.opset, self.data, self.metadata = [], [], [], opset, {}, {}

    def input(self, name, shape, array, kind=FLOAT):
        self.inputs.append(helper.make_tensor_value_info(name, kind, shape))
        self.data[name] = array
        return name

    def const(self, array, packed=False):
        array = np.asarray(array)
        name = f"w{len(self.weights)}"
        t = numpy_helper.from_array(array, name)
        if packed:  # float_data in place of raw_data
            t = helper.make_tensor(name, FLOAT, array.shape, array.astype(np.float32).ravel().tolist())
        self.weights.append(t)
        return name

    def op(self, op, *inputs, outputs=1, name=None, **attributes):
        inputs = [x if isinstance(x, str) else self.const(x) for x in inputs]
        name = name or f"/{op.lower()}{len(self.nodes)}/{op}"
        outs = [f"{name}_out{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(op, inputs, outs, name=name, **attributes))
        return outs[0] if outputs == 1 else outs

    def save(self, directory, name, *outputs):
        outs = [helper.make_tensor_value_info(o, FLOAT, None) for o in outputs]
        graph = helper.make_graph(self.nodes, name, self.inputs, outs, self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=8)
        helper.set_model_props(model, self.metadata)
        if self.opset >= 13:
            model = onnx.shape_inference.infer_shapes(model)
            del model.graph.value_info[:]
        (directory / f"{name}.onnx").write_bytes(model.SerializeToString(deterministic=True))
        save_case(directory, name, model.SerializeToString(), self.data, outputs)


def save_case(directory, name, model, data, outputs):
    got = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"]).run(list(outputs), data)
    show = lambda a: {"shape": list(a.shape), "data": [float(f"{x:.9g}") for x in np.asarray(a, np.float64).ravel()]}
    case = {"inputs": [show(a) for a in data.values()], "outputs": [show(a) for a in got], "names": list(outputs)}
    (directory / f"{name}.json").write_text(json.dumps(case) + "\n")


def dense():
    m = Model()
    x = m.input("x", ["n", 5], w(3, 5))
    x = m.op("Relu", m.op("Gemm", x, w(7, 5), w(7), transB=1, alpha=0.5, beta=2.0))
    x = m.op("Tanh", m.op("Add", m.op("MatMul", x, w(7, 6)), w(6)))
    x = m.op("LeakyRelu", m.op("Add", w(4), m.op("MatMul", x, w(6, 4))), alpha=0.2)
    m.metadata = {"classes": '["a","b","c"]'}
    return m, [m.op("Softmax", m.op("Gemm", x, w(4, 3), w(3)), axis=-1)]


def standardized():
    m = Model()
    x = m.input("x", ["n", 4], w(6, 4))
    x = m.op("Div", m.op("Sub", x, w(4)), np.abs(w(1, 4)) + 0.5)
    x = m.op("Selu", m.op("Gemm", x, w(4, 5), w(5)))
    x = m.op("HardSigmoid", m.op("Mul", x, np.float32(1.5)))
    x = m.op("Sub", m.op("Mul", x, w(5)), w(5))
    x = m.op("Gemm", x, m.const(w(5, 2), packed=True), m.const(w(2), packed=True))
    return m, [m.op("Sigmoid", x)]


def convolutional():
    m = Model()
    x = m.input("x", ["n", 2, 9, 8], w(2, 2, 9, 8))
    x = m.op("Conv", x, w(4, 2, 3, 3), w(4), pads=[1, 1, 1, 1], kernel_shape=[3, 3])
    x = m.op("Relu", m.op("BatchNormalization", x, w(4), w(4), w(4), np.abs(w(4)) + 0.1, epsilon=1e-3))
    x = m.op("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])
    x = m.op("Conv", x, w(6, 4, 2, 2), strides=[1, 2], pads=[1, 0, 0, 1], name="/features/uneven/Conv")
    x = m.op("AveragePool", m.op("Clip", x, np.float32(0), np.float32(6)), kernel_shape=[2, 1], pads=[1, 0, 1, 0], count_include_pad=1)
    # as torch.onnx writes x.view(x.size(0), -1)
    n = m.op("Unsqueeze", m.op("Gather", m.op("Shape", x), np.array(0), axis=0), np.array([0]))
    x = m.op("Reshape", x, m.op("Concat", n, np.array([-1]), axis=0))
    return m, [m.op("Gemm", x, w(3, 60), w(3), transB=1, name="/head/Gemm")]


def same_and_grouped():
    m = Model()
    x = m.input("x", ["n", 3, 7, 6], w(2, 3, 7, 6))
    x = m.op("Elu", m.op("Conv", x, w(6, 1, 3, 3), w(6), group=3, auto_pad="SAME_UPPER", strides=[2, 2]), alpha=0.7)
    x = m.op("MaxPool", x, kernel_shape=[3, 3], auto_pad="SAME_UPPER")
    x = m.op("PRelu", x, np.abs(w(6, 1, 1)))
    x = m.op("LRN", x, size=3, alpha=0.01)
    x = m.op("Resize", x, "", np.array([1, 1, 2, 1], np.float32), mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor")
    x = m.op("ConvTranspose", x, w(6, 2, 2, 2), w(2), strides=[2, 2])
    x = m.op("Flatten", m.op("GlobalAveragePool", x))
    return m, [m.op("Gemm", x, w(2, 3))]


def residual():
    m = Model()
    x = m.input("x", ["n", 3, 5, 5], w(2, 3, 5, 5))
    a = m.op("Relu", m.op("Conv", x, w(3, 3, 3, 3), pads=[1, 1, 1, 1]))
    x = m.op("Relu", m.op("Add", a, x))
    x = m.op("Concat", x, m.op("Mul", x, m.op("Sigmoid", x)), axis=1)
    x = m.op("ReduceMean", x, axes=[2, 3], keepdims=0)
    first, second = m.op("Split", x, outputs=2, axis=1)
    return m, [m.op("Gemm", m.op("Max", first, second), w(3, 2), w(2)), m.op("Tanh", m.op("Slice", x, np.array([1]), np.array([3]), np.array([1])))]


def channels_last():
    m = Model()
    x = m.input("x", ["n", 6, 5, 2], w(2, 6, 5, 2))
    x = m.op("Transpose", x, perm=[0, 3, 1, 2])
    x = m.op("Relu", m.op("Conv", x, w(3, 2, 3, 3), w(3)))
    x = m.op("Transpose", x, perm=[0, 2, 3, 1])
    x = m.op("Relu", m.op("Add", m.op("MatMul", m.op("Reshape", x, np.array([-1, 36])), w(36, 4)), w(4)))
    return m, [m.op("MatMul", x, w(4, 2))]


def channels_moved():
    m = Model()
    x = m.input("x", ["n", 6, 5, 2], w(2, 6, 5, 2))
    x = m.op("Conv", m.op("Transpose", x, perm=[0, 3, 1, 2]), w(3, 2, 3, 3), w(3))
    return m, [m.op("Gemm", m.op("Flatten", x), w(36, 4), w(4))]  # flattened in the order of channels first


def lstm_batch_first():
    m = Model()
    x = m.input("x", ["n", "t", 3], w(2, 5, 3))
    n = m.op("Shape", x, start=0, end=1)
    zeros = m.op("Expand", np.zeros((1, 1, 4), np.float32), m.op("Concat", np.array([1]), n, np.array([4]), axis=0))
    x = m.op("Transpose", x, perm=[1, 0, 2])
    y, _, _ = m.op("LSTM", x, w(1, 16, 3), w(1, 16, 4), w(1, 32), "", zeros, zeros, outputs=3, hidden_size=4)
    x = m.op("Transpose", m.op("Squeeze", y, np.array([1])), perm=[1, 0, 2])
    return m, [m.op("Gemm", m.op("Gather", x, np.array(-1), axis=1), w(4, 2), w(2))]


def gru_and_words():
    m = Model()
    x = m.input("x", ["n", "t"], rng.integers(0, 9, (2, 6)), INT64)
    x = m.op("Transpose", m.op("Gather", w(9, 4), x), perm=[1, 0, 2])
    y = m.op("GRU", x, w(2, 9, 4), w(2, 9, 3), w(2, 18), outputs=1, hidden_size=3, direction="bidirectional", linear_before_reset=1)
    x = m.op("Reshape", m.op("Transpose", y, perm=[0, 2, 1, 3]), np.array([0, 0, -1]))
    _, h = m.op("GRU", x, w(1, 6, 6), w(1, 6, 2), w(1, 12), outputs=2, hidden_size=2)
    return m, [m.op("Gemm", m.op("Squeeze", h, np.array([0])), w(2, 3))]


def steps():
    m = Model()
    x = m.input("x", ["n", 3, "t"], w(2, 3, 7))
    x = m.op("Relu", m.op("Conv", x, w(4, 3, 3), w(4), pads=[2, 0]))
    x = m.op("MaxPool", x, kernel_shape=[2], strides=[2])
    x = m.op("Transpose", x, perm=[2, 0, 1])
    y = m.op("RNN", x, w(1, 5, 4), w(1, 5, 5), w(1, 10), outputs=1, hidden_size=5, activations=["Relu"])
    x = m.op("Transpose", m.op("Squeeze", y, np.array([1])), perm=[1, 0, 2])
    x = m.op("Softmax", m.op("Add", m.op("MatMul", x, w(5, 2)), w(2)), axis=2)
    return m, [m.op("Transpose", x, perm=[0, 2, 1])]


def old_opset():
    m = Model(opset=9)
    x = m.input("x", ["n", 1, 6, 6], w(2, 1, 6, 6))
    x = m.op("Clip", m.op("Conv", x, w(2, 1, 3, 3), w(2)), min=-1.0, max=1.0)
    x = m.op("GlobalMaxPool", x)
    x = m.op("Squeeze", x, axes=[2, 3])
    return m, [m.op("Softmax", m.op("Gemm", x, w(2, 3), w(3)))]


def learned(directory):
    from sklearn.neural_network import MLPClassifier, MLPRegressor
    from skl2onnx import to_onnx

    x = rng.standard_normal((40, 3)).astype(np.float32)
    for name, estimator, y, options, outputs in [
        ("sklearn-classifier", MLPClassifier(hidden_layer_sizes=(5,), max_iter=30, random_state=1), (x[:, 0] > x[:, 1]) + 0 + (x[:, 2] > 0), {"zipmap": False}, ["probabilities"]),
        ("sklearn-regressor", MLPRegressor(hidden_layer_sizes=(6, 4), activation="tanh", max_iter=30, random_state=1), x[:, 0] * 2, None, ["variable"]),
    ]:
        estimator.fit(x, y)
        model = to_onnx(estimator, x[:1], target_opset=15, options={id(estimator): options} if options else None)
        (directory / f"{name}.onnx").write_bytes(model.SerializeToString(deterministic=True))
        save_case(directory, name, model.SerializeToString(), {"X": x[:4]}, outputs)


def groups():
    """Convolutions in groups: of images, in a residual block as of ResNeXt, and of sequences, for each channel."""
    global rng
    rng = np.random.default_rng(8)
    m = Model()
    x = m.input("x", ["n", 4, 6, 5], w(2, 4, 6, 5))
    a = m.op("Relu", m.op("Conv", x, w(6, 2, 3, 3), w(6), group=2, pads=[1, 1, 1, 1], name="/block/one/Conv"))
    a = m.op("Conv", a, w(4, 3, 1, 1), group=2, name="/block/two/Conv")
    x = m.op("Add", x, a)
    s = m.input("s", ["n", 3, 7], w(2, 3, 7))
    y = m.op("GlobalMaxPool", m.op("Conv", s, w(6, 1, 3), w(6), group=3, name="/words/Conv"))
    both = m.op("Concat", m.op("Flatten", m.op("GlobalAveragePool", x)), m.op("Flatten", y), axis=1)
    return m, [m.op("Gemm", both, w(10, 2))]


directory = pathlib.Path(sys.argv[1])
directory.mkdir(exist_ok=True)
for make in (dense, standardized, convolutional, same_and_grouped, residual, channels_last, channels_moved, lstm_batch_first, gru_and_words, steps, old_opset):
    model, outputs = make()
    model.save(directory, make.__name__.replace("_", "-"), *outputs)
learned(directory)
model, outputs = groups()
model.save(directory, "groups", *outputs)
