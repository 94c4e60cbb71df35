#!/usr/bin/env bash
# XLA's plugin for the processor, for tests of internal/xla: pip fetches its wheel into .cache, and dl4go unpacks it, which checks
# its hash. The device process is built beside it.
#
#   tools/xla.sh lacks             prints what this machine lacks for it
#   tools/xla.sh with COMMAND…     runs the command with DL4GO_XLA, DL4GO_XLA_PLUGIN and DL4GO_DEVICES set
set -euo pipefail
cd "$(dirname "$0")/.."
dir=$PWD/.cache/xla

case "${1:-}" in
lacks)
    ./tools/lacks.sh python
    ;;
with)
    shift
    mkdir -p "$dir"
    if [ ! -e "$dir/devices/cpu" ]; then
        ./tools/python.sh pip download --quiet --no-deps --dest "$dir/wheels" xla-cpu-pjrt==0.0.1
        DL4GO_DEVICES=$dir/devices go run ./cmd/dl4go device install cpu --from "$dir/wheels"
        rm -r "$dir/wheels"
    fi
    go build -trimpath -o "$dir/dl4go-xla" ./cmd/dl4go-xla
    export DL4GO_XLA=$dir/dl4go-xla DL4GO_DEVICES=$dir/devices
    export DL4GO_XLA_PLUGIN=$dir/devices/cpu/xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so
    "$@"
    ;;
*)
    sed -n '2,7s/^# \{0,1\}//p' "$0"
    exit 2
    ;;
esac
