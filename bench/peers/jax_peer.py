"""JAX's side of the benchmark: reads "WORK CALLS" lines, answers with the mean milliseconds of a call."""
import os
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

jax.config.update("jax_default_matmul_precision", os.environ.get("DL4GO_BENCH_PRECISION", "highest"))
rng = np.random.default_rng(1)


def uniform(*shape, scale=1.0):
    return jnp.asarray(rng.uniform(-1, 1, shape) * scale, jnp.float32)


def dense(n, m):
    return {"w": uniform(n, m, scale=n**-0.5), "b": jnp.zeros(m)}


def apply(p, x):
    return x @ p["w"] + p["b"]


def conv(x, w, padding="VALID"):
    return lax.conv_general_dilated(x, w, (1, 1), padding, dimension_numbers=("NHWC", "HWIO", "NHWC"))


def pool(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


def entropy(z, y):
    return -jnp.mean(jnp.sum(jax.nn.log_softmax(z) * y, -1))


def mlp(p, x):
    return apply(p[1], jax.nn.relu(apply(p[0], x)))


def lenet(p, x):
    for k in range(2):
        x = pool(conv(x, p[k]["w"]) + p[k]["b"])
    return apply(p[3], jax.nn.relu(apply(p[2], x.reshape(len(x), -1))))


def lstm(p, x):
    """x is [steps, rows, characters]."""
    def step(carry, z):
        h, c = carry
        i, f, g, o = jnp.split(z + h @ p["r"], 4, 1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    zero = jnp.zeros((x.shape[1], 200))
    return apply(p["out"], lax.scan(step, (zero, zero), apply(p["in"], x))[1])


def norm(p, x):
    mean = jnp.mean(x, (0, 1, 2))
    variance = jnp.mean(jnp.square(x - mean), (0, 1, 2))
    return (x - mean) * (p["gamma"] * lax.rsqrt(variance + 1e-5)) + p["beta"], (mean, variance)


def resnet(p, x):
    x, kept = conv(x, p["first"], "SAME"), []
    for block in p["blocks"]:
        a, s = norm(block[1], conv(x, block[0], "SAME"))
        b, t = norm(block[3], conv(jax.nn.relu(a), block[2], "SAME"))
        x, kept = jax.nn.relu(b + x), kept + [s, t]
    return apply(p["out"], jnp.mean(x, (1, 2))), kept


def nesterovs(rate):
    def init(p):
        return jax.tree.map(jnp.zeros_like, p)

    def move(p, v, g, _):
        new = jax.tree.map(lambda v, g: 0.9 * v - rate * g, v, g)
        return jax.tree.map(lambda p, v, old: p + 1.9 * v - 0.9 * old, p, new, v), new

    return init, move


def adam(rate):
    def init(p):
        return jax.tree.map(jnp.zeros_like, p), jax.tree.map(jnp.zeros_like, p)

    def move(p, state, g, t):
        m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, state[0], g)
        v = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, state[1], g)
        a = rate * jnp.sqrt(1 - 0.999**t) / (1 - 0.9**t)
        return jax.tree.map(lambda p, m, v: p - a * m / (jnp.sqrt(v) + 1e-8), p, m, v), (m, v)

    return init, move


class Step:
    """A training step of one jitted function, whose parameters and state are donated."""

    def __init__(self, net, params, optimizer, x, y, stateful=False):
        init, move = optimizer

        def loss(p, x, y):
            out = net(p, x)
            z, kept = out if stateful else (out, ())
            return entropy(z, y), kept

        def step(p, state, kept, t, x, y):
            (score, new), g = jax.value_and_grad(loss, has_aux=True)(p, x, y)
            kept = jax.tree.map(lambda a, b: 0.9 * a + 0.1 * b, kept, new)
            p, state = move(p, state, g, t)
            return p, state, kept, score

        kept = jax.eval_shape(lambda: loss(params, x, y)[1])
        self.vectors = (params, init(params), jax.tree.map(lambda s: jnp.zeros(s.shape), kept))
        self.step, self.t = jax.jit(step, donate_argnums=(0, 1, 2)), 0
        self.x, self.y = np.asarray(x), np.asarray(y)  # each step brings its minibatch to the device, as ours does

    def __call__(self):
        self.t += 1
        *self.vectors, score = self.step(*self.vectors, np.float32(self.t), self.x, self.y)
        float(score)


def classes(rows):
    return jax.nn.one_hot(jnp.arange(rows) % 10, 10)


def works():
    def kernel(h, i, o):
        return uniform(h, h, i, o, scale=(h * h * i)**-0.5)

    def filters(h, i, o):
        return {"w": kernel(h, i, o), "b": jnp.zeros(o)}

    def scales():
        return {"gamma": jnp.ones(64), "beta": jnp.zeros(64)}

    chars = jax.nn.one_hot(jnp.arange(3200) * 7 % 77, 77).reshape(50, 64, 77)
    blocks = [(kernel(3, 64, 64), scales(), kernel(3, 64, 64), scales()) for _ in range(4)]
    return {
        "mlp-step": lambda: Step(mlp, [dense(784, 500), dense(500, 10)], nesterovs(0.1), uniform(64, 784), classes(64)),
        "lenet-step": lambda: Step(lenet, [filters(5, 1, 20), filters(5, 20, 50), dense(800, 500), dense(500, 10)], adam(1e-3),
                                   uniform(64, 28, 28, 1), classes(64)),
        "lstm-step": lambda: Step(lstm, {"in": dense(77, 800), "r": uniform(200, 800, scale=0.07), "out": dense(200, 77)},
                                  adam(1e-3), chars, chars),
        "resnet-step": lambda: Step(resnet, {"first": kernel(3, 3, 64), "blocks": blocks, "out": dense(64, 10)},
                                    nesterovs(0.01), uniform(32, 32, 32, 3), classes(32), stateful=True),
    }


def main():
    all_works, ready = works(), {}
    print("ready", jax.__version__, flush=True)
    for line in sys.stdin:
        name, calls = line.split()
        if name not in ready:
            ready[name] = all_works[name]()
        run, n = ready[name], int(calls)
        start = time.perf_counter()
        for _ in range(n):
            run()
        print((time.perf_counter() - start) / n * 1e3, flush=True)


if __name__ == "__main__":
    main()
