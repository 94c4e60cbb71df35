"""Runs ONNX models in ONNX Runtime, and compares their outputs with those in files beside them.

    check.py DIRECTORY

The directory has a folder for each case: model.onnx, and case.json with the inputs and the expected outputs of some runs,
each with a name, a shape and a file of float32. The last line is a summary; the exit status is 1 if anything differs.
"""
import json, pathlib, sys

import numpy, onnx, onnxruntime


def array(folder, of):
    return numpy.fromfile(folder / of["file"], "<f4").reshape(of["shape"])


def check(folder):
    model = onnx.load(folder / "model.onnx")
    onnx.checker.check_model(model, full_check=True)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(folder / "model.onnx", options, providers=["CPUExecutionProvider"])
    worst = 0.0
    for run in json.loads((folder / "case.json").read_text()):
        got = session.run([o["name"] for o in run["outputs"]], {i["name"]: array(folder, i) for i in run["inputs"]})
        for g, o in zip(got, run["outputs"]):
            want = array(folder, o)
            if g.shape != want.shape:
                raise ValueError(f"output {o['name']} has the shape {g.shape}, not {want.shape}")
            if g.size and not numpy.array_equal(numpy.isfinite(g), numpy.isfinite(want)):
                raise ValueError(f"output {o['name']} has NaN or infinity in other places")
            keep = numpy.isfinite(want)
            off = numpy.abs(g[keep] - want[keep]) / numpy.maximum(1, numpy.abs(want[keep]))
            worst = max(worst, off.max(initial=0))
    if worst > 1e-5:
        raise ValueError(f"an output is off by {worst:.3g}")
    return worst


failed, worst, cases = 0, 0.0, sorted(pathlib.Path(sys.argv[1]).iterdir())
for folder in cases:
    try:
        worst = max(worst, check(folder))
    except Exception as e:
        failed += 1
        print(f"{folder.name}: {' '.join(str(e).split())[:600]}")
print(f"{len(cases) - failed} of {len(cases)} models agree within {worst:.2g}")
sys.exit(failed > 0)
