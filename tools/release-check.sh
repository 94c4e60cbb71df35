#!/usr/bin/env bash
# Builds the release of bin/release once more, in a new clone with an empty build cache, and compares the checksums.
#   tools/release-check.sh PLATFORMS COMMIT
set -euo pipefail
cd "$(dirname "$0")/.."
[ -e bin/release/SHA256SUMS ] || { echo "release-check.sh: there is no bin/release; run make release with the same PLATFORMS" >&2; exit 1; }
(cd bin/release && sha256sum --quiet -c SHA256SUMS)
dir=$(mktemp -d "${TMPDIR:-/tmp}/dl4go-release.XXXXXX")
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM
commit=$(git rev-parse --verify "$2^{commit}")
git clone --quiet --no-checkout . "$dir/clone"
git -C "$dir/clone" checkout --quiet --detach "$commit"
cd "$dir/clone"
GOCACHE="$dir/cache" ${GO:-go} run ./internal/release -out "$dir/release" -platforms "$1"
cd - >/dev/null
diff bin/release/SHA256SUMS "$dir/release/SHA256SUMS"
echo "the same bytes: $(wc -l <bin/release/SHA256SUMS) files of $commit"
