"""Makes matrices.zip: models that Keras trains with Adafactor and Muon, saved after three steps, and six more steps.

    KERAS_BACKEND=jax python matrices.py matrices.zip      (Keras 3.15, JAX on the processor)
"""
import io
import json
import os
import sys
import tempfile
import zipfile

import keras
import numpy as np
from keras import layers as L

O = keras.optimizers
ADAFACTOR = dict(learning_rate=0.02)
MUON = dict(learning_rate=0.02)


def mlp():
    return [keras.Input((12,)), L.Dense(9, activation="tanh"), L.Dense(5, activation="relu", use_bias=False),
            L.Dense(3, activation="softmax", name="head")]


def regression():
    return [keras.Input((6, 4)), L.SimpleRNN(5, return_sequences=True), L.PReLU(shared_axes=[1]),
            L.TimeDistributed(L.Dense(3, activation="tanh")), L.LayerNormalization(), L.GlobalAveragePooling1D(),
            L.Dense(1)]


def images():
    return [keras.Input((7, 7, 2)), L.Conv2D(4, 3, activation="tanh"), L.Dense(5), L.BatchNormalization(),
            L.DepthwiseConv2D(2, depth_multiplier=2, activation="tanh"), L.Conv2D(3, 1), L.SeparableConv2D(3, 2),
            L.Conv2DTranspose(2, 2), L.Flatten(), L.Dense(3, activation="softmax")]


def steps():
    return [keras.Input((8, 3)), L.Conv1D(6, 3, activation="tanh"), L.Conv1D(4, 1), L.Flatten(),
            L.Dense(3, activation="softmax")]


def texts():
    return [keras.Input((7,)), L.Embedding(11, 4), L.LSTM(5, name="memory"), L.Dense(3, activation="softmax", name="head")]


def both():
    return [keras.Input((5, 3)), L.Bidirectional(L.GRU(4, reset_after=False, return_sequences=True)),
            L.Bidirectional(L.LSTM(3)), L.Dense(3, activation="softmax")]


CASES = {
    "adafactor-mlp": (mlp, O.Adafactor(**ADAFACTOR)),
    "adafactor-regression": (regression, O.Adafactor(learning_rate=0.5, beta_2_decay=-0.6, epsilon_2=0.01,
                                                     clip_threshold=0.7)),
    "adafactor-images": (images, O.Adafactor(**ADAFACTOR, clipvalue=0.5)),
    "adafactor-steps": (steps, O.Adafactor(**ADAFACTOR)),
    "adafactor-texts": (texts, O.Adafactor(**ADAFACTOR, clipnorm=0.1)),
    "adafactor-both": (both, O.Adafactor(**ADAFACTOR)),
    "muon-mlp": (mlp, O.Muon(**MUON)),
    "muon-regression": (regression, O.Muon(learning_rate=0.01, nesterov=False, ns_steps=3, rms_rate=None,
                                           adam_lr_ratio=0.3, momentum=0.8)),
    "muon-images": (images, O.Muon(**MUON, weight_decay=0.3, adam_weight_decay=0.1)),
    "muon-steps": (steps, O.Muon(**MUON, weight_decay=None, adam_weight_decay=None)),
    "muon-texts": (texts, O.Muon(**MUON, exclude_layers=["head", "memory.*recurrent"])),
    "muon-texts-tables": (texts, O.Muon(**MUON, exclude_embeddings=False, weight_decay=0.2, adam_weight_decay=None)),
    "muon-both": (both, O.Muon(**MUON)),
}


# Models whose training cannot go on.
REFUSED = {
    "gru": ([keras.Input((5, 3)), L.GRU(2)], O.Adafactor()),
    "groups": ([keras.Input((5, 4)), L.Conv1D(4, 2, groups=2)], O.Adafactor()),
    "layer-norm": ([keras.Input((5, 3)), L.LayerNormalization(axis=[1, 2])], O.Muon()),
}


def array(z, name, x):
    b = io.BytesIO()
    np.save(b, np.asarray(x))
    z.writestr(name, b.getvalue())


def save(z, name, model):
    with tempfile.TemporaryDirectory() as d:
        model.save(os.path.join(d, "model.keras"))
        z.write(os.path.join(d, "model.keras"), name + "/model.keras")


def refused(z):
    for name, (layers, optimizer) in REFUSED.items():
        model = keras.Sequential(layers)
        model.compile(optimizer=optimizer, loss="mse")
        save(z, "refused/" + name, model)


def case(z, name, make, optimizer, seed):
    keras.utils.set_random_seed(seed)
    rng = np.random.default_rng(seed)
    model = keras.Sequential(make())
    one = model.output_shape[-1] == 1
    model.compile(optimizer=optimizer, loss="mse" if one else "categorical_crossentropy")
    shape = model.input_shape[1:]

    def draw(*n):
        if isinstance(model.layers[0], L.Embedding):
            return rng.integers(0, 11, n + shape).astype("float32")
        return rng.normal(size=n + shape).astype("float32")

    x = draw(9, 4)
    y = rng.normal(size=(9, 4, 1)).astype("float32") if one else np.eye(3, dtype="float32")[rng.integers(0, 3, (9, 4))]
    for i in range(3):
        model.train_on_batch(x[i], y[i])
    save(z, name, model)
    inputs = draw(5)
    array(z, name + "/input.npy", inputs)
    array(z, name + "/output.npy", model.predict(inputs, verbose=0))
    array(z, name + "/train_x.npy", x[3:])
    array(z, name + "/train_y.npy", y[3:])
    losses = []
    for i in range(3, 9):
        model.reset_metrics()
        losses.append(float(model.train_on_batch(x[i], y[i])))
    z.writestr(name + "/loss.json", json.dumps({"loss": losses}))
    array(z, name + "/trained_output.npy", model.predict(inputs, verbose=0))
    z.writestr(name + "/case.json", json.dumps({"name": name, "keras": keras.__version__}))
    print(name, losses)


if __name__ == "__main__":
    with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as out:
        for i, (name, (make, optimizer)) in enumerate(CASES.items()):
            case(out, name, make, optimizer, i + 1)
        refused(out)
