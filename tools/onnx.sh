#!/usr/bin/env bash
# ONNX's checker, ONNX Runtime and safetensors for the tests: tools/onnx.sh CMD… runs CMD with their Python in DL4GO_PYTHON.
# pip fetches them the first time; after that nothing is asked of the network.
#   tools/onnx.sh lacks      prints what this machine lacks for that
#   tools/onnx.sh models     makes the models of internal/onnx/testdata again
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "${1:-}" = lacks ]; then
    exec ./tools/lacks.sh python
fi
packages=(onnx==1.23.2 onnxruntime==1.32.0 safetensors==0.8.0 numpy==2.4.6)
venv=$PWD/.cache/onnx-1.23.2-1.32.0
if [ "${1:-}" = models ]; then
    packages+=(scikit-learn==1.9.1 skl2onnx==1.20.0)
    venv+=-models
fi
./tools/python.sh make "$venv" "${packages[@]}"
export DL4GO_PYTHON=$venv/bin/python
if [ "${1:-}" = models ]; then
    exec "$DL4GO_PYTHON" tools/onnx/models.py internal/onnx/testdata
fi
exec "$@"
