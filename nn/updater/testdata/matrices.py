"""Makes matrices.json: steps of Keras' Adafactor and Muon in float64, but for means, which Keras computes in float32.

    KERAS_BACKEND=jax JAX_ENABLE_X64=1 python matrices.py > matrices.json      (Keras 3.15, JAX on the processor)
"""
import json

import keras
import numpy as np

keras.config.set_floatx("float64")
O = keras.optimizers


def steps(java, settings, optimizer, shape, scale=1.0, sparse=False):
    rng = np.random.default_rng(7)
    w = keras.Variable(scale * rng.normal(size=shape), dtype="float64", name="w")
    optimizer.build([w])
    first = np.asarray(w).ravel().tolist()
    out = []
    for _ in range(5):
        g = rng.normal(size=shape)
        if sparse:
            g[0] = 0
            g[:, 1] = 0
        optimizer.apply([keras.ops.convert_to_tensor(g)], [w])
        out.append({"gradient": g.ravel().tolist(), "params": np.asarray(w).ravel().tolist(),
                    "state": [np.asarray(v).ravel().tolist() for v in optimizer.variables[2:]]})
    return {"updater": {"@class": "io.github.dl4go.learning." + java, **settings}, "shape": list(shape), "params": first, "steps": out}


def adafactor(shape, scale=1.0, sparse=False, **s):
    settings = {"learningRate": s["learning_rate"], "decay": s.get("beta_2_decay", -0.8), "epsilon1": s.get("epsilon_1", 1e-30),
                "epsilon2": s.get("epsilon_2", 1e-3), "clip": s.get("clip_threshold", 1.0)}
    return steps("Adafactor", settings, O.Adafactor(**s), shape, scale, sparse)


def muon(shape, **s):
    o = O.Muon(**s, weight_decay=None, adam_weight_decay=None)
    settings = {"learningRate": s["learning_rate"], "momentum": o.momentum, "classical": not o.nesterov,
                "iterations": o.ns_steps, "a": o.muon_a, "b": o.muon_b, "c": o.muon_c, "rms": o.rms_rate or 0,
                "adamRatio": o.adam_lr_ratio, "beta1": o.adam_beta_1, "beta2": o.adam_beta_2, "epsilon": o.epsilon}
    return steps("Muon", settings, o, shape)


print(json.dumps([
    adafactor((3, 4), learning_rate=0.125),
    adafactor((4, 3), scale=1e-5, learning_rate=0.875, clip_threshold=0.5),
    adafactor((3, 4), sparse=True, learning_rate=0.125, epsilon_1=1e-8),
    adafactor((5, 1), learning_rate=0.125, beta_2_decay=-0.5, epsilon_2=2.0),
    adafactor((6,), learning_rate=0.125),
    adafactor((2, 2, 3, 4), learning_rate=0.125),
    muon((3, 4), learning_rate=0.125),
    muon((5, 2), learning_rate=0.125, nesterov=False, rms_rate=None, ns_steps=3, momentum=0.7),
    muon((3, 1), learning_rate=0.125),
    muon((6,), learning_rate=0.125, adam_lr_ratio=0.5),
    muon((2, 3, 4), learning_rate=0.125, epsilon=1e-3),
]))
