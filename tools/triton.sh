#!/usr/bin/env bash
# Triton's Python clients for the tests: tools/triton.sh CMD… runs CMD with their Python in DL4GO_PYTHON. pip fetches them
# the first time; after that nothing is asked of the network.
#   tools/triton.sh lacks      prints what this machine lacks for that
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "${1:-}" = lacks ]; then
    exec ./tools/lacks.sh python
fi
venv=$PWD/.cache/triton-2.73.0
if [ ! -e "$venv/installed" ]; then
    lacks=$(./tools/lacks.sh python)
    [ -z "$lacks" ] || { echo "triton.sh: $lacks" >&2; exit 1; }
    rm -rf "$venv"
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet "tritonclient[http,grpc]==2.73.0" numpy==2.4.6
    touch "$venv/installed"
fi
export DL4GO_PYTHON=$venv/bin/python
exec "$@"
