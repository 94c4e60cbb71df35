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
./tools/python.sh make "$venv" "tritonclient[http,grpc]==2.73.0" numpy==2.4.6
export DL4GO_PYTHON=$venv/bin/python
exec "$@"
