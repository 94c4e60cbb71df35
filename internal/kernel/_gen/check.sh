#!/usr/bin/env bash
# Fails where a committed generated file is not what its generator gives now (and leaves the new one in place).
set -euo pipefail
cd "$(dirname "$0")/../../.."
sums() { grep -rlE '^// Code generated .* DO NOT EDIT' internal/kernel --include='*.go' --include='*.s' | sort | xargs sha256sum; }
before=$(sums)
(cd internal/kernel && go generate ./...) # the protocols have a check of their own
if ! diff <(echo "$before") <(sums); then
  echo "the files above were not current: commit them as generated"
  exit 1
fi
echo "$(echo "$before" | wc -l) generated files are current"
