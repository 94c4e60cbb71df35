#!/usr/bin/env bash
# Checks examples/kubernetes with the schemas of Kubernetes, strictly: unknown fields are errors. pip fetches them the first time.
set -euo pipefail
cd "$(dirname "$0")/.."

venv=$PWD/.cache/kubernetes-validate-1.37.0
if [ ! -e "$venv/installed" ]; then
    lacks=$(./tools/lacks.sh python)
    [ -z "$lacks" ] || { echo "kubernetes.sh: $lacks" >&2; exit 1; }
    rm -rf "$venv"
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet kubernetes-validate==1.37.0
    touch "$venv/installed"
fi
"$venv/bin/kubernetes-validate" --strict --quiet -k 1.30 -k 1.37 examples/kubernetes/serve.yaml examples/kubernetes/train.yaml
