#!/usr/bin/env bash
# Fails where a committed generated file is not what its generator gives now. It generates a copy of the kernels: other
# commands may be compiling them meanwhile, and a file that is just being written does not compile.
set -euo pipefail
cd "$(dirname "$0")/.."
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp -r . "$copy/kernel"
cp ../../go.mod ../../go.sum "$copy"
cd "$copy/kernel"
generated=$(grep -rlE '^// Code generated .* DO NOT EDIT' . --include='*.go' --include='*.s')
rm $generated # a file that nothing generates is missing then
go generate ./... # the protocols have a check of their own
if ! diff -qr "$OLDPWD" .; then
  echo "the files above are not current: run go generate ./internal/kernel/... and commit what it writes"
  exit 1
fi
echo "$(echo "$generated" | wc -l) generated files are current"
