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


def log_softmax():
    """Logarithms of a softmax over vectors, over the steps of sequences in both orders, and over the pixels of images."""
    m = Model()
    x = m.input("x", ["n", 4], w(2, 4))
    a = m.op("LogSoftmax", m.op("Gemm", m.op("Relu", m.op("Gemm", x, w(4, 6), w(6))), w(6, 3), w(3)), axis=1)
    s = m.input("s", ["n", "t", 3], w(2, 5, 3))
    b = m.op("LogSoftmax", m.op("Add", m.op("MatMul", s, w(3, 2)), w(2)), axis=-1)
    q = m.input("q", ["n", 3, "t"], w(2, 3, 6))
    c = m.op("LogSoftmax", m.op("Conv", q, w(2, 3, 1), w(2)), axis=1)
    i = m.input("i", ["n", 2, 4, 5], w(2, 2, 4, 5))
    d = m.op("LogSoftmax", m.op("Conv", m.op("Relu", m.op("Conv", i, w(4, 2, 3, 3), w(4), pads=[1, 1, 1, 1])), w(3, 4, 1, 1), w(3)), axis=1)
    return m, [a, b, c, d]


def activations():
    m = Model()
    x = m.input("x", ["n", 4], w(3, 4))
    for op, settings in [("HardSwish", {}), ("HardSigmoid", {"alpha": 1 / 6, "beta": 0.5}), ("LogSoftmax", {})]:
        x = m.op(op, m.op("Gemm", x, 3 * w(4, 4), w(4)), **settings)
    return m, [m.op("Gemm", x, w(4, 2))]


def reordered(m, gates, size):
    """The gates i, f, g, o of PyTorch as ONNX' i, o, f, c, as torch.onnx.export(dynamo=True, optimize=False) writes it."""
    zero = np.array([0])
    part = lambda i: m.op("Slice", gates, m.op("Mul", size, np.array([i])), m.op("Mul", size, np.array([i + 1])), zero)
    return m.op("Concat", *[part(i) for i in (0, 3, 1, 2)], axis=0)


def torch_lstm(x, m, features, units, directions):
    """An LSTM with batch_first, as torch.onnx.export(dynamo=True, optimize=False) writes it."""
    n = m.op("Reshape", m.op("Squeeze", m.op("Shape", x, start=0, end=1)), np.array([-1]))
    zeros = m.op("Expand", np.array(0, np.float32), m.op("Concat", np.array([directions]), n, np.array([units]), axis=0))
    size = m.op("Shape", zeros, start=2, end=3)
    state = m.op("Slice", zeros, np.array([0]), np.array([directions]), np.array([0]))
    each = []
    for _ in range(directions):
        a, b, c, d = (reordered(m, m.const(w(*s)), size) for s in [(4 * units, features), (4 * units, units), (4 * units,), (4 * units,)])
        each.append([m.op("Unsqueeze", t, np.array([0])) for t in (a, b, m.op("Concat", c, d, axis=0))])
    weights = [m.op("Concat", *t, axis=0) if directions > 1 else t[0] for t in zip(*each)]
    x = m.op("Transpose", x, perm=[1, 0, 2])
    x = m.op("LSTM", x, *weights, "", state, state, hidden_size=units, direction="bidirectional" if directions == 2 else "forward")
    x = m.op("Transpose", x, perm=[0, 2, 1, 3])
    sizes = m.op("Shape", x, start=0)
    a, b, c, d = (m.op("Slice", sizes, np.array([i]), np.array([i + 1])) for i in range(4))
    x = m.op("Reshape", x, m.op("Concat", a, b, m.op("Reshape", m.op("Mul", c, d), np.array([-1])), axis=0))
    return m.op("Transpose", x, perm=[1, 0, 2])


def lstm_of_torch():
    m = Model(opset=20)
    x = m.input("x", ["n", "t", 3], w(2, 5, 3))
    x = torch_lstm(x, m, 3, 4, 2)
    x = torch_lstm(x, m, 8, 5, 1)
    whole = m.op("Cast", np.array(2**63 - 1), to=INT64)
    x = m.op("Slice", x, np.array([0]), m.op("Reshape", whole, np.array([-1])), np.array([0]), np.array([1]))
    x = m.op("Gather", x, np.array(-1), axis=1)
    return m, [m.op("LogSoftmax", m.op("Gemm", x, w(5, 2), w(2)), axis=1)]


