#!/usr/bin/env bash
# tools/stress.sh N CMD… runs CMD N times with four busy loops beside it, as on a machine that has much else to do. It ends with
# the first failure, and says how long each run took.
set -euo pipefail

times=$1
shift
loops=()
finish() { kill "${loops[@]}" 2>/dev/null || true; }
trap finish EXIT
trap 'exit 130' INT TERM
for _ in 1 2 3 4; do
    while :; do :; done &
    loops+=($!)
done
for ((run = 1; run <= times; run++)); do
    begun=$SECONDS
    "$@" || { echo "run $run of $times failed after $((SECONDS - begun)) s" >&2; exit 1; }
    echo "run $run of $times passed in $((SECONDS - begun)) s"
done
