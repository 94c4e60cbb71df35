#!/usr/bin/env bash
# Installs the commit as "go install github.com/dl4go/dl4go/cmd/dl4go@latest" does: from a zip of the module that a proxy gives away,
# without the modules below it, and with nothing but this machine's cache for the others.
set -euo pipefail
cd "$(dirname "$0")/.."
path=github.com/dl4go/dl4go version=v0.9.0
dir=$(mktemp -d "${TMPDIR:-/tmp}/dl4go-install.XXXXXX")
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM
at=$dir/proxy/$path/@v
mkdir -p "$at"
below=()
for mod in $(git ls-files '*/go.mod'); do below+=(":(exclude)$(dirname "$mod")"); done
git archive --format=zip --prefix="$path@$version/" -o "$at/$version.zip" HEAD -- . "${below[@]}"
git show HEAD:go.mod >"$at/$version.mod"
echo "{\"Version\": \"$version\", \"Time\": \"2026-11-20T10:00:00Z\"}" >"$at/$version.info"
echo "$version" >"$at/list"
./tools/again.sh go mod download
cache=$(go env GOMODCACHE)/cache/download
cd "$dir"
GOBIN=$dir GOFLAGS="-modcacherw -trimpath" GOSUMDB=off GOMODCACHE=$dir/modules GOPROXY="file://$dir/proxy,file://$cache" \
    CGO_ENABLED=0 go install "$path/cmd/dl4go@latest"
said=$(./dl4go --version)
[ "${said%%$'\n'*}" = "dl4go $version" ] || { echo "install.sh: --version says: $said" >&2; exit 1; }
echo "installed: ${said%%$'\n'*}"
