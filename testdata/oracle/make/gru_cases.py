"""Makes testdata/oracle/gru.json: outputs and gradients of Keras' GRU, for TestGRUOfKeras of package nn.

    pip install keras==3.15.1 jax
    KERAS_BACKEND=jax python gru_cases.py > ../gru.json

Arrays are flat and in C order, in Keras' shapes: x [4, 5, 3], mask [4, 5], kernel [3, 6], recurrent [2, 6], bias [6]
or [2, 6]. The loss is the mean of the squared differences over the outputs, summed over steps, by example.
"""
import json
import sys

import jax
import jax.numpy as jnp
import keras
import numpy as np

ROWS, STEPS, INPUTS, UNITS = 4, 5, 3, 2
MASK = [[1, 1, 1, 1, 1], [1, 1, 1, 0, 0], [0, 0, 1, 1, 1], [1, 0, 1, 1, 0]]


def case(name, mask=False, both=None, **settings):
    keras.utils.set_random_seed(len(name))
    layer = keras.layers.GRU(UNITS, **settings)
    if both:
        layer = keras.layers.Bidirectional(layer, merge_mode=both)
    random = np.random.default_rng(len(name))
    x = random.normal(size=(ROWS, STEPS, INPUTS)).astype("float32")
    layer.build(x.shape)
    values = [random.normal(size=w.shape).astype("float32") * 0.7 for w in layer.weights]
    m = np.array(MASK, dtype=bool) if mask else None

    def output(values):
        y, _ = layer.stateless_call(values, layer.non_trainable_variables, x, mask=m)
        return y

    y = np.asarray(output(values))
    labels = random.normal(size=y.shape).astype("float32")
    loss, gradients = jax.value_and_grad(
        lambda values: jnp.sum(jnp.mean((output(values) - labels) ** 2, axis=-1)) / ROWS)(values)
    flat = lambda a: [round(float(v), 7) for v in np.asarray(a).ravel()]
    return {"name": name, "masked": mask, "both": both or "", "bias": settings.get("use_bias", True),
            "resetAfter": settings.get("reset_after", True), "sequences": settings.get("return_sequences", False),
            "activation": settings.get("activation", "tanh"),
            "gate": settings.get("recurrent_activation", "sigmoid"),
            "x": flat(x), "weights": [flat(v) for v in values], "output": flat(y), "labels": flat(labels),
            "loss": float(loss), "gradients": [flat(g) for g in gradients]}


steps = {"return_sequences": True}
before = {"reset_after": False}
cases = [
    case("after", **steps),
    case("before", **steps, **before),
    case("after, masked", mask=True, **steps),
    case("before, masked", mask=True, **steps, **before),
    case("last step, masked", mask=True),
    case("before, last step", **before),
    case("no bias", **steps, use_bias=False),
    case("before, no bias, masked", mask=True, **steps, **before, use_bias=False),
    case("other activations", **steps, activation="softsign", recurrent_activation="tanh"),
    case("both ways", both="concat", **steps),
    case("both ways, masked", both="concat", mask=True, **steps),
    case("both ways, last step, masked", both="concat", mask=True, **before),
    case("sum of both ways, masked", both="sum", mask=True, **steps, **before),
]
json.dump({"mask": np.array(MASK).ravel().tolist(), "cases": cases}, sys.stdout, separators=(",", ":"))
print()
