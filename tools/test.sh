#!/usr/bin/env bash
# What make test runs: everything that only needs Go, then, side by side, what needs Java, Maven or Python, if this machine has them:
# servers are waited for, which leaves time for others. The last line names what was not run, and what to install. With CI=true it
# is an error that something is lacking.
#
#   tools/test.sh                  DL4GO_NOT_RUN names the file where tests add what they lack; by default it is a new one
set -euo pipefail
cd "$(dirname "$0")/.."
make=${MAKE:-make}

dir=$(mktemp -d)
pids=()
finish() {
    for pid in "${pids[@]}"; do kill -- "-$pid" 2>/dev/null || true; done
    wait
    rm -rf "$dir"
}
trap finish EXIT
trap 'exit 130' INT TERM
export DL4GO_NOT_RUN=${DL4GO_NOT_RUN:-$dir/not-run}

# part WHAT COMMAND… runs the command, and says how long it took.
part() {
    local what=$1 begun=$SECONDS
    shift
    echo "== $what"
    "$@"
    echo "== $what: $((SECONDS - begun)) s"
}

# beside WHAT LACKS COMMAND… is the same beside the others, if nothing is lacking. What it prints comes when it has ended.
beside() {
    local what=$1 lacks=$2
    shift 2
    if [ -n "$lacks" ]; then
        echo "$what ($lacks)" >>"$DL4GO_NOT_RUN"
        return
    fi
    set -m # a process group of its own
    (part "$what" "$@") >"$dir/${#pids[@]}" 2>&1 </dev/null &
    set +m
    pids+=($!)
}

# ended waits for all of them, and fails if one did.
ended() {
    local i failed=0
    for i in "${!pids[@]}"; do
        wait "${pids[i]}" || failed=1
        cat "$dir/$i"
    done
    pids=()
    return $failed
}

protocol=$(./tools/protocol.sh lacks)
hdfs=$(./tools/hdfs.sh lacks)
spark=$(./tools/spark.sh lacks)
for lacks in "$protocol" "$hdfs" "$spark"; do
    if [ -n "$lacks" ] && [ "${CI:-}" = true ]; then
        echo "with CI=true nothing is left out: $lacks" >&2
        exit 1
    fi
done

part "the tests that need only Go" "$make" test-go
beside "the check of the protocols' Go code" "$protocol" ./tools/protocol.sh check
[ -n "$spark" ] || ./tools/spark.sh install # once, for both
beside "the tests of the engine on Spark" "$spark" "$make" test-spark "ON_SPARK=./engine/spark ./internal/spark/connect ./internal/spark/deploy"
SPARK_NAME=${SPARK_NAME:-run}-2 beside "the other tests on Spark" "$spark" "$make" test-spark \
    "ON_SPARK=./distributed ./distributed/earlystopping ./distributed/paramavg ./distributed/sharing . ./cmd/dl4go ./examples/bearings ./examples/external ./examples/migration ./internal/doctor ./internal/lint"
if [ -z "$hdfs" ]; then
    beside "the tests on HDFS and S3" "" "$make" test-storage
else
    beside "the tests on HDFS" "$hdfs"
    beside "the tests on S3" "" "$make" test-s3
fi
ended

if [ -s "$DL4GO_NOT_RUN" ]; then
    echo "passed; not run: $(sort -u "$DL4GO_NOT_RUN" | paste -sd ';' | sed 's/;/; /g')"
else
    echo "passed: everything was run"
fi
