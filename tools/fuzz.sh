#!/usr/bin/env bash
# Runs every fuzz target of the module for the given time: tools/fuzz.sh 10s
set -euo pipefail
cd "$(dirname "$0")/.."
grep -rlE '^func Fuzz' --include='*_test.go' . | sort | while read -r file; do
  dir=$(dirname "$file")
  grep -oE '^func Fuzz[A-Za-z0-9_]*' "$file" | sed 's/^func //' | while read -r name; do
    echo "$dir $name"
    go test "$dir" -run '^$' -fuzz "^$name\$" -fuzztime "$1" -fuzzminimizetime 10x
  done
done
