#!/usr/bin/env bash
# The long forms of the tests: ten times as many damaged files, random programs and faults; faults on Spark, and 30 sessions on a
# server of it, too; then, where the directory has Fashion-MNIST's IDX files, its accuracies. The runs are counted in docs/reliability.md:
#
#   tools/campaign.sh [DIR]                 all (DIR: Debian's dataset-fashion-mnist by default)
#   tools/campaign.sh faults [processes|spark|sharing]   faults only, with the tables of docs/faults.md
set -euo pipefail
cd "$(dirname "$0")/.."
export DL4GO_CAMPAIGN=1

# What the tests record goes into docs/reliability.md in any case, failures too.
dir=$(mktemp -d)
export DL4GO_RESULTS=$dir/results
finish() {
  if [ -e "$DL4GO_RESULTS" ]; then go run ./internal/reliability "$DL4GO_RESULTS"; fi
  rm -rf "$dir"
}
trap finish EXIT

# table makes a table of what the tests of faults print, and fails with them. Those of gradient sharing have more to say.
table() {
  awk '
    /^=== RUN/ { name = $3; sub(/^Test[A-Za-z]*\//, "", name); gsub("_", " ", name); sub("/", ": ", name); sub("^Test.*", "undisturbed", name) }
    / [0-9]+ faults, / {
      match($0, /[0-9]+ faults, .*/)
      split(substr($0, RSTART), n, /[^0-9]+/)
      printf "| %s | %d | %d | %d | %d |", name, n[1], n[2], n[3], n[4]
      if (match($0, /recovered within [0-9.]+ s/)) printf " %s |", substr($0, RSTART + 17, RLENGTH - 17)
      if (match($0, /accuracy .*/)) printf " %s |", substr($0, RSTART + 9)
      print ""
    }
    /^( *--- FAIL|FAIL|panic:)/ { print > "/dev/stderr"; failed = 1 }
    /_test\.go:[0-9]+: / || /faulttest\/.*\.go:[0-9]+: / { if (!/ faults, /) print > "/dev/stderr" }
    { fflush() }
    END { exit failed }'
}

# faults ENGINE: what is printed is a part of docs/faults.md.
faults() {
  local tests packages run=(go test) fits=jobs more='' line=''
  case $1 in
  processes) tests='^Test(Faults|CountingOnProcesses|TrainingUnderFaults)$' packages=(./internal/process ./distributed) ;;
  spark)
    tests='^Test(SparkFaults|CountingOnSpark|TrainingUnderFaultsOnSpark)$' packages=(./internal/spark ./distributed)
    run=(./tools/spark.sh with go test -tags spark)
    ;;
  sharing) tests='^TestFaults$' packages=(./distributed/sharing) fits=fits more=' recovery | accuracy |' line=' --- | --- |' ;;
  esac
  local package
  for package in "${packages[@]}"; do
    printf '\n### %s, %s\n\n| fault | times | %s | exact | failed |%s\n| --- | --- | --- | --- | --- |%s\n' "$1" "$package" "$fits" "$more" "$line"
    "${run[@]}" -count 1 -timeout 180m -v -run "$tests" "$package" 2>&1 | table
  done
}

if [ "${1:-}" = faults ]; then
  for engine in ${2:-processes spark sharing}; do faults "$engine"; done
  exit
fi
data=${1:-/usr/share/datasets/fashion-mnist}

go test -count 1 -timeout 120m ./data/... ./dl4j ./internal/safetensors ./internal/hdf5 ./nn ./internal/onnx ./internal/keras ./internal/cpu ./stats ./threshold ./engine/... ./internal/slots ./internal/spark/... ./internal/worker ./distributed/...
faults spark
./tools/spark.sh with go test -tags spark -count 1 -timeout 60m -run '^TestSparkEndurance$' ./cmd/dl4go

if [ ! -e "$data/train-images-idx3-ubyte.gz" ]; then
  echo "no Fashion-MNIST in $data: its accuracies are not checked" >&2
  exit
fi
go build -o "$dir/dl4go" ./cmd/dl4go

# reaches ACCURACY FLAGS…: training with these flags ends with at least that held-out accuracy
reaches() {
  least=$1
  shift
  last=$("$dir/dl4go" train --json --save "$dir/model.zip" \
    --data "idx:$data/train-images-idx3-ubyte.gz,$data/train-labels-idx1-ubyte.gz" \
    --test "idx:$data/t10k-images-idx3-ubyte.gz,$data/t10k-labels-idx1-ubyte.gz" "$@" | tail -n 1)
  accuracy=$(sed -n 's/.*"accuracy":\([0-9.]*\).*/\1/p' <<<"$last")
  echo "train $*: held-out accuracy $accuracy, asked $least"
  awk -v got="$accuracy" -v least="$least" 'BEGIN { exit !(got >= least) }'
}
reaches 0.85 --model mlp --epochs 2
reaches 0.88 --model lenet --epochs 3
