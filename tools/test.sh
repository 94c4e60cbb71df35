#!/usr/bin/env bash
# What make test runs: everything that only needs Go, and beside it what needs Java, Maven or Python, if this machine has them.
# Tests of clusters wait much of their time, which the others use. The last line names what was not run, and what to install. With
# CI=true it is an error that something is lacking.
#
#   tools/test.sh                  DL4GO_NOT_RUN names the file where tests add what they lack; by default it is a new one
set -euo pipefail
cd "$(dirname "$0")/.."
make=${MAKE:-make}

. tools/beside.sh
export DL4GO_NOT_RUN=${DL4GO_NOT_RUN:-$besides/not-run}

# unless LACKS WHAT COMMAND… runs the command beside the others if nothing is lacking.
unless() {
    if [ -n "$1" ]; then
        echo "$2 ($1)" >>"$DL4GO_NOT_RUN"
    else
        beside "${@:2}"
    fi
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

# This compiles all packages, which the tests would do side by side, once each.
if [ -z "$spark" ]; then beside "fetching Spark" ./tools/spark.sh install; fi
part "vet" "$make" vet
ended
unless "$hdfs" "the tests on HDFS" "$make" test-storage
if [ -n "$hdfs" ]; then beside "the tests on S3" "$make" test-s3; fi
# Two Sparks, whose tests take about the same time.
unless "$spark" "the tests of the engine and the training masters on Spark" "$make" test-spark \
    "ON_SPARK=./internal/spark ./internal/spark/connect ./internal/spark/deploy ./distributed/earlystopping ./distributed/paramavg ./distributed/sharing . ./examples/bearings ./examples/external ./examples/migration ./internal/doctor ./internal/lint urls"
SPARK_NAME=${SPARK_NAME:-run}-2 unless "$spark" "the other tests on Spark" "$make" test-spark "ON_SPARK=./distributed ./cmd/dl4go"
unless "$protocol" "the check of the protocols' Go code" ./tools/protocol.sh check
part "the tests that need only Go" "$make" test-vetted
ended

if [ -s "$DL4GO_NOT_RUN" ]; then
    echo "passed; not run: $(sort -u "$DL4GO_NOT_RUN" | paste -sd ';' | sed 's/;/; /g')"
else
    echo "passed: everything was run"
fi