def stacked_lstm():
    """Two layers, with slices of one first state, as PyTorch's older exporter writes them. Steps and last state are read."""
    m = Model()
    x = m.input("x", ["n", 6, 3], w(2, 6, 3))
    n = m.op("Unsqueeze", m.op("Gather", m.op("Shape", x), np.array(0), axis=0), np.array([0]))
    zeros = m.op("ConstantOfShape", m.op("Concat", np.array([2]), n, np.array([4]), axis=0), value=numpy_helper.from_array(np.zeros(1, np.float32)))
    part = lambda i: m.op("Slice", zeros, np.array([i]), np.array([i + 1]), np.array([0]))
    y, h, _ = m.op("LSTM", m.op("Transpose", x, perm=[1, 0, 2]), w(1, 16, 3), w(1, 16, 4), w(1, 32), "", part(0), part(0), outputs=3, hidden_size=4)
    _, g, _ = m.op("LSTM", m.op("Squeeze", y, np.array([1])), w(1, 16, 4), w(1, 16, 4), w(1, 32), "", part(1), part(1), outputs=3, hidden_size=4)
    both = m.op("Concat", m.op("Squeeze", h, np.array([0])), m.op("Squeeze", g, np.array([0])), axis=1)
    return m, [m.op("Gemm", both, w(8, 2))]


def picked_state():
    """The last state of the second of two layers, which PyTorch's exporters take from those of both."""
    m = Model()
    x = m.input("x", ["n", "t", 3], w(2, 5, 3))
    y, h = m.op("GRU", m.op("Transpose", x, perm=[1, 0, 2]), w(1, 12, 3), w(1, 12, 4), w(1, 24), outputs=2, hidden_size=4)
    _, g = m.op("GRU", m.op("Squeeze", y, np.array([1])), w(1, 12, 4), w(1, 12, 4), w(1, 24), outputs=2, hidden_size=4)
    return m, [m.op("Gemm", m.op("Gather", m.op("Concat", h, g, axis=0), np.array(-1), axis=0), w(4, 2), w(2))]


def last_states():
    """The last states of two directions, joined as PyTorch programs do it: by a Concat, a sum, and a Reshape."""
    m = Model()
    x = m.input("x", ["n", "t", 3], w(2, 5, 3))
    s = m.op("Transpose", x, perm=[1, 0, 2])
    both = lambda: m.op("LSTM", s, w(2, 16, 3), w(2, 16, 4), w(2, 32), outputs=2, hidden_size=4, direction="bidirectional")[1]
    h = both()
    a = m.op("Concat", m.op("Gather", h, np.array(-2), axis=0), m.op("Gather", h, np.array(1), axis=0), axis=1)
    f, b = m.op("Split", both(), np.array([1, 1]), outputs=2, axis=0)
    b = m.op("Add", m.op("Squeeze", f, np.array([0])), m.op("Squeeze", b, np.array([0])))
    c = m.op("Reshape", m.op("Transpose", both(), perm=[1, 0, 2]), np.array([0, -1]))
    return m, [m.op("Gemm", m.op("Concat", a, b, c, axis=1), w(20, 2))]


def constants():
    """Weights that operators compute of constants."""
    m = Model()
    x = m.input("x", ["n", 4], w(3, 4))
    v = m.const(w(6, 4))  # a weight norm
    norm = m.op("Sqrt", m.op("Expand", np.abs(w(6, 1)) + 0.5, np.array([6, 4])))
    x = m.op("Relu", m.op("Gemm", x, m.op("Div", m.op("Mul", v, np.abs(w(6, 1))), norm), m.op("Sub", w(6), np.float32(1)), transB=1))
    table = m.op("Reshape", m.op("Transpose", w(5, 2, 3), perm=[2, 0, 1]), np.array([0, -1]))  # [3, 10]
    rows = m.op("Gather", table, np.array([2, 0, 1, -1, 0, 2]), axis=0)  # [6, 10]
    x = m.op("Gemm", x, m.op("Slice", rows, np.array([1]), np.array([9]), np.array([1]), np.array([2])))  # [6, 4]
    parts = m.op("Concat", w(2, 3), m.op("Neg", w(2, 3)), axis=0)
    to = m.const(np.array([-1, 3]))  # as PyTorch's older exporter writes expand(-1, 3)
    ones = m.op("ConstantOfShape", m.op("Shape", to), value=numpy_helper.from_array(np.ones(1, np.int64)))
    to = m.op("Where", m.op("Equal", to, m.op("Mul", ones, np.array(-1))), ones, to)
    bias = m.op("Reshape", m.op("Expand", m.op("Cast", np.array([[2]]), to=FLOAT), to), np.array([3]))
    return m, [m.op("Gemm", x, parts, bias)]


