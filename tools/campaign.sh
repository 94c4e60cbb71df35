#!/usr/bin/env bash
# The long forms of the tests: ten times as many damaged files, random programs and killed workers; then, where the
# directory has Fashion-MNIST's IDX files, its accuracies: tools/campaign.sh [DIR] (Debian's dataset-fashion-mnist by default)
set -euo pipefail
cd "$(dirname "$0")/.."
data=${1:-/usr/share/datasets/fashion-mnist}

DL4GO_CAMPAIGN=1 go test -count 1 -timeout 120m ./data/... ./dl4j ./nn ./program/cpu ./engine/process

if [ ! -e "$data/train-images-idx3-ubyte.gz" ]; then
  echo "no Fashion-MNIST in $data: its accuracies are not checked" >&2
  exit
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
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
