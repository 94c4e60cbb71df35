"""Reads a safetensors file with the library of that name, and writes it again, with half of the types narrower or wider.

    tensors.py FILE NEW        prints the names, shapes and sums
"""
import json, sys

import numpy
from safetensors import safe_open
from safetensors.numpy import save_file

tensors = {}
with safe_open(sys.argv[1], "numpy") as f:
    metadata = f.metadata()
    for name in f.keys():
        tensors[name] = f.get_tensor(name)
json.loads(metadata["configuration"])
save_file({name: t.astype(numpy.float64 if i % 2 else numpy.float32) for i, (name, t) in enumerate(sorted(tensors.items()))}, sys.argv[2])
print(json.dumps({name: {"dtype": str(t.dtype), "shape": t.shape, "data": t.ravel().tolist()} for name, t in tensors.items()}))