def formulas():
    """Activations as PyTorch's exporters write them: each in several nodes."""
    m = Model()
    x = m.input("x", ["n", 4], 3 * w(5, 4))
    num = lambda v: np.float32(v)
    gelu = lambda z: m.op("Mul", m.op("Mul", z, m.op("Add", m.op("Erf", m.op("Div", z, num(2**0.5))), num(1))), num(0.5))
    cube = lambda z: m.op("Add", z, m.op("Mul", m.op("Pow", z, num(3)), num(0.044715)))
    gelu_tanh = lambda z: m.op("Mul", m.op("Mul", z, num(0.5)), m.op("Add", m.op("Tanh", m.op("Mul", cube(z), num(0.7978846))), num(1)))
    shrink = lambda z: m.op("Where", m.op("LessOrEqual", m.op("Abs", z), num(0.3)), num(0), m.op("Sub", z, m.op("Mul", m.op("Sign", z), num(0.3))))
    hard_shrink = lambda z: m.op("Mul", z, m.op("Cast", m.op("Or", m.op("Greater", z, num(0.2)), m.op("Less", z, num(-0.2))), to=FLOAT))
    list_ = [
        lambda z: m.op("Log", m.op("Sigmoid", z)),
        lambda z: m.op("Mul", z, m.op("Tanh", m.op("Softplus", z))),
        lambda z: m.op("Sub", z, m.op("Tanh", z)),
        lambda z: m.op("Clip", z, num(-2), num(3)),
        lambda z: m.op("Where", m.op("Greater", z, num(0.1)), z, num(0.02)),
        lambda z: m.op("Div", m.op("Softplus", m.op("Mul", z, num(2))), num(2)),
        lambda z: m.op("Log", m.op("Add", m.op("Abs", z), num(1))),
        lambda z: m.op("Exp", m.op("Neg", z)),
        lambda z: m.op("Div", m.op("Mul", z, m.op("Clip", m.op("Add", z, num(3)), num(0), num(6))), num(6)),
    ]
    for act in [gelu, gelu_tanh, shrink, hard_shrink] + list_:
        x = act(m.op("Gemm", x, w(4, 4), w(4)))
    return m, [m.op("Gemm", x, w(4, 2))]


def normalized():
    """Normalisations of each example, as operators and as formulas."""
    m = Model()
    x = m.input("x", ["n", 5], w(3, 5))
    x = m.op("LayerNormalization", m.op("Gemm", x, w(5, 6)), w(6), w(6), axis=-1)
    x = m.op("Gemm", x, w(6, 4))
    d = m.op("Sub", x, m.op("ReduceMean", x, axes=[-1]))
    v = m.op("ReduceMean", m.op("Pow", d, np.float32(2)), axes=[-1])
    x = m.op("Div", d, m.op("Sqrt", m.op("Add", v, np.float32(1e-5))))
    x = m.op("Add", m.op("Mul", x, w(4)), w(4))
    i = m.input("i", ["n", 4, 5, 3], w(3, 4, 5, 3))
    i = m.op("InstanceNormalization", m.op("Conv", i, w(6, 4, 2, 2)), w(6), w(6))
    y = m.op("InstanceNormalization", m.op("Reshape", i, np.array([0, 2, -1])), np.ones(2, np.float32), np.zeros(2, np.float32))
    i = m.op("Relu", m.op("Add", m.op("Mul", m.op("Reshape", y, m.op("Shape", i)), w(6, 1, 1)), w(6, 1, 1)))
    i = m.op("Transpose", m.op("LayerNormalization", m.op("Transpose", i, perm=[0, 2, 3, 1]), w(6), w(6), epsilon=1e-3), perm=[0, 3, 1, 2])
    i = m.op("LayerNormalization", i, w(6, 4, 2), w(6, 4, 2), axis=1)
    s = m.input("s", ["n", "t", 3], w(3, 4, 3))
    s = m.op("LayerNormalization", m.op("MatMul", s, w(3, 4)), w(4), w(4))
    s = m.op("ReduceMean", s, axes=[1], keepdims=0)
    x = m.op("Concat", x, m.op("Flatten", m.op("GlobalAveragePool", i)), s, axis=1)
    return m, [m.op("Gemm", x, w(14, 2), w(2))]


