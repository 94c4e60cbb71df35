#!/usr/bin/env bash
# Checks examples/kubernetes with the schemas of Kubernetes, strictly: unknown fields are errors. pip fetches them the first time.
set -euo pipefail
cd "$(dirname "$0")/.."

venv=$PWD/.cache/kubernetes-validate-1.37.0
./tools/python.sh make "$venv" kubernetes-validate==1.37.0
"$venv/bin/kubernetes-validate" --strict --quiet -k 1.30 -k 1.37 examples/kubernetes/serve.yaml examples/kubernetes/train.yaml
