"""ONNX Runtime's side of the benchmark: reads "MODEL-ROWS CALLS" lines, answers with the mean milliseconds of a call."""
import os
import pathlib
import sys
import time

import numpy
import onnxruntime

directory = pathlib.Path(os.environ["DL4GO_BENCH_ONNX"])
STEPS = 50  # of sequences, whose length is open
threads = int(os.environ.get("OMP_NUM_THREADS", "2"))


def work(name, cache={}):
    if name not in cache:
        model, rows = name.rsplit("-", 1)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        session = onnxruntime.InferenceSession(directory / f"{model}.onnx", options, providers=["CPUExecutionProvider"])
        one = session.get_inputs()[0]
        shape = [n if isinstance(n, int) else STEPS for n in one.shape[1:]]
        x = numpy.random.default_rng(1).random([int(rows), *shape], "float32")
        cache[name] = lambda: session.run(None, {one.name: x})
    return cache[name]


print("ready", onnxruntime.__version__, flush=True)
for line in sys.stdin:
    name, calls = line.split()
    run, n = work(name), int(calls)
    start = time.perf_counter()
    for _ in range(n):
        run()
    print((time.perf_counter() - start) / n * 1e3, flush=True)