def excited():
    """Squeeze and excitation, by convolutions and by dense layers, a quotient, a minimum, and a rounded-up pooling."""
    m = Model()
    x = m.input("x", ["n", 4, 6, 6], w(2, 4, 6, 6))
    s = m.op("Relu", m.op("Conv", m.op("GlobalAveragePool", x), w(2, 4, 1, 1), w(2)))
    x = m.op("Mul", x, m.op("Sigmoid", m.op("Conv", s, w(4, 2, 1, 1), w(4))))
    x = m.op("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1)
    s = m.op("Gemm", m.op("ReduceMean", x, axes=[2, 3], keepdims=0), w(4, 4), w(4))
    x = m.op("Mul", x, m.op("Unsqueeze", m.op("HardSigmoid", s), np.array([2, 3])))
    x = m.op("Flatten", m.op("GlobalMaxPool", x))
    a, b = m.op("Gemm", x, w(4, 3), w(3)), m.op("Gemm", x, w(4, 3), w(3))
    q = m.op("Div", a, m.op("Add", m.op("Mul", b, b), np.float32(1)))
    return m, [m.op("Gemm", m.op("Concat", q, m.op("Min", a, b), axis=1), w(6, 2), w(2))]


def decoded():
    """Transposed convolutions with the borders that PyTorch's decoders have, and upsampling that interpolates."""
    m = Model()
    x = m.input("x", ["n", 2, 3, 4], w(2, 2, 3, 4))
    x = m.op("Relu", m.op("ConvTranspose", x, w(2, 3, 3, 3), w(3), strides=[2, 2], pads=[1, 1, 1, 1], output_padding=[1, 1]))
    x = m.op("Relu", m.op("ConvTranspose", x, w(3, 3, 4, 4), w(3), strides=[2, 2], pads=[1, 1, 1, 1]))
    x = m.op("Relu", m.op("ConvTranspose", x, w(3, 2, 3, 2), w(2), strides=[2, 1], output_padding=[1, 0]))
    x = m.op("Resize", x, "", np.array([1, 1, 2, 3], np.float32), mode="linear", coordinate_transformation_mode="pytorch_half_pixel")
    pads = m.op("Reshape", np.array([1, 0, 2, 1, 0, 0, 0, 0]), np.array([-1, 2]))  # as PyTorch's older exporter writes padding
    pads = m.op("Slice", pads, np.array([-1]), np.array([-(2**63)]), np.array([0]), np.array([-1]))
    pads = m.op("Reshape", m.op("Transpose", pads, perm=[1, 0]), np.array([-1]))
    x = m.op("Conv", m.op("Pad", x, pads), w(2, 2, 2, 2))
    return m, [m.op("Gemm", m.op("Flatten", m.op("GlobalAveragePool", x)), w(2, 2))]


def arranged():
    """Steps as vectors, dense layers of pixels, a norm, and an output with the features behind the steps."""
    m = Model()
    s = m.input("s", ["n", 3, 6], w(2, 3, 6))
    s = m.op("Conv", s, w(4, 3, 2), w(4), kernel_shape=[2])
    x = m.op("Gemm", m.op("Flatten", m.op("Relu", s)), w(20, 3), w(3))
    norm = m.op("Expand", m.op("Clip", m.op("ReduceL2", x, axes=[1], keepdims=1), np.float32(1e-12)), m.op("Shape", x))
    x = m.op("Div", x, norm)
    i = m.input("i", ["n", 2, 4, 3], w(2, 2, 4, 3))
    i = m.op("Transpose", m.op("Conv", i, w(4, 2, 2, 2)), perm=[0, 2, 3, 1])
    i = m.op("Relu", m.op("Add", m.op("MatMul", i, w(4, 5)), w(5)))
    i = m.op("Mul", m.op("MatMul", i, w(5, 3)), w(3))
    i = m.op("Flatten", m.op("GlobalMaxPool", m.op("Transpose", i, perm=[0, 3, 1, 2])))
    words = m.input("words", ["n", "t"], rng.integers(0, 9, (2, 5)), INT64)
    e = m.op("Add", m.op("MatMul", m.op("Tanh", m.op("Gather", w(9, 4), words)), w(4, 2)), w(2))
    return m, [m.op("Gemm", m.op("Concat", x, i, axis=1), w(6, 2)), e]


directory = pathlib.Path(sys.argv[1])
directory.mkdir(exist_ok=True)
for make in (dense, standardized, convolutional, same_and_grouped, residual, channels_last, channels_moved, lstm_batch_first, gru_and_words, steps, old_opset):
    model, outputs = make()
    model.save(directory, make.__name__.replace("_", "-"), *outputs)
learned(directory)
model, outputs = groups()
model.save(directory, "groups", *outputs)
for make in (log_softmax, activations, lstm_of_torch, stacked_lstm, last_states, picked_state, constants, formulas, normalized, excited, decoded, arranged):
    rng = np.random.default_rng(9)
    model, outputs = make()
    model.save(directory, make.__name__.replace("_", "-"), *outputs)
