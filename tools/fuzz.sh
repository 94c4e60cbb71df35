#!/usr/bin/env bash
# Runs every fuzz target of the module for the given time, or those whose "PACKAGE.NAME" matches a regular expression, and
# counts their inputs in docs/reliability.md: tools/fuzz.sh 10s [data/source.FuzzCSV]
set -euo pipefail
cd "$(dirname "$0")/.."

dir=$(mktemp -d)
finish() {
  if [ -e "$dir/results" ]; then go run ./internal/reliability "$dir/results"; fi
  rm -rf "$dir"
}
trap finish EXIT

# fuzz PACKAGE NAME TIME notes how many inputs were tried, and whether one failed.
fuzz() {
  local failed=false inputs
  echo "$1 $2"
  go test "./$1" -run '^$' -fuzz "^$2\$" -fuzztime "$3" -fuzzminimizetime 10x | tee "$dir/output" || failed=true
  inputs=$(sed -nE 's/.*execs: ([0-9]+).*/\1/p' "$dir/output" | tail -n 1)
  echo "{\"test\":\"$1.$2\",\"runs\":${inputs:-0},\"failed\":$failed,\"day\":\"$(date -u +%F)\"}" >>"$dir/results"
  [ $failed = false ]
}

grep -rlE '^func Fuzz' --include='*_test.go' . | sed 's,^\./,,' | sort | while read -r file; do
  grep -oE '^func Fuzz[A-Za-z0-9_]*' "$file" | sed 's/^func //' | while read -r name; do
    if [[ $(dirname "$file").$name =~ ${2:-} ]]; then fuzz "$(dirname "$file")" "$name" "$1"; fi
  done
done
