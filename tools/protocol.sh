#!/usr/bin/env bash
# Generates the Go code of the .proto files, with protoc from PyPI (in .cache) and the protoc-gen-go of go.mod.
#   tools/protocol.sh           writes it
#   tools/protocol.sh check     fails where what is committed is not what would be written
#   tools/protocol.sh lacks     prints what this machine lacks for that
set -euo pipefail
cd "$(dirname "$0")/.."

venv=$PWD/.cache/protoc-1.85.1
bin=$PWD/.cache/bin
if [ "${1:-}" = lacks ]; then
    [ -e "$venv/installed" ] || ./tools/lacks.sh python
    exit
fi
./tools/python.sh make "$venv" grpcio-tools==1.85.1
mkdir -p "$bin"
CGO_ENABLED=0 go build -o "$bin/protoc-gen-go" google.golang.org/protobuf/cmd/protoc-gen-go

out=.
if [ "${1:-}" = check ]; then
    out=$(mktemp -d)
    trap 'rm -rf "$out"' EXIT
fi
stale=0
for proto in $(git ls-files '*.proto'); do
    "$venv/bin/python" -m grpc_tools.protoc --plugin="$bin/protoc-gen-go" -I. \
        --go_out="$out" --go_opt=paths=source_relative "$proto"
    if [ "$out" != . ] && ! diff -q "$out/${proto%.proto}.pb.go" "${proto%.proto}.pb.go"; then stale=1; fi
done
[ $stale = 0 ] || { echo "run tools/protocol.sh and commit what it writes" >&2; exit 1; }
